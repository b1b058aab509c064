//! Mistakes: each is told once, at its place, and what is behind it is read.

use crate::common::{drawn, parse, statements};

/// A text with `^` under the places of its mistakes, and what is told.
const CASES: &[(&str, &[(usize, &str)])] = &[
    ("var x = ;\nvar y = 1;", &[(8, "expected an expression, found `;`")]),
    ("var catch;\nvar y = 1;", &[(4, "expected a name or a pattern, found `catch`")]),
    ("f(a b);\ny = 1;", &[(4, "expected `,` or `)`, found `b`")]),
    ("f(a, ;\ny = 1;", &[(5, "expected an expression, found `;`")]),
    ("x = (1 + 2;\ny = 1;", &[(10, "expected `)`, found `;`")]),
    ("x = 1 2;\ny = 1;", &[(6, "expected `;`, found `2`")]),
    ("if a) b;\ny = 1;", &[(3, "expected `(`, found `a`")]),
    ("class { }\ny = 1;", &[]),
    ("class C { m( { } n() { } }\ny = 1;", &[(17, "expected `,` or `)`, found `n`")]),
    ("class C { + ; n() { } }\ny = 1;", &[(10, "expected a member, found `+`")]),
    ("class C { m() {}\nabstract class D { }\ny = 1;", &[(17, "expected `}`, found `abstract`")]),
    ("class C { m() {}\nx.z();\ny = 1;", &[(17, "expected `}`, found `x`")]),
    ("class C\n  m() { }\n  private n: int;\n}\ny = 1;", &[(10, "expected `{`, found `m`")]),
    ("interface { m() }\ny = 1;", &[(10, "expected the name of the interface, found `{`")]),
    ("interface I { m(): }\ny = 1;", &[(19, "expected a type, found `}`")]),
    ("var x: Array<int = 1;\ny = 1;", &[(17, "expected `,` or `>`, found `=`")]),
    ("@A\n\"text\";\ny = 1;", &[(3, "expected a declaration, found `\"text\"`")]),
    (") y = 1;", &[(0, "expected a statement, found `)`")]),
    ("} y = 1;", &[(0, "expected a statement, found `}`")]),
    ("function f() {\n", &[(15, "expected `}`, found the end of the text")]),
    ("'abc\ny = 1;", &[(0, "the text has no closing quote in its line")]),
    ("`abc", &[(0, "the template has no closing `` ` ``")]),
    ("/* abc", &[(0, "the comment has no closing `*/`")]),
    ("x = /abc\ny = 1;", &[(4, "the regular expression has no closing `/` in its line")]),
    ("x = 3px;", &[(4, "this is no number")]),
    ("x = 0x;", &[(4, "this is no number")]),
    ("x = 1;\u{0}\u{1}#\ny = 1;", &[(6, "this is nothing that N4JS knows")]),
    ("x = a.;\ny = 1;", &[(6, "expected the name of a property, found `;`")]),
    ("x = a.\nif (b) { }\ny = 1;", &[(7, "expected the name of a property, found `if`")]),
    ("x = {a: 1, +};\ny = 1;", &[(11, "expected the name of a property, found `+`")]),
    ("switch (a) { b(); case 1: c(); }\ny = 1;", &[(13, "expected `case` or `default`, found `b`")]),
    ("try { }\ny = 1;", &[(8, "expected `catch` or `finally`, found `y`")]),
    ("x = <int>y;\nz = 1;", &[(10, "expected `(` and the arguments of a call, found `;`")]),
    ("import a 'b';\ny = 1;", &[(9, "expected `from`, found `'b'`")]),
    ("export 1;\ny = 1;", &[(7, "expected a declaration, `{`, `*` or `default`, found `1`")]),
    ("x = `a ${b c} d`;\ny = 1;", &[(11, "expected `}`, found `c`")]),
    ("x = function () ;\ny = 1;", &[(16, "expected the body of the function, found `;`")]),
    ("for (var i = 0; i < 3) { }\ny = 1;", &[(21, "expected `;`, found `)`")]),
    ("x = a ? b;\ny = 1;", &[(9, "expected `:`, found `;`")]),
    ("f(function (a, b { });\ny = 1;", &[(17, "expected `,` or `)`, found `{`")]),
    (
        "enum E { A B, 1 }\ny = 1;",
        &[(11, "expected `,` or `}`, found `B`"), (14, "expected the name of a literal, found `1`")],
    ),
    ("type T int;\ny = 1;", &[(7, "expected `=`, found `int`")]),
    ("x = \\q;", &[(4, "`\\` in a name begins `\\u` and a code")]),
];

#[test]
fn each_is_told_once_at_its_place() {
    let mut wrong = Vec::new();
    for &(text, expected) in CASES {
        let parsed = parse(text);
        let told: Vec<(usize, &str)> = parsed
            .found
            .iter()
            .map(|found| {
                (found.primary.as_ref().expect("a place").span.start as usize, found.message.as_str())
            })
            .collect();
        if told != expected {
            wrong.push(format!("{text:?}\n{}", drawn(text, &parsed.found)));
        }
        let is_read = statements(&parsed)
            .contains("Assignment(target=Identifier(name=y) operator== value=NumberLiteral(value=1");
        if text.ends_with("\ny = 1;") && !is_read {
            wrong.push(format!("what is behind is not read in {text:?}: {}", statements(&parsed)));
        }
        for found in &parsed.found {
            assert_eq!(found.helps.len(), 1, "a way out");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn there_are_at_most_a_hundred() {
    assert_eq!(parse(&"x = ;\n".repeat(1_000)).found.len(), 100);
    assert_eq!(parse(&"'\n".repeat(1_000)).found.len(), 100);
}

/// Texts from which parts were lost once: all of what is read hangs on the root.
#[test]
fn nothing_is_lost() {
    for text in [
        "x = @a(b,, c)",
        "x = {<T>c d: e}",
        "x = {<T> c: d}",
        "class C { <T> a: b; @a }",
        "<?a>b[c",
        "class C { A m(): b }",
        "enum E { @a }",
    ] {
        parse(text);
        crate::common::parse_as(text, volvelle_n4js::Syntax::Prefix2016);
    }
}

/// Random texts of tokens of the language: there is a tree for each.
#[test]
fn sequences_of_tokens_make_trees() {
    let words = [
        "a",
        "b",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "=>",
        "=",
        ",",
        ";",
        ":",
        "?",
        "@",
        "@@",
        "~",
        "+",
        "...",
        ".",
        "?.",
        "`",
        "${",
        "/",
        "'",
        "1",
        "\n",
        "class",
        "function",
        "var",
        "let",
        "if",
        "else",
        "for",
        "of",
        "in",
        "get",
        "set",
        "static",
        "async",
        "await",
        "yield",
        "import",
        "export",
        "default",
        "from",
        "as",
        "with",
        "union",
        "type",
        "constructor",
        "this",
        "new",
        "interface",
        "enum",
        "extends",
        "implements",
        "return",
        "case",
        "switch",
        "try",
        "catch",
        "*",
        "**",
        "-",
        "!",
        "const",
        "public",
        "abstract",
        "void",
        "typeof",
    ];
    let mut state = 1u64;
    let mut next = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    for _ in 0..10_000 {
        let length = 1 + next(24);
        let text: Vec<&str> = (0..length).map(|_| words[next(words.len())]).collect();
        parse(&text.join(if next(2) == 0 { " " } else { "" }));
        crate::common::parse_as(&text.join(" "), volvelle_n4js::Syntax::Prefix2016);
    }
}
