//! Vectors that threads or a device multiply, as [`volvelle_solver::scheduling`] decides.

use volvelle_runtime::Error;
use volvelle_solver::Context;
use volvelle_solver::scheduling::{Schedule, Steps};
use volvelle_solver::sweeps::Sweeps;

use super::device::OnDevice;
use super::threads::OnThreads;
use super::{Spread, SummedRows, Vectors};
use crate::transient::chain::Chain;
use crate::transient::coefficients::Coefficients;

/// Vectors on their way through a series.
pub struct ScheduledVectors<'a>(Schedule<'a, OnHost<'a>>);

/// Vectors in main memory, and what steps over them depend on. A step uses one coefficient.
struct OnHost<'a> {
    context: &'a Context<'a>,
    chain: &'a Chain,
    coefficients: &'a [Coefficients],
    kept: SummedRows<'a>,
    threads: OnThreads<'a>,
    /// Sequences whose sums are still wanted.
    active: Vec<usize>,
}

impl<'a> Steps<'a> for OnHost<'a> {
    type Device = OnDevice<'a>;
    type Batch = u64;

    fn entries(&self) -> usize {
        self.chain.entries()
    }

    fn fill(&mut self, sweeps: &'a Sweeps) -> Result<OnDevice<'a>, Error> {
        let (context, kept) = (self.context, self.kept);
        OnDevice::new(sweeps, context, self.chain, self.coefficients, kept, &mut self.threads)
    }

    fn advance(&mut self, done: u64, count: u64) -> u64 {
        self.threads.go_on(&self.active, done, count);
        count
    }

    fn advance_on(&self, device: &mut OnDevice<'a>, done: u64, count: u64) -> Result<u64, Error> {
        device.advance(&self.active, done, count)
    }

    fn repeat(&mut self, done: u64, count: u64) {
        self.threads.go_on(&self.active, done, count);
    }

    fn load(&mut self, device: &mut OnDevice<'a>) -> Result<(), Error> {
        let newest = device.newest(None)?;
        let sums = (0..self.coefficients.len()).map(|h| device.sum(h, None));
        self.threads.load(&newest, &sums.collect::<Result<Vec<_>, _>>()?);
        Ok(())
    }
}

impl<'a> ScheduledVectors<'a> {
    /// Begins with the first vector.
    pub fn new(
        context: &'a Context<'a>,
        chain: &'a Chain,
        x: Vec<f64>,
        coefficients: &'a [Coefficients],
        kept: SummedRows<'a>,
    ) -> Self {
        let threads = OnThreads::new(chain, x, coefficients, kept, context.control.threads);
        let active = (0..coefficients.len()).collect();
        let host = OnHost { context, chain, coefficients, kept, threads, active };
        ScheduledVectors(Schedule::new(context, host, 1))
    }

    /// Coefficients used.
    pub fn done(&self) -> u64 {
        self.0.done()
    }

    /// Makes up to `count` multiplications; the sums of the active sequences go with them. Fewer are made only where the
    /// work is to stop.
    pub fn advance(&mut self, active: &[usize], count: u64) {
        let done = self.0.done();
        let host = self.0.host();
        host.active = active.to_vec();
        let longest = active.iter().map(|&h| host.coefficients[h].len()).max().unwrap_or(0);
        let first = self.0.warm_up(longest.saturating_sub(done)).unwrap_or(0);
        if first < count {
            self.0.advance(count - first);
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

    /// Entries of a sum: those at these positions among the rows that are kept, or all.
    pub fn sum(&mut self, sequence: usize, positions: Option<&[u32]>) -> Vec<f64> {
        self.ask(|vectors| vectors.sum(sequence, positions))
    }

    /// Asks the device that has the newest vectors, or threads.
    fn ask<T>(&mut self, question: impl Fn(&mut dyn Vectors) -> Result<T, Error>) -> T {
        self.0.ask(
            |device| question(device),
            |host| match question(&mut host.threads) {
                Ok(answer) => answer,
                Err(error) => unreachable!("main memory does not fail: {error}"),
            },
        )
    }
}
