//! Source files, spans and diagnostics, shared by every language of Volvelle.
//!
//! Takes texts and places in them; gives [`Diagnostic`] values and one renderer for people
//! ([`render`]). Stands on no other Volvelle crate. Nothing here prints or reads files.

mod catalogue;
mod diagnostic;
mod render;
mod source;
mod suggest;
mod window;

pub use catalogue::{Code, Explanation, NotACode, codes, explain, explanations};
pub use diagnostic::{Diagnostic, Label, Severity};
pub use render::{RenderOptions, count_line, render, render_all};
pub use source::{FileId, LineColumn, Source, Sources, Span};
pub use suggest::suggest;
