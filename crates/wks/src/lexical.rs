//! Words and signs that the texts of this crate share: names, texts in quotation marks, numbers, comments.
//!
//! Comments are `// …` and `# …` to the end of the line, and `/* … */`, which do not nest. Nothing is copied: a token is a range of bytes.

use std::borrow::Cow;

/// A sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    ParenthesisOpen,
    ParenthesisClose,
    BracketOpen,
    BracketClose,
    BraceOpen,
    BraceClose,
    Comma,
    Colon,
    Semicolon,
    Plus,
    Minus,
    Times,
    Slash,
    /// `->`
    Arrow,
    /// `=>`
    DoubleArrow,
    /// `<->`
    BothWays,
    /// `!`
    Bang,
    /// `&`, `&&`
    And,
    /// `|`, `||`
    Or,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// `=`
    Equal,
    /// `==`
    DoubleEqual,
    /// `!=`
    NotEqual,
    /// `∞`
    Infinity,
    /// `?`
    Question,
}

/// The sort of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word: a letter or `_`, then letters, digits, `_`, `.` and `'`.
    Name,
    /// A text, with its quotation marks.
    Quoted,
    /// Digits, a point, an exponent.
    Number,
    Sign(Sign),
    /// A character that begins no token.
    Unknown,
    /// A text in quotation marks that the line ends before.
    OpenText,
    /// A comment that the text ends before.
    OpenComment,
    /// Behind the last token.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

impl Token {
    pub fn is(&self, sign: Sign) -> bool {
        self.kind == Kind::Sign(sign)
    }
}

/// Goes through the tokens of a text.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str) -> Self {
        Lexer { text, at: 0 }
    }

    /// The text of a token.
    #[inline]
    pub fn text(&self, token: Token) -> &'t str {
        &self.text[token.start..token.end]
    }

    /// The next token; behind the last one, [`Kind::End`] again and again.
    pub fn next(&mut self) -> Token {
        let bytes = self.text.as_bytes();
        let found = |kind, start, end| Token { kind, start, end };
        if let Err(start) = self.skip_blank() {
            self.at = bytes.len();
            return found(Kind::OpenComment, start, start + 2);
        }
        let start = self.at;
        let Some(&first) = bytes.get(start) else { return found(Kind::End, start, start) };
        let (kind, end) = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let is_inside = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'\'');
                (Kind::Name, start + bytes[start..].iter().take_while(is_inside).count())
            }
            b'0'..=b'9' => (Kind::Number, number_end(bytes, start)),
            b'.' if bytes.get(start + 1).is_some_and(u8::is_ascii_digit) => {
                (Kind::Number, number_end(bytes, start))
            }
            b'"' => quoted_end(bytes, start),
            _ => match sign(&bytes[start..]) {
                Some((sign, length)) => (Kind::Sign(sign), start + length),
                None => {
                    let length = self.text[start..].chars().next().map_or(1, char::len_utf8);
                    (Kind::Unknown, start + length)
                }
            },
        };
        self.at = end;
        found(kind, start, end)
    }

    /// Goes on behind white space and comments; where a comment has no end, where it begins.
    fn skip_blank(&mut self) -> Result<(), usize> {
        let bytes = self.text.as_bytes();
        loop {
            match (bytes.get(self.at), bytes.get(self.at + 1)) {
                (Some(b' ' | b'\n' | b'\t' | b'\r' | 0x0c), _) => self.at += 1,
                (Some(b'#'), _) | (Some(b'/'), Some(b'/')) => {
                    self.at += bytes[self.at..].iter().take_while(|b| **b != b'\n').count();
                }
                (Some(b'/'), Some(b'*')) => match self.text[self.at + 2..].find("*/") {
                    Some(length) => self.at += length + 4,
                    None => return Err(self.at),
                },
                // The mark of the order of bytes that some editors write, at the beginning.
                (Some(0xef), _) if self.at == 0 && self.text.starts_with('\u{feff}') => self.at = 3,
                _ => return Ok(()),
            }
        }
    }
}

