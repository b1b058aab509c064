//! Reachability within a time over schedulers that look at the clock, in processes whose jumps all come at one rate.
//!
//! Schedulers that only count jumps are among all schedulers, so that the best of them bounds the optimum from one side. On the other side
//! are schedulers that know beforehand how many jumps there will be: whatever a scheduler learns from the clock, it does no better, for
//! given that number the times of the jumps tell nothing about where they lead. Both are found by one pass of value iteration, and
//! they come together as the rate of the jumps grows, most of which lead back to where they come from (Y. Butkova, H. Hatefi, H. Hermanns
//! and J. Krčál, *Optimal continuous time Markov decisions*, ATVA 2015, doi:10.1007/978-3-319-24953-7_12; the first side is
//! C. Baier, H. Hermanns, J.-P. Katoen and B. Haverkort, Theor. Comput. Sci. 345, 2005).

use volvelle_control::{Control, ProgressEvent};
use volvelle_logic::Optimum;
use volvelle_logic::gate::Range;
use volvelle_solver::rounding::{INPUT, Sum, TINY, U, above, below, relative};
use volvelle_solver::{CheckError, Context};
use volvelle_space::Space;

use crate::transient::Coefficients;

/// Standard deviations after which a number of jumps is improbable beyond 1e-250.
const DEVIATIONS: f64 = 34.0;

/// Entries that are read between two looks at the clock.
const BATCH: u64 = 1 << 24;

/// Steps that value iteration takes for a time, about: more than that many jumps in it are improbable.
pub fn steps_within(pace: f64, time: f64) -> u64 {
    let jumps = pace * time;
    // The last that counts is so many standard deviations after the mean.
    (jumps + DEVIATIONS * (jumps + DEVIATIONS * DEVIATIONS).sqrt()).ceil() as u64
}

/// Bounds of the optimal probability to reach the target within each of the times, from the initial state. A step of the process is a
/// jump, `pace` of which happen per unit of time, known up to a rounding. The reward of a choice is the probability that it leads to the target
/// in no time, before the jump; a state of the target has a single choice, with reward one, and is never left.
///
/// # Errors
/// A limit, or the process has no choices and rewards of choices.
pub fn timed_reachability(
    process: &Space,
    pace: f64,
    times: &[f64],
    optimum: Optimum,
    control: &Control,
) -> Result<Vec<[f64; 2]>, CheckError> {
    Context::require_engine(process)?;
    let missing = || CheckError::TypeMismatch { what: "choices with rewards are expected".to_owned() };
    let at_once = process.rewards.first().and_then(|rewards| rewards.choice.as_ref()).ok_or_else(missing)?;
    let n = process.num_states();
    let values = process.values.to_vec();
    control.check_memory((8 * values.len() + 16 * n + 8 * at_once.len()) as u64)?;
    let longest = (0..process.num_choices()).map(|choice| process.row(choice).len()).max().unwrap_or(0);
    let per_step = (longest + 4) as f64 * U + INPUT;
    let mut iteration = Iteration {
        process,
        values,
        at_once: at_once.to_vec(),
        optimum,
        control,
        next: vec![0.0; n],
        work: 0,
    };
    let coefficients: Vec<Coefficients> =
        times.iter().map(|time| Coefficients::poisson(pace * time)).collect();
    let start = process.initial[0].index();
    // Those who know the number of jumps: values for every number, weighted for every time.
    let mut known = vec![Sum::default(); times.len()];
    let most = coefficients.iter().map(Coefficients::len).max().unwrap_or(0);
    let mut x = vec![0.0; n];
    iteration.back(&mut x, 1.0)?;
    for k in 0..most {
        for (sum, weights) in known.iter_mut().zip(&coefficients) {
            sum.add(weights.get(k) * x[start]);
        }
        if k + 1 < most {
            iteration.back(&mut x, 0.0)?;
        }
    }
    let mut bounds = Vec::with_capacity(times.len());
    for ((known, weights), time) in known.iter().zip(&coefficients).zip(times) {
        // Those who count jumps.
        x.fill(0.0);
        for k in (0..weights.len()).rev() {
            iteration.back(&mut x, weights.get(k))?;
        }
        let rounding = relative(weights.error + (weights.len() + 2) as f64 * per_step + 8.0 * U);
        // The number of jumps that are expected is off by the roundings of the pace and of a product.
        let shift = 4.0 * U * pace * time + TINY;
        let sides = [known.value(), x[start]];
        let least = sides[0].min(sides[1]);
        let most = sides[0].max(sides[1]);
        let (mut lo, mut hi) = (below(least, rounding), above(most, rounding) + weights.left_out);
        if weights.len() > 1 {
            (lo, hi) = (lo - shift, hi + shift);
        }
        bounds.push(Range::PROBABILITY.admit_or_whole([lo, hi]));
    }
    Ok(bounds)
}

struct Iteration<'a> {
    process: &'a Space,
    values: Vec<f64>,
    at_once: Vec<f64>,
    optimum: Optimum,
    control: &'a Control<'a>,
    next: Vec<f64>,
    work: u64,
}

impl Iteration<'_> {
    /// The values one jump before, and before that what choices lead to at once, with this weight.
    fn back(&mut self, x: &mut Vec<f64>, weight: f64) -> Result<(), CheckError> {
        let process = self.process;
        for (state, to) in self.next.iter_mut().enumerate() {
            let mut best: Option<f64> = None;
            for choice in process.choices_of(state) {
                let row = process.row(choice);
                let columns = &process.columns[row.clone()];
                let jump: f64 = columns.iter().zip(&self.values[row]).map(|(&t, p)| p * x[t as usize]).sum();
                let value = weight * self.at_once[choice] + jump;
                best = Some(match (best, self.optimum) {
                    (None, _) => value,
                    (Some(best), Optimum::Min) => best.min(value),
                    (Some(best), Optimum::Max) => best.max(value),
                });
            }
            *to = best.unwrap_or(0.0);
        }
        std::mem::swap(x, &mut self.next);
        let before = self.work / BATCH;
        self.work += self.values.len() as u64 + 1;
        if self.work / BATCH != before {
            let what = "value iteration";
            let (done, total, error) = (self.work, 0, f64::INFINITY);
            self.control.progress.report(ProgressEvent::Solving { what, done, total, error });
            self.control.check()?;
        }
        Ok(())
    }
}
