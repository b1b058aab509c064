//! Answers.

use crate::caches::{CacheCounts, SharedBlock};
use crate::sampling::Window;
use crate::timing::{Bounds, Shares, Stack, Times};
use serde::{Deserialize, Serialize};

/// What one configuration does with a stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The machine, by name.
    pub machine: String,
    /// How many cores it has.
    pub cores: usize,
    /// The predictor, by name.
    pub predictor: String,
    /// Bits of the predictor's tables.
    pub bits: u64,
    /// Instructions of the stream: squashed ones never count.
    pub instructions: u64,
    /// Cycles until the last instruction has retired; 0 where only predictions were asked for.
    pub cycles: u64,
    /// Tasks of the stream.
    pub tasks: u64,
    /// Rounds, if cores get tasks together.
    pub rounds: u64,
    /// Tasks that were predicted.
    pub predictions: u64,
    /// Those that were mispredicted.
    pub mispredictions: u64,
    /// Tasks that end with a taken transfer: their targets are predicted.
    pub target_lookups: u64,
    /// Targets that were unknown or wrong.
    pub target_misses: u64,
    /// Where the cycles of all cores went.
    pub stack: Stack,
    /// What cores took at once. With windows, only what was simulated in windows.
    pub shares: Shares,
    /// Least numbers of cycles.
    pub bounds: Bounds,
    /// Counts of the data caches.
    pub dcache: CacheCounts,
    /// Misses of the caches of instructions.
    pub icache_misses: u64,
    /// Accesses to the second-level cache; 0 where it always hits.
    pub l2_accesses: u64,
    /// Those that missed.
    pub l2_misses: u64,
    /// Predictions by branch, those with most mispredictions first; empty unless asked for.
    pub branches: Vec<Branch>,
    /// Blocks with coherence misses, those with most first; empty unless asked for.
    pub shared_blocks: Vec<SharedBlock>,
    /// Times of the first instructions, as many as asked for.
    pub timeline: Vec<Times>,
    /// The windows from which cycles are estimated; empty if everything is simulated.
    pub windows: Vec<Window>,
}

/// A branch, or another transfer that tasks are predicted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    /// Its address.
    pub pc: u64,
    /// How often it was predicted.
    pub executions: u64,
    /// How often it was taken.
    pub taken: u64,
    /// How often it was mispredicted.
    pub mispredictions: u64,
}

impl Answer {
    /// Instructions per cycle; 0 without cycles. With windows it is computed from theirs, since cycles are
    /// rounded.
    pub fn ipc(&self) -> f64 {
        let windows = self.cpi_of_windows();
        if windows > 0.0 {
            1.0 / windows
        } else if self.cycles == 0 {
            0.0
        } else {
            self.instructions as f64 / self.cycles as f64
        }
    }

    /// Mispredictions per thousand instructions; 0 without instructions.
    pub fn mpki(&self) -> f64 {
        if self.instructions == 0 {
            0.0
        } else {
            self.mispredictions as f64 * 1000.0 / self.instructions as f64
        }
    }
}
