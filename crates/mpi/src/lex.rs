//! Tokens of programs. Characters that belong to no token are reported and left out.

use volvelle_diagnostics::{Diagnostic, FileId, codes};
use volvelle_syntax::{BlockComment, Language, Lexicon, Quote, Rules, Token, kinds, scan};

kinds! {
    /// Kinds of tokens. Words such as `home` and `data` mean something in their place only, and are names.
    pub enum Kind {
        /// A name.
        Name,
        /// Digits.
        Number,
        /// A number with a point.
        Decimal,
        /// `"text"`
        Text,
        /// Behind the last token.
        End,
    }
    flaws {
        /// Characters without a meaning.
        Strange,
        /// A text without an end.
        OpenText,
        /// A comment without an end.
        OpenComment,
        /// A name that begins with a digit.
        NameWithDigit,
        /// A number that is too large.
        LargeNumber,
    }
    symbols {
        Dots "..", Same "==", NotSame "!=", LessOrSame "<=", MoreOrSame ">=", And "&&", Or "||", OpenBrace "{",
        CloseBrace "}", Open "(", Close ")", OpenBracket "[", CloseBracket "]", Semicolon ";", Comma ",",
        Colon ":", Question "?", Equal "=", Less "<", More ">", Plus "+", Minus "-", Times "*", Divide "/",
        Remainder "%", Not "!", Dot ".", BitAnd "&", BitOr "|",
    }
    words {
        Assert "assert", Break "break", Cas "cas", Channel "channel", Const "const", Continue "continue",
        Either "either", Else "else", Enter "enter", False "false", FetchAdd "fetch_add", For "for", If "if",
        Leave "leave", Local "local", Loop "loop", Measure "measure", OrElse "or", Private "private",
        Procedure "procedure", Process "process", Read "read", Received "received", Repeat "repeat",
        Return "return", Sent "sent", Shared "shared", Swap "swap", Tas "tas", True "true", Type "type",
        Until "until", While "while", Work "work",
    }
}

impl Language for Kind {
    const LEXICON: &'static Lexicon<Kind> = &Lexicon::new(Rules {
        line_comments: &["//"],
        block_comment: Some(BlockComment::new("/*", "*/", Kind::OpenComment)),
        quotes: &[Quote::new(b'"', Kind::Text, Kind::OpenText)],
        ..Rules::new(Kind::SYMBOLS, Kind::WORDS, Kind::Name, Kind::Number, Kind::Strange, Kind::End)
    });

    fn number(bytes: &[u8], at: usize) -> (Self, usize) {
        let end = scan::digits(bytes, at);
        let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        if bytes.get(end) == Some(&b'.') && is_digit(end + 1) {
            return (Kind::Decimal, scan::digits(bytes, end + 1));
        }
        let word = scan::word(bytes, end);
        if word > end {
            return (Kind::NameWithDigit, word);
        }
        // The digits of the largest one are 19.
        let is_large = end - at > 18 && value(&bytes[at..end]).is_none();
        (if is_large { Kind::LargeNumber } else { Kind::Number }, end)
    }

    /// One message for a run of strange characters.
    fn unknown(text: &str, at: usize) -> usize {
        let is_strange = |c: char| !c.is_ascii() || c.is_ascii_control() || "#$@\\^`~'".contains(c);
        let rest = &text[at..];
        let length = rest.find(|c: char| !is_strange(c) || c.is_ascii_whitespace()).unwrap_or(rest.len());
        at + length.max(1)
    }
}

/// The value of digits, if they are only digits and it is not too large.
pub(crate) fn value(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0_i64, |value, byte| {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

/// The tokens of a text. What should be a number is one, of the value 0.
pub(crate) fn tokens(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token<Kind>> {
    volvelle_syntax::tokens(text, |token: Token<Kind>| {
        let (message, label, stand_in) = match token.kind {
            Kind::OpenText => ("this text has no end", "add a `\"` behind it", None),
            Kind::OpenComment => ("this comment has no end", "add a `*/` behind it", None),
            Kind::NameWithDigit => {
                ("a name begins with a letter", "this begins with a digit", Some(Kind::Number))
            }
            Kind::LargeNumber => {
                ("this number is too large", "the largest one is 9223372036854775807", Some(Kind::Number))
            }
            _ => ("these characters have no meaning here", "leave them out", None),
        };
        diagnostics.push(Diagnostic::error(codes::PRIMITIVE_SYNTAX, message).at(token.span(file), label));
        stand_in.map(|kind| Token { kind, ..token })
    })
}