fn number_end(bytes: &[u8], start: usize) -> usize {
    let digits = |at: usize| bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = start + digits(start);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = bytes.get(end + 1 + sign).map_or(0, |_| digits(end + 1 + sign));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

fn quoted_end(bytes: &[u8], start: usize) -> (Kind, usize) {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            None | Some(b'\n') => return (Kind::OpenText, at),
            Some(b'"') => return (Kind::Quoted, at + 1),
            Some(b'\\') if bytes.get(at + 1).is_some_and(u8::is_ascii) => {
                at += 1 + usize::from(bytes[at + 1] != b'\n');
            }
            Some(_) => at += 1,
        }
    }
}

fn sign(bytes: &[u8]) -> Option<(Sign, usize)> {
    Some(match bytes {
        [b'<', b'-', b'>', ..] => (Sign::BothWays, 3),
        [0xe2, 0x88, 0x9e, ..] => (Sign::Infinity, 3),
        [b'-', b'>', ..] => (Sign::Arrow, 2),
        [b'=', b'>', ..] => (Sign::DoubleArrow, 2),
        [b'=', b'=', ..] => (Sign::DoubleEqual, 2),
        [b'!', b'=', ..] => (Sign::NotEqual, 2),
        [b'<', b'=', ..] => (Sign::LessEqual, 2),
        [b'>', b'=', ..] => (Sign::GreaterEqual, 2),
        [b'&', b'&', ..] => (Sign::And, 2),
        [b'|', b'|', ..] => (Sign::Or, 2),
        [first, ..] => {
            let sign = match first {
                b'(' => Sign::ParenthesisOpen,
                b')' => Sign::ParenthesisClose,
                b'[' => Sign::BracketOpen,
                b']' => Sign::BracketClose,
                b'{' => Sign::BraceOpen,
                b'}' => Sign::BraceClose,
                b',' => Sign::Comma,
                b':' => Sign::Colon,
                b';' => Sign::Semicolon,
                b'+' => Sign::Plus,
                b'-' => Sign::Minus,
                b'*' => Sign::Times,
                b'/' => Sign::Slash,
                b'!' => Sign::Bang,
                b'&' => Sign::And,
                b'|' => Sign::Or,
                b'<' => Sign::Less,
                b'>' => Sign::Greater,
                b'=' => Sign::Equal,
                b'?' => Sign::Question,
                _ => return None,
            };
            (sign, 1)
        }
        [] => return None,
    })
}

/// What a name stands for: itself, or what is between the quotation marks, where `\n`, `\r` and `\t` are such characters, and `\` before
/// another one goes.
pub(crate) fn unquoted(text: &str) -> Cow<'_, str> {
    let Some(inner) = text.strip_prefix('"') else { return Cow::Borrowed(text) };
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut content = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => content.push(match characters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            }),
            other => content.push(other),
        }
    }
    Cow::Owned(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| Some(lexer.next()).filter(|token| token.kind != Kind::End))
            .map(|token| (token.kind, &text[token.start..token.end]))
            .collect()
    }

    #[test]
    fn numbers_end_before_arrows() {
        let texts = |text| kinds(text).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts("-1e-3-> a.b'"), ["-", "1e-3", "->", "a.b'"]);
        assert_eq!(texts("1e-> .5 5.e 7.25E+2"), ["1", "e", "->", ".5", "5", ".", "e", "7.25E+2"]);
        assert_eq!(texts("a<->b <= # end\n c /* d */ // e\n ∞"), ["a", "<->", "b", "<=", "c", "∞"]);
    }

    #[test]
    fn what_has_no_end() {
        assert_eq!(kinds("a \"b\nc"), [(Kind::Name, "a"), (Kind::OpenText, "\"b"), (Kind::Name, "c")]);
        assert_eq!(kinds("\"b\\"), [(Kind::OpenText, "\"b\\")]);
        assert_eq!(
            kinds("\"b\\\nc\""),
            [(Kind::OpenText, "\"b\\"), (Kind::Name, "c"), (Kind::OpenText, "\"")]
        );
        assert_eq!(kinds("a /* b"), [(Kind::Name, "a"), (Kind::OpenComment, "/*")]);
        assert_eq!(kinds("é"), [(Kind::Unknown, "é")]);
    }

    #[test]
    fn quotation_marks_inside() {
        assert_eq!(kinds(r#""a\"b" c"#), [(Kind::Quoted, r#""a\"b""#), (Kind::Name, "c")]);
        assert_eq!(unquoted(r#""a\"b\\\n""#), "a\"b\\\n");
        assert_eq!(kinds("\"\\é\"").len(), 1);
    }
}
