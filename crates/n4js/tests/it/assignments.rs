//! Checks of what is assigned to.

use crate::checked::holds;

#[test]
fn values_are_put_somewhere() {
    holds(&[
        (
            "AssignedPlace",
            &[
                "«5» = 6;",
                "function f() { } «f()» = 1;",
                "let a: int; «a + 1» = 1;",
                "let a: any+; «a?.b» = 1;",
                "«undefined» = 1;",
                "function f() { «arguments» = null; }",
                "const a = 1; «a» = 2;",
                "const a = 1; «(a)» = 2;",
                "let s: string; «s» *= 2;",
                "let n: number; n += «'a'»;",
                "let b: boolean; «b» += true;",
                "let a: int; a = 1; (a) = 2; a += 1; a *= 2;",
                "let a: any+; a.b = 1; a[0] = 1; a?.b.c;",
                "let s: string; s += 1;",
                "let a: int, b: int; [a, b] = [1, 2]; ({ a, b } = { a: 1, b: 2 });",
                "const a = { b: 1 }; a.b = 2;",
                "const a = 1; { let a = 2; a = 3; }",
            ],
        ),
        ("ChangedBefore", &["++«5»;", "const a = 1; --«a»;", "let a = 1; ++a; --a;"]),
        ("ChangedBehind", &["const a = 1; «a»++;", "let a = 1; a++; let o = { a: 1 }; o.a--;"]),
        (
            "LoopPlace",
            &["for («5» of [1]) { }", "const a = 1; for («a» of [1]) { }", "let a; for (a of [1]) { }"],
        ),
        ("Deleted", &["let a = 1; delete «a»;", "let a: any+; delete a.b; delete a[0];"]),
    ]);
}
