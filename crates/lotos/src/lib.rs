//! LOTOS (ISO 8807): syntax, data types, and the lowering of behaviours to programs.
//!
//! In: a text. Out: a [`syntax::Tree`] with diagnostics ([`parse::specification`]), and from it a program of the waist
//! ([`lower::lower`]), with the evaluator of its data types. The dialect is that of CADP: equations are rules that are tried from the top,
//! constructors are free, and numbers have a range.

pub mod core;
pub mod data;
pub mod lex;
pub mod library;
pub mod lower;
pub mod parse;
mod resolve;
pub mod syntax;

use volvelle_diagnostics::Diagnostic;

/// Resolves the names of a tree: behaviours, and data types.
pub fn resolved(
    tree: &syntax::Tree,
    ranges: data::Ranges,
    diagnostics: &mut Vec<Diagnostic>,
) -> (core::Core, data::Data) {
    let mut data = data::declare::declare(tree, ranges, diagnostics);
    let core = resolve::resolve(tree, &mut data, diagnostics);
    (core, data)
}
