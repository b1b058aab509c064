//! Texts to tokens.
//!
//! One pass: whether `/` begins a regular expression is known from the token before it, and for brackets from what stands before the
//! opening one. Every opening bracket knows its closing one, so that the parser can look behind it.

use crate::brackets::Brackets;
use crate::token::{T, word};

/// Behind a line break.
pub(crate) const NEW_LINE: u8 = 1;
/// A name with escapes in it.
pub(crate) const ESCAPED: u8 = 2;

/// There is no closing bracket.
pub(crate) const NO_PARTNER: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub start: u32,
    pub end: u32,
    /// Of an opening bracket, the number of the closing one.
    pub partner: u32,
    pub kind: T,
    pub flags: u8,
}

/// What is wrong with a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    Unknown,
    OpenText,
    OpenTemplate,
    OpenComment,
    OpenRegex,
    Number,
    Escape,
}

pub(crate) struct Lexer<'t> {
    pub(crate) text: &'t str,
    pub(crate) bytes: &'t [u8],
    pub(crate) at: usize,
    pub tokens: Vec<Token>,
    pub flaws: Vec<(Flaw, u32, u32)>,
    pub(crate) brackets: Brackets,
    /// The last token, and the one before it.
    last: T,
    before_last: T,
    /// Whether `/` would begin a regular expression behind the closing bracket that is the last token.
    closed_before_regex: bool,
}

/// What a first byte begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    Space,
    Line,
    Word,
    Digit,
    Quote,
    Other,
}

const BEGINS: [Begins; 256] = {
    let mut table = [Begins::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | 0x0b | 0x0c => Begins::Space,
            b'\n' | b'\r' => Begins::Line,
            b'a'..=b'z' | b'A'..=b'Z' | b'$' | b'_' => Begins::Word,
            b'0'..=b'9' => Begins::Digit,
            b'"' | b'\'' => Begins::Quote,
            _ => Begins::Other,
        };
        byte += 1;
    }
    table
};

/// The tokens of a text, the last of which is the end, and what is wrong with some.
pub(crate) fn lex(text: &str) -> (Vec<Token>, Vec<(Flaw, u32, u32)>) {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        tokens: Vec::with_capacity(text.len() / 2 + 1),
        flaws: Vec::new(),
        brackets: Brackets::default(),
        last: T::Semicolon,
        before_last: T::Semicolon,
        closed_before_regex: false,
    };
    lexer.run();
    (lexer.tokens, lexer.flaws)
}

