//! What models of machines want to know of an instruction: its class, registers and size of access.

use crate::word::{Word, major};
use volvelle_instructions::{Class, Instruction, Register};

/// Registers that hold where to return to (unprivileged specification, table 3).
fn is_link(register: u8) -> bool {
    matches!(register, 1 | 5)
}

/// The instruction of a word, which is expanded if it had 16 bits.
pub fn classify(word: Word, pc: u64, length: u8) -> Instruction {
    let (rd, rs1, rs2) = (word.rd(), word.rs1(), word.rs2());
    let none = 0;
    let float = |register: u8| register + 32;
    let (class, size, destination, sources) = match word.major() {
        major::LUI | major::AUIPC => (Class::Alu, 0, rd, [none; 3]),
        major::OP_IMM | major::OP_IMM_32 => (Class::Alu, 0, rd, [rs1, none, none]),
        major::OP | major::OP_32 => {
            let class = match (word.funct7(), word.funct3()) {
                (1, 0..=3) => Class::Mul,
                (1, _) => Class::Div,
                _ => Class::Alu,
            };
            (class, 0, rd, [rs1, rs2, none])
        }
        major::LOAD => (Class::Load, 1 << (word.funct3() & 3), rd, [rs1, none, none]),
        major::LOAD_FP => (Class::Load, 1 << (word.funct3() & 3), float(rd), [rs1, none, none]),
        major::STORE => (Class::Store, 1 << (word.funct3() & 3), none, [rs1, rs2, none]),
        major::STORE_FP => (Class::Store, 1 << (word.funct3() & 3), none, [rs1, float(rs2), none]),
        major::AMO => {
            let class = match word.bits(27, 5) {
                2 => Class::Load,
                3 => Class::Store,
                _ => Class::Atomic,
            };
            (class, 1 << (word.funct3() & 3), rd, [rs1, rs2, none])
        }
        major::BRANCH => (Class::Branch, 0, none, [rs1, rs2, none]),
        major::JAL => (if is_link(rd) { Class::Call } else { Class::Jump }, 0, rd, [none; 3]),
        major::JALR => {
            let class = match () {
                () if is_link(rd) => Class::IndirectCall,
                () if rd == 0 && is_link(rs1) => Class::Return,
                () => Class::IndirectJump,
            };
            (class, 0, rd, [rs1, none, none])
        }
        major::MADD | major::MSUB | major::NMSUB | major::NMADD => {
            (Class::Fp, 0, float(rd), [float(rs1), float(rs2), float(word.rs3())])
        }
        major::OP_FP => of_float(word),
        major::SYSTEM => {
            // Functions from 5 on have a number in place of the register.
            let source = if word.funct3() < 4 { rs1 } else { none };
            (Class::Alu, 0, rd, [source, none, none])
        }
        _ => (Class::Alu, 0, none, [none; 3]),
    };
    let sources = sources.map(Register);
    Instruction { pc, class, length, size, destination: Register(destination), sources }
}

fn of_float(word: Word) -> (Class, u8, u8, [u8; 3]) {
    let (rd, rs1, rs2) = (word.rd(), word.rs1(), word.rs2());
    let float = |register: u8| register + 32;
    let (destination, sources) = match word.bits(27, 5) {
        // Comparisons, and to integers: whole numbers, bits, classes.
        0x14 => (rd, [float(rs1), float(rs2), 0]),
        0x18 | 0x1c => (rd, [float(rs1), 0, 0]),
        0x1a | 0x1e => (float(rd), [rs1, 0, 0]),
        0x08 | 0x0b => (float(rd), [float(rs1), 0, 0]),
        _ => (float(rd), [float(rs1), float(rs2), 0]),
    };
    (Class::Fp, 0, destination, sources)
}
