//! What small programs become.

use crate::common::{steps, system, system_with};
use volvelle_mpi::{parse, resolve};

const SOME: &str = "
shared x : 0..3 home 0; shared y : 0..1 home 0; shared a[i: 0..2] : 0..3 home 0; shared d[i: 0..1] home 0;
channel mail[to: 0..1] : 0..3;
private w[k: 0..1] : 0..3 = k;
procedure id(v) { return v; }
procedure lock(shared l) { local k; repeat { k = tas(l); } until (k == 0); enter l; }
procedure next() { w[0] = w[0] + 1; return w[0]; }
";

#[track_caller]
fn becomes(body: &str, expected: &str) {
    let found = steps(SOME, body);
    let expected: String = expected.trim().lines().map(|line| format!("{}\n", line.trim())).collect();
    assert_eq!(found, expected, "{body}\n{found}");
}

/// A register is cleared on both ways of the test, and the loop reads again.
#[test]
fn waiting() {
    becomes(
        "while (x == 0) { } read y;",
        "local $1 : 0..3 = 0
        0: LD x => $1 -> 1
        1: if $1 == 0 -> 0 else 2
        2: $1 := 0 -> 3
        3: LD y -> 4
        4: end",
    );
}

/// From left to right, each read by itself; a register is free again when it has been used.
#[test]
fn order_of_evaluation() {
    becomes(
        "a[x] = x + y * x;",
        "local $1 : 0..3 = 0
        local $2 : 0..3 = 0
        local $3 : 0..1 = 0
        local $4 : 0..3 = 0
        0: LD x => $1 -> 1
        1: LD x => $2 -> 2
        2: LD y => $3 -> 3
        3: LD x => $4 -> 4
        4: ST a[$1] $2 + ($3 * $4) -> 5
        5: $1 := 0 -> 6
        6: $2 := 0 -> 7
        7: $3 := 0 -> 8
        8: $4 := 0 -> 9
        9: end",
    );
    becomes(
        "local k; k = a[a[y]];",
        "local k : 0..3 = 0
        local $1 : 0..1 = 0
        local $2 : 0..3 = 0
        0: LD y => $1 -> 1
        1: LD a[$1] => $2 -> 2
        2: $1 := 0 -> 3
        3: LD a[$2] => k -> 4
        4: $2 := 0 -> 5
        5: end",
    );
}

#[test]
fn atomic_operations() {
    becomes(
        "local k, b; k = tas(y); k = swap(x, k + 1); b = cas(x, k, 2); k = fetch_add(x, 1); tas(y); x = cas(y, 0, 1);",
        "local k : 0..3 = 0
        local b : 0..1 = 0
        local $1 : 0..1 = 0
        0: TAS y => k -> 1
        1: SWAP x k + 1 => k -> 2
        2: CAS x k 2 => b -> 3
        3: FADD x 1 => k -> 4
        4: TAS y => $1 -> 5
        5: $1 := 0 -> 6
        6: CAS y 0 1 => $1 -> 7
        7: ST x $1 -> 8
        8: $1 := 0 -> 9
        9: end",
    );
}

/// `&&`, `||` and `?:` read what they need, and no more.
#[test]
fn lazy_operators() {
    becomes(
        "if (x == 1 && !(y || x == 2)) read d[0];",
        "local $1 : 0..3 = 0
        local $2 : 0..1 = 0
        0: LD x => $1 -> 1
        1: if $1 == 1 -> 2 else 3
        2: $1 := 0 -> 4
        3: $1 := 0 -> 12
        4: LD y => $2 -> 5
        5: if $2 -> 6 else 7
        6: $2 := 0 -> 12
        7: LD x => $1 -> 8
        8: if $1 == 2 -> 9 else 10
        9: $1 := 0 -> 12
        10: $1 := 0 -> 11
        11: LD d[0] -> 12
        12: end",
    );
    becomes(
        "local k; k = y ? x : 2;",
        "local k : 0..3 = 0
        local $1 : 0..1 = 0
        0: LD y => $1 -> 1
        1: if $1 -> 2 else 4
        2: $1 := 0 -> 3
        3: LD x => k -> 5
        4: k := 2 -> 5
        5: end",
    );
    // Over locals they are operators, unless a division could go wrong.
    becomes(
        "local k, m; k = x; m = k == 1 && k < 2; m = k != 0 && 6 / k > 2;",
        "local k : 0..3 = 0
        local m : 0..1 = 0
        0: LD x => k -> 1
        1: m := (k == 1) && (k < 2) -> 2
        2: if k != 0 -> 3 else 5
        3: if (6 / k) > 2 -> 4 else 5
        4: m := 1 -> 6
        5: m := 0 -> 6
        6: end",
    );
}