impl Lexer<'_> {
    #[inline]
    pub(crate) fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn run(&mut self) {
        if self.text.starts_with('\u{feff}') {
            self.at = 3;
        }
        if self.bytes[self.at..].starts_with(b"#!") {
            self.skip_line();
        }
        let mut flags = NEW_LINE;
        while self.at < self.bytes.len() {
            let start = self.at;
            let kind = match BEGINS[usize::from(self.bytes[start])] {
                Begins::Space => {
                    self.at += 1;
                    continue;
                }
                Begins::Line => {
                    self.at += 1;
                    flags |= NEW_LINE;
                    continue;
                }
                Begins::Word => self.word(&mut flags),
                Begins::Digit => self.number(),
                Begins::Quote => self.quoted(),
                Begins::Other => match self.other(&mut flags) {
                    Some(kind) => kind,
                    None => continue,
                },
            };
            self.push(kind, start, flags);
            flags = 0;
        }
        let end = self.bytes.len();
        self.push(T::End, end, flags | NEW_LINE);
    }

    fn push(&mut self, kind: T, start: usize, flags: u8) {
        let number = self.tokens.len() as u32;
        match kind {
            T::Open | T::OpenBracket | T::OpenBrace | T::TemplateHead => {
                self.brackets.opened(kind, number, [self.before_last, self.last]);
            }
            T::Close | T::CloseBracket | T::CloseBrace => self.closed(kind, number),
            T::TemplateMiddle => {
                self.closed(T::CloseBrace, number);
                self.brackets.opened(kind, number, [self.before_last, self.last]);
            }
            T::TemplateTail => self.closed(T::CloseBrace, number),
            _ => {}
        }
        self.before_last = self.last;
        self.last = kind;
        self.tokens.push(Token {
            start: start as u32,
            end: self.at as u32,
            partner: NO_PARTNER,
            kind,
            flags,
        });
    }

    fn closed(&mut self, kind: T, number: u32) {
        let open = self.brackets.closed(kind);
        self.closed_before_regex = open.map_or(kind == T::CloseBrace, |open| open.before_regex);
        if let Some(open) = open {
            self.tokens[open.token as usize].partner = number;
        }
    }

    /// Whether `/` here begins a regular expression.
    fn is_before_regex(&self) -> bool {
        match self.last {
            T::Close | T::CloseBrace => self.closed_before_regex,
            last if last.ends_operand() => false,
            // `x.return / 2`
            last if last.is_word() => !matches!(self.before_last, T::Dot | T::SafeDot),
            _ => true,
        }
    }

    #[inline]
    fn word(&mut self, flags: &mut u8) -> T {
        let start = self.at;
        while matches!(BEGINS[usize::from(self.byte(0))], Begins::Word | Begins::Digit) {
            self.at += 1;
        }
        let byte = self.byte(0);
        if byte == b'\\' || byte >= 0x80 {
            return self.long_word(start, flags);
        }
        word(&self.bytes[start..self.at])
    }

    /// A word with other characters than those of ASCII, or with escapes.
    pub(crate) fn long_word(&mut self, start: usize, flags: &mut u8) -> T {
        loop {
            let rest = &self.text[self.at..];
            let Some(first) = rest.chars().next() else { break };
            if first == '\\' {
                let escape = self.at;
                self.at += 1;
                *flags |= ESCAPED;
                let read = crate::texts::escape_of_name(&self.bytes[self.at..]);
                match read {
                    Some((_, length)) => self.at += length,
                    None => self.flaws.push((Flaw::Escape, escape as u32, self.at as u32)),
                }
            } else if first.is_alphanumeric() || matches!(first, '$' | '_' | '\u{200c}' | '\u{200d}') {
                self.at += first.len_utf8();
            } else {
                break;
            }
        }
        // Escaped words are names.
        if *flags & ESCAPED != 0 { T::Name } else { word(&self.bytes[start..self.at]) }
    }

    pub(crate) fn skip_line(&mut self) {
        while self.at < self.bytes.len() && !self.is_line_break() {
            self.at += 1;
        }
    }

    /// Whether a line ends here.
    pub(crate) fn is_line_break(&self) -> bool {
        match self.byte(0) {
            b'\n' | b'\r' => true,
            0xe2 => self.byte(1) == 0x80 && matches!(self.byte(2), 0xa8 | 0xa9),
            _ => false,
        }
    }

    /// `/` and what it begins; nothing where that is a comment.
    fn slash(&mut self, flags: &mut u8) -> Option<T> {
        match self.byte(1) {
            b'/' => {
                self.skip_line();
                None
            }
            b'*' => {
                self.comment(flags);
                None
            }
            _ if self.is_before_regex() => Some(self.regex()),
            b'=' => Some(self.symbol(2, T::AssignOp)),
            _ => Some(self.symbol(1, T::Over)),
        }
    }

    fn other(&mut self, flags: &mut u8) -> Option<T> {
        if self.bytes[self.at] == b'/' {
            return self.slash(flags);
        }
        if let Some(kind) = self.punctuation() {
            return Some(kind);
        }
        let start = self.at;
        let first = self.text[start..].chars().next().unwrap_or('\0');
        if matches!(first, '\u{2028}' | '\u{2029}') {
            *flags |= NEW_LINE;
            self.at += 3;
            return None;
        }
        if first.is_whitespace() || first == '\u{feff}' {
            self.at += first.len_utf8();
            return None;
        }
        if first == '\\' || first.is_alphabetic() {
            return Some(self.long_word(start, flags));
        }
        // What is no token is told once for all that follows of it.
        while let Some(next) = self.text[self.at..].chars().next() {
            if next.is_ascii() && next != '#' && !next.is_ascii_control()
                || next.is_alphabetic()
                || next.is_whitespace()
            {
                break;
            }
            self.at += next.len_utf8();
        }
        self.flaws.push((Flaw::Unknown, start as u32, self.at as u32));
        None
    }
}
