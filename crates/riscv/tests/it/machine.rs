//! What the golden set has not: code that changes, limits, calls that are refused, faults, and what must not depend on anything.

use crate::assembler::{
    A0, A1, A2, A7, CODE, DATA, EBREAK, ECALL, FENCE_I, S2, SP, T0, T1, ZERO, addi, call, elf, exit, exit_a0,
    lui,
};
use crate::support::{control_with_memory, run};
use std::time::{Duration, Instant};
use volvelle_control::{Control, Limits, Stop};
use volvelle_diagnostics::Diagnostic;
use volvelle_instructions::{Batch, Failure, Stream};
use volvelle_riscv::{Arguments, Emulator, Kept, Program, Word, major};

fn fault(code: &[Word]) -> Box<Diagnostic> {
    match run(&elf(code, 4096), &["program"]) {
        Err(Failure::Faulty(diagnostic)) => diagnostic,
        other => panic!("{other:?}"),
    }
}

/// Overwrites the instruction behind, with a fence or without: the new one is executed.
#[test]
fn code_that_changes_itself() {
    for with_fence in [true, false] {
        let patched = addi(A0, ZERO, 42);
        let mut code = vec![
            lui(T0, CODE as u32),
            lui(T1, patched.0.wrapping_add(0x800)),
            addi(T1, T1, (patched.0 as i32) << 20 >> 20),
            Word::s(major::STORE, 2, T0, T1, 20),
            if with_fence { FENCE_I } else { addi(ZERO, ZERO, 0) },
            addi(A0, ZERO, 7),
        ];
        code.extend(exit_a0());
        let ran = run(&elf(&code, 4096), &["program"]).expect("runs");
        assert_eq!((ran.exit, ran.instructions), (42, 8), "fence: {with_fence}");
    }
}

/// A loop whose body is overwritten in each round: what was decoded is forgotten each time.
#[test]
fn code_that_changes_often() {
    // a0 sums what the patched `addi a1, zero, n` gives for n = 1 to 10.
    let patched = addi(A1, ZERO, 0);
    let mut code = vec![
        lui(T0, CODE as u32),
        lui(T1, patched.0.wrapping_add(0x800)),
        addi(T1, T1, (patched.0 as i32) << 20 >> 20),
        lui(A2, 1 << 20),
        addi(S2, ZERO, 10),
        addi(A0, ZERO, 0),
        Word::r(major::OP, 0, 0, T1, T1, A2), // 24: the next n
        Word::s(major::STORE, 2, T0, T1, 32),
        addi(A1, ZERO, 0), // 32
        Word::r(major::OP, 0, 0, A0, A0, A1),
        addi(S2, S2, -1),
        Word::b(1, S2, ZERO, -20),
    ];
    code.extend(exit_a0());
    assert_eq!(run(&elf(&code, 4096), &["program"]).expect("runs").exit, 55);
}

#[test]
fn endless_programs_are_stopped() {
    let program = Program::read(&elf(&[Word::j(0, 0)], 4096)).expect("a program");
    let mut world = Kept::default();
    let limits = Limits { deadline: Some(Instant::now() + Duration::from_millis(20)), ..Limits::default() };
    let control = Control { limits, ..Control::unlimited() };
    let mut emulator =
        Emulator::new(&program, &Arguments::new(["program"]), &mut world, &control).expect("loaded");
    assert!(matches!(emulator.run(&control), Err(Failure::Stopped(Stop::Timeout))));
    let mut batch = Batch::default();
    assert!(matches!(emulator.next(&mut batch, 10, &control), Err(Failure::Stopped(Stop::Timeout))));
}

