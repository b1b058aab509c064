//! Wrong paths: what they hold, and that they leave no trace.

use crate::assembler::{
    A0, A1, A2, CODE, DATA, ECALL, FENCE_I, S2, T0, T1, ZERO, addi, elf, exit, exit_a0, lui,
};
use crate::random::{Random, program};
use crate::support::{corpus, run};
use std::collections::HashSet;
use volvelle_control::{Control, Limits};
use volvelle_instructions::{Batch, Failure, Stream};
use volvelle_riscv::{Arguments, Emulator, Hashes, Kept, Program, Word, major};

/// An executed instruction: its address and length, whether it jumped, and what it has accessed.
type Step = (u64, u8, bool, Option<u64>);

/// What was executed, the wrong path of each transfer with the number of its step, how it ended, and what was printed.
#[derive(Debug, PartialEq, Eq)]
struct Followed {
    steps: Vec<Step>,
    hashes: Hashes,
    paths: Vec<(usize, Vec<Step>)>,
    end: String,
    out: Vec<u8>,
}

/// Runs at most so many instructions.
fn follow(bytes: &[u8], length: usize, most: usize, at_once: usize) -> Followed {
    let program = Program::read(bytes).expect("a program");
    let mut world = Kept::default();
    let limits = Limits { memory_bytes: Some(32 << 20), ..Limits::default() };
    let control = Control { limits, ..Control::unlimited() };
    let mut emulator = Emulator::new(&program, &Arguments::new(["p"]), &mut world, &control).expect("loaded");
    assert!(emulator.follow_wrong_paths(length));
    let (mut batch, mut steps, mut paths) = (Batch::default(), Vec::<Step>::new(), Vec::new());
    let mut hashes = Hashes::default();
    let end = loop {
        let more = emulator.next(&mut batch, at_once.min(most - steps.len()), &control);
        let listing = emulator.listing();
        hashes.add(listing, &batch);
        let told = |of: &[volvelle_instructions::Step], addresses: &[u64]| -> Vec<Step> {
            let mut addresses = addresses.iter().copied();
            let all = of
                .iter()
                .map(|step| {
                    let instruction = &listing[step.instruction()];
                    let address = instruction.class.accesses_memory().then(|| addresses.next().expect("one"));
                    (instruction.pc, instruction.length, step.is_taken(), address)
                })
                .collect();
            assert_eq!(addresses.next(), None);
            all
        };
        if length > 0 {
            let transfers = batch.steps.iter().enumerate();
            let transfers = transfers.filter(|(_, at)| listing[at.instruction()].class.transfers_control());
            let transfers: Vec<usize> = transfers.map(|(at, _)| at + steps.len()).collect();
            assert_eq!(batch.wrong.ends.len(), transfers.len());
            paths.extend(transfers.into_iter().enumerate().map(|(number, at)| {
                let (of, addresses) = batch.wrong.of(number);
                (at, told(of, addresses))
            }));
        } else {
            assert!(batch.wrong.steps.is_empty() && batch.wrong.ends.is_empty());
        }
        steps.extend(told(&batch.steps, &batch.addresses));
        break match more {
            Ok(true) if steps.len() < most => continue,
            Ok(true) => "budget".to_owned(),
            Ok(false) => format!("{:?}", emulator.exit()),
            Err(Failure::Faulty(diagnostic)) => diagnostic.message,
            Err(Failure::Stopped(stop)) => stop.to_string(),
        };
    };
    Followed { steps, hashes, paths, end, out: world.out }
}

fn load(rd: u32, rs1: u32, offset: i32) -> Word {
    Word::i(major::LOAD, 3, rd, rs1, offset)
}

fn store(rs1: u32, rs2: u32, offset: i32) -> Word {
    Word::s(major::STORE, 3, rs1, rs2, offset)
}

fn atomic(function: u32, rd: u32, rs1: u32, rs2: u32) -> Word {
    Word::r(major::AMO, 3, function << 2, rd, rs1, rs2)
}

