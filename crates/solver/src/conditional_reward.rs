//! Expected rewards of a chain among the paths that satisfy a condition.
//!
//! With `h(s)` the probability of the condition, the part of the expectation that belongs to the condition satisfies
//! `g(s) = r(s) h(s) + sum_t P(s,t) g(t)` until the condition or the target is met; where the condition is met first, the rest is
//! the plain expectation. The answer is `g/h`.

use volvelle_logic::Optimum;
use volvelle_space::BitSet;

use crate::context::Context;
use crate::error::CheckError;
use crate::interval;
use crate::numbers::Numbers;
use crate::reach;
use crate::reward::reachability_reward;
use crate::rounding::{U, above, below};
use crate::solve::{Classes, Parts, System, solve};

/// Expected reward until `target` under the condition `left U right`; `reward` per state, not negative. Infinite where the target
/// is not reached almost surely under the condition.
///
/// # Errors
/// The condition has probability zero in a state of `needed` (`None`: all).
pub fn until_given(
    context: &Context,
    reward: &[f64],
    target: &BitSet,
    (left, right): (&BitSet, &BitSet),
    needed: Option<&BitSet>,
) -> Result<Numbers, CheckError> {
    let n = context.states();
    let condition = reach::until(context, left, right, Optimum::Max)?;
    let impossible = reach::prob01_until(context, left, right, Optimum::Max).zero;
    let asked = |s: usize| needed.is_none_or(|needed| needed.contains(s));
    if let Some(s) = impossible.iter().find(|&s| asked(s)) {
        return Err(CheckError::ImpossibleCondition { state: s as u32 });
    }
    let plain = reachability_reward(context, reward, target, Optimum::Max)?;
    let mut unknown = left.clone();
    for known in [right, target, &impossible] {
        unknown.subtract(known);
    }
    // The condition may be met where the target need not follow.
    let endless = right.iter().filter(|&s| plain.bounds[s][0] == f64::INFINITY);
    let endless = context.predecessors().reach(&BitSet::of(n, endless), Some(&unknown));
    unknown.subtract(&endless);
    let known = |s: usize| {
        if endless.contains(s) {
            [f64::INFINITY; 2]
        } else if right.contains(s) {
            plain.bounds[s]
        } else {
            [0.0; 2]
        }
    };
    let mut parts = [known_numbers(n, known), known_numbers(n, known)];
    if unknown.count() > 0 {
        for (end, numbers) in parts.iter_mut().enumerate() {
            let weighted = |s: usize| {
                let weight = reward[s] * condition.bounds[s][end];
                if weight == 0.0 {
                    0.0
                } else if end == 0 {
                    below(weight, 2.0 * U)
                } else {
                    above(weight, 2.0 * U)
                }
            };
            let classes = Classes::new(&unknown, std::iter::empty());
            let equations = Parts {
                space: context.space,
                classes: &classes,
                optimum: Optimum::Max,
                allowed: None,
                reward: weighted,
                stay: &[],
                known,
            };
            let system = System::new(&equations);
            let solution = solve(&system, false, &context.options, context)?;
            *numbers = solution.numbers(&system, known);
        }
    }
    let [low, high] = parts;
    let of_state = |s: usize| {
        let whole = [low.bounds[s][0], high.bounds[s][1]];
        if whole[0] == f64::INFINITY {
            [f64::INFINITY; 2]
        } else {
            interval::div(whole, condition.bounds[s]).unwrap_or([0.0, f64::INFINITY])
        }
    };
    let bounds = (0..n).map(|s| if impossible.contains(s) { [0.0, f64::INFINITY] } else { of_state(s) });
    let bounds = bounds.collect();
    let stop = low.stop.max(high.stop).max(plain.stop).max(condition.stop);
    let method = format!("{}; condition: {}", high.method, condition.method);
    Ok(Numbers { bounds, method, stop })
}

fn known_numbers(states: usize, known: impl Fn(usize) -> [f64; 2]) -> Numbers {
    let bounds = (0..states).map(known).collect();
    Numbers { bounds, method: "graph analysis".to_string(), stop: volvelle_logic::StopReason::Computed }
}
