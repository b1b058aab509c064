//! Tokens, and a cursor over them.

use super::{ParseError, is_reserved};
use crate::types::{Const, Type};
use std::ops::Range;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// A name or a reserved word.
    Word(&'t str),
    /// A name in backticks.
    Quoted(&'t str),
    /// Digits (hexadecimal ones with `0x`), perhaps with fraction and exponent, and what follows at once.
    Number { digits: &'t str, suffix: &'t str },
    /// `@` and a number.
    Site(&'t str),
    /// `$` and a number.
    Let(&'t str),
    /// Operator or punctuation.
    Symbol(&'static str),
    /// A character that starts no token.
    Stray(char),
    /// The end of the text.
    End,
}

/// Longer ones come before their prefixes.
const SYMBOLS: [&str; 33] = [
    "..=", "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "**", "..", "(", ")", "[", "]", "{", "}", ",",
    ";", ":", "=", "<", ">", "|", "^", "&", "+", "-", "*", "/", "%", "!", ".",
];

/// A place in a sequence of tokens.
pub(crate) struct Cursor<'t> {
    text: &'t str,
    /// With byte offsets; the last one is the end.
    tokens: Vec<(Token<'t>, usize)>,
    next: usize,
    /// Braces that were taken and are open.
    open_braces: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Cursor { text, tokens: lex(text), next: 0, open_braces: 0 }
    }

    /// The token here.
    pub(crate) fn peek(&self) -> Token<'t> {
        self.tokens[self.next].0
    }

    /// The token behind it.
    pub(crate) fn peek_second(&self) -> Token<'t> {
        self.tokens[(self.next + 1).min(self.tokens.len() - 1)].0
    }

    /// Takes a token; the end stays.
    pub(crate) fn take(&mut self) -> Token<'t> {
        let token = self.peek();
        match token {
            Token::Symbol("{") => self.open_braces += 1,
            Token::Symbol("}") => self.open_braces = self.open_braces.saturating_sub(1),
            _ => {}
        }
        if self.next + 1 < self.tokens.len() {
            self.next += 1;
        }
        token
    }

    /// Number of braces that were taken and are open.
    pub(crate) fn open_braces(&self) -> usize {
        self.open_braces
    }

    /// Where the next token starts.
    pub(crate) fn at(&self) -> usize {
        self.tokens[self.next].1
    }

    /// Takes the symbol if it is next.
    pub(crate) fn eat(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), Token::Symbol(s) if s == symbol);
        if found {
            self.take();
        }
        found
    }

    /// Takes the word if it is next.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(w) if w == word);
        if found {
            self.take();
        }
        found
    }

    pub(crate) fn expect(&mut self, symbol: &str) -> Result<(), ParseError> {
        if self.eat(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    pub(crate) fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// A name: a word that is not reserved, or anything in backticks.
    pub(crate) fn name(&mut self) -> Result<&'t str, ParseError> {
        match self.peek() {
            Token::Word(word) if !is_reserved(word) => {
                self.take();
                Ok(word)
            }
            Token::Quoted(name) => {
                self.take();
                Ok(name)
            }
            Token::Word(word) => Err(self.error(format!("`{word}` is reserved: write it in backticks"))),
            _ => Err(self.expected("a name")),
        }
    }

    pub(crate) fn ty(&mut self) -> Result<Type, ParseError> {
        let Token::Word(word) = self.peek() else {
            return Err(self.expected("a type"));
        };
        match Type::ALL.into_iter().find(|ty| ty.name() == word) {
            Some(ty) => {
                self.take();
                Ok(ty)
            }
            None => Err(self.expected("a type")),
        }
    }

    /// An integer of a type, written without suffix, perhaps negative; its canonical bits.
    pub(crate) fn integer(&mut self, ty: Type) -> Result<u64, ParseError> {
        let at = self.at();
        let negative = self.eat("-");
        match self.peek() {
            Token::Number { digits, suffix: "" } => {
                self.take();
                literal(negative, digits, ty).map(|c| c.bits).map_err(|why| self.error_at(at, why))
            }
            _ => Err(self.expected("an integer without suffix")),
        }
    }

    /// An error at the next token, with what is expected there.
    pub(crate) fn expected(&self, what: &str) -> ParseError {
        let found = match self.peek() {
            Token::Word(w) => format!("`{w}`"),
            Token::Quoted(w) => format!("`{w}`"),
            Token::Number { digits, suffix } => format!("`{digits}{suffix}`"),
            Token::Site(n) => format!("`@{n}`"),
            Token::Let(n) => format!("`${n}`"),
            Token::Symbol(s) => format!("`{s}`"),
            Token::Stray(c) => format!("{c:?}"),
            Token::End => "the end".into(),
        };
        self.error(format!("expected {what}, found {found}"))
    }

    /// An error at the next token.
    pub(crate) fn error(&self, message: impl Into<String>) -> ParseError {
        self.error_at(self.at(), message)
    }

    /// An error at a byte offset.
    pub(crate) fn error_at(&self, at: usize, message: impl Into<String>) -> ParseError {
        let before = &self.text[..at];
        let line = before.bytes().filter(|&b| b == b'\n').count() as u32 + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() as u32 + 1;
        ParseError { line, column, at, message: message.into() }
    }
}

