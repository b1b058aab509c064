//! The best configuration of a model or a kernel: spaces of parameters, searches, strategies, and files of other tuners.
