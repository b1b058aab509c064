//! What integrators move, and how far they came.

use crate::gravity::Gravity;
use crate::physics::Physics;
use crate::ranks::Outcome;
use crate::state::State;
use crate::trouble::Trouble;
use volvelle_control::{Control, ProgressEvent, Stop};
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

/// Pairs of bodies for which a processor needs about a tenth of a second.
const NEWS_EVERY: u64 = 1 << 27;

/// Pairs that one force has at least the work of: trees and launches take time as well.
const LEAST_PAIRS: u64 = 1 << 10;

/// Reports on the progress from a time to another, by the work that was done since the last one.
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

    /// Notes a step with so many forces, after which it is that time; reports if there was enough work.
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
    /// Computes the accelerations of all bodies where they are, and runs further kernels then, with a lane for each body; the outcome is
    /// that of this rank.
    pub(crate) fn accelerate(&mut self, then: &[&Kernel]) -> Result<Outcome, Trouble> {
        let units = self.state.len() as u64;
        let kernels = [&[self.gravity.prepared(&self.state)?], then].concat();
        Ok(Outcome::of(Kernel::start_in_order(&kernels, units, None))?)
    }

    /// The same behind a kernel that moves the bodies.
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
