//! Every message with its place: a program, the code, and the text under the caret.

use crate::common::{messages, resolved};
use volvelle_diagnostics::{Diagnostic, Severity, Sources};
use volvelle_mpi::{parse, resolve};

/// All diagnostics of a program with their text under the caret.
fn found(text: &str) -> Vec<(String, String, Diagnostic)> {
    let mut sources = Sources::new();
    let file = sources.add("m.mpi", text);
    let (tree, mut diagnostics) = parse::program(file, text);
    let (_, more) = resolve::resolve(&tree, &[]);
    diagnostics.extend(more);
    diagnostics
        .into_iter()
        .map(|diagnostic| {
            let under = diagnostic.primary.as_ref().map_or("", |label| sources.text(label.span));
            (diagnostic.code.to_string(), under.to_owned(), diagnostic)
        })
        .collect()
}

/// One message, with a code, a text under the caret, and words somewhere in it.
#[track_caller]
fn one(text: &str, code: &str, under: &str, words: &str) {
    let found = found(text);
    let all = messages(text);
    let [(its_code, its_text, diagnostic)] = found.as_slice() else {
        panic!("{} messages for {text}\n{all}", found.len());
    };
    assert_eq!((its_code.as_str(), its_text.as_str()), (code, under), "{text}\n{all}");
    let said = format!("{diagnostic:?}");
    assert!(said.contains(words), "{words} is not in\n{all}");
}

/// The same for a process with this body.
#[track_caller]
fn body(body: &str, code: &str, under: &str, words: &str) {
    one(&format!("{SOME} process P {{ {body} }}"), code, under, words);
}

const SOME: &str = "
const n = 2;
type small = 0 .. 2;
shared x : small home 0;
shared a[i: 0..n] : small home 0;
shared d[i: 0..1] home 0;
shared s[i: 0..1] home 0 { line { left : 0..1; right[k: 0..1] : 0..1; } }
private w[k: 0..1] : small;
channel mail[to: 0..1] : small;
procedure lock(shared l) { local held; repeat { held = tas(l); } until (held == 0); }
procedure twice(v) { return v * 2; }
procedure nothing() { read x; }
procedure maybe(v) { if (v > 0) return 1; }
";

#[test]
fn syntax() {
    for (text, under, words) in [
        ("x = 1", "1", "`;` is missing behind this"),
        ("x = ;", ";", "expected an expression"),
        ("x = (1 + 2;", "2", "`)` is missing"),
        ("x == 1;", "==", "expected `=`"),
        ("whle (x == 0) { }", "whle", "did you mean `while`?"),
        ("lock(x) x = 1;", ")", "`;` is missing"),
        ("if x == 0) { }", "x", "expected `(`"),
        ("if (x = 0) { }", "=", "write `==`"),
        ("x = a & 1;", "&", "write `&&`"),
        ("x = 1.5;", "1.5", "whole numbers"),
        ("repeat { } x = 1;", "x", "expected `until`"),
        ("either { } x = 1;", "x", "expected `or`"),
        ("else x = 1;", "else", "no `if` before it"),
        ("x = tas(x, 1);", ")", "tas(variable)"),
        ("x = cas(x, 1);", ")", "cas(variable, old, new)"),
        ("local while;", "while", "keyword `while`"),
        ("x = 2x;", "2x", "begins with a digit"),
        ("x = 99999999999999999999;", "99999999999999999999", "too large"),
        ("x = 1 § ;", "§", "no meaning"),
        ("work 1; }", "}", "expected a declaration"),
    ] {
        let found = found(&format!("{SOME} process P {{ {text} }}"));
        let (code, its_text, diagnostic) = &found[0];
        assert_eq!((code.as_str(), its_text.as_str()), ("V1701", under), "{text}: {diagnostic:?}");
        assert!(format!("{diagnostic:?}").contains(words), "{text}: {diagnostic:?}");
    }
    one("shared x home 0; process P { read x", "V1701", "x", "`;` is missing");
    assert_eq!(found("process P { /* no end")[0].1, "/*");
    one("process P { loop { work 1; }", "V1701", "", "this block has no end");
    one("shard x : 0..1; process P { }", "V1701", "shard", "did you mean `shared`?");
    one("shared x : 0..1 hmoe 0; process P { }", "V1701", "hmoe", "did you mean `home`?");
    one("shared x : 3; process P { }", "V1701", ";", "`..` and the greatest value");
}

