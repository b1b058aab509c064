//! Words and signs of formulas.

use volvelle_diagnostics::FileId;
use volvelle_mcl::Dialect;
use volvelle_mcl::token::{tokens, unquoted};

fn texts(text: &str) -> Vec<&str> {
    let (found, _) = tokens(FileId(0), text, Dialect::Mcl);
    found.iter().map(|t| t.text(text)).collect()
}

#[test]
fn words_signs_and_comments() {
    assert_eq!(
        texts("[true*.\"A !1\"]-- end\nX{1..3} (* c *) 'a\\'b'"),
        ["[", "true", "*", ".", "\"A !1\"", "]", "X", "{", "1", "..", "3", "}", "'a\\'b'", ""]
    );
}

#[test]
fn quotes() {
    assert_eq!(unquoted(r#""PUT !\"x\" \\ \n""#), r#"PUT !"x" \ \n"#);
    assert_eq!(unquoted(r"'a\'b\.\\c'"), r"a'b\.\\c");
}

#[test]
fn signs_in_comments_do_not_change_the_notation() {
    for (name, text, dialect) in [
        ("--mcl", "-- note: safe!\nnu X . [true] X and <true> true", Dialect::Mcl),
        ("--mcl", "(* a: b *) nu X . [true] X and <true> true", Dialect::Mcl),
        ("--mcl", "macro val(P) = P end_macro val(true)", Dialect::Mcl),
        ("safe.mcl", "nu X . [true] X && <true> true", Dialect::Mcl),
        ("--mcl", "<\"PUT: 1\"> true", Dialect::Mcl),
        ("--mcl", "nu X . [true] X && <true> true", Dialect::Mcrl2),
        ("safe.mcf", "nu X . [true] X", Dialect::Mcrl2),
        ("safe.txt", "% note\n[a] false", Dialect::Mcrl2),
    ] {
        assert_eq!(Dialect::of(name, text), dialect, "{name}: {text}");
    }
}

#[test]
fn errors_do_not_stop() {
    let (_, found) = tokens(FileId(0), "\"open\n & ~ (* ", Dialect::Mcl);
    assert_eq!(found.len(), 4);
}
