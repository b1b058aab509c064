//! Long atomic sequences: searches that take their steps in loops of code, and keep few of the states inside, find what searches step
//! by step find, and their trails are runs.

use crate::processes::{Stepwise, lowered};
use volvelle_control::{Control, Limits};
use volvelle_explore::Processes;
use volvelle_kernel::Compiler;
use volvelle_model::Program;
use volvelle_model::kernels::NetworkOptions;
use volvelle_native::Native;
use volvelle_promela_testing::Choices;
use volvelle_search::probe::{self, Goal};
use volvelle_search::{
    Fault, Listing, Order, Outcome, Report, Successors, System, TRANSIENT, Trail, Turns, bfs,
};

/// Steps of trails that are listed in part.
const LISTED: Listing = Listing { longest: 50, listed: 20 };

/// What such a comparison saw.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    /// Errors.
    pub faults: usize,
    /// Steps of the longest trail.
    pub longest: u64,
}

/// A model with long atomic sequences: loops that end and loops that do not, with choices, blocking statements, assertions, and steps
/// that fail.
pub fn long_atomic_model(choices: &mut Choices<'_>) -> String {
    let mut text = String::from("int i, j, s;\nbyte x, y;\nchan q = [2] of { int };\n");
    for process in 0..1 + choices.below(2) {
        text.push_str(&format!("active proctype P{process}() {{\n"));
        for part in 0..1 + choices.below(2) {
            let mut body = String::new();
            for piece in 0..1 + choices.below(3) {
                body.push_str(&piece_of(choices, &format!("l{part}{piece}")));
            }
            text.push_str(&format!(
                "  atomic {{ {body}}};\n{}",
                choices.pick(&["", "  x++;\n", "  y = 1;\n"])
            ));
        }
        text.push_str("}\n");
    }
    text.push_str(choices.pick(&[
        "",
        "active proctype Q() { x++; y = 1 }\n",
        "active proctype R() { q?s; y++ }\n",
    ]));
    text
}

/// A part of an atomic sequence.
fn piece_of(choices: &mut Choices<'_>, label: &str) -> String {
    let rounds = choices.pick(&[3, 20, 150, 3000]);
    let inner = match choices.below(8) {
        0 => "s = (s + i) % 13; ".to_owned(),
        1 => "q!i; q?s; ".to_owned(),
        2 => "if :: i % 3 == 0 -> y++ :: else fi; ".to_owned(),
        3 => "for (j : 1 .. 3) { s = (s + j) % 5 }; ".to_owned(),
        4 if rounds < 100 => "if :: x = 1 :: x = 2 fi; ".to_owned(),
        5 if rounds < 100 => "if :: s = (s + 1) % 7 :: s = (s + 2) % 7 fi; ".to_owned(),
        6 => format!("assert(i != {}); ", choices.pick(&[2, 19, 2999, 7777])),
        _ => String::new(),
    };
    match choices.below(12) {
        0..=4 => format!("i = 0; do :: i < {rounds} -> {inner}i++ :: else -> break od; "),
        5 => format!("do :: i = (i + 1) % {} od; ", rounds + choices.below(900)),
        6 => "select(x : 1 .. 9); x = 0; ".to_owned(),
        7 => "(y == 1); ".to_owned(),
        8 => format!("assert(s != {}); ", choices.below(5)),
        9 => format!(
            "i = 0; do :: i < {rounds} -> s = 100 / (i - {}); i++ :: else -> break od; ",
            choices.pick(&[9, 70, 9999])
        ),
        10 => format!("i = 0; {label}: i++; {inner}if :: i < {rounds} -> goto {label} :: else fi; "),
        _ => format!("i = 0; do :: i < {rounds} -> i++ :: i == {} -> break od; ", rounds / 2),
    }
}

