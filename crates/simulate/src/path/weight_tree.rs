//! The tree of weights that are kept between steps, and of their sums.

use volvelle_kernel::{ExprId, Local, Type};

/// A weight that is not always zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct CombinationWeight {
    /// Index of the combination.
    pub combination: usize,
    /// In the kernel.
    pub value: ExprId,
    /// The local that keeps it, unless it is constant.
    pub kept: Option<Local>,
}

/// The tree of sums.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// Type of weights and sums.
    pub ty: Type,
    /// The most children of a node.
    pub width: usize,
    /// In the order of their combinations.
    pub weights: Vec<CombinationWeight>,
    /// Sums of `width` weights each, then sums of `width` of these, and so on, to a level of at most `width`.
    pub sums: Vec<Vec<Local>>,
    /// For each field the places of the weights that read it.
    pub readers: Vec<Vec<usize>>,
}

impl Tree {
    /// The indices of the weights that read some of these fields, in increasing order.
    pub fn readers(&self, fields: &[usize]) -> Vec<usize> {
        let mut places: Vec<usize> = fields.iter().flat_map(|&field| &self.readers[field]).copied().collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Number of values at a level: the weights at level 0, their sums above.
    pub fn len(&self, level: usize) -> usize {
        match level.checked_sub(1) {
            None => self.weights.len(),
            Some(above) => self.sums[above].len(),
        }
    }

    /// The places of a node's children.
    pub fn children(&self, level: usize, place: usize) -> std::ops::Range<usize> {
        let first = place * self.width;
        first..self.len(level - 1).min(first.saturating_add(self.width))
    }
}
