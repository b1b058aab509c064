//! The hashed perceptron: for each of several lengths of history one weight, found by a hash of address and
//! history.
//!
//! D. Tarjan, K. Skadron, *Merging path and gshare indexing in perceptron branch prediction*, TACO 2(3), 2005, doi:10.1145/1089008.1089011.

use super::history::low;
use super::rule::{Moment, Rule};

/// Most tables of weights.
pub(super) const MOST_TABLES: usize = 16;

/// Sizes of a hashed perceptron.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HashedShape {
    /// Lengths of history, one for each table; at most 256 each.
    pub lengths: Vec<u32>,
    /// The number of entries of a table is two to the power of this.
    pub table_bits: u32,
    /// Bits of a weight, 2 to 8.
    pub weight_bits: u32,
    /// It learns if the absolute value of the sum is at most this.
    pub threshold: i32,
}

impl HashedShape {
    /// Five tables of 1,024 weights.
    pub fn usual() -> Self {
        HashedShape { lengths: vec![0, 4, 8, 16, 32], table_bits: 10, weight_bits: 8, threshold: 20 }
    }

    /// Bits of all weights.
    pub fn bits(&self) -> u64 {
        (u64::from(self.weight_bits) * self.lengths.len() as u64) << self.table_bits
    }
}

/// Tables of weights.
#[derive(Clone, Debug)]
pub(super) struct Hashed {
    lengths: Vec<u32>,
    table_bits: u32,
    threshold: i32,
    /// All tables, one after the other.
    weights: Vec<i8>,
    largest: i8,
}

impl Hashed {
    pub fn new(shape: &HashedShape) -> Self {
        Hashed {
            lengths: shape.lengths.clone(),
            table_bits: shape.table_bits,
            threshold: shape.threshold,
            weights: vec![0; shape.lengths.len() << shape.table_bits],
            largest: ((1i32 << (shape.weight_bits - 1)) - 1) as i8,
        }
    }

    /// The places of the weights, and their sum.
    #[inline]
    fn places(&self, at: &Moment) -> ([u32; MOST_TABLES], i32) {
        let bits = self.table_bits;
        let hash = at.address ^ at.address >> bits;
        let mut places = [0; MOST_TABLES];
        let mut sum = 0;
        for ((table, &length), place) in self.lengths.iter().enumerate().zip(&mut places) {
            let index = (hash ^ at.history.fold(length, bits)) & low(bits);
            *place = (table << bits) as u32 + index as u32;
            sum += i32::from(self.weights[*place as usize]);
        }
        (places, sum)
    }

    #[inline]
    fn learn(&mut self, places: &[u32; MOST_TABLES], taken: bool) {
        let sign = if taken { 1i8 } else { -1 };
        for &place in &places[..self.lengths.len()] {
            let weight = &mut self.weights[place as usize];
            *weight = weight.saturating_add(sign).clamp(-self.largest - 1, self.largest);
        }
    }
}

impl Rule for Hashed {
    #[inline]
    fn predict(&self, at: &Moment) -> bool {
        self.places(at).1 >= 0
    }

    #[inline]
    fn train(&mut self, at: &Moment, taken: bool, predicted: bool) {
        let (places, sum) = self.places(at);
        if predicted != taken || sum.abs() <= self.threshold {
            self.learn(&places, taken);
        }
    }

    #[inline]
    fn step(&mut self, at: &Moment, taken: bool) -> bool {
        let (places, sum) = self.places(at);
        let predicted = sum >= 0;
        if predicted != taken || sum.abs() <= self.threshold {
            self.learn(&places, taken);
        }
        predicted
    }
}
