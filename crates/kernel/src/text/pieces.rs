//! The tokens and comments of a text, for programs that show it.

use super::is_reserved;
use super::lex::{Token, scan};

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// A word that is not reserved: a name, a function, or a word that has a meaning at its place.
    Word,
    /// A reserved word.
    Reserved,
    /// A name in backticks.
    Quoted,
    /// A number, with its type.
    Number,
    /// `@` and the number of a site.
    Site,
    /// `$` and the number of a `let`.
    Let,
    /// An operator or punctuation.
    Symbol,
    /// A comment, up to the end of its line.
    Comment,
    /// A character that starts no token.
    Stray,
}

/// A token or a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Where it starts, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// All tokens and comments, in order. Between them stand blanks.
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    scan(text, |token, at| {
        let kind = match token {
            None => PieceKind::Comment,
            Some(Token::Word(word)) if is_reserved(word) => PieceKind::Reserved,
            Some(Token::Word(_)) => PieceKind::Word,
            Some(Token::Quoted(_)) => PieceKind::Quoted,
            Some(Token::Number { .. }) => PieceKind::Number,
            Some(Token::Site(_)) => PieceKind::Site,
            Some(Token::Let(_)) => PieceKind::Let,
            Some(Token::Symbol(_)) => PieceKind::Symbol,
            Some(Token::Stray(_)) => PieceKind::Stray,
            // `scan` ends before it.
            Some(Token::End) => return,
        };
        pieces.push(Piece { kind, start: at.start, end: at.end });
    });
    pieces
}
