//! Texts and the trees that they mean, printed: every construct of the language, and its oddities as SPIN 6.5 has them.

use crate::common::{read, right};
use volvelle_diagnostics::Sources;
use volvelle_promela::ast::{Model, StatementKind, Unit};
use volvelle_promela::{parse_formula, print};
use volvelle_promela_testing::shape;

/// All white space in a row counts as one blank.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn means(text: &str, expected: &str) {
    assert_eq!(flat(&print::model(&right(text).model)), flat(expected), "{text}");
}

#[track_caller]
fn body_means(text: &str, expected: &str) {
    means(&format!("init {{ {text} }}"), &format!("init {{ {expected} }}"));
}

#[test]
fn separators() {
    for text in [
        "a = 1; b = 2",
        "a = 1 -> b = 2",
        "a = 1;; -> b = 2;",
        "a = 1\nb = 2\n",
        "a = 1\n\n;\n b = 2",
        "a = 1\n -> b = 2",
        "a = (1\n)\n b =\n 2",
        "a = 1 // one\n b = 2",
        "a = 1 /* one\n */ b = 2",
    ] {
        body_means(text, "a = 1; b = 2");
    }
    body_means(
        "{ a = 1 } b = 2; atomic { c } d_step { d } if :: e fi\n f",
        "{ a = 1 }; b = 2; atomic { c }; d_step { d }; if :: e fi; f",
    );
    body_means("if :: a -> b :: else c fi", "if :: a; b :: else; c fi");
    body_means("a\n-b\n!c", "a; - b; ! c");
    body_means("a ||\nb &&\n(c\n+ d)", "a || b && c + d");
    body_means("{ a }\nunless\n{ b }", "{ a } unless { b }");
    body_means(
        "break\ngoto L\nL: skip\ntimeout\nelse\nx++\ny--\nq?z\nw",
        "break; goto L; L: 1; timeout; else; x++; y--; q ? z; w",
    );
    body_means("for (i : 1 .. 3)\n{ a }\natomic\n{ b }", "for (i : 1 .. 3) { a }; atomic { b }");
}

#[test]
fn labels() {
    body_means("L: M: a = 1", "L: M: a = 1");
    body_means("L: ; a", "L: 1; a");
    body_means("if :: a -> L: fi", "if :: a; L: 1 fi");
    body_means("L:\n a", "L: a");
    body_means("always: U: a", "always: U: a");
}

#[test]
fn channels() {
    body_means("q!a(b, c)", "q ! a, b, c");
    body_means("q!a,b+1", "q ! a, b + 1");
    body_means("q!!a", "q !! a");
    body_means("q?a(b,c); q?(a,b); q?a,b(c)", "q ? a, b, c; q ? a, b; q ? a, b, c");
    body_means("q?eval(a+1),_,3,-1,'a'", "q ? eval(a + 1), _, 3, - 1, 97");
    body_means("q??a; q?<a,b>; q??<a>", "q ?? a; q ? <a, b>; q ?? <a>");
    body_means("q?[a]; q??[a,1] && b; x = q?[a(b)] + 1", "q?[a]; q??[a, 1] && b; x = q?[a, b] + 1");
    body_means("q[i+1].c[2]!x; T.c?x", "q[i + 1].c[2] ! x; T.c ? x");
    body_means("q?x -> y", "q ? x; y");
    body_means("xr q; xs q, r[1]", "xr q; xs q, r[1]");
    body_means(
        "x = len(q) + 1; full(q) && nfull(r) || empty(q); x = nempty(q)",
        "x = len(q) + 1; full(q) && nfull(r) || empty(q); x = nempty(q)",
    );
}

#[test]
fn expressions() {
    let cases = [
        ("a - b - c", "a - b - c"),
        ("a - (b - c)", "a - (b - c)"),
        ("((a * b)) + c % d", "a * b + c % d"),
        ("a | b ^ c & d == e < f << g + h * -i", "a | b ^ c & d == e < f << g + h * - i"),
        (
            "(((((((a | b) ^ c) & d) == e) < f) << g) + h) * i",
            "(((((((a | b) ^ c) & d) == e) < f) << g) + h) * i",
        ),
        ("!a == b", "! a == b"),
        ("!(a == b)", "! (a == b)"),
        ("!!a", "! ! a"),
        ("~a + - -b", "~ a + - - b"),
        ("a || b && c", "a || b && c"),
        ("(a || b) && c", "(a || b) && c"),
        ("(a -> b : c) + 1", "(a -> b : c) + 1"),
        ("((a > b) -> (1) : ((2)))", "(a > b -> 1 : 2)"),
        ("true + false + skip + 017 + '\\n' + 'a' + '\\''", "1 + 0 + 1 + 17 + 10 + 97 + 39"),
        ("run P(1, a) priority 3", "run P(1, a) priority 3"),
        (
            "enabled(a) + pc_value(_pid) + get_priority(0) + timeout + np_ + _last",
            "enabled(a) + pc_value(_pid) + get_priority(0) + timeout + np_ + _last",
        ),
        ("P@L && P[i+1]@L", "P@L && P[i + 1]@L"),
        ("-2147483648", "- 2147483648"),
        ("a.b[1].c + in", "a.b[1].c + in"),
    ];
    for (text, expected) in cases {
        body_means(&format!("x = {text}"), &format!("x = {expected}"));
        body_means(text, expected);
    }
    // This one is not what it says without its parentheses.
    assert_ne!(
        shape(&right("init { x = (a | b) ^ c & d }").model),
        shape(&right("init { x = a | b ^ c & d }").model)
    );
}

