//! Coalitions of players, as PRISM-games writes them: read to be refused by name.

use crate::lex::TokenKind;
use crate::parse::cursor::{Parsed, Parser};
use crate::parse::expr::Next;
use crate::parse::frames::{Callee, Frame};

impl Parser<'_> {
    /// `<<players>> …`, `[[players]] …`: read to be refused.
    pub(super) fn coalition(&mut self) -> Parsed<Next> {
        const WHAT: &str = "coalitions of players such as `<<…>>`";
        use TokenKind as T;
        let end = if self.at_joined(T::Lt, T::Lt) {
            T::Gt
        } else if self.at_joined(T::LeftBracket, T::LeftBracket) {
            T::RightBracket
        } else {
            return Err(self.unexpected("an expression"));
        };
        let mark = self.exprs.len();
        let start = self.bump().span(self.file);
        self.bump();
        while matches!(self.peek(), T::Ident | T::Int | T::Comma | T::Times) {
            self.bump();
        }
        let text = end.fixed_text().unwrap_or("…");
        if !self.at_joined(end, end) {
            return Err(self.unexpected(&format!("`{text}{text}` after the players")));
        }
        self.bump();
        self.bump();
        if self.eat(T::LeftParen) {
            return self.arguments(Callee::Refused(WHAT), start);
        }
        self.push(Frame::Refused { what: WHAT, start, mark })
    }
}
