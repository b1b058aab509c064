//! Transient analysis of Markov chains, discrete and continuous: everything with a time or step bound.
//!
//! Backwards: one vector gives the result for all states. Two building blocks suffice (Baier, Haverkort,
//! Hermanns, Katoen, IEEE TSE 29, 2003):
//!
//! - *hit*: probability to reach a set through another within a time, `sum_k Pr(N > k) P^k b` for a CTMC, where N
//!   counts the events of the uniformised chain, P is the chain on the states passed through and b the
//!   probability to enter the target in one step; `sum_(k < steps) P^k b` for a DTMC;
//! - *elapse*: expectation of a value after a time spent in a set, `sum_k Pr(N = k) P^k v`.

mod chain;
mod coefficients;
mod series;

pub use chain::Chain;
pub use coefficients::Coefficients;
pub use series::Series;

use volvelle_logic::{StopReason, TimeBound};
use volvelle_space::{BitSet, Kind};

use crate::error::CheckError;
use crate::options::Detection;
use crate::outcome::{Context, Numbers};
use crate::rounding::{Sum, U, above, below, slack};

/// PRISM's uniformisation rate over the largest exit rate.
const PRISM_FACTOR: f64 = 1.02;

/// Uniformisation beyond this many steps is refused.
const MAX_STEPS: f64 = 1e13;

/// A time bound made regular: closed ends, steps or time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Window {
    /// Nothing fits.
    Empty,
    /// `lower..=upper`; `None`: unbounded.
    Range {
        /// Earliest.
        lower: f64,
        /// Latest.
        upper: Option<f64>,
    },
}

/// Checks a time bound and makes it regular: integer steps for discrete time; strictness of an end does
/// not matter in continuous time.
pub fn window(kind: Kind, bound: &TimeBound) -> Result<Window, CheckError> {
    let bad = |what: String| Err(CheckError::BadBound { what });
    let (mut lower, mut upper) = (bound.lower, bound.upper);
    if !lower.is_finite() || upper.is_some_and(|u| !u.is_finite()) {
        return bad("a time bound must be finite".to_string());
    }
    if lower < 0.0 || upper.is_some_and(|u| u < 0.0) {
        return bad("a time bound must not be negative".to_string());
    }
    if kind == Kind::Ctmc {
        if upper == Some(0.0) && bound.upper_strict {
            return Ok(Window::Empty);
        }
        if upper.is_some_and(|u| u < lower || (u == lower && (bound.lower_strict || bound.upper_strict))) {
            return Ok(Window::Empty);
        }
        return Ok(Window::Range { lower, upper });
    }
    if lower.fract() != 0.0 || upper.is_some_and(|u| u.fract() != 0.0) {
        return bad(format!("a step bound of a {} must be an integer", kind.name()));
    }
    if lower >= MAX_STEPS || upper.is_some_and(|u| u >= MAX_STEPS) {
        return bad("the step bound is too large".to_string());
    }
    lower += f64::from(u8::from(bound.lower_strict));
    if bound.upper_strict {
        match upper {
            Some(0.0) => return Ok(Window::Empty),
            Some(u) => upper = Some(u - 1.0),
            None => {}
        }
    }
    Ok(if upper.is_some_and(|u| u < lower) { Window::Empty } else { Window::Range { lower, upper } })
}

/// Transient analysis of one chain.
pub struct Transient<'a, 'b> {
    context: &'a Context<'b>,
    /// States whose result is asked for; `None`: all.
    needed: Option<&'a BitSet>,
    steps: u64,
    stop: StopReason,
    stopped_at: Option<Stopped>,
}

/// Where a steady-state test ended a series.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stopped {
    step: u64,
    of: u64,
    time: f64,
}

impl<'a, 'b> Transient<'a, 'b> {
    /// For the chain of a context.
    pub fn new(context: &'a Context<'b>, needed: Option<&'a BitSet>) -> Self {
        debug_assert!(context.is_chain());
        Transient { context, needed, steps: 0, stop: StopReason::StepsDone, stopped_at: None }
    }

