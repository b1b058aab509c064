//! Who multiplies: threads, or a device where there is one, and what becomes of it where that fails.
//!
//! A device that somebody asked for begins with the first multiplication. One that nobody asked for is tried on matrices of
//! some size when threads have worked for as long as it may take to fill it, and at least as much is to come; what it is
//! measured to need for a multiplication decides who goes on. The vectors from which a device began stay in main memory,
//! and are replaced by newer ones now and then: where it fails, threads go on from there.

use volvelle_runtime::Error;

use super::device::OnDevice;
use super::threads::OnThreads;
use super::{Kept, Spread, Vectors};
use crate::context::Context;
use crate::sweeps::{READ_BACK, Sweeps, Trial, Verdict};
use crate::transient::chain::Chain;
use crate::transient::coefficients::Coefficients;

/// Vectors on their way through a series.
pub struct Course<'a> {
    context: &'a Context<'a>,
    chain: &'a Chain,
    coefficients: &'a [Coefficients],
    kept: Kept<'a>,
    /// While a device works: those to go on from where it fails.
    threads: OnThreads<'a>,
    /// Coefficients that `threads` have used.
    threads_done: u64,
    device: Option<OnDevice<'a>>,
    /// Coefficients used.
    done: u64,
    active: Vec<usize>,
    trial: Trial,
}

impl<'a> Course<'a> {
    /// From the first vector on.
    pub fn new(
        context: &'a Context<'a>,
        chain: &'a Chain,
        x: Vec<f64>,
        coefficients: &'a [Coefficients],
        kept: Kept<'a>,
    ) -> Self {
        let threads = OnThreads::new(chain, x, coefficients, kept, context.control.threads);
        let mut course = Course {
            context,
            chain,
            coefficients,
            kept,
            threads,
            threads_done: 1,
            device: None,
            done: 1,
            active: (0..coefficients.len()).collect(),
            trial: Trial::default(),
        };
        if let Some(sweeps) = context.sweeps().filter(|sweeps| sweeps.is_asked()) {
            if sweeps.has_failed() {
                context.note_failed_device();
            } else if course.begin(sweeps) {
                context.note_asked_device();
            }
        }
        course
    }

    /// Coefficients used.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Up to `count` multiplications; the sums of the active sequences go with them. Fewer are made only where the work is to
    /// stop.
    pub fn advance(&mut self, active: &[usize], count: u64) {
        self.active = active.to_vec();
        let candidate = self.context.sweeps().filter(|sweeps| sweeps.may_pay(self.chain.entries()));
        let Some(sweeps) = candidate.filter(|_| self.trial.goes_on()) else {
            self.go_on(count);
            self.read_back();
            return;
        };
        if self.device.is_none() && self.trial.is_time(self.to_come()) && !self.begin(sweeps) {
            self.trial.end();
        }
        let mut left = count;
        if self.device.is_some() && self.trial.is_first() {
            self.go_on(1);
            left -= 1;
        }
        let (before, first) = (sweeps.now(), self.done);
        if left > 0 {
            self.go_on(left);
        }
        let (time, steps) = (sweeps.now().saturating_sub(before), self.done - first);
        if self.device.is_none() {
            self.trial.add_threads(time, steps);
        } else if steps > 0 {
            match self.trial.decide(sweeps, time, steps) {
                Verdict::Device(fact) => self.context.note(fact),
                Verdict::Threads(fact) => {
                    self.context.note(fact);
                    self.fetch();
                    self.device = None;
                }
            }
        }
    }

    /// Extremes of the newest vector, and of its entries over those of the one before.
    pub fn spread(&mut self) -> Spread {
        self.ask(|vectors| vectors.spread())
    }

    /// Whether every entry differs by less than `epsilon` from the one before.
    pub fn changes_little(&mut self, epsilon: f64, relative: bool) -> bool {
        self.ask(|vectors| vectors.changes_little(epsilon, relative))
    }

    /// Entries of the newest vector: of these rows, or of all.
    pub fn newest(&mut self, rows: Option<&[u32]>) -> Vec<f64> {
        self.ask(|vectors| vectors.newest(rows))
    }

    /// A sum: these of the rows that are kept, by position, or all.
    pub fn sum(&mut self, sequence: usize, positions: Option<&[u32]>) -> Vec<f64> {
        self.ask(|vectors| vectors.sum(sequence, positions))
    }

    /// Multiplications that may be to come.
    fn to_come(&self) -> u64 {
        let longest = self.active.iter().map(|&h| self.coefficients[h].len()).max().unwrap_or(0);
        longest.saturating_sub(self.done)
    }

    /// Fills the device; tells whether it took everything.
    fn begin(&mut self, sweeps: &'a Sweeps) -> bool {
        let (context, kept) = (self.context, self.kept);
        match OnDevice::new(sweeps, context, self.chain, self.coefficients, kept, &mut self.threads) {
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

    /// Some multiplications, on the device if it works.
    fn go_on(&mut self, count: u64) {
        if let Some(device) = &mut self.device {
            match device.advance(&self.active, self.done, count) {
                Ok(made) => {
                    self.done += made;
                    return;
                }
                Err(error) => self.fail(error),
            }
        }
        self.threads.go_on(&self.active, self.done, count);
        self.done += count;
        self.threads_done = self.done;
    }

    /// Asks whoever has the vectors; threads where the device fails.
    fn ask<T>(&mut self, question: impl Fn(&mut dyn Vectors) -> Result<T, Error>) -> T {
        if let Some(device) = &mut self.device {
            match question(device) {
                Ok(answer) => return answer,
                Err(error) => self.fail(error),
            }
        }
        match question(&mut self.threads) {
            Ok(answer) => answer,
            Err(error) => unreachable!("main memory does not fail: {error}"),
        }
    }

    /// The device is not asked any more; threads catch up with it.
    fn fail(&mut self, error: Error) {
        self.device = None;
        self.context.give_up_device(error);
        self.threads.go_on(&self.active, self.threads_done, self.done - self.threads_done);
        self.threads_done = self.done;
    }

    /// Brings the vectors in main memory up to date.
    fn fetch(&mut self) {
        let read = |device: &mut OnDevice| -> Result<_, Error> {
            let newest = device.newest(None)?;
            let sums = (0..self.coefficients.len()).map(|h| device.sum(h, None));
            Ok((newest, sums.collect::<Result<Vec<_>, _>>()?))
        };
        let Some(device) = &mut self.device else { return };
        match read(device) {
            Ok((newest, sums)) => {
                self.threads.load(&newest, &sums);
                self.threads_done = self.done;
            }
            Err(error) => self.fail(error),
        }
    }

    /// The same now and then.
    fn read_back(&mut self) {
        if (self.done - self.threads_done).saturating_mul(self.chain.entries() as u64) > READ_BACK {
            self.fetch();
        }
    }
}
