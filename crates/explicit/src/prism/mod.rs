//! PRISM's explicit files (appendix *Explicit Model Files* of the PRISM manual).
//!
//! Transitions stand in a `.tra` file; labels, values of variables, observations and rewards in files beside it, or all of
//! it in one `.pexp` file with a comment in front of every section. Lines of comments begin with `#`.

mod combined;
mod labels;
mod read;
mod rewards;
mod states;
mod transitions;
mod write;

pub(crate) use read::{read, read_combined};
pub use write::{Section, write_combined, write_section};
