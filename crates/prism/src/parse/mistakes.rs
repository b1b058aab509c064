//! Common slips: operators of other languages, read as what was meant, with a diagnostic; and hints for
//! tokens that make no sense where they stand.

use crate::ast::BinaryOp;
use crate::lex::TokenKind;
use crate::parse::cursor::Parser;
use volvelle_diagnostics::{Diagnostic, Fix, Span, codes};

/// Tokens up to which the end of a property is looked for.
const LONGEST_PROPERTY: usize = 1000;

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
        let (length, op, message, help, written) = if self.at_joined(T::Eq, T::Eq) {
            (2, BinaryOp::Eq, "PRISM compares with `=`, not `==`", "write `=`", Some("="))
        } else if self.at_joined(T::And, T::And) {
            (2, BinaryOp::And, "PRISM's conjunction is `&`, not `&&`", "write `&`", Some("&"))
        } else if self.at_joined(T::Eq, T::Lt) {
            (2, BinaryOp::Le, "`=<` is not an operator", "write `<=`", Some("<="))
        } else if self.at_joined(T::Lt, T::Gt) {
            (2, BinaryOp::Ne, "`<>` is not an operator", "write `!=`", Some("!="))
        } else if self.at_joined(T::Times, T::Times) {
            (2, BinaryOp::Pow, "`**` is not an operator", "write `pow(x, y)`", None)
        } else if self.mode.juxtaposed || self.peek() != T::Ident {
            return None;
        } else if self.at_word("and") {
            (1, BinaryOp::And, "PRISM's conjunction is `&`", "write `&` instead of `and`", Some("&"))
        } else if self.at_word("or") {
            (1, BinaryOp::Or, "PRISM's disjunction is `|`", "write `|` instead of `or`", Some("|"))
        } else if self.at_word("mod") && self.ahead(1).kind != T::LeftParen {
            (1, BinaryOp::Div, "`mod` is a function, not an operator", "write `mod(x, y)`", None)
        } else {
            return None;
        };
        let span = self.joined_span(length);
        match written {
            Some(text) => {
                self.slip(span, message, help, Fix::replace(format!("write `{text}`"), span, text));
            }
            None => self.error(codes::UNEXPECTED_TOKEN, span, message, help),
        }
        for _ in 0..length {
            self.advance();
        }
        Some(op)
    }

    /// The place of the next `length` tokens.
    pub(super) fn joined_span(&self, length: usize) -> Span {
        self.span().to(self.ahead(length - 1).span(self.file))
    }

    /// A diagnostic about the next token with a way out, if the token shows what was meant; otherwise with the fix given.
    pub(super) fn hinted(&self, diagnostic: Diagnostic, otherwise: Option<Fix>) -> Diagnostic {
        let Some(hint) = self.hint() else { return otherwise.into_iter().fold(diagnostic, Diagnostic::fix) };
        self.meant(hint).into_iter().fold(diagnostic.help(hint.help()), Diagnostic::fix)
    }

    /// A way out for a token that cannot stand where it does.
    fn hint(&self) -> Option<Hint> {
        use TokenKind as T;
        let token = self.token();
        let before = self.number().checked_sub(1).map(|last| self.tokens()[last]);
        let touches = before.is_some_and(|last| last.end == token.start);
        let before = before.map(|last| last.kind);
        Some(match (before, token.kind) {
            (Some(T::Int | T::Real), T::Ident) if touches => Hint::Product,
            (Some(T::Colon), T::Eq) if touches => Hint::Defines,
            (Some(T::Plus), T::Plus) | (Some(T::Minus), T::Minus) if touches => Hint::Increment,
            (Some(T::Question), _) if self.mode.property => Hint::Brackets,
            (Some(T::Keyword(_)), T::LeftBracket) if self.mode.property => Hint::Requests,
            (_, T::Prime) if self.mode.property && !touches => Hint::Label,
            (_, T::Lt) if self.mode.property && self.ahead(1).kind == T::Gt => Hint::Temporal("F"),
            (_, T::LeftBracket) if self.mode.property && self.ahead(1).kind == T::RightBracket => {
                Hint::Temporal("G")
            }
            (Some(T::Int), T::Comma) if self.mode.property && touches && self.ahead(1).kind == T::Int => {
                Hint::Fraction
            }
            (Some(T::Ident | T::Int | T::Quoted | T::RightParen), T::Ident) | (Some(T::Ident), T::Quoted)
                if self.mode.property =>
            {
                Hint::Capitals
            }
            (_, T::Prime) => Hint::Primed,
            (_, T::Implies) if before == Some(T::Eq) && touches => Hint::LongImplication,
            (_, T::Arrow) => Hint::Implication,
            (_, T::Question) if before == Some(T::Eq) => Hint::Question,
            (_, T::Or) => Hint::Or,
            (_, T::Quoted) if !self.mode.property => Hint::LabelInModel,
            _ => return None,
        })
    }

    /// What was meant by the next token, and what stands beside it.
    fn meant(&self, hint: Hint) -> Option<Fix> {
        let (last, here) = (self.last_span(), self.span());
        let written = |span, text: &str| Some(Fix::replace(format!("write `{text}`"), span, text));
        match hint {
            Hint::Product => Some(Fix::before("write a product", here, "*")),
            Hint::Defines => written(last.to(here), "="),
            Hint::Brackets => self.in_brackets("[ "),
            Hint::Requests => Some(Fix::before("request the value: `=?`", here, "=? ")),
            Hint::Temporal(operator) => {
                Some(Fix::replace(format!("write `{operator}`"), self.joined_span(2), format!("{operator} ")))
            }
            Hint::Fraction => written(here, "."),
            Hint::LongImplication => written(last.to(here), "=>"),
            Hint::Implication => written(here, "=>"),
            // The one before was read as an operator.
            Hint::Or if self.at_joined_before(TokenKind::Or) => written(last.to(here), "|"),
            Hint::Capitals if matches!(self.under(last), "f" | "g" | "x") => {
                written(last, &self.under(last).to_uppercase())
            }
            Hint::Capitals if matches!(self.under(here), "u" | "w") => {
                written(here, &self.under(here).to_uppercase())
            }
            Hint::Label => {
                let (name, close) = (self.ahead(1), self.ahead(2));
                let is_quoted = name.kind == TokenKind::Ident && close.kind == TokenKind::Prime;
                let end = if is_quoted { close } else { return None };
                let text = format!("\"{}\"", self.text_of(name));
                written(here.to(end.span(self.file)), &text)
            }
            _ => None,
        }
    }

    /// Puts the rest of a property in brackets.
    pub(super) fn in_brackets(&self, open: &str) -> Option<Fix> {
        let is_over = |count: usize| {
            let token = self.ahead(count);
            matches!(token.kind, TokenKind::End | TokenKind::Semicolon) || count > 0 && token.starts_line
        };
        let count = (0..LONGEST_PROPERTY).find(|&count| is_over(count)).filter(|&count| count > 0)?;
        Some(Fix::around(format!("write `{open}… ]`"), self.joined_span(count), open, " ]"))
    }

    /// Whether a property begins at the next token.
    pub(super) fn begins_property(&self) -> bool {
        let before = self.number().checked_sub(1).map(|last| self.tokens()[last].kind);
        matches!(before, None | Some(TokenKind::Semicolon | TokenKind::Colon))
    }

    /// Whether a token of this kind is in front of the next one and touches it.
    fn at_joined_before(&self, kind: TokenKind) -> bool {
        let before = self.number().checked_sub(1).map(|last| self.tokens()[last]);
        before.is_some_and(|last| last.kind == kind && last.end == self.token().start)
    }
}

