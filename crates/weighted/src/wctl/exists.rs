//! Sets of states with `E(f U[l,u] g)`, for intervals open to one side.

use super::graph::{Graph, Reverse};
use super::interval::{capped, sum};
use crate::Failure;
use crate::paths::RadixHeap;
use volvelle_control::Control;
use volvelle_space::{BitSet, components_by};

/// Nodes between checks of limits.
pub(super) const PATIENCE: usize = 1 << 16;

/// `E(f U g)`: backward reachability.
pub(super) fn reach(reverse: &Reverse, left: &BitSet, right: &BitSet) -> BitSet {
    let mut result = right.clone();
    let mut pending: Vec<u32> = right.iter().map(|state| state as u32).collect();
    while let Some(state) = pending.pop() {
        for step in reverse.incoming(state) {
            let source = step.target as usize;
            if left.contains(source) && result.insert(source) {
                pending.push(step.target);
            }
        }
    }
    result
}

/// The least weights of paths through `left` to `right`; `u64::MAX` if above `upper`. One backward search
/// from all states of `right` (E. W. Dijkstra, Numer. Math. 1, 1959, doi:10.1007/BF01386390).
pub(super) fn least_weights(
    reverse: &Reverse,
    left: &BitSet,
    right: &BitSet,
    upper: u64,
    control: &Control<'_>,
) -> Result<Vec<u64>, Failure> {
    let mut least = vec![u64::MAX; right.len()];
    let mut queue = RadixHeap::new();
    for state in right.iter() {
        least[state] = 0;
        queue.push(0, state as u32);
    }
    let mut taken = 0usize;
    while let Some((weight, state)) = queue.pop() {
        if least[state as usize] != weight {
            continue;
        }
        taken += 1;
        if taken.is_multiple_of(PATIENCE) {
            control.check()?;
        }
        for step in reverse.incoming(state) {
            let source = step.target as usize;
            let along = sum(weight, step.weight, upper)?;
            if along <= upper && along < least[source] && left.contains(source) {
                least[source] = along;
                queue.push(along, step.target);
            }
        }
    }
    Ok(least)
}

/// The states with a number of at most `upper`.
pub(super) fn within(numbers: &[u64], upper: u64) -> BitSet {
    BitSet::of(
        numbers.len(),
        (0..numbers.len()).filter(|&state| numbers[state] <= upper && numbers[state] != u64::MAX),
    )
}

/// `E(f U[l,infinity) g)` with `lower > 0`: either a cycle of positive weight from which `right` is
/// reachable, or a heaviest path over the components that is heavy enough.
pub(super) fn at_least(
    graph: &Graph<'_>,
    reverse: &Reverse,
    left: &BitSet,
    right: &BitSet,
    lower: u64,
) -> Result<BitSet, Failure> {
    let states = graph.num_states();
    let mut inside = reach(reverse, left, right);
    inside.intersect(left);
    let found = components_by(
        states,
        |state, step| graph.outgoing(state).get(step).map(|step| step.target),
        |state| inside.contains(state),
    );
    let component_of = found.component_of(states);
    let mut heaviest: Vec<Option<u64>> = vec![None; found.len()];
    let mut result = BitSet::new(states);
    for (component, members) in found.iter().enumerate() {
        let mut value = None;
        for &state in members {
            if right.contains(state as usize) {
                value = value.max(Some(0));
            }
            for step in graph.outgoing(state as usize) {
                let target = step.target as usize;
                let next = match component_of[target] {
                    u32::MAX if right.contains(target) => Some(0),
                    u32::MAX => None,
                    own if own as usize == component => {
                        if step.weight > 0 {
                            value = Some(lower);
                        }
                        None
                    }
                    other => heaviest[other as usize],
                };
                if let Some(next) = next {
                    value = value.max(Some(if next == lower {
                        lower
                    } else {
                        capped(next, step.weight, lower)?
                    }));
                }
            }
        }
        heaviest[component] = value;
        if value == Some(lower) {
            for &state in members {
                result.insert(state as usize);
            }
        }
    }
    Ok(result)
}
