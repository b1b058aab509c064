//! Texts of great depth and length: they cost memory, not stack, and their time grows with their length.

use crate::common::{Parsed, example, grammar, parse, same};
use volvelle_trees::grammar::Grammar;
use volvelle_trees::grammar::printer::print;

const DEPTH: usize = 100_000;

/// Reads a text of a depth, prints it, and reads that.
fn there_and_back(grammar: &Grammar, text: &str) -> Parsed {
    let parsed = parse(grammar, text);
    assert!(parsed.found.is_empty(), "{:?}", parsed.found);
    let printed = print(grammar, &parsed.tree, &parsed.symbols, parsed.root).expect("a text");
    let again = parse(grammar, &printed);
    assert!(again.found.is_empty(), "{:?}", again.found);
    same(&parsed, &again).expect("the same tree");
    parsed
}

fn nested(open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(DEPTH), close.repeat(DEPTH))
}

#[test]
fn lambda_is_read_at_any_depth() {
    let lambda = example("lambda");
    assert_eq!(there_and_back(&lambda, &nested("(", "x", ")")).tree.len(), 2);
    assert_eq!(there_and_back(&lambda, &nested("\\x. ", "x", "")).tree.len(), DEPTH + 2);
    assert_eq!(there_and_back(&lambda, &nested("let x = 1 in ", "x", "")).tree.len(), 2 * DEPTH + 2);
    assert_eq!(there_and_back(&lambda, &nested("f (", "x", ")")).tree.len(), 2 * DEPTH + 2);
    assert_eq!(there_and_back(&lambda, &nested("f \\x. ", "x", "")).tree.len(), 3 * DEPTH + 2);
    assert_eq!(there_and_back(&lambda, &nested("x ", "x", "")).tree.len(), 2 * DEPTH + 2);
    assert_eq!(there_and_back(&lambda, &nested("(1, ", "x", ")")).tree.len(), 2 * DEPTH + 2);
    assert_eq!(there_and_back(&lambda, &nested("(", "x", ", 1)")).tree.len(), 2 * DEPTH + 2);
    let arrows = format!("\\x: {}. x", nested("int -> ", "int", ""));
    assert_eq!(there_and_back(&lambda, &arrows).tree.len(), 2 * DEPTH + 4);
}

#[test]
fn fj_is_read_at_any_depth() {
    let fj = example("fj");
    assert_eq!(there_and_back(&fj, &nested("(A) ", "x", "")).tree.len(), DEPTH + 2);
    assert_eq!(there_and_back(&fj, &nested("((A) ", "x", ").f")).tree.len(), 2 * DEPTH + 2);
    assert_eq!(there_and_back(&fj, &nested("new A(", "", ")")).tree.len(), DEPTH + 1);
    assert_eq!(there_and_back(&fj, &format!("x{}", ".m(x)".repeat(DEPTH))).tree.len(), 2 * DEPTH + 2);
    assert_eq!(there_and_back(&fj, &nested("x.m(", "x", ")")).tree.len(), 2 * DEPTH + 2);
}

#[test]
fn operators_are_read_at_any_depth() {
    let coerce = example("coerce");
    let declared = |value: String| format!("x = {value};");
    assert_eq!(there_and_back(&coerce, &declared(nested("!", "x", ""))).tree.len(), DEPTH + 3);
    assert_eq!(there_and_back(&coerce, &declared(nested("1 + ", "1", ""))).tree.len(), 2 * DEPTH + 3);
    assert_eq!(there_and_back(&coerce, &declared(nested("1 * (", "1", ")"))).tree.len(), 2 * DEPTH + 3);
    assert_eq!(there_and_back(&coerce, &"x = 1;".repeat(DEPTH)).tree.len(), 2 * DEPTH + 1);
}

#[test]
fn what_is_not_closed_is_reported_once() {
    let lambda = example("lambda");
    for open in ["(", "\\x. ", "f (", "(1, ", "let x = ", "\\x:("] {
        // What is repeated is what is behind the annotation.
        let (first, open) = open.split_at(open.find('(').filter(|_| open.starts_with("\\x:")).unwrap_or(0));
        let text = format!("{first}{}", open.repeat(DEPTH));
        let parsed = parse(&lambda, &text);
        assert_eq!(parsed.found.len(), 1, "{open}: {:?}", parsed.found);
        assert_eq!(parsed.first_error(), Some(text.trim_end().len() as u32), "{open}");
    }
    let parsed = parse(&lambda, &format!("x{}", ")".repeat(DEPTH)));
    assert_eq!(parsed.first_error(), Some(1));
}

/// Each level may be read in two ways that begin with the same tokens, and only the last token tells them apart.
#[test]
fn trials_are_remembered() {
    let late = grammar(
        "terminal ID /[a-z]+/ hidden S /[ ]+/ entry P : value=E ; \
         E : {A} \"(\" inner=E \")\" \"a\" | {B} \"(\" inner=E \")\" \"b\" | {C} \"(\" inner=E \")\" | {V} name=ID ;",
    );
    for end in [")", ")b", ")a"] {
        let depth = 2_000;
        let text = format!("{}x{}", "(".repeat(depth), end.repeat(depth));
        let parsed = parse(&late, &text);
        assert_eq!(parsed.found, []);
        assert_eq!(parsed.tree.len(), depth + 2);
    }
}

#[test]
fn beginnings_of_comments_without_an_end_are_read_once() {
    let comments = grammar(
        "terminal OP /[\\/*]/ hidden C /\\/\\*([^*]|\\*+[^*\\/])*\\*+\\// hidden L /[ \\n]+/ entry P : parts+=OP* ;",
    );
    let text = "/*".repeat(200_000);
    let parsed = parse(&comments, &text);
    assert_eq!(parsed.found, []);
    let closed = format!("{text}/ /");
    assert_eq!(parse(&comments, &closed).found, []);
}

#[test]
fn one_long_line() {
    let coerce = example("coerce");
    let text = format!("x = \"{}\";", "a".repeat(8_000_000));
    assert_eq!(parse(&coerce, &text).found, []);
    let open = format!("x = \"{};", "a \0é".repeat(1_000_000));
    assert_eq!(parse(&coerce, &open).first_error(), Some(4));
}
