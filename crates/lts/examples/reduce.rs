//! Times of reduction: `reduce FILE RELATION THREADS`.

#![allow(clippy::print_stdout, reason = "an example for measuring")]

use std::time::Instant;
use volvelle_control::Control;
use volvelle_explicit::{Dialect, read_lts};
use volvelle_lts::{Relation, reduce};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, file, relation, threads] = &arguments[..] else { panic!("reduce FILE RELATION THREADS") };
    let relation = Relation::ALL.into_iter().find(|known| known.name() == relation).expect("a relation");
    let control = Control { threads: threads.parse().expect("a number"), ..Control::unlimited() };
    let start = Instant::now();
    let mut source = std::fs::File::open(file).expect("a file");
    let lts = read_lts(file, &mut source, Dialect::Automatic, &control).expect("a system");
    let read = start.elapsed();
    let found = reduce(lts, relation, &control).expect("no limit").lts;
    let all = start.elapsed();
    println!(
        "{} states, {} transitions; read {:.3} s, reduce {:.3} s, total {:.3} s",
        found.num_states(),
        found.num_transitions(),
        read.as_secs_f64(),
        (all - read).as_secs_f64(),
        all.as_secs_f64()
    );
}
