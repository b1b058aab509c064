//! What each medium makes of a text that users control: names, labels, properties, file names.
//!
//! In: any text. Out: the same text as a part of a document, in which it can be nothing else: it does not move the cursor of a
//! terminal, end a cell, an attribute or an element, or become a formula of a spreadsheet. Every medium has one module here, and
//! nothing else in the workspace escapes for it.
//!
//! Characters that control a terminal or reorder a line ([`is_harmful`]) are written as `\u{1b}` in every medium but JSON, which
//! has a notation of its own for them.

pub mod csv;
pub mod dot;
pub mod json;
pub mod latex;
pub mod markdown;
pub mod markup;
mod visible;

pub use visible::{document, is_harmful, line, lines, pictured};
