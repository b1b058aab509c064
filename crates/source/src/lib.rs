//! Kernels as source text for devices.
//!
//! Takes a verified kernel of the IR whose first parameter is the number of a lane; gives OpenCL C or CUDA C that means the
//! same, bit for bit. Knows no device and no library.
