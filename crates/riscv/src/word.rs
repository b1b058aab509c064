//! Instruction words of 32 bits: their fields, and words from fields (unprivileged specification, 2.2 and 2.3).

/// An instruction of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(pub u32);

/// Major opcodes (table 70 of the specification), with the two bits that tell words of 32 bits.
pub mod major {
    #![expect(missing_docs, reason = "names of the specification")]
    pub const LOAD: u32 = 0x03;
    pub const LOAD_FP: u32 = 0x07;
    pub const MISC_MEM: u32 = 0x0f;
    pub const OP_IMM: u32 = 0x13;
    pub const AUIPC: u32 = 0x17;
    pub const OP_IMM_32: u32 = 0x1b;
    pub const STORE: u32 = 0x23;
    pub const STORE_FP: u32 = 0x27;
    pub const AMO: u32 = 0x2f;
    pub const OP: u32 = 0x33;
    pub const LUI: u32 = 0x37;
    pub const OP_32: u32 = 0x3b;
    pub const MADD: u32 = 0x43;
    pub const MSUB: u32 = 0x47;
    pub const NMSUB: u32 = 0x4b;
    pub const NMADD: u32 = 0x4f;
    pub const OP_FP: u32 = 0x53;
    pub const BRANCH: u32 = 0x63;
    pub const JALR: u32 = 0x67;
    pub const JAL: u32 = 0x6f;
    pub const SYSTEM: u32 = 0x73;
}

impl Word {
    /// Bits from `low` on.
    #[inline]
    pub fn bits(self, low: u32, count: u32) -> u32 {
        self.0 >> low & ((1 << count) - 1)
    }

    /// The major opcode.
    pub fn major(self) -> u32 {
        self.bits(0, 7)
    }

    /// The register that is written.
    pub fn rd(self) -> u8 {
        self.bits(7, 5) as u8
    }

    /// The first register that is read.
    pub fn rs1(self) -> u8 {
        self.bits(15, 5) as u8
    }

    /// The second one.
    pub fn rs2(self) -> u8 {
        self.bits(20, 5) as u8
    }

    /// The third one.
    pub fn rs3(self) -> u8 {
        self.bits(27, 5) as u8
    }

    /// The function of three bits, which is the rounding mode of floating point.
    pub fn funct3(self) -> u32 {
        self.bits(12, 3)
    }

    /// The function of seven bits.
    pub fn funct7(self) -> u32 {
        self.bits(25, 7)
    }

    /// The immediate of loads and of operations with one.
    pub fn i_immediate(self) -> i64 {
        i64::from(self.0 as i32 >> 20)
    }

    /// The immediate of stores.
    pub fn s_immediate(self) -> i64 {
        i64::from((self.0 as i32 >> 25) << 5) | i64::from(self.bits(7, 5))
    }

    /// The immediate of branches.
    pub fn b_immediate(self) -> i64 {
        i64::from((self.0 as i32 >> 31) << 12)
            | i64::from(self.bits(7, 1) << 11 | self.bits(25, 6) << 5 | self.bits(8, 4) << 1)
    }

    /// The immediate of `lui` and `auipc`.
    pub fn u_immediate(self) -> i64 {
        i64::from((self.0 & 0xffff_f000) as i32)
    }

    /// The immediate of `jal`.
    pub fn j_immediate(self) -> i64 {
        i64::from((self.0 as i32 >> 31) << 20)
            | i64::from(self.bits(12, 8) << 12 | self.bits(20, 1) << 11 | self.bits(21, 10) << 1)
    }

    /// Three registers.
    pub fn r(major: u32, funct3: u32, funct7: u32, rd: u32, rs1: u32, rs2: u32) -> Word {
        Word(major | rd << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 | funct7 << 25)
    }

    /// Two registers and an immediate.
    pub fn i(major: u32, funct3: u32, rd: u32, rs1: u32, immediate: i32) -> Word {
        Word(major | rd << 7 | funct3 << 12 | rs1 << 15 | (immediate as u32) << 20)
    }

    /// A store.
    pub fn s(major: u32, funct3: u32, rs1: u32, rs2: u32, immediate: i32) -> Word {
        let immediate = immediate as u32;
        Word(major | (immediate & 31) << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 | immediate >> 5 << 25)
    }

    /// A branch.
    pub fn b(funct3: u32, rs1: u32, rs2: u32, offset: i32) -> Word {
        let offset = offset as u32;
        let low = (offset >> 11 & 1) << 7 | (offset >> 1 & 15) << 8;
        let high = (offset >> 5 & 63) << 25 | (offset >> 12 & 1) << 31;
        Word(major::BRANCH | low | funct3 << 12 | rs1 << 15 | rs2 << 20 | high)
    }

    /// `lui` or `auipc`: the immediate is that of the upper 20 bits, in place.
    pub fn u(major: u32, rd: u32, immediate: u32) -> Word {
        Word(major | rd << 7 | immediate & 0xffff_f000)
    }

    /// `jal`.
    pub fn j(rd: u32, offset: i32) -> Word {
        let offset = offset as u32;
        let low = (offset >> 12 & 0xff) << 12 | (offset >> 11 & 1) << 20;
        let high = (offset >> 1 & 0x3ff) << 21 | (offset >> 20 & 1) << 31;
        Word(major::JAL | rd << 7 | low | high)
    }
}
