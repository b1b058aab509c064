//! Unbounded reachability: the probability of `left U right`.
//!
//! First the states where it is zero or one ([`crate::graph::prob01`]); then equations for the rest. For a maximum the end
//! components among the rest are collapsed: a scheduler can move within one without loss, so that without collapsing the
//! equations have many solutions. For a minimum there are none left, because staying in one for ever gives probability
//! zero.

use volvelle_logic::Optimum;
use volvelle_space::BitSet;

use crate::context::Context;
use crate::error::CheckError;
use crate::graph::{EndComponents, Prob01, end_components, members, prob01};
use crate::numbers::Numbers;
use crate::solve::{Classes, Parts, System, solve};

/// States where the probability of `left U right` is zero and where it is one.
pub fn prob01_until(context: &Context, left: &BitSet, right: &BitSet, optimum: Optimum) -> Prob01 {
    prob01(context.space, &context.predecessors(), left, right, optimum)
}

/// The probability of `left U right` for every state.
pub fn until(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    optimum: Optimum,
) -> Result<Numbers, CheckError> {
    until_from(context, left, right, optimum, None)
}

/// The probability of `left U right` in the states of `needed` (`None`: all); elsewhere bounds may be trivial.
pub fn until_from(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    optimum: Optimum,
    needed: Option<&BitSet>,
) -> Result<Numbers, CheckError> {
    let certain = prob01_until(context, left, right, optimum);
    let mut unknown = certain.zero.clone();
    unknown.unite(&certain.one);
    let unknown = unknown.complement();
    if unknown.count() == 0 {
        return Ok(Numbers::indicator(&certain.one));
    }
    if needed.is_some_and(|needed| needed.iter().all(|s| !unknown.contains(s))) {
        let mut numbers = Numbers::indicator(&certain.one);
        unknown.iter().for_each(|s| numbers.bounds[s] = [0.0, 1.0]);
        return Ok(numbers);
    }
    let value = |s: usize| [f64::from(u8::from(certain.one.contains(s))); 2];
    terminal(context, &unknown, optimum, value)
}

/// The opposite optimum.
pub fn opposite(optimum: Optimum) -> Optimum {
    match optimum {
        Optimum::Min => Optimum::Max,
        Optimum::Max => Optimum::Min,
    }
}

/// The expected value of the first state outside `unknown`, which is reached with probability one, or
/// whatever happens inside counts as zero. Values are within 0..=1.
pub fn terminal(
    context: &Context,
    unknown: &BitSet,
    optimum: Optimum,
    value: impl Fn(usize) -> [f64; 2],
) -> Result<Numbers, CheckError> {
    let space = context.space;
    let collapsed = match optimum {
        Optimum::Max if !context.is_chain() => end_components(space, unknown, |_| true),
        _ => Default::default(),
    };
    let classes = Classes::new(unknown, collapsed.iter());
    let parts =
        Parts { space, classes: &classes, optimum, allowed: None, reward: |_| 0.0, stay: &[], known: &value };
    context.forget_predecessors();
    let system = System::new(&parts);
    drop(classes);
    let solution = solve(&system, true, &context.options, context)?;
    solution.note(&system, context);
    Ok(solution.numbers(&system, value))
}

/// The optimal expected value of the end component in which a run stays for ever; one value for each component of
/// `found`, which are all maximal ones. Values are within 0..=1.
///
/// Where the value is zero or one it is so by the graph, exactly. Without this a state could circle among others of value
/// zero, whose equations do not tell any upper bound from another.
pub fn staying(
    context: &Context,
    found: &EndComponents,
    values: &[[f64; 2]],
    optimum: Optimum,
) -> Result<Numbers, CheckError> {
    let (space, n) = (context.space, context.states());
    let ends = |keep: &dyn Fn([f64; 2]) -> bool| {
        members(n, found.iter().zip(values).filter(|(_, value)| keep(**value)).map(|(members, _)| members))
    };
    let predecessors = context.predecessors();
    let surely = |ends: BitSet| prob01(space, &predecessors, &BitSet::full(n), &ends, Optimum::Max).one;
    let never = |ends: BitSet| predecessors.reach(&ends, None).complement();
    let (zero, one) = match optimum {
        Optimum::Max => (never(ends(&|v| v[1] > 0.0)), surely(ends(&|v| v[0] == 1.0))),
        Optimum::Min => (surely(ends(&|v| v[1] == 0.0)), never(ends(&|v| v[0] < 1.0))),
    };
    drop(predecessors);
    let mut unknown = zero;
    unknown.unite(&one);
    let unknown = unknown.complement();
    if unknown.count() == 0 {
        return Ok(Numbers::indicator(&one));
    }
    // A maximal end component is known as a whole or not at all.
    let kept = || found.iter().zip(values).filter(|(members, _)| unknown.contains(members[0] as usize));
    let stay: Vec<[f64; 2]> = kept().map(|(_, &value)| value).collect();
    let classes = Classes::new(&unknown, kept().map(|(members, _)| members));
    let known = |s: usize| [f64::from(u8::from(one.contains(s))); 2];
    let parts = Parts {
        space,
        classes: &classes,
        optimum,
        allowed: None,
        reward: |_| 0.0,
        stay: &stay,
        known: &known,
    };
    context.forget_predecessors();
    let system = System::new(&parts);
    drop(classes);
    let solution = solve(&system, true, &context.options, context)?;
    solution.note(&system, context);
    Ok(solution.numbers(&system, known))
}
