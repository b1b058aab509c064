//! Words of the format: names of headers, identifiers, aliases, numbers, texts in quotes, and signs.

use super::HoaError;
use std::ops::Range;

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// `name:`
    Header(String),
    /// `name`
    Identifier(String),
    /// `@name`
    Alias(String),
    /// A number.
    Number(u64),
    /// A text, without quotes and escapes.
    Text(String),
    /// One of `! & | ( ) [ ] { }`
    Sign(char),
    /// `--BODY--`
    Body,
    /// `--END--`
    End,
    /// `--ABORT--`
    Abort,
    /// Nothing is left.
    Nothing,
}

/// The words of a text.
pub struct Tokens {
    tokens: Vec<(Token, Range<usize>)>,
    next: usize,
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

impl Tokens {
    /// All words of a text.
    pub fn new(text: &str) -> Result<Self, HoaError> {
        let bytes = text.as_bytes();
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            let rest = &text[at..];
            let token = match bytes[at] {
                b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c => {
                    at += 1;
                    continue;
                }
                b'/' if rest.starts_with("/*") => {
                    at = end_of_comment(bytes, at)?;
                    continue;
                }
                b'"' => {
                    let (content, end) = quoted(text, at)?;
                    at = end;
                    Token::Text(content)
                }
                b'0'..=b'9' => {
                    at += bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                    let number = text[start..at].parse();
                    Token::Number(number.map_err(|_| HoaError::new(start..at, "this number is too large"))?)
                }
                b'@' => {
                    at += 1 + bytes[at + 1..].iter().take_while(|&&byte| is_name(byte)).count();
                    Token::Alias(text[start + 1..at].to_string())
                }
                b'-' if rest.starts_with("--BODY--") => {
                    at += 8;
                    Token::Body
                }
                b'-' if rest.starts_with("--END--") => {
                    at += 7;
                    Token::End
                }
                b'-' if rest.starts_with("--ABORT--") => {
                    at += 9;
                    Token::Abort
                }
                byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                    at += bytes[at..].iter().take_while(|&&byte| is_name(byte)).count();
                    let name = text[start..at].to_string();
                    if bytes.get(at) == Some(&b':') {
                        at += 1;
                        Token::Header(name)
                    } else {
                        Token::Identifier(name)
                    }
                }
                byte @ (b'!' | b'&' | b'|' | b'(' | b')' | b'[' | b']' | b'{' | b'}') => {
                    at += 1;
                    Token::Sign(char::from(byte))
                }
                _ => {
                    let found = rest.chars().next().unwrap_or(' ');
                    let message = format!("an automaton does not contain `{}`", found.escape_debug());
                    return Err(HoaError::new(at..at + found.len_utf8(), message));
                }
            };
            tokens.push((token, start..at));
        }
        let end = text.len();
        tokens.push((Token::Nothing, end..end));
        Ok(Tokens { tokens, next: 0 })
    }

    /// The next word.
    pub fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    /// Its place.
    pub fn place(&self) -> Range<usize> {
        self.tokens[self.next].1.clone()
    }

    /// Takes the next word.
    pub fn take(&mut self) -> Token {
        let token = self.peek().clone();
        if token != Token::Nothing {
            self.next += 1;
        }
        token
    }

    /// The place of the next word among all.
    pub fn mark(&self) -> usize {
        self.next
    }

    /// Goes on at another place; the one before.
    pub fn jump(&mut self, mark: usize) -> usize {
        std::mem::replace(&mut self.next, mark)
    }

    /// Takes the next word if it is this sign.
    pub fn takes(&mut self, sign: char) -> bool {
        let is = *self.peek() == Token::Sign(sign);
        if is {
            self.next += 1;
        }
        is
    }

    /// Takes this sign.
    pub fn expect(&mut self, sign: char) -> Result<(), HoaError> {
        if self.takes(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    /// Takes a number.
    pub fn number(&mut self, what: &str) -> Result<u64, HoaError> {
        match *self.peek() {
            Token::Number(number) => {
                self.next += 1;
                Ok(number)
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// The next word is not what is expected.
    pub fn unexpected(&self, expected: &str) -> HoaError {
        let found = match self.peek() {
            Token::Header(name) => format!("`{name}:`"),
            Token::Identifier(name) => format!("`{name}`"),
            Token::Alias(name) => format!("`@{name}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Text(_) => "a text in quotes".to_string(),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::Body => "`--BODY--`".to_string(),
            Token::End => "`--END--`".to_string(),
            Token::Abort => "`--ABORT--`".to_string(),
            Token::Nothing => "the end of the file".to_string(),
        };
        HoaError::new(self.place(), format!("expected {expected}, found {found}"))
    }
}

/// The end of a comment; comments nest.
fn end_of_comment(bytes: &[u8], start: usize) -> Result<usize, HoaError> {
    let mut depth = 0usize;
    let mut at = start;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Ok(at);
            }
        } else {
            at += 1;
        }
    }
    Err(HoaError::new(start..start + 2, "this comment does not end"))
}

/// A text in quotes, and its end.
fn quoted(text: &str, start: usize) -> Result<(String, usize), HoaError> {
    let mut content = String::new();
    let mut characters = text[start + 1..].char_indices();
    while let Some((place, character)) = characters.next() {
        match character {
            '"' => return Ok((content, start + place + 2)),
            '\\' => content.extend(characters.next().map(|(_, escaped)| escaped)),
            _ => content.push(character),
        }
    }
    Err(HoaError::new(start..start + 1, "this text does not end"))
}
