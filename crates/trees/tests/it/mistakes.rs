//! Texts with mistakes: what is said, and what is read nevertheless.

use crate::common::{example, parse};
use volvelle_trees::grammar::Grammar;

/// The messages for a text as `offset: message`, and its tree.
fn check(grammar: &Grammar, text: &str, messages: &[&str], tree: &str) {
    let parsed = parse(grammar, text);
    let found = parsed.found.iter().map(|found| {
        let span = found.primary.as_ref().expect("a place").span;
        format!("{}: {}", span.start, found.message)
    });
    assert_eq!(found.collect::<Vec<_>>(), messages, "{text}");
    assert_eq!(parsed.shown(grammar), tree, "{text}");
}

#[test]
fn mistakes_in_lambda() {
    let lambda = example("lambda");
    check(
        &lambda,
        "\\x",
        &["2: expected `.` or `:`, found the end of the text"],
        "Program(body: Fun(name: x))",
    );
    check(
        &lambda,
        "let in 1",
        &["4: expected NAME, found `in`"],
        "Program(body: Let(body: Number(value: 1)))",
    );
    check(
        &lambda,
        "(1",
        &["2: expected one of `,`, `\\`, `(`, `)`, NAME, NUMBER, …, found the end of the text"],
        "Program(body: Pair(first: Number(value: 1)))",
    );
    check(
        &lambda,
        "",
        &["0: expected `\\`, `(`, NAME, NUMBER, STRING, `let`, `true` or `false`, found the end of the text"],
        "Program",
    );
    check(
        &lambda,
        "let x = in x",
        &["8: expected `\\`, `(`, NAME, NUMBER, STRING, `let`, `true` or `false`, found `in`"],
        "Program(body: Let(name: x, body: Variable(name: x)))",
    );
    check(
        &lambda,
        "f (x y",
        &["6: expected one of `,`, `\\`, `(`, `)`, NAME, NUMBER, …, found the end of the text"],
        "Program(body: Apply(function: Variable(name: f), argument: Pair(first: Apply(function: Variable(name: x), argument: Variable(name: y)))))",
    );
    check(
        &lambda,
        "f x) y",
        &["3: expected one of `\\`, `(`, NAME, NUMBER, STRING, `let`, …, found `)`"],
        "Program(body: Apply(function: Variable(name: f), argument: Variable(name: x)))",
    );
}

#[test]
fn mistakes_in_coerce() {
    let coerce = example("coerce");
    check(
        &coerce,
        "x = 1 +; y = 2;",
        &["7: expected `!`, `(`, NAME, NUMBER, STRING, `true` or `false`, found `;`"],
        "Program(declarations: [Declaration(name: x, value: Binary(left: Number(value: 1), operator: +)), Declaration(name: y, value: Number(value: 2))])",
    );
    check(
        &coerce,
        "x = 1 y = 2;",
        &["6: expected `;`, `&&`, `==`, `<`, `+` or `*`, found `y`"],
        "Program(declarations: [Declaration(name: x, value: Number(value: 1)), Declaration(name: y, value: Number(value: 2))])",
    );
    check(
        &coerce,
        "int = 1; y = 2;",
        &["4: expected NAME, found `=`"],
        "Program(declarations: [Declaration(type: int, value: Number(value: 1)), Declaration(name: y, value: Number(value: 2))])",
    );
    check(
        &coerce,
        "x = ; ; y = 2;",
        &[
            "4: expected `!`, `(`, NAME, NUMBER, STRING, `true` or `false`, found `;`",
            "6: expected NAME, `int`, `bool`, `string` or the end of the text, found `;`",
        ],
        "Program(declarations: [Declaration(name: x), Declaration(name: y, value: Number(value: 2))])",
    );
    check(
        &coerce,
        "x = = 1;",
        &["4: expected `!`, `(`, NAME, NUMBER, STRING, `true` or `false`, found `=`"],
        "Program(declarations: [Declaration(name: x, value: Number(value: 1))])",
    );
    check(
        &coerce,
        "x = 1); y = 2;",
        &["5: expected `;`, `&&`, `==`, `<`, `+` or `*`, found `)`"],
        "Program(declarations: [Declaration(name: x, value: Number(value: 1)), Declaration(name: y, value: Number(value: 2))])",
    );
    check(
        &coerce,
        "x = 1 § + 2;",
        &["6: `§` is no part of the language"],
        "Program(declarations: [Declaration(name: x, value: Binary(left: Number(value: 1), operator: +, right: Number(value: 2)))])",
    );
    check(
        &coerce,
        "x = (1 2 3); y = 2;",
        &["7: expected `)`, `&&`, `==`, `<`, `+` or `*`, found `2`"],
        "Program(declarations: [Declaration(name: x, value: Number(value: 1)), Declaration(name: y, value: Number(value: 2))])",
    );
    check(
        &coerce,
        "x = 1;\n) ) )\ny = 2;",
        &["7: expected NAME, `int`, `bool`, `string` or the end of the text, found `)`"],
        "Program(declarations: [Declaration(name: x, value: Number(value: 1)), Declaration(name: y, value: Number(value: 2))])",
    );
    check(
        &coerce,
        "x = \"abc;\ny = 2;",
        &[
            "4: `\"abc;` is no part of the language",
            "12: expected `;`, `&&`, `==`, `<`, `+` or `*`, found `=`",
        ],
        "Program(declarations: [Declaration(name: x, value: Variable(name: y))])",
    );
    check(
        &coerce,
        "x = 1\ny = 2\nz = 3",
        &[
            "6: expected `;`, `&&`, `==`, `<`, `+` or `*`, found `y`",
            "12: expected `;`, `&&`, `==`, `<`, `+` or `*`, found `z`",
            "17: expected `;`, `&&`, `==`, `<`, `+` or `*`, found the end of the text",
        ],
        "Program(declarations: [Declaration(name: x, value: Number(value: 1)), Declaration(name: y, value: Number(value: 2)), Declaration(name: z, value: Number(value: 3))])",
    );
}

