//! Lexer: the text of one file in, tokens out; text that is no token becomes [`Kind::Bad`].
//!
//! It serves the preprocessor, hence knows no keywords, and reports only comments without end, and ends without comment: text
//! that a condition leaves out may contain anything. A backslash at the end of a line joins it with the next one. Where C
//! reads `1..N` as one token, this reads three, so that a macro `N` is seen there.

use crate::token::{Bad, Kind, Token};
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// The tokens of a text, without an end token, and diagnostics about comments.
pub fn lex(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer {
        file,
        text,
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
        spaced: false,
        starts_line: true,
        tokens: Vec::with_capacity(text.len() / 3),
        diagnostics: Vec::new(),
    };
    while lexer.at < text.len() {
        lexer.next();
    }
    (lexer.tokens, lexer.diagnostics)
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    spaced: bool,
    starts_line: bool,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: Kind, end: usize) {
        let text = &self.text[self.at..end];
        self.tokens.push(Token {
            kind,
            text: Arc::from(text),
            span: Span::new(self.file, self.at, end),
            through: None,
            spaced: self.spaced,
            starts_line: self.starts_line,
            painted: false,
        });
        self.spaced = false;
        self.starts_line = false;
        self.at = end;
    }

    /// Length of a backslash and the end of line behind it, if they stand there.
    fn joined_line(&self, at: usize) -> Option<usize> {
        match (self.byte(at), self.byte(at + 1), self.byte(at + 2)) {
            (b'\\', b'\n', _) => Some(2),
            (b'\\', b'\r', b'\n') => Some(3),
            _ => None,
        }
    }

    fn next(&mut self) {
        if let Some(length) = self.joined_line(self.at) {
            self.spaced = true;
            self.at += length;
            return;
        }
        match self.byte(self.at) {
            b'\n' => {
                self.starts_line = true;
                self.spaced = true;
                self.at += 1;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                self.spaced = true;
                self.at += 1;
            }
            b'/' if self.byte(self.at + 1) == b'/' => self.line_comment(),
            b'/' if self.byte(self.at + 1) == b'*' => self.block_comment(),
            b'*' if self.ends_comment() => self.stray_comment_end(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.push(Kind::Word, self.word_end(self.at)),
            b'0'..=b'9' => self.number(),
            b'"' => self.quoted(),
            b'\'' => self.character(),
            _ => self.operator(),
        }
    }

    fn word_end(&self, start: usize) -> usize {
        let rest = &self.text.as_bytes()[start..];
        let length = rest.iter().position(|b| !(b.is_ascii_alphanumeric() || *b == b'_'));
        start + length.unwrap_or(rest.len())
    }

    fn line_comment(&mut self) {
        self.spaced = true;
        while self.at < self.text.len() && self.byte(self.at) != b'\n' {
            self.at += self.joined_line(self.at).unwrap_or(1);
        }
    }

    fn block_comment(&mut self) {
        self.spaced = true;
        match self.text[self.at + 2..].find("*/") {
            Some(length) => {
                let inside = &self.text[self.at..self.at + 2 + length];
                // The first token after a comment begins the line, if the line began inside the comment.
                self.starts_line |= inside.contains('\n');
                self.at += length + 4;
            }
            None => {
                let span = Span::new(self.file, self.at, self.at + 2);
                self.diagnostics.push(
                    Diagnostic::error(codes::UNTERMINATED, "this comment has no end")
                        .at(span, "")
                        .help("add a closing `*/`"),
                );
                self.at = self.text.len();
            }
        }
    }

    /// Whether a `*/` stands here that ends nothing: not the `*` before a comment.
    fn ends_comment(&self) -> bool {
        self.byte(self.at + 1) == b'/' && !matches!(self.byte(self.at + 2), b'/' | b'*')
    }

    /// Comments do not nest: in `/* a /* b */ */` the first end is that of the comment. SPIN ignores the second one.
    fn stray_comment_end(&mut self) {
        let span = Span::new(self.file, self.at, self.at + 2);
        let diagnostic = Diagnostic::warning(codes::STRAY_COMMENT_END, "no comment ends here")
            .at(span, "")
            .note("comments do not nest: the first `*/` ends a comment; as SPIN does, this one is ignored");
        self.diagnostics.push(diagnostic);
        self.spaced = true;
        self.at += 2;
    }

    fn number(&mut self) {
        let end = self.word_end(self.at);
        let digits = self.text.as_bytes()[self.at..end].iter().all(u8::is_ascii_digit);
        self.push(if digits { Kind::Number } else { Kind::Bad(Bad::Number) }, end);
    }

    fn quoted(&mut self) {
        let mut end = self.at + 1;
        loop {
            match self.byte(end) {
                b'"' => return self.push(Kind::Text, end + 1),
                b'\\' if end + 1 < self.text.len() => {
                    end += self.joined_line(end).unwrap_or(1 + self.character_length(end + 1));
                }
                b'\n' => return self.push(Kind::Bad(Bad::OpenText), end),
                0 if end >= self.text.len() => {
                    return self.push(Kind::Bad(Bad::OpenText), self.text.len());
                }
                _ => end += self.character_length(end),
            }
        }
    }

    fn character(&mut self) {
        let first = self.at + 1;
        let escaped = self.byte(first) == b'\\' && self.byte(first + 1) != b'\n';
        let start = if escaped { first + 1 } else { first };
        let end = start + self.character_length(start);
        let empty = matches!(self.byte(start), b'\n' | 0) || !escaped && self.byte(start) == b'\'';
        if !empty && self.text.is_char_boundary(end) && self.byte(end) == b'\'' {
            self.push(Kind::Char, end + 1);
        } else {
            self.push(Kind::Bad(Bad::Apostrophe), first);
        }
    }

    /// Bytes of the character that begins at a place, 1 behind the end.
    fn character_length(&self, at: usize) -> usize {
        self.text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
    }

    fn operator(&mut self) {
        let pair = (self.byte(self.at), self.byte(self.at + 1));
        let (kind, length) = match pair {
            (b'-', b'>') => (Kind::Arrow, 2),
            // SPIN reads `x-->y` as `x -> y`, too.
            (b'-', b'-') if self.byte(self.at + 2) == b'>' => (Kind::Arrow, 3),
            (b'-', b'-') => (Kind::Decrement, 2),
            (b'+', b'+') => (Kind::Increment, 2),
            (b'&', b'&') => (Kind::AmpAmp, 2),
            (b'|', b'|') => (Kind::BarBar, 2),
            (b'=', b'=') => (Kind::EqualEqual, 2),
            (b'!', b'=') => (Kind::NotEqual, 2),
            (b'!', b'!') => (Kind::BangBang, 2),
            (b'?', b'?') => (Kind::QuestionQuestion, 2),
            (b'<', b'<') => (Kind::ShiftLeft, 2),
            (b'>', b'>') => (Kind::ShiftRight, 2),
            (b'<', b'=') => (Kind::Le, 2),
            (b'>', b'=') => (Kind::Ge, 2),
            (b':', b':') => (Kind::ColonColon, 2),
            (b'.', b'.') => (Kind::DotDot, 2),
            (b'#', b'#') => (Kind::HashHash, 2),
            (b'(', _) => (Kind::LeftParen, 1),
            (b')', _) => (Kind::RightParen, 1),
            (b'[', _) => (Kind::LeftBracket, 1),
            (b']', _) => (Kind::RightBracket, 1),
            (b'{', _) => (Kind::LeftBrace, 1),
            (b'}', _) => (Kind::RightBrace, 1),
            (b';', _) => (Kind::Semi, 1),
            (b',', _) => (Kind::Comma, 1),
            (b'.', _) => (Kind::Dot, 1),
            (b':', _) => (Kind::Colon, 1),
            (b'=', _) => (Kind::Assign, 1),
            (b'+', _) => (Kind::Plus, 1),
            (b'-', _) => (Kind::Minus, 1),
            (b'*', _) => (Kind::Star, 1),
            (b'/', _) => (Kind::Slash, 1),
            (b'%', _) => (Kind::Percent, 1),
            (b'&', _) => (Kind::Amp, 1),
            (b'|', _) => (Kind::Bar, 1),
            (b'^', _) => (Kind::Caret, 1),
            (b'~', _) => (Kind::Tilde, 1),
            (b'!', _) => (Kind::Bang, 1),
            (b'?', _) => (Kind::Question, 1),
            (b'@', _) => (Kind::At, 1),
            (b'<', _) => (Kind::Lt, 1),
            (b'>', _) => (Kind::Gt, 1),
            (b'#', _) => (Kind::Hash, 1),
            (b'\\', _) => (Kind::Backslash, 1),
            _ => (Kind::Bad(Bad::Character), self.character_length(self.at)),
        };
        self.push(kind, self.at + length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, String)> {
        lex(FileId(0), text).0.into_iter().map(|token| (token.kind, token.text.to_string())).collect()
    }

    #[test]
    fn longest_operators_win() {
        let found: Vec<Kind> = kinds("a--b->c!!d??<e..f::g<<=").into_iter().map(|pair| pair.0).collect();
        use Kind::*;
        assert_eq!(
            found,
            [
                Word,
                Decrement,
                Word,
                Arrow,
                Word,
                BangBang,
                Word,
                QuestionQuestion,
                Lt,
                Word,
                DotDot,
                Word,
                ColonColon,
                Word,
                ShiftLeft,
                Assign
            ]
        );
    }

    #[test]
    fn quotes() {
        assert_eq!(
            kinds(r#"'a' '\n' '\'' '"' "a\"b" 'ä'"#).iter().map(|p| p.0).collect::<Vec<_>>(),
            [Kind::Char, Kind::Char, Kind::Char, Kind::Char, Kind::Text, Kind::Char]
        );
        assert_eq!(kinds("'ab'")[0], (Kind::Bad(Bad::Apostrophe), "'".into()));
        assert_eq!(kinds("\"ab\nc")[0], (Kind::Bad(Bad::OpenText), "\"ab".into()));
        assert_eq!(kinds("\"ab\\").len(), 1);
        assert_eq!(kinds("'").len(), 1);
        assert_eq!(kinds("'\\").len(), 2);
    }

    #[test]
    fn lines_and_joined_lines() {
        let (tokens, diagnostic) = lex(FileId(0), "a \\\n b /* x\n */ c // d \\\n e\nf");
        assert!(diagnostic.is_empty());
        let starts: Vec<(&str, bool)> = tokens.iter().map(|t| (&*t.text, t.starts_line)).collect();
        assert_eq!(starts, [("a", true), ("b", false), ("c", true), ("f", true)]);
    }

    #[test]
    fn an_open_comment_is_reported() {
        let (tokens, diagnostic) = lex(FileId(0), "a /* b");
        assert_eq!((tokens.len(), diagnostic[0].code), (1, codes::UNTERMINATED));
    }
}