/// Behind a mistake others are found.
#[test]
fn reading_goes_on() {
    let text = "process P { x = ; y = (; loop { z = ; } } shared q : ; const c = 1 +; process Q { v = ; }";
    let places: Vec<u32> = found(text)
        .iter()
        .filter(|f| f.0 == "V1701")
        .map(|f| f.2.primary.as_ref().unwrap().span.start)
        .collect();
    assert_eq!(places.len(), 6, "{}", messages(text));
}

#[test]
fn names() {
    body("x = avial[0];", "V1702", "avial", "`avial` is not declared");
    body("x = xx;", "V1702", "xx", "did you mean `x`?");
    body("x = flag;", "V1702", "flag", "`local flag;`");
    body("x = flag[1];", "V1702", "flag", "shared flag[i: 0..1] : 0..1;");
    body("x = rec[1].next;", "V1702", "rec", "shared rec[i: 0..1] { line { next : 0..1; } }");
    body("x = flag; flag = x + flag;", "V1702", "flag", "nothing of this name is known here");
    body("release(x, 1);", "V1702", "release", "procedure release(shared a, b) { }");
    one("const n = 2 shared x : 0..1 home 0; process P { x = 1; }", "V1701", "2", "`;` is missing");
    body("read flag;", "V1702", "flag", "shared flag : 0..1;");
    body("x = held;", "V1702", "held", "this one belongs to `lock`");
    body("{ local q = 1; } x = q;", "V1702", "q", "q");
    body("x = N;", "V1702", "N", "did you mean `n`?");
    body("lokc(x);", "V1702", "lokc", "did you mean `lock`?");
    body("x = test_and_set(x);", "V1702", "test_and_set", "called `tas`");
    body("sent mial[0], 1;", "V1702", "mial", "did you mean `mail`?");
    body("sent x, 1;", "V1702", "x", "not a channel");
    body("n = 1;", "V1702", "n", "to which nothing is assigned");
    body("local k; k = tas(k);", "V1702", "k", "not a shared variable");
    body("lock(w[0]);", "V1702", "w", "stands for a shared variable");
    body("lock(1);", "V1702", "1", "this is a value");
    body("x = lock(x);", "V1702", "lock", "gives no value");
    body("x = maybe(x);", "V1702", "maybe", "may end without a value");
    body("x = lock;", "V1702", "lock", "call it");
    body("x();", "V1702", "x", "not a procedure");
    body("s[0].lft = 1;", "V1702", "lft", "did you mean `left`?");
    body("s[0] = 1;", "V1702", "s[0]", "which field of it?");
    body("lock(s[0]);", "V1702", "l", "which field of it?");
    body("x.left = 1;", "V1702", "left", "has no field");
    body("local k; k[0] = 1;", "V1702", "k[0]", "no indices");
    body("local k, k;", "V1702", "k", "declared twice");
    body("break;", "V1702", "break", "in no loop");
    body("return 1;", "V1702", "1", "gives no value");
    body("local k : smal;", "V1702", "smal", "did you mean `small`?");
    body("local k : n;", "V1702", "n", "0 .. n");
    one("const c = d; const d = 1; process P { }", "V1702", "d", "further down");
    one("shared x : 0..1 home 0; shared x : 0..1 home 0; process P { }", "V1702", "x", "declared twice");
    one("shared x : 0..1 = y home 0; shared y home 0; process P { }", "V1702", "y", "not a constant");
    one("process P[i: 1..2] { } process P1 { }", "V1702", "P1", "two processes `P1`");
    one("const c = 1;", "V1702", "", "there is no process");
}

/// A name that is used before its declaration, or behind the block of it, in a procedure.
#[test]
fn names_in_blocks() {
    let program =
        |body: &str| format!("shared x : 0..1 home 0; procedure f() {{ {body} }} process P {{ f(); }}");
    one(&program("flag = 1; local flag;"), "V1702", "flag", "declared only here, behind its use");
    one(&program("{ local flag; } flag = 1;"), "V1702", "flag", "up to the end of its block");
}

