//! Tokens of grammar files.

use volvelle_syntax::{Language, Lexicon, Quote, Rules, Unicode, kinds};

kinds! {
    /// Kinds of tokens of grammar files.
    pub enum Kind { Name, Number, Keyword, Pattern, End }
    flaws { Unknown, OpenKeyword, OpenPattern }
    symbols {
        Colon ":", Semicolon ";", Equals "=", Adds "+=", Sets "?=", Question "?", Star "*", Plus "+", Bar "|",
        Open "(", Close ")", OpenBrace "{", CloseBrace "}", OpenBracket "[", CloseBracket "]", Comma ",", Point ".", Arrow "->",
    }
    words { }
}

impl Language for Kind {
    const LEXICON: &'static Lexicon<Kind> = &Lexicon::new(Rules {
        line_comments: &["//"],
        quotes: &[Quote::escaped(b'"', Kind::Keyword, Kind::OpenKeyword)],
        unicode: Unicode::Words,
        others: b"/",
        ..Rules::new(Kind::SYMBOLS, Kind::WORDS, Kind::Name, Kind::Number, Kind::Unknown, Kind::End)
    });

    fn other(text: &str, at: usize) -> Option<(Option<Self>, usize)> {
        pattern(text.as_bytes(), at)
    }
}

/// A regular expression between slashes, on one line. A slash within brackets or behind a backslash does not end it.
fn pattern(bytes: &[u8], start: usize) -> Option<(Option<Kind>, usize)> {
    if bytes.get(start + 1) == Some(&b'/') {
        return None; // a comment
    }
    let (mut at, mut is_class) = (start + 1, false);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => break,
            b'\\' if bytes.get(at + 1).is_some_and(|next| *next != b'\n') => at += 1,
            b'[' => is_class = true,
            b']' => is_class = false,
            b'/' if !is_class => return Some((Some(Kind::Pattern), at + 1)),
            _ => {}
        }
        at += 1;
    }
    Some((Some(Kind::OpenPattern), at))
}
