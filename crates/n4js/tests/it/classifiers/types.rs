//! Types as they are written.

use super::check;

#[test]
fn void() {
    check(&[
        ("function f(): void {}", &[]),
        ("var f: {function(): void};", &[]),
        ("var x: «void»;", &["Void"]),
        ("function f(p: «void») {}", &["Void"]),
        ("class G<T> {} var g: G<«void»>;", &["Void"]),
    ]);
}

#[test]
fn numbers_of_arguments() {
    check(&[
        ("class G<T> {} var g: «G»;", &["TypeArguments"]),
        ("class G<T> {} var g: G<int>; var h: G<?>; var c: constructor{G};", &[]),
        ("class G<T> {} var g: «G»<int, int>;", &["TypeArguments"]),
        ("class G<T = int> {} var g: G; var h: G<string>;", &[]),
        ("class A {} var g: «A»<int>;", &["TypeArguments"]),
        ("class G<T> {} var g: type{«G<int>»};", &["TypeArguments"]),
        ("class G<T> {} new «G»();", &["NewArguments"]),
        ("class G<T> {} new G<int>();", &[]),
        ("type A<T> = T; var a: «A»;", &["TypeArguments"]),
        ("var t: «[int,int,int,int,int,int,int,int,int,int]»;", &["Tuple"]),
    ]);
}

#[test]
fn bounds() {
    check(&[
        (
            "class X {} class Y extends X {} class G<T extends Y> {} var g: G<Y>; var h: G<? extends Y>; var i: G<?>;",
            &[],
        ),
        ("class X {} class Y extends X {} class G<T extends Y> {} var g: G<«X»>;", &["Bounds"]),
        ("class X {} class Y extends X {} class G<T extends Y> {} var g: G<«? extends X»>;", &["Bounds"]),
        ("class X {} class Y extends X {} class G<T extends Y> {} new G<«X»>();", &["NewBounds"]),
        ("class X {} class Y extends X {} function <T extends Y> f() {} <«X»>f(); <Y>f();", &["CallBounds"]),
        (
            "class G<S, T extends S> {} class X {} class Y extends X {} var g: G<X, Y>; var h: G<Y, «X»>;",
            &["Bounds"],
        ),
    ]);
}

#[test]
fn aliases() {
    check(&[
        ("type «A» = B; type «B» = string | A;", &["AliasCycle", "AliasCycle"]),
        ("type A = B; type B = string;", &[]),
        ("class C {} type A = C; var a: type{A};", &[]),
        ("class C {} class D {} type A = C | D; var a: type{«A»};", &["AliasOfClass"]),
    ]);
}

#[test]
fn many_ways_through_aliases() {
    let rung = |at: usize| {
        let next = at + 1;
        format!("type A{at} = A{next} | B{next}; type B{at} = A{next} | B{next};\n")
    };
    let rungs: String = (0..60).map(rung).collect();
    check(&[(format!("{rungs}type A60 = string; type B60 = int; var a: A0;").leak(), &[])]);
}

#[test]
fn type_parameters() {
    check(&[
        ("class G<S, T = S> {}", &[]),
        ("class G<S, T = «T»> {}", &["TypeParameterDefault"]),
        ("class G<S = Array<«T»>, T = int> {}", &["TypeParameterDefault"]),
        ("class G<S = int, «T»> {}", &["TypeParameterDefault"]),
        ("class G<«T», «T»> {}", &["TypeParameterTwice", "TypeParameterTwice"]),
    ]);
}

#[test]
fn variance() {
    check(&[
        (
            "class G<out T> { m(): T { return null; } @Final f: T = null; private g: T; constructor(p: T) {} }",
            &[],
        ),
        ("class G<out T> { m(p: «T») {} }", &["VariablePosition"]),
        ("class G<out T> { f: «T»; }", &["VariablePosition"]),
        ("class G<in T> { m(p: T) {} }", &[]),
        ("class G<in T> { m(): «T» { return null; } }", &["VariablePosition"]),
        ("class G<out T> { m(p: {function(T): void}) {} }", &[]),
        ("class G<out T> { m(p: {function(): «T»}) {} }", &["VariablePosition"]),
        ("class G<out T> {} class H<out T> extends G<T> {}", &[]),
        ("class G<T> {} class H<out T> extends G<«T»> {}", &["VariablePosition"]),
        ("class G<out T> {} var g: G<«? super int»>;", &["WildcardVariance"]),
        ("class G<out T> {} var g: G<? extends int>;", &[]),
    ]);
}

#[test]
fn static_members_have_no_type_parameters_of_classes() {
    check(&[
        ("class G<T> { static m(p: «T») {} }", &["StaticVariable"]),
        ("class G<T> { static <T> m(p: T) {} m(p: T) {} }", &[]),
    ]);
}

#[test]
fn structural_types() {
    check(&[
        ("function <T> f(p: ~«T» with { x: int }) {}", &["Structure"]),
        ("class A {} var a: ~A with { x: int };", &[]),
        ("var a: ~«string»;", &["Structure"]),
    ]);
}

#[test]
fn primitives_have_no_further_members() {
    check(&[("var x: «string+»;", &["DynamicPrimitive"]), ("class A {} var x: A+; var y: any+;", &[])]);
}
