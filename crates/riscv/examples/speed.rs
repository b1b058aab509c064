//! Millions of instructions a second of a program: alone, with hashes, and as a stream to something that counts classes.
//!
//! `cargo run --release -p volvelle-riscv --example speed -- app.elf arguments…`

use std::io::Write;
use std::time::Instant;
use volvelle_control::Control;
use volvelle_instructions::{Batch, Stream};
use volvelle_riscv::{Arguments, Emulator, Hashes, Kept, Program};

fn main() {
    let all: Vec<String> = std::env::args().skip(1).collect();
    let bytes = std::fs::read(&all[0]).expect("a program");
    let program = Program::read(&bytes).expect("a program");
    let mut out = std::io::stdout().lock();
    for mode in ["alone", "hashes", "stream"] {
        let mut world = Kept::default();
        let control = Control::unlimited();
        let mut emulator =
            Emulator::new(&program, &Arguments::new(&all), &mut world, &control).expect("loaded");
        let begin = Instant::now();
        match mode {
            "alone" => drop(emulator.run(&control).expect("runs")),
            "hashes" => drop(emulator.run_hashed(&mut Hashes::default(), &control).expect("runs")),
            _ => {
                let mut batch = Batch::default();
                let mut counts = [0_u64; 16];
                while emulator.next(&mut batch, 4096, &control).expect("runs") {
                    let listing = emulator.listing().as_slice();
                    for step in &batch.steps {
                        counts[listing[step.instruction() as usize].class as usize] += 1;
                    }
                }
                assert_eq!(counts.iter().sum::<u64>(), emulator.executed());
            }
        }
        let seconds = begin.elapsed().as_secs_f64();
        let _ = write!(out, "{mode} {:.0}  ", emulator.executed() as f64 / seconds / 1e6);
    }
    let _ = writeln!(out, "MIPS");
}
