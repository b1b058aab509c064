//! Sets of states with `A(f U[l,u] g)`, for intervals open to one side.

use super::exists::{PATIENCE, least_weights, within};
use super::graph::{Graph, Reverse};
use super::interval::sum;
use crate::Failure;
use volvelle_control::Control;
use volvelle_space::{BitSet, components_by};

/// The weights of the heaviest paths to `right`, from states all of whose paths get there through `left`;
/// `u64::MAX` elsewhere, and if the weight is above `upper`. A state is done when all its successors are;
/// states on cycles without `right` never are.
pub(super) fn heaviest_weights(
    graph: &Graph<'_>,
    reverse: &Reverse,
    left: &BitSet,
    right: &BitSet,
    upper: u64,
    control: &Control<'_>,
) -> Result<Vec<u64>, Failure> {
    let states = graph.num_states();
    let mut remaining: Vec<u32> = graph.starts.windows(2).map(|range| range[1] - range[0]).collect();
    let mut heaviest = vec![0u64; states];
    let mut result = vec![u64::MAX; states];
    let mut pending: Vec<u32> = right.iter().map(|state| state as u32).collect();
    let mut taken = 0usize;
    while let Some(state) = pending.pop() {
        taken += 1;
        if taken.is_multiple_of(PATIENCE) {
            control.check()?;
        }
        let weight = heaviest[state as usize];
        result[state as usize] = weight;
        for step in reverse.incoming(state) {
            let source = step.target as usize;
            if !left.contains(source) || right.contains(source) {
                continue;
            }
            heaviest[source] = heaviest[source].max(sum(weight, step.weight, upper)?);
            remaining[source] -= 1;
            if remaining[source] == 0 && heaviest[source] <= upper {
                pending.push(step.target);
            }
        }
    }
    Ok(result)
}

/// `A(f U g)`.
pub(super) fn always(graph: &Graph<'_>, reverse: &Reverse, left: &BitSet, right: &BitSet) -> BitSet {
    let mut remaining: Vec<u32> = graph.starts.windows(2).map(|range| range[1] - range[0]).collect();
    let mut result = right.clone();
    let mut pending: Vec<u32> = right.iter().map(|state| state as u32).collect();
    while let Some(state) = pending.pop() {
        for step in reverse.incoming(state) {
            let source = step.target as usize;
            if !left.contains(source) || result.contains(source) {
                continue;
            }
            remaining[source] -= 1;
            if remaining[source] == 0 {
                result.insert(source);
                pending.push(step.target);
            }
        }
    }
    result
}

/// `A(f U[l,infinity) g)` with `lower > 0`. Consider a path through states with `left`, of weight below
/// `lower`. It refutes the formula exactly if it reaches one of these:
///
/// - a state without `left`;
/// - a cycle of weight 0 of states with `left`;
/// - a state without `A(f U g)`, or one with a step to such a state.
///
/// For once the weight has reached `lower`, the rest of the path must satisfy `f U g`; and before that, a
/// rest without `f U g` has no state with `right` that counts. Otherwise the weight reaches `lower` in a
/// state with `A(f U g)`.
pub(super) fn at_least(
    graph: &Graph<'_>,
    reverse: &Reverse,
    left: &BitSet,
    right: &BitSet,
    lower: u64,
    control: &Control<'_>,
) -> Result<BitSet, Failure> {
    let states = graph.num_states();
    let lost = always(graph, reverse, left, right).complement();
    // Steps of weight 0 between states with `left`: a component that contains one has a cycle.
    let inert = components_by(
        states,
        |state, place| {
            let step = graph.outgoing(state).get(place)?;
            Some(if step.weight == 0 { step.target } else { state as u32 })
        },
        |state| left.contains(state),
    );
    let component_of = inert.component_of(states);
    let mut bad = left.complement();
    bad.unite(&lost);
    for state in left.iter() {
        if graph.outgoing(state).iter().any(|step| lost.contains(step.target as usize)) {
            bad.insert(state);
        }
        let component = component_of[state];
        let is_on_cycle = |step: &volvelle_space::WeightedStep| {
            step.weight == 0 && component_of[step.target as usize] == component
        };
        if graph.outgoing(state).iter().any(is_on_cycle) {
            bad.insert(state);
        }
    }
    let refuted = within(&least_weights(reverse, left, &bad, lower - 1, control)?, lower - 1);
    Ok(refuted.complement())
}
