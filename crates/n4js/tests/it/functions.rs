//! Checks of functions, their parameters, and `super`.

use crate::checked::holds;

#[test]
fn parameters_have_their_form() {
    holds(&[
        (
            "ParameterForm",
            &[
                "function f(«...a», b) { }",
                "let f = («...a», ...b) => { };",
                "class C { m(«...a», b) { } }",
                "let f: {function(«...int», string)};",
                "function f(«...a=») { }",
                "let f: {function(«a: int = 5»)};",
                "let f: («int = 5») => void;",
                "function f(a, ...b) { }",
                "let f: {function(int=, ...string)};",
                "let f: {function(a: int = undefined)};",
                "function f(a = 5) { }",
            ],
        ),
        ("GetterParameter", &["class C { get a(«x») { return x; } }", "class C { get a() { return 1; } }"]),
        (
            "SetterParameter",
            &[
                "class C { set a(«x: int = 5») { } }",
                "class C { set a(«...x») { } }",
                "class C { set a(x, «y») { } }",
                "class C { «set a() { }» }",
                "class C { set a(x: int) { } }",
            ],
        ),
        (
            "NewTargetPlace",
            &["«new.target»;", "let f = () => «new.target»;", "function f() { let g = () => new.target; }"],
        ),
        (
            "Initializer",
            &[
                "function f(a = «b», b = 1) { }",
                "function f(a = «a») { }",
                "let f = (a = «b» + 1, b = 1) => { };",
                "let x = 1; function f(a = «x») { let x = 2; }",
                "let x = 1; function f(a = «x») { if (true) { var x = 2; } }",
                "function f(a = 1, b = a) { }",
                "let x = 1; function f(a = x) { let y = 2; }",
                "let x = 1; function f(a = x) { { let x = 2; } }",
                "function f(a = () => b, b = 1) { }",
                "let b = 1; function f(a = b) { }",
            ],
        ),
        (
            "AwaitPlace",
            &[
                "async function g() { } async function f(a = «await g()») { }",
                "async function g() { } function f() { «await g()»; }",
                "async function g() { } async function f() { let h = () => «await g()»; }",
                "async function g() { } async function f() { await g(); }",
                "async function g() { } function f(a = async () => await g()) { }",
            ],
        ),
        ("YieldPlace", &["function *f() { let g = () => { «yield 1»; }; }", "function *f() { yield 1; }"]),
        (
            "OptionalPlace",
            &[
                "class C { get a(): «int?» { return 1; } }",
                "let f: {function(«int?»)};",
                "function f(): int? { }",
                "let f: {function(): int?};",
            ],
        ),
        ("FunctionBody", &["function «f»()", "function f() { }", "interface I { m() }"]),
    ]);
}

#[test]
fn what_is_above_is_reached_from_members() {
    const A: &str = "class A { constructor(a: int) { } public m() { } } ";
    let with = |rest: &str| format!("{A}{rest}");
    let programs = [
        with("class B extends A { constructor() { if (true) { «super»(1); } } }"),
        with("class B extends A { constructor() { let f = () => { «super»(1); }; super(1); } }"),
        with("class B extends A { constructor() { this.m(); «super»(1); } }"),
        with("class B extends A { constructor() { if (true) { return; } «super»(1); } }"),
        with("class B extends A { m() { «super»(1); } }"),
        with("class B extends A { m() { let f = function () { «super».m(); }; } }"),
        with("class B extends A { m() { «super»['m'](); } }"),
        with("class B extends A { m() { let a = «super»; } }"),
        with("class B extends A { m() { new «super»(); } }"),
        with("interface I { m() { «super».m(); } }"),
        with("class B extends A { constructor() { super(1); this.m(); } }"),
        with(
            "class B extends A { constructor() { let a = 1; let f = function () { return this; }; super(a); } }",
        ),
        with("class B extends A { m() { if (true) { super.m(); } } }"),
        with("class B extends A { get g() { return super.m; } }"),
    ];
    let programs: Vec<&str> = programs.iter().map(String::as_str).collect();
    holds(&[("SuperPlace", &programs)]);
    let needed = [
        with("class B extends A { «constructor»() { } }"),
        with("class B extends A { constructor() { super(1); } }"),
        with("class B extends A { }"),
        "class A { constructor(a: int = 1) { } } class B extends A { constructor() { } }".to_owned(),
    ];
    let needed: Vec<&str> = needed.iter().map(String::as_str).collect();
    holds(&[
        ("SuperNeeded", &needed),
        (
            "SuperMember",
            &[
                "class A { public f = 1; } class B extends A { m() { super.«f»; } }",
                "abstract class A { abstract m(): int } class B extends A { m(): int { return super.«m»(); } }",
                "interface I { n(): int } abstract class A implements I { } class B extends A { n(): int { return super.«n»(); } }",
                "abstract class A { m() { } } class B extends A { m() { super.m(); } }",
                "interface I { n() { } } abstract class A implements I { } class B extends A { n() { super.n(); } }",
            ],
        ),
    ]);
}
