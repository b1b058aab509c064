//! What a handler of a signal finds on its stack, and what a program goes on with when the handler returns: `struct rt_sigframe`.
//!
//! The layout is that of Linux for RISC-V (`arch/riscv/kernel/signal.c` of 6.1): facts about the signal (`siginfo_t`, 128 bytes), then the context (`ucontext_t`): flags,
//! a link, the other stack, the mask, and, 176 bytes behind the beginning of the context, the address of the next instruction, registers from `x1` on, those of
//! floating point, and `fcsr`. Vector state has no place, as there is none.

use super::places::MAPPINGS_END;
use crate::elf::Permissions;
use crate::hart::{Hart, names};
use crate::memory::{Fault, Memory, PAGE_BYTES};
use crate::operation::FLOAT;

/// Bytes of facts about a signal.
pub const INFO_BYTES: usize = 128;
/// Bytes of `stack_t`.
pub const STACK_BYTES: usize = 24;
const BYTES: usize = INFO_BYTES + 960;
const CONTEXT: usize = INFO_BYTES;
const STACK: usize = CONTEXT + 16;
const MASK: usize = CONTEXT + 40;
const REGISTERS: usize = CONTEXT + 176;
const FLOATS: usize = REGISTERS + 32 * 8;
const FLOAT_CONTROL: usize = FLOATS + 32 * 8;

/// Where a handler returns to, as Linux's page of code for programs has it: between mappings and the stack.
const RETURN: u64 = MAPPINGS_END;
/// `li a7, 139; ecall`: the call `rt_sigreturn`.
const RETURN_CODE: [u8; 8] = [0x93, 0x08, 0xb0, 0x08, 0x73, 0, 0, 0];

/// What goes into a frame besides registers.
pub struct Content {
    /// Facts about the signal.
    pub info: [u8; INFO_BYTES],
    /// The stack for handlers.
    pub stack: [u8; STACK_BYTES],
    /// The signals that are blocked when the handler has returned.
    pub mask: u64,
}

/// Where a frame lies below an address.
pub fn below(top: u64) -> u64 {
    top.wrapping_sub(BYTES as u64) & !15
}

/// Writes a frame, and lets execution go on with a handler.
///
/// # Errors
/// It cannot be written.
pub fn enter(
    (frame, handler): (u64, u64),
    content: &Content,
    hart: &mut Hart,
    memory: &mut Memory,
) -> Result<(), Fault> {
    if memory.permissions_of(RETURN).is_none() {
        memory.map(RETURN, PAGE_BYTES, Permissions(Permissions::READ | Permissions::EXECUTE));
        if !memory.load(RETURN, &RETURN_CODE) {
            return Err(memory.fault());
        }
    }
    let mut bytes = [0; BYTES];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, &content.info);
    put(STACK, &content.stack);
    put(MASK, &content.mask.to_le_bytes());
    put(REGISTERS, &hart.pc.to_le_bytes());
    for number in 1..32 {
        put(REGISTERS + 8 * number, &hart.registers[number].to_le_bytes());
    }
    for number in 0..32 {
        put(FLOATS + 8 * number, &hart.registers[usize::from(FLOAT) + number].to_le_bytes());
    }
    put(FLOAT_CONTROL, &[hart.rounding << 5 | hart.flags]);
    if !memory.copy_in(frame, &bytes) {
        return Err(memory.fault());
    }
    hart.registers[names::RA] = RETURN;
    hart.registers[names::SP] = frame;
    let signal = i32::from_le_bytes(content.info[..4].try_into().expect("four bytes"));
    hart.registers[names::A0] = i64::from(signal) as u64;
    hart.registers[names::A0 + 1] = frame;
    hart.registers[names::A0 + 2] = frame + CONTEXT as u64;
    hart.pc = handler & !1;
    hart.reservation = None;
    Ok(())
}

/// Restores registers from the frame that the stack pointer points to; gives the stack for handlers, and the signals that are blocked. `None`: there is no frame.
pub fn leave(hart: &mut Hart, memory: &mut Memory) -> Option<([u8; STACK_BYTES], u64)> {
    let mut bytes = [0; BYTES];
    if !memory.copy_out(hart.registers[names::SP], &mut bytes, Permissions::READ) {
        return None;
    }
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    hart.pc = word(REGISTERS) & !1;
    for number in 1..32 {
        hart.registers[number] = word(REGISTERS + 8 * number);
    }
    for number in 0..32 {
        hart.registers[usize::from(FLOAT) + number] = word(FLOATS + 8 * number);
    }
    (hart.rounding, hart.flags) = (bytes[FLOAT_CONTROL] >> 5, bytes[FLOAT_CONTROL] & 31);
    hart.reservation = None;
    Some((bytes[STACK..STACK + STACK_BYTES].try_into().expect("as many bytes"), word(MASK)))
}
