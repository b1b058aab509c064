//! Step bounds on DTMCs and MDPs, backwards, in integers over one common denominator.
//!
//! With `d` a common denominator of all numbers, the values after k steps are integers over `d^k`: no fraction is
//! reduced before the end. The integers grow by the bits of `d` with each step.

use crate::linear::{common_denominator, scaled};
use crate::model::Model;
use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use volvelle_logic::Optimum;
use volvelle_solver::CheckError;
use volvelle_space::BitSet;

/// Limit on the bits of all values together.
const MOST_BITS: u64 = 1 << 34;

/// The rule of a step.
#[derive(Clone, Copy, Default)]
pub struct Step<'a> {
    /// The states outside of which the value is 0, unless they are in `goal`.
    pub inside: Option<&'a BitSet>,
    /// The states where the value is 1.
    pub goal: Option<&'a BitSet>,
    /// The reward of each choice.
    pub reward: Option<&'a [RBig]>,
}

/// Computes the values `steps` steps before those of `start`.
pub fn backwards(
    model: &Model<'_>,
    optimum: Optimum,
    start: &[RBig],
    steps: u64,
    step: Step<'_>,
) -> Result<Vec<RBig>, CheckError> {
    if steps == 0 {
        return Ok(start.to_vec());
    }
    let context = model.context;
    let space = context.space;
    let n = space.num_states();
    let moves = |s: usize| {
        step.goal.is_none_or(|g| !g.contains(s)) && step.inside.is_none_or(|inside| inside.contains(s))
    };
    let rewards = step.reward.unwrap_or(&[]);
    let common = common_denominator(model.probabilities.iter().chain(rewards));
    let of_start = common_denominator(start.iter());
    let mut scale = IBig::from(of_start.clone());
    let mut values: Vec<IBig> = start.iter().map(|x| scaled(x, &of_start)).collect();
    let probabilities: Vec<IBig> = model.probabilities.iter().map(|p| scaled(p, &common)).collect();
    let earned: Vec<IBig> = rewards.iter().map(|r| scaled(r, &common)).collect();
    let growth = IBig::from(common);
    for taken in 0..steps {
        context.control.check()?;
        let bits = scale.bit_len() as u64 * n as u64;
        context.control.check_memory(bits / 4)?;
        if bits > MOST_BITS {
            let what =
                format!("a result of {} bits for each state after {taken} of {steps} steps", scale.bit_len());
            return Err(CheckError::TooLargeExactly { what });
        }
        let next_scale = &scale * &growth;
        let next = (0..n).map(|s| {
            if step.goal.is_some_and(|goal| goal.contains(s)) {
                return next_scale.clone();
            }
            if !moves(s) {
                return IBig::ZERO;
            }
            let of_choice = |choice: usize| {
                let mut sum = IBig::ZERO;
                for i in space.row(choice) {
                    let value = &values[space.columns[i] as usize];
                    if *value != IBig::ZERO {
                        sum += &probabilities[i] * value;
                    }
                }
                match earned.get(choice) {
                    Some(reward) if *reward != IBig::ZERO => sum + reward * &scale,
                    _ => sum,
                }
            };
            let all = space.choices_of(s).map(of_choice);
            let best = if optimum == Optimum::Max { all.max() } else { all.min() };
            best.unwrap_or(IBig::ZERO)
        });
        values = next.collect();
        scale = next_scale;
    }
    let (_, denominator): (_, UBig) = scale.into_parts();
    let reduced = values
        .into_iter()
        .enumerate()
        .map(|(s, x)| if model.is_needed(s) { RBig::from_parts(x, denominator.clone()) } else { RBig::ZERO });
    Ok(reduced.collect())
}
