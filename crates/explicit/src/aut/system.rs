//! All transitions of a file, and their order by source.

use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::model::{Numbers, Rows};

/// All transitions, in the order of the file.
pub(super) struct Edges {
    pub states: usize,
    pub initial: u32,
    pub sources: Vec<u32>,
    /// Places in `names`.
    pub labels: Vec<u32>,
    /// Labels; the internal action has the empty name.
    pub names: Vec<String>,
    /// The name of the internal action where it stands before a probability or a rate.
    pub internal: &'static str,
    /// Targets of every transition.
    pub branches: Rows,
    pub targets: Vec<u32>,
    /// Probabilities of targets, where the file has distributions.
    pub values: Option<Numbers>,
}

/// Starts of the transitions of every state, and the transitions sorted by their sources; within a state they keep
/// their order.
pub(super) fn by_source(
    sources: &[u32],
    states: usize,
    allowance: &Allowance<'_>,
) -> Result<(Vec<u32>, Option<Vec<u32>>), Finding> {
    let mut first: Vec<u32> = allowance.vec(states + 1)?;
    first.resize(states + 1, 0);
    for &source in sources {
        first[source as usize + 1] += 1;
    }
    for state in 0..states {
        first[state + 1] += first[state];
    }
    if sources.is_sorted() {
        return Ok((first, None));
    }
    let mut next: Vec<u32> = allowance.vec(states)?;
    next.extend_from_slice(&first[..states]);
    let mut order: Vec<u32> = allowance.vec(sources.len())?;
    order.resize(sources.len(), 0);
    for (edge, &source) in (0u32..).zip(sources) {
        let place = &mut next[source as usize];
        order[*place as usize] = edge;
        *place += 1;
    }
    Ok((first, Some(order)))
}
