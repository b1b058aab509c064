//! Long-run averages of MDPs (de Alfaro 1997; Puterman, *Markov Decision Processes*, chapters 8 and 9).
//!
//! Every run eventually stays in some end component. Within a maximal one a scheduler can reach every state, so it has
//! one optimal average, its gain; what remains is to reach the components with good gains, where a scheduler may
//! stay or go on: reachability, with the gain as the value of staying.
//!
//! The gain g is bounded by value iteration: for *any* vector h, g lies between the least and the largest entry of
//! `opt over choices (r + P h - h)`, for a maximum and for a minimum alike (Odoni 1969). Steps are damped, so that
//! periodic components converge too. Where they converge slowly, h is now and then replaced by the bias of a policy that no
//! other improves ([`policy`]), which makes the bounds as narrow as rounding permits.

mod component;
mod device;
mod policy;

use volvelle_control::ProgressEvent;
use volvelle_logic::gate::Range;
use volvelle_logic::{Optimum, StopReason};
use volvelle_space::{BitSet, Space};

use crate::context::Context;
use crate::error::CheckError;
use crate::graph::{EndComponents, end_components};
use crate::numbers::Numbers;
use crate::options::{Method, MethodUse};
use crate::reach::staying;
use crate::rounding::{U, above, below, relative};
use crate::scheduling::Fallback;
use component::{Component, OnThread, Step};
use device::OnDevice;
use policy::improve;

/// Optimal long-run average of `reward` (per step, one for every choice, not negative), for every state.
pub fn optimal_average(context: &Context, reward: &[f64], optimum: Optimum) -> Result<Numbers, CheckError> {
    let n = context.states();
    let found = end_components(context.space, &BitSet::full(n), |_| true);
    context.control.check_memory(48 * n as u64)?;
    let mut gains = Vec::new();
    let mut place = vec![0u32; n];
    let (mut sweeps, mut unfinished) = (0, false);
    let (extremes, reached) = extremes(context.space, &found, reward, optimum);
    for (members, extreme) in found.iter().zip(extremes) {
        if members.iter().any(|&s| reached.contains(s as usize)) {
            gains.push([extreme; 2]);
            continue;
        }
        let gain = gain(context, &found, members, &mut place, reward, optimum)?;
        sweeps = sweeps.max(gain.sweeps);
        unfinished |= gain.unfinished;
        gains.push(gain.bounds);
    }
    // Values within 0..=1, as for probabilities.
    let largest = gains.iter().fold(0.0f64, |a, g| a.max(g[1]));
    if largest == 0.0 {
        return Ok(Numbers::exact((0..n).map(|_| 0.0), "graph analysis"));
    }
    let scale = |[lo, hi]: [f64; 2]| {
        let low = if lo == largest { 1.0 } else { below(lo / largest, 2.0 * U) };
        [low, if hi == 0.0 { 0.0 } else { (hi / largest).next_up().min(1.0) }]
    };
    let scaled: Vec<[f64; 2]> = gains.iter().map(|&gain| scale(gain)).collect();
    let mut numbers = staying(context, &found, &scaled, optimum)?;
    for [lo, hi] in &mut numbers.bounds {
        *lo = if *lo == 1.0 { largest } else { below(*lo * largest, 2.0 * U) };
        *hi = if *hi == 0.0 { 0.0 } else { above(*hi * largest, 2.0 * U).min(largest) };
    }
    numbers.method = format!(
        "value iteration in end components (at most {sweeps} sweeps); reaching them: {}",
        numbers.method
    );
    let gains = if unfinished { StopReason::IterationLimit } else { StopReason::Converged };
    numbers.stop = numbers.stop.max(gains);
    Ok(numbers)
}

