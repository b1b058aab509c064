//! Windows: parts of a stream whose cycles stand for all of it.
//!
//! R. E. Wunderlich, T. F. Wenisch, B. Falsafi, J. C. Hoe, *SMARTS: accelerating microarchitecture simulation
//! via rigorous statistical sampling*, ISCA 2003, doi:10.1145/859618.859629. Windows lie at equal distances.
//! Before each window, some instructions fill the pipeline; between windows, caches and predictors follow the
//! program without cycles.

use serde::{Deserialize, Serialize};

/// Which parts of a stream are simulated in detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampling {
    /// Number of windows, at least 1.
    pub windows: u64,
    /// Instructions of a window, at least 1.
    pub window: u64,
    /// Number of instructions before each window that are simulated but not counted.
    pub warm_up: u64,
}

/// Instructions and cycles of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Number of instructions: a window ends with a task.
    pub instructions: u64,
    /// Number of cycles they took.
    pub cycles: u64,
}

/// What is done with an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Caches and predictors follow it.
    Followed,
    /// It is simulated, but not counted.
    WarmUp,
    /// It is simulated as a part of a window.
    Counted,
}

/// Windows laid over a stream of known length.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    sampling: Sampling,
    instructions: u64,
}

impl Plan {
    /// A plan; `None` if windows with their warm-ups would cover the whole stream, which is then simulated
    /// completely.
    pub fn new(sampling: Sampling, instructions: u64) -> Option<Self> {
        let each = sampling.window.saturating_add(sampling.warm_up);
        (each.saturating_mul(sampling.windows) < instructions).then_some(Plan { sampling, instructions })
    }

    /// What is done with an instruction, and the first instruction for which that may change.
    pub fn phase(&self, instruction: u64) -> (Phase, u64) {
        let Sampling { windows, window, warm_up } = self.sampling;
        // Parts of equal length, each with a window in its middle.
        let start =
            |part: u64| (u128::from(part) * u128::from(self.instructions) / u128::from(windows)) as u64;
        let part = (u128::from(instruction) * u128::from(windows) / u128::from(self.instructions)) as u64;
        let part = if start(part + 1) <= instruction { part + 1 } else { part };
        let (from, to) = (start(part), start(part + 1));
        let warm_up_start = from + (to - from - window - warm_up) / 2;
        let window_start = warm_up_start + warm_up;
        let window_end = window_start + window;
        match instruction {
            at if at < warm_up_start => (Phase::Followed, warm_up_start),
            at if at < window_start => (Phase::WarmUp, window_start),
            at if at < window_end => (Phase::Counted, window_end),
            _ => (Phase::Followed, to),
        }
    }
}
