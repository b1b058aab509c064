//! Formulas over runs, in the notation of the language and in that of other tools.

use crate::common::{self, check_formula, formula, sexpr};
use volvelle_prism::ast::{ExprKind, Exprs};

/// The property that a formula is, and what its parts are written like.
fn tree(text: &str) -> String {
    let (file, diagnostics) = formula(text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    assert_eq!(file.properties.len(), 1, "{text}");
    common::check_tree(&file.exprs, text);
    sexpr(&file.exprs, file.properties[0].body)
}

#[test]
fn two_notations() {
    for (text, in_prism, expected) in [
        ("[] a", "G a", "(A (G a))"),
        ("<> a", "F a", "(A (F a))"),
        ("[]<>a", "G F a", "(A (G (F a)))"),
        ("<>[](a)", "F G (a)", "(A (F (G a)))"),
        ("[] (a -> <> b)", "G (a => F b)", "(A (G (=> a (F b))))"),
        ("!<>(a && b) || c", "!F (a & b) | c", "(A (! (F (| (& a b) c))))"),
        ("[] (a <-> !b)", "G (a <=> !b)", "(A (G (<=> a (! b))))"),
        ("[]<=5 a", "G<=5 a", "(A (G<=5 a))"),
        ("(a && b) U [] c", "(a & b) U (G c)", "(A (U (& a b) (G c)))"),
        ("x<-1 && x>-2", "x<-1 & x>-2", "(A (& (< x (neg 1)) (> x (neg 2))))"),
        ("P>=1 [ <> a ] || a", "P>=1 [ F a ] | a", "(A (| (P>=1 (F a)) a))"),
    ] {
        assert_eq!(tree(text), expected, "{text}");
        assert_eq!(tree(in_prism), expected, "{in_prism}");
    }
}

#[test]
fn quoted_names_keep_their_characters() {
    assert_eq!(tree("[] \"a->b\""), "(A (G \"a->b\"))");
    assert_eq!(tree("G (\"[]\" => F \"x&&y || <>\")"), "(A (G (=> \"[]\" (F \"x&&y || <>\"))))");
}

/// The texts of all temporal operators with their operands, outermost first.
fn temporal(exprs: &Exprs, text: &str) -> Vec<String> {
    let temporal = exprs.ids().filter(|&id| matches!(exprs.get(id).kind, ExprKind::Temporal { .. }));
    let place = temporal.map(|id| exprs.get(id).span);
    let mut texts: Vec<String> =
        place.map(|span| text[span.start as usize..span.end as usize].to_owned()).collect();
    texts.reverse();
    texts
}

#[test]
fn parts_lie_where_they_were_written() {
    let text = "  [](a -> <> b) ";
    let (file, diagnostics) = formula(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(temporal(&file.exprs, text), ["[](a -> <> b)", "<> b"]);
    let span = file.properties[0].span;
    assert_eq!(&text[span.start as usize..span.end as usize], text.trim());
}

#[test]
fn what_is_no_formula() {
    check_formula(
        r#"
        [] (x == 1)
//            ^^ error V0102: PRISM compares with `=`, not `==`
"#,
    );
    check_formula(
        r#"
        [] <>
//           ^ error V0102: expected an expression, found the end of the text
"#,
    );
    check_formula(
        r#"
        <> a <> b
//           ^^ error V0102: expected the end of the formula, found `<>`
"#,
    );
    check_formula(
        r#"
        [] a; G b
//          ^ error V0102: expected the end of the formula, found `;`
"#,
    );
    check_formula(
        r#"
        [] (a && @ b)
//               ^ error V0101: unexpected character `@`
"#,
    );
    let (file, diagnostics) = formula("");
    assert!(file.properties.is_empty());
    assert_eq!(diagnostics.iter().map(|d| d.message.as_str()).collect::<Vec<_>>(), ["there is no formula"]);
}

#[test]
fn other_entries_read_the_notation_of_the_language_only() {
    let (_, diagnostics) = common::property("P=? [ <> a ]");
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
}
