//! Amounts that suffice for sure: where the probability within a budget is one, by the graph alone.

use volvelle_logic::Optimum;
use volvelle_solver::CheckError;
use volvelle_space::BitSet;

use super::amounts::Search;
use crate::reward_bounded::certain::of_epoch;

/// Searches the least amount within which the right side is reached almost surely (`at_least`), or the largest within which
/// it is not.
///
/// The states that are sure of it grow with the amount.
pub fn search(
    search: &mut Search,
    left: &BitSet,
    right: &BitSet,
    optimum: Optimum,
    at_least: bool,
) -> Result<(), CheckError> {
    let (context, costs) = (search.context, search.costs);
    search.by_sets(at_least, |epoch, known| {
        of_epoch(context, costs, (left, right), optimum, epoch, |rest| known.get(rest))
    })
}
