//! Type systems as rules: `volvelle rules`.

pub mod ask;
mod document;
mod json;
pub mod options;
mod place;
mod printing;
mod run;
mod testing;
mod typed;

pub use run::{Checked, Replied};