#[test]
fn values() {
    body("x = 3;", "V1703", "3", "range is 0 .. 2");
    body("write d[0]; d[0] = 1;", "V1703", "1", "data without values");
    body("write x;", "V1703", "write x", "which value does it get?");
    body("x = a[3];", "V1703", "a[3]", "the index is 3");
    body("x = a;", "V1703", "a", "has no index, and needs one index");
    body("x = a[0][1];", "V1703", "a[0][1]", "has 2 indices");
    body("x = s[0].right;", "V1703", "s[0].right", "has no index");
    body("lock(x, 1);", "V1703", "lock", "has 2 arguments, and needs one argument");
    body("lock(d[0]);", "V1703", "tas(l)", "`tas` stores 1");
    body("lock(a);", "V1703", "l", "needs one index");
    body("x = 1 / (n - 2);", "V1703", "1 / (n - 2)", "has no value");
    body("w[2] = 1;", "V1703", "2", "outside of `w`");
    body("local k; k = x; w[k] = 1;", "V1703", "k", "an index of `w` is a constant");
    body("local k : 0..1; k = 2;", "V1703", "k = 2", "range is 0 .. 1");
    body("local k; k = x; for (r: 0..k) { read x; }", "V1703", "k", "known before processes start");
    body("work 0;", "V1703", "0", "not above 0");
    body("sent mail[0];", "V1703", "sent mail[0]", "have contents");
    body("sent mail[0], 3;", "V1703", "3", "range is 0 .. 2");
    body("sent mail[2], 1;", "V1703", "mail[2]", "the index is 2");
    one("shared x : 2..1 home 0; process P { }", "V1703", "2..1", "no values");
    one("shared x : 0..1 = 2 home 0; process P { }", "V1703", "2", "outside of the range 0 .. 1");
    one("shared x[i: 0..2] : 0..1 = i home 0; process P { }", "V1703", "i", "for i = 2");
    one("shared x home 1; process P { }", "V1703", "1", "no process number 1");
    one("shared x : mod 0 home 0; process P { }", "V1703", "0", "modulo 0");
    one("channel c capacity 0; process P { }", "V1703", "0", "1 to 64");
    one("shared x home 0 { } process P { }", "V1703", "x", "no fields");
    one("process P[i: 1..1000] { }", "V1703", "1..1000", "256 processes");
}

#[test]
fn a_home_that_nobody_gives() {
    let text = "shared x : 0..1; shared y[i: 0..1] : 0..1; process P { } process Q { }";
    one(text, "V1703", "x", "nothing says where `x` has its home");
    assert!(found(text)[0].2.severity == Severity::Warning && resolved(text, &[]).0.is_some());
}

#[test]
fn size() {
    one("procedure f() { f(); } process P { f(); }", "V1704", "f", "`f` calls itself");
    one("procedure f(a) { g(a); } procedure g(b) { f(b); } process P { }", "V1704", "f", "f -> g -> f");
}

#[test]
fn size_without_values() {
    one("shared x[i: 0..99999][j: 0..99999] home 0; process P { }", "V1704", "x", "variables");
    let doubled: String = (0..40).map(|i| format!("procedure f{i}() {{ f{0}(); f{0}(); }}", i + 1)).collect();
    let text = format!("shared x home 0; {doubled} procedure f40() {{ read x; }} process P {{ f0(); }}");
    assert_eq!(found(&text).len(), 1);
    assert_eq!(found(&text)[0].0, "V1704");
    body("for (r: 0..2000000000) { }", "V1704", "for (r: 0..2000000000)", "too large");
}

#[test]
fn loops_without_time() {
    body("loop { }", "V1704", "loop", "takes no time");
    body("while (1) { }", "V1704", "while (1)", "takes no time");
    body("repeat { } until (0);", "V1704", "repeat", "takes no time");
    body("loop { if (x == 1) { loop ; } }", "V1704", "loop", "takes no time");
    body("local k; while (k == 0) { }", "V1704", "k == 0", "nothing in the loop changes it");
    body(
        "local k : small; k = x; while (k < 2) { while (w[0] == 0) { } k = k + 1; }",
        "V1704",
        "w[0] == 0",
        "nothing in the loop changes it",
    );
    body("loop { either { } or { break; } }", "V1704", "either", "takes no time");
    for fine in [
        "loop { read x; }",
        "loop { work 1; }",
        "loop { measure M; }",
        "while (x == 0) { }",
        "local k : 0..3; while (k < 3) k = k + 1;",
        "local k : 0..3; loop { k = k + 1; if (k == 3) break; }",
        "loop { either { read x; } or { work 2; } }",
    ] {
        let text = format!("{SOME} process P {{ {fine} }}");
        assert_eq!(messages(&text), "", "{fine}");
    }
}

#[test]
fn ranges() {
    body("local k; loop { read x; k = k + 1; }", "V1705", "k", "give it a type");
    body("local k; loop { k = twice(k + x); }", "V1705", "k", "not bounded");
}

/// A mistake in a procedure is said once, with the call that makes it.
#[test]
fn mistakes_of_calls() {
    let text = format!(
        "{SOME} procedure f(i) {{ x = a[i + 2]; }} process P {{ f(0); f(1); f(2); }} process Q {{ f(5); }}"
    );
    one(&text, "V1703", "a[i + 2]", "in the call f(i = 1)");
}