/// The best reward of a choice that stays in each component, and the states in which a scheduler may stay for ever on choices
/// that all have the best: where there is such a state, this reward is the optimum of its component, exactly.
fn extremes(space: &Space, found: &EndComponents, reward: &[f64], optimum: Optimum) -> (Vec<f64>, BitSet) {
    let n = space.num_states();
    let mut extreme_of = vec![f64::NAN; n];
    let mut extremes = Vec::new();
    for members in found.iter() {
        let choices = members.iter().flat_map(|&s| space.choices_of(s as usize));
        let rewards = choices.filter(|&c| found.staying.contains(c)).map(|c| reward[c]);
        let extreme = match optimum {
            Optimum::Min => rewards.fold(f64::INFINITY, f64::min),
            Optimum::Max => rewards.fold(0.0, f64::max),
        };
        members.iter().for_each(|&s| extreme_of[s as usize] = extreme);
        extremes.push(extreme);
    }
    let mut extreme = BitSet::new(space.num_choices());
    for (s, of_component) in extreme_of.iter().enumerate() {
        for choice in space.choices_of(s).filter(|&choice| reward[choice] == *of_component) {
            extreme.insert(choice);
        }
    }
    let inner = |choice: usize| extreme.contains(choice) && found.staying.contains(choice);
    let reached = end_components(space, &BitSet::full(n), inner);
    (extremes, BitSet::of(n, reached.iter().flatten().map(|&s| s as usize)))
}

/// The end components of an MDP with the average that a scheduler has in each.
pub struct Gains {
    /// The maximal end components.
    pub found: EndComponents,
    /// Bounds of the optimal average in each.
    pub bounds: Vec<[f64; 2]>,
    /// For every state in a component the choice of a scheduler that stays there and has this average.
    pub choices: Vec<(u32, u32)>,
}

/// Schedulers that stay in the maximal end components. For a maximum the average of a scheduler that is greedy for h is at
/// least the least entry of `r + P h - h`, from every state, whatever h; so it is as good as the bounds.
pub fn gains(context: &Context, reward: &[f64], optimum: Optimum) -> Result<Gains, CheckError> {
    let n = context.states();
    let found = end_components(context.space, &BitSet::full(n), |_| true);
    context.control.check_memory(56 * n as u64)?;
    let mut place = vec![0u32; n];
    let (mut bounds, mut choices) = (Vec::new(), Vec::new());
    for members in found.iter() {
        let gain = gain(context, &found, members, &mut place, reward, optimum)?;
        bounds.push(gain.bounds);
        // Places within the component were set, unless all rewards are equal.
        let component = (!gain.bias.is_empty())
            .then(|| Component::new(context.space, &found, members, &mut place, reward, optimum));
        for (i, &s) in members.iter().enumerate() {
            let staying = context.space.choices_of(s as usize).filter(|&c| found.staying.contains(c));
            let best = component.as_ref().map_or(0, |component| component.best(i, &gain.bias));
            choices.extend(staying.skip(best).take(1).map(|choice| (s, choice as u32)));
        }
    }
    Ok(Gains { found, bounds, choices })
}

/// The optimal averages in some end components: for a minimum `r + P h - h` is at least the lower bound for every choice that
/// stays.
pub fn biases(
    context: &Context,
    found: &EndComponents,
    reward: &[f64],
    optimum: Optimum,
) -> Result<Vec<Gain>, CheckError> {
    let mut place = vec![0u32; context.states()];
    found.iter().map(|members| gain(context, found, members, &mut place, reward, optimum)).collect()
}

/// The optimal average in an end component.
pub struct Gain {
    /// Bounds of it.
    pub bounds: [f64; 2],
    /// The vector h that gave them, in the order of the component's states; empty where all rewards are equal.
    pub bias: Vec<f64>,
    sweeps: u64,
    unfinished: bool,
}

/// Steps between two looks at rounding errors where bounds are far apart.
const ROUNDING_LOOKED_AT: u64 = 16;

/// Rewards beyond this would leave the range of doubles in sums.
const LARGEST_REWARD: f64 = 1e280;

/// Sweeps before the first look for a policy.
const FIRST_JUMP: u64 = 1024;

/// Bounds no more than so many times wider than requested are not far apart.
const NEAR: f64 = 8.0;

