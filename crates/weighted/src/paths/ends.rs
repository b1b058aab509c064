//! The least and the greatest weights of walks to the sink.

use super::radix_heap::RadixHeap;
use super::walks::{Edge, Walks};
use crate::Failure;
use volvelle_control::Control;

/// Means that there is no walk.
pub(crate) const NONE: u64 = u64::MAX;

/// Work between checks of the limits.
pub(crate) const BATCH: usize = 1 << 14;

/// The least weights of walks to the sink through alive nodes, and the first edges of such walks. The weight
/// is [`NONE`] if there is no walk. Weights that do not fit exceed all bounds, so they may be omitted.
pub(crate) fn least(
    walks: &Walks,
    alive: &[bool],
    control: &Control,
) -> Result<(Vec<u64>, Vec<Option<Edge>>), Failure> {
    least_to(walks, walks.sink(), alive, NONE - 1, control)
}

/// Like [`least`], to any node; weights above a bound are omitted.
pub(crate) fn least_to(
    walks: &Walks,
    to: u32,
    alive: &[bool],
    bound: u64,
    control: &Control,
) -> Result<(Vec<u64>, Vec<Option<Edge>>), Failure> {
    let mut weights = vec![NONE; walks.num_nodes()];
    let mut first: Vec<Option<Edge>> = vec![None; walks.num_nodes()];
    let mut heap = RadixHeap::new();
    weights[to as usize] = 0;
    heap.push(0, to);
    let mut taken = 0usize;
    while let Some((weight, node)) = heap.pop() {
        taken += 1;
        if taken.is_multiple_of(BATCH) {
            control.check()?;
        }
        if weight > weights[node as usize] {
            continue;
        }
        for edge in walks.incoming(node) {
            let source = edge.node as usize;
            let Some(sum) = weight.checked_add(edge.weight).filter(|&sum| sum <= bound) else { continue };
            if alive[source] && sum < weights[source] {
                weights[source] = sum;
                first[source] = Some(Edge { node, ..*edge });
                heap.push(sum, edge.node);
            }
        }
    }
    Ok((weights, first))
}

/// The greatest weights of walks to the sink.
#[derive(Debug)]
pub(crate) struct Greatest {
    /// By node; `None` if there is no walk. Saturated, since a sum that does not fit exceeds all bounds.
    pub weights: Vec<Option<u64>>,
    /// By node: whether weights are unbounded, because a closed walk of positive weight is reachable and
    /// reaches the sink.
    pub unbounded: Vec<bool>,
    /// The component of each node.
    pub component: Vec<u32>,
}

/// Computes greatest weights, as longest paths over the graph of components.
pub(crate) fn greatest(walks: &Walks) -> Greatest {
    let everything = vec![true; walks.num_nodes()];
    let useful = walks.reaching(&[walks.sink()], &everything);
    let found = walks.components(&useful);
    let component = found.component_of(walks.num_nodes());
    let mut weights: Vec<Option<u64>> = vec![None; walks.num_nodes()];
    let mut unbounded = vec![false; walks.num_nodes()];
    weights[walks.sink() as usize] = Some(0);
    for members in found.iter().filter(|members| members[0] != walks.sink()) {
        let (mut best, mut endless) = (None, false);
        for &node in members {
            for edge in walks.outgoing(node).iter().filter(|edge| useful[edge.node as usize]) {
                let target = edge.node as usize;
                if component[target] == component[node as usize] {
                    endless |= edge.weight > 0;
                } else {
                    endless |= unbounded[target];
                    best = best.max(weights[target].map(|weight| weight.saturating_add(edge.weight)));
                }
            }
        }
        for &node in members {
            weights[node as usize] = best;
            unbounded[node as usize] = endless;
        }
    }
    Greatest { weights, unbounded, component }
}
