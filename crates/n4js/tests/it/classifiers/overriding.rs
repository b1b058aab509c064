//! Members that redefine others.

use super::{Case, check};

/// Classes for types that are above and below each other.
macro_rules! with_types {
    ($text:literal) => {
        concat!("class X {} class Y extends X {} class Z extends Y {}\n", $text)
    };
}

#[test]
fn annotations() {
    check(&[
        ("class A { m(): void {} } class B extends A { @Override m(): void {} }", &[]),
        ("class A { m(): void {} } class B extends A { «m»(): void {} }", &["Overriding"]),
        (
            "class A { m(): void {} } class B extends A {} class C extends B { «m»(): void {} }",
            &["Overriding"],
        ),
        ("interface I { m(): void } class B implements I { m(): void {} }", &[]),
        ("interface I { m(): void } interface J extends I { «m»(): void }", &["Overriding"]),
        ("class A {} class B extends A { @Override «m»(): void {} }", &["NothingOverridden"]),
        ("class A { @Override «m»(): void {} }", &["NothingOverridden"]),
        (
            "class A { static m(): void {} } class B extends A { @Override «m»(): void {} }",
            &["NothingOverridden"],
        ),
        ("class A { @Override public toString(): string { return ''; } }", &[]),
        ("interface I { static f: int = 1; } class B implements I { @Override static f: int = 1; }", &[]),
        ("class A { constructor(p: int) {} } class B extends A { constructor(p: int) { super(p); } }", &[]),
        ("class A { private m(): void {} } class B extends A { m(p: int): void {} }", &[]),
    ]);
}

#[test]
fn kinds() {
    check(&[
        ("class A { x: int; } class B extends A { «x»(): void {} }", &["Overriding"]),
        ("class A { x(): void {} } class B extends A { @Override «x»: int; }", &["Overriding"]),
        ("interface I { x: int; } class B implements I { «x»(): void {} }", &["Overriding"]),
        ("class A { @Final x: int = 1; } class B extends A { @Override «x»: int = 2; }", &["Overriding"]),
        ("class A { @Final m(): void {} } class B extends A { @Override «m»(): void {} }", &["Overriding"]),
        (
            "class A { m(): void {} } abstract class B extends A { @Override abstract «m»(): void }",
            &["Overriding"],
        ),
        (
            "abstract class A { abstract m(): void } abstract class B extends A { @Override abstract m(): void }",
            &[],
        ),
    ]);
}

#[test]
fn types() {
    check(&[
        (with_types!("class A { f: Y; } class B extends A { @Override f: Y; }"), &[]),
        (with_types!("class A { f: Y; } class B extends A { @Override «f»: Z; }"), &["Overriding"]),
        (with_types!("class A { f: Y; } class B extends A { @Override «f»: X; }"), &["Overriding"]),
        (with_types!("interface I { get f(): Y } class B implements I { @Override f: Z; }"), &[]),
        (
            with_types!("interface I { get f(): Y } class B implements I { @Override «f»: X; }"),
            &["Overriding"],
        ),
        (with_types!("class A { set f(p: Y) {} } class B extends A { @Override set f(p: X) {} }"), &[]),
        (
            with_types!("class A { set f(p: Y) {} } class B extends A { @Override set «f»(p: Z) {} }"),
            &["Overriding"],
        ),
        (
            with_types!(
                "class A { m(p: Y): Y { return p; } } class B extends A { @Override m(p: X): Z { return null; } }"
            ),
            &[],
        ),
        (
            with_types!(
                "class A { m(p: Y): Y { return p; } } class B extends A { @Override «m»(p: Z): Z { return null; } }"
            ),
            &["Overriding"],
        ),
        (
            with_types!("class A { m(): void {} } class B extends A { @Override «m»(p: X): void {} }"),
            &["Overriding"],
        ),
        (
            with_types!(
                "class A { m(): void {} } class B extends A { @Override m(p: X = undefined): void {} }"
            ),
            &[],
        ),
        (
            with_types!(
                "class A<T> { m(p: T): void {} } class B extends A<Y> { @Override m(p: X): void {} }"
            ),
            &[],
        ),
        (
            with_types!(
                "class A<T> { m(p: T): void {} } class B extends A<Y> { @Override «m»(p: Z): void {} }"
            ),
            &["Overriding"],
        ),
        (
            with_types!(
                "class A { <T extends Y> m(): void {} } class B extends A { @Override <T extends X> m(): void {} }"
            ),
            &[],
        ),
        (
            with_types!(
                "class A { <T extends Y> m(): void {} } class B extends A { @Override <T extends Z> «m»(): void {} }"
            ),
            &["Overriding"],
        ),
        (
            with_types!(
                "class A { m(): this { return this; } } class B extends A { @Override m(): this { return this; } }"
            ),
            &[],
        ),
    ]);
}

#[test]
fn access() {
    check(&[
        ("class A { public m(): void {} } class B extends A { @Override «m»(): void {} }", &["Overriding"]),
        ("class A { m(): void {} } class B extends A { @Override public m(): void {} }", &[]),
        ("export public interface I { m(): void } class B implements I { «m»(): void {} }", &["Overriding"]),
        ("interface I { m(): void } class B implements I { m(): void {} }", &[]),
    ]);
}

#[test]
fn halves_of_accessors() {
    let pair = "get x(): int { return 1; } set x(p: int) {}";
    let programs: [(String, &[&str]); 4] = [
        (format!("class A {{ {pair} }} class B extends A {{ @Override get «x»(): int {{ return 1; }} }}"), &["HalfOverridden"]),
        (format!("class A {{ {pair} }} class B extends A {{ @Override get x(): int {{ return 1; }} @Override set x(p: int) {{}} }}"), &[]),
        ("class A { x: int; } class B extends A { @Override get «x»(): int { return 1; } }".to_owned(), &["Overriding"]),
        ("class A { get x(): int { return 1; } } class B extends A { @Override get x(): int { return 1; } }".to_owned(), &[]),
    ];
    let cases: Vec<Case> = programs.iter().map(|(text, rules)| (&*text.clone().leak(), *rules)).collect();
    check(&cases);
}
