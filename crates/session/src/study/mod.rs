//! Studies of programs on machines with coherent caches, as they are read.

mod load;
mod places;

pub use load::{Loaded, Ready};
pub use places::place_of;
