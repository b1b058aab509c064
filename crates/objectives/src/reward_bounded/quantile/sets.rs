//! Amounts for which the graph alone tells the states that will do: epoch by epoch, until the sets repeat.

use rustc_hash::FxHashMap;
use volvelle_solver::CheckError;
use volvelle_space::BitSet;

use super::amounts::{Found, Search};

/// The sets of earlier epochs.
pub type Known = FxHashMap<Vec<u32>, BitSet>;

impl Search<'_> {
    /// Searches the amount by the states that `of_epoch` gives for an epoch, knowing those of earlier ones. An amount will do
    /// in the states that are in the set of the last epoch or, where `inside` is false, in the others.
    ///
    /// The sets depend on those of as many amounts before as a step may spend: where they stay the same for so long, they stay
    /// the same for ever.
    pub(super) fn by_sets(
        &mut self,
        inside: bool,
        of_epoch: impl Fn(&[u32], &Known) -> BitSet,
    ) -> Result<(), CheckError> {
        let (context, open) = (self.context, self.open);
        let others = self.others();
        let mut last = self.start.clone();
        last[open] = 0;
        let longest = self.longest().max(1);
        let bytes = context.states() as u64 / 8 + 64;
        let mut known = Known::default();
        let mut unchanged = 0;
        let mut units = 0u32;
        while self.is_open() {
            let mut changed = units == 0;
            for other in &others {
                context.control.check()?;
                context.control.check_memory((known.len() as u64 + 1) * bytes)?;
                let epoch = self.at(units, other);
                let found = of_epoch(&epoch, &known);
                if *other == last {
                    self.note(units, |s| Ok(found.contains(s) == inside))?;
                }
                let before = units.checked_sub(1).map(|before| self.at(before, other));
                changed |= before.is_none_or(|before| known.get(&before) != Some(&found));
                known.insert(epoch, found);
            }
            if let Some(past) = units.checked_sub(longest) {
                known.retain(|epoch, _| epoch[open] > past);
            }
            unchanged = if changed { 0 } else { unchanged + 1 };
            if unchanged > longest {
                break;
            }
            units += 1;
        }
        for s in self.needed.iter() {
            if self.found[s] == Found::Open {
                self.found[s] = Found::Infinite;
            }
        }
        Ok(())
    }
}
