//! What tests of servers of editors have in common: the side of the client in frames, and conversations in Markdown.
//!
//! The servers have their frames from `volvelle-messages`, which this crate does not use: what a client writes and reads here is what the
//! protocols say in a few obvious lines.

mod frames;
mod sessions;

pub use frames::{framed, receive};
pub use sessions::{Block, played};
