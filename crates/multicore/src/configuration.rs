//! What is asked of a pass.

use crate::machine::Machine;
use crate::predictors::Specification;
use crate::sampling::Sampling;

/// A machine and a predictor, and what is to be found.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The machine.
    pub machine: Machine,
    /// The predictor.
    pub predictor: Specification,
    /// Whether cycles are asked for, not only predictions.
    pub is_timed: bool,
    /// Whether predictions by branch are asked for.
    pub has_branches: bool,
    /// Whether blocks with coherence misses are asked for.
    pub has_shared_blocks: bool,
    /// How many instructions of a timeline are asked for.
    pub timeline: usize,
    /// Windows to which cycles are confined; none: all is simulated.
    pub sampling: Option<Sampling>,
}

impl Configuration {
    /// Cycles and predictions, without lists.
    pub fn new(machine: Machine, predictor: Specification) -> Self {
        Configuration {
            machine,
            predictor,
            is_timed: true,
            has_branches: false,
            has_shared_blocks: false,
            timeline: 0,
            sampling: None,
        }
    }

    /// Predictions only.
    pub fn untimed(machine: Machine, predictor: Specification) -> Self {
        Configuration { is_timed: false, ..Configuration::new(machine, predictor) }
    }
}
