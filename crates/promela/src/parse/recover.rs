//! Recovery from syntax errors: which tokens to skip.

use super::cursor::Parser;
use crate::token::{Keyword, Kind};

/// Keywords that begin a part of a model and occur nowhere else.
pub(super) fn begins_unit(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Keyword(
            Keyword::Active
                | Keyword::Proctype
                | Keyword::DProctype
                | Keyword::Init
                | Keyword::Never
                | Keyword::Ltl
                | Keyword::Trace
                | Keyword::Notrace
                | Keyword::Typedef
                | Keyword::Inline
        )
    )
}

fn opens(kind: Kind) -> bool {
    matches!(kind, Kind::LeftBrace | Kind::Keyword(Keyword::If | Keyword::Do))
}

fn closes(kind: Kind) -> bool {
    matches!(kind, Kind::RightBrace | Kind::Keyword(Keyword::Fi | Keyword::Od))
}

impl Parser {
    /// Whether a sequence of statements ends here.
    pub fn at_close(&self) -> bool {
        let kind = self.token().kind;
        closes(kind) || begins_unit(kind) || matches!(kind, Kind::ColonColon | Kind::End)
    }

    /// Skips a statement: up to a separator, the end of the sequence, or a line that begins like a statement.
    pub fn skip_statement(&mut self, begin: usize) {
        let mut nest = 0usize;
        loop {
            let (kind, starts_line) = (self.token().kind, self.token().starts_line);
            if kind == Kind::End || begins_unit(kind) {
                return;
            }
            let begins = starts_line && self.at > begin && matches!(kind, Kind::Word | Kind::Keyword(_));
            if nest == 0 && (begins || matches!(kind, Kind::Semi | Kind::Arrow | Kind::ColonColon)) {
                return;
            }
            if opens(kind) {
                nest += 1;
            } else if closes(kind) {
                if nest == 0 {
                    return;
                }
                nest -= 1;
            }
            self.advance();
        }
    }

    /// Consumes a bracket and everything up to its closing one, if a bracket is next.
    pub fn skip_balanced(&mut self, open: Kind, close: Kind) {
        if self.token().kind != open {
            return;
        }
        let mut nest = 0usize;
        while !self.at_end() {
            let kind = self.token().kind;
            self.advance();
            if kind == open {
                nest += 1;
            } else if kind == close {
                nest -= 1;
                if nest == 0 {
                    return;
                }
            }
        }
    }

    /// Consumes a token, without implied semicolons.
    pub fn advance(&mut self) {
        self.implied = true;
        self.bump();
    }

    /// Whether the `if` or `do` whose keyword was consumed has its end in this block.
    pub fn closes_ahead(&self) -> bool {
        let mut nest = 0usize;
        for token in &self.tokens[self.at..] {
            if opens(token.kind) {
                nest += 1;
            } else if closes(token.kind) {
                if nest == 0 {
                    return token.kind != Kind::RightBrace;
                }
                nest -= 1;
            } else if begins_unit(token.kind) {
                return false;
            }
        }
        false
    }
}
