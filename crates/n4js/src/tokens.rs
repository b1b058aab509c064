//! Tokens as readers see them.

use crate::lexer::lex;
use crate::token::T;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A word of the language, though some can be names.
    Word,
    /// A name.
    Name,
    /// A number.
    Number,
    /// A text, a part of a template, a regular expression.
    Text,
    /// Anything else.
    Operator,
}

/// The tokens of a text: where they begin and end, and what they are. Comments stand between them.
pub fn tokens(text: &str) -> Vec<(u32, u32, Class)> {
    // Offsets have 32 bits.
    if u32::try_from(text.len()).is_err() {
        return Vec::new();
    }
    let (tokens, _) = lex(text);
    let class = |kind: T, start: u32| match kind {
        T::Number => Class::Number,
        T::Text | T::Regex | T::Template | T::TemplateHead | T::TemplateMiddle | T::TemplateTail => {
            Class::Text
        }
        T::Name => Class::Name,
        _ => {
            let first = text.as_bytes().get(start as usize).copied().unwrap_or(b' ');
            if first.is_ascii_alphabetic() { Class::Word } else { Class::Operator }
        }
    };
    let own = tokens.iter().filter(|token| token.start < token.end);
    own.map(|token| (token.start, token.end, class(token.kind, token.start))).collect()
}
