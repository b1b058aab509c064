//! Numbers of what is looked up by name or expression, however many there are of it.

use crate::ast::{LabelDecl, Property};
use rustc_hash::FxHashMap;
use volvelle_kernel::ExprId;
use volvelle_model::Program;

/// The names in quotation marks that a tree declares, each with the number of its first declaration.
#[derive(Clone, Debug)]
pub(crate) struct Quoted {
    pub labels: FxHashMap<String, u32>,
    pub properties: FxHashMap<String, u32>,
}

impl Quoted {
    pub fn of(labels: &[LabelDecl], properties: &[Property]) -> Self {
        let labels = labels.iter().map(|label| Some(label.name.text.as_str()));
        let properties =
            properties.iter().map(|property| property.name.as_ref().map(|name| name.text.as_str()));
        Quoted { labels: first_numbers(labels), properties: first_numbers(properties) }
    }
}

fn first_numbers<'a>(names: impl Iterator<Item = Option<&'a str>>) -> FxHashMap<String, u32> {
    let mut numbers = FxHashMap::default();
    for (number, name) in (0u32..).zip(names) {
        if let Some(name) = name {
            numbers.entry(name.to_owned()).or_insert(number);
        }
    }
    numbers
}

/// Labels of a program by their expressions, and reward structures by their names. What is new since the last question is entered
/// with the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    labels: FxHashMap<ExprId, usize>,
    num_labels: usize,
    rewards: FxHashMap<String, usize>,
    num_rewards: usize,
}

impl Numbers {
    /// The first label with an expression.
    pub fn label(&mut self, program: &Program, expr: ExprId) -> Option<usize> {
        for label in &program.labels[self.num_labels..] {
            self.labels.entry(label.expr).or_insert(self.num_labels);
            self.num_labels += 1;
        }
        self.labels.get(&expr).copied()
    }

    /// Labels from this one on are about to be removed.
    pub fn forget_labels(&mut self, program: &Program, first: usize) {
        for number in first..self.num_labels {
            if self.labels.get(&program.labels[number].expr) == Some(&number) {
                self.labels.remove(&program.labels[number].expr);
            }
        }
        self.num_labels = self.num_labels.min(first);
    }

    /// The first reward structure with a name.
    pub fn rewards(&mut self, program: &Program, name: &str) -> Option<usize> {
        for rewards in &program.rewards[self.num_rewards..] {
            if let Some(name) = &rewards.name {
                self.rewards.entry(name.clone()).or_insert(self.num_rewards);
            }
            self.num_rewards += 1;
        }
        self.rewards.get(name).copied()
    }
}