    /// Wraps bounds up with what was done to get them.
    pub fn numbers(&self, bounds: Vec<[f64; 2]>) -> Numbers {
        let name = if self.continuous() { "uniformisation" } else { "step-wise iteration" };
        let method = match self.stopped_at {
            None => format!("{name} ({} steps)", self.steps),
            Some(Stopped { step, of, time }) => format!(
                "{name}, stopped by PRISM's steady-state test at step {step} of {of}{}",
                if self.continuous() { format!(" (time {time:.4})") } else { String::new() }
            ),
        };
        Numbers { bounds, method, stop: self.stop }
    }

    /// Counts the steps of another phase as its own.
    pub fn add(&mut self, other: &Transient) {
        self.steps += other.steps;
        self.stop = self.stop.max(other.stop);
        self.stopped_at = self.stopped_at.or(other.stopped_at);
    }

    fn continuous(&self) -> bool {
        self.context.space.kind == Kind::Ctmc
    }

    /// Probability to reach `right` through `left` within `time`, for every state.
    pub fn hit(&mut self, left: &BitSet, right: &BitSet, time: f64) -> Result<Vec<[f64; 2]>, CheckError> {
        let space = self.context.space;
        let mut via = left.clone();
        via.subtract(right);
        let mut inside = self.context.predecessors().reach(right, Some(&via));
        inside.subtract(right);
        let mut result: Vec<[f64; 2]> =
            (0..space.num_states()).map(|s| [f64::from(u8::from(right.contains(s))); 2]).collect();
        if time == 0.0 || inside.count() == 0 {
            return Ok(result);
        }
        let chain = self.chain(&inside, time);
        let entering = chain
            .states
            .iter()
            .map(|&s| {
                let mut sum = Sum::default();
                for (t, v) in space.transitions(s as usize) {
                    if right.contains(t) {
                        sum.add(v);
                    }
                }
                sum.value() / chain.rate
            })
            .collect();
        let coefficients = if self.continuous() {
            Coefficients::poisson_tail(self.events(&chain, time)?, 1.0)
        } else {
            Coefficients::first(time as u64)
        };
        let series = self.run(&chain, entering, slack(8), &coefficients)?;
        for (&s, &[lo, hi]) in chain.states.iter().zip(&series.bounds) {
            result[s as usize] = [lo.min(1.0), hi.min(1.0)];
        }
        Ok(result)
    }

    /// Expectation of `value` after `time`, on paths that stay in `inside`; zero outside.
    pub fn elapse(
        &mut self,
        inside: &BitSet,
        value: &[[f64; 2]],
        time: f64,
    ) -> Result<Vec<[f64; 2]>, CheckError> {
        let space = self.context.space;
        let n = space.num_states();
        if time == 0.0 {
            return Ok((0..n).map(|s| if inside.contains(s) { value[s] } else { [0.0; 2] }).collect());
        }
        let mut support = BitSet::new(n);
        inside.iter().filter(|&s| value[s][1] > 0.0).for_each(|s| {
            support.insert(s);
        });
        let relevant = self.context.predecessors().reach(&support, Some(inside));
        let mut result = vec![[0.0; 2]; n];
        if support.count() == 0 {
            return Ok(result);
        }
        let chain = self.chain(&relevant, time);
        let coefficients = if self.continuous() {
            Coefficients::poisson(self.events(&chain, time)?)
        } else {
            Coefficients::at(time as u64)
        };
        // The result scales with the vector: one run with its middle does where it is known well.
        let middle = |[lo, hi]: [f64; 2]| lo + 0.5 * (hi - lo);
        let (mut shrink, mut grow) = (1.0f64, 1.0f64);
        for &s in &chain.states {
            let [lo, hi] = value[s as usize];
            if hi > 0.0 {
                shrink = shrink.min(lo / middle([lo, hi]) * (1.0 - 4.0 * U));
                grow = grow.max(hi / middle([lo, hi]) * (1.0 + 4.0 * U));
            }
        }
        let bounds = if grow - shrink <= 0.5 * self.context.options.precision {
            let x = chain.states.iter().map(|&s| middle(value[s as usize])).collect();
            let bounds = self.run(&chain, x, 0.0, &coefficients)?.bounds;
            bounds.iter().map(|&[lo, hi]| [below(lo * shrink, 4.0 * U), above(hi * grow, 4.0 * U)]).collect()
        } else {
            let side = |k: usize| chain.states.iter().map(|&s| value[s as usize][k]).collect();
            let lower = self.run(&chain, side(0), 0.0, &coefficients)?.bounds;
            let upper = self.run(&chain, side(1), 0.0, &coefficients)?.bounds;
            lower.iter().zip(&upper).map(|(l, u)| [l[0], u[1]]).collect::<Vec<_>>()
        };
        for (&s, &b) in chain.states.iter().zip(&bounds) {
            result[s as usize] = b;
        }
        Ok(result)
    }

