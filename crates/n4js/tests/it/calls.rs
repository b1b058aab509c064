//! Checks of calls and `new`.

use crate::checked::holds;

#[test]
fn functions_are_called() {
    holds(&[(
        "CallOfFunction",
        &[
            "let a = 5; «a»();",
            "let a: any; «a»();",
            "class C { } «C»();",
            "enum E { A } «E.A»();",
            "function f(a: int) { } «f()»;",
            "function f(a: int) { } «f(1, 2)»;",
            "function f(a: int, b: int = 1) { } «f()»; f(1); f(1, 2); «f(1, 2, 3)»;",
            "function f(a: int, ...b: int) { } «f()»; f(1); f(1, 2, 3);",
            "function f() { } <int>«f»();",
            "function <T> f(a: T) { } <int, string>«f»(1);",
            "class A { constructor(a: int) { } } class B extends A { constructor() { «super()»; } }",
            "let f: {function(int=)}; f(); f(1); «f(1, 2)»;",
            "let u: union{{function(int): int}, {function(int, int): int}}; u(1, 2);",
            "let u: intersection{{function(int): int}, {function(int, int): int}}; u(1); u(1, 2);",
            "let a: any+; a(); a(1, 2);",
            "let f: Function; f(1, 2, 3); <int>f();",
            "String(1); Number('1'); Symbol();",
            "function f(a: int, b: int) { } f(...[1, 2]);",
            "function <T> f(a: T) { } f(1); <int>f(1);",
            "function f(a: int) { } f.call(null, 1); f.apply(null, [1]);",
        ],
    )]);
}

#[test]
fn classes_are_made() {
    holds(&[(
        "NewOfClass",
        &[
            "abstract class A { } new «A»();",
            "interface I { } new «I»();",
            "enum E { A } new «E»();",
            "let a = 5; new «a»();",
            "let a: any; new «a»();",
            "class A { constructor(a: int) { } } «new A()»; «new A(1, 2)»;",
            "class A { constructor(a: int) { } } class B extends A { } «new B()»;",
            "class A { } let c: constructor{? extends A}; new «c»();",
            "class A { } let c: type{? extends A}; new «c»();",
            "class A { constructor(a: int) { } } new A(1);",
            "class A { } new A(); new A;",
            "abstract class A { } let c: constructor{A}; new c();",
            "class A { @CovariantConstructor constructor() { } } let c: constructor{? extends A}; new c();",
            "let a: any+; new a(1);",
            "new Array<int>(); new Date(); new Error('a'); new Object();",
            "class A { constructor(...a: int) { } } new A(); new A(1, 2, 3);",
        ],
    )]);
}

#[test]
fn methods_are_for_their_objects() {
    holds(&[(
        "UnknownMember",
        &[
            "interface I { @This(J) m() { } } interface J extends I { } let i: I; i.«m»();",
            "interface I { @This(J) m() { } } interface J extends I { } let j: J; j.m();",
        ],
    )]);
}
