//! Words and signs that the texts of this crate share: names, texts in quotation marks, numbers, comments.
//!
//! Comments are `// …` and `# …` to the end of the line, and `/* … */`, which do not nest. Nothing is copied: a token is a range of bytes.

use std::borrow::Cow;
use volvelle_syntax::{BlockComment, Language, Lexicon, Quote, Rules, kinds, scan};

/// The lexer of this crate's texts.
pub type Lexer<'t> = volvelle_syntax::Lexer<'t, Kind>;
/// A token of them.
pub type Token = volvelle_syntax::Token<Kind>;

kinds! {
    /// The sort of a token.
    pub enum Kind {
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
pub fn unquoted(text: &str) -> Cow<'_, str> {
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