/// The program stores, reserves and branches; what its wrong path stores, reserves and notes is seen there and nowhere else.
#[test]
fn a_wrong_path_sees_its_own_stores_and_leaves_none() {
    let before = vec![
        lui(T0, DATA as u32),
        addi(T1, T0, 64),
        addi(A1, ZERO, 5),
        store(T0, A1, 0),
        atomic(2, A2, T0, ZERO), // lr
        Word::b(0, A1, ZERO, 4 * 8),
    ];
    // a0 = the sum of: what `sc` says, flags, what memory holds, and 1 from what the wrong path tries to overwrite.
    let right = vec![
        atomic(3, A0, T0, A1), // sc: 0
        Word::i(major::SYSTEM, 2, A2, ZERO, 1),
        Word::r(major::OP, 0, 0, A0, A0, A2),
        load(A2, T0, 0),
        Word::r(major::OP, 0, 0, A0, A0, A2),
        addi(A0, A0, 1),
        Word::j(ZERO, 4 * 15),
    ];
    let wrong = vec![
        store(T0, T1, 0),
        load(A2, T0, 0),
        load(S2, A2, 0), // from t0 + 64
        addi(S2, ZERO, 128),
        Word::s(major::STORE, 0, T0, S2, 0),
        load(A2, T0, 0), // t0 + 128
        load(S2, A2, 0),
        atomic(2, S2, T1, ZERO), // lr
        atomic(3, S2, T1, A2),   // sc: succeeds
        load(A2, T1, 0),         // t0 + 128
        atomic(0, S2, A2, S2),   // there
        Word::i(major::SYSTEM, 5, ZERO, 31, 1),
        lui(A2, CODE as u32),
        Word::s(major::STORE, 2, A2, ZERO, 4 * 11),
    ];
    let length = before.len() + right.len();
    let mut code = [before, right, wrong.clone(), exit_a0()].concat();
    assert_eq!(code.len(), length + wrong.len() + 2);
    let bytes = elf(&code, 4096);
    let followed = follow(&bytes, 32, 1000, 1000);
    assert_eq!(followed.end, "Some(6)");
    let (at, path) = &followed.paths[0];
    assert_eq!(*at, 5);
    let pcs: Vec<u64> = path.iter().map(|step| step.0).collect();
    // The call that would end the program ends the path.
    let start = CODE + 4 * length as u64;
    let expected: Vec<u64> = (0..wrong.len() as u64 + 1).map(|index| start + 4 * index).collect();
    assert_eq!(pcs, expected);
    let addresses: Vec<u64> = path.iter().filter_map(|step| step.3).collect();
    let (a, b, c) = (DATA, DATA + 64, DATA + 128);
    assert_eq!(addresses, [a, a, b, a, a, c, b, b, b, c, CODE + 44]);
    // The jump over the wrong path has as its own wrong path what is behind it.
    let (at, path) = &followed.paths[1];
    assert_eq!((*at, path[0].0), (12, start));
    // Shorter ones are their beginning.
    let short = follow(&bytes, 3, 1000, 1000);
    assert_eq!(short.paths[0].1, followed.paths[0].1[..3]);
    // `fence.i`, an illegal instruction, and a jump to nowhere end a path.
    for end in [FENCE_I, Word(0), Word::i(major::JALR, 0, 0, ZERO, 64)] {
        code[length + 2] = end;
        let path = &follow(&elf(&code, 4096), 32, 1000, 1000).paths[0].1;
        assert_eq!(path.len(), if end.major() == major::JALR { 3 } else { 2 });
    }
}

/// Reading and writing a page that was never written makes none; where nothing is, the path ends.
#[test]
fn wrong_paths_take_no_memory() {
    let stride = 1 << 20;
    let mut code = vec![lui(T0, DATA as u32), lui(T1, stride), Word::b(0, ZERO, ZERO, 12)];
    code.extend(exit(0)[..2].iter().chain(&exit(3)));
    // Not taken: behind the branch there is a walk over data.
    let walk = [store(T0, T0, 8), load(A0, T0, 16), Word::r(major::OP, 0, 0, T0, T0, T1), Word::j(ZERO, -12)];
    code.splice(3..5, walk);
    code[2] = Word::b(0, ZERO, ZERO, 4 * 5);
    let program = Program::read(&elf(&code, 10 * u64::from(stride))).expect("a program");
    let (mut world, control) = (Kept::default(), Control::unlimited());
    let mut emulator = Emulator::new(&program, &Arguments::new(["p"]), &mut world, &control).expect("loaded");
    emulator.follow_wrong_paths(1000);
    let before = emulator.bytes();
    let mut batch = Batch::default();
    assert!(emulator.next(&mut batch, 100, &control).expect("runs"));
    // Ten rounds; the store of the eleventh is outside.
    assert_eq!(batch.wrong.of(0).0.len(), 40);
    assert_eq!(emulator.exit(), Some(3));
    assert!(emulator.bytes() - before < 100_000, "{} {before}", emulator.bytes());
}

