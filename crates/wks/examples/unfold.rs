//! States, steps, time and memory of unfolding published families of models: `cargo run --release -p volvelle-wks --example unfold`.

#[path = "../tests/it/models.rs"]
#[allow(dead_code, reason = "tests use more of it")]
mod models;

use std::time::Instant;
use volvelle_diagnostics::FileId;
use volvelle_wks::wccs::{Unfolding, read};

#[allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a program that measures")]
fn main() {
    let elections = (9..=14).map(|n| (format!("election {n}"), models::election(n), "Ring"));
    let protocol = |k, n| (format!("alternating bit {k}, {n}"), models::alternating_bit(k, n), "System");
    let protocols = (7..=11).map(|k| protocol(k, 1)).chain((7..=9).map(|k| protocol(k, 10)));
    for (name, text, initial) in elections.chain(protocols) {
        let begin = Instant::now();
        let (system, _) = read(FileId(0), &text);
        let system = system.expect("the text is right");
        let process = system.process(initial).expect("it is defined");
        let read = begin.elapsed();
        let begin = Instant::now();
        let mut unfolding = Unfolding::new(system.clone(), process).expect("it fits");
        let (mut steps, mut state, mut count) = (Vec::new(), 0, 0);
        while (state as usize) < unfolding.num_states() {
            steps.clear();
            unfolding.steps(state, &mut steps).expect("it fits");
            count += steps.len();
            state += 1;
        }
        let unfolded = begin.elapsed();
        let begin = Instant::now();
        let mut again = Unfolding::new(system, process).expect("it fits");
        let structure = again.explore(&mut |_, _| true).expect("it fits");
        let explored = begin.elapsed();
        assert_eq!(structure.num_steps(), count);
        println!(
            "{name:20} {:8} states {count:9} steps  read {:5.1} ms  unfold {:7.1} ms  {:6.1} MB  structure {:7.1} ms  {:6.1} MB",
            unfolding.num_states(),
            read.as_secs_f64() * 1e3,
            unfolded.as_secs_f64() * 1e3,
            unfolding.bytes() as f64 / 1e6,
            explored.as_secs_f64() * 1e3,
            structure.bytes() as f64 / 1e6,
        );
    }
}
