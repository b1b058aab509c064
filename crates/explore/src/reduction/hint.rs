//! What is remembered of states between searches of sets of processes that suffice.

/// The results for states with the same locations of processes, which are often similar.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hint {
    /// The process that led to the best set, its number of successors, and how far the analysis looked ahead;
    /// none if that number is 0.
    pub seed: usize,
    pub size: usize,
    pub is_short: bool,
    /// Number of states in which nothing was found.
    pub failures: u32,
}
