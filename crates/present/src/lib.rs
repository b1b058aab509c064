//! What people see of an answer: text on terminals, pages of HTML, and CSV.
//!
//! In: a [`Document`](document::Document) of typed blocks, made once for each kind of answer. Out: the same answer in every medium.
//! Names of models are a [type](document::Name) of their own; with everything else that is no markup they are made harmless by the
//! renderers, with the functions of `volvelle-media`. Knows nothing of models and sessions, reads and writes no files.

pub mod chart;
pub mod csv;
pub mod document;
pub mod format;
pub mod page;
pub mod terminal;
