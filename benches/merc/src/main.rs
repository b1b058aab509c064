//! `merc-peer FILE RELATION [OUTPUT]`: reads an ALDEBARAN file, reduces it with MERC, prints its size and writes the quotient.

use merc_lts::{LTS, read_aut, write_aut};
use merc_reduction::{Equivalence, reduce_lts};
use merc_utilities::Timing;
use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let relation = match arguments[2].as_str() {
        "strong" => Equivalence::StrongBisim,
        "branching" => Equivalence::BranchingBisim,
        "divbranching" => Equivalence::BranchingBisimDivergencePreserving,
        "weak" => Equivalence::WeakBisim,
        other => panic!("unknown relation {other}"),
    };
    let start = Instant::now();
    let lts = read_aut(File::open(&arguments[1]).expect("a file")).expect("a system");
    let read = start.elapsed().as_secs_f64();
    let reduced = reduce_lts(lts, relation, false, &Timing::new());
    let all = start.elapsed().as_secs_f64();
    println!(
        "{} states, {} transitions; read {read:.3} s, reduce {:.3} s, total {all:.3} s",
        reduced.num_of_states(),
        reduced.num_of_transitions(),
        all - read
    );
    if let Some(output) = arguments.get(3) {
        write_aut(&mut BufWriter::new(File::create(output).expect("a file")), &reduced).expect("written");
    }
}
