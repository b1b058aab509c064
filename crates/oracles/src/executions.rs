//! Programs for RISC-V, traces, and streams as text: any bytes in, no panic, a reason for each refusal; and what is executed does not depend on how
//! it is asked for.

use volvelle_control::{Control, Limits};
use volvelle_diagnostics::{Diagnostic, RenderOptions, Sources, render_all};
use volvelle_instructions::{Batch, Failure, Listing, Stream};
use volvelle_multicore::{
    Ahead, Configuration, Form, Machine, Sampling, ShippedProtocols, Specification, Study, TextTrace,
    accesses, outcomes, read_predictor, run, unknown_form,
};
use volvelle_riscv::trace::{Recorder, Replay, bt9::Bt9, cbp::Cbp, champsim::ChampSim};
use volvelle_riscv::{Arguments, Emulator, Hashes, Kept, Permissions, Program, Segment, Symbols};

/// Instructions of a program that are executed.
const MOST_EXECUTED: usize = 4000;

/// Memory of a program.
const MOST_BYTES: u64 = 16 << 20;

fn control() -> Control<'static> {
    let limits = Limits { memory_bytes: Some(MOST_BYTES), ..Limits::default() };
    Control { limits, ..Control::unlimited() }
}

fn draw(found: &[Diagnostic], sources: &Sources) {
    assert!(!found.is_empty(), "what is refused has a reason");
    let _ = render_all(found, sources, RenderOptions { color: true, ..RenderOptions::default() });
}

/// What was executed, and how it ended.
#[derive(Debug, PartialEq)]
struct Run {
    executed: usize,
    hashes: Hashes,
    end: String,
    output: Vec<u8>,
}

/// Executes some instructions of a program, at most so many at once.
fn execute(program: &Program, at_once: usize) -> Run {
    let control = control();
    let mut world = Kept::default();
    let (mut executed, mut hashes) = (0, Hashes::default());
    let end = match Emulator::new(program, &Arguments::new(["fuzz", "7"]), &mut world, &control) {
        Err(failure) => told(failure),
        Ok(mut emulator) => {
            let mut batch = Batch::default();
            loop {
                let left = MOST_EXECUTED - executed;
                if left == 0 {
                    break "enough".to_owned();
                }
                let more = emulator.next(&mut batch, at_once.min(left), &control);
                assert!(batch.steps.len() <= at_once.min(left), "no more than was asked for");
                executed += batch.steps.len();
                hashes.add(emulator.listing(), &batch);
                match more {
                    Ok(true) => {}
                    Ok(false) => break format!("{:?}", emulator.exit()),
                    Err(failure) => break told(failure),
                }
            }
        }
    };
    Run { executed, hashes, end, output: world.out }
}

fn told(failure: Failure) -> String {
    match failure {
        Failure::Stopped(stop) => format!("{stop:?}"),
        Failure::Faulty(found) => {
            draw(&[(*found).clone()], &Sources::new());
            found.message
        }
    }
}

/// Executes a program step by step and many at once: the same instructions, accesses, output and end.
fn is_the_same_in_any_pieces(program: &Program) {
    let whole = execute(program, MOST_EXECUTED);
    // Memory that decoded code takes depends on where blocks end: a limit may come earlier or later.
    if whole.end == "Memory" {
        return;
    }
    for at_once in [1, 7] {
        assert_eq!(execute(program, at_once), whole, "at most {at_once} at once");
    }
}

/// Any bytes as an ELF file.
pub fn program_bytes(bytes: &[u8]) {
    match Program::read(bytes) {
        Ok(program) => is_the_same_in_any_pieces(&program),
        Err(found) => draw(&[*found], &Sources::new()),
    }
}

/// Any bytes as instructions.
pub fn instruction_words(bytes: &[u8]) {
    const START: u64 = 0x1_0000;
    let segment = |address, content: &[u8], permissions| Segment {
        address,
        content: content.to_vec(),
        bytes: 1 << 16,
        permissions: Permissions(permissions),
    };
    let program = Program {
        entry: START,
        segments: vec![
            segment(START, &bytes[..bytes.len().min(1 << 15)], Permissions::READ | Permissions::EXECUTE),
            segment(START << 4, &[], Permissions::READ | Permissions::WRITE),
        ],
        symbols: Symbols::default(),
        headers: None,
        base: 0,
    };
    is_the_same_in_any_pieces(&program);
}

