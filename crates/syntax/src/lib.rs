//! The kit with which every language of Volvelle reads its texts.
//!
//! Takes tables: the kinds of tokens of a language ([`kinds!`]), and the shape of its words, comments and quotes ([`Rules`]). Gives
//! tokens as flat arrays of kind and place ([`tokens`], or one by one from a [`Lexer`]), a [`Cursor`] over them with what was expected
//! and how to go on behind a mistake, and expressions by the binding of their operators ([`Expressions`]). Knows no language, reads no
//! file, and never panics on a text.
//!
//! Three rules that all languages keep:
//!
//! - Every byte of a text belongs to a token or stands between two. What lies between is white space and comments, and is not copied:
//!   [`Cursor::trivia`] gives it back to those who want it.
//! - Text that is no token is one of the kinds that the language declares as flaws. The language says in its own words what is wrong
//!   with it, and which token stands for it. Lexing never fails.
//! - Nesting is counted ([`Parse::nested`]), and operators wait on a stack of their own: the depth of a text costs memory, not stack.
//!
//! Lexing looks up each first byte in a table of 256 classes. Symbols are compared four bytes at once, longest first, among those with
//! the same first byte; words by a hash of their length and three of their bytes. All tables are built when the crate is compiled.
//!
//! ```
//! use volvelle_syntax::{Language, Rules, Lexicon, kinds, tokens};
//!
//! kinds! {
//!     /// Tokens of sums.
//!     pub enum Kind { Name, Number, End }
//!     flaws { Unknown }
//!     symbols { Plus "+", Increment "++" }
//!     words { Let "let" }
//! }
//! impl Language for Kind {
//!     const LEXICON: &'static Lexicon<Kind> = &Lexicon::new(Rules {
//!         line_comments: &["//"],
//!         ..Rules::new(Kind::SYMBOLS, Kind::WORDS, Kind::Name, Kind::Number, Kind::Unknown, Kind::End)
//!     });
//! }
//! let kinds: Vec<Kind> = tokens("let a ++ 1 // all", |_| None).iter().map(|token| token.kind).collect();
//! assert_eq!(kinds, [T!["let"], Kind::Name, T!["++"], Kind::Number, Kind::End]);
//! ```
//!
//! Three readers of text stand outside. The text of kernels and of formulas in `logic` is written by programs and read back by the rules
//! of a line: there is no layout to keep and no mistake to explain. The formats of explicit state spaces are lists of numbers of many
//! gigabytes, one transition to a line, and have no token that a table would find faster than their columns do.

mod cursor;
mod expressions;
mod kinds;
mod lexer;
mod lexicon;
pub mod scan;
#[cfg(test)]
mod tests;

pub use cursor::{Cursor, Parse, one_of};
pub use expressions::{Applied, Expressions, Infix};
pub use kinds::{Language, Spelt};
pub use lexer::{Lexer, Token, tokens};
pub use lexicon::{BlockComment, Lexicon, Quote, Rules, Unicode};
