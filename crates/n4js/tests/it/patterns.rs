//! Checks of patterns.

use crate::checked::holds;

#[test]
fn patterns_take_something() {
    holds(&[
        ("EmptyObjectPattern", &["let «{}» = { };", "function f(«{}») { }", "let { a } = { a: 1 };"]),
        ("EmptyArrayPattern", &["let «[]» = [1];", "let [[a], «[]»] = [[1], [2]];", "let [, a] = [1, 2];"]),
        (
            "ObjectOfPattern",
            &["(«{}» = { a: 1 });", "let a: any; let b; («{ b }» = a);", "let o = { }; o = { };"],
        ),
        (
            "InnerPattern",
            &["let { a: «[b]» } = { a: 1 };", "let { a: [b] } = { a: [1] };", "let [a, [b]] = [1, [2]];"],
        ),
        (
            "ArrayOfPattern",
            &[
                "«[]» = [1];",
                "let a; [a, «[]»] = [1, [2]];",
                "let a: any+; [«a.b»] = [1];",
                "let a: any+; [«a[0]»] = [1];",
                "let a; [a, «5»] = [1, 2];",
                "let a; [a, «a + 1»] = [1, 2];",
                "let a: any+; let b: any; «[a]» = b;",
                "let a; «[a]» = 5;",
                "let a, b, c, d; [a = 1, [b], { c }, ...d] = [1, [2], { c: 3 }, 4];",
                "for (let a of []) { }",
                "let a; [a] = []; let b = [a.b];",
            ],
        ),
        (
            "PatternDeclared",
            &[
                "let «[a]»;",
                "let «{a}»;",
                "let b: any; let «{a}» = b;",
                "let «[a]» = 5;",
                "class C { } let «[a]» = new C();",
                "let [a] = 'text'; let [b] = new Set<int>(); let [c] = null;",
                "let «{a}» = a;",
                "for (let [a] of [[1]]) { }",
                "let b: any+; let {a} = b;",
                "function f({a}) { }",
            ],
        ),
        ("PatternRest", &["let [«...a», b] = [1, 2];", "let [a, ...b] = [1, 2];"]),
        (
            "LiteralRest",
            &["let a, b; [«...a», b] = [1, 2];", "let a, b; [a, ...b] = [1, 2];", "let a = [...[1], 2];"],
        ),
    ]);
}

#[test]
fn patterns_fit_their_values() {
    holds(&[
        (
            "PatternProperty",
            &[
                "let { «b» } = { a: 1 };",
                "let { «b»: c } = { a: 1 };",
                "let { a: { «c» } } = { a: { b: 1 } };",
                "for (let { «b» } of [{ a: 1 }]) { }",
                "let { a, b: { c } } = { a: 1, b: { c: 2 } };",
                "let b: any+; let { a } = b;",
                "class C { public a: int; } let { a } = new C();",
            ],
        ),
        (
            "PropertyOfLiteral",
            &[
                "let b; ({ «b» } = { a: 1 });",
                "let c; ({ «b»: c } = { a: 1 });",
                "let a = 1; let o = { «a = 2» };",
                "let a: any+; ({ b: «a.c» } = { b: 1 });",
                "({ b: «1» } = { b: 1 });",
                "let a; ({ a } = { a: 1 });",
                "let o = { a: 1 }; o = { a: 2 };",
            ],
        ),
        (
            "PatternType",
            &[
                "let [«a»: string] = [1];",
                "let { x: «a»: string } = { x: 1 };",
                "let [a: string = «5»] = ['a'];",
                "let [a: int] = [1];",
                "let [a: int, b: string] = [1, 'x'];",
                "let [a: int, b: any] = [1, 2];",
            ],
        ),
        (
            "UnknownName",
            &[
                "let a: string; [«a»] = [1];",
                "let a: string, b: int; [a, b] = ['a', 1];",
                "let a: string; ({ a } = { a: 'b' });",
            ],
        ),
    ]);
}
