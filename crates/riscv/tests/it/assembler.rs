//! Programs of a few words, put together here.

use volvelle_riscv::{Word, major};

pub const ZERO: u32 = 0;
pub const SP: u32 = 2;
pub const T0: u32 = 5;
pub const T1: u32 = 6;
pub const A0: u32 = 10;
pub const A1: u32 = 11;
pub const A2: u32 = 12;
pub const A7: u32 = 17;
pub const S2: u32 = 18;

/// Where the code of [`elf`] begins.
pub const CODE: u64 = 0x1_0000;
/// Bytes that may be read and written begin here.
pub const DATA: u64 = 0x2_0000;

pub const ECALL: Word = Word(0x73);
pub const EBREAK: Word = Word(0x10_0073);
pub const FENCE_I: Word = Word(0x100f);

pub fn addi(rd: u32, rs1: u32, immediate: i32) -> Word {
    Word::i(major::OP_IMM, 0, rd, rs1, immediate)
}

pub fn lui(rd: u32, value: u32) -> Word {
    Word::u(major::LUI, rd, value)
}

/// `a0 = status; exit`.
pub fn exit(status: i32) -> Vec<Word> {
    vec![addi(A0, ZERO, status), addi(A7, ZERO, 93), ECALL]
}

/// A system call.
pub fn call(number: i32) -> Vec<Word> {
    vec![addi(A7, ZERO, number), ECALL]
}

/// `a0` is the status.
pub fn exit_a0() -> Vec<Word> {
    call(93)
}

/// A static executable: code that may also be written, data of so many bytes, and a table of symbols with `main`.
pub fn elf(code: &[Word], data_bytes: u64) -> Vec<u8> {
    let text: Vec<u8> = code.iter().flat_map(|word| word.0.to_le_bytes()).collect();
    let code_at = 64 + 2 * 56;
    let names = b"\0main\0";
    let (symbols_at, sections) = (code_at + text.len(), 3_u16);
    let names_at = symbols_at + 48;
    let sections_at = names_at + 8;
    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let half = |file: &mut Vec<u8>, value: u16| file.extend(value.to_le_bytes());
    let word = |file: &mut Vec<u8>, value: u32| file.extend(value.to_le_bytes());
    let double = |file: &mut Vec<u8>, value: u64| file.extend(value.to_le_bytes());
    for value in [2, 243] {
        half(&mut file, value);
    }
    word(&mut file, 1);
    for value in [CODE, 64, sections_at as u64] {
        double(&mut file, value);
    }
    word(&mut file, 5);
    for value in [64, 56, 2, 64, sections, 0] {
        half(&mut file, value);
    }
    let mut segment = |flags: u32, at: u64, address: u64, in_file: u64, bytes: u64| {
        word(&mut file, 1);
        word(&mut file, flags);
        for value in [at, address, address, in_file, bytes, 4096] {
            double(&mut file, value);
        }
    };
    segment(7, code_at as u64, CODE, text.len() as u64, text.len() as u64);
    segment(6, 0, DATA, 0, data_bytes);
    file.extend(&text);
    // One symbol that is none, and `main`, a function.
    file.extend([0; 24]);
    word(&mut file, 1);
    file.extend([0x12, 0]);
    half(&mut file, 1);
    double(&mut file, CODE);
    double(&mut file, text.len() as u64);
    file.extend(names);
    file.extend([0; 2]);
    file.extend([0; 64]);
    let mut section = |kind: u32, at: usize, bytes: usize, link: u32| {
        word(&mut file, 0);
        word(&mut file, kind);
        for value in [0, 0, at as u64, bytes as u64] {
            double(&mut file, value);
        }
        word(&mut file, link);
        word(&mut file, 0);
        double(&mut file, 1);
        double(&mut file, 24);
    };
    section(2, symbols_at, 48, 2);
    section(3, names_at, names.len(), 0);
    file
}
