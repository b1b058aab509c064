//! Words and signs of the text of weighted CCS.

/// A word or a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A letter or `_`, then letters, digits and `_`.
    Name,
    /// Digits and points.
    Number,
    /// `:=`
    Define,
    /// `->`
    Arrow,
    /// `=>`
    DoubleArrow,
    /// Another character.
    Sign(char),
    /// The end of the text.
    End,
}

/// A word or a sign with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// The words and signs of a text, the last of which is [`Kind::End`].
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(text.len() / 3 + 1);
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = |inside: fn(&u8) -> bool| rest.iter().take_while(|byte| inside(byte)).count();
        let (kind, length) = match rest[0] {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += length(u8::is_ascii_whitespace);
                continue;
            }
            b'#' => {
                at += length(|&byte| byte != b'\n');
                continue;
            }
            b'/' if rest.get(1) == Some(&b'/') => {
                at += length(|&byte| byte != b'\n');
                continue;
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => {
                (Kind::Name, length(|&byte| byte.is_ascii_alphanumeric() || byte == b'_'))
            }
            b'0'..=b'9' => (Kind::Number, length(|&byte| byte.is_ascii_digit() || byte == b'.')),
            b':' if rest.get(1) == Some(&b'=') => (Kind::Define, 2),
            b'-' if rest.get(1) == Some(&b'>') => (Kind::Arrow, 2),
            b'=' if rest.get(1) == Some(&b'>') => (Kind::DoubleArrow, 2),
            _ => {
                let sign = text[at..].chars().next().expect("the text goes on here");
                (Kind::Sign(sign), sign.len_utf8())
            }
        };
        tokens.push(Token { kind, start: at, end: at + length });
        at += length;
    }
    tokens.push(Token { kind: Kind::End, start: text.len(), end: text.len() });
    tokens
}
