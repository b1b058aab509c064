//! Which labels are in the sets that formulas name: a bit per label and action formula.

use crate::automaton::Step;
use crate::tree::Formula;
use volvelle_space::Labels;

/// A bit for each label, per action formula. Labels may be added.
pub(crate) struct LabelSets<'a> {
    formula: &'a Formula,
    sets: Vec<Vec<u64>>,
    num_labels: usize,
}

impl<'a> LabelSets<'a> {
    pub fn new(formula: &'a Formula, labels: &Labels) -> Self {
        let sets = vec![Vec::new(); formula.actions().len()];
        let mut found = LabelSets { formula, sets, num_labels: 0 };
        found.extend(labels);
        found
    }

    pub fn num_labels(&self) -> usize {
        self.num_labels
    }

    /// Looks at labels that are new.
    pub fn extend(&mut self, labels: &Labels) {
        for number in self.num_labels..labels.len() {
            let matches = self.formula.matches(labels.text(number as u32));
            for (set, matches) in self.sets.iter_mut().zip(matches) {
                set.resize(number / 64 + 1, 0);
                set[number / 64] |= u64::from(matches) << (number % 64);
            }
        }
        self.num_labels = labels.len();
    }

    /// The set of a step that is an action formula.
    pub fn set(&self, step: Step) -> LabelSet<'_> {
        LabelSet(&self.sets[(step.0 - Step::FIRST_ACTION) as usize])
    }

    #[inline]
    pub fn contains(&self, step: Step, label: u32) -> bool {
        step == Step::ANY || self.set(step).contains(label)
    }
}

/// A set of labels.
#[derive(Clone, Copy)]
pub(crate) struct LabelSet<'a>(&'a [u64]);

impl LabelSet<'_> {
    #[inline]
    pub fn contains(self, label: u32) -> bool {
        self.0[label as usize / 64] >> (label % 64) & 1 == 1
    }
}