/// A random program that goes on for long: registers below 8 stay where data are, and 8 and 9 are addresses of code.
fn lively(random: &mut Random) -> Vec<Word> {
    let mut code: Vec<Word> = (1..8).map(|rd| lui(rd, random.pick(&[DATA as u32, 0x2_1000]))).collect();
    code.extend([lui(8, CODE as u32), lui(9, CODE as u32)]);
    code.extend((10..32).map(|rd| addi(rd, 0, random.below(100) as i32 - 50)));
    let start = code.len() as i32;
    for at in start..start + 100 {
        let (value, other) = (10 + random.below(22) as u32, 10 + random.below(22) as u32);
        let (rd, base) = (10 + random.below(22) as u32, 1 + random.below(7) as u32);
        let (place, size) = (random.below(256) as i32, random.below(4) as u32);
        let target = start + random.below(100) as i32;
        code.push(match random.below(16) {
            0..=3 => Word::b(random.pick(&[0, 1, 4, 5, 6, 7]), value, other, 4 * (target - at)),
            4 => Word::j(random.pick(&[0, 0, 1, rd]), 4 * (target - at)),
            5 => Word::i(major::JALR, 0, random.pick(&[0, rd]), 8, 4 * target),
            6 | 7 => Word::i(major::LOAD, size, rd, base, place),
            8 | 9 => Word::s(major::STORE, size, base, value, place),
            10 => atomic(random.pick(&[0, 1, 2, 3, 4, 8]), rd, base, value),
            11 => Word::r(major::OP_FP, 7, random.pick(&[1, 5, 9, 13]), rd, value, other),
            12 => Word::r(major::OP_FP, 7, 0x69, rd, value, 0),
            13 => Word::i(major::SYSTEM, random.pick(&[1, 2]), rd, value, random.pick(&[1, 0xc02, 3])),
            // Two of 16 bits: a branch over the other, and nothing.
            14 => Word(
                0xc001 | (random.below(2) as u32) << 13 | (random.below(8) as u32) << 7 | 1 << 4 | 1 << 16,
            ),
            _ => Word::r(major::OP, random.below(8) as u32, random.pick(&[0, 1]), rd, value, other),
        });
    }
    code
}

/// With wrong paths or without, the same is executed; and they do not depend on how many instructions are taken at once.
#[test]
fn wrong_paths_change_nothing() {
    let mut random = Random(17);
    let mut on_wrong_paths = 0;
    for case in 0..600 {
        let make = if case % 3 == 0 { program } else { lively };
        let bytes = elf(&make(&mut random), 8192);
        let at_once = 1 + random.below(40) as usize;
        let without = follow(&bytes, 0, 1000, 1000);
        let with = follow(&bytes, 32, 1000, 1000);
        assert_eq!(with, follow(&bytes, 32, 1000, at_once), "case {case}, {at_once} at once");
        on_wrong_paths += with.paths.iter().map(|path| path.1.len()).sum::<usize>();
        assert_eq!(Followed { paths: Vec::new(), ..with }, without, "case {case}");
    }
    assert!(on_wrong_paths > 100_000, "{on_wrong_paths}");
}

/// The instruction that goes the other way, if there is one: a branch under the opposite condition, or nothing in place of a jump that notes no return.
fn inverted(bytes: &[u8]) -> Option<Vec<u8>> {
    let half = u16::from_le_bytes([bytes[0], bytes[1]]);
    if half & 3 != 3 {
        return match (half & 3, half >> 13) {
            (1, 6 | 7) => Some((half ^ 1 << 13).to_le_bytes().to_vec()),
            (1, 5) => Some(1_u16.to_le_bytes().to_vec()),
            _ => None,
        };
    }
    let word = Word(u32::from_le_bytes(bytes[..4].try_into().expect("four")));
    match word.major() {
        major::BRANCH => Some((word.0 ^ 1 << 12).to_le_bytes().to_vec()),
        major::JAL | major::JALR if word.rd() == 0 => Some(addi(0, 0, 0).0.to_le_bytes().to_vec()),
        _ => None,
    }
}

