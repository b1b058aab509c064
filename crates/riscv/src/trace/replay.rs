//! Reads our own form of traces: see [`super::record`].

use super::followers::{Followers, NOBODY};
use super::input::Input;
use super::numbers::Numbers;
use super::parts::{self, MAGIC, Part};
use super::record::PART;
use super::troubles::{damaged, foreign};
use std::io::Read;
use volvelle_control::Control;
use volvelle_instructions::{Batch, Class, Failure, Instruction, Listing, Register, Step, Stream};

/// Classes by their numbers in traces.
const CLASSES: [Class; 13] = [
    Class::Alu,
    Class::Mul,
    Class::Div,
    Class::Fp,
    Class::Load,
    Class::Store,
    Class::Atomic,
    Class::Branch,
    Class::Jump,
    Class::IndirectJump,
    Class::Call,
    Class::IndirectCall,
    Class::Return,
];

/// A trace that is read.
pub struct Replay<R> {
    input: Input<R>,
    listing: Listing,
    followers: Followers,
    last: (u32, bool),
    previous_pc: u64,
    part: Reading,
    is_ended: bool,
}

/// A part that is read.
#[derive(Default)]
struct Reading {
    left: usize,
    exceptions: Numbers,
    as_expected: u64,
    outcomes: Numbers,
    outcome_bits: u8,
    outcome_count: u8,
    addresses: Numbers,
}

impl Replay<&[u8]> {
    /// Whether bytes begin as a trace does, of whatever version.
    pub fn is_likely(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC[..7])
    }
}

impl<R: Read> Replay<R> {
    /// Begins to read a trace.
    ///
    /// # Errors
    /// It is none, or of another version.
    pub fn new(from: R) -> Result<Self, Failure> {
        let mut input = Input::new(from);
        let mut magic = [0; 8];
        input.fill(&mut magic)?;
        if magic[..7] != MAGIC[..7] {
            return Err(foreign("the file is no trace of Volvelle"));
        }
        if magic[7] != MAGIC[7] {
            let message =
                format!("the trace is of version {}; this program reads version {}", magic[7], MAGIC[7]);
            return Err(foreign(&message));
        }
        Ok(Replay {
            input,
            listing: Listing::default(),
            followers: Followers::default(),
            last: (NOBODY, false),
            previous_pc: 0,
            part: Reading::default(),
            is_ended: false,
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let part = self.part.exceptions.len() + self.part.outcomes.len() + self.part.addresses.len();
        self.listing.bytes() + self.followers.bytes() + part as u64
    }

    fn damaged(&self, what: &str) -> Failure {
        damaged(what, self.input.instructions)
    }

    /// Reads the next part; `false`: the trace is at its end.
    fn next_part(&mut self, control: &Control<'_>) -> Result<bool, Failure> {
        control.check_memory(self.bytes())?;
        match parts::read(&mut self.input)? {
            Part::Content(content) => {
                control.check_memory(self.bytes() + 2 * content.len() as u64)?;
                let mut numbers = Numbers::new(content);
                self.part = self
                    .begin_part(&mut numbers)
                    .ok_or_else(|| self.damaged("a part holds less than it says"))?;
                Ok(true)
            }
            Part::End(count) if count != self.input.instructions => {
                Err(self.damaged("it has another number of instructions than it says"))
            }
            Part::End(_) => {
                self.is_ended = true;
                match self.input.fill_or_end(&mut [0])? {
                    true => Err(self.damaged("something is behind its end")),
                    false => Ok(false),
                }
            }
        }
    }

    fn begin_part(&mut self, numbers: &mut Numbers) -> Option<Reading> {
        for _ in 0..numbers.next()? {
            let pc = self.previous_pc.wrapping_add(numbers.next_signed()? as u64);
            let class = *CLASSES.get(usize::from(numbers.byte()?))?;
            let (length, size) = (numbers.byte()?, numbers.byte()?);
            let mut register =
                || numbers.byte().filter(|&number| usize::from(number) < Register::COUNT).map(Register);
            let (destination, sources) = (register()?, [register()?, register()?, register()?]);
            let instruction = Instruction { pc, class, length, size, destination, sources };
            if self.listing.number(instruction) as usize != self.followers.len() {
                return None; // twice the same
            }
            self.followers.add();
            self.previous_pc = pc.wrapping_add(length.into());
        }
        let left = usize::try_from(numbers.next()?).ok().filter(|left| (1..=PART).contains(left))?;
        let mut exceptions = numbers.section()?;
        let (outcomes, addresses) = (numbers.section()?, numbers.section()?);
        let as_expected = exceptions.next()?;
        numbers.is_at_end().then_some(Reading {
            left,
            exceptions,
            as_expected,
            outcomes,
            addresses,
            ..Reading::default()
        })
    }

    /// Executes instructions of the part. `None`: they are not there.
    fn replay(&mut self, batch: &mut Batch, count: usize) -> Option<()> {
        let listing = self.listing.as_slice();
        let (mut last, mut was_taken) = self.last;
        let part = &mut self.part;
        for _ in 0..count {
            if part.as_expected > 0 {
                part.as_expected -= 1;
                last = if last == NOBODY { NOBODY } else { self.followers.expected(last, was_taken) };
            } else {
                let number = u32::try_from(part.exceptions.next()?).ok()?;
                part.as_expected = part.exceptions.next()?;
                if last != NOBODY {
                    self.followers.set(last, was_taken, number);
                }
                last = number;
            }
            let class = listing.get(last as usize)?.class;
            was_taken = class.transfers_control() && part.outcome()?;
            if class.accesses_memory() {
                batch.addresses.push(self.followers.address(last, part.addresses.next_signed()?));
            }
            batch.steps.push(Step::new(last, was_taken));
        }
        self.last = (last, was_taken);
        part.left -= count;
        (part.left > 0 || part.is_used_up()).then_some(())
    }
}

impl Reading {
    #[inline]
    fn outcome(&mut self) -> Option<bool> {
        if self.outcome_count == 0 {
            self.outcome_bits = self.outcomes.byte()?;
            self.outcome_count = 8;
        }
        let is_taken = self.outcome_bits & 1 != 0;
        self.outcome_bits >>= 1;
        self.outcome_count -= 1;
        Some(is_taken)
    }

    fn is_used_up(&self) -> bool {
        self.as_expected == 0
            && self.exceptions.is_at_end()
            && self.outcomes.is_at_end()
            && self.addresses.is_at_end()
    }
}

impl<R: Read> Stream for Replay<R> {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn next(&mut self, batch: &mut Batch, most: usize, control: &Control<'_>) -> Result<bool, Failure> {
        batch.clear();
        control.check()?;
        if self.is_ended || self.part.left == 0 && !self.next_part(control)? {
            return Ok(false);
        }
        let count = self.part.left.min(most.max(1));
        let replayed = self.replay(batch, count);
        self.input.instructions += batch.steps.len() as u64;
        replayed.ok_or_else(|| self.damaged("a part holds something else than it says"))?;
        Ok(true)
    }
}
