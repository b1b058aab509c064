//! In which language a model is.

use volvelle_session::language::{of_model, one_line, recognition};

fn language(name: &str, text: &str) -> Option<&'static str> {
    of_model(name, text.as_bytes()).ok().map(|language| language.name())
}

#[test]
fn by_ending_or_first_word() {
    assert_eq!(language("a/b.prism", ""), Some("prism"));
    assert_eq!(language("b.SM", ""), Some("prism"));
    assert_eq!(language("model", "// a comment\n\n  ctmc\n"), Some("prism"));
    assert_eq!(language("-", "dtmc// x"), Some("prism"));
    for text in ["/* a\n */ // b\n byte x;", "#define N 3", "hidden byte x", "active[2] proctype P() {}"] {
        assert_eq!(language("-", text), Some("promela"), "{text}");
    }
    assert_eq!(language("b.lot", ""), Some("lotos"));
    assert_eq!(language("-", "(* a queue *)\nspecification S"), Some("lotos"));
    assert_eq!(language("-", "/* dtmc"), None);
    assert_eq!(language("x.txt", "once upon a time"), None);
    assert_eq!(language("dir.prism/x", ""), None);
}

#[test]
fn property_files_are_recognised() {
    let diagnostic = of_model("m.props", b"P=? [ F x ]").err().expect("no model");
    assert!(diagnostic.notes[0].contains("property file"), "{diagnostic:?}");
}

#[test]
fn first_words() {
    assert_eq!(recognition::first_word(""), "");
    assert_eq!(recognition::first_word("//"), "");
    assert_eq!(recognition::first_word("\u{feff}mdp\n"), "mdp");
    assert_eq!(recognition::first_word("'x"), "");
}

#[test]
fn texts_over_several_lines() {
    assert_eq!(one_line("P=? [ F\n   x=1 // until\n ]"), "P=? [ F x=1 ]");
}
