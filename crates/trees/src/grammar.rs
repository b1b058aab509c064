//! Grammars: the classes of a language, and how its texts become trees.
//!
//! A grammar file declares terminals by regular expressions, and rules. Rules that make nodes are classes; what they write into are the
//! fields. [`Grammar::read`] checks all of it and compiles it: terminals to one automaton, rules to instructions with tables.
//! [`Grammar::parse`] never fails: what it reports stands in the diagnostics, what it can read in the tree.
//!
//! ```text
//! grammar sums
//!
//! terminal NUMBER /[0-9]+/
//! hidden   SPACE  /[ \t\r\n]+/
//!
//! entry Program : sums+=Sum* ;
//! Sum   : Value ({Add.left=current} "+" right=Value)* ;
//! Value : {Number} value=NUMBER | "(" Sum ")" ;
//! ```
//!
//! The longest token wins, then keywords, then the terminal that is declared first. Alternatives that begin with the same token are tried
//! in order. The ideas of assignments, actions and inferred classes are those of Xtext; here names whose classes would be kinds of each
//! other (`Sum` and `Value` above) are one class, and a loop or an optional part reads on as long as it can.

mod ambiguity;
mod checks;
mod code;
mod firsts;
mod kinds;
mod model;
pub mod names;
mod parser;
pub mod printer;
mod reader;
mod resolve;
pub mod sentences;
mod shapes;
mod syntax;
mod terminals;
pub mod token;
mod tokens;
mod trial;

use crate::classes::Classes;
use crate::interner::Interner;
use crate::tree::{NodeId, Tree};
use code::Code;
use firsts::Firsts;
use model::Model;
use parser::{Blank, Parser, Tables};
use terminals::Scanner;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes, has_errors};

/// A language: its classes, and how its texts are read.
#[derive(Clone, Debug)]
pub struct Grammar {
    /// The name that the file gives it; empty if it gives none.
    pub name: String,
    /// The classes of nodes.
    pub classes: Classes,
    model: Model,
    scanner: Scanner,
    code: Code,
    blanks: Vec<Blank>,
}

impl Grammar {
    /// Reads a grammar file. Gives nothing where an error is found; warnings change nothing.
    pub fn read(file: FileId, text: &str, found: &mut Vec<Diagnostic>) -> Option<Grammar> {
        let before = found.len();
        let read = reader::read(file, text, found);
        let (mut model, scanner) = resolve::resolve(file, &read, found)?;
        let classes = shapes::infer(&mut model, found)?;
        let firsts = Firsts::new(&model);
        checks::check(&model, &firsts, before, found);
        if has_errors(&found[before..]) {
            return None;
        }
        let code = Code::new(&model, &classes, &firsts);
        let blanks = parser::blanks(&model.classes);
        let name = read.name.map(|name| name.text).unwrap_or_default();
        Some(Grammar { name, classes: model.classes.clone(), model, scanner, code, blanks })
    }

    /// Reads a text into a tree, as a file of it; gives the node of all of it. There is one for every text.
    ///
    /// # Panics
    /// Where the tree has 65,535 files already.
    pub fn parse(
        &self,
        tree: &mut Tree,
        symbols: &mut Interner,
        file: FileId,
        text: &str,
        found: &mut Vec<Diagnostic>,
    ) -> NodeId {
        tree.begin(file);
        // Offsets have 32 bits.
        let is_small = u32::try_from(text.len()).is_ok();
        if !is_small {
            let diagnostic = Diagnostic::error(codes::TEXT_SYNTAX, "the text has more than 4 GiB");
            found.push(diagnostic.at(Span::new(file, 0, 0), ""));
        }
        let text = if is_small { text } else { "" };
        let tokens = tokens::tokens(text, &self.scanner, &self.model.tokens);
        let mut flaws = parser::recovery::flaws(file, text, &tokens.flaws);
        let tables = Tables {
            code: &self.code,
            classes: &self.classes,
            blanks: &self.blanks,
            kinds: &self.model.tokens,
        };
        let (root, mistakes) = Parser::new(tables, file, text, tokens, tree, symbols).run();
        flaws.extend(mistakes);
        flaws.sort_by_key(|diagnostic| diagnostic.primary.as_ref().map(|label| label.span.start));
        flaws.truncate(parser::recovery::MOST_TOLD);
        found.extend(flaws);
        root
    }

    /// Whether a text is one token of a kind.
    fn reads_as(&self, text: &str, kind: model::TokenKind) -> bool {
        let read = tokens::tokens(text, &self.scanner, &self.model.tokens);
        read.kinds[..] == [kind, model::END] && read.flaws.is_empty() && read.ends[0] as usize == text.len()
    }
}
