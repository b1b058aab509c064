//! The language server: `volvelle lsp`.
//!
//! In: messages of the Language Server Protocol (3.17), with the texts that an editor has open. Out: what is wrong with them, and what
//! their names are. Texts are read by the front ends of `session`, and names are looked up by `symbols`. Nothing is explored, nothing is
//! written, and no file is read outside the folder of a text.
//!
//! `protocol` knows bytes and messages, `texts` what is open, `workspace` which texts belong together, `analysis` what is known about
//! them, `features` the answers, and `conversation` the order of it all.

mod address;
mod analysis;
mod ask;
mod capabilities;
mod client;
mod conversation;
mod desk;
mod features;
pub mod kernels;
pub mod options;
mod programs;
mod protocol;
mod reader;
mod rooms;
mod runs;
mod server;
mod settings;
mod systems;
mod texts;
mod workspace;

pub use conversation::converse;
pub use reader::{Disk, Head, Listed};
pub use runs::{Child, Launcher};