/// What a token shows that cannot stand where it does.
#[derive(Clone, Copy)]
enum Hint {
    Product,
    Defines,
    Increment,
    Brackets,
    Requests,
    Label,
    /// `<>` or `[]`, with the letter that PRISM has for it.
    Temporal(&'static str),
    Fraction,
    Capitals,
    Primed,
    LongImplication,
    Implication,
    Question,
    Or,
    LabelInModel,
}

impl Hint {
    /// The way out in words.
    fn help(self) -> &'static str {
        match self {
            Hint::Product => "a name cannot start with a digit; a product is written `2*x`",
            Hint::Defines => "updates are written `(x'=1)`, definitions and comparisons with `=`",
            Hint::Increment => "PRISM has no `++` and `--`: write `(x'=x+1)`",
            Hint::Brackets => "write the formula in brackets: `P=? [ F x=1 ]`",
            Hint::Requests => "to request the value, write `=?` before the brackets: `P=? [ F x=1 ]`",
            Hint::Label => "write the name of a label in double quotes: \"done\"",
            Hint::Temporal(_) => "`eventually` is written `F`, `always` is written `G`",
            Hint::Fraction => "fractions are written with a decimal point: 0.5",
            Hint::Capitals => {
                "temporal operators are `X`, `F`, `G`, `U`, `W` and `R`, in capital letters: `P=? [ F x=1 ]`"
            }
            Hint::Primed => "primed variables are allowed in updates only: `[] guard -> (x'=1);`",
            Hint::LongImplication => "write `=>` for implication",
            Hint::Implication => "`->` separates guard and updates; implication is written `=>`",
            Hint::Question => "`=?` follows `P`, `Pmin`, `Pmax`, `R`, `Rmin`, `Rmax`, `S` or `T`",
            Hint::Or => "disjunction is written `|`",
            Hint::LabelInModel => "labels may be used in properties only, not in other expressions",
        }
    }
}
