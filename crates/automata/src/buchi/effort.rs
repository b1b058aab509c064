//! How much work reductions may take: counted, not timed, so that the same formula gives the same automaton everywhere.

/// Work that is left, in comparisons of edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort(u64);

impl Effort {
    pub fn new(comparisons: u64) -> Self {
        Effort(comparisons)
    }

    /// Takes away from what is left; `None` if that is not enough, and from then on nothing is left.
    pub fn spend(&mut self, comparisons: usize) -> Option<()> {
        let left = self.0.checked_sub(comparisons as u64);
        self.0 = left.unwrap_or(0);
        left.map(|_| ())
    }

    /// Nothing is left.
    pub fn is_spent(&self) -> bool {
        self.0 == 0
    }

    /// A part of what is left, for a stage that may not take all of it.
    pub fn part(&self, of: u64) -> Self {
        Effort(self.0 / of)
    }

    /// What a stage has left over of a part comes back.
    pub fn settle(&mut self, before: Self, after: Self) {
        self.0 -= before.0 - after.0;
    }
}
