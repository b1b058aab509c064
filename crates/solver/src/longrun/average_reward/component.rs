//! A maximal end component, and steps of value iteration in it.

use std::cell::Cell;
use volvelle_logic::Optimum;
use volvelle_space::Space;

use crate::graph::EndComponents;
use crate::scheduling::HostSteps;

/// The fraction of the way to the next vector that a step goes.
pub const DAMPING: f64 = 0.8;

/// States, choices and entries, each numbered from zero.
pub struct Component {
    /// Choices of state `i`: `choices[i]..choices[i + 1]`.
    pub choices: Vec<u32>,
    /// Entries of choice `c`: `rows[c]..rows[c + 1]`; none leads to the state of the choice.
    pub rows: Vec<u32>,
    /// Targets of entries.
    pub columns: Vec<u32>,
    /// Their probabilities.
    pub values: Vec<f64>,
    /// Rewards of choices.
    pub rewards: Vec<f64>,
    /// Which choice counts.
    pub optimum: Optimum,
    /// Whether steps of a thread tell their size, which takes a sixth of their time.
    pub tells_size: Cell<bool>,
}

impl Component {
    /// The states `members` with the choices that stay among them; `place` is scratch, one per state.
    pub fn new(
        space: &Space,
        found: &EndComponents,
        members: &[u32],
        place: &mut [u32],
        reward: &[f64],
        optimum: Optimum,
    ) -> Self {
        for (i, &s) in members.iter().enumerate() {
            place[s as usize] = i as u32;
        }
        let mut component = Component {
            choices: vec![0],
            rows: vec![0],
            columns: vec![],
            values: vec![],
            rewards: vec![],
            optimum,
            tells_size: Cell::new(true),
        };
        for &s in members {
            for choice in space.choices_of(s as usize).filter(|&c| found.staying.contains(c)) {
                for (t, v) in space.transitions(choice).filter(|&(t, _)| t != s as usize) {
                    component.columns.push(place[t]);
                    component.values.push(v);
                }
                component.rows.push(component.columns.len() as u32);
                component.rewards.push(reward[choice]);
            }
            component.choices.push(component.rewards.len() as u32);
        }
        component
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.choices.len() - 1
    }

    /// The work of a step: entries and states.
    pub fn work(&self) -> u64 {
        (self.columns.len() + self.len()) as u64
    }

    /// `r + P h - h` of a choice of state `i`.
    pub fn value(&self, choice: usize, i: usize, h: &[f64]) -> f64 {
        let row = self.rows[choice] as usize..self.rows[choice + 1] as usize;
        let entries = self.columns[row.clone()].iter().zip(&self.values[row]);
        self.rewards[choice] + entries.map(|(&j, &v)| v * (h[j as usize] - h[i])).sum::<f64>()
    }

    /// The place of the best choice among those of a state, by the same numbers.
    pub fn best(&self, i: usize, h: &[f64]) -> usize {
        let choices = self.choices[i] as usize..self.choices[i + 1] as usize;
        let values = choices.map(|choice| self.value(choice, i, h)).enumerate();
        let best = match self.optimum {
            Optimum::Min => values.min_by(|a, b| a.1.total_cmp(&b.1)),
            Optimum::Max => values.rev().max_by(|a, b| a.1.total_cmp(&b.1)),
        };
        best.map_or(0, |(place, _)| place)
    }

    /// The optimum of a state over its choices of `r + P h - h`; and the sum of the magnitudes that were added up, times
    /// their number, to which the rounding error is relative (infinite without `SIZED`).
    #[inline]
    fn image<const SIZED: bool>(&self, i: usize, h: &[f64]) -> [f64; 2] {
        let mut size = if SIZED { 0.0 } else { f64::INFINITY };
        let mut best = match self.optimum {
            Optimum::Min => f64::INFINITY,
            Optimum::Max => f64::NEG_INFINITY,
        };
        let (first, end) = (self.choices[i] as usize, self.choices[i + 1] as usize);
        let mut from = self.rows[first] as usize;
        for (&to, &reward) in self.rows[first + 1..=end].iter().zip(&self.rewards[first..end]) {
            let row = from..to as usize;
            from = row.end;
            let mut sum = reward;
            let mut total = sum;
            for (&j, &v) in self.columns[row.clone()].iter().zip(&self.values[row.clone()]) {
                let term = v * (h[j as usize] - h[i]);
                sum += term;
                if SIZED {
                    total += term.abs();
                }
            }
            let total = total * (row.len() + 4) as f64;
            if SIZED && total > size {
                size = total;
            }
            let better = match self.optimum {
                Optimum::Min => sum < best,
                Optimum::Max => sum > best,
            };
            if better {
                best = sum;
            }
        }
        // Zero has one sign, in whatever order extremes are looked for.
        [best + 0.0, size]
    }
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The least and the largest entry of `opt (r + P h - h)`.
    pub span: [f64; 2],
    /// The magnitudes that were added up, times their number: the rounding error is relative to this.
    pub size: f64,
}

impl Step {
    /// The result for no states.
    pub fn empty() -> Self {
        Step { span: [f64::INFINITY, f64::NEG_INFINITY], size: 0.0 }
    }

    /// The result for these states and those of another.
    pub fn and(self, other: Step) -> Self {
        let least = |a: f64, b: f64| if b < a { b } else { a };
        let largest = |a: f64, b: f64| if b > a { b } else { a };
        Step {
            span: [least(self.span[0], other.span[0]), largest(self.span[1], other.span[1])],
            size: largest(self.size, other.size),
        }
    }
}

/// Steps of a thread.
pub struct OnThread<'a> {
    component: &'a Component,
    next: Vec<f64>,
}

impl<'a> OnThread<'a> {
    /// Begins in a component.
    pub fn new(component: &'a Component) -> Self {
        OnThread { component, next: Vec::new() }
    }
}

impl OnThread<'_> {
    fn step_by(&mut self, image: impl Fn(&Component, usize) -> [f64; 2], h: &[f64]) -> Step {
        let mut step = Step::empty();
        for (i, next) in self.next.iter_mut().enumerate() {
            let [image, size] = image(self.component, i);
            step = step.and(Step { span: [image; 2], size });
            *next = h[i] + DAMPING * image;
        }
        step
    }
}

impl HostSteps for OnThread<'_> {
    type Outcome = Step;

    fn step(&mut self, h: &mut [f64]) -> Step {
        self.next.resize(h.len(), 0.0);
        let step = match self.component.tells_size.get() {
            true => self.step_by(|component, i| component.image::<true>(i, h), h),
            false => self.step_by(|component, i| component.image::<false>(i, h), h),
        };
        // Only differences matter: the vector stays small.
        let base = self.next[0];
        h.iter_mut().zip(&self.next).for_each(|(h, next)| *h = next - base);
        step
    }

    fn work(&self) -> u64 {
        self.component.work()
    }
}
