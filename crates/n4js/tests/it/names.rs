//! Checks of names.

use crate::checked::holds;

#[test]
fn names_mean_something() {
    holds(&[
        (
            "UnknownName",
            &[
                "«a»;",
                "{ let a = 1; } «a»;",
                "function f() { var a = 1; } «a»;",
                "let a = «arguments»;",
                "class C { m() { } n() { «m»(); } }",
                "function <T> f(p: any) { p instanceof «T»; }",
                "let f = function g() { }; «g»;",
                "let a: int; [a, «b»] = [1, 2];",
                "a; var a = 1;",
                "{ var a = 1; } a;",
                "function f() { g(); } function g() { }",
                "function f() { arguments; }",
                "let f = function g() { g(); };",
                "undefined; console.log(1); Object; Math.PI; parseInt('1'); NaN;",
                "for (let i of [1]) { i; }",
                "try { } catch (e) { e; }",
                "let { a, b: [c] } = { a: 1, b: [2] }; a; c;",
            ],
        ),
        ("UnknownShorthand", &["let o = { «a» };", "let a = 1; let o = { a };", "let o = { undefined };"]),
        (
            "UnknownType",
            &[
                "let a: «Foo»;",
                "let a: Array<«Foo»>;",
                "let x = 1; let a: «x»;",
                "function <T> f(a: T) { } let b: «T»;",
                "class C extends «D» { }",
                "let a: symbol; let b: Symbol2; class Symbol2 { }",
                "let a: any+; let b: ~Object with { x: int }; let c: i18nKey;",
                "type A = int; let a: A;",
                "class C<T> { x: T; <S> m(p: S): T { return null; } }",
            ],
        ),
        (
            "AccessOfUnexported",
            &[
                "«public» class C { }",
                "«project» function f() { }",
                "export public class C { }",
                "class C { public m() { } }",
            ],
        ),
        (
            "UnknownMember",
            &[
                "class C { } let c: C; c.«x»;",
                "let a: any; a.«x»;",
                "enum E { A } E.«B»;",
                "class C { static s: int; } C.«t»;",
                "function f() { } f().«x»;",
                "let o = { a: 1 }; o.«b»;",
                "\"text\".«foo»();",
                "class C { x: int; } class D { x: int; } let u: union{C, D}; u.«y»;",
                "function <T> f(p: T) { p.«x»; }",
                "class C { x: int; } let c: C; c.x; c.toString();",
                "class C { } let c: C+; c.x;",
                "let a: any+; a.x.y();",
                "enum E { A } E.A; E.A.name;",
                "class A { x: int; } class B extends A { } let b: B; b.x;",
                "interface I { x: int; } function <T extends I> f(p: T) { p.x; }",
                "let o = { a: 1 }; o.a; o.hasOwnProperty('a');",
                "function f() { } f.apply(null, []); f.length;",
                "class C { set s(x: int) { } } let c: C; c.s = 1;",
            ],
        ),
    ]);
}

#[test]
fn words_are_no_names() {
    holds(&[(
        "ReservedName",
        &[
            "var «interface»;",
            "let [«static»] = [1];",
            "function f(«yield») { }",
            "function «await»() { }",
            "class C { «let»() { } }",
            "function f(«arguments») { }",
            "function «eval»() { }",
            "class C { static «['prototype']»() { } }",
            "class C { delete() { } catch() { } }",
            "class C { private; static: int; let = 1; }",
            "let o = { interface: 1, arguments: 2 };",
            "let f: {function(arguments: int)};",
            "class C { prototype: int; }",
            "let async = 1; let type = 3;",
        ],
    )]);
}

#[test]
fn names_are_declared_once() {
    holds(&[
        (
            "NameOnce",
            &[
                "var a; var «a»;",
                "let a; let «a»; let «a»;",
                "type A = int; class «A» { }",
                "var a; function «a»() { }",
                "class A { } enum «A» { B }",
                "function f(a, «a») { }",
                "let f = (a, «a») => 1;",
                "function f(a) { var «a»; }",
                "function f(a) { let «a»; }",
                "function f(a) { if (true) { var «a»; } }",
                "let a; { var «a»; }",
                "function f() { let a; { { var «a»; } } }",
                "try { } catch (a) { var «a»; }",
                "try { } catch (a) { let «a»; }",
                "let [a, «a»] = [1, 2];",
                "let { a, b: «a» } = { a: 1, b: 2 };",
                "var a; { let a; }",
                "var a; function f() { var a; }",
                "function f(a) { { let a; } }",
                "function f(a) { return (a) => a; }",
                "for (let i of [1]) { } for (let i of [1]) { }",
                "try { } catch (a) { } try { } catch (a) { }",
                "let a; class C { a: int; }",
                "let f = function g() { var h; };",
                "{ let a; } var a;",
                "class A { <T> m() { } <T> n() { } }",
            ],
        ),
        (
            "PropertyOfLiteral",
            &[
                "let o = { a: 1, «a»: 2 };",
                "let a = 1; let o = { a: 1, «a» };",
                "let o = { get a() { return 1; }, get «a»() { return 2; } };",
                "let o = { a: 1, get «a»() { return 2; }, set «a»(x) { } };",
                "let o = { m() { }, «m»: 1 };",
                "let o = { get a() { return 1; }, set a(x) { } };",
                "let o = { a: 1, b: { a: 2 } };",
            ],
        ),
        (
            "NameOfFunction",
            &[
                "function f(«f») { }",
                "function f() { var «f»; }",
                "function f() { { var «f»; } }",
                "function f() { let «f»; }",
                "function f() { function «f»() { } }",
                "function f() { if (true) { function f() { } } }",
                "let g = function f() { var «f»; };",
                "class C { f() { var f; } }",
                "function f() { return function g() { var f; }; }",
                "function f() { { let f; } }",
                "let f = function () { var f; };",
            ],
        ),
    ]);
}

#[test]
fn functions_of_their_own_have_no_object() {
    holds(&[(
        "UnknownMember",
        &[
            "function f() { this.«a»; }",
            "class C { a: int; m() { let f = function () { this.«a»; }; } }",
            "class C { a: int; m() { let f = () => this.a; this.a; } }",
            "@This(~Object with { a: int; }) function f() { this.a; }",
            "let o = { a: 1, m() { this.a; }, f: function () { this.a; } };",
        ],
    )]);
}
