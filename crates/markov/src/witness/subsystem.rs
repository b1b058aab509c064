//! Critical subsystems: a few states that already reach the target too probably.
//!
//! States are taken in the order of the most probable path through them (from the start to the target), as many as are
//! needed: the probability of reaching the target within the first k of them grows with k, so that the smallest k is
//! found by bisection, and every probability is bounded by the engine. Not the smallest subsystem that there is, which
//! would be hard to find (Wimmer, Jansen, Ábrahám, Becker and Katoen, *Minimal critical subsystems for
//! discrete-time Markov models*, TACAS 2012), but one that is proven to suffice.

use volvelle_logic::{Bound, Comparison};
use volvelle_objectives::scheduler::Objective;
use volvelle_solver::reach::until;
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, Space};

use super::path::{Best, Scaled, backwards};

/// The states of a critical subsystem.
#[derive(Clone, Debug, PartialEq)]
pub struct Subsystem {
    /// The states, in increasing order.
    pub states: Vec<u32>,
    /// Bounds of the probability of reaching the target without leaving them.
    pub bounds: [f64; 2],
    /// The largest probability that the property allows.
    pub threshold: f64,
}

/// The subsystem of a chain that exceeds a bound from `start`; `forward` are the best paths from there. `None` where the
/// chain does not exceed it.
pub fn critical(
    context: &Context,
    objective: &Objective,
    probability: &[f64],
    forward: &Best,
    start: usize,
    limit: Bound,
) -> Result<Option<Subsystem>, CheckError> {
    let chain: &Space = context.space;
    let mut via = objective.left.clone();
    via.subtract(&objective.right);
    let backward = backwards(chain, &context.predecessors(), probability, &objective.right, &via);
    let weight = |s: u32| forward.probability[s as usize].times(backward.probability[s as usize]);
    let mut order: Vec<u32> = forward.order.clone();
    order.retain(|&s| weight(s) > Scaled::ZERO);
    order.sort_by(|&a, &b| {
        weight(b).partial_cmp(&weight(a)).unwrap_or(std::cmp::Ordering::Equal).then(a.cmp(&b))
    });
    let within = |count: usize| -> Result<(BitSet, [f64; 2]), CheckError> {
        let members = BitSet::of(chain.num_states(), order[..count].iter().map(|&s| s as usize));
        let (mut left, mut right) = (via.clone(), objective.right.clone());
        left.intersect(&members);
        right.intersect(&members);
        let bounds = until(context, &left, &right, objective.optimum)?.bounds[start];
        Ok((members, bounds))
    };
    let exceeds = |[lo, _]: [f64; 2]| match limit.comparison {
        Comparison::Lt => lo >= limit.threshold,
        _ => lo > limit.threshold,
    };
    // Twice as many again and again, then bisection: most of the solving is done on few states.
    let mut high = 1.min(order.len());
    let mut low = 0;
    let mut found = within(high)?;
    while !exceeds(found.1) {
        if high == order.len() {
            return Ok(None);
        }
        low = high;
        high = (2 * high).min(order.len());
        found = within(high)?;
    }
    while high - low > 1 {
        context.control.check()?;
        let middle = low + (high - low) / 2;
        let tried = within(middle)?;
        if exceeds(tried.1) {
            (high, found) = (middle, tried);
        } else {
            low = middle;
        }
    }
    let states = useful(context, &found.0, &objective.right, start);
    Ok(Some(Subsystem { states, bounds: found.1, threshold: limit.threshold }))
}

/// The members on paths from the start to the target within the members.
fn useful(context: &Context, members: &BitSet, right: &BitSet, start: usize) -> Vec<u32> {
    let mut target = right.clone();
    target.intersect(members);
    let mut inside = members.clone();
    inside.subtract(right);
    let arriving = context.predecessors().reach(&target, Some(&inside));
    let mut seen = BitSet::new(members.len());
    let mut work = vec![start];
    while let Some(s) = work.pop() {
        if !arriving.contains(s) || !seen.insert(s) || right.contains(s) {
            continue;
        }
        work.extend(
            context.space.transitions(s).filter(|&(t, v)| v > 0.0 && members.contains(t)).map(|e| e.0),
        );
    }
    seen.iter().map(|s| s as u32).collect()
}
