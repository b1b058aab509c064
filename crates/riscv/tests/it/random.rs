//! Random programs, random calls, random files: whatever happens, nothing panics, and it happens again in the same way.

use crate::assembler::{A0, A7, DATA, ECALL, addi, elf, lui};
use crate::support::{corpus, run};
use volvelle_control::{Control, Limits};
use volvelle_instructions::{Batch, Failure, Stream};
use volvelle_riscv::{Arguments, Emulator, Hashes, Kept, Program, Word, major};

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(2_685_821_657_736_338_717)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 16) % end
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

const MAJORS: [u32; 20] = [
    major::LOAD,
    major::LOAD_FP,
    major::MISC_MEM,
    major::OP_IMM,
    major::AUIPC,
    major::OP_IMM_32,
    major::STORE,
    major::STORE_FP,
    major::AMO,
    major::OP,
    major::LUI,
    major::OP_32,
    major::MADD,
    major::MSUB,
    major::NMSUB,
    major::NMADD,
    major::OP_FP,
    major::BRANCH,
    major::JAL,
    major::JALR,
];

fn word(random: &mut Random) -> Word {
    match random.below(8) {
        0 => Word(random.next() as u32),
        // A step of a few words, forwards.
        1 => Word::b(random.pick(&[0, 1, 4, 5, 6, 7]), random.below(32) as u32, random.below(32) as u32, 8),
        2 => Word::i(
            major::SYSTEM,
            random.below(8) as u32,
            random.below(32) as u32,
            random.below(32) as u32,
            random.pick(&[0, 1, 2, 3, 0xc00]),
        ),
        _ => Word((random.next() as u32) & !0x7f | random.pick(&MAJORS)),
    }
}

/// Registers point into data and code at first, so that much of it gets somewhere; and code is written now and then.
pub fn program(random: &mut Random) -> Vec<Word> {
    let mut code: Vec<Word> =
        (1..32).map(|rd| lui(rd, random.pick(&[DATA as u32, 0x2_1000, 0x1_0000, 0x8000_0000]))).collect();
    code.extend((0..64).map(|_| word(random)));
    code
}

fn control() -> Control<'static> {
    let limits = Limits { memory_bytes: Some(32 << 20), ..Limits::default() };
    Control { limits, ..Control::unlimited() }
}

/// Runs at most so many instructions: how it ended, in words, and what was executed.
fn bounded(bytes: &[u8], most: usize, at_once: usize) -> (String, Vec<(u64, bool)>, Vec<u64>) {
    let program = Program::read(bytes).expect("a program");
    let mut world = Kept::default();
    let mut emulator =
        Emulator::new(&program, &Arguments::new(["p"]), &mut world, &control()).expect("loaded");
    let (mut batch, mut steps, mut addresses) = (Batch::default(), Vec::new(), Vec::new());
    loop {
        let more = emulator.next(&mut batch, at_once.min(most - steps.len()), &control());
        let listing = emulator.listing();
        steps.extend(batch.steps.iter().map(|step| (listing[step.instruction()].pc, step.is_taken())));
        addresses.extend(&batch.addresses);
        let end = match more {
            Ok(true) if steps.len() < most => continue,
            Ok(true) => "budget".to_owned(),
            Ok(false) => format!("{:?}", emulator.exit()),
            Err(Failure::Faulty(diagnostic)) => diagnostic.message,
            Err(Failure::Stopped(stop)) => stop.to_string(),
        };
        return (end, steps, addresses);
    }
}

#[test]
fn random_programs() {
    let mut random = Random(7);
    let mut executed = 0;
    for case in 0..3000 {
        let bytes = elf(&program(&mut random), 8192);
        let at_once = 1 + random.below(40) as usize;
        let (first, second) = (bounded(&bytes, 2000, 2000), bounded(&bytes, 2000, at_once));
        assert_eq!(first, second, "case {case}, {at_once} at once");
        executed += first.1.len();
    }
    assert!(executed > 100_000, "{executed}");
}

/// All calls with arguments of all kinds.
#[test]
fn random_calls() {
    let mut random = Random(8);
    let values = [
        0,
        1,
        2,
        3,
        4095,
        4096,
        0x2_0000,
        0x2_0800,
        0x1_0000,
        0x3f_ffff_e000,
        0x3f_0000_0000,
        u64::MAX,
        1 << 63,
        1 << 38,
        100_000,
        8,
        10,
        24,
        1000,
    ];
    for _ in 0..600 {
        // Values are taken from the beginning of the data, which the program writes itself: a constant and shifts.
        let mut code = Vec::new();
        for _ in 0..24 {
            for register in A0..A0 + 6 {
                code.extend(constant(
                    register,
                    random.pick(&values).wrapping_add(random.pick(&[0, 0, 1, u64::MAX])),
                ));
            }
            let number = match random.below(4) {
                3 => random.pick(&[129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139]),
                0 => random.below(450) as i32,
                1 => random.pick(&[214, 215, 216, 222, 226, 233]),
                _ => random.pick(&[
                    17, 23, 25, 29, 56, 57, 62, 63, 64, 65, 66, 78, 79, 80, 113, 134, 135, 160, 261, 278, 291,
                ]),
            };
            // Those that end the program are tried elsewhere.
            let number = if matches!(number, 93 | 94 | 220 | 435) { 172 } else { number };
            code.extend([addi(A7, 0, number), ECALL]);
        }
        let bytes = elf(&code, 8192);
        assert_eq!(bounded(&bytes, 5000, 5000), bounded(&bytes, 5000, 7));
    }
}

/// Any constant: 12 bits at a time.
fn constant(rd: u32, value: u64) -> Vec<Word> {
    let mut words = vec![addi(rd, 0, (value >> 60) as i32)];
    for shift in (0..60).step_by(10).rev() {
        words.push(Word::i(major::OP_IMM, 1, rd, rd, 10));
        words.push(addi(rd, rd, (value >> shift & 1023) as i32));
    }
    words
}

/// Programs of the golden set with some bytes changed.
#[test]
fn damaged_programs() {
    let Some(folder) = corpus() else { return };
    let mut random = Random(9);
    for name in ["quicksort", "matmul", "queens"] {
        let bytes = std::fs::read(folder.join("programs").join(format!("{name}.elf"))).expect("a program");
        for _ in 0..150 {
            let mut changed = bytes.clone();
            for _ in 0..4 {
                let at = random.below(changed.len() as u64) as usize;
                changed[at] = random.next() as u8;
            }
            if Program::read(&changed).is_ok() {
                let (end, steps, _) = bounded(&changed, 3000, 3000);
                assert!(!end.is_empty() && steps.len() <= 3000);
            }
        }
    }
}

/// With hashes, with a stream and without, the same is executed.
#[test]
fn observers_change_nothing() {
    let Some(folder) = corpus() else { return };
    let bytes = std::fs::read(folder.join("programs/queens.elf")).expect("a program");
    let hashed = run(&bytes, &["queens"]).expect("runs");
    let program = Program::read(&bytes).expect("a program");
    let (mut world, control) = (Kept::default(), Control::unlimited());
    let mut emulator =
        Emulator::new(&program, &Arguments::new(["queens"]), &mut world, &control).expect("loaded");
    assert_eq!(emulator.run(&control).expect("runs"), hashed.exit);
    assert_eq!(emulator.executed(), hashed.instructions);
    assert_eq!(world.out, hashed.out);
    assert_ne!(hashed.hashes, Hashes::default());
}
