//! Records of 64 bytes, as ChampSim reads them (`inc/trace_instruction.h`, `inc/instruction.h` of its repository).
//!
//! A record has an address, two registers that are written and four that are read, two addresses that are written and four that are read; zeros are
//! none. What kind of jump it is follows from three registers: stack pointer, flags, instruction pointer. Sizes of accesses, lengths of instructions and
//! units are not in there: we read 8 bytes, a length of 4, and the class ALU. An access beyond what an instruction of ours has becomes
//! an instruction of its own with the same address.

use super::input::Input;
use std::io::Read;
use volvelle_control::Control;
use volvelle_instructions::{Batch, Class, Failure, Instruction, Listing, Register, Step, Stream};

/// Bytes of a record.
pub const RECORD: usize = 64;
const STACK_POINTER: u8 = 6;
const FLAGS: u8 = 25;
const INSTRUCTION_POINTER: u8 = 26;
const SPECIAL: [u8; 3] = [STACK_POINTER, FLAGS, INSTRUCTION_POINTER];
/// Where our registers go that have the number of a special one.
const MOVED: u8 = 64;

/// The number of a register in a record.
fn to_record(register: Register) -> u8 {
    match SPECIAL.iter().position(|&special| special == register.0) {
        Some(index) => MOVED + index as u8,
        None => register.0,
    }
}

/// Our number of a register in a record that is none of the special ones. Others than ours are folded into ours.
fn from_record(number: u8) -> Register {
    match number {
        0..MOVED => Register(number),
        _ => match SPECIAL.get(usize::from(number - MOVED)) {
            Some(&special) => Register(special),
            None => Register(1 + number % (Register::COUNT as u8 - 1)),
        },
    }
}

/// Adds the records of a batch. Registers that do not fit are left out: none of RISC-V's instructions has so many.
pub fn write(listing: &Listing, batch: &Batch, to: &mut Vec<u8>) {
    let mut addresses = batch.addresses.iter();
    for step in &batch.steps {
        let instruction = &listing[step.instruction()];
        let address = match instruction.class.accesses_memory() {
            true => addresses.next().copied().unwrap_or(0),
            false => 0,
        };
        to.extend_from_slice(&record(instruction, step.is_taken(), address));
    }
}

fn record(instruction: &Instruction, is_taken: bool, address: u64) -> [u8; RECORD] {
    let class = instruction.class;
    // The special registers say what kind of jump it is; the others have what is left.
    let (writes, reads): (&[u8], &[u8]) = match class {
        Class::Branch => (&[INSTRUCTION_POINTER], &[INSTRUCTION_POINTER]),
        Class::Jump => (&[INSTRUCTION_POINTER], &[]),
        Class::IndirectJump => (&[INSTRUCTION_POINTER], &[]),
        Class::Call | Class::IndirectCall => {
            (&[INSTRUCTION_POINTER, STACK_POINTER], &[INSTRUCTION_POINTER, STACK_POINTER])
        }
        Class::Return => (&[INSTRUCTION_POINTER, STACK_POINTER], &[STACK_POINTER]),
        _ => (&[], &[]),
    };
    let mut destinations = writes.to_vec();
    let mut sources = reads.to_vec();
    if instruction.destination != Register::NONE {
        destinations.push(to_record(instruction.destination));
    }
    sources.extend(
        instruction
            .sources
            .iter()
            .filter(|&&source| source != Register::NONE)
            .map(|&source| to_record(source)),
    );
    if class == Class::Branch && sources.len() == 1 {
        sources.push(FLAGS); // compared with zero only: something has to be read
    }
    let mut bytes = [0; RECORD];
    bytes[..8].copy_from_slice(&instruction.pc.to_le_bytes());
    bytes[8] = class.transfers_control().into();
    bytes[9] = is_taken.into();
    for (at, register) in (10..12).zip(destinations) {
        bytes[at] = register;
    }
    for (at, register) in (12..16).zip(sources) {
        bytes[at] = register;
    }
    if class.writes_memory() {
        bytes[16..24].copy_from_slice(&address.to_le_bytes());
    }
    if matches!(class, Class::Load | Class::Atomic) {
        bytes[32..40].copy_from_slice(&address.to_le_bytes());
    }
    bytes
}

