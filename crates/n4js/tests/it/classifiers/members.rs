//! Members by themselves.

use super::check;

#[test]
fn names() {
    check(&[
        ("class A { «x»: int; «x»(): void {} }", &["Twice", "Twice"]),
        ("class A { get x(): int { return 1; } set x(p: int) {} }", &[]),
        ("class A { get «x»(): int { return 1; } get «x»(): int { return 1; } }", &["Twice", "Twice"]),
        ("class A { x: int; static x: int; }", &[]),
        ("class A { «constructor»() {} «constructor»(p: int) {} }", &["Twice", "Twice"]),
        ("class A { x: int; } class B { x: int; }", &[]),
        ("interface I { «m»(): void; «m»(): void }", &["Twice", "Twice"]),
        ("class A { static constructor() {} constructor() {} }", &[]),
    ]);
}

#[test]
fn bodies() {
    check(&[
        ("abstract class A { abstract m(): void }", &[]),
        ("class A { abstract «m»(): void }", &["AbstractMember"]),
        ("abstract class A { abstract «m»(): void {} }", &["AbstractMember"]),
        ("class A { «m»(): void }", &["AbstractMember"]),
        ("interface I { m(): void; n(): void {} }", &[]),
        ("interface I { static «m»(): void }", &["AbstractMember"]),
        ("abstract class A { abstract static «m»(): void }", &["AbstractMember"]),
        ("abstract class A { «abstract» x: int; }", &["AbstractMember"]),
        ("class A { get «x»(): void {} }", &["VoidGetter"]),
        ("class A { set x(p: int): «int» {} }", &["SetterResult"]),
    ]);
}

#[test]
fn constructors() {
    check(&[
        ("class A { constructor() {} }", &[]),
        ("class A { constructor(): «int» {} }", &["ConstructorForm"]),
        ("class A { @Override «constructor»() {} }", &["AbstractMember"]),
        ("interface I { «constructor»() }", &["ConstructorOfInterface"]),
        ("interface I { @CovariantConstructor constructor() }", &[]),
        ("@CovariantConstructor interface I { «constructor»() {} }", &["ConstructorOfInterface"]),
        ("class A { async «constructor»() {} }", &["ConstructorForm"]),
        ("class A { m(@Spec «p»: int) {} }", &["Spec"]),
        ("class A { constructor(@Spec «p»: int) {} }", &["Spec"]),
        ("class A { constructor(@Spec p: ~i~this, @Spec «q»: ~i~this) {} }", &["Spec"]),
        ("class A { public n: int; constructor(@Spec p: ~i~this) {} }", &[]),
        ("class A { n: string; constructor(@Spec p: ~i~this with { «n: int;» }) {} }", &["Spec"]),
    ]);
}

#[test]
fn modifiers() {
    check(&[
        ("class A { @Internal «x»: int; }", &["Internal"]),
        ("class A { @Internal public x: int; @Internal protected y: int; }", &[]),
        ("interface I { private «x»: int; }", &["PrivateOfInterface"]),
        ("interface ~I { static «x»: int; }", &["StaticOfStructural"]),
        ("interface ~I { x: int; }", &[]),
        ("class A { private «public» x: int; }", &["Modifiers"]),
        ("class A { «const» m(): void {} }", &["Modifiers"]),
        ("@Final abstract class «A» {}", &["FinalAbstract"]),
        ("@Final class A { @Final m(): void {} }", &[]),
        ("@«Override» class A {}", &["Annotations"]),
        ("class A { @«NumberBased» x: int; }", &["Annotations"]),
    ]);
}

#[test]
fn fields_that_are_written_once() {
    check(&[
        ("class A { const «x»: int; }", &["WrittenOnce"]),
        ("class A { const x: int = 1; }", &[]),
        ("class A { @Final «x»: int; }", &["WrittenOnce"]),
        ("class A { @Final x: int; constructor() { this.x = 1; } }", &[]),
        ("class A { @Final public x: int; constructor(@Spec s: ~i~this) {} }", &[]),
        ("class A { @Final «x»: int; constructor() { let x = 1; } }", &["WrittenOnce"]),
    ]);
}

#[test]
fn enums() {
    check(&[
        ("enum E { A, B }", &[]),
        ("enum E { «A», B, A }", &["EnumLiterals"]),
        ("enum E { A, «literals» }", &["EnumLiterals"]),
        ("enum E { A: «1» }", &["EnumText"]),
        ("@NumberBased enum E { A: 1 }", &[]),
        ("@NumberBased enum E { A: «'a'» }", &["EnumText"]),
        ("@NumberBased enum E { A: -1, B: 0x2 }", &[]),
        ("@NumberBased enum E { A: «1 + 1» }", &["EnumText"]),
        ("@NumberBased @StringBased enum «E» { A }", &["EnumBase"]),
        ("@NumberBased enum E { A } var e = «E»;", &["EnumObject"]),
        ("@NumberBased enum E { A } var e = E.A; var all = E.literals;", &[]),
        ("enum E { A } var e = E;", &[]),
    ]);
}

#[test]
fn declarations_of_other_files() {
    check(&[
        ("export external public class «A» {}", &["External"]),
        ("export public class A {}", &[]),
        ("interface I { «(p: int): void {}» }", &["Signatures"]),
        ("var o: ~Object with { «(): void;» };", &["Signatures"]),
    ]);
}
