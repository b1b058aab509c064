//! Amounts that several properties ask for, and the values for them: one run serves all properties that differ only in
//! amounts.

use std::cell::RefCell;

use volvelle_logic::{CostBound, Optimum, StopReason};
use volvelle_space::BitSet;

use crate::horizon_cache::Bounds;

/// Bounds of the values of some states, for one list of amounts.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The bounds.
    pub bounds: Bounds,
    /// The method that gave them.
    pub method: String,
    /// The reason why it stopped.
    pub stop: StopReason,
}

/// The inputs of a computation besides the amounts.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// States that may be passed.
    pub left: BitSet,
    /// States to be reached.
    pub right: BitSet,
    /// The optimum over schedulers.
    pub optimum: Optimum,
    /// The states whose values are kept.
    pub needed: Option<BitSet>,
}

/// Amounts with the values for them.
type Answers = Vec<(Vec<CostBound>, Answered)>;

/// Bounds that differ only in their amounts, in groups, and the values for them.
#[derive(Debug, Default)]
pub struct CostCache {
    groups: Vec<Vec<Vec<CostBound>>>,
    known: RefCell<Vec<(Key, Answers)>>,
}

impl CostCache {
    /// A cache for groups of bounds, in each of which one run may serve all.
    pub fn new(groups: Vec<Vec<Vec<CostBound>>>) -> Self {
        CostCache { groups, known: RefCell::default() }
    }

    /// The bounds that one run should serve together with these, which are among them.
    pub fn companions(&self, bounds: &[CostBound]) -> Vec<Vec<CostBound>> {
        let group = self.groups.iter().find(|group| group.iter().any(|known| known == bounds));
        group.cloned().unwrap_or_else(|| vec![bounds.to_vec()])
    }

    /// The values for some bounds, if they are known.
    pub fn find(&self, key: &Key, bounds: &[CostBound]) -> Option<Answered> {
        let known = self.known.borrow();
        let (_, answers) = known.iter().find(|(known, _)| known == key)?;
        answers.iter().find(|(known, _)| known == bounds).map(|(_, answered)| answered.clone())
    }

    /// Keeps the values of a run.
    pub fn keep(&self, key: Key, answers: Answers) {
        let mut known = self.known.borrow_mut();
        match known.iter_mut().find(|(known, _)| *known == key) {
            Some((_, before)) => before.extend(answers),
            None => known.push((key, answers)),
        }
    }
}
