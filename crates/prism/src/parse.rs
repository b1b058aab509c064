//! Parsers of models and property files: any text in, `(tree, diagnostics)` out.
//!
//! Reference: the PRISM manual, *The PRISM Language* and *Property Specification*, and PRISM 4's grammar where
//! the manual is silent. Precedence, weakest first, is PRISM's:
//!
//! | | operators | |
//! |---|---|---|
//! | 1 | `U` `W` `R` | do not associate |
//! | 2 | `X` `F` `G` | prefix |
//! | 3 | `? :` | to the right |
//! | 4 | `=>` | to the left |
//! | 5 | `<=>` | to the left |
//! | 6 | <code>&#124;</code> | to the left |
//! | 7 | `&` | to the left |
//! | 8 | `!` | prefix |
//! | 9 | `=` `!=` | to the left |
//! | 10 | `<` `<=` `>` `>=` | to the left |
//! | 11 | `+` `-` | to the left |
//! | 12 | `*` `/` | to the left |
//! | 13 | `-` | prefix |
//!
//! So `!x=1` is `!(x=1)`, `F a => b` is `F (a => b)`, and `F a U b` is `(F a) U b`.
//!
//! A construct that is understood but not supported (model types, `observables`, coalitions, …) is no syntax error: it is
//! in the tree under its name, and resolving refuses it. Errors are resynchronised at `;`, at the ends of blocks
//! and at words that open one, so that a run shows many; expressions nest at most [`NESTING_LIMIT`] deep.

mod automata;
mod calls;
mod coalitions;
mod cursor;
mod expr;
mod frames;
pub(crate) mod level;
mod limits;
mod misspelt;
mod mistakes;
mod model;
mod module;
mod operators;
mod parts;
mod properties;
mod system;
mod temporal;

pub use limits::{NESTING_LIMIT, SYSTEM_NESTING_LIMIT};

use crate::ast::{Model, PropertyFile};
use crate::lex::{Quotes, respelt};
use cursor::Parser;
use volvelle_diagnostics::{Diagnostic, FileId, Sources};
use volvelle_syntax::Cursor;

/// Reads a model. Declarations with errors are left out of the tree.
pub fn model(sources: &Sources, file: FileId) -> (Model, Vec<Diagnostic>) {
    model_text(file, &sources.file(file).text)
}

/// The same of a text that is at hand; places are in the file of this number.
pub fn model_text(file: FileId, text: &str) -> (Model, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, text, Quotes::Names);
    let mut model = Model::default();
    parser.model(&mut model);
    model.exprs = std::mem::take(&mut parser.exprs);
    model.broken = std::mem::take(&mut parser.broken);
    (model, parser.finish())
}

/// Reads a property file. A property with errors is there with the body
/// [`ExprKind::Error`](crate::ast::ExprKind::Error), so that the others keep their numbers.
pub fn properties(sources: &Sources, file: FileId) -> (PropertyFile, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, &sources.file(file).text, Quotes::Texts);
    let mut properties = PropertyFile::default();
    parser.property_file(&mut properties);
    properties.exprs = std::mem::take(&mut parser.exprs);
    properties.broken = std::mem::take(&mut parser.broken);
    (properties, parser.finish())
}

/// Reads exactly one property, such as the text behind `--prop`; declarations may precede it.
pub fn property(sources: &Sources, file: FileId) -> (PropertyFile, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, &sources.file(file).text, Quotes::Texts);
    let mut properties = PropertyFile::default();
    parser.single_property(&mut properties);
    properties.exprs = std::mem::take(&mut parser.exprs);
    (properties, parser.finish())
}

/// Reads exactly one formula over runs, such as the text behind `--ltl`, as the property `A [ formula ]`. Temporal
/// operators and connectives may be spelt as in [other tools](crate::lex::respelt).
pub fn formula(sources: &Sources, file: FileId) -> (PropertyFile, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, &sources.file(file).text, Quotes::Texts);
    parser.cursor = Cursor::new(file, parser.text(), respelt(parser.tokens()));
    let mut properties = PropertyFile::default();
    parser.single_formula(&mut properties);
    properties.exprs = std::mem::take(&mut parser.exprs);
    (properties, parser.finish())
}
