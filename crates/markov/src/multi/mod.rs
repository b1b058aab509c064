//! Several objectives for one scheduler of an MDP.
//!
//! In: objectives, each the probability of a path formula or an expected reward, with a bound or to be optimised. Out:
//! whether a scheduler meets all bounds; the best value that is left to one objective; or the Pareto curve of several.
//! After Forejt, Kwiatkowska and Parker, *Pareto curves for probabilistic model checking* (ATVA 2012), and PRISM's manual,
//! *Multi-objective Properties*.
//!
//! | module | subject |
//! |---|---|
//! | `product` | the MDP with the automata of all path formulas, and with a counter of steps |
//! | `quotient` | end components collapsed: every objective is a reward on the way to one last state |
//! | `weighted` | a direction: the best scheduler in it, its values, and a half-space that contains those of all schedulers |
//! | `separation` | the hyperplane that separates a point best from the points below a mix of others |
//! | `polytope` | corners of an intersection of half-spaces |
//! | `restart` | conditional probabilities by the restart construction |
//! | `query`, `pareto` | choosing directions until the question is decided |
//!
//! Coordinates: every objective is a number to be made large. A probability that should be small is that of the negated
//! formula; a reward that should be small is negated. The achievable points are a convex set, as schedulers may toss
//! coins. It is known from inside, by mixes of schedulers that were found, and from outside, by half-spaces; both with
//! bounds of the arithmetic, so that no answer rests on an iteration that seemed to have converged.
//!
//! Where a reward is minimised or bounded from above, schedulers with an infinite sum of it are left out. Where one is
//! maximised or bounded from below, a scheduler with an infinite sum is an error, as it is in PRISM.

mod pareto;
mod polytope;
mod product;
mod query;
mod quotient;
mod restart;
mod separation;
#[cfg(test)]
mod tests;
mod weighted;

use volvelle_logic::{Answer, Goal, RewardId};

use crate::context::Context;
use crate::error::CheckError;
use crate::ltl::Ltl;
use crate::reward::{Rewards, check_not_negative};
use product::Product;
use quotient::{Quotient, Reward};
pub use restart::{Restart, restarted};

/// The measure of an objective, with its operands evaluated.
pub enum Measure {
    /// The probability of a formula.
    Formula(Box<Ltl>),
    /// A reward, for an unlimited time or for a number of steps.
    Reward(RewardId, Option<u64>),
}

/// Answers a query from an initial state.
pub fn multi(
    context: &Context,
    initial: usize,
    objectives: Vec<(Measure, Goal)>,
) -> Result<Answer, CheckError> {
    let mut formulas = Vec::new();
    let mut plain_rewards: Vec<(RewardId, Option<u64>, bool)> = Vec::new();
    // For every objective its number among the formulas, or among the rewards.
    let mut places = Vec::new();
    let mut goals = Vec::new();
    for (measure, goal) in objectives {
        let small = matches!(goal, Goal::Minimise | Goal::AtMost(_));
        match measure {
            Measure::Formula(formula) => {
                places.push((true, formulas.len()));
                formulas.push(if small { formula.negation() } else { *formula });
            }
            Measure::Reward(id, steps) => {
                places.push((false, plain_rewards.len()));
                plain_rewards.push((id, steps, small));
            }
        }
        goals.push(goal);
    }
    let limit = plain_rewards.iter().filter_map(|r| r.1).max().unwrap_or(0);
    let product = Product::new(context, initial, &formulas, limit)?;
    let mut control = *context.control;
    if let Some(memory) = &mut control.limits.memory_bytes {
        *memory = memory.saturating_sub(product.bytes());
    }
    // Errors of rewards are counted like those of weights: all of them enter the same equations.
    let mut options = context.options;
    for &(id, ..) in &plain_rewards {
        options = options.with_input(options.input.max(Rewards::of_choices(context, id)?.relative_error()));
    }
    let inner = context.inner(context.space, options, &control);
    let rewards = plain_rewards
        .into_iter()
        .map(|(id, steps, cost)| {
            let Rewards { values: of_choice, .. } = Rewards::of_choices(context, id)?;
            check_not_negative(context, id, &of_choice)?;
            Ok(Reward {
                of_choice: on_product(&product, &of_choice, steps),
                endless: steps.is_none(),
                cost,
                name: context.space.rewards[id.index()].name.clone(),
            })
        })
        .collect::<Result<Vec<Reward>, CheckError>>()?;
    let quotient = Quotient::new(&inner, &product, formulas.len(), &rewards)?;
    let targets: Vec<query::Target> = places
        .iter()
        .zip(goals)
        .map(|(&(is_formula, place), goal)| query::Target {
            number: if is_formula { place } else { formulas.len() + place },
            probability: is_formula,
            goal,
        })
        .collect();
    let mut cost = vec![false; formulas.len()];
    cost.extend(rewards.iter().map(|r| r.cost));
    query::answer(&inner, quotient.as_ref(), &cost, &targets, &product.describe())
}

/// A reward of the choices of the space, for the choices of the product.
fn on_product(product: &Product, of_choice: &[f64], steps: Option<u64>) -> Vec<f64> {
    let mut rewards: Vec<f64> = product.choice_of.iter().map(|&choice| of_choice[choice as usize]).collect();
    if let Some(steps) = steps {
        for s in 0..product.space.num_states() {
            // Without a counter no step counts: all limits are zero.
            if product.steps.get(s).is_none_or(|&so_far| so_far >= steps) {
                product.space.choices_of(s).for_each(|choice| rewards[choice] = 0.0);
            }
        }
    }
    rewards
}
