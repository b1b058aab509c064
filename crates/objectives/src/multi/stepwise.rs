//! Directions where every objective is a reward over a limited number of steps: no product with a counter is needed.
//!
//! Backwards over the steps, each state takes the choice with the largest weighted sum of what it earns now and what is to come; so
//! the scheduler, which counts, is the best of all, and the weighted sum at the beginning is that of the half-space. The values of the
//! single objectives under it come along. An objective with fewer steps than another counts in the first ones only.

use volvelle_solver::rounding::{TINY, U, above, below, relative};
use volvelle_solver::{CheckError, Context, MethodUse};

use super::weighted::Support;

/// Entries between two looks at limits.
const BATCH: usize = 1 << 22;

/// Positive values below this may be wrong by more than rounding.
const TINY_VALUE: f64 = 1e-250;

/// A reward over a number of steps.
pub struct Counted {
    /// The reward of every choice, not negative.
    pub reward: Vec<f64>,
    /// The steps in which it is earned.
    pub steps: u64,
    /// Whether it is to be small.
    pub cost: bool,
}

/// The search for supporting half-spaces of the achievable set.
pub struct Stepwise<'a> {
    context: &'a Context<'a>,
    initial: usize,
    objectives: Vec<Counted>,
    /// Relative error of values, first order.
    error: f64,
}

impl<'a> Stepwise<'a> {
    /// From an initial state.
    pub fn new(context: &'a Context<'a>, initial: usize, objectives: Vec<Counted>) -> Self {
        context.note_method(MethodUse::StepByStep);
        let space = context.space;
        let longest = (0..space.num_choices()).map(|c| space.row(c).len()).max().unwrap_or(0);
        let most = objectives.iter().map(|o| o.steps).max().unwrap_or(0) as f64;
        // A row, its sum, and the sum over all objectives; the rewards once more.
        let step = context.options.input + (longest + 2 * objectives.len() + 6) as f64 * U;
        let error = (most + 1.0) * step + context.options.input;
        Stepwise { context, initial, objectives, error }
    }

    /// The largest number of steps.
    pub fn steps(&self) -> u64 {
        self.objectives.iter().map(|o| o.steps).max().unwrap_or(0)
    }

    /// States of the product with a counter of steps.
    pub fn num_states(&self) -> usize {
        usize::try_from(self.steps()).unwrap_or(usize::MAX).saturating_mul(self.context.space.num_states())
    }

    /// The support in a direction.
    pub fn support(&self, weights: &[f64]) -> Result<Support, CheckError> {
        let (space, control) = (self.context.space, self.context.control);
        let (n, count) = (space.num_states(), self.objectives.len());
        let held = 16 * n * (count + 1) + 8 * (space.num_choices() + space.num_transitions());
        control.check_memory(held as u64)?;
        // Plain numbers: each is read in every step.
        let weights_of_entries: Vec<f64> = space.values.iter().collect();
        let entries_of = |choice: usize| {
            let row = space.row(choice);
            space.columns[row.clone()].iter().zip(&weights_of_entries[row]).map(|(&t, &p)| (t as usize, p))
        };
        let signed: Vec<f64> =
            self.objectives.iter().zip(weights).map(|(o, &w)| if o.cost { -w } else { w }).collect();
        let (mut sum, mut values) = (vec![0.0; n], vec![0.0; n * count]);
        let (mut next_sum, mut next_values) = (sum.clone(), values.clone());
        let (mut paid, mut active) = (Vec::new(), Vec::new());
        let (mut underflow, mut entries) = (false, 0);
        for step in (0..self.steps()).rev() {
            let counts: Vec<bool> = self.objectives.iter().map(|o| step < o.steps).collect();
            if counts != active {
                active = counts;
                let parts =
                    || self.objectives.iter().zip(&signed).zip(&active).filter(|(_, active)| **active);
                let of = |choice: usize| parts().map(|((o, w), _)| w * o.reward[choice]).sum::<f64>();
                paid = (0..space.num_choices()).map(of).collect();
            }
            for s in 0..n {
                let (mut best, mut chosen) = (f64::NEG_INFINITY, None);
                for choice in space.choices_of(s) {
                    let later: f64 = entries_of(choice).map(|(t, p)| p * sum[t]).sum();
                    let value = paid[choice] + later;
                    if value > best {
                        (best, chosen) = (value, Some(choice));
                    }
                }
                let Some(choice) = chosen else { continue };
                next_sum[s] = best;
                let here = &mut next_values[s * count..(s + 1) * count];
                for ((value, objective), active) in here.iter_mut().zip(&self.objectives).zip(&active) {
                    *value = if *active { objective.reward[choice] } else { 0.0 };
                }
                for (t, p) in entries_of(choice) {
                    here.iter_mut().zip(&values[t * count..]).for_each(|(value, later)| *value += p * later);
                }
                underflow |= here.iter().any(|&value| value > 0.0 && value < TINY_VALUE);
            }
            std::mem::swap(&mut sum, &mut next_sum);
            std::mem::swap(&mut values, &mut next_values);
            entries += space.num_transitions();
            if entries > BATCH {
                entries = 0;
                control.check()?;
            }
        }
        let error = relative(self.error);
        let lowest = if underflow { TINY } else { 0.0 };
        let found = &values[self.initial * count..(self.initial + 1) * count];
        let point = found.iter().zip(&self.objectives).map(|(&value, objective)| {
            let [lo, hi] =
                if value == 0.0 { [0.0, lowest] } else { [below(value, error), above(value, error)] };
            if objective.cost { [-hi, -lo] } else { [lo, hi] }
        });
        // No scheduler earns more than the largest reward in every step: rounding moves sums by a part of that.
        let largest = |o: &Counted| o.steps as f64 * o.reward.iter().copied().fold(0.0, f64::max);
        let size: f64 = self.objectives.iter().zip(&signed).map(|(o, w)| w.abs() * largest(o)).sum();
        let limit = sum[self.initial] + above(size, 0.0) * error * (1.0 + 1e-9) + TINY;
        Ok(Support { weights: weights.to_vec(), limit, point: point.collect() })
    }
}
