//! The golden set: what was executed is the same as by QEMU.

use crate::support::{corpus, run, table};
use volvelle_riscv::Program;

/// Every form of an instruction over all pairs of operands.
#[test]
fn instruction_forms() {
    let Some(folder) = corpus() else { return };
    let mut forms = 0;
    for name in ["rv64i", "rv64m", "rv64a", "rv64f", "rv64d", "rv64c"] {
        let bytes = std::fs::read(folder.join("isa").join(format!("{name}.elf"))).expect("a program");
        let expected =
            std::fs::read_to_string(folder.join("isa").join(format!("{name}.expected"))).expect("a list");
        let ran = run(&bytes, &[name]).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
        let found = String::from_utf8(ran.out).expect("text");
        let wrong: Vec<_> = expected.lines().zip(found.lines()).filter(|(a, b)| a != b).collect();
        assert!(wrong.is_empty(), "{name}: expected, found: {wrong:#?}");
        assert_eq!(expected, found, "{name}");
        forms += expected.lines().count();
    }
    assert_eq!(forms, 499);
}

/// Output, count, both hashes and status of the programs with at most so many instructions.
fn programs(range: std::ops::Range<u64>) {
    let Some(folder) = corpus() else { return };
    let text = std::fs::read_to_string(folder.join("programs/expected.tsv")).expect("a table");
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let hash = |text: &str| u64::from_str_radix(text, 16).expect("a hash");
    for row in table(&text).iter().filter(|row| range.contains(&number(row[2]))) {
        let name = row[0];
        let bytes = std::fs::read(folder.join("programs").join(format!("{name}.elf"))).expect("a program");
        let arguments: &[&str] = if row[1] == "-" { &[name] } else { &[name, row[1]] };
        let ran = run(&bytes, arguments).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
        if row[1] == "-" {
            let expected =
                std::fs::read(folder.join("programs").join(format!("{name}.expected"))).expect("text");
            assert_eq!(ran.out, expected, "{name}: {}", String::from_utf8_lossy(&ran.out));
        }
        assert_eq!(ran.instructions, number(row[2]), "{name}: instructions");
        assert_eq!(ran.hashes.pc, hash(row[3]), "{name}: addresses of instructions");
        assert_eq!(
            (ran.hashes.loads, ran.hashes.stores),
            (number(row[5]), number(row[6])),
            "{name}: accesses"
        );
        assert_eq!(ran.hashes.memory, hash(row[4]), "{name}: accesses");
        assert_eq!(u64::from(ran.exit), number(row[8]), "{name}: status");
    }
}

#[test]
fn small_programs() {
    programs(0..15_000_000);
}

#[test]
fn larger_programs() {
    programs(15_000_000..45_000_000);
}

#[test]
#[ignore = "takes a while without optimisation"]
fn all_programs() {
    programs(45_000_000..u64::MAX);
}

/// Each of them is refused, with a reason and a way out; the one with an illegal instruction when it gets there.
#[test]
fn bad_programs() {
    let Some(folder) = corpus() else { return };
    let expected = [
        ("32-bit", "V2002", "32 bits"),
        ("cut", "V2001", "cut short"),
        ("empty", "V2001", "empty"),
        ("entry-outside", "V2003", "0x12345678"),
        ("huge-segment", "V2003", "4611686018427387904 bytes"),
        ("illegal-instruction", "V2004", "illegal instruction"),
        ("relocatable", "V2002", "not linked"),
        ("x86-64", "V2002", "x86-64"),
    ];
    for (name, code, message) in expected {
        let bytes = std::fs::read(folder.join("bad").join(format!("{name}.elf"))).expect("a file");
        let failure = run(&bytes, &[name]).expect_err(name);
        let volvelle_instructions::Failure::Faulty(diagnostic) = failure else {
            panic!("{name}: {failure:?}")
        };
        assert_eq!(diagnostic.code.to_string(), code, "{name}: {}", diagnostic.message);
        assert!(diagnostic.message.contains(message), "{name}: {}", diagnostic.message);
        assert!(!diagnostic.helps.is_empty(), "{name}: no way out");
    }
}

/// A program that is cut, or changed in a byte, is refused or runs: it never makes the reader panic.
#[test]
fn damaged_programs() {
    let Some(folder) = corpus() else { return };
    let bytes = std::fs::read(folder.join("programs/pchase.elf")).expect("a program");
    for length in 0..bytes.len() {
        let _ = Program::read(&bytes[..length]);
    }
    for at in 0..bytes.len().min(512) {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = value;
            let _ = Program::read(&changed);
        }
    }
}
