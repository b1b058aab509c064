//! Uses of members, and `this`.

use super::check;

#[test]
fn reading_and_writing() {
    check(&[
        ("class A { get x(): int { return 1; } } var a: A; a.x; a.«x» = 2;", &["Access"]),
        ("class A { set x(p: int) {} } var a: A; a.x = 2; a.«x»;", &["Access"]),
        ("class A { x: int; } var a: A; a.x = a.x; a.x++;", &[]),
        ("class A { get x(): int { return 1; } } var a: A; a.«x»++;", &["Access"]),
        ("class A { @Final x: int = 1; } var a: A; a.«x» = 2;", &["Access"]),
        ("class A { @Final x: int; constructor() { this.x = 1; } m() { this.«x» = 2; } }", &["Access"]),
        ("class A { @Final x: int = 1; constructor() { this.«x» = 2; } }", &["Access"]),
        ("enum E { A } E.«A» = null;", &["Access"]),
        ("var o = { get x(): int { return 1; } }; o.«x» = 2;", &["Access"]),
    ]);
}

#[test]
fn patterns() {
    check(&[(
        "class A { get x(): int { return 1; } set y(p: int) {} } var a: A; var {x} = a; var {«y»} = a; var {«y»: z} = a;",
        &["PatternAccess", "PatternAccess"],
    )]);
}

#[test]
fn several_types() {
    check(&[
        ("class A { x: int; } class B { x: int; } var u: A | B; u.x = 1;", &[]),
        ("class A { x: int; } class B {} var u: A | B; u.«x»;", &["Access"]),
        (
            "class A { x: int; } class B { get x(): int { return 1; } } var u: A | B; u.x; u.«x» = 1;",
            &["Access"],
        ),
        ("class A { x: int; } class B { x(): void {} } var u: A | B; u.«x»;", &["Access"]),
        ("interface I { x: int; } interface J { get x(): int } var m: I & J; m.x = 1;", &[]),
        ("interface I { get x(): int } interface J { get x(): int } var m: I & J; m.«x» = 1;", &["Access"]),
    ]);
}

#[test]
fn static_members() {
    check(&[
        ("class A { static x: int; } A.x = 1; class B extends A {} B.x;", &[]),
        ("class A { static x: int; } class B extends A {} B.«x» = 1;", &["Access"]),
        ("class A { static x: int; static m() { A.x = 1; this.«x» = 1; } }", &["Access"]),
        ("class A { static x: int; } var a: A; a.«x»;", &["Access"]),
        ("class A { x: int; } A.«x»;", &["Access"]),
        ("interface I { static x: int = 1; } I.x; var i: type{I}; «i».x;", &["StaticOfInterface"]),
        ("class A { const x: int = 1; m(): int { return A.x; } }", &[]),
    ]);
}

#[test]
fn this() {
    check(&[
        ("class A { x: int; y: int = this.x; }", &[]),
        ("class A { static x: any = «this»; }", &["ThisPlace"]),
        ("class A { static m() { return this; } }", &[]),
        ("interface I { static m() { «this»; } }", &["ThisPlace"]),
        ("interface I { x: any = «this»; m() { this; } }", &["ThisPlace"]),
        ("interface I { x: any = () => «this»; }", &["ThisPlace"]),
        ("class A { m(): this { return this; } }", &[]),
        ("class A { m(p: «this») {} }", &["ThisType"]),
        ("class A { constructor(p: ~this) {} }", &[]),
        ("class A { f: «this»; }", &["ThisType"]),
        ("var a: «this»;", &["ThisType"]),
        ("interface I { @This(I) m() {} @«This»(I) static n() {} }", &["ThisAnnotation"]),
        ("interface X {} interface I { @This(«X») m() {} }", &["ThisAnnotation"]),
    ]);
}
