//! Writes our own form of traces.
//!
//! A part is: instructions that were not met before, the number of executions, and three sections: where execution went another way than expected
//! (how many instructions went as expected before, and which one came), outcomes of instructions that transfer control (a bit each), and differences
//! of addresses. See [`super::followers`] for what is expected.

use super::followers::{Followers, NOBODY};
use super::numbers::{put, put_signed};
use super::parts::{self, MAGIC};
use volvelle_instructions::{Batch, Instruction, Listing};

/// Executions of a part.
pub(super) const PART: usize = 1 << 16;

/// Records a stream.
pub struct Recorder {
    /// Numbers in the trace by numbers in the listing of the stream.
    numbers: Vec<u32>,
    followers: Followers,
    /// The last execution: its number and outcome.
    last: (u32, bool),
    previous_pc: u64,
    part: PartInWork,
    instructions: u64,
    is_begun: bool,
}

#[derive(Default)]
struct PartInWork {
    new: Vec<u8>,
    new_count: u64,
    count: usize,
    exceptions: Vec<u8>,
    as_expected: u64,
    outcomes: Vec<u8>,
    outcome_count: usize,
    addresses: Vec<u8>,
}

impl Default for Recorder {
    fn default() -> Self {
        Recorder {
            numbers: Vec::new(),
            followers: Followers::default(),
            last: (NOBODY, false),
            previous_pc: 0,
            part: PartInWork::default(),
            instructions: 0,
            is_begun: false,
        }
    }
}

impl Recorder {
    /// Records a batch; adds bytes of the trace to `to`, now or later.
    pub fn record(&mut self, listing: &Listing, batch: &Batch, to: &mut Vec<u8>) {
        self.begin(to);
        self.numbers.resize(listing.len(), NOBODY);
        let mut addresses = batch.addresses.iter();
        for step in &batch.steps {
            let instruction = &listing[step.instruction()];
            let number = self.number(step.instruction(), instruction);
            self.follow(number);
            let is_taken = step.is_taken() && instruction.class.transfers_control();
            if instruction.class.transfers_control() {
                self.part.outcome(is_taken);
            }
            if instruction.class.accesses_memory() {
                let address = addresses.next().copied().unwrap_or(0);
                put_signed(&mut self.part.addresses, self.followers.difference(number, address));
            }
            self.last = (number, is_taken);
            self.part.count += 1;
            if self.part.count == PART {
                self.end_part(to);
            }
        }
    }

    /// Adds the end of the trace.
    pub fn finish(mut self, to: &mut Vec<u8>) {
        self.begin(to);
        self.end_part(to);
        parts::put_end(self.instructions, to);
    }

    fn begin(&mut self, to: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.is_begun, true) {
            to.extend_from_slice(MAGIC);
        }
    }

    /// The number of an instruction in the trace.
    #[inline]
    fn number(&mut self, listed: u32, instruction: &Instruction) -> u32 {
        match self.numbers[listed as usize] {
            NOBODY => self.add(listed, instruction),
            number => number,
        }
    }

    fn add(&mut self, listed: u32, instruction: &Instruction) -> u32 {
        let number = self.followers.len() as u32;
        self.followers.add();
        self.numbers[listed as usize] = number;
        let Instruction { pc, class, length, size, destination, sources } = *instruction;
        let new = &mut self.part.new;
        put_signed(new, pc.wrapping_sub(self.previous_pc) as i64);
        new.extend([class as u8, length, size, destination.0]);
        new.extend(sources.map(|register| register.0));
        self.previous_pc = pc.wrapping_add(length.into());
        self.part.new_count += 1;
        number
    }

    #[inline]
    fn follow(&mut self, number: u32) {
        let (last, was_taken) = self.last;
        if last != NOBODY {
            if self.followers.expected(last, was_taken) == number {
                self.part.as_expected += 1;
                return;
            }
            self.followers.set(last, was_taken, number);
        }
        put(&mut self.part.exceptions, self.part.as_expected);
        put(&mut self.part.exceptions, number.into());
        self.part.as_expected = 0;
    }

    fn end_part(&mut self, to: &mut Vec<u8>) {
        if self.part.count == 0 {
            return;
        }
        let mut part = std::mem::take(&mut self.part);
        put(&mut part.exceptions, part.as_expected);
        let mut content = Vec::new();
        put(&mut content, part.new_count);
        content.append(&mut part.new);
        put(&mut content, part.count as u64);
        for section in [&part.exceptions, &part.outcomes, &part.addresses] {
            put(&mut content, section.len() as u64);
            content.extend_from_slice(section);
        }
        parts::put(&content, to);
        self.instructions += part.count as u64;
    }
}

impl PartInWork {
    #[inline]
    fn outcome(&mut self, is_taken: bool) {
        let bit = self.outcome_count % 8;
        if bit == 0 {
            self.outcomes.push(0);
        }
        if let Some(last) = self.outcomes.last_mut() {
            *last |= u8::from(is_taken) << bit;
        }
        self.outcome_count += 1;
    }
}
