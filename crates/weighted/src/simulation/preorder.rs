//! The largest simulation.

use super::quotient::Quotient;
use super::sets::Set;
use std::sync::Arc;

/// A relation between the states of a structure: the largest simulation for a window. (It is a preorder if
/// the window bounds weights from one side without tolerance.) States in the same class of a cheap
/// equivalence share rows and columns.
#[derive(Clone, Debug)]
pub struct Preorder {
    pub(super) quotient: Arc<Quotient>,
    /// By class: the classes that it is related to.
    pub(super) related: Vec<Arc<Set>>,
}

impl Preorder {
    /// Whether `(s, t)` is in the relation: `t` answers every step of `s`.
    #[inline]
    pub fn contains(&self, s: u32, t: u32) -> bool {
        let (s, t) = (self.quotient.class_of[s as usize], self.quotient.class_of[t as usize]);
        self.related[s as usize].contains(t)
    }

    /// The states `t` with `(s, t)` in the relation, ordered by class.
    pub fn related_to(&self, s: u32) -> impl Iterator<Item = u32> + '_ {
        let class = self.quotient.class_of[s as usize];
        let classes = self.related[class as usize].iter();
        classes.flat_map(|class| self.quotient.members.row(class).iter().copied())
    }

    /// Number of states.
    pub fn num_states(&self) -> usize {
        self.quotient.class_of.len()
    }

    /// Number of pairs of states in the relation.
    pub fn num_pairs(&self) -> u64 {
        let states = |class: u32| self.quotient.members.row(class).len() as u64;
        let related = |class: u32| self.related[class as usize].iter().map(states).sum::<u64>();
        (0..self.related.len() as u32).map(|class| states(class) * related(class)).sum()
    }

    /// Number of classes into which states were grouped before the relation was computed.
    pub fn num_classes(&self) -> usize {
        self.related.len()
    }
}
