//! Tokens of the language.

use volvelle_diagnostics::{FileId, Sources};
use volvelle_prism::lex::{DIAGNOSTIC_LIMIT, Lexed, Quotes, TokenKind, lex, quoted_name};

fn spelt(text: &str) -> Vec<String> {
    let mut sources = Sources::new();
    let file = sources.add("t", text);
    let Lexed { tokens, diagnostics, .. } = lex(file, text, Quotes::Names);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let mut shown = Vec::new();
    for token in &tokens[..tokens.len() - 1] {
        let text = sources.text(token.span(file));
        shown.push(match token.kind {
            TokenKind::Int => format!("int:{text}"),
            TokenKind::Real => format!("real:{text}"),
            TokenKind::Ident => format!("name:{text}"),
            _ => text.to_string(),
        });
    }
    shown
}

fn reported(text: &str) -> Vec<(String, u32, u32)> {
    let file = FileId(0);
    let diagnostics = lex(file, text, Quotes::Names).diagnostics;
    diagnostics
        .iter()
        .map(|d| {
            let span = d.primary.as_ref().unwrap().span;
            (d.code.to_string(), span.start, span.end)
        })
        .collect()
}

#[test]
fn numbers() {
    assert_eq!(spelt("0 42 007 1e3"), ["int:0", "int:42", "real:007", "real:1e3"]);
    assert_eq!(spelt(".5 2.5E+7 1e-3"), ["real:.5", "real:2.5E+7", "real:1e-3"]);
    assert_eq!(spelt("0..5 0.1..N"), ["int:0", "..", "int:5", "real:0.1", "..", "name:N"]);
    assert_eq!(spelt("1e 2x 3e+"), ["int:1", "name:e", "int:2", "name:x", "int:3", "name:e", "+"]);
    assert_eq!(spelt("2147483647"), ["int:2147483647"]);
    assert_eq!(reported("x 2147483648"), [("V0104".into(), 2, 12)]);
    assert_eq!(reported("1e999"), [("V0104".into(), 0, 5)]);
    assert_eq!(reported("1e-999 + 0e-999 + 1e-400"), [("V0104".into(), 0, 6)]);
    assert_eq!(reported("5.;"), [("V0101".into(), 1, 2)]);
}

#[test]
fn operators() {
    assert_eq!(spelt("<=> <= <-1"), ["<=>", "<=", "<", "-", "int:1"]);
    assert_eq!(spelt("a=>b->c!=d"), ["name:a", "=>", "name:b", "->", "name:c", "!=", "name:d"]);
    assert_eq!(spelt("|||x'=?"), ["|", "|", "|", "name:x", "'", "=", "?"]);
}

#[test]
fn words_and_quotes() {
    assert_eq!(spelt("P Pmax Px _a1 of"), ["P", "Pmax", "name:Px", "name:_a1", "name:of"]);
    assert_eq!(spelt("\"done\" \" done \""), ["\"done\"", "\" done \""]);
    assert_eq!(quoted_name("\" done \""), "done");
    assert_eq!(reported("a \"b = c \nd"), [("V0103".into(), 2, 8)]);
    assert_eq!(reported("\"two words\""), [("V0101".into(), 0, 11)]);
    assert_eq!(reported("\"\""), [("V0101".into(), 0, 2)]);
}

#[test]
fn comments_and_strangers() {
    assert_eq!(spelt("a // b\nc // d"), ["name:a", "name:c"]);
    assert_eq!(spelt("\u{feff}mdp"), ["mdp"]);
    assert_eq!(reported("a /* b */ c"), [("V0101".into(), 2, 4)]);
    assert_eq!(reported("a /* b"), [("V0103".into(), 2, 4)]);
    assert_eq!(reported("a ≤ b"), [("V0101".into(), 2, 5)]);
    assert_eq!(reported("#const N# x"), [("V0313".into(), 0, 9)]);
    assert_eq!(reported(&"@ ".repeat(1000)).len(), DIAGNOSTIC_LIMIT);
    assert_eq!(lex(FileId(0), &"@ ".repeat(1000), Quotes::Names).unreadable.len(), 1000);
}

#[test]
fn line_starts() {
    let tokens = lex(FileId(0), "a b\n // c\n  d", Quotes::Names).tokens;
    let starts: Vec<bool> = tokens.iter().map(|t| t.starts_line).collect();
    assert_eq!(starts, [true, false, true, false]);
}
