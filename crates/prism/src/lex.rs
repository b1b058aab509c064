//! Lexer of models and property files: text in, tokens and diagnostics out.
//!
//! Follows the tokens of PRISM's grammar, with four deviations that only widen what is accepted:
//! `|`, `<`, `[` and `'` are tokens of their own (PRISM joins `<-`, `<<`, `[[` and `x'`, so that it refuses
//! `x<-1`); `"name"` is one token; the word lists differ as [`Keyword`] says; a comment may end the file.
//! As in PRISM, an integer with leading zeros is a real, and `5.` is not a number.
//!
//! Every byte belongs to a token, to white space, to a comment or to a diagnostic; lexing never fails.

mod temporal;
mod token;

pub use temporal::respelt;
pub use token::{Keyword, Token, TokenKind};

use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// Diagnostics after which the lexer stops describing what it cannot read.
const DIAGNOSTIC_LIMIT: usize = 50;

/// The result of lexing a text.
#[derive(Debug)]
pub struct Lexed {
    /// The tokens; the last one is [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// Diagnostics, not more than a limit.
    pub diagnostics: Vec<Diagnostic>,
    /// All places that are wrong, in order, also those beyond the limit.
    pub unreadable: Vec<Span>,
}

/// Splits a text into tokens.
pub fn lex(file: FileId, text: &str, quotes: Quotes) -> Lexed {
    let mut lexer = Lexer {
        file,
        text,
        quotes,
        at: 0,
        starts_line: true,
        tokens: Vec::with_capacity(text.len() / 3),
        diagnostics: Vec::new(),
        unreadable: Vec::new(),
    };
    if text.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    while lexer.at < text.len() {
        lexer.next();
    }
    // The end stands right behind the last token, where a missing token would.
    let end = lexer.tokens.last().map_or(0, |token| token.end as usize);
    lexer.push(TokenKind::End, end, end);
    Lexed { tokens: lexer.tokens, diagnostics: lexer.diagnostics, unreadable: lexer.unreadable }
}

/// The texts that quotes may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// Names, as in models of the language.
    Names,
    /// Any text: labels that models of other languages have.
    Texts,
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    quotes: Quotes,
    at: usize,
    starts_line: bool,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
    unreadable: Vec<Span>,
}

