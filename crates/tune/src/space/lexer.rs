//! Words of conditions and of lists of values.

use std::ops::Range;
use volvelle_diagnostics::FileId;
use volvelle_syntax::{Cursor, Language, Lexicon, Quote, Rules, Token, Unicode, kinds, scan};

kinds! {
    /// A kind of word.
    pub(crate) enum Kind {
        Name,
        Int,
        Float,
        /// With its quotes.
        Text,
        /// Beyond the last word.
        End,
    }
    flaws { Unknown, OpenText, LargeNumber }
    symbols {
        Power "**", Quotient "//", LessOrSame "<=", MoreOrSame ">=", Same "==", NotSame "!=", AndAnd "&&",
        OrOr "||", ShiftLeft "<<", ShiftRight ">>", Less "<", More ">", Equal "=", Bang "!", Plus "+", Minus "-",
        Times "*", Divide "/", Remainder "%", BitAnd "&", BitOr "|", BitXor "^", Open "(", Close ")",
        OpenBracket "[", CloseBracket "]", Comma ",", Question "?", Colon ":",
    }
    words { And "and", Else "else", If "if", In "in", Not "not", Or "or" }
}

const QUOTE: Quote<Kind> = Quote { lines: true, ..Quote::new(b'"', Kind::Text, Kind::OpenText) };

impl Language for Kind {
    const LEXICON: &'static Lexicon<Kind> = &Lexicon::new(Rules {
        point: true,
        unicode: Unicode::Blanks,
        quotes: &[QUOTE, Quote { mark: b'\'', ..QUOTE }],
        ..Rules::new(Kind::SYMBOLS, Kind::WORDS, Kind::Name, Kind::Int, Kind::Unknown, Kind::End)
    });

    fn number(bytes: &[u8], at: usize) -> (Self, usize) {
        if let [b'0', b'x' | b'X', digits @ ..] = &bytes[at..] {
            let length = digits.iter().take_while(|digit| digit.is_ascii_hexdigit()).count();
            return (number(&bytes[at..at + 2 + length]), at + 2 + length);
        }
        let mut end = scan::digits(bytes, at);
        if bytes.get(end) == Some(&b'.') {
            end = scan::digits(bytes, end + 1);
        }
        end = scan::exponent(bytes, end);
        (number(&bytes[at..end]), end)
    }
}

fn number(text: &[u8]) -> Kind {
    let is_hexadecimal = matches!(text, [b'0', b'x' | b'X', ..]);
    if !is_hexadecimal && !text.iter().all(u8::is_ascii_digit) {
        return Kind::Float;
    }
    let is_short = !is_hexadecimal && text.len() < 19;
    if is_short || str::from_utf8(text).is_ok_and(|text| whole(text).is_some()) {
        Kind::Int
    } else {
        Kind::LargeNumber
    }
}

/// The value of decimal or hexadecimal digits.
pub(crate) fn whole(text: &str) -> Option<i64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

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

/// The place of a word.
pub(crate) fn place(token: Token<Kind>) -> Range<usize> {
    token.start as usize..token.end as usize
}

/// The words of a text.
///
/// # Errors
/// A character that begins no word, an open quote, or a number that is none.
pub(crate) fn words(text: &str) -> Result<Cursor<'_, Kind>, Mistake> {
    let mut mistake = None;
    let tokens = volvelle_syntax::tokens(text, |token: Token<Kind>| {
        let message = match token.kind {
            Kind::OpenText => "this text has no end".to_owned(),
            Kind::LargeNumber => "this is no number of 64 bits".to_owned(),
            _ => format!("`{}` has no meaning here", token.text(text)),
        };
        mistake.get_or_insert_with(|| Mistake::new(message, place(token)));
        None
    });
    // The text is no file: its mistakes have places without one.
    mistake.map_or_else(|| Ok(Cursor::new(FileId(0), text, tokens)), Err)
}