/// Constants decide at once: what is not reached is not there, and may be wrong for them.
#[test]
fn constants() {
    becomes(
        "for (r: 0..2) { if (r == 1) continue; a[r] = r; if (r + 1 <= 2) read a[r + 1]; }",
        "0: ST a[0] 0 -> 1
        1: LD a[1] -> 2
        2: ST a[2] 2 -> 3
        3: end",
    );
    becomes("for (r: 1..0) read x; return; read y;", "0: end");
}

/// Arguments are evaluated once, and results are kept while they are needed; a register with one value needs no assignment.
#[test]
fn calls() {
    becomes(
        "local k; lock(y); lock(a[x]); k = id(x) + id(1);",
        "local k : 0..4 = 0
        local lock.k : 0..3 = 0
        local $1 : 0..3 = 0
        local lock.l.0 : 0..3 = 0
        local $2 : 0..3 = 0
        local id.v : 0..3 = 0
        local $3 : 1..1 = 1
        0: TAS y => lock.k -> 1
        1: if lock.k == 0 -> 2 else 0
        2: enter y -> 3
        3: LD x => $1 -> 4
        4: lock.l.0 := $1 -> 5
        5: $1 := 0 -> 6
        6: TAS a[lock.l.0] => lock.k -> 7
        7: if lock.k == 0 -> 8 else 6
        8: enter a[lock.l.0] -> 9
        9: lock.l.0 := 0 -> 10
        10: LD x => $1 -> 11
        11: id.v := $1 -> 12
        12: $1 := 0 -> 13
        13: $2 := id.v -> 14
        14: id.v := 0 -> 15
        15: k := $2 + $3 -> 16
        16: $2 := 0 -> 17
        17: end",
    );
}

/// A procedure may change private variables: what was read before is kept.
#[test]
fn private_variables() {
    becomes(
        "local k : 0..9; k = w[0] + next() + w[0]; x = w[1];",
        "local k : 0..9 = 0
        local w[0] : 0..3 = 0
        local $1 : 0..3 = 0
        local $2 : 0..3 = 0
        local w[1] : 0..3 = 1
        0: $1 := w[0] -> 1
        1: w[0] := w[0] + 1 -> 2
        2: $2 := w[0] -> 3
        3: k := ($1 + $2) + w[0] -> 4
        4: $1 := 0 -> 5
        5: $2 := 0 -> 6
        6: ST x w[1] -> 7
        7: end",
    );
}

/// Counting has a range where a condition ends it; the range is what the loop reaches.
#[test]
fn ranges_of_counters() {
    let range = |body: &str, name: &str| {
        let text = steps(SOME, body);
        let line = text.lines().find(|line| line.starts_with(&format!("local {name} "))).expect("the local");
        line.split(" : ").nth(1).and_then(|rest| rest.split(" = ").next()).expect("a range").to_owned()
    };
    for (body, name, expected) in [
        ("local k; while (k < 3) k = k + 1; read a[0];", "k", "0..3"),
        ("local k; loop { read x; k = k + 1; if (k == 5) k = 0; }", "k", "0..5"),
        ("local k = 9; repeat { read x; k = k - 2; } until (!(k >= 1 && k != 5));", "k", "-1..9"),
        (
            "local k, m; while (k < 4) { m = 0; while (m < 2 * k) { read x; m = m + 1; } k = k + 1; }",
            "m",
            "0..6",
        ),
        ("local k; while (k < 3) { assert (x == k); k = k + 1; }", "k", "0..3"),
        ("local k, m; m = x; while (m > k) k = k + 1;", "k", "0..3"),
        ("local k, m : 0..7; loop { read x; m = k; k = m + 1; }", "k", "0..8"),
    ] {
        assert_eq!(range(body, name), expected, "{body}");
    }
}

