//! Exact weights of paths: from which states of a region can a goal be reached, through the region, at a
//! weight in an interval?
//!
//! Without a lower end, the cheapest path decides; without an upper end, the longest one. With both, the
//! question is hard in the size of the numbers (the unbounded knapsack problem has this form). The cheapest
//! of three methods is chosen: see [`Method`].

mod ends;
mod exact;
mod radix_heap;
mod residues;
mod sums;
mod table;
mod walks;
mod witness;

pub use exact::Method;
pub(crate) use exact::exact;
pub(crate) use radix_heap::RadixHeap;
pub(crate) use table::table;
pub(crate) use walks::{Edge, STAY, Walks};
pub(crate) use witness::path_on;
pub use witness::{PathPart, WeightedPath, path_within};

use crate::Failure;
use volvelle_control::Control;
use volvelle_space::{BitSet, WeightedStructure};

/// By node: the least weight of a walk to the sink; the largest number if there is none.
pub(crate) fn least_weights(walks: &Walks, control: &Control) -> Result<Vec<u64>, Failure> {
    let (mut weights, _) = ends::least(walks, &vec![true; walks.num_nodes()], control)?;
    // The sink is not a state.
    weights.truncate(walks.states.len());
    Ok(weights)
}

/// The states of `region` with a path to `goal`: all its states but the last are in `region`, the last one is
/// in `goal`, and its total weight is at least `low` and at most `high` (`None`: any). A path without steps
/// has weight 0. States of the goal outside the region are not in the answer. Weights are in units of the
/// structure.
///
/// # Errors
/// A limit was reached, a needed table has more entries than fit 64 bits, or `high` is the largest number.
pub fn within(
    structure: &WeightedStructure,
    region: &BitSet,
    goal: &BitSet,
    low: u64,
    high: Option<u64>,
    control: &Control,
) -> Result<BitSet, Failure> {
    within_by(structure, region, goal, low, high, Method::Automatic, control)
}

/// Like [`within`], by a given method.
///
/// # Errors
/// Those of [`within`].
pub fn within_by(
    structure: &WeightedStructure,
    region: &BitSet,
    goal: &BitSet,
    low: u64,
    high: Option<u64>,
    method: Method,
    control: &Control,
) -> Result<BitSet, Failure> {
    let walks = Walks::of(structure, region, goal);
    let everything = vec![true; walks.num_nodes()];
    let yes: Vec<bool> = match high {
        Some(high) if low > high => vec![false; walks.num_nodes()],
        None if low == 0 => walks.reaching(&[walks.sink()], &everything),
        None => {
            let found = ends::greatest(&walks);
            let long = found.weights.iter().map(|weight| weight.is_some_and(|weight| weight >= low));
            long.zip(&found.unbounded).map(|(long, unbounded)| long || *unbounded).collect()
        }
        Some(u64::MAX) => return Err(Failure::Overflow),
        Some(high) if low == 0 && method == Method::Automatic => {
            let (least, _) = ends::least(&walks, &everything, control)?;
            least.iter().map(|&weight| weight <= high).collect()
        }
        Some(high) => exact::exact(&walks, low, high, method, control)?,
    };
    let found = walks.states.iter().zip(&yes).filter(|(_, yes)| **yes).map(|(&state, _)| state as usize);
    Ok(BitSet::of(structure.num_states(), found))
}
