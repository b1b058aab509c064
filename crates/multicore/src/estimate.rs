//! Estimates for a whole stream from its windows.

use crate::answer::Answer;
use crate::sampling::Window;
use crate::timing::Stack;
use volvelle_statistics::interval::{MeanInterval, mean_student};
use volvelle_statistics::{Confidence, Interval, Moments, Side};

/// The confidence of intervals.
pub const CONFIDENCE: f64 = 0.95;

impl Window {
    /// Cycles per instruction.
    pub fn cpi(&self) -> f64 {
        self.cycles as f64 / self.instructions.max(1) as f64
    }
}

impl Answer {
    /// The mean of all windows' cycles per instruction, from which cycles are estimated; 0 without windows.
    pub(crate) fn cpi_of_windows(&self) -> f64 {
        moments(self.windows.iter().map(Window::cpi)).mean().unwrap_or(0.0)
    }

    /// Estimates the cycles of all instructions, and where they went, from `stack`, those inside of windows.
    pub(crate) fn extrapolate(&mut self, stack: &Stack) {
        self.cycles = (self.cpi_of_windows() * self.instructions as f64).round() as u64;
        self.stack = stack.scaled(self.cycles * self.cores as u64);
    }

    /// Student's interval for instructions per cycle with [`CONFIDENCE`], as if windows were drawn at random.
    /// `None` if fewer than two windows were simulated, or the whole stream was.
    pub fn ipc_interval(&self) -> Option<Interval> {
        let Interval { lo, hi } = student(&moments(self.windows.iter().map(Window::cpi)))?;
        Some(Interval { lo: 1.0 / hi, hi: if lo > 0.0 { 1.0 / lo } else { f64::INFINITY } })
    }

    /// The interval for the gain in instructions per cycle over another answer for the same windows of the
    /// same stream: 0.02 is 2 %.
    ///
    /// Windows are paired, so slowness that both share in a window does not widen the interval. It is
    /// Student's interval for the ratio of two means, computed from the residuals of the ratio (W. G.
    /// Cochran, *Sampling techniques*, third edition, section 6.4).
    pub fn gain_interval(&self, base: &Answer) -> Option<Interval> {
        if self.windows.len() != base.windows.len() {
            return None;
        }
        let own = moments(self.windows.iter().map(Window::cpi)).mean()?;
        let ratio = moments(base.windows.iter().map(Window::cpi)).mean()? / own;
        let residuals = self.windows.iter().zip(&base.windows);
        let residuals = residuals.map(|(one, other)| ratio - 1.0 + (other.cpi() - ratio * one.cpi()) / own);
        student(&moments(residuals))
    }
}

fn moments(values: impl Iterator<Item = f64>) -> Moments {
    let mut moments = Moments::new();
    values.for_each(|value| moments.push(value));
    moments
}

fn student(moments: &Moments) -> Option<Interval> {
    match mean_student(moments, Confidence::new(CONFIDENCE).ok()?, Side::Both).ok()? {
        MeanInterval::Known(interval) => Some(interval),
        // Windows of a loop may all be alike.
        MeanInterval::AllEqual { value, .. } => Some(Interval { lo: value, hi: value }),
        MeanInterval::TooFew { .. } => None,
    }
}
