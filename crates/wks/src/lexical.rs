//! Words and signs that the texts of this crate share: names, texts in quotation marks, numbers, comments.
//!
//! Comments are `// …` and `# …` to the end of the line, and `/* … */`, which do not nest. Nothing is copied: a token is a range of bytes.

use std::borrow::Cow;
use volvelle_syntax::{BlockComment, Language, Lexicon, Quote, Rules, kinds, scan};

pub(crate) type Lexer<'t> = volvelle_syntax::Lexer<'t, Kind>;
pub(crate) type Token = volvelle_syntax::Token<Kind>;

kinds! {
    /// The sort of a token.
    pub(crate) enum Kind {
        /// A word: a letter or `_`, then letters, digits, `_`, `.` and `'`.
        Name,
        /// A text, with its quotation marks.
        Quoted,
        /// Digits, a point, an exponent.
        Number,
        /// Behind the last token.
        End,
    }
    flaws {
        /// A character that begins no token.
        Unknown,
        /// A text in quotation marks that the line ends before.
        OpenText,
        /// A comment that the text ends before.
        OpenComment,
    }
    symbols {
        ParenthesisOpen "(", ParenthesisClose ")", BracketOpen "[", BracketClose "]", BraceOpen "{",
        BraceClose "}", Comma ",", Colon ":", Semicolon ";", Plus "+", Minus "-", Times "*", Slash "/",
        Arrow "->", DoubleArrow "=>", BothWays "<->", Bang "!", And "&", Or "|",
        Less "<", LessEqual "<=", Greater ">", GreaterEqual ">=", Equal "=", DoubleEqual "==", NotEqual "!=",
        Infinity "∞", Question "?",
    }
    words {}
}

impl Language for Kind {
    const LEXICON: &'static Lexicon<Kind> = &Lexicon::new(Rules {
        aliases: &[("&&", T!["&"]), ("||", T!["|"])],
        inside: b"_.'",
        point: true,
        line_comments: &["//", "#"],
        block_comment: Some(BlockComment::new("/*", "*/", Kind::OpenComment)),
        quotes: &[Quote::escaped(b'"', Kind::Quoted, Kind::OpenText)],
        ..Rules::new(Kind::SYMBOLS, Kind::WORDS, Kind::Name, Kind::Number, Kind::Unknown, Kind::End)
    });

    #[inline]
    fn number(bytes: &[u8], at: usize) -> (Self, usize) {
        (Kind::Number, scan::decimal(bytes, at))
    }
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
            .map(|token| (token.kind, token.text(text)))
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
