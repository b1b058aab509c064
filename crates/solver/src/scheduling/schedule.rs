//! Scheduling of steps between threads and a device: which of them makes the next steps, and recovery where the device
//! fails.
//!
//! The requested device begins with the first step. Any other is tried on matrices of some size once threads have
//! worked for as long as filling it may take and at least as much work is left; a benchmark of a step on either side decides
//! (`DeviceBenchmark`). The values from which a device began stay in main memory and are replaced by newer ones now and
//! then: if it fails, threads continue from there.

use volvelle_runtime::Error;

use super::benchmark::{DeviceBenchmark, Verdict};
use super::fallback::READ_BACK;
use crate::context::Context;
use crate::sweeps::Sweeps;

/// The result of a batch of steps.
pub trait Batch {
    /// Number of steps made.
    fn steps(&self) -> u64;
}

impl Batch for u64 {
    fn steps(&self) -> u64 {
        *self
    }
}

/// Values in main memory, and steps over them that a device can make as well, with the same bits.
pub trait Steps<'a> {
    /// The values on a device.
    type Device;
    /// The result of a batch of steps.
    type Batch: Batch;

    /// Entries that a step multiplies.
    fn entries(&self) -> usize;

    /// Puts the values on a device.
    fn fill(&mut self, sweeps: &'a Sweeps) -> Result<Self::Device, Error>;

    /// Makes a batch of up to `count` steps in main memory; `done` were made before.
    fn advance(&mut self, done: u64, count: u64) -> Self::Batch;

    /// Makes a batch of up to `count` steps on a device; `done` were made before.
    fn advance_on(&self, device: &mut Self::Device, done: u64, count: u64) -> Result<Self::Batch, Error>;

    /// Makes `count` steps in main memory again which a device that failed had made; `done` were made before.
    fn repeat(&mut self, done: u64, count: u64);

    /// Reads the values of a device.
    fn load(&mut self, device: &mut Self::Device) -> Result<(), Error>;
}

/// Values on their way through steps, on threads or on a device.
pub struct Schedule<'a, S: Steps<'a>> {
    context: &'a Context<'a>,
    /// While a device works: the values from which threads continue if it fails.
    host: S,
    /// Steps that the values in main memory have behind them.
    host_done: u64,
    device: Option<S::Device>,
    /// Steps that the newest values have behind them.
    done: u64,
    benchmark: DeviceBenchmark,
}

impl<'a, S: Steps<'a>> Schedule<'a, S> {
    /// Begins with values that have `done` steps behind them; on the device where one was requested.
    pub fn new(context: &'a Context<'a>, host: S, done: u64) -> Self {
        let benchmark = DeviceBenchmark::default();
        let mut schedule = Schedule { context, host, host_done: done, device: None, done, benchmark };
        if let Some(sweeps) = context.sweeps().filter(|sweeps| sweeps.is_asked()) {
            if sweeps.has_failed() {
                context.note_failed_device();
            } else if schedule.begin(sweeps) {
                context.note_asked_device();
            }
        }
        schedule
    }

    /// Steps that the newest values have behind them.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// The values in main memory, which may not be the newest, and what steps over them depend on.
    pub fn host(&mut self) -> &mut S {
        &mut self.host
    }

    /// Fills a device that was not requested, if it is time for its benchmark, and makes the first step on it, which may
    /// include preparations. `to_come`: steps that are left.
    pub fn warm_up(&mut self, to_come: u64) -> Option<S::Batch> {
        let sweeps = self.candidate()?;
        if self.device.is_none() && self.benchmark.is_time(to_come) && !self.begin(sweeps) {
            self.benchmark.end();
        }
        (self.device.is_some() && self.benchmark.is_first()).then(|| self.go_on(1))
    }

    /// Makes a batch of up to `count` steps, and measures it during a benchmark.
    pub fn advance(&mut self, count: u64) -> S::Batch {
        let Some(sweeps) = self.candidate() else {
            let batch = self.go_on(count);
            if (self.done - self.host_done).saturating_mul(self.host.entries() as u64) > READ_BACK {
                self.fetch();
            }
            return batch;
        };
        let before = sweeps.now();
        let batch = self.go_on(count);
        let time = sweeps.now().saturating_sub(before);
        if self.device.is_none() {
            self.benchmark.add_threads(time, batch.steps());
        } else if batch.steps() > 0 {
            match self.benchmark.decide(sweeps, time, batch.steps()) {
                Verdict::Device(fact) => self.context.note(fact),
                Verdict::Threads(fact) => {
                    self.context.note(fact);
                    self.fetch();
                    self.device = None;
                }
            }
        }
        batch
    }

    /// Asks the device that has the newest values, or main memory if there is none or it fails.
    pub fn ask<T>(
        &mut self,
        device: impl FnOnce(&mut S::Device) -> Result<T, Error>,
        host: impl FnOnce(&mut S) -> T,
    ) -> T {
        if let Some(on_device) = &mut self.device {
            match device(on_device) {
                Ok(answer) => return answer,
                Err(error) => self.fail(error),
            }
        }
        host(&mut self.host)
    }

    /// The newest values.
    pub fn finish(mut self) -> S {
        self.fetch();
        self.host
    }

    /// A device that was not requested, as long as its benchmark is not over.
    fn candidate(&self) -> Option<&'a Sweeps> {
        let sweeps = self.context.sweeps().filter(|sweeps| sweeps.may_pay(self.host.entries()));
        sweeps.filter(|_| self.benchmark.goes_on())
    }

    /// Fills the device; returns whether it succeeded.
    fn begin(&mut self, sweeps: &'a Sweeps) -> bool {
        match self.host.fill(sweeps) {
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

    /// Makes a batch of steps, on the device if there is one that works.
    fn go_on(&mut self, count: u64) -> S::Batch {
        if let Some(device) = &mut self.device {
            match self.host.advance_on(device, self.done, count) {
                Ok(batch) => {
                    self.done += batch.steps();
                    return batch;
                }
                Err(error) => self.fail(error),
            }
        }
        let batch = self.host.advance(self.done, count);
        self.done += batch.steps();
        self.host_done = self.done;
        batch
    }

    /// Gives up the device; threads catch up with it.
    fn fail(&mut self, error: Error) {
        self.device = None;
        self.context.give_up_device(error);
        self.host.repeat(self.host_done, self.done - self.host_done);
        self.host_done = self.done;
    }

    /// Brings the values in main memory up to date.
    fn fetch(&mut self) {
        let Some(device) = &mut self.device else { return };
        match self.host.load(device) {
            Ok(()) => self.host_done = self.done,
            Err(error) => self.fail(error),
        }
    }
}
