//! The run time of kernels on processors, whose compilers turn loops and small work-groups into vector code.
//!
//! A processor runs the items of a work-group one after the other, region by region. The cost of an access
//! depends on three things: how its address moves between iterations of the innermost loop and between items,
//! whether iterations wait for each other, and the number of items. A compiler vectorizes consecutive
//! iterations, the items of a small group, or neither. Which of these happens, and what it gains, is measured
//! rather than modelled: `volvelle calibrate` measures small kernels for each kind of work ([`KINDS`]) and
//! several sizes of groups. A [`Processor`] is the table of the cost of one piece of each kind. Lines and
//! pages that an access brings into caches are counted by a model of its strides (module `cache`).

mod cache;

pub use cache::Cache;
pub(crate) use cache::{PAGES, Turn};

/// Lengths of innermost loops over the elements of a private array for which costs are measured.
pub const UNROLLED: [i64; 6] = [1, 2, 4, 8, 16, 32];

/// Number of kinds of work.
pub const KIND_COUNT: usize = 57;

/// The kinds of work.
///
/// Per unit: one launch, each work-group, each item in each region, each barrier of a group, each start of an
/// innermost loop by an item. Then accesses in an innermost loop, named by three properties. First, what
/// iterations wait for: nothing (`copy`); the last value of a whole number (`whole`) or of a real one
/// (`real`); the same of a real number in a kernel whose groups meet at barriers in a loop, where compilers
/// vectorize less (`joined`). Second, the move from item to item; third, the move from iteration to
/// iteration: to the `same` element, to the adjacent one (`near`), or elsewhere (`far`). Then accesses
/// outside loops, named by the move from item to item; operations; steps of innermost loops over so many
/// elements of a private array; lines missed in the first and in the second level of caches; and pages that
/// are not among the 64 touched last.
pub const KINDS: [&str; KIND_COUNT] = [
    "launch",
    "group",
    "item",
    "barrier",
    "loop_copy",
    "loop_whole",
    "loop_real",
    "loop_joined",
    "copy_same_same",
    "copy_same_near",
    "copy_same_far",
    "copy_near_same",
    "copy_near_near",
    "copy_near_far",
    "copy_far_same",
    "copy_far_near",
    "copy_far_far",
    "whole_same_same",
    "whole_same_near",
    "whole_same_far",
    "whole_near_same",
    "whole_near_near",
    "whole_near_far",
    "whole_far_same",
    "whole_far_near",
    "whole_far_far",
    "real_same_same",
    "real_same_near",
    "real_same_far",
    "real_near_same",
    "real_near_near",
    "real_near_far",
    "real_far_same",
    "real_far_near",
    "real_far_far",
    "joined_same_same",
    "joined_same_near",
    "joined_same_far",
    "joined_near_same",
    "joined_near_near",
    "joined_near_far",
    "joined_far_same",
    "joined_far_near",
    "joined_far_far",
    "single_same",
    "single_near",
    "single_far",
    "operation",
    "elements_1",
    "elements_2",
    "elements_4",
    "elements_8",
    "elements_16",
    "elements_32",
    "line_1",
    "line_2",
    "page",
];

/// Places in [`KINDS`].
pub(crate) mod place {
    use super::{Move, Wait};

    pub(crate) const LAUNCH: usize = 0;
    pub(crate) const GROUP: usize = 1;
    pub(crate) const ITEM: usize = 2;
    pub(crate) const BARRIER: usize = 3;
    const LOOP: usize = 4;
    const ACCESS: usize = 8;
    const SINGLE: usize = 44;
    pub(crate) const OPERATION: usize = 47;
    const ELEMENTS: usize = 48;
    pub(crate) const LINES: [usize; 2] = [54, 55];
    pub(crate) const PAGE: usize = 56;

    pub(crate) fn start_of_loop(wait: Wait) -> usize {
        LOOP + wait as usize
    }

    pub(crate) fn access(wait: Wait, item: Move, iteration: Move) -> usize {
        ACCESS + 9 * wait as usize + 3 * item as usize + iteration as usize
    }

    pub(crate) fn single(item: Move) -> usize {
        SINGLE + item as usize
    }

    /// The index of the measured length that is closest by factor.
    pub(crate) fn elements(count: i64) -> usize {
        let doubled = super::UNROLLED.iter().position(|size| count * count <= 2 * size * size);
        ELEMENTS + doubled.unwrap_or(super::UNROLLED.len() - 1)
    }
}

/// What the iterations of a loop wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wait {
    /// Nothing.
    Copy,
    /// The last value of a whole number, which a compiler may compute in another order.
    Whole,
    /// The last value of a real number.
    Real,
    /// The last value of a real number, in a kernel whose groups meet at barriers in a loop.
    Joined,
}

/// How an address moves from one item or iteration to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// Not at all.
    Same,
    /// To the next element, or the one before.
    Near,
    /// Further, or it is not known.
    Far,
}

impl Move {
    pub(crate) fn of(stride: Option<i64>) -> Self {
        match stride {
            Some(0) => Move::Same,
            Some(-1 | 1) => Move::Near,
            _ => Move::Far,
        }
    }
}

/// What work costs on a processor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Processor {
    /// Caches that a unit has for itself, the smallest first.
    pub caches: Vec<Cache>,
    /// Sizes of work-groups for which costs are known, rising.
    pub groups: Vec<u32>,
    /// For each size of groups, the nanoseconds of one piece of each kind of work ([`KINDS`]).
    pub costs: Vec<[f64; KIND_COUNT]>,
}

impl Processor {
    /// The nanoseconds of some work in groups of `items`. Between two measured sizes, costs are interpolated
    /// by the logarithm of the size.
    pub fn predict(&self, work: &[f64; KIND_COUNT], items: i64) -> f64 {
        let Some(last) = self.groups.len().checked_sub(1) else { return 0.0 };
        let above = self.groups.iter().position(|size| i64::from(*size) >= items).unwrap_or(last);
        let below = above.saturating_sub(usize::from(i64::from(self.groups[above]) > items));
        let dot =
            |costs: &[f64; KIND_COUNT]| costs.iter().zip(work).map(|(cost, count)| cost * count).sum::<f64>();
        let (low, high) = (dot(&self.costs[below]), dot(&self.costs[above]));
        if below == above {
            return low;
        }
        let log = |size: f64| libm::log2(size);
        let (start, end) = (log(f64::from(self.groups[below])), log(f64::from(self.groups[above])));
        let part = (log(items as f64) - start) / (end - start);
        low + part * (high - low)
    }
}

#[cfg(test)]
mod tests;
