//! Text to syntax tree. Never fails: what cannot be read is reported, and reading goes on behind the next `;` or `}`.
//!
//! The grammar is C's where it has the statement; precedences are those of C. Words such as `home` and `data` mean something in their
//! place only and may be names elsewhere; reserved words may not.

mod expressions;
mod items;
mod parser;
mod statements;

use crate::syntax::Tree;
use parser::Parser;
use volvelle_diagnostics::{Diagnostic, FileId};

/// Parses a program.
pub fn program(file: FileId, text: &str) -> (Tree, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, text);
    let mut items = Vec::new();
    while !parser.at_end() {
        let start = parser.number();
        match parser.item() {
            Ok(item) => items.push(item),
            Err(_) => parser.skip_item(start),
        }
    }
    (Tree { items }, parser.diagnostics)
}
