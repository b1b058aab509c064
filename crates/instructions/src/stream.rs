//! Executions of instructions, in order.

use crate::listing::Listing;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::Diagnostic;

/// That an instruction was executed: its number, and whether control went elsewhere than behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step(u32);

impl Step {
    /// The instruction of a number, which is less than 2^31.
    #[inline]
    pub fn new(instruction: u32, is_taken: bool) -> Self {
        Step(instruction << 1 | u32::from(is_taken))
    }

    /// The number of the instruction in the [`Listing`].
    #[inline]
    pub fn instruction(self) -> u32 {
        self.0 >> 1
    }

    /// Whether control went elsewhere than behind the instruction.
    #[inline]
    pub fn is_taken(self) -> bool {
        self.0 & 1 != 0
    }
}

/// Instructions that were executed one after the other.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The instructions.
    pub steps: Vec<Step>,
    /// For each of these that accesses memory, the address, in the same order.
    pub addresses: Vec<u64>,
    /// What would have followed had transfers gone the other way, where that was asked for.
    pub wrong: WrongPaths,
}

impl Batch {
    /// Removes all instructions.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.addresses.clear();
        self.wrong.clear();
    }
}

/// Wrong paths: for each transfer of control of a batch, the instructions that would have been executed had it gone the other way.
///
/// A branch has its other successor; any other transfer has the instruction behind it. See [`Stream::follow_wrong_paths`].
#[derive(Clone, Debug, Default)]
pub struct WrongPaths {
    /// The instructions of all wrong paths, one path after the other.
    pub steps: Vec<Step>,
    /// For each of these that accesses memory, the address, in the same order.
    pub addresses: Vec<u64>,
    /// For each transfer, in order, where its path ends: in `steps`, and in `addresses`.
    pub ends: Vec<(u32, u32)>,
}

impl WrongPaths {
    /// The path of the transfer of a number, counted from 0 in the batch: its instructions, and the addresses of those that access memory.
    #[inline]
    pub fn of(&self, number: usize) -> (&[Step], &[u64]) {
        let (step, address) = match number.checked_sub(1) {
            Some(before) => self.ends[before],
            None => (0, 0),
        };
        let (step_end, address_end) = self.ends[number];
        (
            &self.steps[step as usize..step_end as usize],
            &self.addresses[address as usize..address_end as usize],
        )
    }

    /// Notes that the path of the next transfer ends with what there is.
    #[inline]
    pub fn end(&mut self) {
        self.ends.push((self.steps.len() as u32, self.addresses.len() as u32));
    }

    /// Removes all of them.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.addresses.clear();
        self.ends.clear();
    }
}

/// Why a stream ends before its end.
#[derive(Clone, Debug)]
pub enum Failure {
    /// A limit was reached.
    Stopped(Stop),
    /// Something is wrong with the program or the trace.
    Faulty(Box<Diagnostic>),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Failure::Stopped(stop)
    }
}

/// What gives instructions: an emulator, or the reader of a trace.
pub trait Stream {
    /// The instructions that were met so far. Numbers stay what they are.
    fn listing(&self) -> &Listing;

    /// Executes at least one and at most `most` instructions more, and replaces what `batch` holds by them. `false`: the end is reached, and there is none.
    ///
    /// # Errors
    /// A limit was reached, or something is wrong. Instructions before it are in `batch`.
    fn next(&mut self, batch: &mut Batch, most: usize, control: &Control<'_>) -> Result<bool, Failure>;

    /// From now on, batches have the wrong path of each transfer: up to `length` instructions, or less where execution could not go on, and none for 0.
    /// `false`: this stream does not know them.
    ///
    /// What is executed stays the same.
    fn follow_wrong_paths(&mut self, length: usize) -> bool {
        let _ = length;
        false
    }
}