impl Lexer<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        self.tokens.push(Token { kind, start: start as u32, end: end as u32, starts_line: self.starts_line });
        self.starts_line = false;
        self.at = end;
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.unreadable.extend(diagnostic.primary.as_ref().map(|label| label.span));
        if self.diagnostics.len() < DIAGNOSTIC_LIMIT {
            self.diagnostics.push(diagnostic);
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }

    /// Reads one token, or skips white space, a comment or something unreadable.
    fn next(&mut self) {
        let start = self.at;
        match self.byte(start) {
            b'\n' => {
                self.starts_line = true;
                self.at += 1;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
            b'/' if self.byte(start + 1) == b'/' => self.line_comment(),
            b'/' if self.byte(start + 1) == b'*' => self.block_comment(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(start + 1).is_ascii_digit() => self.number(),
            b'"' => self.quoted(),
            b'#' => self.preprocessor(),
            _ => match self.operator() {
                Some((kind, length)) => self.push(kind, start, start + length),
                None => self.unreadable(),
            },
        }
    }

    fn line_comment(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    /// `/* … */` is not PRISM: reported and skipped.
    fn block_comment(&mut self) {
        let start = self.at;
        let end = self.text[start + 2..].find("*/").map(|i| start + 2 + i + 2);
        let diagnostic = match end {
            Some(_) => Diagnostic::error(codes::UNEXPECTED_CHARACTER, "PRISM has no `/* … */` comments"),
            None => Diagnostic::error(codes::UNTERMINATED, "this comment has no end"),
        };
        self.report(
            diagnostic.at(self.span(start, start + 2), "").help("start each line of a comment with `//`"),
        );
        self.at = end.unwrap_or(self.text.len());
    }

    /// PRISM's preprocessor (`#const N#` and the like) is a separate tool: refused by name.
    fn preprocessor(&mut self) {
        let start = self.at;
        let rest = &self.text[start + 1..];
        let closing = rest.find(['#', '\n']).filter(|i| rest.as_bytes()[*i] == b'#');
        let end = match closing {
            Some(i) => start + 1 + i + 1,
            None => start + 1,
        };
        self.report(
            Diagnostic::error(
                codes::UNSUPPORTED_CONSTRUCT,
                "directives of PRISM's preprocessor (`#…#`) are not supported",
            )
            .at(self.span(start, end), "")
            .help("run the preprocessor first: `prismpp model.pp … > model.prism`"),
        );
        self.at = end;
    }

    fn word(&mut self) {
        let start = self.at;
        let end = self.word_end(start);
        let kind = match Keyword::from_text(&self.text[start..end]) {
            Some(word) => TokenKind::Keyword(word),
            None => TokenKind::Ident,
        };
        self.push(kind, start, end);
    }

    fn word_end(&self, start: usize) -> usize {
        let mut end = start;
        while matches!(self.byte(end), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_') {
            end += 1;
        }
        end
    }

    fn digits_end(&self, start: usize) -> usize {
        let mut end = start;
        while self.byte(end).is_ascii_digit() {
            end += 1;
        }
        end
    }

    /// `0`, `42`, `0.5`, `.5`, `1e-3`, `2.5E+7`.
    fn number(&mut self) {
        let start = self.at;
        let whole = self.digits_end(start);
        let mut end = whole;
        let mut real = whole - start > 1 && self.byte(start) == b'0';
        if self.byte(end) == b'.' && self.byte(end + 1).is_ascii_digit() {
            end = self.digits_end(end + 1);
            real = true;
        } else if self.byte(end) == b'.' && self.byte(end + 1) != b'.' {
            self.report(
                Diagnostic::error(codes::UNEXPECTED_CHARACTER, "digits must follow the decimal point")
                    .at(self.span(end, end + 1), "")
                    .help(format!("write `{}.0`", &self.text[start..end])),
            );
            self.push(TokenKind::Real, start, end);
            self.at = end + 1;
            return;
        }
        if matches!(self.byte(end), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(end + 1), b'+' | b'-'));
            let exponent_end = self.digits_end(end + 1 + sign);
            if exponent_end > end + 1 + sign {
                end = exponent_end;
                real = true;
            }
        }
        self.check_size(start, end, real);
        self.push(if real { TokenKind::Real } else { TokenKind::Int }, start, end);
    }

    /// Literals that PRISM's types cannot hold: 32-bit integers, and doubles. Tiny ones, of which there are no fractions to
    /// compute with either, are refused too.
    fn check_size(&mut self, start: usize, end: usize, real: bool) {
        let text = &self.text[start..end];
        let shown = shortened(text);
        let (problem, help) = if real {
            let value: f64 = text.parse().unwrap_or(f64::INFINITY);
            let mantissa = text.split(['e', 'E']).next().unwrap_or("");
            if value.is_infinite() {
                ("does not fit in a double", "the largest is about 1.8e308".to_string())
            } else if value == 0.0
                && mantissa.bytes().any(|b| matches!(b, b'1'..=b'9'))
                && text.split(['e', 'E']).nth(1).is_some_and(|e| e.parse::<i32>().is_ok_and(|e| e < -900))
            {
                ("is too small", "the smallest above 0 is 1e-900".to_string())
            } else {
                return;
            }
        } else if text.parse::<i32>().is_ok() {
            return;
        } else {
            let help = format!("to get a double, write {shown}.0");
            ("does not fit in an int", help)
        };
        self.report(
            Diagnostic::error(codes::NUMBER_TOO_LARGE, format!("`{shown}` {problem}"))
                .at(self.span(start, end), "")
                .help(help),
        );
    }

    /// `"name"`: as in PRISM, the quotes hold one name, with white space around it or not; any text where models of
    /// other languages have such labels.
    fn quoted(&mut self) {
        let start = self.at;
        // One search, so that a line of quotation marks is read in linear time.
        let rest = &self.text[start + 1..];
        let closing = rest.find(['"', '\n', '\r']).filter(|i| rest.as_bytes()[*i] == b'"');
        let Some(length) = closing else {
            let name_end = self.word_end(start + 1);
            let line_end = rest.find(['\n', '\r']).unwrap_or(rest.len());
            let end = start + 1 + rest[..line_end].trim_end().len();
            self.report(
                Diagnostic::error(codes::UNTERMINATED, "this string has no end")
                    .at(self.span(start, end), "")
                    .help("add a closing `\"`"),
            );
            self.push(TokenKind::Quoted, start, name_end);
            return;
        };
        let end = start + 1 + length + 1;
        let name = quoted_name(&self.text[start..end]);
        let valid = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !valid && self.quotes == Quotes::Names {
            self.report(
                Diagnostic::error(
                    codes::UNEXPECTED_CHARACTER,
                    format!("`\"{name}\"` is not a valid quoted name"),
                )
                .at(self.span(start, end), "")
                .note("a name is a letter or `_`, followed by letters, digits and `_`"),
            );
        }
        self.push(TokenKind::Quoted, start, end);
    }

    fn operator(&self) -> Option<(TokenKind, usize)> {
        let (a, b, c) = (self.byte(self.at), self.byte(self.at + 1), self.byte(self.at + 2));
        Some(match (a, b, c) {
            (b'<', b'=', b'>') => (TokenKind::Iff, 3),
            (b'<', b'=', _) => (TokenKind::Le, 2),
            (b'>', b'=', _) => (TokenKind::Ge, 2),
            (b'!', b'=', _) => (TokenKind::Ne, 2),
            (b'=', b'>', _) => (TokenKind::Implies, 2),
            (b'-', b'>', _) => (TokenKind::Arrow, 2),
            (b'.', b'.', _) => (TokenKind::Dots, 2),
            (b'<', ..) => (TokenKind::Lt, 1),
            (b'>', ..) => (TokenKind::Gt, 1),
            (b'!', ..) => (TokenKind::Not, 1),
            (b'=', ..) => (TokenKind::Eq, 1),
            (b'-', ..) => (TokenKind::Minus, 1),
            (b'&', ..) => (TokenKind::And, 1),
            (b'|', ..) => (TokenKind::Or, 1),
            (b':', ..) => (TokenKind::Colon, 1),
            (b';', ..) => (TokenKind::Semicolon, 1),
            (b',', ..) => (TokenKind::Comma, 1),
            (b'(', ..) => (TokenKind::LeftParen, 1),
            (b')', ..) => (TokenKind::RightParen, 1),
            (b'[', ..) => (TokenKind::LeftBracket, 1),
            (b']', ..) => (TokenKind::RightBracket, 1),
            (b'{', ..) => (TokenKind::LeftBrace, 1),
            (b'}', ..) => (TokenKind::RightBrace, 1),
            (b'+', ..) => (TokenKind::Plus, 1),
            (b'*', ..) => (TokenKind::Times, 1),
            (b'/', ..) => (TokenKind::Divide, 1),
            (b'^', ..) => (TokenKind::Caret, 1),
            (b'\'', ..) => (TokenKind::Prime, 1),
            (b'?', ..) => (TokenKind::Question, 1),
            _ => return None,
        })
    }

    /// A run of characters that start no token: one diagnostic, under the first of them.
    fn unreadable(&mut self) {
        let start = self.at;
        let mut characters = self.text[start..].chars();
        let first = characters.next().unwrap_or(' ');
        let mut end = start + first.len_utf8();
        for next in characters {
            // Do not swallow what may start a token; non-ASCII runs are one mistake.
            if next.is_ascii() || replacement(next).is_some() {
                break;
            }
            end += next.len_utf8();
        }
        let shown = if first.is_control() || first.is_whitespace() {
            format!("unexpected character U+{:04X}", first as u32)
        } else {
            format!("unexpected character `{first}`")
        };
        let mut diagnostic = Diagnostic::error(codes::UNEXPECTED_CHARACTER, shown)
            .at(self.span(start, start + first.len_utf8()), "");
        if let Some(help) = replacement(first) {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic);
        self.at = end;
    }
}

