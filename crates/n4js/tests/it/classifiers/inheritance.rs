//! What classifiers get from above.

use super::check;

#[test]
fn implementations() {
    check(&[
        ("interface I { m(): void } class A implements I { m(): void {} }", &[]),
        ("interface I { m(): void } class «A» implements I {}", &["NotImplemented"]),
        ("interface I { m(): void } abstract class A implements I {}", &[]),
        (
            "interface I { m(): void } abstract class A implements I {} class «B» extends A {}",
            &["NotImplemented"],
        ),
        ("interface I { m(): void {} } class A implements I {}", &[]),
        ("interface I { m(): void } interface J { m(): void {} } class A implements I, J {}", &[]),
        ("interface I { m(): void } class A { m(): void {} } class B extends A implements I {}", &[]),
        ("interface I { x: int; } class A implements I {}", &[]),
        ("interface I { get x(): int } class A implements I { x: int; }", &[]),
        (
            "interface I { set x(p: int) } class «A» implements I { get x(): int { return 1; } }",
            &["NotImplemented"],
        ),
        (
            "abstract class A { abstract m(): void } class «B» extends A { static m(): void {} }",
            &["NotImplemented"],
        ),
    ]);
}

#[test]
fn members_that_meet() {
    check(&[
        (
            "interface I { m(): void {} } interface J { m(): void {} } class «A» implements I, J {}",
            &["Consuming"],
        ),
        (
            "interface I { m(): void {} } interface J { m(): void {} } class A implements I, J { m(): void {} }",
            &[],
        ),
        ("interface I { m(): void {} } interface J extends I {} class A implements I, J {}", &[]),
        (
            "interface I { m(): void } interface J extends I { @Override m(): void {} } class A implements I, J {}",
            &[],
        ),
        ("interface I { x: int; } interface J { x(): void {} } class «A» implements I, J {}", &["Consuming"]),
        ("interface I { x: int; } interface J { x: int; } class A implements I, J {}", &[]),
        (
            "interface I { m(): int { return 1; } } interface J { m(): string } class «A» implements I, J {}",
            &["Consuming"],
        ),
        (
            "class S { x(): void {} } interface I { x: int; } class «A» extends S implements I {}",
            &["Consuming"],
        ),
        ("interface I { x: int; } class «A» implements I { get x(): int { return 1; } }", &["Consuming"]),
        ("class S { m(): void {} } interface I { m(): void {} } class A extends S implements I {}", &[]),
        (
            "class S { m(): void {} } export public interface I { m(): void {} } class A extends S implements «I» {}",
            &["Inheriting"],
        ),
        (
            "class S { m(): int { return 1; } } interface I { m(): string } class A extends S implements «I» {}",
            &["Inheriting"],
        ),
        (
            "class S { set x(p: int) {} } interface I { get x(): int { return 1; } } class «A» extends S implements I {}",
            &["Consuming"],
        ),
    ]);
}

#[test]
fn arguments_of_interfaces() {
    check(&[
        (
            "interface I<T> {} interface J extends I<int> {} class «A» implements I<string>, J {}",
            &["DifferentArguments"],
        ),
        ("interface I<T> {} interface J extends I<string> {} class A implements I<string>, J {}", &[]),
        ("interface I<out T> {} interface J extends I<int> {} class A implements I<string>, J {}", &[]),
    ]);
}

#[test]
fn supertypes() {
    check(&[
        ("class A extends «B» {} class B extends «A» {}", &["Cycle", "Cycle"]),
        ("class A extends B {} class B extends «B» {}", &["Cycle"]),
        ("interface I {} class A extends «I» {}", &["Supertype"]),
        ("class I {} class A implements «I» {}", &["Supertype"]),
        ("class I {} interface A extends «I» {}", &["Supertype"]),
        ("enum E { A } class A extends «E» {}", &["Supertype"]),
        ("type T = string; class A extends «T» {}", &["Supertype"]),
        ("class B {} type T = B; class A extends T {}", &[]),
        ("interface I {} interface J implements «I» {}", &["ExtendsOnly"]),
        ("class A<T> extends «T» {}", &["Supertype"]),
        ("@Final class F {} class A extends «F» {}", &["Supertype"]),
        ("interface I {} class A implements I, «I» {}", &["Supertype"]),
        ("interface I {} interface J {} class B {} class A extends B implements I, J {}", &[]),
    ]);
}

/// Each of two interfaces extends both of the next pair: there are 2^60 ways up, and the last pair may come back to the first.
fn ladder(last: &str) -> String {
    let rung = |at: usize| {
        let next = at + 1;
        format!(
            "interface A{at} extends A{next}, B{next} {{}} interface B{at} extends A{next}, B{next} {{}}\n"
        )
    };
    let rungs: String = (0..60).map(rung).collect();
    format!(
        "{rungs}interface A60 {last} {{}} interface B60 {{}}\nclass C implements A0 {{ m(): void {{}} }} var c: C; c.m();"
    )
}

#[test]
fn many_ways_up() {
    check(&[(ladder("").leak(), &[])]);
    let (base, loaded) = super::rules();
    let all = super::told(&loaded, &base, &ladder("extends A0"));
    assert!(all.iter().all(|(.., rule, _)| rule == "Cycle"), "{all:#?}");
    assert!(all.len() > 100, "{}", all.len());
}

#[test]
fn covariant_constructors() {
    check(&[
        (
            "class A { public f; @CovariantConstructor constructor(@Spec s: ~i~this) {} } class «B» extends A { public g; }",
            &["CovariantConstructor"],
        ),
        (
            "class A { public f; @CovariantConstructor constructor(@Spec s: ~i~this) {} } class B extends A {}",
            &[],
        ),
        ("class A { public f; constructor(@Spec s: ~i~this) {} } class B extends A { public g; }", &[]),
        (
            "class A { @CovariantConstructor constructor(p: int) {} } class B extends A { constructor() { super(1); } }",
            &[],
        ),
        (
            "class A { @CovariantConstructor constructor() {} } class B extends A { «constructor»(p: int) { super(); } }",
            &["CovariantConstructor"],
        ),
    ]);
}
