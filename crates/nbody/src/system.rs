//! The state that integrators advance, and their progress.

use crate::gravity::Gravity;
use crate::physics::Physics;
use crate::ranks::Outcome;
use crate::state::State;
use crate::trouble::Trouble;
use volvelle_control::{Control, ProgressEvent, Stop};
use volvelle_runtime::Kernel;

/// The state that integrators advance.
pub(crate) struct System {
    pub(crate) state: State,
    pub(crate) gravity: Gravity,
    pub(crate) physics: Physics,
}

/// The progress of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advanced {
    /// The time of the bodies now.
    pub time: f64,
    /// Steps in this call. With individual steps: the number of times at which some bodies moved.
    pub steps: u64,
    /// Forces on bodies that were computed in this call.
    pub forces: u64,
    /// Why it ended before its time.
    pub stopped: Option<Stop>,
}

/// Number of pairs between reports: about a tenth of a second on a processor.
const NEWS_EVERY: u64 = 1 << 27;

/// Least work of one force, in pairs: trees and launches take time as well.
const LEAST_PAIRS: u64 = 1 << 10;

/// Reports progress whenever enough work was done since the last report.
pub(crate) struct News<'a> {
    from: f64,
    until: f64,
    bodies: u64,
    control: &'a Control<'a>,
    pairs: u64,
}

impl<'a> News<'a> {
    pub(crate) fn new(state: &State, until: f64, control: &'a Control<'a>) -> Self {
        News { from: state.time, until, bodies: (state.len() as u64).max(LEAST_PAIRS), control, pairs: 0 }
    }

    /// Records a step with its number of forces, the time after it and the number of steps; reports if there
    /// was enough work.
    pub(crate) fn step(&mut self, forces: u64, time: f64, steps: u64) {
        self.pairs = self.pairs.saturating_add(forces.saturating_mul(self.bodies));
        if self.pairs >= NEWS_EVERY {
            self.pairs = 0;
            let times = [self.from, time, self.until];
            self.control.progress.report(ProgressEvent::Moving { times, steps });
        }
    }
}

impl System {
    /// Computes the accelerations of all bodies at their positions, then runs further kernels with a lane for
    /// each body. The outcome is that of this rank.
    pub(crate) fn accelerate(&mut self, then: &[&Kernel]) -> Result<Outcome, Trouble> {
        let units = self.state.len() as u64;
        let kernels = [&[self.gravity.prepared(&self.state)?], then].concat();
        Ok(Outcome::of(Kernel::start_in_order(&kernels, units, None))?)
    }

    /// The same after a kernel that moves the bodies.
    pub(crate) fn accelerate_behind(
        &mut self,
        moving: &Kernel,
        then: &[&Kernel],
    ) -> Result<Outcome, Trouble> {
        let units = self.state.len() as u64;
        let context = &self.state.context;
        let is_alone = context.network().size() == 1 && context.devices().len() == 1;
        if let Some(force) = self.gravity.always_prepared().filter(|_| is_alone) {
            // All places are on the device.
            return Ok(Outcome::of(Kernel::start_in_order(&[&[moving, force], then].concat(), units, None))?);
        }
        let moved = Outcome::of(moving.start(units, None))?;
        self.state.position.synchronize()?;
        Ok(moved.and(self.accelerate(then)?))
    }
}
