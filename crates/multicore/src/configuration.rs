//! What is asked of a pass.

use crate::machine::Machine;
use crate::machine::Mode;
use crate::predictors::Specification;
use crate::predictors::Training;
use crate::sampling::Sampling;
use volvelle_diagnostics::{Diagnostic, codes};

/// A machine and a predictor, and what is asked of them.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The machine.
    pub machine: Machine,
    /// The predictor.
    pub predictor: Specification,
    /// Whether cycles are computed, not only predictions.
    pub is_timed: bool,
    /// Whether predictions by branch are asked for.
    pub has_branches: bool,
    /// Whether blocks with coherence misses are asked for.
    pub has_shared_blocks: bool,
    /// Length of the timeline in instructions.
    pub timeline: usize,
    /// Windows to which cycles are confined; `None` if everything is simulated.
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

    /// Checks that machine, predictor and windows fit together.
    ///
    /// # Errors
    /// The machine is wrong; completion times of tasks are needed but cycles are not computed; windows are
    /// shorter than what is in flight.
    pub fn check(&self) -> Result<(), Diagnostic> {
        self.machine.check()?;
        let wrong = |message: String| Err(Diagnostic::error(codes::MACHINE_VALUE, message));
        let is_late = self.machine.training != Training::AtOnce;
        let is_known = self.machine.mode == Mode::Rounds && !self.machine.keeps_younger;
        if is_late && !is_known && !self.is_timed {
            let message = "when tasks complete is not known without cycles".to_owned();
            return wrong(message).map_err(|found| found.help("write `training = \"at-once\"`"));
        }
        let in_flight = self.machine.in_flight();
        if let Some(Sampling { window, .. }) = self.sampling.filter(|sampling| sampling.window < in_flight) {
            let message = format!(
                "a window of {window} instructions is shorter than the tasks of all cores, {in_flight}"
            );
            return wrong(message).map_err(|found| found.help(format!("write --window {in_flight} or more")));
        }
        Ok(())
    }

    /// Predictions only.
    pub fn untimed(machine: Machine, predictor: Specification) -> Self {
        Configuration { is_timed: false, ..Configuration::new(machine, predictor) }
    }
}
