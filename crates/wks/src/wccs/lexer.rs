//! Words and signs of the text of weighted CCS.

use volvelle_syntax::{Language, Lexicon, Rules, kinds};

/// A token of it.
pub(super) type Token = volvelle_syntax::Token<Kind>;

kinds! {
    /// A word or a sign.
    pub enum Kind {
        /// A name.
        Name,
        /// Digits and points.
        Number,
        /// Behind the last token.
        End,
    }
    flaws {
        /// Another character: numbers are what the reader of numbers takes.
        Unknown,
    }
    symbols {
        Define ":=", Arrow "->", DoubleArrow "=>", Less "<", Greater ">", Open "(", Close ")", Bar "|",
        Plus "+", Semicolon ";", Colon ":", Comma ",", Bang "!", Dot ".", Backslash "\\", OpenBrace "{",
        CloseBrace "}", OpenBracket "[", CloseBracket "]",
    }
    words {}
}

impl Language for Kind {
    const LEXICON: &'static Lexicon<Kind> = &Lexicon::new(Rules {
        line_comments: &["#", "//"],
        ..Rules::new(Kind::SYMBOLS, Kind::WORDS, Kind::Name, Kind::Number, Kind::Unknown, Kind::End)
    });

    /// Digits and points.
    fn number(bytes: &[u8], at: usize) -> (Self, usize) {
        let is_inside = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
        (Kind::Number, at + bytes[at..].iter().take_while(is_inside).count())
    }
}
