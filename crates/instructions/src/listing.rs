//! Instructions: what is the same whenever one is executed.

use std::collections::HashMap;
use std::ops::Index;

/// What an instruction does, as far as units and latencies tell it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Integers, besides products and quotients.
    Alu,
    /// Products of integers.
    Mul,
    /// Quotients of integers.
    Div,
    /// Floating point.
    Fp,
    /// Reads memory.
    Load,
    /// Writes memory.
    Store,
    /// Reads and writes memory, undivided.
    Atomic,
    /// A conditional branch.
    Branch,
    /// A jump to an address in the instruction.
    Jump,
    /// A jump to an address in a register.
    IndirectJump,
    /// A jump that notes where to return to, to an address in the instruction.
    Call,
    /// A jump that notes where to return to, to an address in a register.
    IndirectCall,
    /// A jump to such a noted address.
    Return,
}

impl Class {
    /// Whether memory is accessed: then there is an address.
    #[inline]
    pub fn accesses_memory(self) -> bool {
        matches!(self, Class::Load | Class::Store | Class::Atomic)
    }

    /// Whether memory is written.
    #[inline]
    pub fn writes_memory(self) -> bool {
        matches!(self, Class::Store | Class::Atomic)
    }

    /// Whether the next instruction may be another one than the one behind it.
    #[inline]
    pub fn transfers_control(self) -> bool {
        use Class::{Branch, Call, IndirectCall, IndirectJump, Jump, Return};
        matches!(self, Branch | Jump | IndirectJump | Call | IndirectCall | Return)
    }
}

/// A register: integer registers from 0 on, those of floating point from 32 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Register(pub u8);

impl Register {
    /// No register, and the one that is always 0: nothing depends on it.
    pub const NONE: Register = Register(0);
    /// How many there are.
    pub const COUNT: usize = 64;
}

/// What is the same whenever an instruction is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// Its address.
    pub pc: u64,
    /// What it does.
    pub class: Class,
    /// Its length in bytes: 2 or 4.
    pub length: u8,
    /// Bytes of memory that it accesses; 0 if none.
    pub size: u8,
    /// The register that it writes.
    pub destination: Register,
    /// The registers that it reads.
    pub sources: [Register; 3],
}

impl Instruction {
    /// One of class [`Class::Alu`] with four bytes and no registers.
    pub fn at(pc: u64) -> Self {
        Instruction {
            pc,
            class: Class::Alu,
            length: 4,
            size: 0,
            destination: Register::NONE,
            sources: [Register::NONE; 3],
        }
    }
}

/// All instructions that a stream has met, by number.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    all: Vec<Instruction>,
    numbers: HashMap<Instruction, u32>,
}

impl Listing {
    /// The number of an instruction, which is a new one if it was not met before.
    ///
    /// # Panics
    /// There are 2^31 instructions.
    pub fn number(&mut self, instruction: Instruction) -> u32 {
        *self.numbers.entry(instruction).or_insert_with(|| {
            let number = u32::try_from(self.all.len()).ok().filter(|&number| number < 1 << 31);
            self.all.push(instruction);
            number.expect("fewer than 2^31 instructions")
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether none was met.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// All of them, in the order of their numbers.
    pub fn as_slice(&self) -> &[Instruction] {
        &self.all
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.all.capacity() * size_of::<Instruction>()
            + self.numbers.capacity() * (size_of::<(Instruction, u32)>() + 1)) as u64
    }
}

impl Index<u32> for Listing {
    type Output = Instruction;

    #[inline]
    fn index(&self, number: u32) -> &Instruction {
        &self.all[number as usize]
    }
}
