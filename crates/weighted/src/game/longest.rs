//! Answers that weigh at least as much as a step.

use super::answer::{Arena, Label, Pairs, Question, Searcher};
use crate::Failure;
use crate::paths::path_on;
use volvelle_control::Control;

/// Limit of weighted states before components with positive weights are considered.
const FEW: usize = 1 << 12;

impl Searcher {
    /// A path whose weight is not below the window, if there is one; if few steps suffice, one with the
    /// fewest. Weights are capped at the lower end of the window. Of paths with the same number of steps to a
    /// state, the heaviest is best.
    pub(super) fn heavy(
        &mut self,
        arena: &Arena,
        q: &Question,
        related: &impl Pairs,
        control: &Control,
    ) -> Result<Option<u64>, Failure> {
        let enough = q.window.0;
        self.search += 1;
        self.begin(q.from);
        self.highest.push(0);
        self.reached[q.from as usize] = self.search;
        self.least[q.from as usize] = 0;
        let mut next = 0;
        while let Some(&Label { state, .. }) = self.labels.get(next) {
            let (number, weight) = (next as u32, self.highest[next]);
            if next as u64 == self.most {
                return Ok(None);
            }
            next += 1;
            self.work += 1;
            if self.labels.len() > FEW {
                return self.heavy_by_components(arena, q, related, control);
            }
            // A heavier path to this state was found, which is at least as good.
            if weight < self.least[state as usize] {
                continue;
            }
            if weight == enough && related.related(q.target, state) {
                self.trace(number);
                return Ok(Some(weight));
            }
            if !related.related(q.source, state) {
                continue;
            }
            for step in arena.structure.range(state) {
                let target = arena.structure.steps()[step].target;
                let sum = weight.saturating_add(arena.defend(step)).min(enough);
                let known = self.reached[target as usize] == self.search;
                if !(known && self.least[target as usize] >= sum) {
                    self.reached[target as usize] = self.search;
                    self.least[target as usize] = sum;
                    self.label(target, number, step)?;
                    self.highest.push(sum);
                }
            }
        }
        Ok(None)
    }

    fn heavy_by_components(
        &mut self,
        arena: &Arena,
        q: &Question,
        related: &impl Pairs,
        control: &Control,
    ) -> Result<Option<u64>, Failure> {
        control.check()?;
        let walks = self.region(arena, q, related);
        control.check_memory(100 * walks.num_nodes() as u64)?;
        let Some(path) = path_on(&walks, 0, q.window.0, None, control)? else { return Ok(None) };
        self.take(arena, &path, true);
        Ok(Some(q.window.0))
    }
}
