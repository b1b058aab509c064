//! Kernels made from a program.
