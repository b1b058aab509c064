//! The state of a processor that a program sees: registers, and what controls floating point.

use crate::float::{Flags, Rounding};
use crate::operation::{DYNAMIC, SINK};

/// Registers and what belongs to them.
#[derive(Clone)]
pub struct Hart {
    /// Registers by the numbers of operations: integer ones, those of floating point from 32 on, one that nobody reads.
    ///
    /// So many that every `u8` names one, and no index needs a check.
    pub registers: [u64; 256],
    /// The address of the next instruction.
    pub pc: u64,
    /// Instructions executed.
    pub executed: u64,
    /// Exceptions of floating point, as in `fflags`.
    pub flags: u8,
    /// The rounding mode, as in `frm`.
    pub rounding: u8,
    /// What `lr` has read last, and where.
    pub reservation: Option<(u64, u64)>,
}

/// Registers by their names in the calling convention.
pub mod names {
    /// The address to return to.
    pub const RA: usize = 1;
    /// The stack pointer.
    pub const SP: usize = 2;
    /// The first argument, and the result.
    pub const A0: usize = 10;
    /// The number of a system call.
    pub const A7: usize = 17;
}

mod csr {
    pub const FFLAGS: u16 = 0x001;
    pub const FRM: u16 = 0x002;
    pub const FCSR: u16 = 0x003;
    pub const CYCLE: u16 = 0xc00;
    pub const TIME: u16 = 0xc01;
    pub const INSTRET: u16 = 0xc02;
}

impl Hart {
    /// All registers are 0.
    pub fn new(pc: u64) -> Self {
        Hart { registers: [0; 256], pc, executed: 0, flags: 0, rounding: 0, reservation: None }
    }

    /// Becomes what another one is, as far as a program can tell: the registers beyond are not read.
    pub fn become_like(&mut self, other: &Hart) {
        let Hart { registers, pc, executed, flags, rounding, reservation } = other;
        self.registers[..usize::from(SINK)].copy_from_slice(&registers[..usize::from(SINK)]);
        (self.pc, self.executed, self.flags) = (*pc, *executed, *flags);
        (self.rounding, self.reservation) = (*rounding, *reservation);
    }

    /// Notes exceptions.
    #[inline]
    pub fn raise(&mut self, flags: Flags) {
        self.flags |= flags.0;
    }

    /// The rounding mode of an instruction; `None`: `frm` has one that is reserved.
    #[inline]
    pub fn rounding_of(&self, number: u8) -> Option<Rounding> {
        Rounding::from_number(if number == DYNAMIC { self.rounding } else { number })
    }

    /// A control and status register (unprivileged specification, chapters 6, 7 and 12.2). Cycles and time are instructions executed: one each nanosecond.
    pub fn control_register(&self, number: u16) -> Option<u64> {
        Some(match number {
            csr::FFLAGS => self.flags.into(),
            csr::FRM => self.rounding.into(),
            csr::FCSR => u64::from(self.rounding) << 5 | u64::from(self.flags),
            csr::CYCLE | csr::TIME | csr::INSTRET => self.executed,
            _ => return None,
        })
    }

    /// Writes such a register; `false`: there is none, or it may only be read.
    pub fn set_control_register(&mut self, number: u16, value: u64) -> bool {
        match number {
            csr::FFLAGS => self.flags = (value & 31) as u8,
            csr::FRM => self.rounding = (value & 7) as u8,
            csr::FCSR => {
                self.flags = (value & 31) as u8;
                self.rounding = (value >> 5 & 7) as u8;
            }
            _ => return false,
        }
        true
    }
}