#[test]
fn statements() {
    body_means(
        "assert a == 1; assert(a) && b; assert(true) -> skip",
        "assert(a == 1); assert(a && b); assert(1); 1",
    );
    body_means(
        "printf(\"a %d\\n\", 1, b); printf(\"\"); printm(a.b); printm(3)",
        "printf(\"a %d\\n\", 1, b); printf(\"\"); printm(a.b); printm(3)",
    );
    body_means(
        "select (i : 1..n+1); for (i : -1..2) { a }; for (i in b) { c }",
        "select (i : 1 .. n + 1); for (i : - 1 .. 2) { a }; for (i in b) { c }",
    );
    body_means("set_priority(1, 2)", "set_priority(1, 2)");
    body_means("a unless b; { c; d } unless { e }", "{ a } unless { b }; { c; d } unless { e }");
    body_means("{ { a } unless { b } } unless { c }", "{ { a } unless { b } } unless { c }");
    body_means("L: { a unless b }", "L: { { a } unless { b } }");
    body_means("do :: a :: else -> break od", "do :: a :: else; break od");
    body_means(
        "byte a, b = 2, c[3]; hidden int d; mtype : s e; unsigned f : 5 = 3; a",
        "byte a, b = 2, c[3]; hidden int d; mtype : s e; unsigned f : 5 = 3; a",
    );
    body_means(
        "byte a[3] = { 1, 2, b }; chan c[2] = [N+1] of { byte, mtype : s, chan }, d",
        "byte a[3] = { 1, 2, b }; chan c[2] = [N + 1] of { byte, mtype : s, chan }, d",
    );
}

#[test]
fn units() {
    means("byte a; ; int b = 1\nshow bool c -> local pid d", "byte a; int b = 1; show bool c; local pid d;");
    means(
        "mtype = { a, b c }; mtype : s = { d }; mtype { e }\nmtype f = a",
        "mtype = { a, b, c }; mtype : s = { d }; mtype = { e }; mtype f = a;",
    );
    means("typedef T { byte a\n T2 b[2];; chan c };\nT t", "typedef T { byte a; T2 b[2]; chan c }; T t;");
    means(
        "active [N] proctype P(byte a, b; chan c; T d) priority 3 provided (a > 1)\n{ skip }\nD_proctype Q() { skip } init priority 2 { skip };",
        "active [N] proctype P(byte a, b; chan c; T d) priority 3 provided (a > 1) { 1 } D_proctype Q() { 1 } init priority 2 { 1 }",
    );
    means(
        "active proctype P() { P:x; P[1]:y.z[2] == 1; Q: a }",
        "active proctype P() { P:x; P[1]:y.z[2] == 1; Q: a }",
    );
    means(
        "never { do :: a od } never n { a } trace { q!1 } notrace { q?1 }",
        "never { do :: a od } never n { a } trace { q ! 1 } notrace { q ? 1 }",
    );
    means(
        "#define N 2\n#define Dist(a,b) distance[((a)*N)+(b)]\ninit { Dist(0,1) = 20;	Dist(1,0) = N }",
        "init { distance[0 * 2 + 1] = 20; distance[1 * 2 + 0] = 2 }",
    );
    means("#define W 3\ninit { select(i : 1..W) }", "init { select (i : 1 .. 3) }");
}

