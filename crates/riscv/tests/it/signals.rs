//! Signals that a program sends itself, and those of its faults: which handlers run, in which order, with what, and where execution goes on.

use crate::assembler::{A0, A1, A2, CODE, DATA, EBREAK, S2, SP, T0, T1, ZERO, addi, call, elf, exit_a0, lui};
use crate::support::run;
use volvelle_control::Control;
use volvelle_instructions::{Batch, Failure, Stream};
use volvelle_riscv::{Arguments, Emulator, Kept, Program, Word, major};

const A3: u32 = 13;
const USER1: i32 = 10;
const ACCESS: i32 = 11;
const USER2: i32 = 12;
const PROCESS: i32 = 1000;
/// Flags of actions that fit into 12 bits, and how others are made.
const WITH_FACTS: u32 = 4;
const ON_STACK: u32 = 0x0800_0000;
const NO_DEFER: u32 = 0x4000_0000;
const RESET: u32 = 0x8000_0000;
/// Where handlers write down what they see, an entry of eight bytes each; the number of entries is before them.
const LOG: i32 = 512;
/// Code of handlers begins behind so many words.
const HANDLERS: usize = 200;

fn load(rd: u32, rs1: u32, offset: i32) -> Word {
    Word::i(major::LOAD, 3, rd, rs1, offset)
}

fn store(rs1: u32, rs2: u32, offset: i32) -> Word {
    Word::s(major::STORE, 3, rs1, rs2, offset)
}

fn add(rd: u32, rs1: u32, rs2: u32) -> Word {
    Word::r(major::OP, 0, 0, rd, rs1, rs2)
}

/// `rt_sigaction` with the handler that begins some words behind the beginning of all.
fn act(signal: i32, handler: usize, flags: u32, mask: i32) -> Vec<Word> {
    let handler = 4 * (HANDLERS + handler) as i32;
    let set = vec![
        lui(T0, DATA as u32),
        lui(T1, CODE as u32),
        addi(T1, T1, handler),
        store(T0, T1, 0),
        lui(T1, flags & !0xfff),
        addi(T1, T1, (flags & 0xfff) as i32),
        store(T0, T1, 8),
        addi(T1, ZERO, mask),
        store(T0, T1, 16),
        addi(A0, ZERO, signal),
        addi(A1, T0, 0),
        addi(A2, ZERO, 0),
        addi(A3, ZERO, 8),
    ];
    [set, call(134)].concat()
}

/// `tgkill` to itself.
fn raise(signal: i32) -> Vec<Word> {
    [vec![addi(A0, ZERO, PROCESS), addi(A1, ZERO, PROCESS), addi(A2, ZERO, signal)], call(131)].concat()
}

/// `rt_sigprocmask` with signals below 32.
fn block(how: i32, mask: u32) -> Vec<Word> {
    let set = vec![
        lui(T0, DATA as u32),
        lui(T1, mask.wrapping_add(0x800)),
        addi(T1, T1, (mask << 20) as i32 >> 20),
        store(T0, T1, 32),
        addi(A0, ZERO, how),
        addi(A1, T0, 32),
        addi(A2, ZERO, 0),
        addi(A3, ZERO, 8),
    ];
    [set, call(135)].concat()
}

/// Writes a register into the log, through registers that nobody else uses.
fn note(register: u32) -> Vec<Word> {
    let (base, count, place) = (28, 29, 30);
    vec![
        lui(base, DATA as u32),
        load(count, base, LOG),
        addi(count, count, 8),
        store(base, count, LOG),
        add(place, base, count),
        store(place, register, LOG),
    ]
}

fn back() -> Word {
    Word::i(major::JALR, 0, ZERO, 1, 0)
}

/// A program with handlers behind it.
fn with_handlers(main: &[Vec<Word>], handlers: &[Word]) -> Vec<u8> {
    let mut code = main.concat();
    assert!(code.len() <= HANDLERS, "{}", code.len());
    code.resize(HANDLERS, EBREAK);
    code.extend(handlers);
    elf(&code, 1 << 16)
}

/// The end of main: the status is `x` of the log's entries.
fn exit_with(x: Vec<Word>) -> Vec<Word> {
    [vec![lui(S2, DATA as u32)], x, exit_a0()].concat()
}

/// A handler that notes its signal.
fn notes_signal() -> Vec<Word> {
    [note(A0), vec![back()]].concat()
}

/// 10 times the first entry of the log and the second.
fn first_two() -> Vec<Word> {
    exit_with(vec![
        load(A0, S2, LOG + 8),
        load(T1, S2, LOG + 16),
        addi(T0, ZERO, 10),
        Word::r(major::OP, 0, 1, A0, A0, T0),
        add(A0, A0, T1),
    ])
}

fn message(bytes: &[u8]) -> String {
    match run(bytes, &["p"]) {
        Err(Failure::Faulty(diagnostic)) => diagnostic.message,
        other => panic!("{other:?}"),
    }
}

