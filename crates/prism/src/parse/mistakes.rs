//! Common slips: operators of other languages, read as what was meant, with a diagnostic; and hints for
//! tokens that make no sense where they stand.

use crate::ast::BinaryOp;
use crate::lex::TokenKind;
use crate::parse::cursor::Parser;
use volvelle_diagnostics::{Span, codes};

impl Parser<'_> {
    /// The binary operator at the cursor, consumed; also a foreign spelling of one, reported.
    /// `||` is left alone: it may be a conditional probability.
    pub(super) fn binary_operator(&mut self) -> Option<BinaryOp> {
        use TokenKind as T;
        if let Some(op) = self.foreign_operator() {
            return Some(op);
        }
        let op = match self.peek() {
            T::Implies => BinaryOp::Implies,
            T::Iff => BinaryOp::Iff,
            T::Or if self.ahead(1).kind == T::Or => return None,
            T::Or => BinaryOp::Or,
            T::And => BinaryOp::And,
            T::Eq => BinaryOp::Eq,
            T::Ne => BinaryOp::Ne,
            T::Lt => BinaryOp::Lt,
            T::Le => BinaryOp::Le,
            T::Gt => BinaryOp::Gt,
            T::Ge => BinaryOp::Ge,
            T::Plus => BinaryOp::Add,
            T::Minus => BinaryOp::Sub,
            T::Times => BinaryOp::Mul,
            T::Divide => BinaryOp::Div,
            T::Caret => BinaryOp::Pow,
            _ => return None,
        };
        self.advance();
        Some(op)
    }

    fn foreign_operator(&mut self) -> Option<BinaryOp> {
        use TokenKind as T;
        let (length, op, message, help) = if self.at_joined(T::Eq, T::Eq) {
            (2, BinaryOp::Eq, "PRISM compares with `=`, not `==`", "write `=`")
        } else if self.at_joined(T::And, T::And) {
            (2, BinaryOp::And, "PRISM's conjunction is `&`, not `&&`", "write `&`")
        } else if self.at_joined(T::Eq, T::Lt) {
            (2, BinaryOp::Le, "`=<` is not an operator", "write `<=`")
        } else if self.at_joined(T::Lt, T::Gt) {
            (2, BinaryOp::Ne, "`<>` is not an operator", "write `!=`")
        } else if self.at_joined(T::Times, T::Times) {
            (2, BinaryOp::Pow, "`**` is not an operator", "write `pow(x, y)`")
        } else if self.mode.juxtaposed || self.peek() != T::Ident {
            return None;
        } else if self.at_word("and") {
            (1, BinaryOp::And, "PRISM's conjunction is `&`", "write `&` instead of `and`")
        } else if self.at_word("or") {
            (1, BinaryOp::Or, "PRISM's disjunction is `|`", "write `|` instead of `or`")
        } else if self.at_word("mod") && self.ahead(1).kind != T::LeftParen {
            (1, BinaryOp::Div, "`mod` is a function, not an operator", "write `mod(x, y)`")
        } else {
            return None;
        };
        let span = self.joined_span(length);
        self.error(codes::UNEXPECTED_TOKEN, span, message, help);
        for _ in 0..length {
            self.advance();
        }
        Some(op)
    }

    /// The place of the next `length` tokens.
    pub(super) fn joined_span(&self, length: usize) -> Span {
        self.span().to(self.ahead(length - 1).span(self.file))
    }

    /// A way out for a token that cannot stand where it does.
    pub(super) fn hint(&self) -> Option<&'static str> {
        use TokenKind as T;
        let token = self.token();
        let before = self.number().checked_sub(1).map(|last| self.tokens()[last]);
        let touches = before.is_some_and(|last| last.end == token.start);
        let before = before.map(|last| last.kind);
        match (before, token.kind) {
            (Some(T::Int | T::Real), T::Ident) if touches => {
                Some("a name cannot start with a digit; a product is written `2*x`")
            }
            (Some(T::Colon), T::Eq) if touches => {
                Some("updates are written `(x'=1)`, definitions and comparisons with `=`")
            }
            (Some(T::Plus), T::Plus) | (Some(T::Minus), T::Minus) if touches => {
                Some("PRISM has no `++` and `--`: write `(x'=x+1)`")
            }
            (Some(T::Question), _) if self.mode.property => {
                Some("write the formula in brackets: `P=? [ F x=1 ]`")
            }
            (Some(T::Keyword(_)), T::LeftBracket) if self.mode.property => {
                Some("to request the value, write `=?` before the brackets: `P=? [ F x=1 ]`")
            }
            (_, T::Prime) if self.mode.property && !touches => {
                Some("write the name of a label in double quotes: \"done\"")
            }
            (_, T::Lt) if self.mode.property && self.ahead(1).kind == T::Gt => {
                Some("`eventually` is written `F`, `always` is written `G`")
            }
            (_, T::LeftBracket) if self.mode.property && self.ahead(1).kind == T::RightBracket => {
                Some("`eventually` is written `F`, `always` is written `G`")
            }
            (Some(T::Int), T::Comma) if self.mode.property && touches && self.ahead(1).kind == T::Int => {
                Some("fractions are written with a decimal point: 0.5")
            }
            (Some(T::Ident | T::Int | T::Quoted | T::RightParen), T::Ident) | (Some(T::Ident), T::Quoted)
                if self.mode.property =>
            {
                Some(
                    "temporal operators are `X`, `F`, `G`, `U`, `W` and `R`, in capital letters: `P=? [ F x=1 ]`",
                )
            }
            (_, T::Prime) => Some("primed variables are allowed in updates only: `[] guard -> (x'=1);`"),
            (_, T::Implies) if before == Some(T::Eq) && touches => Some("write `=>` for implication"),
            (_, T::Arrow) => Some("`->` separates guard and updates; implication is written `=>`"),
            (_, T::Question) if before == Some(T::Eq) => {
                Some("`=?` follows `P`, `Pmin`, `Pmax`, `R`, `Rmin`, `Rmax`, `S` or `T`")
            }
            (_, T::Or) => Some("disjunction is written `|`"),
            (_, T::Quoted) if !self.mode.property => {
                Some("labels may be used in properties only, not in other expressions")
            }
            _ => None,
        }
    }
}
