//! The front end of Promela, the language of SPIN.
//!
//! Takes the text of a model; gives a tree and diagnostics ([`parse()`]), and from the tree a program of the model crate
//! ([`lower()`]). Parsing never fails; only lowering gates on errors. Knows nothing of engines.
//!
//! Reference: the manual pages of SPIN 6.5, and its behaviour where they are silent.

pub mod ast;
mod definitions;
pub mod lex;
mod lower;
pub mod parse;
pub mod place;
mod preprocess;
pub mod print;
mod spin_trail;
pub mod token;

pub use definitions::{Definition, Definitions, Inlines, Macros, Written};
pub use lower::*;
pub use parse::{parse, parse_expression, parse_formula};
pub use place::at;
pub use spin_trail::{BadLine, SpinStep, SpinTrail};

use volvelle_diagnostics::Diagnostic;

/// The result of parsing.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree; it contains error nodes where the text could not be parsed.
    pub model: ast::Model,
    /// Diagnostics, in the order of the texts.
    pub diagnostics: Vec<Diagnostic>,
}

/// Access to the files that a model includes. The caller reads files; the parser does not.
pub trait Include {
    /// The text of a file, by its path from the folder of the model; `None` if there is none. The path never leads
    /// out of the folder.
    fn read(&mut self, name: &str) -> Option<String>;
}
