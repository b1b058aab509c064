//! System calls of Linux, as many as static programs of the GNU C library make (numbers: `asm-generic/unistd.h`).
//!
//! Nothing here depends on the machine: time is counted in instructions, random bytes are a fixed sequence, there is one user and one process.

mod answer;
mod calls;
mod files;
mod frame;
mod names;
mod places;
mod signal_calls;
mod signals;
mod times;

pub use answer::Answer;
pub use calls::call_name;
pub use files::Files;
pub use places::Places;
pub use signals::{Sent, Signals};
pub use times::Times;

use crate::hart::Hart;
use crate::memory::Memory;
use crate::world::World;

/// What the kernel knows of the program.
pub struct Linux {
    /// Open files.
    pub files: Files,
    /// The heap, and where mappings go.
    pub places: Places,
    /// The clock.
    pub times: Times,
    /// The state of the sequence of "random" bytes.
    random: u64,
    /// Signals.
    pub signals: Signals,
}

/// What a call works on.
pub struct Scene<'a> {
    /// Registers: arguments in `a0` to `a5`.
    pub hart: &'a mut Hart,
    /// Memory.
    pub memory: &'a mut Memory,
    /// What is outside.
    pub world: &'a mut dyn World,
}

impl Linux {
    /// A process whose heap begins at an address.
    pub fn new(heap: u64) -> Self {
        Linux {
            files: Files::default(),
            places: Places::new(heap),
            times: Times::default(),
            random: 0x9e37_79b9_7f4a_7c15,
            signals: Signals::default(),
        }
    }

    /// The next of the "random" bytes: SplitMix64 (Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195).
    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}
