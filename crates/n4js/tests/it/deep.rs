//! Texts that are nested deeply, or long: neither the stack nor the time ends.

use crate::common::{children, right};
use volvelle_diagnostics::{Diagnostic, FileId};
use volvelle_n4js::{Syntax, classes, parse};
use volvelle_trees::{Interner, Tree};

const DEPTH: usize = 100_000;

/// The mistakes of a text, whose tree is not looked at: checks of deep ones take long.
fn found(text: &str) -> (usize, Vec<Diagnostic>) {
    let (mut tree, mut symbols, mut found) = (Tree::new(), Interner::new(), Vec::new());
    parse(&mut tree, &mut symbols, FileId(0), text, Syntax::Current, &mut found);
    (tree.len(), found)
}

const NESTED: [(&str, &str, &str); 24] = [
    ("(", "1", ")"),
    ("[", "1", "]"),
    ("f(", "1", ")"),
    ("{", "", "}"),
    ("!", "1", ""),
    ("- ", "1", ""),
    ("a = ", "1", ""),
    ("a ? ", "1", " : 2"),
    ("a ? 1 : ", "2", ""),
    ("x => ", "1", ""),
    ("(x) => ", "1", ""),
    ("(x = ", "1", ") => 1"),
    ("new ", "C", ""),
    ("`${", "1", "}`"),
    ("x = {a: ", "1", "}"),
    ("if (a) ", ";", ""),
    ("for (;;) ", ";", ""),
    ("l: ", ";", ""),
    ("function f() {", "", "}"),
    ("class C { m() {", "", "}}"),
    ("x = function () {", "", "}"),
    ("do ", ";", " while (1);"),
    ("try {", "", "} catch (e) {}"),
    ("switch (a) { case 1: ", "", "}"),
];

const NESTED_TYPES: [(&str, &str, &str); 9] = [
    ("(", "A", ")"),
    ("[", "A", "]"),
    ("Array<", "A", ">"),
    ("{function(", "A", ")}"),
    ("{function(): ", "A", "}"),
    ("(A) => ", "A", ""),
    ("~Object with { a: ", "A", "}"),
    ("union{", "A", "}"),
    ("type{", "A", "}"),
];

#[test]
fn deep_texts_are_refused_or_read() {
    for (open, inner, close) in NESTED {
        let text = format!("{}{inner}{}", open.repeat(DEPTH), close.repeat(DEPTH));
        let (_, found) = found(&text);
        assert_eq!(found.len(), 1, "{open}: {:?}", found.iter().take(3).collect::<Vec<_>>());
        assert!(found[0].message.contains("within more than"), "{open}: {:?}", found[0]);
    }
    for (open, inner, close) in NESTED_TYPES {
        let text = format!("var x: {}{inner}{};", open.repeat(DEPTH), close.repeat(DEPTH));
        let (_, found) = found(&text);
        assert_eq!(found.len(), 1, "{open}: {:?}", found.iter().take(3).collect::<Vec<_>>());
        assert!(found[0].message.contains("within more than"), "{open}: {:?}", found[0]);
    }
    let text = format!("var {}a{} = x;", "[".repeat(DEPTH), "]".repeat(DEPTH));
    assert_eq!(found(&text).1.len(), 1);
}

/// What is behind a part that is too deep is read.
#[test]
fn the_rest_of_a_deep_text_is_read() {
    let text = format!("x = {}1{};\nvar y = 2 3;", "(".repeat(DEPTH), ")".repeat(DEPTH));
    let (_, found) = found(&text);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[1].message.contains("expected `;`"));
}

#[test]
fn open_brackets_without_end_make_trees() {
    for (open, ..) in NESTED.iter().chain(&NESTED_TYPES) {
        for begin in ["", "var x: "] {
            assert!(!found(&format!("{begin}{}", open.repeat(DEPTH))).1.is_empty());
        }
    }
    for close in [
        ")", "]", "}", ">", "`", "/", "${", "@", "@@", "<", "a<", "(a<", "a?", "(a):", "...", ";", "~", "a.<",
    ] {
        found(&close.repeat(DEPTH));
        found(&format!("({}", close.repeat(DEPTH)));
        found(&format!("[{}{}", "(".repeat(DEPTH), close.repeat(DEPTH)));
    }
}

#[test]
fn chains_have_no_limit() {
    for (first, next) in [
        ("a", " + a"),
        ("a", ".p"),
        ("a", "[0]"),
        ("a", "()"),
        ("a", ", a"),
        ("a", " || a"),
        ("a", " ** a"),
        ("a", " as T"),
        ("if (a) ;", " else if (a) ;"),
    ] {
        let text = format!("{first}{};", next.repeat(DEPTH));
        let (count, found) = found(&text);
        assert!(found.is_empty(), "{next}: {:?}", found[0]);
        assert!(count >= DEPTH, "{next}");
    }
    for (first, next) in [("A", " | A"), ("A", "[]"), ("A", ".B")] {
        let text = format!("var x: {first}{};", next.repeat(DEPTH));
        assert!(found(&text).1.is_empty(), "{next}");
    }
}

/// As deep as the limit goes in one thread of a test.
#[test]
fn what_is_allowed_fits_into_the_stack() {
    let text = format!("var r = {}\"\"{};", "g(".repeat(590), ")".repeat(590));
    let parsed = right(&text);
    assert_eq!(children(&parsed.tree, &classes(), parsed.root)[1].len(), 1);
    right(&format!("{}{}", "{".repeat(590), "}".repeat(590)));
    right(&format!("x = {}1{};", "[(".repeat(290), ")]".repeat(290)));
    right(&format!("x = {}1{};", "function () { return (".repeat(145), ")}".repeat(145)));
    right(&format!("x = {}1;", "(a, b = [c]) => ".repeat(590)));
    right(&format!("var x: {}A{};", "{function(".repeat(290), ")}".repeat(290)));
    right(&format!("{}{}", "class C { m() { if (a) {".repeat(145), "}}}".repeat(145)));
}
