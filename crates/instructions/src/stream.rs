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
}

impl Batch {
    /// Removes all instructions.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.addresses.clear();
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
}
