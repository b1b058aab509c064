//! The budget of work of reductions: counted, not timed, so that the same formula gives the same automaton everywhere.

/// Work that is left, in comparisons of edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(u64);

impl Budget {
    pub fn new(comparisons: u64) -> Self {
        Budget(comparisons)
    }

    /// Spends comparisons; `None` if fewer are left, and from then on none are.
    pub fn spend(&mut self, comparisons: usize) -> Option<()> {
        let left = self.0.checked_sub(comparisons as u64);
        self.0 = left.unwrap_or(0);
        left.map(|_| ())
    }

    /// Whether no work is left.
    pub fn is_spent(&self) -> bool {
        self.0 == 0
    }

    /// One part in `of` of the work that is left, for a stage that may not take all of it.
    pub fn part(&self, of: u64) -> Self {
        Budget(self.0 / of)
    }

    /// Deducts the work of a stage, which got the budget `before` and left `after`.
    pub fn settle(&mut self, before: Self, after: Self) {
        self.0 -= before.0 - after.0;
    }
}
