//! Amounts that suffice for sure: where the probability within a budget is one, by the graph alone.

use volvelle_logic::Optimum;
use volvelle_space::BitSet;

use super::{Found, Search};
use crate::error::CheckError;
use crate::reward_bounded::certain::of_epoch;
use rustc_hash::FxHashMap;

/// Searches the least amount within which the right side is reached almost surely (`at_least`), or the largest within which
/// it is not.
///
/// The states that are sure of it grow with the amount. Where they stay the same for as many amounts as a step may spend,
/// they stay the same for ever.
pub fn search(
    search: &mut Search,
    left: &BitSet,
    right: &BitSet,
    optimum: Optimum,
    at_least: bool,
) -> Result<(), CheckError> {
    let (costs, open) = (search.costs, search.open);
    let others = search.others();
    let mut last = search.start.clone();
    last[open] = 0;
    let longest = search.longest();
    let mut known: FxHashMap<Vec<u32>, BitSet> = FxHashMap::default();
    let mut unchanged = 0;
    let mut units = 0u32;
    while search.is_open() {
        let mut changed = units == 0;
        for other in &others {
            search.context.control.check()?;
            let mut epoch = other.clone();
            epoch[open] = units;
            let sure =
                of_epoch(search.context, costs, (left, right), optimum, &epoch, |rest| known.get(rest));
            if *other == last {
                search.note(units, |s| Ok(sure.contains(s) == at_least))?;
            }
            let mut before = other.clone();
            changed |= units.checked_sub(1).is_none_or(|units| {
                before[open] = units;
                known.get(&before) != Some(&sure)
            });
            known.insert(epoch, sure);
        }
        if let Some(past) = units.checked_sub(longest.max(1)) {
            known.retain(|epoch, _| epoch[open] > past);
        }
        unchanged = if changed { 0 } else { unchanged + 1 };
        if unchanged > longest {
            break;
        }
        units += 1;
    }
    for s in search.needed.iter() {
        if search.found[s] == Found::Open {
            search.found[s] = Found::Infinite;
        }
    }
    Ok(())
}