    /// Expected accumulation of `reward` (per unit of time, or per step) up to `time`.
    pub fn accumulate(&mut self, reward: &[f64], time: f64) -> Result<Vec<[f64; 2]>, CheckError> {
        let space = self.context.space;
        let n = space.num_states();
        let mut support = BitSet::new(n);
        (0..n).filter(|&s| reward[s] > 0.0).for_each(|s| {
            support.insert(s);
        });
        let mut result = vec![[0.0; 2]; n];
        if time == 0.0 || support.count() == 0 {
            return Ok(result);
        }
        let relevant = self.context.predecessors().reach(&support, None);
        let chain = self.chain(&relevant, time);
        let coefficients = if self.continuous() {
            Coefficients::poisson_tail(self.events(&chain, time)?, 1.0 / chain.rate)
        } else {
            Coefficients::first(time as u64)
        };
        let x = chain.states.iter().map(|&s| reward[s as usize]).collect();
        let series = self.run(&chain, x, slack(8), &coefficients)?;
        for (&s, &b) in chain.states.iter().zip(&series.bounds) {
            result[s as usize] = b;
        }
        Ok(result)
    }

    /// The chain on some states, uniformised as the detection of steady states wants it.
    fn chain(&self, inside: &BitSet, time: f64) -> Chain {
        match self.context.options.detection {
            Detection::Prism => Chain::uniformised(self.context.space, inside, |_| PRISM_FACTOR),
            _ => Chain::new(self.context.space, inside, time),
        }
    }

    fn events(&self, chain: &Chain, time: f64) -> Result<f64, CheckError> {
        let events = chain.rate * time;
        if events > MAX_STEPS {
            let what =
                format!("time × rate is {events:.1e}, beyond the {MAX_STEPS:.0e} that uniformisation takes");
            return Err(CheckError::BadBound { what });
        }
        Ok(events)
    }

    fn run(
        &mut self,
        chain: &Chain,
        x: Vec<f64>,
        start_error: f64,
        coefficients: &Coefficients,
    ) -> Result<Series, CheckError> {
        let context = self.context;
        context
            .control
            .check_memory((12 * chain.entries() + 40 * chain.len() + 32 * context.states()) as u64)?;
        // Relative errors of time × rate.
        let start_error = start_error + 8.0 * U;
        let needed: Option<Vec<u32>> = self.needed.map(|set| {
            (0..chain.len() as u32).filter(|&i| set.contains(chain.states[i as usize] as usize)).collect()
        });
        let options = &context.options;
        if options.detection == Detection::Prism && self.continuous() {
            // PRISM divides epsilon by eight in its transient analyses.
            let epsilon = options.epsilon / 8.0;
            let guess = x.clone();
            let series = chain.series_until_small_change(
                guess,
                coefficients,
                epsilon,
                options.relative,
                context.control,
            )?;
            if series.stop == StopReason::SteadyStateTest {
                self.steps += series.steps;
                self.stop = series.stop;
                self.stopped_at = Some(Stopped {
                    step: series.steps,
                    of: coefficients.len() - 1,
                    time: series.steps as f64 / chain.rate,
                });
                return Ok(series);
            }
        }
        let width = match options.detection {
            Detection::Off => -1.0,
            _ if options.relative => 0.45 * options.precision,
            _ => 0.0,
        };
        let series = chain.series(x, start_error, coefficients, needed.as_deref(), width, context.control)?;
        self.steps += series.steps;
        self.stop = self.stop.max(series.stop);
        Ok(series)
    }
}

#[cfg(test)]
mod steady_state_test;
#[cfg(test)]
mod tests;
