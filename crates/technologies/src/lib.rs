//! Technologies of the runtime: threads, OpenCL and CUDA; and a network, MPI.
//!
//! Implements the traits of `volvelle-runtime`. Only this crate opens libraries of devices, at run time;
//! machines without them use threads.

mod arguments;
mod cache;
mod connection;
mod copying;
pub mod cuda;
mod live;
pub mod mpi;
pub mod opencl;
pub mod testing;
mod text;
pub mod threads;

pub use cache::Cache;
pub use connection::Connection;
pub use cuda::Cuda;
pub use live::Alive;
pub use mpi::Mpi;
pub use opencl::OpenCl;
pub use threads::{Interpreter, Threads};

/// The guide, whose programs are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/runtime.md")]
struct Guide;
