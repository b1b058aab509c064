//! Promela at its edges: the greatest numbers, loops that never leave, syntax that is seldom written, names that are also operators.
//! What SPIN accepts is accepted, with SPIN's values; the rest is refused by name.

use crate::common::{Folder, Run, root, skipped};
use std::process::Command;

fn checked(text: &str) -> Run {
    Folder::new().file("model.pml", text).run(&["check", "model.pml"])
}

/// Models that hold, as their assertions say; of each what it is about.
const ACCEPTED: &[(&str, &str)] = &[
    ("structure as a parameter", "typedef Order { byte kind; byte amount; bool urgent };
Order book[2];
byte seen;
proctype Clerk(byte id; Order o) {
  assert(o.kind == 3 && o.amount == 7);
  seen = seen + o.amount + id
}
init { book[1].kind = 3; book[1].amount = 7; run Clerk(1, book[1]); _nr_pr == 1 -> assert(seen == 8) }"),
    ("nested structure as a parameter", "typedef T { byte p; short q }
typedef S { byte a; T t; byte b }
S s[2]; proctype Q(byte k; S x; byte y) {
  assert(x.a == 3 && x.t.p == 4 && x.t.q == 300 && x.b == 5 && y == 6 && k == 1); x.a = 9; assert(s[1].a == 3) }
init { s[1].a = 3; s[1].t.p = 4; s[1].t.q = 300; s[1].b = 5; run Q(1, s[1], 6) }"),
    ("scalars for a structure", "typedef S { byte a; byte b }
proctype Q(byte z; S x; byte y) { assert(x.a == 3 && x.b == 4 && y == 5 && z == 1) } init { run Q(1, 3, 4, 5) }"),
    ("initial value of a structure", "typedef Slot { byte holder; byte age };
Slot shelf[2] = 3;
byte plain = 1;
active proctype P() { Slot mine = 4; assert(shelf[1].holder + mine.holder == 0); plain = shelf[0].holder }"),
    ("long list of values", "byte a[2] = {1, 2, 3}; byte b = 9; active proctype P() { assert(a[0] == 1 && a[1] == 2 && b == 9) }"),
    ("labels in an inline", "byte x;
inline serve(n) { end: do :: x == n -> x = x + 1 :: x > 3 -> break od }
active proctype P() { serve(0); x = 9; serve(7) }"),
    ("long arrow", "byte a = 1;
active proctype P() { if :: a == 1 --> a = 2 :: else fi; assert(a == 2) }"),
    ("long arrow between statements", "byte a; active proctype P() { a = 1 --> a = 2; assert(a == 2) }"),
    ("end of no comment", "byte x;
active proctype P() {
  x = 1 /* outer /* inner */ */;
  assert(x == 1)
}"),
    ("end of no comment in a line", "byte x;
/* outer
 /* inner */
 */
active proctype P() { x = 4 /*/ 2 /*/ ; assert(x == 4) }"),
    ("length of an array that a variable has", "byte n = 3; byte a[n]; active proctype P() { a[2] = 1; assert(a[2] == 1) }"),
    ("remote variable before its process", "ltl p { [] (Q[0]:x < 2) }
active proctype Q() { byte x; x = 1; end: false }"),
    ("separators", "byte x; active proctype P() { x = 1 -> ; x = 2;; { x = 3 } x = 4
if :: x == 4; :: else -> fi; x = 5 -> assert(x == 5) }"),
    ("names that words of formulas are", "byte X, U, V, W, always, until, next, implies;
active proctype P() { X = 1; U = 1; V = 1; W = 1; always = 1; until = 1; next = 1; implies = 1; assert(X + U == 2) }"),
];

#[test]
fn what_spin_accepts_is_accepted() {
    for (what, text) in ACCEPTED {
        let run = checked(text);
        assert_eq!(run.code, 0, "{what}\n{text}\n{}{}", run.out, run.err);
    }
    if Command::new("spin").arg("-V").output().is_err() {
        return skipped("SPIN is not there");
    }
    for (what, text) in ACCEPTED {
        let folder = Folder::new().file("model.pml", text);
        let spin = Command::new("spin").args(["-a", "model.pml"]).current_dir(folder.path()).output();
        let said = String::from_utf8_lossy(&spin.expect("SPIN runs").stdout).into_owned();
        let is_there = folder.path().join("pan.c").exists();
        assert!(is_there && !said.to_lowercase().contains("error"), "{what}\n{text}\n{said}");
    }
}

#[test]
fn labels_in_inlines_are_those_of_their_calls() {
    let small = "if :: x < 5 -> goto L :: else fi";
    // The last number of each is that of SPIN's verifier.
    let cases = [
        // From outside, the last one is meant.
        "inline f(k) { skip; L: x = x + k; skip } P { f(1); f(10); n++; if :: n < 2 -> goto L :: else fi } 21",
        "inline f(k) { skip; L: x = x + k; skip } P { f(1); n++; if :: n < 3 -> goto L :: else fi; f(10) } 11",
        // From inside, that of the same call, or of the calls around it.
        "inline g() { if :: x < 5 -> goto L :: else fi } inline f(k) { skip; L: x = x + k; g() } P { f(1); f(10) } 15",
        "inline f(k) { n = 0; L: x = x + k; n++; if :: n < 3 -> goto L :: else fi } P { f(1); f(10) } 33",
        "inline g() { skip; L: x = x + 1 } inline f() { g(); SMALL } P { f(); f() } 5",
        "inline h() { skip; L: x++ } inline f(k) { skip; h(); h(); SMALL; x = x + k } P { f(1); f(10); f(100) } 105",
    ];
    for case in cases {
        let (text, value) = case.rsplit_once(' ').expect("a value");
        let text = text.replace("SMALL", small).replace("P {", "active proctype P() {");
        let text = format!("byte x, n; {}; assert(x == {value}) }}", text.trim_end_matches(['}', ' ']));
        let run = checked(&text);
        assert_eq!(run.code, 0, "{text}\n{}{}", run.out, run.err);
    }
    let run = checked("active proctype P() { L: skip; L: skip }").exits(2);
    assert!(run.err.contains("V0201"), "{}", run.err);
}

#[test]
fn values_at_the_edges_of_types_are_kept_or_told() {
    let names =
        |prefix: &str, count: usize| (0..count).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>().join(",");
    let last = |count: usize| {
        format!(
            "mtype = {{{}}};\nmtype x;\nactive proctype P() {{ x = m3; assert(x == m3) }}",
            names("m", count)
        )
    };
    checked(&last(255)).exits(0);
    for count in [256, 300] {
        let run = checked(&last(count)).exits(2);
        assert!(run.err.contains("at most 255 names"), "{}", run.err);
    }
    let two = format!("mtype = {{{}}}; mtype = {{{}}}; init {{ skip }}", names("m", 200), names("n", 56));
    checked(&two).exits(2);
    // Each set has names of its own.
    let sets = format!(
        "mtype:a = {{{}}}; mtype:b = {{{}}}; mtype:a x; mtype:b y; init {{ x = m0; y = n0; assert(x == m0 && y == n0) }}",
        names("m", 200),
        names("n", 200)
    );
    checked(&sets).exits(0);
    let holds = [
        // Below 0, numbers of processes are SPIN's bytes; above 255 there are more than in SPIN.
        "pid p; init { p--; assert(p == 255); p = -1; assert(p == 255); p = 300; assert(p == 300) }",
        // A loop over a channel counts all messages.
        "chan c = [300] of {byte}; byte m; int n; init { do :: n < 290 -> c!1; n++ :: n == 290 -> break od; n = 0;
         for (m in c) { n++ } assert(n == 290) }",
        "byte a[1]; byte i; init { a[i] = 3; assert(a[0] == 3) }",
    ];
    for text in holds {
        checked(text).exits(0);
    }
    let fails = [
        // The index into an array of one element is checked, too, and what is not an array has one element.
        ("byte a[1]; int i = 1; init { a[i] = 1; assert(a[0] == 1) }", 1, "V0423"),
        ("byte a[1]; int i = 1; int x; init { x = a[i]; assert(x == 0) }", 1, "V0423"),
        ("byte a; init { a[1] = 1 }", 2, "`a` is no array"),
        ("byte a = {1}; init { skip }", 2, "is no array"),
        ("byte i, b; init { for (i in b) { skip } }", 2, "V0204"),
        ("chan c = [-1] of {byte}; init { skip }", 2, "cannot hold -1 messages"),
        ("active [-1] proctype P() { skip }", 2, "cannot be -1 processes"),
        // An assertion that fails in a step that then fails altogether.
        ("byte a[3]; int i = 5; init { d_step { assert(i == 1); a[i] = 1 } }", 1, "V0421"),
    ];
    for (text, code, message) in fails {
        let run = checked(text).exits(code);
        assert!(run.err.contains(message), "{text}\n{}", run.err);
    }
    let told = [
        ("proctype Q(byte x) { skip } init { run Q(256) }", "256 does not fit: 0 is stored"),
        ("byte x = 300; init { skip }", "300 does not fit: 44 is stored"),
        ("int x; int one = 1; init { x = one << 33 }", "a shift by 33 is one by 1"),
        ("byte a[2]; init { a = 3 }", "first element"),
        ("mtype:s = {a}; mtype:t = {b}; mtype:s x; init { x = b }", "`mtype:t` is stored"),
        ("init { if :: else :: else fi }", "a second `else`"),
    ];
    for (text, message) in told {
        let run = checked(text).exits(0);
        assert!(run.err.contains(message), "{text}\n{}", run.err);
    }
}

#[test]
fn steps_that_never_end_are_told() {
    let refused = [
        "do :: n < 3 -> run P(); n++ :: else -> break od",
        "n++; run P()",
        "n = run P(); n++",
        "if :: n == 0 -> run P() :: else fi",
        "n++; assert(run P() > 0)",
    ];
    let model = |body: &str| format!("byte n; proctype P() {{ skip }} init {{ d_step {{ {body} }} }}");
    for body in refused {
        for command in ["check", "simulate", "lint", "explore"] {
            let run = Folder::new().file("model.pml", model(body)).run(&[command, "model.pml"]).exits(2);
            assert!(run.err.contains("`run` inside a `d_step`"), "{body}\n{}", run.err);
        }
    }
    let endless = [
        ("do :: true -> skip od", "V0424"),
        ("do :: n++ od", "V0424"),
        ("n = 1; do :: else -> skip od", "V0424"),
        ("skip; L: n = 1; goto L", "V0424"),
        ("do :: do :: break od od", "V0424"),
        // A failure in each of the rounds is told once.
        ("do :: assert(n == 1) od", "V0421"),
        ("do :: assert(n == 0) od", "V0424"),
    ];
    for (body, message) in endless {
        for command in ["check", "simulate"] {
            let run = Folder::new().file("model.pml", model(body)).run(&[command, "model.pml"]).exits(1);
            assert!(run.err.contains(message), "{command} {body}\n{}", run.err);
        }
    }
    // Atomic sequences without an end are cycles, which are no errors.
    for body in
        ["do :: true -> skip od", "do :: n++ od", "skip; L: goto L", "do :: n < 3 -> n++ :: else -> n = 0 od"]
    {
        checked(&format!("byte n; init {{ atomic {{ {body} }} }}")).exits(0);
    }
}

/// A parameter, time and goal whose names are words of formulas.
const NAMED_X: &str = "byte X; int time; bool done;
active proctype M() { select (X : 1 .. 3); time = 10 - X; done = true }";

#[test]
fn names_are_names_where_no_operator_can_be() {
    let tune = |text: &str, name: &str, until: &str| {
        let folder = Folder::new().file("model.pml", text);
        let arguments =
            ["tune", "model.pml", "--minimize", "time", "--goal", until, "--parameters", name, "--json"];
        let run = folder.run(&arguments).exits(0);
        assert_eq!(run.json()["tuning"]["time"], 7, "{text}\n{}", run.err);
    };
    for name in
        ["X", "U", "V", "W", "always", "eventually", "until", "release", "implies", "next", "equivalent"]
    {
        let text = NAMED_X.replace('X', name);
        tune(&text, name, "done");
        tune(&text, name, &format!("done && {name} > 0"));
        // In formulas, too, where an operand follows it is an operator, and else a name.
        for (formula, code) in [
            (format!("[] ({name} < 4)"), 0),
            (format!("[] ({name} - 1 < 3)"), 0),
            (format!("[] ({name} < 3)"), 1),
            (format!("({name} == 0) U ({name} != 0)"), 0),
            (format!("[] (done -> {name})"), 0),
        ] {
            let folder = Folder::new().file("model.pml", &text);
            let run = folder.run(&["check", "model.pml", "--ltl", &formula]);
            assert_eq!(run.code, code, "{formula}\n{}{}", run.out, run.err);
        }
    }
    let folder = Folder::new().file("model.pml", NAMED_X);
    for (formula, code) in [("X (X <= 3)", 0), ("X X (X != 0)", 0), ("X (X == 0)", 1), ("always (X < 4)", 0)]
    {
        let run = folder.run(&["check", "model.pml", "--ltl", formula]);
        assert_eq!(run.code, code, "{formula}\n{}{}", run.out, run.err);
    }
}

#[test]
fn emitted_models_are_tuned_by_the_command_in_their_header() {
    let platform = std::fs::read_to_string(root().join("platforms/abstract.toml")).expect("a platform");
    let mut seen = 0;
    for entry in std::fs::read_dir(root().join("examples/kernels")).expect("examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "cl") {
            continue;
        }
        let kernel = std::fs::read_to_string(&path).expect("a kernel");
        let folder = Folder::new().file("k.cl", kernel).file("p.toml", &platform);
        folder.run(&["tune", "k.cl", "--platform", "p.toml", "--export-model", "model.pml"]).exits(0);
        let text = folder.read("model.pml");
        let line = text.lines().find_map(|line| line.split_once("volvelle ")).expect("a command").1;
        let words: Vec<&str> = line.split_whitespace().collect();
        // The sizes of the examples take long: a limit may end the search, but nothing is refused.
        let run = folder.run(&[words.as_slice(), &["--timeout", "0.5"]].concat());
        assert!(matches!(run.code, 0 | 3), "{path:?} {line}\n{}{}", run.out, run.err);
        seen += 1;
    }
    assert!(seen >= 5);
}

/// Claims over expressions that may have no value: the formula or claim, what the model is, the exit code, and what is said.
const PARTIAL_CLAIMS: &[(&str, &str, i32, &str)] = &[
    // Variables of processes that are not there, not yet or no more, are 0.
    ("never { do :: Q[1]:x == 5 -> break :: else od }", LATER, 1, "violated"),
    ("never { do :: Q[1]:x == 0 -> break :: else od }", LATER, 1, "violated"),
    ("never { do :: Q[1]:x == 9 -> break :: else od }", LATER, 0, "holds"),
    ("never { do :: n == 2 && Q[1]:x != 0 -> break :: else od }", LATER, 0, "holds"),
    ("ltl p { [] (n == 2 -> Q[1]:x == 0) }", LATER, 0, "holds"),
    ("ltl p { <> (Q[1]:x == 5) }", LATER, 0, "holds"),
    // One operand keeps the other from failing.
    ("ltl p { [] (n < 3 -> a[n] == n) }", FULL, 0, "holds"),
    ("ltl p { [] (n >= 3 || a[n] < 2) }", FULL, 1, "violated"),
    ("ltl p { [] (n > 0 -> 12 / n >= 4) }", FULL, 0, "holds"),
    ("ltl p { [] (!(n < 3) <-> n == 3) && <> (n == 3) }", FULL, 0, "holds"),
    ("never { do :: n > 0 && 12 / n < 5 -> break :: else od }", FULL, 1, "violated"),
    // Nothing does: the claim cannot be read in a state.
    ("ltl p { [] (a[n] < 3) }", FULL, 2, "V0"),
    ("ltl p { [] <> (a[n] == 1) }", FULL, 2, "V0"),
    ("never { do :: 6 / n == 9 -> break :: else od }", FULL, 2, "V0"),
    ("never { do :: Q[0]:x == 9 -> break :: else od }", LATER, 2, "V0"),
];

const LATER: &str = "byte n;
proctype Q() { byte x = 5; n = 1 }
init { run Q(); n == 1; _nr_pr == 1; n = 2; n = 3 }";

const FULL: &str = "byte n; byte a[3];
active proctype P() { a[1] = 1; a[2] = 2; n = 1; n = 2; n = 3 }";

#[test]
fn claims_that_have_no_value_in_some_state() {
    for (claim, model, code, said) in PARTIAL_CLAIMS {
        let run = checked(&format!("{model}\n{claim}\n"));
        assert_eq!(run.code, *code, "{claim}\n{}{}", run.out, run.err);
        assert!(run.out.contains(said) || run.err.contains(said), "{claim}\n{}{}", run.out, run.err);
    }
}
