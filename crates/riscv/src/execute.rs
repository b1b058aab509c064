//! Executes operations until something happens that the interpreter does not do itself.
//!
//! There is one meaning of each instruction, whoever observes: see [`crate::observer`].

use crate::blocks::{Blocks, NO_BLOCK};
use crate::float_execute::{double, execute_float};
use crate::hart::Hart;
use crate::memory::{Fault, Memory, View, Written};
use crate::observer::Observer;
use crate::operation::{Code, Operation};

/// Why execution pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// As many instructions as were wanted are executed.
    Budget,
    /// A system call, which counts as executed; the next instruction is behind it.
    Call,
    /// A breakpoint, which does not count.
    Breakpoint,
    /// No instruction: its word.
    Illegal(u32),
    /// An access that is not possible.
    Fault(Fault),
}

/// How a block was left.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// Behind its last operation.
    Behind,
    /// To the address in the operation.
    Jump,
    /// To an address that was computed.
    Indirect(u64),
    /// The operation was executed, and code was written.
    CodeWritten,
    /// The operation needs a closer look, or could not be executed.
    Before,
}

/// Executes at most `budget` instructions.
pub fn execute<O: Observer>(
    hart: &mut Hart,
    memory: &mut Memory,
    blocks: &mut Blocks,
    observer: &mut O,
    budget: u64,
) -> Event {
    let mut left = budget;
    let mut id = NO_BLOCK;
    loop {
        if left == 0 {
            return Event::Budget;
        }
        if id == NO_BLOCK {
            id = match blocks.find(hart.pc, memory) {
                Ok(id) => id,
                Err(fault) => return Event::Fault(fault),
            };
        }
        let block = *blocks.block(id);
        let (operations, steps) = blocks.content(&block);
        let operations = &operations[..operations.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
        let is_whole = operations.len() == steps.len();
        let (count, leave) = straight(hart, memory, observer, block.pc, operations);
        let is_taken = matches!(leave, Leave::Jump | Leave::Indirect(_));
        observer.block(block.pc, &operations[..count], &steps[..count], is_taken);
        left -= count as u64;
        hart.executed += count as u64;
        let other = if O::WANTS_TRANSFERS { other_way(block.pc, &operations[..count], leave) } else { None };
        match leave {
            Leave::Behind if is_whole => {
                hart.pc = block.pc + u64::from(block.bytes);
                id = follow(hart.pc, id, 0, blocks, memory);
            }
            Leave::Behind => hart.pc = operations[count - 1].end(block.pc),
            Leave::Jump => {
                hart.pc = operations[count - 1].immediate as u64;
                id = follow(hart.pc, id, 1, blocks, memory);
            }
            Leave::Indirect(target) => {
                hart.pc = target;
                id = NO_BLOCK;
            }
            Leave::CodeWritten => {
                hart.pc = operations[count - 1].end(block.pc);
                blocks.forget();
                memory.forget_code();
                id = NO_BLOCK;
            }
            Leave::Before => {
                let operation = operations[count];
                hart.pc = block.pc + u64::from(operation.offset);
                match rare(hart, memory, &operation) {
                    // They are executed now: at the end of a block, as ordinary instructions.
                    Ok(event) => {
                        observer.block(
                            hart.pc,
                            &[Operation { offset: 0, ..operation }],
                            &steps[count..=count],
                            false,
                        );
                        left -= 1;
                        hart.executed += 1;
                        hart.pc += u64::from(operation.length);
                        if let Some(event) = event {
                            return event;
                        }
                        if operation.code == Code::FenceI {
                            // Writes to code are noticed at once; what was mapped otherwise is noticed here, too.
                            if memory.is_code_written() {
                                blocks.forget();
                                memory.forget_code();
                            }
                        }
                        id = NO_BLOCK;
                    }
                    Err(event) => return event,
                }
            }
        }
        if O::WANTS_TRANSFERS
            && let Some(other) = other
        {
            observer.transfer(hart, memory, blocks, other);
        }
    }
}

/// Where control would have gone the other way, if the last operation was a transfer.
fn other_way(pc: u64, operations: &[Operation], leave: Leave) -> Option<u64> {
    let last = operations.last()?;
    match leave {
        Leave::Jump | Leave::Indirect(_) => Some(last.end(pc)),
        Leave::Behind if last.code.is_branch() => Some(last.immediate as u64),
        _ => None,
    }
}

/// The block behind another, if it is known or can be decoded; otherwise the fault is met again where the block is looked for.
#[inline(always)]
fn follow(pc: u64, id: u32, slot: usize, blocks: &mut Blocks, memory: &mut Memory) -> u32 {
    let known = blocks.block(id).next[slot];
    if known != NO_BLOCK {
        return known;
    }
    let next = blocks.find(pc, memory).unwrap_or(NO_BLOCK);
    blocks.link(id, slot, next);
    next
}

/// Operations that end a block without being jumps, and those that could not be executed.
#[inline(never)]
fn rare(hart: &mut Hart, memory: &mut Memory, operation: &Operation) -> Result<Option<Event>, Event> {
    match operation.code {
        Code::FenceI => Ok(None),
        Code::Ecall => Ok(Some(Event::Call)),
        Code::Ebreak => Err(Event::Breakpoint),
        Code::Csr => match control(hart, operation) {
            Some(()) => Ok(None),
            None => Err(Event::Illegal(csr_word(operation))),
        },
        Code::Illegal => Err(Event::Illegal(operation.immediate as u32)),
        // The rounding mode in `frm` is reserved.
        Code::Float | Code::FaddD | Code::FsubD | Code::FmulD | Code::FdivD | Code::FusedD => {
            Err(Event::Illegal(read_word(hart.pc, memory)))
        }
        _ => Err(Event::Fault(memory.fault())),
    }
}

fn read_word(pc: u64, memory: &mut Memory) -> u32 {
    memory.read::<4>(pc).map_or(0, u32::from_le_bytes)
}

fn csr_word(operation: &Operation) -> u32 {
    let rd = if operation.rd < 32 { u32::from(operation.rd) } else { 0 };
    let immediate = operation.immediate as u32;
    0x73 | rd << 7 | (immediate >> 12) << 12 | u32::from(operation.rs1) << 15 | (immediate & 0xfff) << 20
}

/// `csrrw` and its like (unprivileged specification, 6.1); `None`: the register is not there, or may not be written.
pub fn control(hart: &mut Hart, operation: &Operation) -> Option<()> {
    let (number, function) = ((operation.immediate & 0xfff) as u16, operation.immediate >> 12);
    let old = hart.control_register(number)?;
    let operand = match function & 4 {
        0 => hart.registers[usize::from(operation.rs1)],
        _ => operation.rs1.into(),
    };
    let is_written = function & 3 == 1 || operation.rs1 != 0;
    let new = match function & 3 {
        1 => operand,
        2 => old | operand,
        _ => old & !operand,
    };
    if is_written && !hart.set_control_register(number, new) {
        return None;
    }
    hart.registers[usize::from(operation.rd)] = old;
    Some(())
}

fn extend(word: u32) -> u64 {
    i64::from(word as i32) as u64
}

/// Executes operations until one goes elsewhere; how many were executed.
#[expect(
    clippy::too_many_lines,
    reason = "one dispatch for all operations: a second one would cost time in each"
)]
#[inline(always)]
pub fn straight<V: View, O: Observer>(
    hart: &mut Hart,
    memory: &mut V,
    observer: &mut O,
    pc: u64,
    operations: &[Operation],
) -> (usize, Leave) {
    let mut rest = operations.iter();
    macro_rules! leave {
        (after $leave:expr) => {
            return (operations.len() - rest.len(), $leave)
        };
        (before) => {
            return (operations.len() - rest.len() - 1, Leave::Before)
        };
    }
    while let Some(operation) = rest.next() {
        let (rd, rs1, rs2) =
            (usize::from(operation.rd), usize::from(operation.rs1), usize::from(operation.rs2));
        let immediate = operation.immediate as u64;
        let x = &mut hart.registers;
        macro_rules! branch {
            ($condition:expr) => {
                if $condition {
                    leave!(after Leave::Jump)
                }
            };
        }
        macro_rules! load {
            ($bytes:literal, $convert:expr) => {{
                let address = x[rs1].wrapping_add(immediate);
                match memory.read::<$bytes>(address) {
                    Some(bytes) => {
                        observer.load(address, u32::ilog2($bytes));
                        x[rd] = $convert(bytes);
                    }
                    None => leave!(before),
                }
            }};
        }
        macro_rules! store {
            ($bytes:literal, $kind:ty) => {{
                let address = x[rs1].wrapping_add(immediate);
                match memory.write::<$bytes>(address, (x[rs2] as $kind).to_le_bytes()) {
                    Written::Plain => observer.store(address, u32::ilog2($bytes)),
                    Written::Code => {
                        observer.store(address, u32::ilog2($bytes));
                        leave!(after Leave::CodeWritten)
                    }
                    Written::Not => leave!(before),
                }
            }};
        }
        match operation.code {
            Code::Constant => x[rd] = immediate,
            Code::Move => x[rd] = x[rs1],
            Code::Addi => x[rd] = x[rs1].wrapping_add(immediate),
            Code::Slti => x[rd] = u64::from((x[rs1] as i64) < operation.immediate),
            Code::Sltiu => x[rd] = u64::from(x[rs1] < immediate),
            Code::Xori => x[rd] = x[rs1] ^ immediate,
            Code::Ori => x[rd] = x[rs1] | immediate,
            Code::Andi => x[rd] = x[rs1] & immediate,
            Code::Slli => x[rd] = x[rs1] << (immediate & 63),
            Code::Srli => x[rd] = x[rs1] >> (immediate & 63),
            Code::Srai => x[rd] = (x[rs1] as i64 >> (immediate & 63)) as u64,
            Code::Addiw => x[rd] = extend((x[rs1] as u32).wrapping_add(immediate as u32)),
            Code::Slliw => x[rd] = extend((x[rs1] as u32) << (immediate & 31)),
            Code::Srliw => x[rd] = extend(x[rs1] as u32 >> (immediate & 31)),
            Code::Sraiw => x[rd] = extend((x[rs1] as i32 >> (immediate & 31)) as u32),
            Code::Add => x[rd] = x[rs1].wrapping_add(x[rs2]),
            Code::Sub => x[rd] = x[rs1].wrapping_sub(x[rs2]),
            Code::Sll => x[rd] = x[rs1] << (x[rs2] & 63),
            Code::Slt => x[rd] = u64::from((x[rs1] as i64) < x[rs2] as i64),
            Code::Sltu => x[rd] = u64::from(x[rs1] < x[rs2]),
            Code::Xor => x[rd] = x[rs1] ^ x[rs2],
            Code::Srl => x[rd] = x[rs1] >> (x[rs2] & 63),
            Code::Sra => x[rd] = (x[rs1] as i64 >> (x[rs2] & 63)) as u64,
            Code::Or => x[rd] = x[rs1] | x[rs2],
            Code::And => x[rd] = x[rs1] & x[rs2],
            Code::Addw => x[rd] = extend((x[rs1] as u32).wrapping_add(x[rs2] as u32)),
            Code::Subw => x[rd] = extend((x[rs1] as u32).wrapping_sub(x[rs2] as u32)),
            Code::Sllw => x[rd] = extend((x[rs1] as u32) << (x[rs2] & 31)),
            Code::Srlw => x[rd] = extend(x[rs1] as u32 >> (x[rs2] & 31)),
            Code::Sraw => x[rd] = extend((x[rs1] as i32 >> (x[rs2] & 31)) as u32),
            Code::Mul => x[rd] = x[rs1].wrapping_mul(x[rs2]),
            Code::Mulh => x[rd] = ((i128::from(x[rs1] as i64) * i128::from(x[rs2] as i64)) >> 64) as u64,
            Code::Mulhsu => x[rd] = (i128::from(x[rs1] as i64).wrapping_mul(i128::from(x[rs2])) >> 64) as u64,
            Code::Mulhu => x[rd] = ((u128::from(x[rs1]) * u128::from(x[rs2])) >> 64) as u64,
            Code::Mulw => x[rd] = extend((x[rs1] as u32).wrapping_mul(x[rs2] as u32)),
            Code::Div | Code::Divu | Code::Rem | Code::Remu => {
                x[rd] = quotient(operation.code, x[rs1], x[rs2])
            }
            Code::Divw | Code::Divuw | Code::Remw | Code::Remuw => {
                x[rd] = extend(quotient_of_words(operation.code, x[rs1] as u32, x[rs2] as u32));
            }
            Code::Lb => load!(1, |bytes| i64::from(i8::from_le_bytes(bytes)) as u64),
            Code::Lh => load!(2, |bytes| i64::from(i16::from_le_bytes(bytes)) as u64),
            Code::Lw => load!(4, |bytes| extend(u32::from_le_bytes(bytes))),
            Code::Ld => load!(8, u64::from_le_bytes),
            Code::Lbu => load!(1, |bytes| u64::from(u8::from_le_bytes(bytes))),
            Code::Lhu => load!(2, |bytes| u64::from(u16::from_le_bytes(bytes))),
            Code::Lwu => load!(4, |bytes| u64::from(u32::from_le_bytes(bytes))),
            Code::Flw => load!(4, |bytes| double::boxed(u32::from_le_bytes(bytes))),
            Code::Sb => store!(1, u8),
            Code::Sh => store!(2, u16),
            Code::Sw => store!(4, u32),
            Code::Sd => store!(8, u64),
            Code::Beq => branch!(x[rs1] == x[rs2]),
            Code::Bne => branch!(x[rs1] != x[rs2]),
            Code::Blt => branch!((x[rs1] as i64) < x[rs2] as i64),
            Code::Bge => branch!(x[rs1] as i64 >= x[rs2] as i64),
            Code::Bltu => branch!(x[rs1] < x[rs2]),
            Code::Bgeu => branch!(x[rs1] >= x[rs2]),
            Code::Jal => {
                x[rd] = operation.end(pc);
                leave!(after Leave::Jump)
            }
            Code::Jalr => {
                let target = x[rs1].wrapping_add(immediate) & !1;
                x[rd] = operation.end(pc);
                leave!(after Leave::Indirect(target))
            }
            Code::LoadReserved | Code::StoreConditional | Code::Atomic => {
                match atomic(hart, memory, observer, operation) {
                    Written::Plain => {}
                    Written::Code => leave!(after Leave::CodeWritten),
                    Written::Not => leave!(before),
                }
            }
            Code::FaddD | Code::FsubD | Code::FmulD | Code::FdivD | Code::FusedD => {
                if !double::is_done(hart, operation) && !execute_float(hart, operation) {
                    leave!(before)
                }
            }
            Code::Float => {
                if !execute_float(hart, operation) {
                    leave!(before)
                }
            }
            Code::Nothing => {}
            Code::FenceI | Code::Ecall | Code::Ebreak | Code::Csr | Code::Illegal => leave!(before),
        }
    }
    (operations.len(), Leave::Behind)
}