/// A second program that goes the other way at a transfer that is executed for the first time executes its wrong path, up to where it comes to the transfer
/// again, or where the two programs can tell that they are not the same.
#[test]
fn wrong_paths_are_what_the_other_program_executes() {
    const LENGTH: usize = 32;
    const HEADERS: u64 = 64 + 2 * 56;
    let mut random = Random(18);
    let (mut transfers, mut compared) = (0, 0);
    for case in 0..600 {
        let code = if case % 3 == 0 { program(&mut random) } else { lively(&mut random) };
        let (code_end, bytes) = (CODE + 4 * code.len() as u64, elf(&code, 8192));
        let is_code = |address: Option<u64>| address.is_some_and(|at| (CODE - 8..code_end).contains(&at));
        let followed = follow(&bytes, LENGTH, 300, 300);
        let mut met = HashSet::new();
        for (at, path) in &followed.paths {
            let (pc, ..) = followed.steps[*at];
            if !met.insert(pc) || !(CODE..code_end).contains(&pc) {
                continue;
            }
            // Code that was read or written may be another one there.
            if followed.steps[..*at].iter().any(|step| is_code(step.3)) {
                break;
            }
            let place = (pc - CODE + HEADERS) as usize;
            let Some(new) = inverted(&bytes[place..]) else { continue };
            let mut other = bytes.clone();
            other[place..place + new.len()].copy_from_slice(&new);
            let other = follow(&other, 0, at + 1 + LENGTH, at + 1 + LENGTH);
            assert_eq!(other.steps[..*at], followed.steps[..*at]);
            let other = &other.steps[at + 1..];
            let may_differ = |step: &Step| step.0 <= pc + 3 && pc < step.0 + 4 || is_code(step.3);
            let until = path.iter().position(may_differ);
            let same = until.unwrap_or(path.len());
            assert!(other.len() >= same, "case {case}, {pc:#x}: {path:x?}");
            assert_eq!(path[..same], other[..same], "case {case}, {pc:#x}");
            // A path that is shorter ends where the other program ends, or at a call or a fence.
            if until.is_none()
                && same < LENGTH
                && let Some(next) = other.get(same)
            {
                let place = (next.0 - CODE + HEADERS) as usize;
                let word = Word(u32::from_le_bytes(bytes[place..place + 4].try_into().expect("four")));
                let is_fence = word.major() == major::MISC_MEM && word.funct3() == 1;
                assert!(word == ECALL || is_fence || may_differ(next), "case {case}, {pc:#x}: {word:x?}");
            }
            transfers += 1;
            compared += same;
        }
    }
    assert!(transfers > 1500 && compared > 20_000, "{transfers} {compared}");
}

/// Programs of the golden set: output, status and hashes are those without wrong paths.
#[test]
fn programs_do_not_notice() {
    let Some(folder) = corpus() else { return };
    for name in ["queens", "strsearch"] {
        let bytes = std::fs::read(folder.join("programs").join(format!("{name}.elf"))).expect("a program");
        let ran = run(&bytes, &[name]).expect("runs");
        let program = Program::read(&bytes).expect("a program");
        let (mut world, control) = (Kept::default(), Control::unlimited());
        let mut emulator =
            Emulator::new(&program, &Arguments::new([name]), &mut world, &control).expect("loaded");
        emulator.follow_wrong_paths(8);
        let (mut batch, mut hashes) = (Batch::default(), Hashes::default());
        while emulator.next(&mut batch, 1 << 16, &control).expect("runs") {
            hashes.add(emulator.listing(), &batch);
        }
        assert_eq!((emulator.exit(), emulator.executed()), (Some(ran.exit), ran.instructions));
        assert_eq!((world.out, hashes), (ran.out, ran.hashes));
    }
}
