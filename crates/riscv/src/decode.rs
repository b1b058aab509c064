//! Instruction words to operations.

use crate::operation::{Code, DYNAMIC, FLOAT, Float, Operation, SINK, float_immediate};
use crate::word::{Word, major};

/// The operation of a word at an address; [`Code::Illegal`] for what is none.
pub fn decode(word: Word, pc: u64, length: u8) -> Operation {
    let illegal = Operation {
        code: Code::Illegal,
        rd: SINK,
        rs1: 0,
        rs2: 0,
        third: 0,
        length,
        offset: 0,
        immediate: i64::from(word.0),
    };
    found(word, pc, length).unwrap_or(illegal)
}

fn found(word: Word, pc: u64, length: u8) -> Option<Operation> {
    let rd = if word.rd() == 0 { SINK } else { word.rd() };
    let plain = Operation {
        code: Code::Nothing,
        rd,
        rs1: word.rs1(),
        rs2: word.rs2(),
        third: 0,
        length,
        offset: 0,
        immediate: 0,
    };
    let with = |code, immediate| Some(Operation { code, immediate, ..plain });
    let target = |offset: i64| pc.wrapping_add(offset as u64) as i64;
    match word.major() {
        major::LUI => with(Code::Constant, word.u_immediate()),
        major::AUIPC => with(Code::Constant, target(word.u_immediate())),
        major::JAL => with(Code::Jal, target(word.j_immediate())),
        major::JALR if word.funct3() == 0 => with(Code::Jalr, word.i_immediate()),
        major::BRANCH => with(branch(word)?, target(word.b_immediate())),
        major::LOAD => with(load(word)?, word.i_immediate()),
        major::STORE => with(store(word)?, word.s_immediate()),
        major::OP_IMM => immediate(word, plain),
        major::OP_IMM_32 => immediate_word(word, plain),
        // `mv` of 16 bits is a sum with `x0`.
        major::OP if word.0 & 0xfe0f_f07f == major::OP => {
            Some(Operation { code: Code::Move, rs1: word.rs2(), ..plain })
        }
        major::OP => with(register(word)?, 0),
        major::OP_32 => with(register_word(word)?, 0),
        major::MISC_MEM => match word.funct3() {
            0 => with(Code::Nothing, 0),
            1 => with(Code::FenceI, 0),
            _ => None,
        },
        major::SYSTEM => system(word, plain),
        major::AMO => atomic(word, plain),
        major::LOAD_FP => {
            let code = match word.funct3() {
                2 => Code::Flw,
                3 => Code::Ld,
                _ => return None,
            };
            Some(Operation { code, rd: word.rd() + FLOAT, immediate: word.i_immediate(), ..plain })
        }
        major::STORE_FP => {
            let code = match word.funct3() {
                2 => Code::Sw,
                3 => Code::Sd,
                _ => return None,
            };
            Some(Operation { code, rs2: word.rs2() + FLOAT, immediate: word.s_immediate(), ..plain })
        }
        major::MADD => fused(word, plain, Float::Madd),
        major::MSUB => fused(word, plain, Float::Msub),
        major::NMSUB => fused(word, plain, Float::Nmsub),
        major::NMADD => fused(word, plain, Float::Nmadd),
        major::OP_FP => float(word, plain),
        _ => None,
    }
}

fn branch(word: Word) -> Option<Code> {
    Some(match word.funct3() {
        0 => Code::Beq,
        1 => Code::Bne,
        4 => Code::Blt,
        5 => Code::Bge,
        6 => Code::Bltu,
        7 => Code::Bgeu,
        _ => return None,
    })
}

fn load(word: Word) -> Option<Code> {
    Some(match word.funct3() {
        0 => Code::Lb,
        1 => Code::Lh,
        2 => Code::Lw,
        3 => Code::Ld,
        4 => Code::Lbu,
        5 => Code::Lhu,
        6 => Code::Lwu,
        _ => return None,
    })
}

fn store(word: Word) -> Option<Code> {
    Some(match word.funct3() {
        0 => Code::Sb,
        1 => Code::Sh,
        2 => Code::Sw,
        3 => Code::Sd,
        _ => return None,
    })
}

fn immediate(word: Word, plain: Operation) -> Option<Operation> {
    let (value, shift) = (word.i_immediate(), i64::from(word.bits(20, 6)));
    let (code, immediate) = match (word.funct3(), word.bits(26, 6)) {
        (0, _) if word.rs1() == 0 => (Code::Constant, value),
        (0, _) if value == 0 => (Code::Move, 0),
        (0, _) => (Code::Addi, value),
        (1, 0) => (Code::Slli, shift),
        (2, _) => (Code::Slti, value),
        (3, _) => (Code::Sltiu, value),
        (4, _) => (Code::Xori, value),
        (5, 0) => (Code::Srli, shift),
        (5, 0x10) => (Code::Srai, shift),
        (6, _) => (Code::Ori, value),
        (7, _) => (Code::Andi, value),
        _ => return None,
    };
    Some(Operation { code, immediate, ..plain })
}

fn immediate_word(word: Word, plain: Operation) -> Option<Operation> {
    let shift = i64::from(word.bits(20, 5));
    let (code, immediate) = match (word.funct3(), word.funct7()) {
        (0, _) => (Code::Addiw, word.i_immediate()),
        (1, 0) => (Code::Slliw, shift),
        (5, 0) => (Code::Srliw, shift),
        (5, 0x20) => (Code::Sraiw, shift),
        _ => return None,
    };
    Some(Operation { code, immediate, ..plain })
}

