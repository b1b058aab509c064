//! Instructions of 16 bits, each of which stands for one of 32 (unprivileged specification, chapter 16, tables 42 to 44).

use crate::word::{Word, major};

const SP: u32 = 2;
const RA: u32 = 1;

/// Bits of a half word, as a field of an immediate: from bit `from` on `count` bits, to bit `to`.
const fn field(half: u32, from: u32, count: u32, to: u32) -> u32 {
    (half >> from & ((1 << count) - 1)) << to
}

/// A number of `bits` bits with a sign.
const fn signed(value: u32, bits: u32) -> i32 {
    ((value << (32 - bits)) as i32) >> (32 - bits)
}

/// The instruction that a half word stands for; `None` for those that are illegal or reserved.
pub fn expand(half: u16) -> Option<Word> {
    let half = u32::from(half);
    match half & 3 {
        0 => quadrant_0(half),
        1 => quadrant_1(half),
        2 => quadrant_2(half),
        _ => None,
    }
}

/// Loads and stores by registers.
fn quadrant_0(half: u32) -> Option<Word> {
    // Three bits name the registers 8 to 15.
    let (base, value) = (8 + field(half, 7, 3, 0), 8 + field(half, 2, 3, 0));
    let of_words = (field(half, 10, 3, 3) | field(half, 6, 1, 2) | field(half, 5, 1, 6)) as i32;
    let of_doubles = (field(half, 10, 3, 3) | field(half, 5, 2, 6)) as i32;
    Some(match half >> 13 {
        0 => {
            let bytes =
                field(half, 11, 2, 4) | field(half, 7, 4, 6) | field(half, 6, 1, 2) | field(half, 5, 1, 3);
            if bytes == 0 {
                return None;
            }
            Word::i(major::OP_IMM, 0, value, SP, bytes as i32)
        }
        1 => Word::i(major::LOAD_FP, 3, value, base, of_doubles),
        2 => Word::i(major::LOAD, 2, value, base, of_words),
        3 => Word::i(major::LOAD, 3, value, base, of_doubles),
        5 => Word::s(major::STORE_FP, 3, base, value, of_doubles),
        6 => Word::s(major::STORE, 2, base, value, of_words),
        7 => Word::s(major::STORE, 3, base, value, of_doubles),
        _ => return None,
    })
}

/// Immediates, arithmetic, jumps and branches.
fn quadrant_1(half: u32) -> Option<Word> {
    let rd = field(half, 7, 5, 0);
    let six = field(half, 12, 1, 5) | field(half, 2, 5, 0);
    let immediate = signed(six, 6);
    Some(match half >> 13 {
        0 => Word::i(major::OP_IMM, 0, rd, rd, immediate),
        1 if rd != 0 => Word::i(major::OP_IMM_32, 0, rd, rd, immediate),
        2 => Word::i(major::OP_IMM, 0, rd, 0, immediate),
        3 if immediate == 0 => return None,
        3 if rd == SP => {
            let high = field(half, 12, 1, 9) | field(half, 3, 2, 7);
            let bytes = high | field(half, 5, 1, 6) | field(half, 2, 1, 5) | field(half, 6, 1, 4);
            Word::i(major::OP_IMM, 0, SP, SP, signed(bytes, 10))
        }
        3 => Word::u(major::LUI, rd, (immediate << 12) as u32),
        4 => return arithmetic(half, six),
        5 => Word::j(0, jump_offset(half)),
        6 => Word::b(0, 8 + (rd & 7), 0, branch_offset(half)),
        7 => Word::b(1, 8 + (rd & 7), 0, branch_offset(half)),
        _ => return None,
    })
}

fn arithmetic(half: u32, six: u32) -> Option<Word> {
    let (rd, rs2) = (8 + field(half, 7, 3, 0), 8 + field(half, 2, 3, 0));
    let of_three = |major, funct3, funct7| Word::r(major, funct3, funct7, rd, rd, rs2);
    Some(match (field(half, 10, 2, 0), field(half, 12, 1, 0), field(half, 5, 2, 0)) {
        (0, ..) => Word::i(major::OP_IMM, 5, rd, rd, six as i32),
        (1, ..) => Word::i(major::OP_IMM, 5, rd, rd, (six | 0x400) as i32),
        (2, ..) => Word::i(major::OP_IMM, 7, rd, rd, signed(six, 6)),
        (_, 0, 0) => of_three(major::OP, 0, 0x20),
        (_, 0, 1) => of_three(major::OP, 4, 0),
        (_, 0, 2) => of_three(major::OP, 6, 0),
        (_, 0, _) => of_three(major::OP, 7, 0),
        (_, _, 0) => of_three(major::OP_32, 0, 0x20),
        (_, _, 1) => of_three(major::OP_32, 0, 0),
        _ => return None,
    })
}

fn jump_offset(half: u32) -> i32 {
    let low = field(half, 3, 3, 1) | field(half, 11, 1, 4) | field(half, 2, 1, 5) | field(half, 7, 1, 6);
    let high = field(half, 6, 1, 7) | field(half, 9, 2, 8) | field(half, 8, 1, 10) | field(half, 12, 1, 11);
    signed(low | high, 12)
}

fn branch_offset(half: u32) -> i32 {
    let low = field(half, 3, 2, 1) | field(half, 10, 2, 3) | field(half, 2, 1, 5);
    signed(low | field(half, 5, 2, 6) | field(half, 12, 1, 8), 9)
}

/// Loads and stores by the stack pointer, jumps to registers.
fn quadrant_2(half: u32) -> Option<Word> {
    let (rd, rs2) = (field(half, 7, 5, 0), field(half, 2, 5, 0));
    let double_load = (field(half, 12, 1, 5) | field(half, 5, 2, 3) | field(half, 2, 3, 6)) as i32;
    let word_load = (field(half, 12, 1, 5) | field(half, 4, 3, 2) | field(half, 2, 2, 6)) as i32;
    let double_store = (field(half, 10, 3, 3) | field(half, 7, 3, 6)) as i32;
    let word_store = (field(half, 9, 4, 2) | field(half, 7, 2, 6)) as i32;
    Some(match half >> 13 {
        0 => Word::i(major::OP_IMM, 1, rd, rd, (field(half, 12, 1, 5) | rs2) as i32),
        1 => Word::i(major::LOAD_FP, 3, rd, SP, double_load),
        2 if rd != 0 => Word::i(major::LOAD, 2, rd, SP, word_load),
        3 if rd != 0 => Word::i(major::LOAD, 3, rd, SP, double_load),
        4 => match (field(half, 12, 1, 0), rd, rs2) {
            (0, 0, 0) => return None,
            (0, _, 0) => Word::i(major::JALR, 0, 0, rd, 0),
            (0, ..) => Word::r(major::OP, 0, 0, rd, 0, rs2),
            (_, 0, 0) => Word::i(major::SYSTEM, 0, 0, 0, 1),
            (_, _, 0) => Word::i(major::JALR, 0, RA, rd, 0),
            _ => Word::r(major::OP, 0, 0, rd, rd, rs2),
        },
        5 => Word::s(major::STORE_FP, 3, SP, rs2, double_store),
        6 => Word::s(major::STORE, 2, SP, rs2, word_store),
        7 => Word::s(major::STORE, 3, SP, rs2, double_store),
        _ => return None,
    })
}