/// Memory is counted as it is written: a gigabyte of zeros is nothing, writing all of it is too much.
#[test]
fn memory_counts_when_it_is_written() {
    let bytes = 1 << 30;
    let read = vec![lui(T0, 0x2000_0000), Word::i(major::LOAD, 3, A0, T0, 0)];
    let program = |code: &[Word]| Program::read(&elf(code, bytes)).expect("a program");
    let (mut world, control) = (Kept::default(), control_with_memory(8 << 20));
    let all = program(&[read, exit(3)].concat());
    let mut emulator =
        Emulator::new(&all, &Arguments::new(["program"]), &mut world, &control).expect("loaded");
    assert_eq!(emulator.run(&control).expect("runs"), 3);
    assert!(emulator.bytes() < 1 << 20, "{}", emulator.bytes());
    // t0 walks over the data, a page at a time.
    let walk = [
        lui(T0, DATA as u32),
        lui(T1, 4096),
        Word::s(major::STORE, 3, T0, T0, 0),
        Word::r(major::OP, 0, 0, T0, T0, T1),
        Word::j(0, -8),
    ];
    let all = program(&walk);
    let mut emulator =
        Emulator::new(&all, &Arguments::new(["program"]), &mut world, &control).expect("loaded");
    assert!(matches!(emulator.run(&control), Err(Failure::Stopped(Stop::Memory))));
    assert!(emulator.bytes() <= 9 << 20, "{}", emulator.bytes());
}

/// A program that is larger than the limit does not even load.
#[test]
fn memory_is_limited_from_the_beginning() {
    let code = vec![addi(A0, A0, 1); 1 << 18];
    let program = Program::read(&elf(&code, 4096)).expect("a program");
    let (mut world, control) = (Kept::default(), control_with_memory(1 << 19));
    let loaded = Emulator::new(&program, &Arguments::new(["program"]), &mut world, &control);
    assert!(matches!(loaded.map(|_| ()), Err(Failure::Stopped(Stop::Memory))));
}

#[test]
fn unknown_calls_warn_once() {
    let mut code = [call(198), call(198), call(2000)].concat();
    code.extend(exit_a0());
    let program = Program::read(&elf(&code, 4096)).expect("a program");
    let (mut world, control) = (Kept::default(), Control::unlimited());
    let mut emulator =
        Emulator::new(&program, &Arguments::new(["program"]), &mut world, &control).expect("loaded");
    assert_eq!(emulator.run(&control).expect("runs"), (-38_i8) as u8);
    let messages: Vec<&str> = emulator.warnings().iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "system call 198 (`socket`) is not there at 0x10004 in main+0x4",
            "system call 2000 is not there at 0x10014 in main+0x14"
        ]
    );
}

/// The C library asks how a file was opened before it writes to it: `fcntl` with `F_GETFL`.
#[test]
fn files_say_how_they_were_opened() {
    for (number, flags) in [(0, 0), (1, 1), (2, 1), (7, -9_i8 as u8)] {
        let code = [vec![addi(A0, ZERO, number), addi(A1, ZERO, 3)], call(25), exit_a0()].concat();
        let program = Program::read(&elf(&code, 4096)).expect("a program");
        let (mut world, control) = (Kept::default(), Control::unlimited());
        let mut emulator =
            Emulator::new(&program, &Arguments::new(["program"]), &mut world, &control).expect("loaded");
        assert_eq!(emulator.run(&control).expect("runs"), flags, "{number}");
    }
}

#[test]
fn threads_are_refused() {
    let diagnostic = fault(&call(220));
    assert_eq!(diagnostic.code.to_string(), "V2008");
    assert!(diagnostic.message.contains("`clone`"), "{}", diagnostic.message);
}

/// Each fault says what, where, and in which function.
#[test]
fn faults() {
    let cases: [(&[Word], &str, &str); 8] = [
        (
            &[Word::i(major::LOAD, 3, A0, ZERO, 8)],
            "V2005",
            "reads from 0x8, where nothing is, at 0x10000 in main",
        ),
        (
            &[addi(ZERO, ZERO, 0), Word::s(major::STORE, 0, ZERO, A0, 16)],
            "V2005",
            "writes to 0x10, where nothing is that may be written, at 0x10004 in main+0x4",
        ),
        (&[Word::i(major::JALR, 0, 0, ZERO, 64)], "V2005", "jumps to 0x40, where nothing is to execute"),
        (&[addi(T0, ZERO, -1), Word::i(major::LOAD, 3, A0, T0, 0)], "V2005", "reads from 0xffffffffffffffff"),
        (&[Word(0xffff_ffff)], "V2004", "illegal instruction 0xffffffff at 0x10000 in main"),
        (&[Word(0)], "V2004", "illegal instruction 0x0000 at 0x10000 in main"),
        (&[EBREAK], "V2006", "breakpoint at 0x10000 in main"),
        // `csrr a0, mstatus` of a privileged mode.
        (&[Word::i(major::SYSTEM, 2, A0, ZERO, 0x300)], "V2004", "illegal instruction 0x30002573"),
    ];
    for (code, expected, message) in cases {
        let diagnostic = fault(code);
        assert_eq!(diagnostic.code.to_string(), expected, "{}", diagnostic.message);
        assert!(diagnostic.message.contains(message), "{}", diagnostic.message);
        assert!(!diagnostic.helps.is_empty());
    }
}

