//! Names and calls of functions: `x`, `min(a, b)`, and the older `func(min, a, b)`.

use crate::ast::{ExprKind, Function};
use crate::lex::{Keyword, Token, TokenKind, shortened};
use crate::parse::cursor::{Parsed, Parser, opens_or_closes};
use crate::parse::expr::Next;
use crate::parse::frames::{Callee, Frame};
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// Built-in functions by name.
const FUNCTIONS: [(&str, Function); 9] = [
    ("min", Function::Min),
    ("max", Function::Max),
    ("floor", Function::Floor),
    ("ceil", Function::Ceil),
    ("round", Function::Round),
    ("pow", Function::Pow),
    ("mod", Function::Mod),
    ("log", Function::Log),
    ("multi", Function::Multi),
];

/// Functions of other languages, and how to write them.
const SUBSTITUTES: [(&str, &str); 6] = [
    ("sqrt", "`pow(x, 0.5)`"),
    ("abs", "`max(x, -x)`"),
    ("exp", "`pow(2.718281828459045, x)`"),
    ("ln", "`log(x, 2.718281828459045)`"),
    ("trunc", "`floor(x)` for positive numbers"),
    ("power", "`pow(x, y)`"),
];

impl Parser<'_> {
    pub(super) fn name_or_call(&mut self) -> Parsed<Next> {
        let token = self.token();
        if self.mode.property
            && let Some(result) = self.named_operator()
        {
            return result;
        }
        let is_automaton = self.text_of(token) == "HOA"
            && self.ahead(1).kind == TokenKind::Colon
            && self.ahead(2).kind == TokenKind::LeftBrace;
        if self.mode.path && is_automaton {
            return self.automaton();
        }
        let called = self.ahead(1).kind == TokenKind::LeftParen && (!self.mode.juxtaposed || self.is_call());
        if called {
            return self.call();
        }
        self.leaf(ExprKind::Ident(self.text_of(token).to_string()))
    }

    /// Behind `F<=` a name and `(` are read as PRISM does: `t (x=1)` is a bound and a formula. Only where the
    /// formula would be missing, as in `floor(t) x=1`, it is a call.
    fn is_call(&self) -> bool {
        let text = self.text_of(self.token());
        if !is_function(text) {
            return false;
        }
        let mut depth = 0usize;
        let mut ahead = 1;
        loop {
            match self.ahead(ahead).kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth -= 1,
                TokenKind::End | TokenKind::Semicolon => return false,
                _ => {}
            }
            ahead += 1;
            if depth == 0 {
                return starts_operand(self.ahead(ahead).kind);
            }
        }
    }

    /// `name(`: the parenthesis is known to be there.
    pub(super) fn call(&mut self) -> Parsed<Next> {
        let token = self.advance();
        let callee = self.callee(token);
        self.advance();
        self.arguments(callee, token.span(self.file))
    }

    /// `func(name, …)`.
    pub(super) fn old_style_call(&mut self) -> Parsed<Next> {
        let start = self.advance().span(self.file);
        self.advance();
        let token = self.token();
        let callee = match token.kind {
            TokenKind::Ident | TokenKind::Keyword(Keyword::Min | Keyword::Max) => self.callee(token),
            _ => return Err(self.unexpected("the name of a function")),
        };
        self.advance();
        self.expect(TokenKind::Comma, "after the name of the function")?;
        self.arguments(callee, start)
    }

    fn callee(&mut self, token: Token) -> Callee {
        let text = self.text_of(token);
        let found = FUNCTIONS.iter().find(|(name, _)| *name == text);
        match found {
            Some((_, function)) if *function != Function::Multi || self.mode.property => {
                return Callee::Function(*function);
            }
            _ => {}
        }
        let mut diagnostic =
            Diagnostic::error(codes::UNKNOWN_FUNCTION, format!("there is no function `{}`", shortened(text)))
                .at(token.span(self.file), "");
        let names: Vec<&str> = FUNCTIONS
            .iter()
            .filter(|(_, function)| *function != Function::Multi || self.mode.property)
            .map(|(name, _)| *name)
            .collect();
        let substitute = SUBSTITUTES.iter().find(|(name, _)| *name == text);
        diagnostic = match substitute {
            Some((_, call)) => diagnostic.help(format!("write {call}")),
            None => diagnostic.misspelt(text, &names),
        };
        if diagnostic.helps.is_empty() {
            diagnostic = diagnostic.note(format!("the functions are {}", names.join(", ")));
        }
        self.report(diagnostic);
        Callee::Unknown
    }

    pub(super) fn arguments(&mut self, callee: Callee, start: Span) -> Parsed<Next> {
        let outer = self.mode;
        self.mode.juxtaposed = false;
        let mark = self.exprs.len();
        self.push(Frame::Arguments { callee, args: Vec::new(), start, mark, outer })
    }
}

/// Whether there is a function of this name.
pub(super) fn is_function(text: &str) -> bool {
    FUNCTIONS.iter().any(|(name, _)| *name == text)
}

/// Whether an expression can start with this token, where one may follow another without a separator.
pub(super) fn starts_operand(kind: TokenKind) -> bool {
    match kind {
        TokenKind::Ident
        | TokenKind::Int
        | TokenKind::Real
        | TokenKind::Quoted
        | TokenKind::Not
        | TokenKind::LeftParen => true,
        TokenKind::Keyword(word) => !opens_or_closes(word) && !matches!(word, Keyword::U | Keyword::W),
        _ => false,
    }
}
