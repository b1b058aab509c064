//! Type systems as rules: `volvelle rules`; and that of N4JS: `volvelle n4js`.

pub mod ask;
mod document;
mod json;
mod n4js;
mod opening;
pub mod options;
mod place;
mod printing;
mod run;
mod telling;
mod testing;
mod typed;

pub use run::{Checked, Replied};
