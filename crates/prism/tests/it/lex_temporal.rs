//! Operators of linear temporal logic in the spelling of other tools.

use volvelle_diagnostics::FileId;
use volvelle_prism::lex::{Keyword, Quotes, Token, TokenKind, lex, respelt};

/// The operators of a text, with their places.
fn operators(text: &str) -> Vec<(TokenKind, u32, u32)> {
    let lexed = lex(FileId(0), text, Quotes::Texts);
    let is_operator = |token: &Token| !matches!(token.kind, TokenKind::Ident | TokenKind::End);
    let tokens = respelt(&lexed.tokens).into_iter().filter(is_operator);
    tokens.map(|token| (token.kind, token.start, token.end)).collect()
}

#[test]
fn each_operator_lies_where_it_was_written() {
    use TokenKind as T;
    assert_eq!(
        operators("[]a && <>b || c -> d <-> e"),
        [
            (T::Keyword(Keyword::G), 0, 2),
            (T::And, 4, 6),
            (T::Keyword(Keyword::F), 7, 9),
            (T::Or, 11, 13),
            (T::Implies, 16, 18),
            (T::Iff, 21, 24),
        ]
    );
}

#[test]
fn operators_of_the_language_stay() {
    let text = "G a & F b | c => d <=> e";
    assert_eq!(
        respelt(&lex(FileId(0), text, Quotes::Texts).tokens),
        lex(FileId(0), text, Quotes::Texts).tokens
    );
}

#[test]
fn quoted_names_and_separate_tokens_stay() {
    use TokenKind as T;
    assert_eq!(operators("\"a->b\" \"<>\""), [(T::Quoted, 0, 6), (T::Quoted, 7, 11)]);
    assert_eq!(
        operators("[ ] < > <-"),
        [
            (T::LeftBracket, 0, 1),
            (T::RightBracket, 2, 3),
            (T::Lt, 4, 5),
            (T::Gt, 6, 7),
            (T::Lt, 8, 9),
            (T::Minus, 9, 10),
        ]
    );
}
