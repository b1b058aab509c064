//! Traces: what is read is what was executed, and whatever is damaged is refused.

use crate::assembler::{A0, A1, DATA, S2, T0, ZERO, addi, elf, exit, lui};
use crate::support::{control_with_memory, corpus};
use volvelle_control::{Control, Stop};
use volvelle_instructions::{Batch, Class, Failure, Instruction, Listing, Register, Stream};
use volvelle_riscv::trace::bt9::Bt9;
use volvelle_riscv::trace::cbp::Cbp;
use volvelle_riscv::trace::champsim::{self, ChampSim, RECORD};
use volvelle_riscv::trace::{Form, Replay, record};
use volvelle_riscv::{Arguments, Emulator, Kept, Program, Word, major};

/// Calls, returns, loops, accesses with and without a stride.
fn small() -> Vec<u8> {
    let mut code = vec![
        lui(T0, DATA as u32),
        addi(S2, ZERO, 20),
        Word::s(major::STORE, 3, T0, S2, 0), // 8
        Word::i(major::LOAD, 4, A1, T0, 0),
        addi(T0, T0, 8),
        Word::r(0x2f, 2, 0, A0, T0, S2),
        Word::j(1, 16),
        addi(S2, S2, -1),
        Word::b(1, S2, ZERO, -24),
        Word::j(0, 12),
        Word::i(major::LOAD, 3, A1, 2, 8), // 40
        Word::i(major::JALR, 0, 0, 1, 0),
    ];
    code.extend(exit(0));
    elf(&code, 4096)
}

type All = (Vec<(Instruction, bool)>, Vec<u64>);

fn all(stream: &mut dyn Stream, most: usize) -> Result<All, Failure> {
    let (mut batch, mut steps, mut addresses) = (Batch::default(), Vec::new(), Vec::new());
    while stream.next(&mut batch, most, &Control::unlimited())? {
        assert!((1..=most).contains(&batch.steps.len()));
        steps.extend(batch.steps.iter().map(|step| (stream.listing()[step.instruction()], step.is_taken())));
        addresses.extend(&batch.addresses);
    }
    Ok((steps, addresses))
}

fn live(bytes: &[u8], arguments: &[&str]) -> All {
    let program = Program::read(bytes).expect("a program");
    let (mut world, control) = (Kept::default(), Control::unlimited());
    let mut emulator =
        Emulator::new(&program, &Arguments::new(arguments), &mut world, &control).expect("loaded");
    all(&mut emulator, 5000).expect("runs")
}

fn recorded(bytes: &[u8], arguments: &[&str]) -> Vec<u8> {
    let program = Program::read(bytes).expect("a program");
    let (mut world, control) = (Kept::default(), Control::unlimited());
    let mut emulator =
        Emulator::new(&program, &Arguments::new(arguments), &mut world, &control).expect("loaded");
    let mut trace = Vec::new();
    record(&mut emulator, Form::Own, &mut trace, &control).expect("recorded");
    trace
}

fn replayed(trace: &[u8], most: usize) -> Result<All, Failure> {
    all(&mut Replay::new(trace)?, most)
}