/// Compares the searches of a model.
///
/// # Panics
/// Where they differ, or a trail is no run.
pub fn atomic_sequences(text: &str) -> Compared {
    let program = &lowered(text).program;
    let native = Native::new(volvelle_native::Options::default()).expect("this machine has native code");
    let expected = search(program, &native, Listing::WHOLE, true).1;
    let (system, found) = search(program, &native, Listing::WHOLE, false);
    // Ways to the same state that meet inside an atomic sequence may count as several transitions where no state in between is kept.
    let counts = |r: &Report| {
        let sites: Vec<(u32, u64)> = r.faults.iter().map(|fault| (fault.site, fault.depth)).collect();
        (r.states, sites, r.outcome)
    };
    assert_eq!(counts(&found), counts(&expected), "in loops and step by step\n{text}");
    let listed = search(program, &native, LISTED, false).1;
    let mut compared = Compared { faults: found.faults.len(), longest: 0 };
    for (whole, listed) in found.faults.iter().zip(&listed.faults) {
        let (whole, listed) = (trail(whole), trail(listed));
        follow(&system, whole, text);
        compared.longest = compared.longest.max(whole.steps.len() as u64);
        in_part(whole, listed, text);
    }
    probed(&system, &found, text);
    compared
}

fn trail(fault: &Fault) -> &Trail {
    fault.trail.as_ref().expect("nothing interrupts the search")
}

/// A probe finds an error exactly where there is one.
fn probed(system: &Processes<'_>, found: &Report, text: &str) {
    let turns = Turns::of_probe_alone();
    for order in [Order::Descending, Order::Ascending] {
        let options = probe::Options {
            goal: Goal::Errors,
            order,
            reduce: false,
            max_depth: None,
            max_visits: None,
            longest_trail: LISTED.longest,
            listed: LISTED.listed,
            turns: &turns,
            visited: 0,
        };
        let probed = probe::search(system, &options, &Control::unlimited()).report;
        let expected = if found.faults.is_empty() { Outcome::Complete } else { Outcome::Failed };
        assert_eq!(probed.outcome, expected, "a probe\n{text}");
        for fault in &probed.faults {
            assert!(found.faults.iter().any(|known| known.site == fault.site), "a probe\n{text}");
        }
    }
}

/// The trail is a run, step by step.
fn follow(system: &Processes<'_>, trail: &Trail, text: &str) {
    let words = system.words();
    let mut expander = system.expander();
    let mut out = Successors::default();
    assert_eq!(trail.states[0], system.initial(), "{text}");
    for (pair, &step) in trail.states.windows(2).zip(&trail.steps) {
        expander.expand(&pair[0], &mut out);
        let mut successors = out.states.chunks_exact(words).zip(&out.steps);
        let is_one = successors.any(|(state, &taken)| taken & !TRANSIENT == step && *state == pair[1]);
        assert!(is_one, "no step of the model\n{text}");
    }
}

/// The same trail, listed in part.
fn in_part(whole: &Trail, listed: &Trail, text: &str) {
    let missing = listed.gap.map_or(0, |gap| gap.steps - 1) as usize;
    assert_eq!(listed.steps.len() + missing, whole.steps.len(), "{text}");
    let Some(gap) = listed.gap else { return assert_eq!(whole, listed, "{text}") };
    assert!(whole.steps.len() > LISTED.longest && listed.steps.len() <= LISTED.longest, "{text}");
    assert_eq!(listed.steps[..gap.at], whole.steps[..gap.at], "{text}");
    assert_eq!(listed.states[..=gap.at], whole.states[..=gap.at], "{text}");
    assert_eq!(listed.steps[gap.at + 1..], whole.steps[gap.at + 1 + missing..], "{text}");
    assert_eq!(listed.states[gap.at + 1..], whole.states[gap.at + 1 + missing..], "{text}");
}

fn search<'p>(
    program: &'p Program,
    compiler: &'p dyn Compiler,
    listing: Listing,
    stepwise: bool,
) -> (Processes<'p>, Report) {
    let control = Control {
        limits: Limits { states: Some(100_000), ..Limits::default() },
        threads: 1,
        ..Control::unlimited()
    };
    let options = bfs::Options { all_errors: true, max_depth: None, no_trails: stepwise, listing };
    let system = Processes::new(program, NetworkOptions::default(), compiler, 0);
    let search = |system: &Processes<'_>| match stepwise {
        true => bfs::search(&Stepwise(system), &options, &control),
        false => bfs::search(system, &options, &control),
    };
    system.expect("a small model is made").searched(search, |found| found.outcome).expect("few processes")
}
