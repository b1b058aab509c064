//! Tokens of all texts.

use volvelle_wks::lexical::{Kind, Lexer, unquoted};

fn kinds(text: &str) -> Vec<(Kind, &str)> {
    let mut lexer = Lexer::new(text);
    std::iter::from_fn(|| Some(lexer.next()).filter(|token| token.kind != Kind::End))
        .map(|token| (token.kind, token.text(text)))
        .collect()
}

#[test]
fn numbers_end_before_arrows() {
    let texts = |text| kinds(text).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
    assert_eq!(texts("-1e-3-> a.b'"), ["-", "1e-3", "->", "a.b'"]);
    assert_eq!(texts("1e-> .5 5.e 7.25E+2"), ["1", "e", "->", ".5", "5", ".", "e", "7.25E+2"]);
    assert_eq!(texts("a<->b <= # end\n c /* d */ // e\n ∞"), ["a", "<->", "b", "<=", "c", "∞"]);
}

#[test]
fn what_has_no_end() {
    assert_eq!(kinds("a \"b\nc"), [(Kind::Name, "a"), (Kind::OpenText, "\"b"), (Kind::Name, "c")]);
    assert_eq!(kinds("\"b\\"), [(Kind::OpenText, "\"b\\")]);
    assert_eq!(kinds("\"b\\\nc\""), [(Kind::OpenText, "\"b\\"), (Kind::Name, "c"), (Kind::OpenText, "\"")]);
    assert_eq!(kinds("a /* b"), [(Kind::Name, "a"), (Kind::OpenComment, "/*")]);
    assert_eq!(kinds("é"), [(Kind::Unknown, "é")]);
}

#[test]
fn quotation_marks_inside() {
    assert_eq!(kinds(r#""a\"b" c"#), [(Kind::Quoted, r#""a\"b""#), (Kind::Name, "c")]);
    assert_eq!(unquoted(r#""a\"b\\\n""#), "a\"b\\\n");
    assert_eq!(kinds("\"\\é\"").len(), 1);
}
