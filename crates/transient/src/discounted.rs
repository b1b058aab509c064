//! Discounted rewards: what a step earns counts less by a factor than what the step before it earns.
//!
//! Going on with the probability of the factor, and ending otherwise, gives the same expectation as discounting. So the model
//! gets one more state, to which every choice leads with the rest of the probability, and the reward is that until it is
//! reached: every scheduler reaches it, there are no end components. Where rewards are negative a constant is added to
//! all of them, and what that adds to the value is known.

use volvelle_control::Control;
use volvelle_logic::Optimum;
use volvelle_solver::reward::reachability_reward;
use volvelle_solver::rounding::{U, above, below, relative};
use volvelle_solver::{CheckError, Context, Numbers, interval};
use volvelle_space::{BitSet, Space, ValuesBuilder};

use crate::step_bounded::Pass;

/// A discount.
#[derive(Clone, Copy, Debug)]
pub struct Discount {
    /// The factor of each step.
    pub factor: f64,
    /// One minus the factor.
    pub rest: f64,
    /// The number of steps; `None`: for ever.
    pub upto: Option<f64>,
}

/// Roundings of a scaled probability beyond those of an input, with a margin.
const SCALING: f64 = 4.0 * U;

/// The optimal expected discounted reward; `reward` per choice, of any sign.
pub fn discounted(
    context: &Context,
    reward: &[f64],
    optimum: Optimum,
    discount: Discount,
) -> Result<Numbers, CheckError> {
    let n = context.states();
    let space = scaled(context.space, discount);
    let control: &Control = context.control;
    control.check_memory(space.bytes() + 8 * space.num_choices() as u64)?;
    let (shifted, added) = raised(reward);
    let inner = context.inner(&space, context.options, control);
    let mut numbers = match discount.upto {
        None => {
            let end = BitSet::of(n + 1, [n]);
            reachability_reward(&inner, &shifted, &end, optimum)?
        }
        Some(steps) => {
            let inside = BitSet::of(n + 1, 0..n);
            let (start, reward) = (vec![0.0; n + 1], Some(&shifted[..]));
            let pass = Pass { start, inside: Some(&inside), keep: None, reward, probability: false };
            pass.run(&inner, optimum, steps)?
        }
    };
    for fact in inner.facts() {
        context.note(fact);
    }
    numbers.bounds.truncate(n);
    // Rounded scaling: each state of a path adds its part.
    let rows = discount.upto.map_or(n as f64, |steps| steps.min(1e15));
    let error = relative(2.0 * rows * SCALING + 4.0 * U);
    let constant = constant(added, discount)?;
    for bounds in &mut numbers.bounds {
        let [lo, hi] = *bounds;
        let widened = if hi == 0.0 { [0.0; 2] } else { [below(lo, error), above(hi, error)] };
        *bounds = match added {
            0.0 => widened,
            _ => interval::sub(widened, constant).ok_or_else(undefined)?,
        };
    }
    Ok(numbers)
}

fn undefined() -> CheckError {
    CheckError::Undefined { what: "a discounted reward".to_string() }
}

/// The value of earning a constant with every step.
fn constant(added: f64, discount: Discount) -> Result<interval::Interval, CheckError> {
    let near = |value: f64| [value.next_down(), value.next_up()];
    let for_ever = interval::div([added; 2], near(discount.rest)).ok_or_else(undefined)?;
    let Some(steps) = discount.upto else { return Ok(for_ever) };
    let power = interval::library(near(discount.factor), [steps; 2], f64::powf).ok_or_else(undefined)?;
    // `powf` is accurate to a few units; its argument is off by one, which counts once for each step.
    let spread = relative((steps + 4.0) * 2.0 * U).min(1.0);
    let power = [power[0] * (1.0 - spread), power[1] * (1.0 + spread)];
    let left = interval::sub([1.0; 2], power).ok_or_else(undefined)?;
    interval::mul(for_ever, [left[0].max(0.0), left[1].min(1.0)]).ok_or_else(undefined)
}

/// Rewards that are larger by a constant, so that none is negative, and that of one more choice; with the constant.
pub fn raised(reward: &[f64]) -> (Vec<f64>, f64) {
    let added = reward.iter().fold(0.0, |least: f64, &r| least.max(-r));
    (reward.iter().map(|r| r + added).chain([0.0]).collect(), added)
}

/// The model with all probabilities multiplied by the factor, and one more state that takes the rest.
pub fn scaled(model: &Space, discount: Discount) -> Space {
    let n = model.num_states();
    let mut row_start = Vec::with_capacity(model.row_start.len() + 1);
    row_start.push(0);
    let mut columns = Vec::with_capacity(model.columns.len() + model.num_choices() + 1);
    let mut values = ValuesBuilder::new();
    for choice in 0..model.num_choices() {
        for (t, v) in model.transitions(choice) {
            columns.push(t as u32);
            values.push(v * discount.factor);
        }
        columns.push(n as u32);
        values.push(discount.rest);
        row_start.push(columns.len() as u32);
    }
    columns.push(n as u32);
    values.push(1.0);
    row_start.push(columns.len() as u32);
    let choices = model.choices.clone().map(|mut choices| {
        choices.start.push(row_start.len() as u32 - 1);
        choices.action.push(0);
        choices
    });
    Space {
        kind: model.kind,
        choices,
        row_start,
        columns,
        values: values.finish(),
        initial: model.initial.clone(),
        deadlocks: BitSet::new(n + 1),
        labels: Vec::new(),
        rewards: Vec::new(),
        actions: model.actions.clone(),
    }
}

#[cfg(test)]
mod tests;
