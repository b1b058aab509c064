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
#[cfg(test)]
mod tests {
    use super::expand;

    /// One of each form, and reserved ones, which are 0 here. The disassembler of LLVM prints both sides of each line alike.
    #[test]
    fn forms() {
        let cases: [(u16, u32); 50] = [
            (0x0044, 0x00410493),
            (0x1ffc, 0x3fc10793),
            (0x2190, 0x0005b607),
            (0x4398, 0x0007a703),
            (0x6394, 0x0007b683),
            (0xa390, 0x00c7b027),
            (0xc398, 0x00e7a023),
            (0xe394, 0x00d7b023),
            (0x1141, 0xff010113),
            (0x2085, 0x0010809b),
            (0x50fd, 0xfff00093),
            (0x6105, 0x02010113),
            (0x717d, 0xff010113),
            (0x6785, 0x000017b7),
            (0x77fd, 0xfffff7b7),
            (0x8285, 0x0016d693),
            (0x8685, 0x4016d693),
            (0x8a85, 0x0016f693),
            (0x8c05, 0x40940433),
            (0x8d2d, 0x00b54533),
            (0x8dd1, 0x00c5e5b3),
            (0x8de5, 0x0095f5b3),
            (0x9c19, 0x40e4043b),
            (0x9f3d, 0x00f7073b),
            (0xa001, 0x0000006f),
            (0xbffd, 0xfffff06f),
            (0xc001, 0x00040063),
            (0xdffd, 0xfe078fe3),
            (0xe001, 0x00041063),
            (0xfffd, 0xfe079fe3),
            (0x1086, 0x02109093),
            (0x2502, 0x00013507),
            (0x4522, 0x00812503),
            (0x6582, 0x00013583),
            (0x8082, 0x00008067),
            (0x8582, 0x00058067),
            (0x9002, 0x00100073),
            (0x9582, 0x000580e7),
            (0x9596, 0x005585b3),
            (0xa02a, 0x00a13027),
            (0xc02a, 0x00a12023),
            (0xe02a, 0x00a13023),
            (0x0000, 0x00000000),
            (0x2001, 0x00000000),
            (0x4002, 0x00000000),
            (0x6101, 0x00000000),
            (0x6081, 0x00000000),
            (0x8002, 0x00000000),
            (0x9c41, 0x00000000),
            (0x9c61, 0x00000000),
        ];
        for (half, word) in cases {
            assert_eq!(expand(half).map_or(0, |word| word.0), word, "{half:#06x}");
        }
    }

    /// All 49,152 of them were compared with LLVM's disassembler; the hash (FNV-1a over words) is that of what it agreed to.
    #[test]
    fn all_half_words() {
        let expanded =
            (0..=u16::MAX).filter(|half| half & 3 != 3).map(|half| expand(half).map_or(0, |word| word.0));
        let mix = |hash: u64, word: u32| (hash ^ u64::from(word)).wrapping_mul(1_099_511_628_211);
        assert_eq!(expanded.fold(14_695_981_039_346_656_037, mix), 0xcfb9c4343e55a9e);
        assert!((0..=u16::MAX).filter(|half| half & 3 == 3).all(|half| expand(half).is_none()));
    }
}
