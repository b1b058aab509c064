//! Numbers, quoted texts, templates, regular expressions, comments and symbols as tokens.

use crate::lexer::{Flaw, Lexer, NEW_LINE};
use crate::token::T;

impl Lexer<'_> {
    pub(crate) fn symbol(&mut self, length: usize, kind: T) -> T {
        self.at += length;
        kind
    }

    /// A symbol; nothing where there is none.
    pub(crate) fn punctuation(&mut self) -> Option<T> {
        let (second, third) = (self.byte(1), self.byte(2));
        let (length, kind) = match (self.byte(0), second) {
            (b'(', _) => (1, T::Open),
            (b')', _) => (1, T::Close),
            (b'[', _) => (1, T::OpenBracket),
            (b']', _) => (1, T::CloseBracket),
            (b'{', _) => (1, T::OpenBrace),
            (b'}', _) if self.brackets.is_in_template() => {
                return Some(self.template(T::TemplateMiddle, T::TemplateTail));
            }
            (b'`', _) => return Some(self.template(T::TemplateHead, T::Template)),
            (b'}', _) => (1, T::CloseBrace),
            (b';', _) => (1, T::Semicolon),
            (b',', _) => (1, T::Comma),
            (b':', _) => (1, T::Colon),
            (b'~', _) => (1, T::Tilde),
            (b'>', _) => (1, T::Greater),
            (b'@', b'@') => (2, T::At2),
            (b'@', _) => (1, T::At),
            (b'.', b'0'..=b'9') => return Some(self.number()),
            (b'.', b'.') if third == b'.' => (3, T::Dots),
            (b'.', _) => (1, T::Dot),
            (b'?', b'.') if !third.is_ascii_digit() => (2, T::SafeDot),
            (b'?', b'?') => (2, T::Coalesce),
            (b'?', _) => (1, T::Question),
            (b'=', b'>') => (2, T::Arrow),
            (b'=', b'=') if third == b'=' => (3, T::Same),
            (b'=', b'=') => (2, T::Equal),
            (b'=', _) => (1, T::Assign),
            (b'!', b'=') if third == b'=' => (3, T::NotSame),
            (b'!', b'=') => (2, T::Unequal),
            (b'!', _) => (1, T::Bang),
            (b'<', b'<') if third == b'=' => (3, T::AssignOp),
            (b'<', b'<') => (2, T::ShiftLeft),
            (b'<', b'=') => (2, T::AtMost),
            (b'<', _) => (1, T::Less),
            (b'+', b'+') => (2, T::Increment),
            (b'-', b'-') => (2, T::Decrement),
            (b'*', b'*') if third == b'=' => (3, T::AssignOp),
            (b'*', b'*') => (2, T::Power),
            (b'&', b'&') => (2, T::And),
            (b'|', b'|') => (2, T::Or),
            (b'+' | b'-' | b'*' | b'%' | b'&' | b'|' | b'^', b'=') => (2, T::AssignOp),
            (b'+', _) => (1, T::Plus),
            (b'-', _) => (1, T::Minus),
            (b'*', _) => (1, T::Times),
            (b'%', _) => (1, T::Modulo),
            (b'&', _) => (1, T::Ampersand),
            (b'|', _) => (1, T::Bar),
            (b'^', _) => (1, T::Caret),
            _ => return None,
        };
        Some(self.symbol(length, kind))
    }

    fn digits(&mut self, is_digit: impl Fn(u8) -> bool) -> bool {
        let start = self.at;
        while is_digit(self.byte(0)) {
            self.at += 1;
        }
        self.at > start
    }

    pub(crate) fn number(&mut self) -> T {
        let start = self.at;
        let radix = if self.byte(0) == b'0' { self.byte(1) | 0x20 } else { 0 };
        let mut is_whole = true;
        if matches!(radix, b'x' | b'o' | b'b') {
            self.at += 2;
            is_whole = self.digits(|byte| match radix {
                b'x' => byte.is_ascii_hexdigit(),
                b'o' => matches!(byte, b'0'..=b'7'),
                _ => matches!(byte, b'0' | b'1'),
            });
        } else {
            self.digits(|byte| byte.is_ascii_digit());
            if self.byte(0) == b'.' {
                self.at += 1;
                self.digits(|byte| byte.is_ascii_digit());
            }
            if self.byte(0) | 0x20 == b'e' {
                self.at += 1;
                if matches!(self.byte(0), b'+' | b'-') {
                    self.at += 1;
                }
                is_whole = self.digits(|byte| byte.is_ascii_digit());
            }
        }
        // Nothing that could be a part of a name follows.
        let rest = self.at;
        while self.byte(0).is_ascii_alphanumeric() || matches!(self.byte(0), b'_' | b'$') {
            self.at += 1;
        }
        if !is_whole || self.at > rest {
            self.flaws.push((Flaw::Number, start as u32, self.at as u32));
        }
        T::Number
    }

    pub(crate) fn quoted(&mut self) -> T {
        let start = self.at;
        let quote = self.byte(0);
        self.at += 1;
        loop {
            match self.byte(0) {
                byte if byte == quote => {
                    self.at += 1;
                    break;
                }
                b'\\' => {
                    // A line break of two bytes is one.
                    let length = if self.byte(1) == b'\r' && self.byte(2) == b'\n' { 3 } else { 2 };
                    self.at = (self.at + length).min(self.bytes.len());
                    self.find_character();
                }
                b'\n' | b'\r' => {
                    self.flaws.push((Flaw::OpenText, start as u32, self.at as u32));
                    break;
                }
                0 if self.at >= self.bytes.len() => {
                    self.flaws.push((Flaw::OpenText, start as u32, self.at as u32));
                    break;
                }
                _ => self.at += 1,
            }
        }
        T::Text
    }

    /// Goes on to where a character begins.
    fn find_character(&mut self) {
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
    }

    /// A part of a template, from `` ` `` or `}` up to `${` or `` ` ``.
    fn template(&mut self, open: T, whole: T) -> T {
        let start = self.at;
        self.at += 1;
        loop {
            match self.byte(0) {
                b'`' => return self.symbol(1, whole),
                b'$' if self.byte(1) == b'{' => return self.symbol(2, open),
                b'\\' => {
                    self.at = (self.at + 2).min(self.bytes.len());
                    self.find_character();
                }
                0 if self.at >= self.bytes.len() => {
                    self.flaws.push((Flaw::OpenTemplate, start as u32, self.at as u32));
                    return whole;
                }
                _ => self.at += 1,
            }
        }
    }

    pub(crate) fn regex(&mut self) -> T {
        let start = self.at;
        let mut in_class = false;
        self.at += 1;
        loop {
            if self.at >= self.bytes.len() || self.is_line_break() {
                self.flaws.push((Flaw::OpenRegex, start as u32, self.at as u32));
                return T::Regex;
            }
            match self.byte(0) {
                b'\\' if !matches!(self.byte(1), b'\n' | b'\r') => {
                    self.at = (self.at + 2).min(self.bytes.len());
                    self.find_character();
                    continue;
                }
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => break,
                _ => {}
            }
            self.at += 1;
        }
        self.at += 1;
        while self.byte(0).is_ascii_alphanumeric() || matches!(self.byte(0), b'_' | b'$') {
            self.at += 1;
        }
        T::Regex
    }

    pub(crate) fn comment(&mut self, flags: &mut u8) {
        let start = self.at;
        self.at += 2;
        loop {
            if self.at >= self.bytes.len() {
                self.flaws.push((Flaw::OpenComment, start as u32, start as u32 + 2));
                return;
            }
            if self.is_line_break() {
                *flags |= NEW_LINE;
            } else if self.byte(0) == b'*' && self.byte(1) == b'/' {
                self.at += 2;
                return;
            }
            self.at += 1;
        }
    }
}
