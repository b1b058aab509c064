//! Partitions, and options of their refinement.

/// A block, and the weight at which it is reached. Blocks come first, so that sorting makes pairs of a block
/// neighbours.
pub(super) type Pair = (u32, u64);

/// The variant of the relation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether related states must also agree in whether they can stay in their class forever by steps of
    /// weight 0. Definition 4 does not require this.
    pub divergence: bool,
    /// Whether a state without steps counts as having a loop of weight 0; only with `divergence`.
    pub blocking_diverges: bool,
}

/// Classes of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The class of each state. Classes are numbered by their least states.
    pub block_of: Vec<u32>,
    /// Number of classes.
    pub count: usize,
}
