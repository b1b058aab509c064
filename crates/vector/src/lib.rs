//! Kernels that many lanes run at once, one path in each.