/// The handler gets the signal, facts and context, and may do with registers what it wants: they are as before when it has returned.
#[test]
fn a_handler_runs_and_returns() {
    let flags = Word::i(major::SYSTEM, 5, ZERO, 3, 1);
    let handler = [
        vec![Word::i(major::LOAD, 2, S2, A1, 16), add(S2, S2, A0)], // sender + signal
        note(S2),
        vec![load(S2, A2, 176 + 8 * T1 as i32), Word::i(major::SYSTEM, 5, ZERO, 31, 1)],
        note(S2),
        vec![addi(T1, ZERO, 3), addi(A0, ZERO, 77), back()],
    ]
    .concat();
    let main = [
        act(USER1, 0, WITH_FACTS, 0),
        vec![addi(T1, ZERO, 55), flags],
        raise(USER1),
        // What `tgkill` answers, the register, flags, and entries of the log: 0 + 55 + 3 + 1010 + 55.
        vec![add(A0, A0, T1), Word::i(major::SYSTEM, 2, T1, ZERO, 1), add(A0, A0, T1)],
        exit_with(vec![load(T1, S2, LOG + 8), add(A0, A0, T1), load(T1, S2, LOG + 16), add(A0, A0, T1)]),
    ];
    let ran = run(&with_handlers(&main, &handler), &["p"]).expect("runs");
    assert_eq!(u64::from(ran.exit), (55 + 3 + 1010 + 55) % 256);
    // Two instructions are those that the handler returns to.
    assert_eq!(ran.instructions as usize, main.concat().len() + handler.len() + 2);
}

/// What is blocked waits, once each; then the lowest number is delivered first, and the last handler that is entered runs first.
#[test]
fn blocked_signals_wait() {
    let masks = 1 << (USER1 - 1) | 1 << (USER2 - 1);
    let main = [
        act(USER1, 0, 0, 0),
        act(USER2, 0, 0, 0),
        block(0, masks),
        [raise(USER2), raise(USER1), raise(USER1)].concat(),
        block(1, masks),
        first_two(),
    ];
    let ran = run(&with_handlers(&main, &notes_signal()), &["p"]).expect("runs");
    assert_eq!(u16::from(ran.exit), 12 * 10 + 10);
    // With a mask of its own, the first one runs undisturbed.
    let mut masked = main;
    masked[0] = act(USER1, 0, 0, -1);
    let ran = run(&with_handlers(&masked, &notes_signal()), &["p"]).expect("runs");
    assert_eq!(u16::from(ran.exit), 10 * 10 + 12);
}

/// A signal is blocked in its own handler, unless its action says otherwise; and an action may be for once.
#[test]
fn flags_of_actions() {
    // The handler notes 1, sends the signal again if that is the first time, and notes 2.
    let handler = [
        vec![addi(S2, ZERO, 1)],
        note(S2),
        vec![addi(S2, ZERO, 8), Word::b(1, 29, S2, 4 * 6)],
        raise(USER1),
        vec![addi(S2, ZERO, 2)],
        note(S2),
        vec![back()],
    ]
    .concat();
    for (flags, expected) in [(0, 10 + 2), (NO_DEFER, 10 + 1)] {
        let main = [act(USER1, 0, flags, 0), raise(USER1), first_two()];
        assert_eq!(run(&with_handlers(&main, &handler), &["p"]).expect("runs").exit, expected);
    }
    let main = [act(USER1, 0, RESET, 0), raise(USER1), raise(USER1), first_two()];
    assert!(message(&with_handlers(&main, &notes_signal())).contains("signal 10 (user)"));
    // Nothing can be done about these.
    for signal in [0, 9, 19, 65] {
        let main = [act(signal, 0, 0, 0), exit_a0()];
        assert_eq!(run(&with_handlers(&main, &[]), &["p"]).expect("runs").exit, (-22_i8) as u8);
    }
}

/// A handler gets faults, with the address, and may let execution go on elsewhere.
#[test]
fn faults_have_handlers() {
    // Notes the address of the fault, and goes on behind the instruction.
    let handler = [
        vec![load(S2, A1, 16)],
        note(S2),
        vec![load(T1, A2, 176), addi(T1, T1, 4), store(A2, T1, 176), back()],
    ]
    .concat();
    let faults: [(i32, Word, Option<u64>); 4] = [
        (ACCESS, load(A0, ZERO, 40), Some(40)),
        (ACCESS, store(ZERO, A0, 48), Some(48)),
        (4, Word(0xffff_ffff), None),
        (5, EBREAK, None),
    ];
    for (signal, fault, address) in faults {
        let before = [act(signal, 0, WITH_FACTS, 0), vec![addi(ZERO, ZERO, 0)]].concat();
        let address = address.unwrap_or(CODE + 4 * before.len() as u64);
        let main = |before: &[Word]| [before.to_vec(), vec![fault], exit_with(vec![load(A0, S2, LOG + 8)])];
        let ran = run(&with_handlers(&main(&before), &handler), &["p"]).expect("runs");
        assert_eq!(u64::from(ran.exit), address % 256);
        // Blocked or without a handler it ends the program, and says where.
        let blocked = [before, block(0, 1 << (signal - 1))].concat();
        let place = format!("at {:#x}", CODE + 4 * blocked.len() as u64);
        assert!(message(&with_handlers(&main(&blocked), &handler)).contains(&place));
    }
    // To nowhere: the handler goes on at the address in `ra`.
    let handler = [vec![load(T1, A2, 176 + 8), store(A2, T1, 176), back()]].concat();
    let jump = vec![addi(T0, ZERO, 64), Word::i(major::JALR, 0, 1, T0, 0), addi(A0, ZERO, 9)];
    let main = [act(ACCESS, 0, 0, 0), jump, exit_a0()];
    assert_eq!(run(&with_handlers(&main, &handler), &["p"]).expect("runs").exit, 9);
}

