//! Most probable paths in a chain: Dijkstra's algorithm with products in place of sums.
//!
//! Products of many probabilities leave the range of doubles; they are kept as mantissa and exponent, so that neither
//! logarithms (and their rounding) nor underflow decide which path is shown.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use volvelle_solver::graph::Predecessors;
use volvelle_space::{BitSet, Space};

/// A probability with a wide exponent: `mantissa * 2^exponent` with a mantissa in 0.5..1, or zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaled {
    mantissa: f64,
    exponent: i64,
}

impl Scaled {
    /// Zero.
    pub const ZERO: Scaled = Scaled { mantissa: 0.0, exponent: i64::MIN };

    /// One.
    pub const ONE: Scaled = Scaled { mantissa: 0.5, exponent: 1 };

    /// The representation of a number that is not negative.
    pub fn new(value: f64) -> Self {
        Scaled { mantissa: value, exponent: 0 }.normalised()
    }

    /// The product.
    #[must_use]
    pub fn times(self, other: Scaled) -> Self {
        if self == Scaled::ZERO || other == Scaled::ZERO {
            return Scaled::ZERO;
        }
        Scaled { mantissa: self.mantissa * other.mantissa, exponent: self.exponent + other.exponent }
            .normalised()
    }

    fn normalised(mut self) -> Self {
        if self.mantissa <= 0.0 {
            return Scaled::ZERO;
        }
        while self.mantissa < 2f64.powi(-500) {
            self.mantissa *= 2f64.powi(500);
            self.exponent -= 500;
        }
        let shift = ((self.mantissa.to_bits() >> 52) & 0x7ff) as i64 - 1022;
        self.mantissa *= 2f64.powi(-shift as i32);
        self.exponent += shift;
        self
    }

    /// The nearest double; zero where it is too small for one.
    pub fn value(self) -> f64 {
        if self.exponent < -1200 { 0.0 } else { self.mantissa * 2f64.powi(self.exponent as i32) }
    }

    /// The decimal logarithm.
    pub fn log10(self) -> f64 {
        self.mantissa.log10() + self.exponent as f64 * std::f64::consts::LOG10_2
    }

    /// For comparisons.
    pub fn key(self) -> (i64, u64) {
        (self.exponent, self.mantissa.to_bits())
    }
}

impl PartialOrd for Scaled {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.key().cmp(&other.key()))
    }
}

/// The most probable paths from a set of states, or to one.
#[derive(Clone, Debug)]
pub struct Best {
    /// Probability of the best path, for each state.
    pub probability: Vec<Scaled>,
    /// The state before (after) each on that path; the state itself where the path begins.
    pub link: Vec<u32>,
    /// The states in the order in which they were settled: by falling probability.
    pub order: Vec<u32>,
}

/// Probability of every transition of a chain: rates are divided by their sum.
pub fn probabilities(chain: &Space) -> Vec<f64> {
    let mut all = Vec::with_capacity(chain.num_transitions());
    for s in 0..chain.num_states() {
        let total: f64 = chain.transitions(s).map(|(_, v)| v).sum();
        let discrete = (total - 1.0).abs() < 1e-9;
        all.extend(chain.transitions(s).map(|(_, v)| if discrete { v.min(1.0) } else { v / total }));
    }
    all
}

/// Best paths forwards from `from`: paths through `via` that may end in `via` or `last`.
pub fn forwards(chain: &Space, probability: &[f64], from: &BitSet, via: &BitSet, last: &BitSet) -> Best {
    dijkstra(chain.num_states(), from, |s, visit| {
        if !via.contains(s) {
            return;
        }
        for i in chain.row(s) {
            let t = chain.columns[i] as usize;
            if via.contains(t) || last.contains(t) {
                visit(t, probability[i]);
            }
        }
    })
}

/// Best paths through `via` backwards from `to`.
pub fn backwards(
    chain: &Space,
    predecessors: &Predecessors,
    probability: &[f64],
    to: &BitSet,
    via: &BitSet,
) -> Best {
    dijkstra(chain.num_states(), to, |t, visit| {
        for &source in predecessors.of(t) {
            if !via.contains(source as usize) {
                continue;
            }
            let row = chain.row(source as usize);
            if let Ok(at) = chain.columns[row.clone()].binary_search(&(t as u32)) {
                visit(source as usize, probability[row.start + at]);
            }
        }
    })
}

/// Of equally probable paths the one with fewer steps is taken, then the one over the smaller state.
fn dijkstra(states: usize, from: &BitSet, edges: impl Fn(usize, &mut dyn FnMut(usize, f64))) -> Best {
    let mut best = Best {
        probability: vec![Scaled::ZERO; states],
        link: (0..states as u32).collect(),
        order: Vec::new(),
    };
    let mut steps = vec![u32::MAX; states];
    let mut done = BitSet::new(states);
    let mut heap = BinaryHeap::new();
    for s in from.iter() {
        best.probability[s] = Scaled::ONE;
        steps[s] = 0;
        heap.push((Scaled::ONE.key(), Reverse(0u32), Reverse(s as u32)));
    }
    while let Some((_, Reverse(length), Reverse(state))) = heap.pop() {
        let s = state as usize;
        if !done.insert(s) {
            continue;
        }
        best.order.push(state);
        let here = best.probability[s];
        edges(s, &mut |t, p| {
            if p <= 0.0 || done.contains(t) {
                return;
            }
            let there = here.times(Scaled::new(p));
            let known = (best.probability[t].key(), Reverse(steps[t]));
            if (there.key(), Reverse(length + 1)) > known {
                best.probability[t] = there;
                best.link[t] = state;
                steps[t] = length + 1;
                heap.push((there.key(), Reverse(length + 1), Reverse(t as u32)));
            }
        });
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled_numbers() {
        let half = Scaled::new(0.5);
        assert_eq!(Scaled::new(1.0), Scaled::ONE);
        assert_eq!(half.times(half).value(), 0.25);
        assert_eq!(Scaled::new(0.3).value(), 0.3);
        assert_eq!(Scaled::new(5e-324).value(), 5e-324);
        assert_eq!(Scaled::new(0.0), Scaled::ZERO);
        assert!(Scaled::ZERO < Scaled::new(1e-300) && Scaled::new(1e-300) < Scaled::new(0.9));
        let mut tiny = Scaled::ONE;
        for _ in 0..10_000 {
            let smaller = tiny.times(half);
            assert!(smaller < tiny && Scaled::ZERO < smaller);
            tiny = smaller;
        }
        assert!((tiny.log10() + 3_010.299_956_639_812).abs() < 1e-6);
        assert_eq!(tiny.value(), 0.0);
    }
}
