//! Labels with data: actions together with the values that participants exchanged.
//!
//! A label is stored once. Its number follows those of the program's actions; a choice whose label has no
//! data has the number of its action. Numbers are assigned in the order of the rows, so they do not depend on
//! threads.

use crate::rows::Rows;
use rustc_hash::FxHashMap;
use volvelle_model::kernels::label_values;
use volvelle_model::{Program, Terms};

/// The labels found so far.
#[derive(Debug, Default)]
pub struct Labels {
    /// Action and data of each, in the order of their numbers.
    met: Vec<Box<[u64]>>,
    /// Indices in `met`.
    numbers: FxHashMap<Box<[u64]>, u32>,
}

/// The number of the first label with data.
const FIRST: u32 = 1 << 31;

impl Labels {
    /// Appends the actions of rows, or placeholders for their labels until [`Labels::finish`].
    pub fn extend(&mut self, actions: &mut Vec<u32>, rows: &Rows) {
        if rows.labels.is_empty() {
            actions.extend_from_slice(&rows.choice_actions);
            return;
        }
        let words = rows.labels.len() / rows.choice_actions.len();
        let mut key = Vec::with_capacity(1 + words);
        for (&action, data) in rows.choice_actions.iter().zip(rows.labels.chunks_exact(words)) {
            if data[0] == 0 {
                actions.push(action);
                continue;
            }
            key.clear();
            key.push(u64::from(action));
            key.extend_from_slice(data);
            let number = match self.numbers.get(&key[..]) {
                Some(&number) => number,
                None => {
                    let number = FIRST + self.met.len() as u32;
                    self.met.push(key.clone().into());
                    self.numbers.insert(key.clone().into(), number);
                    number
                }
            };
            actions.push(number);
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        let words: usize = self.met.iter().map(|label| label.len() + 4).sum();
        16 * words as u64
    }

    /// The texts of all actions and labels (`GATE !1 !TRUE`); `actions` of choices become indices into them.
    pub fn finish(
        self,
        program: &Program,
        terms: Option<&dyn Terms>,
        choice_actions: &mut [u32],
    ) -> Vec<String> {
        let mut texts: Vec<String> = program.actions.iter().map(|action| action.name.clone()).collect();
        if self.met.is_empty() {
            return texts;
        }
        let actions = texts.len() as u32;
        for label in &self.met {
            let mut text = texts[label[0] as usize].clone();
            for value in label_values(&label[1..]) {
                text.push_str(" !");
                text.push_str(&value.text(&program.sorts, terms));
            }
            texts.push(text);
        }
        for action in choice_actions.iter_mut().filter(|action| **action >= FIRST) {
            *action = *action - FIRST + actions;
        }
        texts
    }
}