/// Instructions of a stream, as far as it goes.
fn all(stream: &mut dyn Stream, at_once: usize) -> (Vec<u8>, Hashes, usize) {
    const MOST: usize = 100_000;
    let control = control();
    let mut batch = Batch::default();
    let (mut recorder, mut bytes) = (Recorder::default(), Vec::new());
    let (mut hashes, mut count) = (Hashes::default(), 0);
    loop {
        let more = stream.next(&mut batch, at_once, &control);
        fits(stream.listing(), &batch);
        count += batch.steps.len();
        hashes.add(stream.listing(), &batch);
        recorder.record(stream.listing(), &batch, &mut bytes);
        match more {
            Ok(true) if count < MOST => {}
            Ok(_) => break,
            Err(failure) => {
                told(failure);
                break;
            }
        }
    }
    recorder.finish(&mut bytes);
    (bytes, hashes, count)
}

/// As many addresses as instructions that access memory.
fn fits(listing: &Listing, batch: &Batch) {
    let needed =
        batch.steps.iter().filter(|step| listing[step.instruction()].class.accesses_memory()).count();
    assert_eq!(needed, batch.addresses.len(), "an address for each access");
}

/// Any bytes as a trace; the first of them chooses the form. What was read is recorded and read again.
pub fn trace_bytes(bytes: &[u8]) {
    let Some((form, rest)) = bytes.split_first() else { return };
    let (recorded, hashes, count) = match form % 4 {
        0 => match Replay::new(rest) {
            Ok(mut stream) => all(&mut stream, 1000),
            Err(failure) => return drop(told(failure)),
        },
        1 => all(&mut ChampSim::new(rest), 1000),
        2 => all(&mut Cbp::new(rest), 1000),
        _ => all(&mut Bt9::new(rest), 1000),
    };
    let mut again = Replay::new(&recorded[..]).expect("what was recorded is a trace");
    let (_, hashes_again, count_again) = all(&mut again, 333);
    assert_eq!((hashes_again, count_again), (hashes, count), "what was recorded is what was executed");
}

/// Any text as a stream, a machine, a predictor, and a study.
pub fn stream_text(text: &str) {
    let mut sources = Sources::new();
    let file = sources.add("stream", text);
    match Form::of(text) {
        None => draw(&[unknown_form(file, text)], &sources),
        Some(Form::Accesses) => drop(accesses(file, text).map_err(|found| draw(&found, &sources))),
        Some(Form::Outcomes) => drop(outcomes(file, text).map_err(|found| draw(&found, &sources))),
        Some(Form::Instructions) => timed(text, &sources),
    }
    let _ = Study::read(file, text).map_err(|found| draw(&found, &sources));
    let _ = read_predictor(file, text).map_err(|found| draw(&found, &sources));
    match Machine::read(file, text, &mut ShippedProtocols) {
        Ok(machine) => machine.check().expect("a machine that was read can be built"),
        Err(found) => draw(&found, &sources),
    }
}

/// Runs a trace on machines: cycles add up, and are no fewer than the bounds.
fn timed(text: &str, sources: &Sources) {
    let mut sources = sources.clone();
    let file = sources.add("stream", text);
    let predictor = |name| Specification::parse(name).expect("a known name");
    let mut configurations = Vec::new();
    for (name, settings) in [
        ("paper", &[][..]),
        ("paper-dual-4", &[("forward", "2"), ("forward_bus", "1"), ("training", "commit")]),
        (
            "paper-octa-16",
            &[("squash", "2"), ("reorder_buffer", "3"), ("l2.size", "4096"), ("history", "unrepaired")],
        ),
        ("paper-quad-8", &[("mode", "rolling"), ("selection", "postdominator"), ("training", "resolve")]),
    ] {
        let mut machine = Machine::preset(name).expect("a known name");
        for (key, value) in settings {
            machine.set(key, value, &mut ShippedProtocols).expect("a known key");
        }
        configurations.push(Configuration::new(machine, predictor("gag-14")));
    }
    let windows = Sampling { windows: 2, window: 4, warm_up: 1 };
    let sampled = Configuration { sampling: Some(windows), ..configurations[0].clone() };
    configurations.push(sampled);
    let Ok(mut trace) = TextTrace::new(file, text) else { return };
    let ahead = Ahead::find(&mut trace, &configurations, &control());
    let Ok(mut trace) = TextTrace::new(file, text) else { return };
    match ahead.and_then(|ahead| run(&mut trace, &configurations, &ahead, &control())) {
        Ok(answers) => {
            for answer in answers {
                assert_eq!(answer.stack.total(), answer.cycles * answer.cores as u64, "cycles add up");
                let is_estimate = !answer.windows.is_empty();
                assert!(is_estimate || answer.cycles >= answer.bounds.cycles(), "no fewer than the bounds");
                assert!(answer.mispredictions <= answer.predictions && answer.predictions <= answer.tasks);
            }
        }
        Err(failure) => drop(told(failure)),
    }
}
