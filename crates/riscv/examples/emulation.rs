//! Millions of instructions a second of a program: alone, with hashes, and as a stream to something that counts classes.
//!
//! `cargo run --release -p volvelle-riscv --example emulation -- app.elf arguments…`; before them, `--wrong 32` adds a stream with wrong paths of 32 instructions.

use std::io::Write;
use std::time::Instant;
use volvelle_control::Control;
use volvelle_instructions::{Batch, Stream};
use volvelle_riscv::trace::{Form, Replay, record};
use volvelle_riscv::{Arguments, Emulator, Hashes, Kept, Program};

fn main() {
    let mut all: Vec<String> = std::env::args().skip(1).collect();
    let mut modes = vec!["alone", "hashes", "stream"];
    let mut length = 0;
    if all[0] == "--wrong" {
        length = all[1].parse().expect("a length");
        modes.push("wrong");
        all.drain(..2);
    }
    let bytes = std::fs::read(&all[0]).expect("a program");
    let program = Program::read(&bytes).expect("a program");
    let mut out = std::io::stdout().lock();
    for mode in modes {
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
                let mut wrong = 0;
                if mode == "wrong" {
                    assert!(emulator.follow_wrong_paths(length));
                }
                while emulator.next(&mut batch, 4096, &control).expect("runs") {
                    let listing = emulator.listing().as_slice();
                    for step in &batch.steps {
                        counts[listing[step.instruction() as usize].class as usize] += 1;
                    }
                    wrong += batch.wrong.steps.len();
                }
                if mode == "wrong" {
                    let each = wrong as f64 / emulator.executed() as f64;
                    let _ = write!(out, "{each:.2} on wrong paths each: ");
                }
                assert_eq!(counts.iter().sum::<u64>(), emulator.executed());
            }
        }
        let seconds = begin.elapsed().as_secs_f64();
        let _ = write!(out, "{mode} {:.0}  ", emulator.executed() as f64 / seconds / 1e6);
    }
    let (bytes, executed, rates) = traced(&program, &Arguments::new(&all));
    let each = bytes as f64 / executed as f64;
    let _ = writeln!(
        out,
        "recorded {:.0}  replayed {:.0}  MIPS; {each:.3} bytes for an instruction",
        rates[0], rates[1]
    );
}

/// Records a run and reads it: bytes, instructions, millions a second of both.
fn traced(program: &Program, arguments: &Arguments) -> (usize, u64, [f64; 2]) {
    let mut world = Kept::default();
    let control = Control::unlimited();
    let mut emulator = Emulator::new(program, arguments, &mut world, &control).expect("loaded");
    let mut trace = Vec::new();
    let begin = Instant::now();
    record(&mut emulator, Form::Own, &mut trace, &control).expect("recorded");
    let rate = |begin: Instant, count: u64| count as f64 / begin.elapsed().as_secs_f64() / 1e6;
    let (executed, recorded) = (emulator.executed(), rate(begin, emulator.executed()));
    let begin = Instant::now();
    let mut replay = Replay::new(trace.as_slice()).expect("a trace");
    let (mut batch, mut count) = (Batch::default(), 0);
    while replay.next(&mut batch, 4096, &control).expect("read") {
        count += batch.steps.len() as u64;
    }
    assert_eq!(count, executed);
    (trace.len(), executed, [recorded, rate(begin, executed)])
}