/// Division by zero and overflow have results (unprivileged specification, table 11).
fn quotient(code: Code, a: u64, b: u64) -> u64 {
    let (signed_a, signed_b) = (a as i64, b as i64);
    match code {
        Code::Div if b == 0 => u64::MAX,
        Code::Div => signed_a.wrapping_div(signed_b) as u64,
        Code::Divu => a.checked_div(b).unwrap_or(u64::MAX),
        Code::Rem if b == 0 => a,
        Code::Rem => signed_a.wrapping_rem(signed_b) as u64,
        _ => a.checked_rem(b).unwrap_or(a),
    }
}

fn quotient_of_words(code: Code, a: u32, b: u32) -> u32 {
    let (signed_a, signed_b) = (a as i32, b as i32);
    match code {
        Code::Divw if b == 0 => u32::MAX,
        Code::Divw => signed_a.wrapping_div(signed_b) as u32,
        Code::Divuw => a.checked_div(b).unwrap_or(u32::MAX),
        Code::Remw if b == 0 => a,
        Code::Remw => signed_a.wrapping_rem(signed_b) as u32,
        _ => a.checked_rem(b).unwrap_or(a),
    }
}

/// Reads and writes that nothing comes between (unprivileged specification, chapter 8). There is one processor, so all of them succeed that can.
#[inline(never)]
fn atomic<V: View, O: Observer>(
    hart: &mut Hart,
    memory: &mut V,
    observer: &mut O,
    operation: &Operation,
) -> Written {
    let (rd, rs1, rs2) = (usize::from(operation.rd), usize::from(operation.rs1), usize::from(operation.rs2));
    let (address, size_log2) = (hart.registers[rs1], u32::from(operation.third));
    let is_word = size_log2 == 2;
    let old = match is_word {
        true => memory.read::<4>(address).map(|bytes| extend(u32::from_le_bytes(bytes))),
        false => memory.read::<8>(address).map(u64::from_le_bytes),
    };
    let Some(old) = old else { return Written::Not };
    let operand = hart.registers[rs2];
    let new = match operation.code {
        Code::LoadReserved => {
            observer.load(address, size_log2);
            hart.reservation = Some((address, old));
            hart.registers[rd] = old;
            return Written::Plain;
        }
        Code::StoreConditional if hart.reservation != Some((address, old)) => {
            hart.reservation = None;
            hart.registers[rd] = 1;
            observer.store(address, size_log2);
            return Written::Plain;
        }
        Code::StoreConditional => operand,
        _ => combine(operation.immediate, is_word, old, operand),
    };
    let written = match is_word {
        true => memory.write::<4>(address, (new as u32).to_le_bytes()),
        false => memory.write::<8>(address, new.to_le_bytes()),
    };
    if written == Written::Not {
        return written;
    }
    if operation.code == Code::StoreConditional {
        hart.reservation = None;
        hart.registers[rd] = 0;
        observer.store(address, size_log2);
    } else {
        hart.registers[rd] = old;
        observer.atomic(address, size_log2);
    }
    written
}

/// What an atomic operation writes. Words are extended by their signs, which keeps their order, with and without one.
fn combine(function: i64, is_word: bool, old: u64, operand: u64) -> u64 {
    let operand = if is_word { extend(operand as u32) } else { operand };
    match function {
        0 => old.wrapping_add(operand),
        1 => operand,
        4 => old ^ operand,
        8 => old | operand,
        12 => old & operand,
        16 => (old as i64).min(operand as i64) as u64,
        20 => (old as i64).max(operand as i64) as u64,
        24 => old.min(operand),
        _ => old.max(operand),
    }
}