/// The constant that digits denote, or the reason why they denote none.
pub(crate) fn literal(negative: bool, digits: &str, ty: Type) -> Result<Const, String> {
    let sign = if negative { "-" } else { "" };
    let mismatch = || format!("`{sign}{digits}` is not a valid {ty}");
    let signed = || format!("{sign}{digits}");
    match ty {
        Type::Bool => Err(mismatch()),
        // `parse` of the standard library rounds correctly, but takes what is too large for infinite.
        Type::F64 => {
            signed().parse().ok().filter(|x: &f64| x.is_finite()).map(Const::f64).ok_or_else(mismatch)
        }
        Type::F32 => {
            signed().parse().ok().filter(|x: &f32| x.is_finite()).map(Const::f32).ok_or_else(mismatch)
        }
        _ => {
            let magnitude = match digits.strip_prefix("0x") {
                Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16),
                None => digits.parse(),
            };
            let magnitude = magnitude.map_err(|_| mismatch())? as i128;
            let value = if negative { -magnitude } else { magnitude };
            crate::scalar::fitting(ty, value).ok_or_else(mismatch)
        }
    }
}

fn lex(text: &str) -> Vec<(Token<'_>, usize)> {
    let mut tokens = Vec::new();
    scan(text, |token, at| tokens.extend(token.map(|token| (token, at.start))));
    tokens.push((Token::End, text.len()));
    tokens
}

/// Calls a function with each token, or `None` for a comment, and with its place.
pub(super) fn scan<'t>(text: &'t str, mut each: impl FnMut(Option<Token<'t>>, Range<usize>)) {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (found, length) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else {
            let (token, length) = token(rest, c);
            (Some(token), length)
        };
        each(found, at..at + length);
        at += length;
    }
}

/// The token at the start of `rest`, whose first character is `first`, and its length in bytes.
fn token(rest: &str, first: char) -> (Token<'_>, usize) {
    if first.is_ascii_alphabetic() || first == '_' {
        let n = word_length(rest);
        return (Token::Word(&rest[..n]), n);
    }
    if first.is_ascii_digit() {
        let n = number_length(rest);
        let suffix = &rest[n..n + word_length(&rest[n..])];
        return (Token::Number { digits: &rest[..n], suffix }, n + suffix.len());
    }
    if first == '@' || first == '$' {
        let n = digits_length(&rest[1..]);
        if n > 0 {
            let digits = &rest[1..1 + n];
            return (if first == '@' { Token::Site(digits) } else { Token::Let(digits) }, 1 + n);
        }
    }
    if first == '`'
        && let Some(n) = rest[1..].find(['`', '\n'])
        && rest[1 + n..].starts_with('`')
    {
        return (Token::Quoted(&rest[1..1 + n]), n + 2);
    }
    match SYMBOLS.into_iter().find(|s| rest.starts_with(s)) {
        Some(symbol) => (Token::Symbol(symbol), symbol.len()),
        None => (Token::Stray(first), first.len_utf8()),
    }
}

fn word_length(text: &str) -> usize {
    text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count()
}

fn digits_length(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn number_length(text: &str) -> usize {
    if let Some(rest) = text.strip_prefix("0x") {
        return 2 + rest.bytes().take_while(u8::is_ascii_hexdigit).count();
    }
    let mut n = digits_length(text);
    // `1..2` is a range, `1.5` a fraction.
    if let Some(rest) = text[n..].strip_prefix('.') {
        let fraction = digits_length(rest);
        n += if fraction > 0 { 1 + fraction } else { 0 };
    }
    if let Some(rest) = text[n..].strip_prefix('e') {
        let sign = rest.starts_with(['+', '-']) as usize;
        let exponent = digits_length(&rest[sign..]);
        n += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    n
}
