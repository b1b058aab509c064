//! Places of registers of the program: registers of the machine, or the frame.

use iced_x86::Register;

/// The place of a vector or a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// No place: the register does not occur.
    None,
    /// A vector register, by number.
    Vector(u8),
    /// In the frame, at this byte.
    Frame(i32),
    /// One value for all lanes, in the frame at this byte.
    Uniform(i32),
    /// A mask register, by number.
    Mask(u8),
    /// A mask in a general register: an index into [`GENERAL`].
    General(u8),
    /// A mask that is constant.
    Fixed(bool),
}

/// General registers for masks without a mask register. Calls preserve the first ones.
pub(super) const GENERAL: [Register; 12] = [
    Register::EBP,
    Register::R12D,
    Register::R13D,
    Register::R14D,
    Register::R15D,
    Register::R8D,
    Register::R9D,
    Register::R10D,
    Register::R11D,
    Register::EDX,
    Register::ESI,
    Register::EDI,
];
/// Number of registers of [`GENERAL`] that calls preserve.
pub(super) const PRESERVED: u8 = 5;

/// The places of a register: a double has a low and a high half, eight lanes each.
pub(super) type Halves = [Place; 2];
