//! What all configurations share of a stream: instructions in dense form, and dependences through memory.

mod memory;

use memory::Memory;
use volvelle_coherence::Operation;
use volvelle_instructions::{Batch, Class, Listing, Register, Step, WrongPaths};

/// An instruction, as timing needs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub pc: u64,
    pub class: Class,
    /// Its access to memory, if any.
    pub operation: Option<Operation>,
    pub size: u8,
    pub length: u8,
    /// [`Op::NO_REGISTER`] if none.
    pub destination: u8,
    pub sources: [u8; 3],
}

impl Op {
    /// Stands for no register: what is written to it is never read.
    pub const NO_REGISTER: u8 = Register::COUNT as u8;

    /// Whether it accesses memory.
    #[inline]
    pub fn is_memory(&self) -> bool {
        self.operation.is_some()
    }

    /// Whether the next instruction need not be the adjacent one.
    #[inline]
    pub fn transfers(&self) -> bool {
        self.class.transfers_control()
    }
}

/// Instructions at the beginning of a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Done {
    pub instructions: u32,
    /// Instructions that access memory.
    pub accesses: u32,
    /// Instructions that transfer control.
    pub transfers: u32,
}

/// Instructions of a stream that are under work, the oldest first.
#[derive(Debug)]
pub(crate) struct Stage {
    /// All distinct instructions so far, by number.
    pub ops: Vec<Op>,
    /// The executed instructions in work.
    pub steps: Vec<Step>,
    /// Addresses of the accesses among them.
    pub addresses: Vec<u64>,
    /// For each access, the end of its list of producers. The first list begins at
    /// [`Stage::producers_start`].
    pub producer_ends: Vec<u32>,
    /// Distances, in instructions, from an access back to those on which it waits: for a load, the last
    /// stores of its bytes; for a store, these and the loads since. Only distances below [`MOST_IN_FLIGHT`].
    pub producers: Vec<u32>,
    /// Wrong paths of all transfers; empty if they are not followed.
    pub wrong: WrongPaths,
    /// The stream is at its end.
    pub is_complete: bool,
    memory: Option<Memory>,
}

impl Stage {
    /// An empty stage. `has_memory`: it records dependences through memory.
    pub fn new(has_memory: bool) -> Self {
        Stage {
            ops: Vec::new(),
            steps: Vec::new(),
            addresses: Vec::new(),
            producer_ends: Vec::new(),
            producers: Vec::new(),
            wrong: WrongPaths::default(),
            is_complete: false,
            memory: has_memory.then(Memory::default),
        }
    }

    /// Adds instructions.
    pub fn add(&mut self, batch: &Batch, listing: &Listing) {
        for instruction in &listing.as_slice()[self.ops.len()..] {
            self.ops.push(Op {
                pc: instruction.pc,
                class: instruction.class,
                operation: match instruction.class {
                    Class::Load => Some(Operation::Load),
                    Class::Store => Some(Operation::Store),
                    Class::Atomic => Some(Operation::Atomic),
                    _ => None,
                },
                size: instruction.size.max(1),
                length: instruction.length,
                destination: match instruction.destination {
                    Register::NONE => Op::NO_REGISTER,
                    register => register.0 % Op::NO_REGISTER,
                },
                sources: instruction.sources.map(|register| register.0 % Op::NO_REGISTER),
            });
        }
        self.steps.extend_from_slice(&batch.steps);
        self.addresses.extend_from_slice(&batch.addresses);
        let (step, address) = (self.wrong.steps.len() as u32, self.wrong.addresses.len() as u32);
        self.wrong.steps.extend_from_slice(&batch.wrong.steps);
        self.wrong.addresses.extend_from_slice(&batch.wrong.addresses);
        self.wrong.ends.extend(batch.wrong.ends.iter().map(|end| (step + end.0, address + end.1)));
        let Some(memory) = &mut self.memory else { return };
        let mut addresses = batch.addresses.iter();
        for step in &batch.steps {
            let op = &self.ops[step.instruction() as usize];
            if let Some(operation) = op.operation
                && let Some(&address) = addresses.next()
            {
                memory.access(address, op.size, operation.writes(), &mut self.producers);
                self.producer_ends.push(self.producers.len() as u32);
            }
            memory.advance();
        }
    }

    /// Number of instructions whose successor is known, or that have none.
    pub fn known(&self) -> u32 {
        self.steps.len() as u32 - u32::from(!self.is_complete && !self.steps.is_empty())
    }

    /// The instruction of a place.
    #[inline]
    pub fn op(&self, at: u32) -> &Op {
        &self.ops[self.steps[at as usize].instruction() as usize]
    }

    /// The address of the instruction of a place, if there is one yet.
    #[inline]
    pub fn pc(&self, at: u32) -> Option<u64> {
        self.steps.get(at as usize).map(|step| self.ops[step.instruction() as usize].pc)
    }

    /// The producers of an access.
    #[inline]
    pub fn producers_of(&self, access: usize) -> &[u32] {
        let start = if access == 0 { 0 } else { self.producer_ends[access - 1] as usize };
        &self.producers[start..self.producer_ends[access] as usize]
    }

    /// Removes instructions at the beginning.
    pub fn remove(&mut self, done: Done) {
        let Done { instructions, accesses, transfers } = done;
        self.steps.drain(..instructions as usize);
        self.addresses.drain(..accesses as usize);
        if self.memory.is_some() && accesses > 0 {
            let start = self.producer_ends[accesses as usize - 1];
            self.producer_ends.drain(..accesses as usize);
            self.producers.drain(..start as usize);
            self.producer_ends.iter_mut().for_each(|end| *end -= start);
        }
        if let Some(&(step, address)) =
            (transfers as usize).checked_sub(1).and_then(|last| self.wrong.ends.get(last))
        {
            self.wrong.ends.drain(..transfers as usize);
            self.wrong.steps.drain(..step as usize);
            self.wrong.addresses.drain(..address as usize);
            self.wrong.ends.iter_mut().for_each(|end| *end = (end.0 - step, end.1 - address));
        }
    }

    /// Approximate number of bytes held.
    pub fn bytes(&self) -> u64 {
        let wrong = self.wrong.steps.capacity() * 4 + self.wrong.addresses.capacity() * 8;
        let lists = self.steps.capacity() * 4 + self.addresses.capacity() * 8 + wrong;
        let producers = (self.producer_ends.capacity() + self.producers.capacity()) * 4;
        let memory = self.memory.as_ref().map_or(0, Memory::bytes);
        (lists + producers + self.ops.capacity() * size_of::<Op>()) as u64 + memory
    }
}
