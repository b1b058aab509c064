//! What integrators move, and how far they came.

use crate::gravity::Gravity;
use crate::physics::Physics;
use crate::ranks::Outcome;
use crate::state::State;
use crate::trouble::Trouble;
use volvelle_control::Stop;
use volvelle_runtime::Kernel;

/// What integrators move.
pub(crate) struct System {
    pub(crate) state: State,
    pub(crate) gravity: Gravity,
    pub(crate) physics: Physics,
}

/// How far a simulation came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advanced {
    /// The time of the bodies now.
    pub time: f64,
    /// Steps in this call; with steps of different lengths those after which some body had moved.
    pub steps: u64,
    /// Forces on bodies that were computed in this call.
    pub forces: u64,
    /// Why it ended before its time.
    pub stopped: Option<Stop>,
}

impl System {
    /// Computes the accelerations of all bodies where they are; the outcome is that of this rank.
    pub(crate) fn accelerate(&mut self) -> Result<Outcome, Trouble> {
        self.gravity.accelerate(&self.state)
    }

    /// Runs a kernel with a lane for each body; the outcome is that of this rank.
    pub(crate) fn run(&self, kernel: &Kernel) -> Result<Outcome, Trouble> {
        Ok(Outcome::of(kernel.start(self.state.len() as u64, None)?))
    }
}