/// The kind of jump, as ChampSim tells it; `None` for others.
fn kind_of_jump(destinations: &[u8], sources: &[u8]) -> Option<Class> {
    let writes = |register| destinations.contains(&register);
    let reads = |register| sources.contains(&register);
    let reads_other = sources.iter().any(|&register| register != 0 && !SPECIAL.contains(&register));
    if !writes(INSTRUCTION_POINTER) {
        return None;
    }
    let (is_call, reads_pointer) = (writes(STACK_POINTER), reads(INSTRUCTION_POINTER));
    Some(match (reads(STACK_POINTER), reads(FLAGS)) {
        (false, false) if !reads_other => Class::Jump,
        (false, false) if !reads_pointer => Class::IndirectJump,
        (false, _) if reads_pointer && !is_call => Class::Branch,
        (true, false) if is_call && reads_pointer && !reads_other => Class::Call,
        (true, false) if is_call && reads_pointer => Class::IndirectCall,
        (true, _) if is_call && !reads_pointer => Class::Return,
        _ => Class::IndirectJump,
    })
}

/// A trace that is read.
pub struct ChampSim<R> {
    input: Input<R>,
    listing: Listing,
}

impl<R: Read> ChampSim<R> {
    /// Begins to read records.
    pub fn new(from: R) -> Self {
        ChampSim { input: Input::new(from), listing: Listing::default() }
    }

    fn add(&mut self, record: &[u8; RECORD], batch: &mut Batch) {
        let number = |at: usize| u64::from_le_bytes(record[at..at + 8].try_into().expect("eight bytes"));
        let (destinations, sources) = (&record[10..12], &record[12..16]);
        let jump = kind_of_jump(destinations, sources);
        let is_plain = |register: &&u8| **register != 0 && !(jump.is_some() && SPECIAL.contains(register));
        let plain_of = |register: &u8| from_record(*register);
        let destination = destinations.iter().find(is_plain).map_or(Register::NONE, plain_of);
        let mut read = sources.iter().filter(is_plain).map(plain_of);
        let sources = std::array::from_fn(|_| read.next().unwrap_or(Register::NONE));
        let of_class = |class| Instruction { class, destination, sources, ..Instruction::at(number(0)) };
        let mut written: Vec<u64> =
            [16, 24].map(number).into_iter().filter(|&address| address != 0).collect();
        let loaded: Vec<u64> =
            [32, 40, 48, 56].map(number).into_iter().filter(|&address| address != 0).collect();
        let before = batch.steps.len();
        for address in loaded {
            let is_both = written.first() == Some(&address);
            if is_both {
                written.remove(0);
            }
            let class = if is_both { Class::Atomic } else { Class::Load };
            self.push(Instruction { size: 8, ..of_class(class) }, false, Some(address), batch);
        }
        for address in written {
            self.push(Instruction { size: 8, ..of_class(Class::Store) }, false, Some(address), batch);
        }
        match jump {
            Some(class) => {
                let is_taken = class != Class::Branch || record[9] != 0;
                self.push(of_class(class), is_taken, None, batch);
            }
            None if batch.steps.len() == before => self.push(of_class(Class::Alu), false, None, batch),
            None => {}
        }
    }

    fn push(&mut self, instruction: Instruction, is_taken: bool, address: Option<u64>, batch: &mut Batch) {
        batch.steps.push(Step::new(self.listing.number(instruction), is_taken));
        batch.addresses.extend(address);
    }
}

/// Instructions that a record may become.
const MOST_OF_RECORD: usize = 7;

impl<R: Read> Stream for ChampSim<R> {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn next(&mut self, batch: &mut Batch, most: usize, control: &Control<'_>) -> Result<bool, Failure> {
        batch.clear();
        control.check()?;
        control.check_memory(self.listing.bytes())?;
        let mut record = [0; RECORD];
        while batch.steps.is_empty() || batch.steps.len() + MOST_OF_RECORD <= most {
            if !self.input.fill_or_end(&mut record)? {
                break;
            }
            self.add(&record, batch);
            self.input.instructions += 1;
        }
        Ok(!batch.steps.is_empty())
    }
}
