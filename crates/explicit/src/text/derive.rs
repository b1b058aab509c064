//! Conversion of numbers that a format and the model represent differently: rates, exit rates, expected rewards.

use crate::model::{Measure, Model, Number, Numbers, Reward, Time};
use dashu_ratio::RBig;
use std::borrow::Cow;
use volvelle_space::RatiosBuilder;

/// The state of every branch: calls `visit` with state, choice and branch.
pub(crate) fn each_branch(model: &Model, mut visit: impl FnMut(usize, usize, usize)) {
    for state in 0..model.num_states() {
        for choice in model.choices.range(state) {
            for branch in model.branches.range(choice) {
                visit(state, choice, branch);
            }
        }
    }
}

/// The values of branches as most formats want them: rates in a CTMC, probabilities otherwise. `None` where the model
/// has none, or values that cannot be multiplied.
pub(crate) fn weights(model: &Model) -> Option<Cow<'_, Numbers>> {
    let values = model.values.as_ref()?;
    let (Time::Stochastic, Measure::Probabilities, Some(rates)) =
        (model.time, model.measure, &model.exit_rates)
    else {
        return Some(Cow::Borrowed(values));
    };
    Some(Cow::Owned(match (values, rates) {
        (Numbers::Exact(values), Numbers::Exact(rates)) => {
            let mut products = RatiosBuilder::default();
            each_branch(model, |state, _, branch| products.push(values.get(branch) * rates.get(state)));
            Numbers::Exact(products.finish())
        }
        (Numbers::DoubleInterval(_), _) | (_, Numbers::DoubleInterval(_)) => {
            let mut products = Vec::with_capacity(values.len());
            let bounds = |numbers: &Numbers, i| match numbers.get(i) {
                Number::DoubleInterval(lower, upper) => Some((lower, upper)),
                other => other.to_f64().map(|value| (value, value)),
            };
            let mut known = true;
            each_branch(model, |state, _, branch| match (bounds(values, branch), bounds(rates, state)) {
                (Some((a, b)), Some((c, d))) => products.push([a * c, b * d]),
                _ => known = false,
            });
            if !known {
                return None;
            }
            Numbers::DoubleInterval(products)
        }
        _ => {
            let mut products = Vec::with_capacity(values.len());
            let mut known = true;
            each_branch(model, |state, _, branch| {
                match (values.get(branch).to_f64(), rates.get(state).to_f64()) {
                    (Some(value), Some(rate)) => products.push(value * rate),
                    _ => known = false,
                }
            });
            if !known {
                return None;
            }
            Numbers::Double(products)
        }
    }))
}

/// The exit rates of a CTMC or Markov automaton; sums of rates where the model does not give them.
pub(crate) fn exit_rates<'m>(model: &'m Model, weights: &Numbers) -> Option<Cow<'m, Numbers>> {
    if let Some(rates) = &model.exit_rates {
        return Some(Cow::Borrowed(rates));
    }
    let branches = |state: usize| model.choices.range(state).flat_map(|choice| model.branches.range(choice));
    let states = 0..model.num_states();
    Some(Cow::Owned(match weights {
        Numbers::Double(rates) => {
            Numbers::Double(states.map(|state| branches(state).fold(0.0, |sum, b| sum + rates[b])).collect())
        }
        Numbers::Exact(rates) => {
            let mut sums = RatiosBuilder::default();
            for state in states {
                sums.push(branches(state).fold(RBig::ZERO, |sum, branch| sum + rates.get(branch)));
            }
            Numbers::Exact(sums.finish())
        }
        Numbers::DoubleInterval(rates) => Numbers::DoubleInterval(
            states
                .map(|state| branches(state).fold([0.0; 2], |[a, b], i| [a + rates[i][0], b + rates[i][1]]))
                .collect(),
        ),
        Numbers::ExactInterval(rates) => {
            let mut sums = RatiosBuilder::default();
            for state in states {
                for bound in 0..2 {
                    sums.push(branches(state).fold(RBig::ZERO, |sum, i| sum + rates.get(2 * i + bound)));
                }
            }
            Numbers::ExactInterval(sums.finish())
        }
        Numbers::Symbolic(_) => return None,
    }))
}

/// Rewards of choices with those of branches added as their mean, weighted by the values of the branches. `None` if
/// there are neither, an error if the numbers cannot be added (intervals, expressions).
pub(crate) fn choice_rewards<'m>(
    model: &'m Model,
    weights: Option<&Numbers>,
    reward: &'m Reward,
) -> Result<Option<Cow<'m, Numbers>>, NotAdded> {
    let Some(of_branches) = &reward.branches else { return Ok(reward.choices.as_ref().map(Cow::Borrowed)) };
    let weights = weights.ok_or(NotAdded)?;
    let choices = 0..model.num_choices();
    if let (Numbers::Exact(rewards), Numbers::Exact(weights)) = (of_branches, weights)
        && let None | Some(Numbers::Exact(_)) = &reward.choices
    {
        let mut sums = RatiosBuilder::default();
        for choice in choices {
            let (mut total, mut sum) = (RBig::ZERO, RBig::ZERO);
            for branch in model.branches.range(choice) {
                total += weights.get(branch);
                sum += weights.get(branch) * rewards.get(branch);
            }
            let mean = if total.is_zero() { RBig::ZERO } else { sum / total };
            let own = match &reward.choices {
                Some(Numbers::Exact(own)) => own.get(choice).clone(),
                _ => RBig::ZERO,
            };
            sums.push(mean + own);
        }
        return Ok(Some(Cow::Owned(Numbers::Exact(sums.finish()))));
    }
    let mut sums = Vec::with_capacity(choices.len());
    for choice in choices {
        let (mut total, mut sum) = (0.0, 0.0);
        for branch in model.branches.range(choice) {
            let weight = weights.get(branch).to_f64().ok_or(NotAdded)?;
            total += weight;
            sum += weight * of_branches.get(branch).to_f64().ok_or(NotAdded)?;
        }
        let own = match &reward.choices {
            Some(own) => own.get(choice).to_f64().ok_or(NotAdded)?,
            None => 0.0,
        };
        sums.push(if total == 0.0 { own } else { own + sum / total });
    }
    Ok(Some(Cow::Owned(Numbers::Double(sums))))
}

/// Numbers that have no sum or product here: intervals and expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotAdded;
