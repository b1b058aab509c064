//! Text to tokens. Characters that belong to no token are reported and left out.

use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// Kinds of tokens; the text of a word is that under its span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Word,
    Number(i64),
    /// A number with a point.
    Decimal,
    /// `"text"`
    Text,
    Sign(&'static str),
    End,
}

/// Signs, longer ones first.
const SIGNS: [&str; 29] = [
    "..", "==", "!=", "<=", ">=", "&&", "||", "{", "}", "(", ")", "[", "]", ";", ",", ":", "?", "=", "<",
    ">", "+", "-", "*", "/", "%", "!", ".", "&", "|",
];

/// The tokens of a text, with one for its end.
pub(crate) fn tokens(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Lexer { file, text, at: if text.starts_with('\u{feff}') { 3 } else { 0 }, diagnostics };
    let mut tokens = Vec::with_capacity(text.len() / 3);
    while let Some(token) = lexer.next() {
        tokens.push(token);
    }
    tokens.push(Token { kind: Kind::End, span: Span::new(file, text.len(), text.len()) });
    tokens
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// How many bytes from here on fulfil a condition.
    fn length(&self, holds: impl Fn(u8) -> bool) -> usize {
        self.rest().bytes().position(|byte| !holds(byte)).unwrap_or(self.rest().len())
    }

    /// A token of some bytes from here on.
    fn token(&mut self, kind: Kind, length: usize) -> Option<Token> {
        let span = Span::new(self.file, self.at, self.at + length);
        self.at += length;
        Some(Token { kind, span })
    }

    fn report(&mut self, message: &str, length: usize, label: &str) {
        let span = Span::new(self.file, self.at, self.at + length);
        self.diagnostics.push(Diagnostic::error(codes::PRIMITIVE_SYNTAX, message).at(span, label));
        self.at += length;
    }

    fn next(&mut self) -> Option<Token> {
        loop {
            self.at += self.length(|byte| byte.is_ascii_whitespace());
            let first = self.rest().chars().next()?;
            if self.rest().starts_with("//") {
                self.at += self.length(|byte| byte != b'\n');
            } else if self.rest().starts_with("/*") {
                match self.rest()[2..].find("*/") {
                    Some(length) => self.at += length + 4,
                    None => {
                        self.report("this comment has no end", 2, "add a `*/` behind it");
                        self.at = self.text.len();
                    }
                }
            } else if first.is_ascii_alphabetic() || first == '_' {
                let length = self.length(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                return self.token(Kind::Word, length);
            } else if first.is_ascii_digit() {
                return Some(self.number());
            } else if first == '"' {
                let length = 1 + self.rest()[1..]
                    .bytes()
                    .position(|b| b == b'"' || b == b'\n')
                    .unwrap_or(self.rest().len() - 1);
                if self.rest().as_bytes().get(length) == Some(&b'"') {
                    return self.token(Kind::Text, length + 1);
                }
                self.report("this text has no end", length, "add a `\"` behind it");
            } else if let Some(sign) = SIGNS.into_iter().find(|sign| self.rest().starts_with(sign)) {
                return self.token(Kind::Sign(sign), sign.len());
            } else {
                // One message for a run of strange characters.
                let strange = |c: &char| !c.is_ascii() || c.is_ascii_control() || "#$@\\^`~'".contains(*c);
                let strange = |c: &char| strange(c) && !c.is_ascii_whitespace();
                let length: usize = self.rest().chars().take_while(strange).map(char::len_utf8).sum();
                let length = length.max(first.len_utf8());
                self.report("these characters have no meaning here", length, "leave them out");
            }
        }
    }

    /// A number; what is none is reported, and is 0.
    fn number(&mut self) -> Token {
        let start = self.at;
        let digits = self.length(|byte| byte.is_ascii_digit());
        let bytes = self.rest().as_bytes();
        let word = self.length(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let (kind, length) =
            if bytes.get(digits) == Some(&b'.') && bytes.get(digits + 1).is_some_and(u8::is_ascii_digit) {
                let fraction = bytes[digits + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                (Kind::Decimal, digits + 1 + fraction)
            } else if word > digits {
                self.report("a name begins with a letter", word, "this begins with a digit");
                (Kind::Number(0), word)
            } else if let Ok(value) = self.rest()[..digits].parse() {
                (Kind::Number(value), digits)
            } else {
                self.report("this number is too large", digits, "the largest one is 9223372036854775807");
                (Kind::Number(0), digits)
            };
        self.at = start + length;
        Token { kind, span: Span::new(self.file, start, self.at) }
    }
}