fn message(failure: Failure) -> String {
    match failure {
        Failure::Faulty(diagnostic) => {
            assert_eq!(diagnostic.code.to_string(), "V2009");
            assert!(!diagnostic.helps.is_empty());
            diagnostic.message
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn recorded_is_live() {
    let trace = recorded(&small(), &["program"]);
    let live = live(&small(), &["program"]);
    for most in [1, 3, 1000] {
        assert_eq!(replayed(&trace, most).expect("read"), live);
    }
}

/// All programs of the golden set, below a byte for an instruction.
#[test]
fn recorded_programs() {
    let Some(folder) = corpus() else { return };
    for name in ["quicksort", "matmul", "hashtable", "pchase", "queens"] {
        let bytes = std::fs::read(folder.join("programs").join(format!("{name}.elf"))).expect("a program");
        let trace = recorded(&bytes, &[name]);
        let live = live(&bytes, &[name]);
        assert_eq!(replayed(&trace, 10_000).expect("read"), live, "{name}");
        let each = trace.len() as f64 / live.0.len() as f64;
        assert!(each < 1.0, "{name}: {each} bytes for an instruction");
    }
}

/// Cut at any byte, or changed in any bit: refused, with what was read before.
#[test]
fn damaged_traces() {
    let trace = recorded(&small(), &["program"]);
    for length in 0..trace.len() {
        let failure = replayed(&trace[..length], 100).expect_err("it is cut");
        assert!(message(failure).contains("cut short"), "{length}");
    }
    for at in 0..trace.len() {
        for bit in 0..8 {
            let mut changed = trace.clone();
            changed[at] ^= 1 << bit;
            message(replayed(&changed, 100).expect_err("it is changed"));
        }
    }
    let longer = [trace.as_slice(), b"x"].concat();
    assert!(message(replayed(&longer, 100).expect_err("it is too long")).contains("behind its end"));
    let mut newer = trace;
    newer[7] = 9;
    assert!(message(replayed(&newer, 100).expect_err("another version")).contains("version 9"));
}

/// Limits hold while a trace is read.
#[test]
fn traces_have_limits() {
    let trace = recorded(&small(), &["program"]);
    let mut replay = Replay::new(trace.as_slice()).expect("a trace");
    let read = replay.next(&mut Batch::default(), 100, &control_with_memory(10));
    assert!(matches!(read, Err(Failure::Stopped(Stop::Memory))));
}

/// Through ChampSim's records: addresses, kinds of jumps, outcomes, registers and accesses are as they were.
#[test]
fn champsim_and_back() {
    let program = Program::read(&small()).expect("a program");
    let (mut world, control) = (Kept::default(), Control::unlimited());
    let mut emulator =
        Emulator::new(&program, &Arguments::new(["program"]), &mut world, &control).expect("loaded");
    let (mut batch, mut records) = (Batch::default(), Vec::new());
    while emulator.next(&mut batch, 100, &control).expect("runs") {
        champsim::write(emulator.listing(), &batch, &mut records);
    }
    let (steps, addresses) = live(&small(), &["program"]);
    assert_eq!(records.len(), steps.len() * RECORD);
    let (read, read_addresses) = all(&mut ChampSim::new(records.as_slice()), 10).expect("read");
    assert_eq!(read_addresses, addresses);
    // What a record does not have: units, lengths and sizes.
    let kept = |(instruction, is_taken): &(Instruction, bool)| {
        let class = match instruction.class {
            Class::Mul | Class::Div | Class::Fp => Class::Alu,
            class => class,
        };
        let mut sources = instruction.sources;
        sources.sort_by_key(|register| std::cmp::Reverse(register.0 != 0));
        // Calls write three registers, of which two fit.
        let is_call = matches!(class, Class::Call | Class::IndirectCall);
        let destination = if is_call { Register::NONE } else { instruction.destination };
        (instruction.pc, class, sources, destination, *is_taken)
    };
    assert_eq!(read.iter().map(kept).collect::<Vec<_>>(), steps.iter().map(kept).collect::<Vec<_>>());
    for length in (1..records.len()).filter(|length| length % RECORD != 0).take(300) {
        message(all(&mut ChampSim::new(&records[..length]), 10).expect_err("it is cut"));
    }
}

/// Every class and every register survives a record.
#[test]
fn champsim_classes_and_registers() {
    use Class::{Alu, Atomic, Branch, Call, IndirectCall, IndirectJump, Jump, Load, Return, Store};
    for class in [Alu, Load, Store, Atomic, Branch, Jump, IndirectJump, Call, IndirectCall, Return] {
        for number in 1..64 {
            let sources = match class {
                Jump | Call => [Register::NONE; 3],
                _ => [Register(number), Register::NONE, Register::NONE],
            };
            let destination = if matches!(class, Alu | Load) { Register(number) } else { Register::NONE };
            let instruction = Instruction { class, sources, destination, ..Instruction::at(4) };
            let mut listing = Listing::default();
            let mut batch = Batch::default();
            batch.steps.push(volvelle_instructions::Step::new(
                listing.number(instruction),
                class.transfers_control(),
            ));
            if class.accesses_memory() {
                batch.addresses.push(0x1234);
            }
            let mut bytes = Vec::new();
            champsim::write(&listing, &batch, &mut bytes);
            let (read, addresses) = all(&mut ChampSim::new(bytes.as_slice()), 10).expect("read");
            assert_eq!(read.len(), 1);
            assert_eq!(
                (read[0].0.class, read[0].0.sources, read[0].1),
                (class, sources, class.transfers_control())
            );
            assert_eq!(read[0].0.destination, destination);
            assert_eq!(addresses, batch.addresses);
        }
    }
}

/// A load, a store with a base that is updated, a branch, and an operation on vectors, as the championship of 2025 writes them.
#[test]
fn championship_of_2025() {
    let mut bytes = Vec::new();
    let pc = |bytes: &mut Vec<u8>, value: u64| bytes.extend(value.to_le_bytes());
    pc(&mut bytes, 0x1000);
    bytes.push(1);
    bytes.extend(0x8000_u64.to_le_bytes());
    bytes.extend([8, 0, 1, 31, 1, 5]);
    bytes.extend([0; 8]);
    pc(&mut bytes, 0x1004);
    bytes.push(2);
    bytes.extend(0x8008_u64.to_le_bytes());
    bytes.extend([4, 1, 0, 2, 5, 65, 1, 31]);
    bytes.extend([0; 8]);
    pc(&mut bytes, 0x1008);
    bytes.extend([6, 1, 33, 1, 34]);
    bytes.extend([0; 16]);
    pc(&mut bytes, 0x100c);
    bytes.extend([3, 1]);
    bytes.extend(0x1000_u64.to_le_bytes());
    bytes.extend([1, 64, 0]);
    pc(&mut bytes, 0x1000);
    bytes.extend([3, 0, 0, 0]);
    let (read, addresses) = all(&mut Cbp::new(bytes.as_slice()), 2).expect("read");
    let found: Vec<_> = read
        .iter()
        .map(|(one, is_taken)| (one.pc, one.class, one.size, one.destination.0, one.sources[0].0, *is_taken))
        .collect();
    assert_eq!(
        found,
        [
            (0x1000, Class::Load, 8, 5, 31, false),
            (0x1004, Class::Store, 4, 31, 5, false),
            (0x1008, Class::Fp, 0, 34, 33, false),
            (0x100c, Class::Branch, 0, 0, 62, true),
            (0x1000, Class::Branch, 0, 0, 0, false),
        ]
    );
    assert_eq!(addresses, [0x8000, 0x8008]);
    let ends = [31, 64, 93, 114];
    for length in 1..bytes.len() {
        let read = all(&mut Cbp::new(&bytes[..length]), 10);
        assert_eq!(read.is_ok(), ends.contains(&length), "{length}");
    }
    bytes[8] = 99;
    assert!(message(all(&mut Cbp::new(bytes.as_slice()), 2).expect_err("no class")).contains("class 99"));
}

const BT9: &str = "BT9_SPA_TRACE_FORMAT
bt9_minor_version: 0
has_physical_address: 0
total_instruction_count: 9 # all
BT9_NODES
#NODE id virtual_address physical_address opcode size
NODE 0 0 - 0 0
NODE 1 0x1000 - 0x1 4 class: JMP+DIR+CND behavior: DYN taken_cnt: 2 not_taken_cnt: 1 tgt_cnt: 1
NODE 2 0x1010 - 0x2 4 class: RET+IND+UCD behavior: AT taken_cnt: 1 not_taken_cnt: 0 tgt_cnt: 1
BT9_EDGES
#EDGE id src dest taken target phy inst traverse
EDGE 0 0 1 T 0x0ffc - 1 1
EDGE 1 1 1 T 0x0ff8 - 2 1
EDGE 2 1 2 N 0x0ff8 - 3 1
EDGE 3 2 0 T 0x2000 - 0 1
BT9_EDGE_SEQUENCE
0
1
2
3
EOF
";

#[test]
fn championship_of_2016() {
    let (read, addresses) = all(&mut Bt9::new(BT9.as_bytes()), 4).expect("read");
    let found: Vec<_> = read.iter().map(|(one, is_taken)| (one.pc, one.class, *is_taken)).collect();
    let plain = |pc| (pc, Class::Alu, false);
    assert_eq!(
        found,
        [
            plain(0xffc),
            (0x1000, Class::Branch, true),
            plain(0xff8),
            plain(0xffc),
            (0x1000, Class::Branch, false),
            plain(0x1004),
            plain(0x1008),
            plain(0x100c),
            (0x1010, Class::Return, true),
        ]
    );
    assert!(addresses.is_empty());
    for length in 0..BT9.len() - 4 {
        assert!(all(&mut Bt9::new(&BT9.as_bytes()[..length]), 4).is_err(), "{length}");
    }
    for (from, to, expected) in [
        ("EDGE 1 1", "EDGE 1 7", "line 13"),
        ("JMP+DIR+CND", "JUMP", "line 8"),
        ("\n3\n", "\n4\n", "line 20"),
        ("EDGE 2 1 2 N", "EDGE 2 1 2 X", "line 14"),
        ("- 3 1", "- 99999999999 1", "line 14"),
    ] {
        let text = BT9.replace(from, to);
        assert!(
            message(all(&mut Bt9::new(text.as_bytes()), 4).expect_err(from)).contains(expected),
            "{from}"
        );
    }
}