/// The token that a character outside of the language was probably meant to be.
fn replacement(character: char) -> Option<&'static str> {
    Some(match character {
        '%' => "the remainder of a division is `mod(a, b)`",
        '~' | '¬' => "negation is written `!`",
        '@' | '$' | '\\' | '`' => "names consist of letters, digits and `_`",
        '.' => "ranges are written `[0..5]`, numbers `0.5`",
        '“' | '”' | '„' | '«' | '»' => "use the plain quotation mark `\"`",
        '‘' | '’' | '′' | '´' => "use the plain apostrophe `'`",
        '–' | '—' | '−' => "use the plain minus sign `-`",
        '≤' => "write `<=`",
        '≥' => "write `>=`",
        '≠' => "write `!=`",
        '∧' => "write `&`",
        '∨' => "write `|`",
        '→' => "write `->`",
        '⇒' => "write `=>`",
        '⇔' | '↔' => "write `<=>`",
        '×' | '·' => "write `*`",
        '…' => "write `..`",
        '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{200b}' => "replace it by a plain space",
        _ => return None,
    })
}

/// A user's word for a message: not more than 40 characters of it.
pub(crate) fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 {
        return text.to_string();
    }
    text.chars().take(39).chain(['…']).collect()
}

/// The name between the quotes of a [`TokenKind::Quoted`] token.
pub fn quoted_name(text: &str) -> &str {
    text.trim_matches('"').trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_diagnostics::Sources;

    fn spelt(text: &str) -> Vec<String> {
        let mut sources = Sources::new();
        let file = sources.add("t", text);
        let Lexed { tokens, diagnostics, .. } = lex(file, text, Quotes::Names);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let mut shown = Vec::new();
        for token in &tokens[..tokens.len() - 1] {
            let text = sources.text(token.span(file));
            shown.push(match token.kind {
                TokenKind::Int => format!("int:{text}"),
                TokenKind::Real => format!("real:{text}"),
                TokenKind::Ident => format!("name:{text}"),
                _ => text.to_string(),
            });
        }
        shown
    }

    fn reported(text: &str) -> Vec<(String, u32, u32)> {
        let file = FileId(0);
        let diagnostics = lex(file, text, Quotes::Names).diagnostics;
        diagnostics
            .iter()
            .map(|d| {
                let span = d.primary.as_ref().unwrap().span;
                (d.code.to_string(), span.start, span.end)
            })
            .collect()
    }

    #[test]
    fn numbers() {
        assert_eq!(spelt("0 42 007 1e3"), ["int:0", "int:42", "real:007", "real:1e3"]);
        assert_eq!(spelt(".5 2.5E+7 1e-3"), ["real:.5", "real:2.5E+7", "real:1e-3"]);
        assert_eq!(spelt("0..5 0.1..N"), ["int:0", "..", "int:5", "real:0.1", "..", "name:N"]);
        assert_eq!(spelt("1e 2x 3e+"), ["int:1", "name:e", "int:2", "name:x", "int:3", "name:e", "+"]);
        assert_eq!(spelt("2147483647"), ["int:2147483647"]);
        assert_eq!(reported("x 2147483648"), [("V0104".into(), 2, 12)]);
        assert_eq!(reported("1e999"), [("V0104".into(), 0, 5)]);
        assert_eq!(reported("1e-999 + 0e-999 + 1e-400"), [("V0104".into(), 0, 6)]);
        assert_eq!(reported("5.;"), [("V0101".into(), 1, 2)]);
    }

    #[test]
    fn operators() {
        assert_eq!(spelt("<=> <= <-1"), ["<=>", "<=", "<", "-", "int:1"]);
        assert_eq!(spelt("a=>b->c!=d"), ["name:a", "=>", "name:b", "->", "name:c", "!=", "name:d"]);
        assert_eq!(spelt("|||x'=?"), ["|", "|", "|", "name:x", "'", "=", "?"]);
    }

    #[test]
    fn words_and_quotes() {
        assert_eq!(spelt("P Pmax Px _a1 of"), ["P", "Pmax", "name:Px", "name:_a1", "name:of"]);
        assert_eq!(spelt("\"done\" \" done \""), ["\"done\"", "\" done \""]);
        assert_eq!(quoted_name("\" done \""), "done");
        assert_eq!(reported("a \"b = c \nd"), [("V0103".into(), 2, 8)]);
        assert_eq!(reported("\"two words\""), [("V0101".into(), 0, 11)]);
        assert_eq!(reported("\"\""), [("V0101".into(), 0, 2)]);
    }

    #[test]
    fn comments_and_strangers() {
        assert_eq!(spelt("a // b\nc // d"), ["name:a", "name:c"]);
        assert_eq!(spelt("\u{feff}mdp"), ["mdp"]);
        assert_eq!(reported("a /* b */ c"), [("V0101".into(), 2, 4)]);
        assert_eq!(reported("a /* b"), [("V0103".into(), 2, 4)]);
        assert_eq!(reported("a ≤ b"), [("V0101".into(), 2, 5)]);
        assert_eq!(reported("#const N# x"), [("V0313".into(), 0, 9)]);
        assert_eq!(reported(&"@ ".repeat(1000)).len(), DIAGNOSTIC_LIMIT);
        assert_eq!(lex(FileId(0), &"@ ".repeat(1000), Quotes::Names).unreadable.len(), 1000);
    }

    #[test]
    fn line_starts() {
        let tokens = lex(FileId(0), "a b\n // c\n  d", Quotes::Names).tokens;
        let starts: Vec<bool> = tokens.iter().map(|t| t.starts_line).collect();
        assert_eq!(starts, [true, false, true, false]);
    }
}