#[test]
fn choices_events_and_work() {
    becomes(
        "either { read x; } or { work 2.5; } or { } sent mail[y], 1; received mail[0], x; assert (y == 0); measure M;",
        "local $1 : 0..1 = 0
        local $2 : 0..3 = 0
        0: any of 1, 2, 3
        1: LD x -> 3
        2: work 2.5 -> 3
        3: LD y => $1 -> 4
        4: sent mail[$1] 1 -> 5
        5: $1 := 0 -> 6
        6: LD x => $2 -> 7
        7: received mail[0] $2 -> 8
        8: $2 := 0 -> 9
        9: LD y => $1 -> 10
        10: assert $1 == 0 -> 11
        11: $1 := 0 -> 12
        12: mark M -> 13
        13: end",
    );
}

/// Locals of procedures are cleared at their end, on each way out; those of processes are not.
#[test]
fn clearing() {
    let program = "shared x : 0..3 home 0;
        procedure f() { local k : 1..3 = 2, m; k = x; if (k == 3) return; m = k; write_it(m); }
        procedure write_it(v) { x = v; }
        process P { local q; q = x; f(); }";
    let text = system(program).text();
    let expected = "process P from 0
  local q : 0..3 = 0
  local f.k : 1..3 = 2
  local f.m : 0..3 = 0
  local write_it.v : 0..3 = 0
  0: LD x => q -> 1
  1: LD x => f.k -> 2
  2: if f.k == 3 -> 7 else 3
  3: f.m := f.k -> 4
  4: write_it.v := f.m -> 5
  5: ST x write_it.v -> 6
  6: write_it.v := 0 -> 7
  7: f.k := 2 -> 8
  8: f.m := 0 -> 9
  9: end
";
    assert_eq!(text.lines().skip(1).map(|l| format!("{l}\n")).collect::<String>(), expected, "{text}");
}

#[test]
fn lines_homes_and_classes() {
    let program = "const n = 2;
        shared head[i: 0..1] : 0..n home i line queue class ends;
        shared tail[i: 0..1] : 0..n home 1 - i line queue class ends;
        shared top : mod 4 = 3 home 0 line one; shared bottom : bool home 0 line one;
        shared far home \"0.1.1\";
        shared s[i: 0..1] class fields { line { a : 0..1 = i; b[k: 1..2]; } line rest { c : 0..n class other; } }
        process P[i: 0..1] { }";
    let expected = r#"shared head[0] : 0..2 = 0 on queue[0] home P0 class ends
shared head[1] : 0..2 = 0 on queue[1] home P1 class ends
shared tail[0] : 0..2 = 0 on queue[0] home P1 class ends
shared tail[1] : 0..2 = 0 on queue[1] home P0 class ends
shared top : 0..3 = 3 wraps on one home P0 class top
shared bottom : 0..1 = 0 on one home P0 class bottom
shared far : 0..0 = 0 on far home "0.1.1" class far
shared s[0].a : 0..1 = 0 on s[0].0 home P0 class fields
shared s[1].a : 0..1 = 1 on s[1].0 home P1 class fields
shared s[0].b[1] : 0..0 = 0 on s[0].0 home P0 class fields
shared s[0].b[2] : 0..0 = 0 on s[0].0 home P0 class fields
shared s[1].b[1] : 0..0 = 0 on s[1].0 home P1 class fields
shared s[1].b[2] : 0..0 = 0 on s[1].0 home P1 class fields
shared s[0].c : 0..2 = 0 on s[0].rest home P0 class other
shared s[1].c : 0..2 = 0 on s[1].rest home P1 class other
"#;
    let system = system(program);
    let text = system.text();
    assert_eq!(&text[..text.find("process").unwrap()], expected);
    // Equal names of lines with different homes are different lines.
    assert_eq!(system.lines.len(), 4 + 1 + 1 + 4);
}

/// A study gives constants other values; all that depends on them follows.
#[test]
fn constants_of_studies() {
    let text = "const n = 2; const m = n * 2; shared x[i: 1..m] home 0; process P[i: 1..n] { }";
    let count = |constants: &[(&str, i64)]| {
        let system = system_with(text, constants);
        (system.processes.len(), system.variables.len())
    };
    assert_eq!(count(&[]), (2, 4));
    assert_eq!(count(&[("n", 3)]), (3, 6));
    assert_eq!(count(&[("m", 1), ("unknown", 9)]), (2, 1));
    let (tree, _) = parse::program(volvelle_diagnostics::FileId(0), text);
    assert_eq!(tree.constants(), [("n", "2"), ("m", "n * 2")]);
    assert!(resolve::resolve(&tree, &[("n".to_owned(), 0)]).0.is_none());
}
