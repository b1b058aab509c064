//! Operations: instructions as the interpreter executes them.
//!
//! Registers have one numbering, integer ones from 0, those of floating point from 32 on. Writes to `x0` go to a register that nobody
//! reads. What an instruction adds to its own address is added already.

/// Where writes to `x0` go.
pub const SINK: u8 = 64;
/// The first register of floating point.
pub const FLOAT: u8 = 32;

/// What to do. Names are those of the specification, where a comment says nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// Writes the immediate: `lui`, `auipc`, `li`.
    Constant,
    /// Copies a register: `mv`.
    Move,
    Addi,
    Slti,
    Sltiu,
    Xori,
    Ori,
    Andi,
    Slli,
    Srli,
    Srai,
    Addiw,
    Slliw,
    Srliw,
    Sraiw,
    Add,
    Sub,
    Sll,
    Slt,
    Sltu,
    Xor,
    Srl,
    Sra,
    Or,
    And,
    Addw,
    Subw,
    Sllw,
    Srlw,
    Sraw,
    Mul,
    Mulh,
    Mulhsu,
    Mulhu,
    Div,
    Divu,
    Rem,
    Remu,
    Mulw,
    Divw,
    Divuw,
    Remw,
    Remuw,
    Lb,
    Lh,
    Lw,
    /// `ld` and `fld`.
    Ld,
    Lbu,
    Lhu,
    Lwu,
    /// `flw`: boxed.
    Flw,
    Sb,
    Sh,
    /// `sw` and `fsw`.
    Sw,
    /// `sd` and `fsd`.
    Sd,
    Beq,
    Bne,
    Blt,
    Bge,
    Bltu,
    Bgeu,
    Jal,
    Jalr,
    /// `lr`; `third` has the logarithm of the size.
    LoadReserved,
    /// `sc`; likewise.
    StoreConditional,
    /// Any `amo`: the immediate is its function, `third` the logarithm of the size.
    Atomic,
    /// Double precision, done by the machine where that is known to be exact in result and flags.
    FaddD,
    FsubD,
    FmulD,
    FdivD,
    /// All four of `fmadd.d` and its like: the immediate tells which.
    FusedD,
    /// All other operations of floating point: the immediate is a [`Float`] with a format and a rounding mode.
    Float,
    /// `fence`, and what has no effect.
    Nothing,
    FenceI,
    Ecall,
    Ebreak,
    /// `csrrw` and its like: the immediate is the number of the register, and the function above it.
    Csr,
    /// No instruction: the immediate is the word.
    Illegal,
}

impl Code {
    /// Whether it goes elsewhere under a condition.
    #[inline]
    pub fn is_branch(self) -> bool {
        use Code::{Beq, Bge, Bgeu, Blt, Bltu, Bne};
        matches!(self, Beq | Bne | Blt | Bge | Bltu | Bgeu)
    }

    /// Whether nothing behind it is executed without a look at where to go on.
    pub fn ends_block(self) -> bool {
        use Code::{Beq, Bge, Bgeu, Blt, Bltu, Bne, Csr, Ebreak, Ecall, FenceI, Illegal, Jal, Jalr};
        matches!(
            self,
            Beq | Bne | Blt | Bge | Bltu | Bgeu | Jal | Jalr | FenceI | Ecall | Ebreak | Csr | Illegal
        )
    }
}

macro_rules! floats {
    ($($(#[doc = $text:literal])* $name:ident,)*) => {
        /// Operations of floating point.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Float {
            $($(#[doc = $text])* $name,)*
        }

        /// All of them, by number: the immediate has it.
        pub const FLOATS: &[Float] = &[$(Float::$name,)*];
    };
}

floats! {
    Add,
    Sub,
    Mul,
    Div,
    Sqrt,
    Madd,
    Msub,
    Nmsub,
    Nmadd,
    Sgnj,
    Sgnjn,
    Sgnjx,
    Min,
    Max,
    Eq,
    Lt,
    Le,
    Class,
    /// From the other precision.
    Convert,
    /// To a whole number: `third` tells which.
    ToInteger,
    /// From a whole number: likewise.
    FromInteger,
    /// Bits to an integer register.
    ToBits,
    /// Bits from an integer register.
    FromBits,
}

/// The rounding mode that stands for that of `frm`.
pub const DYNAMIC: u8 = 7;

/// An operation with its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What to do.
    pub code: Code,
    /// The register that is written.
    pub rd: u8,
    /// The first register that is read.
    pub rs1: u8,
    /// The second one.
    pub rs2: u8,
    /// The third one, or a detail.
    pub third: u8,
    /// Bytes of the instruction.
    pub length: u8,
    /// Where it is behind the beginning of its block.
    pub offset: u16,
    /// A number, or the address that is jumped to.
    pub immediate: i64,
}

impl Operation {
    /// The address behind its instruction, in a block that begins at `pc`.
    #[inline(always)]
    pub fn end(&self, pc: u64) -> u64 {
        pc.wrapping_add(u64::from(self.offset) + u64::from(self.length))
    }
}

/// The immediate of an operation of floating point.
pub fn float_immediate(float: Float, is_double: bool, rounding: u8) -> i64 {
    i64::from(float as u8) << 8 | i64::from(is_double) << 4 | i64::from(rounding)
}
