//! Type systems as rules: `volvelle rules`.

pub mod ask;
mod document;
mod json;
pub mod options;
mod place;
mod run;

pub use run::{Checked, Replied};