#[test]
fn mistakes_in_fj() {
    let fj = example("fj");
    check(
        &fj,
        "class A { A m() { return this } } class B { }",
        &["30: expected `;` or `.`, found `}`"],
        "Program(classes: [Class(name: A, members: [Method(type: A, name: m, body: This)]), Class(name: B)])",
    );
    check(
        &fj,
        "class A { A m( { return this; } B f; } class B { }",
        &["15: expected `)` or NAME, found `{`"],
        "Program(classes: [Class(name: A, members: [Method(type: A, name: m, body: This), Field(type: B, name: f)]), Class(name: B)])",
    );
    check(
        &fj,
        "class A { A f B g; } new A()",
        &["14: expected `;` or `(`, found `B`"],
        "Program(classes: [Class(name: A, members: [Field(type: A, name: f), Field(type: B, name: g)])], main: New(type: A))",
    );
    check(
        &fj,
        "class A { ) A f; }",
        &["10: expected `}` or NAME, found `)`"],
        "Program(classes: [Class(name: A, members: [Field(type: A, name: f)])])",
    );
    check(
        &fj,
        "x class A { A f; }",
        &["2: expected `.` or the end of the text, found `class`"],
        "Program(classes: [Class(name: A, members: [Field(type: A, name: f)])], main: Var(name: x))",
    );
    check(
        &fj,
        "class A { A m(A x { return x. ; } A n() { return this; } }",
        &["18: expected `)` or `,`, found `{`", "30: expected NAME, found `;`"],
        "Program(classes: [Class(name: A, members: [Method(type: A, name: m, params: [Param(type: A, name: x)], body: Invoke(receiver: Var(name: x))), Method(type: A, name: n, body: This)])])",
    );
    check(
        &fj,
        "class A { A f; class B { B g; }",
        &["15: expected `}` or NAME, found `class`"],
        "Program(classes: [Class(name: A, members: [Field(type: A, name: f)]), Class(name: B, members: [Field(type: B, name: g)])])",
    );
}

/// Most are told, and reading goes on.
#[test]
fn there_is_an_end_of_messages() {
    let coerce = example("coerce");
    let parsed = parse(&coerce, &"x = ;\n".repeat(500));
    assert_eq!(parsed.found.len(), 100);
    assert_eq!(parsed.tree.len(), 501);
    // Texts that are nothing but mistakes are given up.
    let parsed = parse(&coerce, &"x = ;\n".repeat(50_000));
    assert_eq!(parsed.found.len(), 100);
    let parsed = parse(&coerce, &"\u{0} § ".repeat(50_000));
    assert_eq!(parsed.found.len(), 100);
}

#[test]
fn lines_end_as_they_do() {
    let coerce = example("coerce");
    let shown = |text: &str| parse(&coerce, text).shown(&coerce);
    assert_eq!(shown("x = 1;\r\ny = 2; // z\r\n"), shown("x = 1;\ny = 2;"));
    assert_eq!(shown("\u{feff}x = 1;"), shown("x = 1;"));
}
