//! What models of Promela mean, construct by construct: small models with the verdict that follows from the text.

use crate::common::{Folder, Run, command};
use std::io::Write;
use std::process::Stdio;

fn run(text: &str, arguments: &[&str]) -> Run {
    let folder = Folder::new().file("model.pml", text);
    folder.run(&[&arguments[..1], &["model.pml"], &arguments[1..]].concat())
}

/// Checks models; of each the message that is expected, or none.
#[track_caller]
fn each(cases: &[(&str, &str)], arguments: &[&str]) {
    for &(text, message) in cases {
        for more in [&[][..], &["--no-reduction"], &["--interpreter"], &["--search", "dfs"]] {
            let run = run(text, &[&["check"], arguments, more].concat());
            assert_eq!(run.code, i32::from(!message.is_empty()), "{text}\n{}{}", run.out, run.err);
            let said = run.out + &run.err;
            assert!(said.contains(message), "{message}\n{text}\n{said}");
        }
    }
}

#[test]
fn the_highest_priority_moves() {
    let urgent = "byte x; active proctype P() priority 2 { x = 1; x = 2 } active proctype Q()";
    let runs = |header: &str, body: &str| format!("{header} {{ {body} }}");
    let start = "byte x; proctype P() priority 5 { assert(_priority == 1); x = 2 }
init { x = 1; run P(); assert(x == 1) ";
    each(
        &[
            (&runs(urgent, "assert(x == 2)"), ""),
            (&runs(&urgent.replace("priority 2", ""), "assert(x == 2)"), "V0421"),
            (&runs(&urgent.replace("Q()", "Q() priority 2"), "assert(x == 2)"), "V0421"),
            // A blocked process does not keep others from moving; when it can move, it does so at once.
            (&runs(&urgent.replace("{ x = 1", "{ x == 3; x = 1"), "x = 3; assert(x == 2)"), ""),
            // Also in the middle of an atomic sequence.
            (&runs(&urgent.replace("{ x = 1", "{ x == 3; x = 1"), "atomic { x = 3; assert(x == 2) }"), ""),
            // And it ends at once, if it is the youngest.
            (
                "byte x; active proctype Q() { x = 1; assert(_nr_pr == 1) } active proctype P() priority 2 { skip }",
                "",
            ),
            // A timeout is none as long as somebody can move.
            (&runs(&urgent.replace("{ x = 1", "{ timeout; x = 1"), "x = 3; x = 4; assert(x == 4)"), ""),
            // Who is not provided for cannot move.
            (
                &runs(&urgent.replace("priority 2", "priority 2 provided (x > 0)"), "x = 3; assert(x == 2)"),
                "",
            ),
            // A process that is started has priority 1 unless `run` says otherwise.
            (&format!("{start} }}"), "V0421"),
            (&format!("{} }}", start.replace("init", "init priority 2")), ""),
            (&format!("{} }}", start.replace("run P()", "run P() priority 3")), "V0421"),
            (
                &format!(
                    "{}; set_priority(_pid, 1); x == 2; assert(x == 2) }}",
                    start.replace("init", "init priority 2")
                ),
                "",
            ),
        ],
        &["--safety"],
    );
}

#[test]
fn priorities_are_asked_for_and_set() {
    each(
        &[
            ("active proctype P() priority 7 { assert(get_priority(0) == 7 && _priority == 7) }", ""),
            ("active proctype P() { assert(get_priority(0) == 1 && get_priority(1) == 0) }", ""),
            (
                "active proctype P() { set_priority(0, 9); assert(_priority == 9); _priority = 255; assert(get_priority(_pid) == 255) }",
                "",
            ),
            (
                "active proctype P() { _priority++; _priority++; assert(get_priority(0) == 3); _priority--; assert(_priority == 2) }",
                "",
            ),
            ("active proctype P() { _priority-- }", "V0428"),
            // Nobody is there: nothing happens.
            (
                "active proctype P() { set_priority(5, 0); d_step { set_priority(0, 3); assert(_priority == 3) } }",
                "",
            ),
            ("byte n; active proctype P() { set_priority(0, n) }", "V0428"),
            ("active proctype P() { set_priority(0, 256) }", "V0428"),
            ("active proctype P() { _priority = 0 }", "V0428"),
        ],
        &["--safety"],
    );
    for (text, what) in [
        ("active proctype P() priority 0 { skip }", "0 is not a priority"),
        ("proctype P() { skip } init { run P() priority 256 }", "256 is not a priority"),
        ("byte n; proctype P() { skip } init { run P() priority n }", "expected a number"),
        (
            "active proctype P() priority 2 { skip } ltl l { [] (_priority == 2) }",
            "available in processes only",
        ),
    ] {
        let run = run(text, &["check"]).exits(2);
        assert!(run.err.contains(what), "{text}\n{}", run.err);
    }
}

#[test]
fn a_run_shows_priorities_and_can_be_replayed() {
    let text = "byte x; active proctype A() { x = 1; set_priority(1, 7); x = 2 }
active proctype B() { x == 1 -> x = 3; _priority == 7; assert(x != 3) }
";
    let folder = Folder::new().file("model.pml", text);
    let run = folder.run(&["check", "model.pml", "--trail", "t.json"]).exits(1);
    assert!(run.out.contains("B(1):_priority=7"), "{}", run.out);
    let again = folder.run(&["simulate", "model.pml", "--trail", "t.json"]).exits(1);
    assert!(again.out.contains("B(1):_priority=7") && again.err.contains("V0421"), "{}", again.out);
}

#[test]
fn priorities_leave_runs_out_of_claims() {
    let model = "byte x;
active proctype Low() { do :: x = 1 od }
active proctype High() priority 3 { do :: x = 2 :: x = 3; set_priority(_pid, 1); break od }
ltl once { <> (x == 1) }
";
    // The one above may go on for ever.
    let run = run(model, &["check", "--ltl", "once"]).exits(1);
    assert!(!run.out.contains("Low(0)"), "{}", run.out);
    each(&[(&model.replace(":: x = 2 ::", "::"), "")], &["--ltl", "once"]);
}

#[test]
fn claims_ask_who_can_move() {
    let model = "byte x; chan q = [1] of { byte };
active proctype A() { x = 1; q!3; q!4 }
active proctype B() provided (x < 2) { byte k = 3; end: x == 1; q?k -> assert(k == 3) }
";
    let claimed = |claim: &str| format!("{model}{claim}");
    let cases: Vec<(String, &str)> = [
        ("ltl l { [] (x == 0 -> enabled(0)) }", true),
        ("ltl l { [] (x == 0 -> !enabled(1)) }", true),
        ("ltl l { [] (x == 0 -> enabled(1)) }", false),
        // A local variable of the other process, and its end.
        ("ltl l { [] ((A@last && len(q) == 1) -> !enabled(0)) }", true),
        ("ltl l { [] !(len(q) == 1 && enabled(0)) }", false),
        ("ltl l { <> [] !enabled(0) }", true),
        ("ltl l { [] !enabled(7) }", true),
        ("never { do :: true :: enabled(0) && enabled(1) -> break od }", false),
        ("never { do :: true :: !enabled(0) && enabled(1) && x == 0 -> break od }", true),
    ]
    .map(|(claim, holds)| (claimed(claim).replace("q!4", "last: q!4"), if holds { "" } else { "violated" }))
    .into();
    for (text, verdict) in &cases {
        for more in [&[][..], &["--no-reduction"], &["--interpreter"]] {
            let run = run(text, &[&["check"], more].concat());
            // Who waits for ever is said besides.
            let violated = run.out.lines().any(|l| !l.contains("safety") && l.contains(" violated "));
            assert_eq!(violated, *verdict == "violated", "{text}\n{}{}", run.out, run.err);
        }
    }
    for (text, what) in [
        ("active proctype P() { enabled(0) }", "only claims"),
        ("active proctype P() { np_ }", "only claims"),
        ("chan c = [0] of { bit }; active proctype P() { c!1 } ltl l { [] enabled(0) }", "rendezvous"),
    ] {
        let run = run(text, &["check"]).exits(2);
        assert!(run.err.contains(what), "{text}\n{}", run.err);
    }
}

#[test]
fn claims_ask_where_processes_are() {
    let model = "byte x;
active [2] proctype A() { x++; x == 2; x = 2 }
active proctype B() { x == 2 }
";
    each(
        &[
            (&format!("{model} ltl l {{ [] (pc_value(0) != 0 || pc_value(1) == 0) }}"), ""),
            (&format!("{model} ltl l {{ <> (pc_value(0) == pc_value(1)) }}"), ""),
            // Counted within the type.
            (&format!("{model} ltl l {{ pc_value(0) == pc_value(2) }}"), ""),
            (&format!("{model} ltl l {{ [] (pc_value(0) >= pc_value(1)) }}"), "violated"),
        ]
        .map(|(text, message)| (text.as_str(), message)),
        &["--ltl", "l"],
    );
    let run = run(&format!("{model} ltl l {{ [] (pc_value(0) != 3) }}"), &["check", "--ltl", "l"]);
    assert!(run.err.contains("SPIN numbers statements differently"), "{}", run.err);
}

#[test]
fn claims_ask_for_progress() {
    let turns = "byte x; active proctype P() { do :: x = 1 - x :: x == 1 -> progress: x = 0 od }";
    let both = format!("{turns} active proctype Q() {{ do :: skip od }}");
    // What --progress asks, as a formula and as an automaton.
    for (text, holds) in [
        (turns.replace(":: x = 1 - x", ":: x == 0 -> x = 1"), true),
        (turns.to_owned(), false),
        (both.replace(":: x = 1 - x", ":: x == 0 -> x = 1"), false),
        // A run that comes to its end is none that goes on without progress.
        ("byte x; active proctype P() { x = 1; x = 2 }".into(), true),
    ] {
        let claims = [
            (text.clone(), &["--progress"][..]),
            (format!("{text} ltl l {{ [] <> !np_ }}"), &["--ltl", "l"]),
            (
                format!("{text} never n {{ do :: true :: np_ -> break od; accept: do :: np_ od }}"),
                &["--ltl", "n"],
            ),
        ];
        for (text, arguments) in claims {
            for more in [&[][..], &["--no-reduction"], &["--interpreter"]] {
                let run = run(&text, &[&["check"], arguments, more].concat());
                assert_eq!(run.code, i32::from(!holds), "{text} {arguments:?}\n{}{}", run.out, run.err);
            }
        }
    }
}

#[test]
fn traces_say_which_messages_may_come() {
    let one = "chan q = [2] of { byte, byte }; byte x; active proctype P() { q!1,7; q!2,8; q?x,x; q?2,x }";
    let traced = |trace: &str| format!("{one} {trace}");
    let meets =
        "chan r = [0] of { byte }; byte x; active proctype P() { r!4; r!5 } active proctype Q() { r?x; r?x }";
    let any = "chan a = [1] of { byte }; chan b = [1] of { byte }; chan z; byte x;
active proctype P() { if :: z = a :: z = b fi; z!1; z?x }";
    let waits = "chan q = [1] of { byte }; active proctype P() { q!1 } active proctype Q() { end: q?2 }";
    let cases = [
        (traced("trace { q!1,_; q!2,8; q?1,7; q?2 }"), ""),
        (traced("trace { do :: q!1 :: q!2,_ od }"), ""),
        (traced("trace { do :: q!_ -> q!_ -> q?_ -> q?_ od }"), ""),
        // What is not named does not matter; what is named must have an event.
        (traced("trace { q?1; q?2 }"), ""),
        (traced("trace { q!1; q!2 }"), ""),
        (traced("trace { q!1; q?1 }"), "no event for this message"),
        (traced("trace { q!1; q!2,9 }"), "no event for this message"),
        (traced("trace { q!1 }"), "no event for this message"),
        (traced("trace { if :: q!2 :: q!1 -> goto more fi; more: q!2 }"), ""),
        // A copy is no receive.
        (one.replace("q?x,x", "q?<1,x>; q?1,x") + " trace { q?1; q?2 }", ""),
        // All of a `notrace` assertion, from the first message on.
        (traced("notrace { q!1; q!2; q?1 }"), "the events of the `notrace` assertion"),
        (traced("notrace { q!1; q!2; q?2 }"), ""),
        (traced("notrace { q!2; q?1 }"), ""),
        // In a rendezvous both happen in one step.
        (format!("{meets} trace {{ r!4; r?4; r!5; r?5 }}"), ""),
        (format!("{meets} trace {{ r?_; r?5 }}"), ""),
        (format!("{meets} trace {{ r!4; r!5 }}"), ""),
        (format!("{meets} trace {{ r!4; r?4; r!4 }}"), "no event for this message"),
        (format!("{meets} trace {{ r!4; r!5; r?4; r?5 }}"), "no event for this message"),
        // Which channel is meant is known in the run only.
        (format!("{any} trace {{ a!1; a?1 }}"), ""),
        (format!("{any} trace {{ do :: a!1 -> a?1 :: b!1 -> b?1 od }}"), ""),
        (format!("{any} trace {{ do :: a!1 -> a?1 :: b!1 -> b?0 od }}"), "no event for this message"),
        // Where processes wait for ever, the trace is to be over.
        (format!("{waits} trace {{ q!1 }}"), ""),
        (format!("{waits} trace {{ q!1; q!1 }}"), "is not at its end"),
        (format!("{waits} trace {{ q!1; end: q!1 }}"), ""),
        (format!("{waits} notrace {{ q!1; q!1 }}"), ""),
    ];
    let cases: Vec<(&str, &str)> = cases.iter().map(|(text, c)| (text.as_str(), *c)).collect();
    each(&cases, &["--safety"]);
}

#[test]
fn traces_are_events_on_known_channels() {
    let refused = |trace: &str, what: &str| {
        let text = format!("chan q = [2] of {{ byte }}; byte x; active proctype P() {{ q!1 }} {trace}");
        let run = run(&text, &["check"]).exits(2);
        assert!(run.err.contains(what), "{trace}\n{}", run.err);
    };
    refused("trace { q!x }", "only constants and `_`");
    refused("trace { { q!1 } unless { q!2 } }", "only sends and receives");
    refused("trace { x = 1 }", "only sends and receives");
    refused("trace { if :: q!1 :: else fi }", "only sends and receives");
    refused("chan z; trace { z!1 }", "a fixed channel");
    refused("trace { if :: q!1 -> q!1 :: q!_ -> q!2 fi }", "another event");
    refused("trace { q!1 } notrace { q!2 }", "a second");
}

/// Runs a model with characters to read.
fn simulated(text: &str, arguments: &[&str], input: &[u8]) -> (String, String) {
    let (_, out, err) = with_input(text, &[&["simulate"], arguments].concat(), input);
    (out, err)
}

/// Exit code, output and errors of a command on a model that reads from the standard input.
fn with_input(text: &str, arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    let folder = Folder::new().file("model.pml", text);
    let (subcommand, arguments) = arguments.split_first().expect("a command");
    let mut child = command(folder.path())
        .args([subcommand, "model.pml"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Who does not read to the end closes the pipe.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("it ends");
    (
        output.status.code().expect("no signal"),
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[test]
fn simulations_read_characters() {
    let echo = "chan STDIN; active proctype P() { int c; end: do :: STDIN?c -> printf(\"<%c>\", c) od }";
    let (out, _) = simulated(echo, &["--quiet"], b"ab\nc");
    assert_eq!(out, "<a><b><\n><c>");
    // Values are waited for; a declaration is not needed.
    let waits = "active proctype P() { byte c; STDIN?120; STDIN?_; STDIN?c; printf(\"%d\", c) }";
    assert_eq!(simulated(waits, &["--quiet"], b"xyz\xff").0, "122");
    let (out, err) = simulated(waits, &["--quiet"], b"yxz");
    assert!(out.is_empty() && err.contains("V0422"), "{err}");
    // Where the layout grows, the run is taken again with the same characters.
    let grows = "chan STDIN; proctype Q(int c) { printf(\"%c\", c); end: false }
active proctype P() { int c; end: do :: STDIN?c -> run Q(c) od }";
    let (out, _) = simulated(grows, &["--quiet"], b"abcdefgh");
    let mut letters: Vec<char> = out.chars().collect();
    letters.sort_unstable();
    assert_eq!(letters.into_iter().collect::<String>(), "abcdefgh");
    // A channel of this name is one like others.
    let own =
        "chan STDIN = [1] of { byte }; active proctype P() { byte c; STDIN!7; STDIN?c; printf(\"%d\", c) }";
    assert_eq!(simulated(own, &["--quiet"], b"x").0, "7");
    run(own, &["check"]).exits(0);
    for (text, arguments, what) in [
        (echo, &["check"][..], "there is no input"),
        (echo, &["lint"], "there is no input"),
        ("chan STDIN; active proctype P() { STDIN!1 }", &["simulate"], "can only be received from"),
        ("active proctype P() { nempty(STDIN) }", &["simulate"], "can only be received from"),
        (echo, &["step"], "commands are read from it"),
    ] {
        let run = run(text, arguments).exits(2);
        assert!(run.err.contains(what), "{text}\n{}", run.err);
    }
}

#[test]
fn searches_read_what_is_piped() {
    // Two readers share the characters in all orders: the sum of what both got is that of all.
    let model = |last: i32| {
        format!(
            "chan STDIN; short sum; byte read;
active [2] proctype P() {{ byte c;
  end: do :: atomic {{ STDIN?c -> sum = sum + c; read++; assert(read < 20 || sum == {last}) }} od }}"
        )
    };
    let text: Vec<u8> = (0..20).map(|i| 97 + i * 7 % 26).collect();
    let sum: i32 = text.iter().map(|&c| i32::from(c)).sum();
    assert_eq!(with_input(&model(sum), &["check"], &text).0, 0);
    let (code, out, _) = with_input(&model(sum + 1), &["check"], &text);
    assert!(code == 1 && out.contains("STDIN?c") && out.contains("c=97"), "{out}");
    // A character that is waited for; behind the last one the process waits for ever.
    let waits = "active proctype P() { byte c; STDIN?120; STDIN?c; assert(c == 255) }";
    assert_eq!(with_input(waits, &["check"], b"x\xff").0, 0);
    for input in [&b"x"[..], b"yx"] {
        let (code, out, err) = with_input(waits, &["check"], input);
        assert!(code == 1 && err.contains("V0422"), "{out}{err}");
    }
    assert_eq!(with_input(waits, &["lint"], b"x\xff").0, 0);
    let (code, _, err) = with_input(waits, &["check"], &vec![b'x'; 65_537]);
    assert!(code == 2 && err.contains("more than 65536 characters"), "{err}");
}

#[test]
fn escapes_of_options() {
    let shared =
        "byte x; active proctype P() { end: do :: { x == 1 -> x = 2 } unless { x == 0 -> x = 5 } od }";
    let claim = format!("{shared} ltl q {{ [] (x != 5) }}");
    each(
        &[
            (&claim, "a run that violates the claim"),
            (
                "byte x; active proctype P() {
  end: if :: { x == 1 -> x = 2; x = 4 } unless { x == 0 -> x = 3; assert(false) } :: x == 7 fi }",
                "V0421",
            ),
            // The escape interrupts the other options, too.
            (
                "byte x; active proctype P() {
  if :: { x == 1 -> x = 2 } unless { x == 0 -> x = 3 } :: true -> assert(false) fi }",
                "",
            ),
            // A block, `atomic`, a loop, an inline and another `unless` in front of it.
            ("byte x; active proctype P() { { if :: { x == 1 } unless { assert(false) } fi } }", "V0421"),
            (
                "byte x; active proctype P() { atomic { do :: { x == 1 } unless { assert(false) } od } }",
                "V0421",
            ),
            ("byte x; active proctype P() { d_step { x == 1 } unless { assert(false) } }", "V0421"),
            (
                "byte x; inline act() { { x == 1 } unless { assert(false) } }
active proctype P() { if :: act() :: x == 2 fi }",
                "V0421",
            ),
            (
                "byte x, i; active proctype P() { if :: { for (i : 1 .. 2) { x == 1 } } unless { assert(false) } fi }",
                "V0421",
            ),
            (
                "byte x; active proctype P() {
  if :: { { x == 1 } unless { x == 2 } } unless { assert(false) } fi }",
                "V0421",
            ),
            // Only the loop of a bare `for` is interrupted, not its first assignment.
            ("byte x, i; active proctype P() { for (i : 3 .. 4) { x == 1 } unless { assert(i == 3) } }", ""),
        ],
        &[],
    );
    // In a claim an escape interrupts, too: this one ends its run before it accepts.
    let never = "byte x; active proctype P() { x = 1 }
never { { do :: true -> accept: x == 7 od } unless { x == 0 -> false } }";
    run(never, &["check"]).exits(0);
}

#[test]
fn an_else_beside_an_offer() {
    let model = |other: &str| {
        format!(
            "chan q = [0] of {{ byte }}; active proctype A() {{ if :: q!1 :: else -> assert(false) fi }}
active proctype B() {{ {other} }}"
        )
    };
    // As long as another process takes the offer, there is no `else`.
    each(&[(&model("q?_"), ""), (&model("end: q?2"), "V0421"), (&model("skip; q?_"), "V0421")], &[]);
}

#[test]
fn literals_have_32_bits() {
    let model = "int x = 4294967297; active proctype P() {
  assert(x == 1); x = 2147483648; assert(x < 0); x = -2147483648; assert(x < 0);
  x = 99999999999999999999; assert(x == -1) }";
    let run = run(model, &["check"]).exits(0);
    for (literal, used) in
        [("4294967297", "1"), ("2147483648", "-2147483648"), ("99999999999999999999", "-1")]
    {
        let told = format!("`{literal}` does not fit into an `int`: {used} is used");
        assert_eq!(run.err.matches(&told).count(), 1, "{told}\n{}", run.err);
    }
}

/// SPIN says "unless in d_step (ignored)", and its verifier finds no violation of the assertions.
#[test]
fn an_escape_of_a_d_step_is_told_to_be_ignored() {
    for body in [
        "d_step { x = 1; { x = 2; x = 4 } unless { x == 2 -> x = 7 }; x = x + 1 }",
        "d_step { x = 1; atomic { { x = 2; x = 4 } unless { x == 2 -> x = 7 } }; x = x + 1 }",
    ] {
        let text = format!("byte x;\nactive [2] proctype P() {{ {body}; assert(x == 5) }}");
        let run = run(&text, &["check"]).exits(0);
        assert_eq!(run.err.matches("V0431").count(), 1, "{}", run.err);
        let column = text.lines().nth(1).unwrap().find("{ x = 2").unwrap() + 1;
        assert!(run.err.contains(&format!(":2:{column}")), "{}", run.err);
    }
    let around = "byte x;\nactive proctype P() { d_step { x = 1; x = 4 } unless { x == 1 -> skip } }";
    assert!(!run(around, &["check"]).exits(0).err.contains("V0431"));
}

/// SPIN says "label progress placed incorrectly"; `pan -d` shows which states it marks.
#[test]
fn labels_of_options_mark_the_state_behind_the_first_statement() {
    let told = |body: &str, options: &[&str], code: i32| {
        let text = format!("byte x;\nactive proctype P() {{ {body} }}");
        let run = run(&text, &[&["check"], options].concat()).exits(code);
        assert_eq!(run.err.matches("V0432").count(), 1, "{body}: {}", run.err);
    };
    // Back at the loop, which is marked; without the other statement, the loop is not.
    told("do :: progress: x = 1 - x od", &["--progress"], 0);
    told("do :: progress: x = 1; x = 0 od", &["--progress"], 0);
    told("do :: skip :: progress: x = 1; x = 0 od", &["--progress"], 1);
    told("x = 1; if :: end: x == 1; x == 3 :: x == 2 fi", &[], 0);
    told("x = 1; if :: end: x == 2 -> skip fi", &[], 1);
    told("if :: end: goto L :: x == 2 fi; x = 5; L: x == 3", &[], 0);
    told("if :: end: atomic { x = 1; x == 2 } :: x == 2 fi", &[], 0);
    let well = "byte x;\nactive proctype P() { progress: do :: x = 1 - x od }";
    assert!(!run(well, &["check", "--progress"]).exits(0).err.contains("V0432"));
}

#[test]
fn promises_that_spin_refuses() {
    for (text, what) in [
        (
            "chan q = [0] of { byte }; active proctype P() { xs q; q!1 } active proctype R() { q?_ }",
            "`xs q` is about a rendezvous channel",
        ),
        (
            "chan q = [2] of { byte }; active proctype P() { xs q; q!1 } active proctype Q() { q!1 }",
            "`xs q`, but `Q` sends to `q`, too",
        ),
        (
            "chan q = [2] of { byte }; active proctype P() { q!1; q!1 }
active [2] proctype R() { xr q; if :: q?_ fi }",
            "`xr q`, but each of 2 processes `R` receives from `q`",
        ),
    ] {
        let run = run(text, &["check"]).exits(0);
        assert!(run.err.contains(what) && run.err.contains("V0430"), "{what}\n{}", run.err);
    }
    // A channel of its own has the same name.
    let kept = "chan q = [2] of { byte }; active proctype P() { xs q; q!1 }
active proctype Q() { chan q = [1] of { byte }; q!1 }";
    assert!(run(kept, &["check"]).exits(0).err.is_empty());
}

#[test]
fn processes_without_end_are_told() {
    let model = "proctype P() { run P() } init { run P() }";
    for more in [&[][..], &["--search", "dfs"]] {
        let run = run(model, &[&["check", "--max-states", "1000"], more].concat()).exits(3);
        assert!(run.err.contains("processes accumulate: one of type `P`"), "{}", run.err);
    }
}

#[test]
fn jumps_out_of_a_d_step_are_refused() {
    for text in [
        "active proctype P() { d_step { goto on; skip }; on: skip }",
        "active proctype P() { do :: d_step { break } od }",
        "byte x; active proctype P() { d_step { x = 1; if :: x == 1 -> goto on :: else fi }; x = 2; on: skip }",
    ] {
        let run = run(text, &["check"]).exits(2);
        assert!(run.err.contains("error[") && run.err.contains("d_step"), "{text}\n{}", run.err);
    }
}

#[test]
fn hidden_variables_without_use_are_no_state() {
    let states = |text: &str| {
        let run = run(text, &["check", "--safety", "--no-reduction", "--json"]);
        run.json()["model"]["states"].as_u64().unwrap_or_else(|| panic!("{text}\n{}{}", run.out, run.err))
    };
    let counts = "byte x; byte y; active proctype P() { do :: x = (x + 1) % 5 :: y = x od }";
    let hide = |text: &str, names: &[&str]| {
        names.iter().fold(text.to_owned(), |text, name| {
            text.replace(&format!("byte {name};"), &format!("hidden byte {name};"))
        })
    };
    assert_eq!(states(counts), 25);
    assert_eq!(states(&hide(counts, &["y"])), 5);
    // What another one depends on stays; what only hidden ones depend on goes with them.
    assert_eq!(states(&hide(counts, &["x"])), 25);
    assert_eq!(states(&hide(counts, &["x", "y"])), 1);
    // An array, an index into it, and a part of a message.
    let others = "byte x; byte a[3]; chan q = [1] of { byte };
active proctype P() { do :: atomic { x < 2 -> x++; a[x % 3] = x; q!x; q?a[0] } :: x = 0 od }";
    assert_eq!(states(&others.replace("byte a[", "hidden byte a[")), 3);
    // SPIN overlooks these errors.
    each(
        &[
            (
                "hidden byte x; active proctype P() { do :: x = (x + 1) % 5 od } active proctype Q() { do :: assert(x != 3) od }",
                "V0421",
            ),
            ("hidden byte x; active proctype P() { x = 1; x = 2; x = 3 } ltl l { [] (x != 2) }", "violated"),
            ("hidden byte x; byte y; active proctype P() { x = 1 / y }", "V0404"),
        ],
        &[],
    );
    // A run shows it all the same.
    let (out, _) =
        simulated("hidden byte x; active proctype P() { x = 7; printf(\"%d\", x) }", &["--quiet"], b"");
    assert_eq!(out, "7");
}

/// What an escape begins with takes the other statements away. So a step that makes it possible commutes with none of them.
#[test]
fn reductions_know_what_escapes_wait_for() {
    for escape in
        ["q?_", "q?1", "q?x", "nempty(q)", "q?[1]", "q??1", "q?<1>", "len(q) > 0", "atomic { q?_; skip }"]
    {
        let text = format!(
            "chan q = [1] of {{ byte }}; byte x;
            active proctype P() {{ {{ x = 1; x = 2; x = 3 }} unless {{ {escape} -> assert(x != 2) }} }}
            active proctype Q() {{ q!1 }}"
        );
        let message = if escape == "q?x" { "" } else { "assertion violated" };
        each(&[(&text, message)], &[]);
    }
    each(
        &[
            // An offer is possible where another process waits for it.
            (
                "chan c = [0] of { byte }; byte g;
                active proctype P() { { skip; g = 1 } unless { c!1 } }
                active proctype R() { byte y; y = 1; y = 2; end: c?_ }
                active proctype M() { assert(g == 0) }",
                "assertion violated",
            ),
            (
                "chan c = [0] of { byte }; byte x;
                active proctype R() { byte y; do :: y < 1 -> y++ :: else -> break od; end: c?_ }
                active proctype P() { { x = 1; x = 2 } unless { c!1 -> assert(x != 1) } }",
                "assertion violated",
            ),
            // Room may come before the alternatives are looked at.
            (
                "chan q = [1] of { byte }; byte x;
                active proctype P() { q!1; if :: nfull(q) -> assert(false) :: else -> skip fi }
                active proctype Q() { q?_ }",
                "assertion violated",
            ),
        ],
        &[],
    );
}

/// Where an atomic sequence cannot go on, others move: whether it can depends on what they did before.
#[test]
fn reductions_know_where_atomic_sequences_are_interrupted() {
    each(
        &[
            (
                "chan q = [1] of { byte }; byte g;
                active proctype P() { q!0; atomic { g = 1; q!1; g = 0 } }
                active proctype R() { q?_ }
                active proctype M() { assert(g == 0) }",
                "assertion violated",
            ),
            (
                "chan q = [2] of { byte };
                active proctype P() { q!0; atomic { q!1; if :: q!2 -> assert(false) :: true fi } }
                active proctype R() { q?_ }",
                "assertion violated",
            ),
            (
                "chan c = [0] of { byte }; byte g;
                active proctype P() { atomic { g = 1; c!1 } }
                active proctype R() { skip; atomic { c?_; g = 0 } }
                active proctype M() { assert(g == 0) }",
                "assertion violated",
            ),
        ],
        &[],
    );
}

/// A process waits with its end for younger ones, and cannot end while its guard does not hold.
#[test]
fn reductions_know_what_ends_wait_for() {
    let text = "chan c = [1] of { byte };
        active proctype P() { c!1; end: false }
        active proctype Q() provided (nfull(c)) { skip }
        active proctype R() { byte x; x = 1; x = 2 }
        ltl pr { [] (_nr_pr > 1) }";
    each(&[(text, "violated")], &["--ltl", "pr"]);
}

/// Others may move before an atomic sequence, whatever it begins with.
#[test]
fn steps_are_not_merged_with_an_atomic_sequence_behind_them() {
    for first in ["skip", "n = 1", "skip; skip"] {
        let text = format!(
            "byte g, n;
            active proctype P() {{ g = 1; atomic {{ {first}; g = 0 }} }}
            active proctype Q() {{ assert(g == 0) }}"
        );
        each(&[(&text, "assertion violated")], &[]);
    }
}

/// A rendezvous channel takes no room in a state, and yet processes meet there.
#[test]
fn reductions_tell_rendezvous_channels_apart() {
    each(
        &[
            (
                "chan c = [0] of { byte };
                active proctype P() { if :: c?1 -> false :: else -> skip fi; L: skip }
                active proctype Q() { c!1 }
                ltl pr { <> (P@L) }",
                "violated",
            ),
            (
                "byte g; chan c = [0] of { byte };
                active proctype P() { skip; { c?_ } unless { nfull(c) -> skip } }
                active proctype Q() { c!1; g = 1 }
                ltl pr { [] (g == 0) }",
                "violated",
            ),
        ],
        &["--ltl", "pr"],
    );
}

/// SPIN's simulator and verifier repeat the last value.
#[test]
fn missing_initial_values_are_the_last_one() {
    each(
        &[
            ("byte a[4] = { 4, 5 }; init { assert(a[0] == 4 && a[1] == 5 && a[2] == 5 && a[3] == 5) }", ""),
            ("init { short a[4] = { 4, -5 }; assert(a[0] == 4 && a[1] == -5 && a[3] == -5) }", ""),
            ("mtype = { u, v, w }; mtype a[3] = { v, w }; init { assert(a[1] == w && a[2] == w) }", ""),
            (
                "typedef T { byte a[4] = { 7, 8 } }; T t[2]; init { assert(t[1].a[0] == 7 && t[1].a[3] == 8) }",
                "",
            ),
        ],
        &[],
    );
    let late = run("init { byte x; x = 1; byte a[3] = { 4, 5 }; skip }", &["check"]).exits(2);
    assert!(late.err.contains("an array cannot get a list of values here"), "{}", late.err);
}

/// What SPIN refuses: a message, its place, and a way out or a reason.
#[test]
fn what_spin_refuses_is_refused_or_told() {
    let refused = |text: &str, message: &str, column: usize| {
        let run = run(text, &["check"]).exits(2);
        assert!(
            run.err.contains(message) && run.err.contains(&format!(":1:{column}\n")),
            "{text}\n{}",
            run.err
        );
        assert!(run.err.contains("help: "), "{text}\n{}", run.err);
    };
    let text = "byte x; init { d_step { x = 1; goto L; x = 2 }; L: skip }";
    refused(text, "this `goto` leads out of its `d_step`", 37);
    let text = "byte x; init { if :: goto L :: skip fi; d_step { x = 1; L: x = 2 } }";
    refused(text, "this `goto` leads into a `d_step`", 27);
    for (text, column) in [
        ("init { byte i; byte i; i = 1 }", 21),
        ("proctype P(byte a) { byte a; a = 1 } init { run P(1) }", 27),
        ("init { skip; { byte i, j; i = 1; byte j; j = 1 } }", 39),
        ("typedef T { byte a; byte a }; T t; init { t.a = 1 }", 26),
        ("byte P; active proctype P() { skip }", 25),
        ("active proctype P() { skip } byte P", 35),
    ] {
        refused(text, "is declared twice", column);
    }
    let told = |text: &str, code: &str, column: usize| {
        let run = run(text, &["check"]).exits(0);
        let first = format!("warning[{code}]");
        assert!(
            run.err.contains(&first) && run.err.contains(&format!(":1:{column}\n")),
            "{text}\n{}",
            run.err
        );
        assert_eq!(run.err.matches("warning[").count(), 1, "{text}\n{}", run.err);
    };
    told("init { byte i; for (i : 3 .. 1) { skip } }", "V0319", 25);
    told("byte x; init { { L: x = 1 }; x = 2 }", "V0432", 18);
    told("byte x; init { atomic { L: x = 1 }; x = 2 }", "V0432", 25);
    told("byte x; init { { L: x = 1; x = 3 } unless { x == 2 } }", "V0432", 18);
    told("byte x; init { do :: L: x = 1; break :: break od }", "V0432", 22);
    for guard in ["q?1", "q!1", "nempty(q)", "q??1", "q?<1>", "full(q) && x == 0"] {
        let text =
            format!("byte x; chan q = [1] of {{ byte }}; init {{ if :: {guard} -> x = 1 :: else fi }}");
        told(&text, "V0433", 48);
    }
    told("chan q = [1] of { bit }; init { q!2 }", "V0426", 33);
    for well in [
        "byte x; init { byte i; i = 1; { byte i; i = 2 }; { byte i; i = 3 }; x = i }",
        "byte x; chan q = [1] of { byte }; init { if :: q?[1] -> x = 1 :: len(q) > 2 :: else fi }",
        "inline f() { byte t; t = 1 } init { f(); f() }",
        "byte x; init { d_step { x = 1; if :: x == 2 -> goto L :: else fi; x = 2; L: x = 3 } }",
        "byte x; init { L: { x = 1 }; x = 2 }",
    ] {
        assert_eq!(run(well, &["check"]).exits(0).err, "", "{well}");
    }
}

#[test]
fn processes_start_inside_values() {
    let model = |statements: &str| {
        format!(
            "int x; byte y = 3; bool b; proctype P(byte k) {{ y = k }}
proctype Q(byte k) {{ chan d = [1] of {{ byte }}; d!k; y = y + 10 * _pid }}
init {{ {statements} }}"
        )
    };
    let holds = [
        "x = run P(1) + 0; assert(x == 1)",
        "x = (run P(1)) * 2; assert(x == 2 && _nr_pr <= 2)",
        "x = -(run P(1)); assert(x == -1)",
        "x = 10 * run P(1) + run P(2); assert(x == 12)",
        "x = run P(run Q(4)); assert(x == 2)",
        "assert(run P(1) > 0)",
        // From left to right.
        "x = _nr_pr * 10 + run P(1); assert(x == 11)",
        "x = run P(1) * 10 + _nr_pr; assert(x == 12)",
        "x = (_nr_pr == 2) + 2 * (run P(1) == 1) + 4 * (_nr_pr == 2); assert(x == 6)",
        // Only where the value is needed.
        "x = (b && run P(1)); assert(_nr_pr == 1)",
        "x = (!b || run P(1)); assert(_nr_pr == 1)",
        "x = (b -> run P(1) : 3); assert(x == 3 && _nr_pr == 1)",
        "x = (b -> run P(1) : (!b -> run Q(7) + _nr_pr : run P(2))); assert(x == 3)",
        "_ = 2 * run P(5); y == 5",
        "printf(\"%d\", 1 + run P(5)); y == 5",
    ];
    let fails = [
        "assert(run P(1) > 1)",
        "x = (b || run P(1)); assert(_nr_pr == 1)",
        "x = (!b -> run P(1) : 3); assert(x == 3)",
        "x = run P(run Q(1)) + run Q(y); assert(x == 2)",
        "atomic { x = 1 + run P(1); assert(x == 1) }",
    ];
    let cases: Vec<(String, &str)> = (holds.iter().map(|text| (model(text), "")))
        .chain(fails.iter().map(|text| (model(text), "V0421")))
        .collect();
    let cases: Vec<(&str, &str)> = cases.iter().map(|(text, code)| (text.as_str(), *code)).collect();
    each(&cases, &["--safety"]);
    for text in ["(run P(1) > 0)", "!(run P(1))", "x = 2; y = 4; if :: (x == run P(1)) -> skip fi"] {
        let run = run(&model(text), &["check"]).exits(2);
        assert!(run.err.contains("`run` cannot be an operand here"), "{text}\n{}", run.err);
    }
}

#[test]
fn loops_inside_a_d_step() {
    let sum = "i = 0; do :: i < 100 -> s = s + i; i++ :: else -> break od";
    let model = |body: &str| {
        format!("int s; byte a[3]; chan q = [3] of {{ int }};\nactive proctype P() {{ int i, j; {body} }}")
    };
    let holds = [
        format!("d_step {{ {sum} }}; assert(s == 4950 && i == 100)"),
        format!("d_step {{ for (j : 1 .. 7) {{ {sum} }} }}; assert(s == 34650 && j == 8)"),
        // Inside a loop that is run in place.
        format!("atomic {{ do :: j < 50 -> d_step {{ {sum} }}; j++ :: else -> break od }}; assert(s == 247500)"),
        // Of several possible alternatives the first is taken, and messages move up in between.
        "d_step { do :: i < 30 -> if :: i % 3 == 0 -> a[0]++ :: i % 2 == 0 -> a[1]++ :: else -> a[2]++ fi; i++ :: else -> break od };
         assert(a[0] == 10 && a[1] == 10 && a[2] == 10)"
            .into(),
        "d_step { q!7; do :: i < 9 -> q!i; q?s; i++ :: else -> break od }; assert(s == 7); q?s; assert(s == 8)".into(),
        "d_step { do :: i > 4 -> break :: i = i + 3; if :: i < 6 -> j = 1 :: else -> j = j + i fi od; j++ }; assert(i == 6 && j == 8)"
            .into(),
    ];
    let fails = [
        (format!("d_step {{ {} }}", sum.replace("i++", "assert(s < 3000); i++")), "V0421"),
        ("d_step { do :: i < 5 -> i++ od }".into(), "V0424"),
        (format!("d_step {{ {sum}; s == 0; s = 1 }}"), "V0424"),
    ];
    let cases: Vec<(String, &str)> = (holds.iter().map(|body| (model(body), "")))
        .chain(fails.iter().map(|(body, message)| (model(body), *message)))
        .collect();
    let cases: Vec<(&str, &str)> = cases.iter().map(|(text, message)| (text.as_str(), *message)).collect();
    each(&cases, &["--safety"]);
    // No step lasts for ever.
    let run = run(&model("d_step { do :: i = 1 - i od }"), &["check"]).exits(1);
    assert!(run.err.contains("V0424"), "{}", run.err);
}
