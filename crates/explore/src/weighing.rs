//! Processes whose steps have a weight: the growth of a variable.
//!
//! If the variable only counts, it may be removed from the state. Then a system that cycles and counts
//! without end is still finite.

use crate::processes::{Processes, ProcessesError};
use crate::tabulate::{NO_STEP, States, TabulateError, Tabulated, tabulate};
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};
use volvelle_control::Control;
use volvelle_model::FieldId;
use volvelle_search::{Exit, Expander, Successors, System, TRANSIENT};

/// The variable whose growth is the weight of a step: a global variable, or an element of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The variable.
    pub field: FieldId,
    /// The element.
    pub element: usize,
    /// It has its first value in all states, rather than being a part of them.
    pub forgotten: bool,
}

/// A table whose steps have weights.
#[derive(Debug)]
pub struct Weighed {
    /// States and steps. The step of each choice is an index into `weights`, or [`NO_STEP`].
    pub table: Tabulated,
    /// Distinct weights; negative where the variable decreases.
    pub weights: Vec<i64>,
}

impl<'p> Processes<'p> {
    /// The state space in which each statement is a step, weighted by the growth of a variable; 1 without a
    /// variable.
    ///
    /// # Errors
    /// There are more processes or channels than slots can be numbered.
    pub fn weighed(
        mut self,
        counter: Option<Counter>,
        control: &Control<'_>,
    ) -> Result<(Self, Result<Weighed, TabulateError>), ProcessesError> {
        loop {
            let weighing = Weighing::new(&self, counter);
            let table = tabulate(&weighing, &[], States::EveryStatement, usize::MAX, control);
            let weights = weighing.weights.into_inner().unwrap_or_else(PoisonError::into_inner);
            match table {
                Err(TabulateError::LayoutOverflow) => self = self.grow()?,
                Err(error) => return Ok((self, Err(error))),
                Ok(table) => return Ok((self, Ok(Weighed { table, weights: weights.all }))),
            }
        }
    }
}

/// Weights by number.
#[derive(Default)]
struct Weights {
    all: Vec<i64>,
    number_of: FxHashMap<i64, u32>,
}

impl Weights {
    fn number(&mut self, weight: i64) -> u32 {
        *self.number_of.entry(weight).or_insert_with(|| {
            self.all.push(weight);
            self.all.len() as u32 - 1
        })
    }
}

struct Weighing<'s, 'p> {
    system: &'s Processes<'p>,
    counter: Option<Counter>,
    first: i64,
    weights: Mutex<Weights>,
}

impl<'s, 'p> Weighing<'s, 'p> {
    fn new(system: &'s Processes<'p>, counter: Option<Counter>) -> Self {
        let value = |counter: Counter| system.layout.get(&system.initial, counter.field, 0, counter.element);
        let first = counter.map_or(0, value);
        Weighing { system, counter, first, weights: Mutex::default() }
    }
}

impl System for Weighing<'_, '_> {
    fn words(&self) -> usize {
        self.system.words()
    }

    fn initial(&self) -> Vec<u64> {
        self.system.initial()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(WeighingExpander { weighing: self, inner: self.system.expander() })
    }
}

struct WeighingExpander<'w, 's, 'p> {
    weighing: &'w Weighing<'s, 'p>,
    inner: Box<dyn Expander + 'w>,
}

impl Expander for WeighingExpander<'_, '_, '_> {
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
        let exit = self.inner.expand(states, out);
        let Weighing { system, counter, first, weights } = self.weighing;
        let words = system.layout.words();
        let growth = |source: &[u64], target: &[u64]| {
            let value = |state: &[u64], of: Counter| system.layout.get(state, of.field, 0, of.element);
            counter.map_or(1, |counter| value(target, counter) - value(source, counter))
        };
        let mut weights = weights.lock().unwrap_or_else(PoisonError::into_inner);
        let mut begin = 0;
        for (source, &end) in states.chunks_exact(words).zip(&out.ends) {
            for at in begin..end as usize {
                let target = &mut out.states[at * words..(at + 1) * words];
                let number = weights.number(growth(source, target));
                debug_assert!(number < NO_STEP & !TRANSIENT, "there are fewer weights than steps");
                out.steps[at] = out.steps[at] & TRANSIENT | number;
                if let Some(counter) = counter.filter(|counter| counter.forgotten) {
                    system.layout.set(target, counter.field, 0, counter.element, *first);
                }
            }
            begin = end as usize;
        }
        exit
    }
}
