//! How fast the search is without a model: counters side by side, each a word of the state.
//!
//! `cargo run --release --example throughput -p volvelle-search -- [words] [values] [threads] [bfs|dfs|liveness|set] [least threads]`

#![allow(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::time::Instant;
use volvelle_control::Control;
use volvelle_search::{Exit, Expander, KeySet, Outcome, Report, Successors, System, bfs, dfs, liveness};

/// Counters that step up to a bound, one at a time.
struct Counters {
    words: usize,
    values: u64,
}

struct Machine<'a>(&'a Counters);

/// Spreads a value over a word, as packed variables would be.
fn packed(value: u64) -> u64 {
    value.wrapping_mul(0x0001_0003_0005_0007)
}

impl System for Counters {
    fn words(&self) -> usize {
        self.words
    }

    fn initial(&self) -> Vec<u64> {
        vec![0; self.words]
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Machine(self))
    }
}

impl Expander for Machine<'_> {
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
        out.clear();
        let top = packed(self.0.values - 1);
        for state in states.chunks_exact(self.0.words) {
            for (at, &value) in state.iter().enumerate() {
                if value != top {
                    let first = out.states.len();
                    out.states.extend_from_slice(state);
                    out.states[first + at] = value + packed(1);
                    out.steps.push(at as u32);
                }
            }
            out.ends.push(out.steps.len() as u32);
            out.observations.push(0);
        }
        Exit::Done
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, default: usize| arguments.get(at).and_then(|a| a.parse().ok()).unwrap_or(default);
    let system = Counters { words: number(0, 8), values: number(1, 7) as u64 };
    let least = number(4, 1);
    let most = number(2, std::thread::available_parallelism().map_or(1, usize::from));
    match arguments.get(3).map_or("bfs", String::as_str) {
        "set" => keys(),
        "dfs" => {
            time("dfs", &system, 1..=1, |control| dfs::search(&system, &dfs::Options::default(), control));
        }
        "liveness" => {
            let goal = liveness::Goal::NonProgress;
            let options = liveness::Options {
                goal,
                weak_fairness: false,
                reduce: false,
                max_depth: None,
                any_lasso: false,
                listing: Default::default(),
            };
            let search = |control: &Control<'_>| liveness::search(&system, &options, control).report;
            time("non-progress cycles", &system, least..=most, search);
        }
        _ => time("bfs", &system, least..=most, |control| {
            bfs::search(&system, &bfs::Options::default(), control)
        }),
    }
}

fn time(
    what: &str,
    system: &Counters,
    range: std::ops::RangeInclusive<usize>,
    search: impl Fn(&Control<'_>) -> Report,
) {
    let mut one = 0.0;
    for threads in range {
        let control = Control { threads, ..Control::unlimited() };
        let start = Instant::now();
        let report = search(&control);
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(report.outcome, Outcome::Complete);
        assert!(report.states >= system.values.pow(system.words as u32), "all states are there");
        if one == 0.0 {
            one = seconds;
        }
        println!(
            "{what}, {threads} threads: {} states, {} transitions in {seconds:.3} s: {:.2} M states/s, {:.2} M transitions/s, {:.1} bytes a state, {:.2} x",
            report.states,
            report.transitions,
            report.states as f64 / seconds / 1e6,
            report.transitions as f64 / seconds / 1e6,
            report.bytes_per_state(),
            one / seconds,
        );
    }
}

/// Insertions of random keys, and of those that are there.
fn keys() {
    for log2 in [12, 16, 20, 24, 26] {
        let count = 1u64 << log2;
        let mut set = KeySet::new(1);
        let mut numbers = Vec::new();
        for pass in ["new", "known"] {
            let rounds = if pass == "new" { 1 } else { (1 << 24 >> log2).max(1) };
            let start = Instant::now();
            for _ in 0..rounds {
                let mut at = 0;
                while at < count {
                    let keys: Vec<u64> = (at..count.min(at + 1024))
                        .map(|i| (i ^ 0x5555).wrapping_mul(0x9e37_79b9_7f4a_7c15))
                        .collect();
                    numbers.clear();
                    while set.find_or_insert(0, &keys, &mut numbers).is_err() {
                        assert!(set.grow(1));
                    }
                    at += 1024;
                }
            }
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "2^{log2} keys, {pass}: {:.1} M/s, {:.1} bytes a key",
                (count * rounds) as f64 / seconds / 1e6,
                set.bytes() as f64 / set.len() as f64
            );
        }
    }
}
