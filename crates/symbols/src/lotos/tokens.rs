//! Tokens of LOTOS.

use crate::pieces::{Class, Comments, Piece, pieces};
use volvelle_lotos::lex::{self, Kind as Token};
use volvelle_syntax::Spelt;

const COMMENTS: Comments = Comments { line: &[], joined: false, block: Some(("(*", "*)", false)) };

/// The tokens and comments of a text.
pub(super) fn pieces_of(text: &str) -> Vec<Piece> {
    let mut is_in_sync = false;
    pieces::<Token>(text, &COMMENTS, |lexer| lex::next(lexer, &mut is_in_sync), class, Token::End)
}

fn class(kind: Token) -> Class {
    match kind {
        Token::Name | Token::Operation => Class::Name,
        Token::Quoted => Class::Text,
        Token::OpenComment => Class::Comment,
        kind if kind.is_word() => Class::Keyword,
        _ => Class::Operator,
    }
}
