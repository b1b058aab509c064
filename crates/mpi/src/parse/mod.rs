//! Text to syntax tree. Never fails: what cannot be read is reported, and reading goes on behind the next `;` or `}`.
//!
//! The grammar is C's where it has the statement; precedences are those of C. Words such as `home` and `data` mean something in their
//! place only and may be names elsewhere; the words of [`KEYWORDS`] may not.

mod cursor;
mod expressions;
mod items;
mod statements;

use crate::lex;
use crate::syntax::Tree;
use cursor::Cursor;
use volvelle_diagnostics::{Diagnostic, FileId};

/// Words that are no names.
pub const KEYWORDS: [&str; 34] = [
    "assert",
    "break",
    "cas",
    "channel",
    "const",
    "continue",
    "either",
    "else",
    "enter",
    "false",
    "fetch_add",
    "for",
    "if",
    "leave",
    "local",
    "loop",
    "measure",
    "or",
    "private",
    "procedure",
    "process",
    "read",
    "received",
    "repeat",
    "return",
    "sent",
    "shared",
    "swap",
    "tas",
    "true",
    "type",
    "until",
    "while",
    "work",
];

/// Parses a program.
pub fn program(file: FileId, text: &str) -> (Tree, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let tokens = lex::tokens(file, text, &mut diagnostics);
    let mut cursor = Cursor::new(text, tokens, diagnostics);
    let mut items = Vec::new();
    while !cursor.at_end() {
        let start = cursor.number();
        match cursor.item() {
            Ok(item) => items.push(item),
            Err(_) => cursor.skip_item(start),
        }
    }
    (Tree { items }, cursor.diagnostics)
}