/// A handler that cannot even begin is entered again and again until the stack is full, or is entered once if its signal is blocked then.
#[test]
fn handlers_that_fault() {
    for flags in [0, NO_DEFER] {
        let main = [act(ACCESS, 0, flags, 0), vec![load(A0, ZERO, 40)]];
        let text = message(&with_handlers(&main, &[load(A0, ZERO, 80)]));
        assert!(text.contains("reads from 0x50"), "{text}");
    }
}

/// Handlers may have a stack of their own.
#[test]
fn another_stack() {
    let set = vec![
        lui(T0, DATA as u32),
        lui(T1, 0x4000),
        add(T1, T1, T0),
        store(T0, T1, 64),
        store(T0, ZERO, 72),
        lui(T1, 0x1000),
        store(T0, T1, 80),
        addi(A0, T0, 64),
        addi(A1, ZERO, 0),
    ];
    let handler = [note(SP), vec![back()]].concat();
    let main = |flags| {
        [
            [set.clone(), call(132)].concat(),
            act(USER1, 0, flags, 0),
            raise(USER1),
            exit_with(vec![load(A0, S2, LOG + 8), Word::i(major::OP_IMM, 5, A0, A0, 12)]),
        ]
    };
    let exit = |flags| run(&with_handlers(&main(flags), &handler), &["p"]).expect("runs").exit;
    assert_eq!(exit(ON_STACK), ((DATA + 0x4000) >> 12) as u8);
    assert_eq!(exit(0), (0x3f_ffff_e000_u64 >> 12) as u8);
}

/// Waiting for a signal that waits already takes it; for one that nobody sends, ends the program.
#[test]
fn waiting() {
    let wait = |number| {
        let arguments = match number {
            133 => vec![addi(A0, T0, 40), addi(A1, ZERO, 8)],
            _ => vec![addi(A0, T0, 32), addi(A1, ZERO, 0), addi(A2, ZERO, 0), addi(A3, ZERO, 8)],
        };
        [arguments, call(number)].concat()
    };
    let before = [act(USER1, 0, 0, 0), block(0, 1 << (USER1 - 1)), raise(USER1)].concat();
    let bytes = with_handlers(&[before.clone(), wait(137), exit_a0()], &notes_signal());
    assert_eq!(run(&bytes, &["p"]).expect("runs").exit, USER1 as u8);
    // `rt_sigsuspend` runs the handler, and is interrupted.
    let bytes = with_handlers(&[before.clone(), wait(133), exit_a0()], &notes_signal());
    assert_eq!(run(&bytes, &["p"]).expect("runs").exit, (-4_i8) as u8);
    // Afterwards the signal is blocked as before.
    let again = [before, wait(133), raise(USER1), exit_a0()];
    assert_eq!(run(&with_handlers(&again, &notes_signal()), &["p"]).expect("runs").exit, 0);
    for number in [133, 137] {
        let bytes = with_handlers(&[act(USER1, 0, 0, 0), wait(number)], &notes_signal());
        assert!(message(&bytes).contains("waits for a signal that nobody sends at"));
    }
}

/// The stream is the same however much is taken at once, also where a fault goes to a handler before anything was executed.
#[test]
fn streams_have_handlers() {
    let handler = [note(A0), vec![load(T1, A2, 176), addi(T1, T1, 4), store(A2, T1, 176), back()]].concat();
    let faults = [vec![EBREAK, EBREAK], raise(5), vec![addi(ZERO, ZERO, 0)]].concat();
    let bytes = with_handlers(&[act(5, 0, 0, 0), faults, first_two()], &handler);
    let program = Program::read(&bytes).expect("a program");
    let mut streams = Vec::new();
    for (most, length) in [(1, 0), (1, 8), (3, 8), (1000, 0)] {
        let (mut world, control) = (Kept::default(), Control::unlimited());
        let mut emulator =
            Emulator::new(&program, &Arguments::new(["p"]), &mut world, &control).expect("loaded");
        emulator.follow_wrong_paths(length);
        let (mut batch, mut all) = (Batch::default(), Vec::new());
        while emulator.next(&mut batch, most, &control).expect("runs") {
            assert!((1..=most).contains(&batch.steps.len()));
            all.extend(batch.steps.iter().map(|step| emulator.listing()[step.instruction()].pc));
        }
        assert_eq!((emulator.exit(), emulator.executed()), (Some(55), all.len() as u64));
        streams.push(all);
    }
    assert!(streams.windows(2).all(|pair| pair[0] == pair[1]));
}
