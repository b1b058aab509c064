//! HDF5 in the convention of GADGET.

mod names;
mod read;
mod write;

pub use read::read;
pub use write::write;
