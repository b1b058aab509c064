//! Traces of the branch prediction championship of 2025 (`lib/trace_reader.h` of its kit, which describes the form), decompressed.
//!
//! A record has an address, a class, the access if there is one, outcome and target of branches, and registers with the values that are written. They
//! were made from AArch64: 31 general registers, the stack pointer, 32 vector registers and the flags. Two of them more than we have: the
//! first general register and the flags share numbers with the last two vector registers.

use super::input::Input;
use super::troubles::damaged;
use std::io::Read;
use volvelle_control::Control;
use volvelle_instructions::{Batch, Class, Failure, Instruction, Listing, Register, Step, Stream};

/// Classes by their numbers; 7 are slow operations of whole numbers, 8 are not known.
const CLASSES: [Class; 12] = [
    Class::Alu,
    Class::Load,
    Class::Store,
    Class::Branch,
    Class::Jump,
    Class::IndirectJump,
    Class::Fp,
    Class::Mul,
    Class::Alu,
    Class::Call,
    Class::IndirectCall,
    Class::Return,
];
const FLAGS: u8 = 64;
const ZERO: u8 = 65;

fn register(number: u8) -> Option<Register> {
    match number {
        0 => Some(Register(63)),
        1..FLAGS => Some(Register(number)),
        FLAGS => Some(Register(62)),
        ZERO => Some(Register::NONE),
        _ => None,
    }
}

/// A trace that is read.
pub struct Cbp<R> {
    input: Input<R>,
    listing: Listing,
}

impl<R: Read> Cbp<R> {
    /// Begins to read records.
    pub fn new(from: R) -> Self {
        Cbp { input: Input::new(from), listing: Listing::default() }
    }

    fn registers(&mut self) -> Result<(Vec<u8>, Vec<Register>), Failure> {
        let count = self.input.byte()?;
        let mut numbers = vec![0; usize::from(count)];
        self.input.fill(&mut numbers)?;
        let found = numbers.iter().map(|&number| register(number)).collect::<Option<Vec<Register>>>();
        let found = found.ok_or_else(|| damaged("there is no such register", self.input.instructions))?;
        Ok((numbers, found))
    }

    /// Reads a record; `false`: there is none.
    fn record(&mut self, batch: &mut Batch) -> Result<bool, Failure> {
        let mut pc = [0; 8];
        if !self.input.fill_or_end(&mut pc)? {
            return Ok(false);
        }
        let number = self.input.byte()?;
        let Some(&class) = CLASSES.get(usize::from(number)) else {
            return Err(damaged(&format!("there is no class {number}"), self.input.instructions));
        };
        let (mut address, mut size, mut is_taken) = (None, 0, false);
        if class.accesses_memory() {
            address = Some(self.input.number()?);
            size = self.input.byte()?.max(1);
            self.input.byte()?; // whether the base register is updated, which is among those written
            if class == Class::Store {
                self.input.byte()?; // whether a register is an offset
            }
        }
        if class.transfers_control() {
            is_taken = self.input.byte()? != 0;
            if is_taken {
                self.input.number()?; // the target, which is where the next record is
            }
        }
        let (_, read) = self.registers()?;
        let (numbers, written) = self.registers()?;
        // Values take 8 bytes, those of vectors 16.
        let values: usize =
            numbers.iter().map(|number| if (32..FLAGS).contains(number) { 16 } else { 8 }).sum();
        self.input.fill(&mut vec![0; values])?;
        let mut sources = read.into_iter().filter(|&register| register != Register::NONE);
        let instruction = Instruction {
            class,
            size,
            destination: written.first().copied().unwrap_or(Register::NONE),
            sources: std::array::from_fn(|_| sources.next().unwrap_or(Register::NONE)),
            ..Instruction::at(u64::from_le_bytes(pc))
        };
        batch.steps.push(Step::new(self.listing.number(instruction), is_taken));
        batch.addresses.extend(address);
        self.input.instructions += 1;
        Ok(true)
    }
}

impl<R: Read> Stream for Cbp<R> {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn next(&mut self, batch: &mut Batch, most: usize, control: &Control<'_>) -> Result<bool, Failure> {
        batch.clear();
        control.check()?;
        control.check_memory(self.listing.bytes())?;
        while batch.steps.len() < most.max(1) && self.record(batch)? {}
        Ok(!batch.steps.is_empty())
    }
}
