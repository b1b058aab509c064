//! Steps of value iteration on a thread, and their schedule between the thread and a device.

use volvelle_control::Control;
use volvelle_logic::Optimum;
use volvelle_runtime::Error;
use volvelle_solver::Context;
use volvelle_solver::scheduling::{self, Schedule};
use volvelle_solver::sweeps::Sweeps;
use volvelle_space::Space;

use super::bundles::Bundles;
use super::device::OnDevice;
use super::rule::{BatchOutcome, Rule};

/// Entries that a thread multiplies in a batch of steps, about; a device may multiply more.
const BATCH: u64 = 4_000_000;
const BATCH_ON_DEVICE: u64 = 500_000_000;

/// Values on their way through steps.
pub struct Steps<'a>(Schedule<'a, OnHost<'a>>);

/// Values in main memory, and what steps over them depend on.
struct OnHost<'a> {
    space: &'a Space,
    control: &'a Control<'a>,
    optimum: Optimum,
    rule: Rule<'a>,
    value: Vec<f64>,
    next: Vec<f64>,
    /// The states whose values move, once a step was made from the values at hand.
    moving: Option<Bundles>,
}

impl OnHost<'_> {
    /// Steps of a batch that multiplies about that many entries, of those that are left.
    fn batch(&self, entries: u64, left: u64) -> u64 {
        (entries / scheduling::Steps::entries(self) as u64).clamp(1, left)
    }

    /// Up to `count` of the steps that are left.
    fn make(&mut self, count: u64, left: u64) -> BatchOutcome {
        let vectors = [&mut self.value, &mut self.next];
        self.rule.steps(self.space, self.optimum, vectors, &mut self.moving, count, left)
    }
}

impl scheduling::Batch for BatchOutcome {
    fn steps(&self) -> u64 {
        self.steps
    }
}

impl<'a> scheduling::Steps<'a> for OnHost<'a> {
    type Device = OnDevice;
    type Batch = BatchOutcome;

    fn entries(&self) -> usize {
        self.space.num_transitions().max(1)
    }

    fn fill(&mut self, sweeps: &'a Sweeps) -> Result<OnDevice, Error> {
        OnDevice::new(sweeps, self.space, self.optimum, &self.rule, &self.value)
    }

    fn advance(&mut self, _: u64, left: u64) -> BatchOutcome {
        let count = self.batch(BATCH, left);
        self.make(count, left)
    }

    fn advance_on(&self, device: &mut OnDevice, _: u64, count: u64) -> Result<BatchOutcome, Error> {
        device.steps(self.batch(BATCH_ON_DEVICE, count), self.control)
    }

    fn repeat(&mut self, _: u64, count: u64) {
        // These steps may end when nothing changes any more; later steps change nothing either.
        self.make(count, count);
    }

    fn load(&mut self, device: &mut OnDevice) -> Result<(), Error> {
        self.value = device.values()?;
        // What stays is not in the other vector.
        self.moving = None;
        Ok(())
    }
}

impl<'a> Steps<'a> {
    /// Begins with these values.
    pub fn new(context: &'a Context<'a>, optimum: Optimum, rule: Rule<'a>, value: Vec<f64>) -> Self {
        let next = vec![0.0; value.len()];
        let host = OnHost {
            space: context.space,
            control: context.control,
            optimum,
            rule,
            value,
            next,
            moving: None,
        };
        Steps(Schedule::new(context, host, 0))
    }

    /// Makes some of the steps that are left: a batch.
    pub fn advance(&mut self, left: u64) -> BatchOutcome {
        match self.0.warm_up(left) {
            Some(made) => made,
            None => self.0.advance(left),
        }
    }

    /// The newest values.
    pub fn into_values(self) -> Vec<f64> {
        self.0.finish().value
    }
}