/// Bounds of the gain of a maximal end component; `place` is scratch, one per state.
fn gain(
    context: &Context,
    found: &EndComponents,
    members: &[u32],
    place: &mut [u32],
    reward: &[f64],
    optimum: Optimum,
) -> Result<Gain, CheckError> {
    let inner = |s: u32| context.space.choices_of(s as usize).filter(|&c| found.staying.contains(c));
    // An average lies between the least and the largest reward, whatever else is known.
    let rewards = members.iter().flat_map(|&s| inner(s)).map(|c| reward[c]);
    let extreme = rewards.fold([f64::INFINITY, 0.0], |[lo, hi], r| [lo.min(r), hi.max(r)]);
    let mut best = extreme;
    if best[1] > LARGEST_REWARD {
        return Ok(Gain { bounds: best, bias: vec![0.0; members.len()], sweeps: 0, unfinished: true });
    }
    if best[0] >= best[1] {
        return Ok(Gain { bounds: [best[1]; 2], bias: Vec::new(), sweeps: 0, unfinished: false });
    }
    match context.options.method {
        Method::Auto => {}
        Method::Iteration => context.note_method(MethodUse::Used),
        Method::Classical(_) | Method::Elimination => context.note_method(MethodUse::Replaced),
    }
    let component = Component::new(context.space, found, members, place, reward, optimum);
    let n = members.len();
    let mut h = vec![0.0f64; n];
    let mut steps =
        Fallback::new(context, OnThread::new(&component), n, |sweeps| OnDevice::new(sweeps, &component));
    let work = component.work();
    let (mut sweeps, mut unchecked) = (0, 0);
    let input = relative(4.0 * n as f64 * context.options.input);
    let limit = context.options.max_iterations;
    let mut is_near = false;
    let (mut next_jump, mut before_jump) = (FIRST_JUMP, None);
    while sweeps < limit {
        // While bounds are far apart, the rounding error, which may end the work as well, is looked at now and then.
        let has_size = is_near || sweeps % ROUNDING_LOOKED_AT == 0 || sweeps + 1 == limit;
        component.tells_size.set(has_size);
        let Step { span: [lo, hi], size } = steps.step(&mut h)?;
        sweeps += 1;
        is_near = hi - lo <= NEAR * context.options.tolerance(lo, hi);
        if has_size {
            let error = size * relative(2.0 * U);
            // Without a bound of the rounding error, a step says nothing.
            let found = match error.is_finite() && lo <= hi {
                true => [below((lo - error).max(0.0), input), above((hi + error).max(0.0), input)],
                false => [0.0, f64::INFINITY],
            };
            best = [best[0].max(found[0]), best[1].min(found[1])];
            if context.options.accepts(best[0], best[1]) {
                break;
            }
            if error >= hi - lo {
                // Biases of policies may be so large that rounding hides the rest, those of sweeps not yet.
                let Some(before) = before_jump.take() else { break };
                h = before;
                steps.put(&h);
                next_jump = u64::MAX;
            }
        }
        if sweeps == next_jump {
            // Convergence is slow: policies are evaluated in about the time that the sweeps have taken.
            next_jump *= 4;
            steps.fetch(&mut h)?;
            let before = h.clone();
            let accepts = |lo: f64, hi: f64| hi - lo <= 0.1 * context.options.tolerance(lo, hi);
            if let Some(gain) = improve(&component, &mut h, 2 * sweeps * work, &accepts, context.control)? {
                steps.put(&h);
                before_jump = Some(before);
                is_near = true;
                // What a policy has on average is a bound by itself, whatever its bias is.
                let excess = relative(4.0 * n as f64 * context.options.excess());
                match optimum {
                    Optimum::Min => best[1] = best[1].min(above(gain[1], excess)),
                    Optimum::Max => best[0] = best[0].max(below(gain[0], excess)),
                }
            }
        }
        unchecked += work;
        if unchecked > 4_000_000 {
            unchecked = 0;
            context.control.check()?;
            context.control.progress.report(ProgressEvent::Solving {
                what: "value iteration in end components",
                done: sweeps,
                total: 0,
                error: best[1] - best[0],
            });
        }
    }
    let best = Range::between(extreme[0], extreme[1]).admit_or_whole(best);
    let unfinished = !context.options.accepts(best[0], best[1]);
    drop(steps);
    Ok(Gain { bounds: best, bias: h, sweeps, unfinished })
}

#[cfg(test)]
mod tests;
