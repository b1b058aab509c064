//! Words of conditions and of lists of values.

use std::ops::Range;

/// A word with its place, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) place: Range<usize>,
}

/// A kind of word.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Name(String),
    Int(i64),
    Float(f64),
    Text(String),
    Sign(&'static str),
    /// Beyond the last word.
    End,
}

/// Longer signs before their beginnings.
const SIGNS: &[&str] = &[
    "**", "//", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "<", ">", "=", "!", "+", "-", "*", "/", "%",
    "&", "|", "^", "(", ")", "[", "]", ",", "?", ":",
];

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// One sentence without a full stop.
    pub message: String,
    /// Bytes of the text.
    pub place: Range<usize>,
    /// A way out.
    pub help: Option<String>,
}

impl Mistake {
    pub(crate) fn new(message: impl Into<String>, place: Range<usize>) -> Self {
        Mistake { message: message.into(), place, help: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The words of a text, the last of which is [`Kind::End`].
///
/// # Errors
/// A character that begins no word, an open quote, or a number that is none.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, Mistake> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, length) = if first.is_ascii_alphabetic() || first == '_' {
            let length = word(rest, |c| c.is_ascii_alphanumeric() || c == '_');
            (Kind::Name(rest[..length].to_owned()), length)
        } else if first.is_ascii_digit()
            || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()))
        {
            number(rest, at)?
        } else if first == '"' || first == '\'' {
            let Some(length) = rest[1..].find(first) else {
                return Err(Mistake::new("this text has no end", at..text.len()));
            };
            (Kind::Text(rest[1..=length].to_owned()), length + 2)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Kind::Sign(sign), sign.len())
        } else {
            let place = at..at + first.len_utf8();
            return Err(Mistake::new(format!("`{first}` has no meaning here"), place));
        };
        tokens.push(Token { kind, place: at..at + length });
        at += length;
    }
    tokens.push(Token { kind: Kind::End, place: at..at });
    Ok(tokens)
}

fn word(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

fn number(rest: &str, at: usize) -> Result<(Kind, usize), Mistake> {
    if let Some(digits) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        let length = word(digits, |c| c.is_ascii_hexdigit());
        let place = at..at + 2 + length;
        let value = i64::from_str_radix(&digits[..length], 16);
        let value = value.map_err(|_| Mistake::new("this is no number of 64 bits", place))?;
        return Ok((Kind::Int(value), length + 2));
    }
    let mut length = word(rest, |c| c.is_ascii_digit());
    let mut is_whole = true;
    if rest[length..].starts_with('.') {
        is_whole = false;
        length += 1;
        length += word(&rest[length..], |c| c.is_ascii_digit());
    }
    if rest[length..].starts_with(['e', 'E']) {
        let mut exponent = 1;
        if rest[length + 1..].starts_with(['+', '-']) {
            exponent = 2;
        }
        let digits = word(&rest[length + exponent..], |c| c.is_ascii_digit());
        if digits > 0 {
            is_whole = false;
            length += exponent + digits;
        }
    }
    let (text, place) = (&rest[..length], at..at + length);
    let wrong = || Mistake::new("this is no number of 64 bits", place.clone());
    let kind = if is_whole {
        Kind::Int(text.parse().map_err(|_| wrong())?)
    } else {
        Kind::Float(text.parse().map_err(|_| wrong())?)
    };
    Ok((kind, length))
}
