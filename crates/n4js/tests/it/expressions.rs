//! Checks of operators, casts and elements.

use crate::checked::holds;

#[test]
fn literals_are_of_strict_mode() {
    holds(&[
        ("OctalNumber", &["let a = «0123»;", "let a = 0o123;", "let a = 0;", "let a = 0.5;", "let a = 10;"]),
        (
            "OctalText",
            &[
                r#"let a = «"\101"»;"#,
                r#"let a = «'\8'»;"#,
                r#"let a = "\0";"#,
                r#"let a = "\x41\u0041\\1";"#,
            ],
        ),
        ("RegexFlags", &["«/a/gig»;", "«/a/x»;", "/a/gi; /a/; /a/imsuyg;"]),
        ("ClassAsValue", &["let a = «class { }»;", "let a = class «B» { };", "class A { }"]),
    ]);
}

#[test]
fn casts_can_hold() {
    holds(&[(
        "CastHolds",
        &[
            "let a: int; «a as string»;",
            "class A { } class B { } let a: A; «a as B»;",
            "class A { } enum E { X } let a: A; «a as E»;",
            "enum E { X } «E.X as string»;",
            "interface I { } enum E { X } let i: I; «i as E»;",
            "class G<T> { } let g: G<int>; «g as G<string>»;",
            "class A { } let u: union{A, int}; «u as string»;",
            "class A { m() { «this as string»; } }",
            "interface I { } @Final class A { } let i: I; «i as A»;",
            "let a: any; a as string;",
            "let a: any+; a as string;",
            "class A { } class B extends A { } let a: A; a as B; let b: B; b as A;",
            "interface I { } class A { } let a: A; a as I; let i: I; i as A;",
            "interface I { } interface J { } let i: I; i as J;",
            "class G<T> { } let g: G<?>; g as G<string>;",
            "class A { } let u: union{A, int}; u as A; u as int;",
            "let a: Object; a as Array<string>; [1, 'a'] as any[];",
            "function <T> f(p: any, q: T) { p as T; }",
            "let a: number; a as int; let b: int; b as number;",
        ],
    )]);
}

#[test]
fn operands_fit_each_other() {
    holds(&[
        (
            "Operands",
            &[
                "«null» && 5;",
                "«undefined» || 5;",
                "function f(): void { } «f()» || true;",
                "«1» < \"a\";",
                "let a: any; «a» < 5;",
                "let s: symbol; «s» + 1;",
                "5 && null;",
                "null ?? 5;",
                "1 < 2; 'a' <= 'b'; true < false;",
                "let n: number, i: int; n < i;",
                "let a: any+; a < 5;",
                "let s: symbol; s == s; typeof s;",
            ],
        ),
        (
            "ComparedRight",
            &[
                "1 < «\"a\"»;",
                "\"a\" >= «1»;",
                "class A { } 1 > «new A()»;",
                "1 > 2;",
                "let a: any+; 1 < a;",
                "1 == \"a\";",
            ],
        ),
        (
            "InstanceOf",
            &[
                "interface ~I { } let a: any; a instanceof «I»;",
                "let a: any; a instanceof «Iterable»;",
                "interface I { } class A { } let a: any; a instanceof I; a instanceof A; a instanceof Array;",
            ],
        ),
        (
            "Tag",
            &[
                "function f(a: Array<string>, b: int) { return 1; } «f»``;",
                "function f(a: Array<string>, b: int) { return 1; } «f»`${'a'}`;",
                "let f = 1; «f»``;",
                "function f(a: Array<string>, b: int) { return 1; } f`${1}`;",
                "function f(a: Array<string>, ...b: any) { return 1; } f`${1} ${'a'}`;",
                "String.raw`a${1}`;",
                "let f: any+; f`a`;",
            ],
        ),
    ]);
}

#[test]
fn elements_are_found_by_known_indexes() {
    holds(&[(
        "Index",
        &[
            "class C { x: int; } let c: C; c[«'y'»];",
            "class C { x: int; } let c: C; «c[0]»; let n = 5; «n[0]»; [1][0]; 'a'[0];",
            "class C { x: int; } let c: C; let s = 'x'; «c[s]»;",
            "let a: any; let i = 0; «a[i]»;",
            "enum E { A } «E['A']»;",
            "@StringBased enum E { A } «E['A']»; E.A[0];",
            "enum E { A } E.A[«'b'»]; E.A['name'];",
            "let a: any; a[«Symbol.iterator»];",
            "let a: Iterable<int>; a[«Symbol.iterator»] = null;",
            "class C { x: int; } let c: C; c['x'];",
            "let a = [1]; let i = 0; a[i]; a['length']; a['0'];",
            "let a: any+; let i = 0; a[i]; a['x']; a[Symbol.iterator] = null;",
            "let o: Object; let s = 'x'; o[s];",
            "let t = 'text'; let i = 0; t[i];",
            "let o = { x: 1 }; o['x'];",
            "const k = 'x'; class C { x: int; } let c: C; c[k];",
            "let a: Iterable<int>; a[Symbol.iterator];",
        ],
    )]);
}
