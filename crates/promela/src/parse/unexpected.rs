//! Diagnostics of unexpected tokens.

use super::cursor::{Parser, Reported};
use super::recover::begins_unit;
use crate::place::PlaceInfo;
use crate::token::{Kind, Token};
use volvelle_diagnostics::{Diagnostic, Fix, codes};
use volvelle_syntax::Spelt;

impl Parser {
    /// Reports the next token as unexpected.
    pub fn unexpected(&mut self, wanted: &str) -> Reported {
        self.unexpected_with(wanted, None)
    }

    /// The same inside a construct that was opened at a place.
    pub fn unexpected_with(&mut self, wanted: &str, open: Option<PlaceInfo>) -> Reported {
        let info = self.info();
        if self.reported_at == Some(info) {
            return Reported;
        }
        let token = self.token().clone();
        if token.kind.is_flaw() {
            return self.bad_token(&token);
        }
        if let Some(reported) = self.mistake(&token) {
            return reported;
        }
        let found = describe(&token);
        let mut message = format!("expected {wanted}, found {found}");
        let mut help = String::new();
        let implied = self.line_ends() || self.implied && self.previous == Kind::Semi;
        if implied && is_infix(token.kind) {
            message = format!("the statement ends with its line, and no statement begins with {found}");
            help = "write the operator at the end of the previous line, or use parentheses".into();
        }
        let mut info = info;
        if self.line_ends() && help.is_empty() && !self.at_close() {
            // The missing token is reported after the last token, not before the next line.
            message = format!("expected {wanted}, found the end of the line");
            info = self.last;
            info.span.start = info.span.end.saturating_sub(1).max(info.span.start);
        }
        let mut diagnostic = Diagnostic::error(codes::PROMELA_SYNTAX, message);
        if let Some(open) = open
            && open.through == info.through
        {
            diagnostic = diagnostic.also(open.span, "to close this");
            if info.through.is_none() && help.is_empty() {
                diagnostic = self.closed(wanted).into_iter().fold(diagnostic, Diagnostic::fix);
            }
        }
        self.report_at(diagnostic, info, &help)
    }

    /// What closes the construct around, if that is missing.
    fn closed(&self, wanted: &str) -> Option<Fix> {
        let is_over = self.at_end() || begins_unit(self.token().kind);
        let (word, gap) = match wanted {
            "`fi`" => ("fi", "\n"),
            "`od`" => ("od", "\n"),
            "`;` or `}`" if is_over => ("}", "\n"),
            "`)`" => (")", ""),
            "`]`" => ("]", ""),
            _ => return None,
        };
        let fix = Fix::behind(format!("add `{word}`"), self.last.span, format!("{gap}{word}"));
        Some(fix.certain_if(is_over && gap == "\n"))
    }

    fn bad_token(&mut self, token: &Token) -> Reported {
        let info = self.info();
        let text = &*token.text;
        let (code, message, help) = match token.kind {
            Kind::Unknown => {
                let character = text.chars().next().unwrap_or(' ');
                let message = match character {
                    '\0'..=' ' | '\u{7f}' => {
                        format!("the character U+{:04X} has no meaning here", character as u32)
                    }
                    _ => format!("the character `{character}` has no meaning here"),
                };
                let help = if character.is_alphanumeric() {
                    "names consist of the letters a to z and A to Z, digits and `_`"
                } else {
                    ""
                };
                (codes::UNEXPECTED_CHARACTER, message, help)
            }
            Kind::OpenText => (
                codes::UNTERMINATED,
                "this string has no end".to_owned(),
                "add a closing `\"`; strings cannot span lines",
            ),
            Kind::Apostrophe => (
                codes::UNTERMINATED,
                "apostrophes enclose a single character".to_owned(),
                "write `'a'`; strings are written in `\"`",
            ),
            _ => {
                let help = if text.starts_with("0x") || text.starts_with("0X") {
                    "numbers are decimal"
                } else {
                    "names begin with a letter or `_`"
                };
                (codes::PROMELA_SYNTAX, format!("`{text}` is neither a number nor a name"), help)
            }
        };
        self.error(code, info, message, help)
    }
}

/// Whether a token continues an expression or statement and begins none.
fn is_infix(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Plus
            | Kind::Star
            | Kind::Slash
            | Kind::Percent
            | Kind::Amp
            | Kind::AmpAmp
            | Kind::Bar
            | Kind::BarBar
            | Kind::Caret
            | Kind::Lt
            | Kind::Le
            | Kind::Gt
            | Kind::Ge
            | Kind::ShiftLeft
            | Kind::ShiftRight
            | Kind::EqualEqual
            | Kind::NotEqual
            | Kind::Assign
            | Kind::Comma
            | Kind::Dot
            | Kind::Question
            | Kind::QuestionQuestion
    )
}

/// A token as a message names it.
pub(super) fn describe(token: &Token) -> String {
    match token.kind {
        Kind::End => "the end of the text".to_owned(),
        Kind::Text => "a text".to_owned(),
        Kind::Number => format!("the number `{}`", token.text),
        Kind::Word => format!("the name `{}`", token.text),
        _ => format!("`{}`", token.text),
    }
}
