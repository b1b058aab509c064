//! Alias tables: one entry per transition of a row, all equally likely. An entry stands for its own
//! transition below its threshold, and for another one of the row above it.

use std::ops::Range;
use volvelle_space::Space;

/// The alias tables of all rows.
pub struct Aliases {
    /// For each transition its threshold, as bits; then its target in the lower half of a word and that of
    /// the alias in the upper half. So the data of a step lie side by side.
    pub places: Vec<u64>,
    /// For each transition, the alias of its entry.
    others: Vec<u32>,
}

/// A row in the making.
#[derive(Default)]
pub struct Scratch {
    /// For each entry, below which part of it it stands for its own transition.
    pub thresholds: Vec<f64>,
    /// For each entry, the other transition.
    pub others: Vec<u32>,
    /// Places with less than their share, and with more.
    poor: Vec<u32>,
    rich: Vec<u32>,
}

impl Aliases {
    /// Of all rows of a chain.
    pub fn new(space: &Space) -> Self {
        let transitions = space.num_transitions();
        let mut aliases =
            Aliases { places: Vec::with_capacity(2 * transitions), others: Vec::with_capacity(transitions) };
        let mut scratch = Scratch::default();
        for state in 0..space.num_states() {
            let row = space.row(state);
            scratch.fill(space.values.range(row.clone()));
            for (i, (&threshold, &other)) in scratch.thresholds.iter().zip(&scratch.others).enumerate() {
                let [own, other_target] =
                    [i, other as usize].map(|place| u64::from(space.columns[row.start + place]));
                aliases.places.extend([threshold.to_bits(), own | other_target << 32]);
                aliases.others.push(row.start as u32 + other);
            }
        }
        aliases
    }

    /// The transition of a row for a number of the unit interval: the whole part of the scaled number is the
    /// entry, and the fraction decides there.
    pub fn draw(&self, row: Range<usize>, unit: f64) -> usize {
        let scaled = unit * row.len() as f64;
        let place = row.start + scaled.floor() as usize;
        let left = scaled - scaled.floor();
        if left < f64::from_bits(self.places[2 * place]) { place } else { self.others[place] as usize }
    }
}

impl Scratch {
    /// Computes thresholds and aliases for these weights.
    pub fn fill(&mut self, weights: impl Iterator<Item = f64>) {
        self.thresholds.clear();
        self.thresholds.extend(weights);
        let scale = self.thresholds.len() as f64 / self.thresholds.iter().sum::<f64>();
        self.thresholds.iter_mut().for_each(|weight| *weight *= scale);
        self.others.clear();
        self.others.extend(0..self.thresholds.len() as u32);
        self.poor.clear();
        self.rich.clear();
        for (place, &share) in self.thresholds.iter().enumerate() {
            if share < 1.0 { &mut self.poor } else { &mut self.rich }.push(place as u32);
        }
        while let (Some(&poor), Some(&rich)) = (self.poor.last(), self.rich.last()) {
            self.poor.pop();
            self.others[poor as usize] = rich;
            let rest = self.thresholds[rich as usize] + self.thresholds[poor as usize] - 1.0;
            self.thresholds[rich as usize] = rest;
            if rest < 1.0 {
                self.rich.pop();
                self.poor.push(rich);
            }
        }
        // The remaining shares are one, apart from rounding.
        for &place in self.poor.iter().chain(&self.rich) {
            self.thresholds[place as usize] = 1.0;
        }
    }
}
