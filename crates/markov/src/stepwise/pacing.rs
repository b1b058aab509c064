//! Who makes the steps: a thread, or a device where there is one; and what becomes of them where that fails.
//!
//! As for power series (`transient::vectors`): values from which a device began stay in main memory, and are replaced by
//! newer ones now and then; where it fails, a thread goes on from there.

use volvelle_logic::Optimum;
use volvelle_runtime::Error;

use super::device::OnDevice;
use super::{Made, Ways};
use crate::context::Context;
use crate::sweeps::{READ_BACK, Sweeps, Trial, Verdict};

/// Entries in a batch of steps of a thread, about; of a device there may be more.
const BATCH: u64 = 4_000_000;
const BATCH_ON_DEVICE: u64 = 500_000_000;

/// Values on their way through some steps.
pub struct Pacing<'a> {
    context: &'a Context<'a>,
    optimum: Optimum,
    ways: Ways<'a>,
    /// While a device works: those to go on from where it fails.
    value: Vec<f64>,
    next: Vec<f64>,
    /// Steps that `value` has behind it, and steps of the newest values.
    value_done: u64,
    done: u64,
    device: Option<OnDevice>,
    trial: Trial,
}

impl<'a> Pacing<'a> {
    /// From these values on.
    pub fn new(context: &'a Context<'a>, optimum: Optimum, ways: Ways<'a>, value: Vec<f64>) -> Self {
        let next = vec![0.0; value.len()];
        let trial = Trial::default();
        let mut pacing =
            Pacing { context, optimum, ways, value, next, value_done: 0, done: 0, device: None, trial };
        if let Some(sweeps) = context.sweeps().filter(|sweeps| sweeps.is_asked()) {
            if sweeps.has_failed() {
                context.note_failed_device();
            } else if pacing.begin(sweeps) {
                context.note_asked_device();
            }
        }
        pacing
    }

    /// Some of the steps that are left: a batch.
    pub fn advance(&mut self, left: u64) -> Made {
        let candidate = self.context.sweeps().filter(|sweeps| sweeps.may_pay(self.entries() as usize));
        let Some(sweeps) = candidate.filter(|_| self.trial.goes_on()) else {
            let made = self.go_on(left);
            if (self.done - self.value_done).saturating_mul(self.entries()) > READ_BACK {
                self.fetch();
            }
            return made;
        };
        if self.device.is_none() && self.trial.is_time(left) && !self.begin(sweeps) {
            self.trial.end();
        }
        if self.device.is_some() && self.trial.is_first() {
            return self.go_on(1);
        }
        let before = sweeps.now();
        let made = self.go_on(left);
        let time = sweeps.now().saturating_sub(before);
        if self.device.is_none() {
            self.trial.add_threads(time, made.steps);
            return made;
        }
        match self.trial.decide(sweeps, time, made.steps) {
            Verdict::Device(fact) => self.context.note(fact),
            Verdict::Threads(fact) => {
                self.context.note(fact);
                self.fetch();
                self.device = None;
            }
        }
        made
    }

    /// The newest values.
    pub fn into_values(mut self) -> Vec<f64> {
        self.fetch();
        self.value
    }

    fn entries(&self) -> u64 {
        self.context.space.num_transitions().max(1) as u64
    }

    /// Fills the device; tells whether it took everything.
    fn begin(&mut self, sweeps: &Sweeps) -> bool {
        match OnDevice::new(sweeps, self.context.space, self.optimum, &self.ways, &self.value) {
            Ok(device) => {
                self.device = Some(device);
                true
            }
            Err(error) => {
                self.fail(error);
                false
            }
        }
    }

    /// A batch, on the device if it works.
    fn go_on(&mut self, left: u64) -> Made {
        let batch = |entries: u64| (entries / self.entries()).clamp(1, left);
        let (small, large) = (batch(BATCH), batch(BATCH_ON_DEVICE));
        if let Some(device) = &mut self.device {
            match device.steps(large, self.context.control) {
                Ok(made) => {
                    self.done += made.steps;
                    return made;
                }
                Err(error) => self.fail(error),
            }
        }
        let made = self.steps(small);
        self.done += made.steps;
        self.value_done = self.done;
        made
    }

    /// Steps in main memory.
    fn steps(&mut self, count: u64) -> Made {
        self.ways.steps(self.context.space, self.optimum, &mut self.value, &mut self.next, count)
    }

    /// The device is not asked any more; a thread catches up with it.
    fn fail(&mut self, error: Error) {
        self.device = None;
        self.context.give_up_device(error);
        // They may end where nothing changes any more: then those to come change nothing.
        self.steps(self.done - self.value_done);
        self.value_done = self.done;
    }

    /// Brings the values in main memory up to date.
    fn fetch(&mut self) {
        let Some(device) = &self.device else { return };
        match device.values() {
            Ok(values) => {
                self.value = values;
                self.value_done = self.done;
            }
            Err(error) => self.fail(error),
        }
    }
}
