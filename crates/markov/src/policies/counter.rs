//! Backward passes that record their decisions: strategies whose memory is the number of steps that are left.
//!
//! A step is one of `step_bounded`. Beside the optimal values the pass carries those of the strategy itself, which keeps the
//! decision of the step before as long as it is as good up to rounding: decisions change rarely, and only changes are kept.

use volvelle_control::ProgressEvent;
use volvelle_logic::Optimum;
use volvelle_objectives::strategy::Strategy;
use volvelle_solver::rounding::{TINY, U, relative};
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, Space};

/// Values after the last step, and the steps before it.
#[derive(Clone, Debug)]
pub struct Backward {
    /// Whether values are to be large or small.
    pub optimum: Optimum,
    /// The optimal values after the last step.
    pub start: Vec<f64>,
    /// What is done after the last step, with its values where they differ from `start`; without, the first choices.
    pub tail: Option<(Vec<u32>, Vec<f64>)>,
    /// The relative error of both.
    pub start_error: f64,
    /// The steps, the last ones first.
    pub phases: Vec<Phase>,
    /// Whether values are probabilities.
    pub probability: bool,
}

/// Steps of the same kind.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Their number.
    pub count: u64,
    /// The states where values move; `None`: all.
    pub inside: Option<BitSet>,
    /// The states where they are kept; elsewhere they become zero.
    pub keep: Option<BitSet>,
    /// Gains of the choices.
    pub reward: Option<Vec<f64>>,
    /// What a value after a step counts before it, at most one.
    pub factor: f64,
}

impl Phase {
    /// Steps in which nothing is gained and all values move.
    pub fn steps(count: u64) -> Self {
        Phase { count, inside: None, keep: None, reward: None, factor: 1.0 }
    }
}

/// A strategy that counts steps, with bounds of its value in every state.
pub struct Counted {
    /// The strategy.
    pub strategy: Strategy,
    /// Bounds of its value.
    pub value: Vec<[f64; 2]>,
}

impl Backward {
    /// Makes the pass.
    pub fn run(self, context: &Context) -> Result<Counted, CheckError> {
        let space = context.space;
        let n = space.num_states();
        let total: u64 = self.phases.iter().map(|p| p.count).sum();
        let cancelling = self.cancelling();
        let steps = u32::try_from(total)
            .ok()
            .filter(|&steps| steps < u32::MAX)
            .ok_or_else(|| CheckError::TooLarge { what: "steps for a scheduler that counts them".into() })?;
        let (taken, own) = match self.tail {
            Some((choices, values)) => (choices, values),
            None => ((0..n).map(|s| space.choices_of(s).start as u32).collect(), self.start.clone()),
        };
        // What a decision loses in one step, all may lose.
        let tolerance = (1e-2 * context.options.precision / total.max(1) as f64).min(1e-14);
        let decisions = taken.iter().enumerate().map(|(s, &choice)| (s as u32, 0, choice)).collect();
        let mut pass = Pass {
            space,
            optimum: self.optimum,
            tolerance,
            next: (self.start.clone(), own.clone()),
            value: self.start,
            own,
            taken,
            decisions,
        };
        let mut done = 0u64;
        for phase in &self.phases {
            let end = done + phase.count;
            while done < end {
                context.control.check()?;
                let held = 12 * pass.decisions.capacity() + 40 * n;
                context.control.check_memory(held as u64)?;
                let what = "decisions step by step";
                let event = ProgressEvent::Solving { what, done, total, error: 0.0 };
                context.control.progress.report(event);
                done += 1;
                if !pass.step(phase, done as u32) {
                    // Nothing changes any more, in this phase.
                    done = end;
                }
            }
        }
        let longest = (0..space.num_choices()).map(|c| space.row(c).len()).max().unwrap_or(0);
        let input = context.options.input;
        let error = relative(self.start_error + total as f64 * (input + (longest + 8) as f64 * U));
        let is_exact = total == 0 && self.start_error == 0.0;
        let bounds = |&v: &f64| {
            let around = if is_exact { 0.0 } else { v.abs().max(cancelling) * error + TINY };
            let [lo, hi] = [v - around, v + around];
            if self.probability { [lo.max(0.0), hi.min(1.0)] } else { [lo, hi] }
        };
        let is_bounded = error.is_finite();
        let unknown = |_| if self.probability { [0.0, 1.0] } else { [f64::NEG_INFINITY, f64::INFINITY] };
        let value = pass.own.iter().map(|v| if is_bounded { bounds(v) } else { unknown(v) }).collect();
        let strategy = Strategy::counting(n, steps, pass.decisions);
        Ok(Counted { strategy, value })
    }

    /// The largest sum of absolute values that a value can be the rest of, where some are negative.
    fn cancelling(&self) -> f64 {
        fn of_phase(phase: &Phase) -> &[f64] {
            phase.reward.as_deref().unwrap_or_default()
        }
        let all = || self.start.iter().chain(self.phases.iter().flat_map(of_phase));
        if all().all(|&v| v >= 0.0) {
            return 0.0;
        }
        let largest = |values: &[f64]| values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let gained = self.phases.iter().map(|phase| phase.count as f64 * largest(of_phase(phase)));
        (largest(&self.start) + gained.sum::<f64>()) * (1.0 + 1e-9)
    }
}

struct Pass<'a> {
    space: &'a Space,
    optimum: Optimum,
    tolerance: f64,
    value: Vec<f64>,
    /// Values of the strategy.
    own: Vec<f64>,
    next: (Vec<f64>, Vec<f64>),
    /// The decisions of the last step.
    taken: Vec<u32>,
    /// State, steps left, choice.
    decisions: Vec<(u32, u32, u32)>,
}

impl Pass<'_> {
    /// One step backwards, with `left` steps left before it; false where nothing changed.
    fn step(&mut self, phase: &Phase, left: u32) -> bool {
        let mut changed = false;
        for s in 0..self.value.len() {
            let (value, own) = if phase.keep.as_ref().is_some_and(|k| k.contains(s)) {
                (self.value[s], self.own[s])
            } else if phase.inside.as_ref().is_none_or(|i| i.contains(s)) {
                self.decide(phase, s, left)
            } else {
                (0.0, 0.0)
            };
            changed |= value != self.value[s] || own != self.own[s];
            self.next.0[s] = value;
            self.next.1[s] = own;
        }
        std::mem::swap(&mut self.value, &mut self.next.0);
        std::mem::swap(&mut self.own, &mut self.next.1);
        changed
    }

    fn decide(&mut self, phase: &Phase, s: usize, left: u32) -> (f64, f64) {
        let sum = |x: &[f64], choice: usize| -> f64 {
            let sum: f64 = self.space.transitions(choice).map(|(t, v)| v * x[t]).sum();
            phase.factor * sum + phase.reward.as_ref().map_or(0.0, |r| r[choice])
        };
        let before = self.taken[s];
        let mut best = (sum(&self.value, before as usize), before);
        let kept = best.0;
        for choice in self.space.choices_of(s).filter(|&c| c != before as usize) {
            let value = sum(&self.value, choice);
            let better = match self.optimum {
                Optimum::Max => value > best.0,
                Optimum::Min => value < best.0,
            };
            if better {
                best = (value, choice as u32);
            }
        }
        if (best.0 - kept).abs() > self.tolerance * kept.abs().max(best.0.abs()) {
            self.taken[s] = best.1;
            self.decisions.push((s as u32, left, best.1));
        }
        (best.0, sum(&self.own, self.taken[s] as usize))
    }
}
