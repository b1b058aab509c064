//! Checks of statements.

use crate::checked::holds;

#[test]
fn jumps_have_somewhere_to_go() {
    holds(&[
        (
            "BreakPlace",
            &[
                "«break;»",
                "function f() { «break;» }",
                "while (true) { (function () { «break;» })(); }",
                "l: { «break;» }",
                "l: while (true) { «break m;» }",
                "l: { let f = () => { «break l;» }; }",
                "while (true) { break; }",
                "for (;;) { if (true) { break; } }",
                "switch (1) { case 1: break; }",
                "l: { break l; }",
                "l: for (let i in {a: 1}) { m: while (true) { break l; } }",
            ],
        ),
        (
            "ContinuePlace",
            &[
                "«continue;»",
                "switch (1) { case 1: «continue;» }",
                "l: { «continue l;» }",
                "l: while (true) { «continue k;» }",
                "while (true) { let f = function () { «continue;» }; }",
                "while (true) { switch (1) { case 1: continue; } }",
                "l: m: do { continue l; } while (true);",
                "do { continue; } while (true);",
            ],
        ),
        ("LabelOnce", &["l: { «l»: { } }", "l: { } l: { }", "l: { function f() { l: { } } }"]),
        (
            "ReturnPlace",
            &["«return;»", "{ «return 1;» }", "function f() { return; }", "let f = () => { return 1; };"],
        ),
        ("NoWith", &["«with (Object) { }»", "var o = { with: 1 }; o.with;"]),
        (
            "OneDefault",
            &["switch (1) { default: «default: break;» }", "switch (1) { default: switch (2) { default: } }"],
        ),
    ]);
}

#[test]
fn loops_give_their_variables_values() {
    holds(&[
        (
            "CatchType",
            &[
                "try { } catch (e: «Error») { }",
                "try { } catch (e) { }",
                "try { } catch (e) { let x: Error = null; }",
            ],
        ),
        (
            "LoneVariable",
            &[
                "if (true) «let a = 1;»",
                "while (false) «const a = 1;»",
                "if (true) { } else «let a = 1;»",
                "if (true) var a = 1;",
                "for (let i = 0; i < 1; i++) { let a = 1; }",
                "for (const i of [1]) { }",
            ],
        ),
        (
            "LoneFunction",
            &[
                "if (true) «function f() { }»",
                "l: «function f() { }»",
                "if (true) { function f() { } }",
                "function f() { }",
            ],
        ),
        ("LoneClass", &["if (true) «class C { }»", "class C { }", "export public interface I { }"]),
        (
            "LoopKeys",
            &[
                "for (let k in «42») { }",
                "let b: boolean; for (let k in «b») { }",
                "for (let k in { a: 1 }) { }",
                "for (let k in 'text') { }",
                "for (let k in [1]) { }",
            ],
        ),
        (
            "LoopElements",
            &[
                "for (let k of «42») { }",
                "let a: any; for (let k of «a») { }",
                "class C { } for (let k of «new C()») { }",
                "async function f(a: AsyncIterable<int>) { for (let k of «a») { } }",
                "for (let k of [1]) { }",
                "for (let k of 'text') { }",
                "let a: any+; for (let k of a) { }",
                "for (let k of new Map<string, int>()) { }",
                "async function f(a: AsyncIterable<int>) { for await (let k of a) { } for await (let k of [1]) { } }",
                "let u: union{Array<int>, string}; for (let k of u) { }",
                "function *g() { yield 1; } for (let k of g()) { }",
            ],
        ),
        (
            "LoopAwaits",
            &[
                "function f(a: any+) { «for await (let b of a) { }» }",
                "async function f(a: any+) { for await (let b of a) { } }",
                "function f() { for (let b of [1]) { } }",
            ],
        ),
        (
            "LoopInitializer",
            &[
                "for (var k = «1» in { }) { }",
                "for (let a, «b» of [1]) { }",
                "for (let k = «1» of [1]) { }",
                "var k; for («k = 1» in { }) { }",
                "for (var k in { a: 1 }) { }",
                "for (let [a = 1] of [[1]]) { }",
                "for (let i = 0; i < 1; i++) { }",
            ],
        ),
        (
            "LoopVariable",
            &[
                "for (var «k: number» in { }) { }",
                "var k: int; for («k» in { }) { }",
                "class C { public n: number; } let c = new C(); for («c.n» in { }) { }",
                "for (var k: string in { }) { }",
                "for (var k: any in { }) { }",
                "for (var k: number of [1]) { }",
                "var k: string; for (k in { }) { }",
            ],
        ),
        (
            "ConstantValue",
            &[
                "const «a»;",
                "const a = 1, «b»;",
                "let a;",
                "for (const a of [1]) { }",
                "for (const a in { }) { }",
            ],
        ),
    ]);
}

#[test]
fn functions_give_values_on_all_paths() {
    holds(&[
        (
            "Returns",
            &[
                "function «f»(): int { }",
                "function «f»(a: boolean): int { if (a) { return 1; } }",
                "function «f»(a: boolean): int { while (a) { return 1; } }",
                "function «f»(a: int): int { switch (a) { case 1: return 1; } }",
                "function «f»(a: int): int { switch (a) { case 1: break; default: return 1; } }",
                "function «f»(): int { try { return 1; } catch (e) { } }",
                "function «f»(): int { l: { break l; } }",
                "function «f»(a: boolean): int { do { if (a) continue; return 1; } while (a); }",
                "function «f»(a: boolean): int { while (true) { try { return 1; } finally { break; } } }",
                "let f = «function (): int { }»;",
                "class C { get «a»() { } }",
                "class C { «m»(): string { } }",
                "async function «f»(): int { }",
                "function f(): void { }",
                "function f(): int? { }",
                "function f(): any { }",
                "function f() { }",
                "function f(): int { throw 1; }",
                "function f(a: boolean): int { if (a) return 1; else throw 2; }",
                "function f(): int { while (true) { } }",
                "function f(): int { for (;;) { continue; } }",
                "function f(a: int): int { switch (a) { case 1: default: return 1; } }",
                "function f(): int { try { return 1; } catch (e) { return 2; } }",
                "function f(): int { try { } finally { return 2; } }",
                "function f(a: boolean): int { while (true) { try { break; } finally { return 1; } } }",
                "function f(a: boolean): int { while (true) { switch (a) { default: break; } } }",
                "async function f(): void { }",
                "function *f(): int { yield 1; }",
                "let f = (): int => 1;",
                "abstract class C { abstract m(): int }",
            ],
        ),
        (
            "ReturnValue",
            &[
                "function f(): int { «return;» }",
                "class C { set a(x: int) { «return x;» } }",
                "class C { get a(): int { «return;» } }",
                "function f(): void { return; }",
                "function f(): int? { return; }",
                "function f(): int { let g = () => { return; }; return 1; }",
                "class C { set a(x: int) { return; } }",
                "class C { set a(x: int) { let f = () => { return 1; }; } }",
            ],
        ),
    ]);
}