/// A reserved rounding mode in `frm` makes an instruction illegal only where it is used.
#[test]
fn reserved_rounding_mode() {
    let set = Word::i(major::SYSTEM, 5, ZERO, 5, 0x002);
    let dynamic = Word::r(major::OP_FP, 7, 1, 0, 0, 0);
    let fixed = Word::r(major::OP_FP, 0, 1, 0, 0, 0);
    assert_eq!(
        fault(&[set, fixed, dynamic]).message,
        "illegal instruction 0x02007053 at 0x10008 in main+0x8"
    );
}

#[test]
fn abort_says_so() {
    let code = [vec![addi(A0, ZERO, 1000), addi(A1, ZERO, 1000), addi(A2, ZERO, 6)], call(131)].concat();
    assert!(fault(&code).message.contains("signal 6 (abort)"));
}

/// Loads a number of eight bytes.
fn load(rd: u32, rs1: u32, offset: i32) -> Word {
    Word::i(major::LOAD, 3, rd, rs1, offset)
}

/// The stack: aligned, with the number of arguments and their texts; the same in each run.
#[test]
fn stack_is_as_the_system_lays_it_out() {
    let status = |code: Vec<Word>, arguments: &[&str]| {
        let bytes = elf(&[code, exit_a0()].concat(), 4096);
        let ran = run(&bytes, arguments).expect("runs");
        assert_eq!(ran, run(&bytes, arguments).expect("runs"));
        ran.exit
    };
    let byte = |rs1, offset| Word::i(major::LOAD, 4, A0, rs1, offset);
    for arguments in [&["p"][..], &["p", "x"], &["program", "argument", "third"]] {
        assert_eq!(status(vec![Word::i(major::OP_IMM, 7, A0, SP, 15)], arguments), 0);
        assert_eq!(usize::from(status(vec![load(A0, SP, 0)], arguments)), arguments.len());
        for (index, text) in arguments.iter().enumerate() {
            let pointer = load(T0, SP, 8 + 8 * index as i32);
            assert_eq!(status(vec![pointer, byte(T0, 0)], arguments), text.as_bytes()[0]);
            assert_eq!(status(vec![pointer, byte(T0, text.len() as i32)], arguments), 0);
        }
        // Behind the arguments: zero, no environment, and the first fact, which is what the machine can do.
        let behind = 8 + 8 * arguments.len() as i32;
        assert_eq!(status(vec![load(A0, SP, behind)], arguments), 0);
        assert_eq!(status(vec![load(A0, SP, behind + 8)], arguments), 0);
        assert_eq!(status(vec![load(A0, SP, behind + 16)], arguments), 16);
    }
}

/// Time is what was executed; random bytes are a fixed sequence.
#[test]
fn time_and_randomness_are_fixed() {
    let code = [
        vec![lui(T0, DATA as u32), addi(A0, T0, 0), addi(A1, ZERO, 8), addi(A2, ZERO, 0)],
        call(278),
        vec![addi(A0, ZERO, 1), addi(A1, T0, 16)],
        call(113),
        // The nanoseconds, and the first random byte.
        vec![
            Word::i(major::LOAD, 3, A0, T0, 24),
            Word::i(major::LOAD, 4, A1, T0, 0),
            Word::r(major::OP, 0, 0, A0, A0, A1),
        ],
        exit_a0(),
    ]
    .concat();
    let ran = run(&elf(&code, 4096), &["program"]).expect("runs");
    let again = run(&elf(&code, 4096), &["program"]).expect("runs");
    assert_eq!(ran, again);
    assert_eq!(ran.instructions, 15);
}

