//! N4JS: JavaScript with types.
//!
//! Takes a text; gives a [`Tree`] of the classes of [`classes`], and diagnostics. There is a tree for every text, and
//! nothing is read twice. The tree is what was written: what names mean, and what else must hold, is for rules to say.
//!
//! - Patterns of assignments and of loops without declaration stay array and object literals: what they assign to are expressions. Only
//!   declarations have nodes of [`Kind::ArrayPattern`] and [`Kind::ObjectPattern`].
//! - Words that are reserved, `break` outside of loops, labels, targets of assignments, duplicate names, `return` outside of functions and
//!   the like are no mistakes here.
//! - The names of members in brackets are known where they are literals; `[Symbol.iterator]` is `#iterator`.

mod binding;
mod brackets;
mod classes;
mod language;
mod lexer;
mod parser;
mod symbols;
mod syntax;
pub mod system;
mod texts;
mod token;
pub mod tokens;
pub mod typed;

pub use binding::names::{Declared, Names, Used};
pub use classes::{Kind, classes};
pub use language::{LIBRARY, N4js};
pub use syntax::Syntax;

use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};
use volvelle_trees::{Interner, NodeId, Tree};

/// Reads a text into a tree, as a file of it; gives the node of all of it. There is one for every text.
///
/// # Panics
/// Where the tree has 65,535 files already.
pub fn parse(
    tree: &mut Tree,
    symbols: &mut Interner,
    file: FileId,
    text: &str,
    syntax: Syntax,
    found: &mut Vec<Diagnostic>,
) -> NodeId {
    tree.begin(file);
    // Offsets have 32 bits, and one number is for brackets that are not closed.
    let is_small = text.len() < u32::MAX as usize;
    if !is_small {
        let diagnostic = Diagnostic::error(codes::N4JS_SYNTAX, "the text has 4 GiB or more");
        found.push(diagnostic.at(Span::new(file, 0, 0), "").help("split it into several files"));
    }
    parser::parse(tree, symbols, file, if is_small { text } else { "" }, syntax, found)
}
