//! Random streams: one for each path of a simulation, as fragments of kernels and as plain functions that say what they mean.