fn register(word: Word) -> Option<Code> {
    Some(match (word.funct7(), word.funct3()) {
        (0, 0) => Code::Add,
        (0, 1) => Code::Sll,
        (0, 2) => Code::Slt,
        (0, 3) => Code::Sltu,
        (0, 4) => Code::Xor,
        (0, 5) => Code::Srl,
        (0, 6) => Code::Or,
        (0, 7) => Code::And,
        (0x20, 0) => Code::Sub,
        (0x20, 5) => Code::Sra,
        (1, 0) => Code::Mul,
        (1, 1) => Code::Mulh,
        (1, 2) => Code::Mulhsu,
        (1, 3) => Code::Mulhu,
        (1, 4) => Code::Div,
        (1, 5) => Code::Divu,
        (1, 6) => Code::Rem,
        (1, 7) => Code::Remu,
        _ => return None,
    })
}

fn register_word(word: Word) -> Option<Code> {
    Some(match (word.funct7(), word.funct3()) {
        (0, 0) => Code::Addw,
        (0, 1) => Code::Sllw,
        (0, 5) => Code::Srlw,
        (0x20, 0) => Code::Subw,
        (0x20, 5) => Code::Sraw,
        (1, 0) => Code::Mulw,
        (1, 4) => Code::Divw,
        (1, 5) => Code::Divuw,
        (1, 6) => Code::Remw,
        (1, 7) => Code::Remuw,
        _ => return None,
    })
}

fn system(word: Word, plain: Operation) -> Option<Operation> {
    let number = i64::from(word.bits(20, 12));
    let code = match (word.funct3(), word.0) {
        (0, 0x0000_0073) => Code::Ecall,
        (0, 0x0010_0073) => Code::Ebreak,
        (0 | 4, _) => return None,
        _ => Code::Csr,
    };
    Some(Operation { code, immediate: number | i64::from(word.funct3()) << 12, ..plain })
}

fn atomic(word: Word, plain: Operation) -> Option<Operation> {
    let third = match word.funct3() {
        2 => 2,
        3 => 3,
        _ => return None,
    };
    let function = word.bits(27, 5);
    let code = match function {
        2 if word.rs2() == 0 => Code::LoadReserved,
        3 => Code::StoreConditional,
        0 | 1 | 4 | 8 | 12 | 16 | 20 | 24 | 28 => Code::Atomic,
        _ => return None,
    };
    Some(Operation { code, third, immediate: i64::from(function), ..plain })
}

/// Double precision? `None` for others than the two.
fn is_double(word: Word) -> Option<bool> {
    match word.bits(25, 2) {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// The rounding mode, if it is none that is reserved.
fn rounding(word: Word) -> Option<u8> {
    let mode = word.funct3() as u8;
    (mode <= 4 || mode == DYNAMIC).then_some(mode)
}

fn fused(word: Word, plain: Operation, float: Float) -> Option<Operation> {
    let is_double = is_double(word)?;
    Some(Operation {
        code: if is_double { Code::FusedD } else { Code::Float },
        rd: word.rd() + FLOAT,
        rs1: word.rs1() + FLOAT,
        rs2: word.rs2() + FLOAT,
        third: word.rs3() + FLOAT,
        immediate: float_immediate(float, is_double, rounding(word)?),
        ..plain
    })
}

fn float(word: Word, plain: Operation) -> Option<Operation> {
    let is_double = is_double(word)?;
    // Where the field of the rounding mode selects the operation, nothing is rounded.
    let (float, mode) = match (word.bits(27, 5), word.funct3(), word.rs2()) {
        (0, ..) => (Float::Add, rounding(word)?),
        (1, ..) => (Float::Sub, rounding(word)?),
        (2, ..) => (Float::Mul, rounding(word)?),
        (3, ..) => (Float::Div, rounding(word)?),
        (0x0b, _, 0) => (Float::Sqrt, rounding(word)?),
        (4, 0, _) => (Float::Sgnj, 0),
        (4, 1, _) => (Float::Sgnjn, 0),
        (4, 2, _) => (Float::Sgnjx, 0),
        (5, 0, _) => (Float::Min, 0),
        (5, 1, _) => (Float::Max, 0),
        (8, _, other) if other == u8::from(!is_double) => (Float::Convert, rounding(word)?),
        (0x14, 0, _) => (Float::Le, 0),
        (0x14, 1, _) => (Float::Lt, 0),
        (0x14, 2, _) => (Float::Eq, 0),
        (0x18, _, 0..=3) => (Float::ToInteger, rounding(word)?),
        (0x1a, _, 0..=3) => (Float::FromInteger, rounding(word)?),
        (0x1c, 0, 0) => (Float::ToBits, 0),
        (0x1c, 1, 0) => (Float::Class, 0),
        (0x1e, 0, 0) => (Float::FromBits, 0),
        _ => return None,
    };
    let to_integer =
        matches!(float, Float::Le | Float::Lt | Float::Eq | Float::ToInteger | Float::ToBits | Float::Class);
    let from_integer = matches!(float, Float::FromInteger | Float::FromBits);
    let code = match float {
        Float::Add if is_double => Code::FaddD,
        Float::Sub if is_double => Code::FsubD,
        Float::Mul if is_double => Code::FmulD,
        Float::Div if is_double => Code::FdivD,
        _ => Code::Float,
    };
    Some(Operation {
        code,
        rd: if to_integer { plain.rd } else { word.rd() + FLOAT },
        rs1: if from_integer { word.rs1() } else { word.rs1() + FLOAT },
        rs2: word.rs2() + FLOAT,
        third: word.rs2(),
        immediate: float_immediate(float, is_double, mode),
        ..plain
    })
}
