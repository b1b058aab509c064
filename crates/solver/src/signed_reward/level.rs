//! End components in which something is lost, on the way to a target: a potential that leaves no loss where the least average is
//! positive, and the states from which a scheduler may lose without end where it is negative.

use volvelle_logic::{Optimum, RewardId};
use volvelle_space::BitSet;

use super::Arrivals;
use crate::context::Context;
use crate::error::CheckError;
use crate::graph::EndComponents;
use crate::interval::{self, Interval};
use crate::longrun::{Gain, biases};
use crate::options::Options;

/// Relative precisions of averages: tried in this order.
const PRECISIONS: [f64; 3] = [1e-3, 1e-7, 1e-12];

/// The end components without those that lose.
pub struct Level {
    /// The potential of every state.
    pub bias: Vec<f64>,
    /// The states that have one.
    pub levelled: BitSet,
    /// The states whose minimum is minus infinity.
    pub endless: BitSet,
}

/// Levels the end components of the choices that may be taken, and leaves out what is endless.
///
/// # Errors
/// The sign of an average is not known: [`CheckError::BalancedLoss`].
pub fn level(
    context: &Context,
    id: RewardId,
    reward: &[f64],
    arrivals: &mut Arrivals,
) -> Result<Level, CheckError> {
    let n = context.states();
    let losing = arrivals.losing(|choice| reward[choice] < 0.0, context.space);
    let mut level = Level { bias: vec![0.0; n], levelled: BitSet::new(n), endless: BitSet::new(n) };
    let mut lost = Vec::new();
    for (members, least) in losing.iter().zip(averages(context, &losing, reward)?) {
        let (bounds, bias) = least;
        if bounds[0] > 0.0 {
            for (&s, h) in members.iter().zip(bias) {
                level.bias[s as usize] = -h;
                level.levelled.insert(s as usize);
            }
        } else if bounds[1] < 0.0 {
            lost.extend_from_slice(members);
        } else {
            return Err(balanced(context, id, members[0]));
        }
    }
    if !lost.is_empty() {
        level.endless = arrivals.leave_out(context, &lost);
        for s in level.endless.iter() {
            level.bias[s] = 0.0;
            level.levelled.remove(s);
        }
    }
    Ok(level)
}

/// The error where gains and losses may balance.
pub fn balanced(context: &Context, id: RewardId, state: u32) -> CheckError {
    let rewards = context.space.rewards.get(id.index()).map(|r| r.name.clone()).unwrap_or_default();
    CheckError::BalancedLoss { rewards, state, states: context.states() }
}

/// Bounds of the least average of rewards of both signs in end components, as narrow as their sign needs, with the biases.
pub fn averages(
    context: &Context,
    found: &EndComponents,
    reward: &[f64],
) -> Result<Vec<(Interval, Vec<f64>)>, CheckError> {
    if found.states.is_empty() {
        return Ok(Vec::new());
    }
    let largest = |component: &[u32]| {
        let choices = component.iter().flat_map(|&s| context.space.choices_of(s as usize));
        let inner = choices.filter(|&choice| found.staying.contains(choice));
        inner.fold(0.0, |most: f64, choice| most.max(-reward[choice]))
    };
    // Averages are those of rewards that are not negative.
    let mut raised = reward.to_vec();
    let mut highest: f64 = 0.0;
    let mut added = Vec::new();
    for component in found.iter() {
        let constant = largest(component);
        let choices = component.iter().flat_map(|&s| context.space.choices_of(s as usize));
        for choice in choices {
            raised[choice] = (reward[choice] + constant).max(0.0);
            highest = highest.max(raised[choice]);
        }
        added.push(constant);
    }
    let unknown = [f64::NEG_INFINITY, f64::INFINITY];
    let mut averages: Vec<(Interval, Vec<f64>)> = vec![(unknown, Vec::new()); added.len()];
    for precision in PRECISIONS {
        let options = Options { precision, relative: true, ..context.options };
        let inner = context.inner(context.space, options, context.control);
        let found = biases(&inner, found, &raised, Optimum::Min)?;
        for ((average, &added), Gain { bounds, bias, .. }) in averages.iter_mut().zip(&added).zip(found) {
            // Adding rounds.
            let rounding = 4.0 * f64::EPSILON * (added + highest);
            let wide = [bounds[0] - rounding, bounds[1] + rounding];
            *average = (interval::sub(wide, [added; 2]).unwrap_or(unknown), bias);
        }
        if averages.iter().all(|(bounds, _)| bounds[0] > 0.0 || bounds[1] < 0.0) {
            break;
        }
    }
    Ok(averages)
}