/// Files are refused by a world that has none; standard input is at its end.
#[test]
fn a_world_without_files() {
    let open =
        [vec![addi(A0, ZERO, -100), lui(A1, DATA as u32), addi(A2, ZERO, 0)], call(56), exit_a0()].concat();
    assert_eq!(run(&elf(&open, 4096), &["program"]).expect("runs").exit, (-2_i8) as u8);
    let read =
        [vec![addi(A0, ZERO, 0), lui(A1, DATA as u32), addi(A2, ZERO, 10)], call(63), exit_a0()].concat();
    assert_eq!(run(&elf(&read, 4096), &["program"]).expect("runs").exit, 0);
    let wrong =
        [vec![addi(A0, ZERO, 9), lui(A1, DATA as u32), addi(A2, ZERO, 10)], call(64), exit_a0()].concat();
    assert_eq!(run(&elf(&wrong, 4096), &["program"]).expect("runs").exit, (-9_i8) as u8);
}

/// `brk`, `mmap`, `mprotect` and `munmap`: written memory is there, and gone afterwards.
#[test]
fn memory_is_mapped_and_unmapped() {
    let map = |protection: i32| {
        let arguments = vec![
            addi(A0, ZERO, 0),
            lui(A1, 0x10000),
            addi(A2, ZERO, protection),
            addi(13, ZERO, 0x22),
            addi(14, ZERO, -1),
            addi(15, ZERO, 0),
        ];
        [arguments, call(222), vec![addi(S2, A0, 0)]].concat()
    };
    let write = vec![Word::s(major::STORE, 3, S2, S2, 8), Word::i(major::LOAD, 3, T1, S2, 8)];
    let good = [map(3), write.clone(), vec![Word::r(major::OP, 4, 0, A0, T1, S2)], exit_a0()].concat();
    assert_eq!(run(&elf(&good, 4096), &["program"]).expect("runs").exit, 0);
    assert!(fault(&[map(1), write.clone()].concat()).message.contains("writes to"));
    let unmap = [vec![addi(A0, S2, 0), lui(A1, 0x10000)], call(215)].concat();
    assert!(fault(&[map(3), write.clone(), unmap, write.clone()].concat()).message.contains("writes to"));
    // The heap: its end as it is, 4096 further, written at the old end.
    let grow = [
        vec![addi(A0, ZERO, 0)],
        call(214),
        vec![addi(S2, A0, 0), lui(T0, 4096), Word::r(major::OP, 0, 0, A0, A0, T0)],
        call(214),
    ]
    .concat();
    let good = [grow, write, vec![Word::r(major::OP, 4, 0, A0, T1, S2)], exit_a0()].concat();
    assert_eq!(run(&elf(&good, 4096), &["program"]).expect("runs").exit, 0);
}

/// The same stream, however many instructions are taken at once; its end is the end.
#[test]
fn streams_do_not_depend_on_batches() {
    let mut code = vec![
        lui(T0, DATA as u32),
        addi(S2, ZERO, 50),
        Word::s(major::STORE, 3, T0, S2, 0),
        Word::i(major::LOAD, 3, A1, T0, 0),
        addi(S2, S2, -1),
        Word::b(1, S2, ZERO, -12),
        Word::j(1, 8),
        ECALL,
        addi(A7, ZERO, 172),
        ECALL,
    ];
    code.extend(exit(5));
    let program = Program::read(&elf(&code, 4096)).expect("a program");
    let mut streams = Vec::new();
    for most in [1, 2, 3, 7, 64, 100_000] {
        let (mut world, control) = (Kept::default(), Control::unlimited());
        let mut emulator =
            Emulator::new(&program, &Arguments::new(["program"]), &mut world, &control).expect("loaded");
        let (mut batch, mut all, mut addresses) = (Batch::default(), Vec::new(), Vec::<u64>::new());
        while emulator.next(&mut batch, most, &control).expect("runs") {
            assert!((1..=most).contains(&batch.steps.len()), "{most}: {}", batch.steps.len());
            all.extend(
                batch.steps.iter().map(|step| (emulator.listing()[step.instruction()], step.is_taken())),
            );
            addresses.extend(&batch.addresses);
        }
        assert_eq!(emulator.exit(), Some(5));
        assert_eq!(all.len() as u64, emulator.executed());
        streams.push((all, addresses));
    }
    assert!(streams.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(streams[0].0.len(), 2 + 50 * 4 + 1 + 2 + 3);
    assert_eq!(streams[0].1, vec![DATA; 100]);
}
