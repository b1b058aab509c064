//! The probability of reaching the target from the states of a projection.
//!
//! Without a bound, this is the probability of ever reaching the target. With a latest time `T`, it is the
//! probability of reaching it before being killed at a constant rate `k`. By Markov's inequality, `exp(k T)`
//! times that bounds the probability of reaching it in time; the rate is the one among several with the best
//! bound in the initial state. A bound on steps is handled in the same way, with a chance of being killed at
//! every step.
//!
//! If everything about a state is known, its value is the mean of those of its successors; else it is that of
//! the best transition. Values are found by sweeps from below, nearest states first, until they hardly
//! change; they need not be precise, since they only serve as importance.

/// Limit of sweeps.
const SWEEPS: usize = 300;
/// Changes that are small enough, relatively.
const SMALL: f64 = 0.01;
/// The expected number of killings within the bound.
const KILLINGS: [f64; 6] = [1.0, 3.0, 10.0, 30.0, 100.0, 300.0];

/// The transitions of a state.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// Other states, and upper bounds of their probabilities.
    pub(super) outgoing: Vec<(u32, f64)>,
    /// Probability to stay.
    pub(super) same: f64,
    /// Total rate of the visible transitions, if known.
    pub(super) rate: f64,
    /// Whether the probabilities are known, and not only bounded.
    pub(super) is_exact: bool,
}

/// The time bound of a property.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Horizon {
    /// Whether time is continuous, else it is counted in steps.
    pub timed: bool,
    /// Latest time or step.
    pub upper: Option<f64>,
}

/// Values as distances: negated binary logarithms. `nearness` has all states that can reach the target,
/// nearest first; the first state is the initial one.
pub fn distances(states: &[State], targets: &[u32], nearness: &[u32], horizon: Horizon) -> Vec<f64> {
    let bits = |values: Vec<f64>| {
        values.into_iter().map(|v| if v > 0.0 { -v.log2() } else { f64::INFINITY }).collect()
    };
    let Some(upper) = horizon.upper.filter(|&upper| upper > 0.0) else {
        return bits(values(states, targets, nearness, 0.0, horizon.timed));
    };
    let mut best: Option<(f64, Vec<f64>)> = None;
    for killings in KILLINGS {
        let values = values(states, targets, nearness, killings / upper, horizon.timed);
        let bound = killings + values[0].ln();
        if best.as_ref().is_none_or(|(known, _)| bound < *known) {
            best = Some((bound, values));
        }
    }
    bits(best.map_or_else(|| vec![0.0; states.len()], |(_, values)| values))
}

/// The probability to reach a target before being killed at a rate.
fn values(states: &[State], targets: &[u32], nearness: &[u32], killed: f64, timed: bool) -> Vec<f64> {
    let mut values = vec![0.0f64; states.len()];
    let mut is_target = vec![false; states.len()];
    for &target in targets {
        values[target as usize] = 1.0;
        is_target[target as usize] = true;
    }
    let survives = if timed { 1.0 } else { (-killed).exp() };
    for _ in 0..SWEEPS {
        let mut change = 0.0f64;
        for &number in nearness {
            let number = number as usize;
            if is_target[number] {
                continue;
            }
            let state = &states[number];
            let ways = state.outgoing.iter().map(|&(to, probability)| probability * values[to as usize]);
            let value = if state.is_exact {
                let sum: f64 = ways.sum();
                let leaves = if timed {
                    // Per unit of time if that matters, else per step.
                    let lost = if killed > 0.0 { killed / state.rate } else { 0.0 };
                    1.0 - state.same + lost
                } else {
                    1.0 - survives * state.same
                };
                survives * sum / leaves
            } else {
                survives * ways.fold(0.0, f64::max)
            };
            let value = if value.is_finite() { value.min(1.0) } else { 1.0 };
            if value > values[number] {
                change = change.max((value - values[number]) / value);
                values[number] = value;
            }
        }
        if change < SMALL {
            break;
        }
    }
    values
}
