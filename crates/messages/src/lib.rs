//! Messages that editors exchange with servers: JSON in frames of bytes, as the Language Server Protocol and the Debug Adapter Protocol
//! have them in common. What the messages mean is known to those who use them.

pub mod frames;
pub mod json;
mod receiving;

pub use receiving::{Received, receive};
