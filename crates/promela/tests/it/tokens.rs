//! The lexer of files, and keywords.

use volvelle_diagnostics::{FileId, codes};
use volvelle_promela::lex::lex;
use volvelle_promela::token::{Kind, keyword};
use volvelle_syntax::Spelt;

fn kinds(text: &str) -> Vec<(Kind, String)> {
    lex(FileId(0), text).0.into_iter().map(|token| (token.kind, token.text.to_string())).collect()
}

#[test]
fn longest_operators_win() {
    let found: Vec<Kind> = kinds("a--b->c!!d??<e..f::g<<=").into_iter().map(|pair| pair.0).collect();
    use Kind::*;
    assert_eq!(
        found,
        [
            Word,
            Decrement,
            Word,
            Arrow,
            Word,
            BangBang,
            Word,
            QuestionQuestion,
            Lt,
            Word,
            DotDot,
            Word,
            ColonColon,
            Word,
            ShiftLeft,
            Assign
        ]
    );
}

#[test]
fn quotes() {
    assert_eq!(
        kinds(r#"'a' '\n' '\'' '"' "a\"b" 'ä'"#).iter().map(|p| p.0).collect::<Vec<_>>(),
        [Kind::Char, Kind::Char, Kind::Char, Kind::Char, Kind::Text, Kind::Char]
    );
    assert_eq!(kinds("'ab'")[0], (Kind::Apostrophe, "'".into()));
    assert_eq!(kinds("\"ab\nc")[0], (Kind::OpenText, "\"ab".into()));
    assert_eq!(kinds("\"ab\\").len(), 1);
    assert_eq!(kinds("'").len(), 1);
    assert_eq!(kinds("'\\").len(), 2);
}

#[test]
fn lines_and_joined_lines() {
    let (tokens, diagnostic) = lex(FileId(0), "a \\\n b /* x\n */ c // d \\\n e\nf");
    assert!(diagnostic.is_empty());
    let starts: Vec<(&str, bool)> = tokens.iter().map(|t| (&*t.text, t.starts_line)).collect();
    assert_eq!(starts, [("a", true), ("b", false), ("c", true), ("f", true)]);
}

#[test]
fn an_open_comment_is_reported() {
    let (tokens, diagnostic) = lex(FileId(0), "a /* b");
    assert_eq!((tokens.len(), diagnostic[0].code), (1, codes::UNTERMINATED));
}

#[test]
fn keywords_have_their_text() {
    for &(text, word) in Kind::WORDS {
        assert_eq!((keyword(text), word.spelling()), (Some(word), Some(text)));
    }
    for name in ["in", "always", "np_", "_pid", "STDIN", "If", "return_"] {
        assert_eq!(keyword(name), None, "{name} is a name");
    }
}
