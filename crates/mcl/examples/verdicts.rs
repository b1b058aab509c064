//! How long formulas take on generated systems of up to six million transitions.
//!
//! `cargo run --release -p volvelle-mcl --example verdicts`
#![allow(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::time::Instant;
use volvelle_control::Control;
use volvelle_diagnostics::FileId;
use volvelle_mcl::{check, parse};
use volvelle_random::Random;
use volvelle_space::{Labels, Lts};

const FORMULAS: &[(&str, &str)] = &[
    ("deadlock freedom", "[true*] <true> true"),
    ("safety", "[true* . \"NEVER\"] false"),
    ("safety, three phases", "[true* . \"a0\" . (not \"a1\")* . \"NEVER\"] false"),
    ("inevitability", "[true* . \"a0\"] mu X . (<true> true and [not (\"a1\" or \"a2\")] X)"),
    ("fair reachability", "[true* . \"a0\" . (not \"a1\")*] <true* . \"a1\"> true"),
    ("always possible again", "[true*] <true* . \"a3\"> true"),
    ("no livelock", "[true*] mu X . [\"i\"] X"),
    ("two players, one block", "nu X . [true] <true> X"),
    ("infinitely often", "nu X . mu Y . ([\"a0\"] X and [not \"a0\"] Y)"),
];

fn labels(count: u32) -> Labels {
    let mut labels = Labels::new();
    (0..count - 1).for_each(|n| {
        labels.number(&format!("a{n}"));
    });
    labels
}

/// Counters with ten values each that step around.
fn counters(count: u32) -> Lts {
    let states = 10u32.pow(count);
    let mut transitions = Vec::new();
    for state in 0..states {
        for counter in 0..count {
            let unit = 10u32.pow(counter);
            let digit = state / unit % 10;
            let target = if digit == 9 { state - 9 * unit } else { state + unit };
            transitions.push((state, 1 + counter, target));
        }
    }
    Lts::from_transitions(states, 0, labels(count + 1), &transitions)
}

/// Random transitions, and one path through all states.
fn random(states: u32, degree: u32, count: u32) -> Lts {
    let mut random = Random(7);
    let mut transitions = Vec::new();
    for state in 0..states {
        transitions.push((state, random.below(count as usize) as u32, (state + 1) % states));
        for _ in 1..degree {
            transitions.push((
                state,
                random.below(count as usize) as u32,
                random.below(states as usize) as u32,
            ));
        }
    }
    Lts::from_transitions(states, 0, labels(count), &transitions)
}

/// Long internal chains: two transitions per state, forwards.
fn layered(states: u32) -> Lts {
    let mut random = Random(9);
    let mut transitions = Vec::new();
    for state in 0..states {
        let label = if state % 50 == 49 { 1 + random.below(4) as u32 } else { 0 };
        transitions.push((state, label, (state + 1) % states));
        transitions.push((state, label, (state + 1 + random.below(40) as u32) % states));
    }
    Lts::from_transitions(states, 0, labels(5), &transitions)
}

fn main() {
    let systems = [
        ("random, 82 k states", random(82_000, 6, 10)),
        ("random, 1 M states", random(1_000_000, 4, 10)),
        ("counters, 1 M states", counters(6)),
        ("layered, 2 M states", layered(2_000_000)),
    ];
    for (name, lts) in &systems {
        println!("{name}, {} transitions", lts.num_transitions());
        for (property, text) in FORMULAS {
            let (formula, diagnostics) = parse(FileId(0), text);
            let formula = formula.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"));
            let best = (0..3).map(|_| {
                let start = Instant::now();
                let answer = check(&formula, lts, &Control::unlimited()).expect("no limits");
                (start.elapsed(), answer)
            });
            let (time, answer) = best.min_by_key(|(time, _)| *time).expect("three runs");
            let evidence = answer
                .evidence
                .map_or("-".to_owned(), |e| format!("{:?} of {}", e.shape, e.transitions.len()));
            println!("  {property:24} {:5} {:9.2} ms  {evidence}", answer.holds, time.as_secs_f64() * 1e3);
        }
    }
}
