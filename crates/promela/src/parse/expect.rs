//! Required tokens, brackets, and the limit of nesting.

use super::cursor::{Parse, Parser};
use crate::token::{Kind, Token};
use volvelle_diagnostics::codes;
use volvelle_syntax::one_of;

/// How deep statements and parentheses may nest together.
pub const NESTING_LIMIT: usize = 200;

impl Parser {
    /// Consumes a required token; reports another one as unexpected.
    pub fn expect(&mut self, kind: Kind, wanted: &str) -> Parse<Token> {
        if self.peek() == kind { Ok(self.bump()) } else { Err(self.unexpected(wanted)) }
    }

    /// Parses a nested construct, within the limit of nesting.
    pub fn deeper<T>(&mut self, read: impl FnOnce(&mut Parser) -> Parse<T>) -> Parse<T> {
        if self.depth >= NESTING_LIMIT {
            let info = self.info();
            let message = format!("this is nested more than {NESTING_LIMIT} levels deep");
            return Err(self.error(codes::NESTING_TOO_DEEP, info, message, "split it up"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Parses the contents of brackets, the opening one being next; ends of lines imply no semicolons there.
    pub fn enclosed<T>(
        &mut self,
        open: Kind,
        close: Kind,
        read: impl FnOnce(&mut Parser) -> Parse<T>,
    ) -> Parse<T> {
        let start = self.info();
        let wanted = one_of(&[open]);
        self.expect(open, &wanted)?;
        let outer = self.parens;
        self.parens += 1;
        let result = self.deeper(read).and_then(|value| {
            // After the closing bracket, ends of lines imply semicolons as they do outside.
            if self.peek() != close {
                let wanted = one_of(&[close]);
                return Err(self.unexpected_with(&wanted, Some(start)));
            }
            self.bump();
            Ok(value)
        });
        self.parens = outer;
        result
    }
}
