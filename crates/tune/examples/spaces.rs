//! Builds the search spaces of problems in T1 format. Prints for each the number of configurations, and the
//! seconds taken to build the space and to list all configurations; `benches/search_spaces.py` compares these
//! with Kernel Tuner.
#![allow(clippy::print_stdout, reason = "a program")]

use std::time::Instant;
use volvelle_tune::formats::t1;
use volvelle_tune::space::Problem;

fn main() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let specification = t1::read(&text).expect("a problem in T1 format");
        let start = Instant::now();
        let mut problem = Problem::new(specification.parameters);
        for condition in &specification.conditions {
            problem.require(condition).expect("a condition");
        }
        let space = problem.build(threads, 1 << 28).expect("a space");
        let table = space.table();
        let seconds = start.elapsed().as_secs_f64();
        println!("{path} {} {seconds:.6} {}", space.len(), table.columns.len());
    }
}