/// The output of SPIN for the same formulas, apart from its own rewriting of `->` and `W`.
#[test]
fn formulas() {
    let cases = [
        ("a -> b -> c", "(a -> b) -> c"),
        ("a U b U c", "(a U b) U c"),
        ("a <-> b -> c", "(a <-> b) -> c"),
        ("a -> b <-> c", "(a -> b) <-> c"),
        ("a == 1 || b == 1 U c == 1 && d", "(a == 1) || (((b == 1) U (c == 1)) && d)"),
        ("(a W b) V c", "(a W b) V c"),
        ("a W b V c", "(a W b) V c"),
        ("![]<>a -> []b", "(! ([] (<> a))) -> ([] b)"),
        ("[]a U b", "([] a) U b"),
        ("[] (a && b) || <> c", "([] (a && b)) || (<> c)"),
        ("a U !b", "a U (! b)"),
        ("a -> b U c && !d U e", "a -> ((b U c) && ((! d) U e))"),
        ("always (a implies eventually b)", "[] (a -> (<> b))"),
        ("a until b", "a U b"),
        ("a stronguntil b equivalent c", "(a U b) <-> c"),
        ("a weakuntil b release c", "(a W b) V c"),
        ("next a", "X a"),
        ("a /\\ b \\/ c", "(a && b) || c"),
        ("a & 1 == 1", "a & (1 == 1)"),
        ("a\n&& b", "a && b"),
        ("(len(q) < 2) -> (len(q) > 0)", "(len(q) < 2) -> (len(q) > 0)"),
        ("p[0]@CS && inp?[red]", "p[0]@CS && inp?[red]"),
        ("a;", "a"),
    ];
    for (text, same) in cases {
        let (a, b) = (right(&format!("ltl {{ {text} }}")), right(&format!("ltl {{ {same} }}")));
        assert_eq!(shape(&a.model), shape(&b.model), "{text}");
    }
    means("ltl p { [] a } ltl { U1 }", "ltl p { [] a } ltl { U1 }");
    // Outside of formulas these are names.
    body_means("always = X + U; byte until, W", "always = X + U; byte until, W");
}

#[test]
fn formulas_from_elsewhere() {
    let text = "#define p (x == 1)\nproctype P() { byte y; skip }";
    let (mut sources, mut parsed, _) = read(text);
    let file = sources.add("--ltl", "[] (p -> <> (P:y == 2))");
    let (id, diagnostics) = parse_formula(&mut sources, file, &mut parsed.model);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(print::expr(&parsed.model.exprs, id), "[] (x == 1 -> <> (P:y == 2))");
    let place = parsed.model.exprs.get(id).place;
    assert_eq!(parsed.model.places.span(place).file, file);
    let file = sources.add("--ltl", "[] (p -> ) x");
    let (_, diagnostics) = parse_formula(&mut sources, file, &mut parsed.model);
    assert_eq!(diagnostics.len(), 1);
}

#[test]
fn inlines() {
    means(
        "inline f(a, b) { a = b } init { f(x, y + 1) f(z[2], 3); f (u, v) }",
        "init { { x = y + 1 }; { z[2] = 3 }; { u = v } }",
    );
    means("inline f(a) { byte t; t = a.x; g!a } init { f(b) }", "init { { byte t; t = b.x; g ! b } }");
    means(
        "inline f(a) { h = a } inline g(b) { f(b); f(b + 1) } init { g(a) }",
        "init { { { h = a }; { h = a + 1 } } }",
    );
    means(
        "inline f(a) { if :: a > 1 -> return 1 :: else -> return a + 2 fi } init { x[1] = f(y) }",
        "init { { if :: y > 1; x[1] = 1 :: else; x[1] = y + 2 fi } }",
    );
    means(
        "inline f() { skip } init { L: f(); do :: f() od unless { f() } }",
        "init { L: { 1 }; { do :: { 1 } od } unless { { 1 } } }",
    );
    means("inline f(a) { t.a = 3; printf(\"a\") } init { f(x) }", "init { { t.x = 3; printf(\"a\") } }");
    means(
        "inline f(a) { x = a\n y = a } init { f(1)\n f(2\n) }",
        "init { { x = 1; y = 1 }; { x = 2; y = 2 } }",
    );
    means("inline unused(a) { this is : nothing } byte x;", "byte x;");
}

/// A place knows the text and the calls; what covers several words takes the calls that they share.
#[test]
fn places() {
    let text = "#define ADD(a) a + 1\ninline f(v) { v = ADD(y) }\ninit { f(x[3]) }";
    let (sources, parsed, drawn) = read(text);
    assert!(parsed.diagnostics.is_empty(), "{drawn}");
    let (model, sources): (&Model, &Sources) = (&parsed.model, &sources);
    let Unit::Proctype(init) = &model.units[0] else { panic!() };
    let StatementKind::Block(block) = &init.body.statements[0].kind else { panic!() };
    let assign = &block.statements[0];
    let StatementKind::Assign { target, value } = assign.kind else { panic!() };
    let shown = |place| {
        let calls: Vec<&str> =
            model.places.calls(place).map(|call| sources.text(model.places.span(call))).collect();
        (sources.text(model.places.span(place)), calls)
    };
    assert_eq!(shown(model.exprs.get(target).place), ("x[3]", vec![]));
    assert_eq!(shown(model.exprs.get(value).place), ("ADD(y)", vec!["f(x[3])"]));
    assert_eq!(shown(assign.place), ("f(x[3])", vec![]));
    assert_eq!(shown(init.body.statements[0].place), ("f(x[3])", vec![]));
}
