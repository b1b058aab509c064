//! Signatures of states: what they contain, with and without weights.
//!
//! Rates and probabilities of the same name that lead to the same block count by their sum (Hermanns, *Interactive Markov Chains*,
//! LNCS 2428, 2002, doi:10.1007/3-540-45804-2). Sums are exact: integers over the common denominator of all weights, or
//! rationals where that is too large.

use super::blocks::Blocks;
use dashu_int::UBig;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use std::sync::RwLock;
use volvelle_space::{Edge, Lts};

/// The meaning of a label with a weight.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weighted {
    /// Number of the name: weights of one name add up. Rates and probabilities have different names.
    pub name: u32,
    /// The weight, which is positive.
    pub value: RBig,
}

/// What signatures contain: a number for each transition, made of its label and the block that it leads to.
#[derive(Debug, Default)]
pub(super) struct Items {
    weights: Option<Weights>,
}

#[derive(Debug)]
struct Weights {
    /// By label: name and place of the value; `None` for ordinary labels.
    of_label: Vec<Option<(u32, u32)>>,
    values: Values,
    /// Differences up to this do not count: sums are rounded to multiples of it.
    epsilon: Option<f64>,
    /// Numbers of sums that were met, with their names, from the number of labels on.
    sums: RwLock<FxHashMap<(u32, Sum), u32>>,
}

#[derive(Debug)]
enum Values {
    /// Multiples of one over a common denominator.
    Scaled(Vec<u64>, f64),
    Exact(Vec<RBig>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Sum {
    Scaled(u128),
    Exact(RBig),
    /// A number of epsilons.
    Rounded(u64),
}

impl Items {
    /// Labels are texts that are equal or not.
    pub fn plain() -> Self {
        Items::default()
    }

    /// Some labels have weights, by label.
    pub fn weighted(weights: &[Option<Weighted>], epsilon: Option<f64>) -> Self {
        if weights.iter().all(Option::is_none) {
            return Items::plain();
        }
        let mut exact = Vec::new();
        let of_label = weights.iter().map(|weight| {
            weight.as_ref().map(|weight| {
                exact.push(weight.value.clone());
                (weight.name, (exact.len() - 1) as u32)
            })
        });
        let of_label = of_label.collect();
        let values = scaled(&exact).unwrap_or(Values::Exact(exact));
        Items { weights: Some(Weights { of_label, values, epsilon, sums: RwLock::default() }) }
    }

    /// Whether a label has a weight.
    pub fn has_weight(&self, label: u32) -> bool {
        self.weights.as_ref().is_some_and(|weights| weights.of_label[label as usize].is_some())
    }

    /// Appends the items of the transitions of a state that have weights.
    pub fn push_weighted(&self, lts: &Lts, blocks: &Blocks, state: u32, items: &mut Vec<u64>) {
        if let Some(weights) = &self.weights {
            weights.push(lts.labels.len() as u32, lts.outgoing(state), blocks, items);
        }
    }

    /// Appends the items of those transitions of a state that `wanted` accepts.
    #[inline]
    pub fn push(
        &self,
        lts: &Lts,
        blocks: &Blocks,
        state: u32,
        wanted: impl Fn(Edge) -> bool,
        items: &mut Vec<u64>,
    ) {
        let edges = lts.outgoing(state);
        let item = |edge: &Edge| item(edge.label, blocks.of(edge.target));
        match &self.weights {
            None => items.extend(edges.iter().filter(|edge| wanted(**edge)).map(item)),
            Some(weights) => {
                let is_plain = |edge: &&Edge| weights.of_label[edge.label as usize].is_none();
                items.extend(edges.iter().filter(is_plain).filter(|edge| wanted(**edge)).map(item));
                weights.push(lts.labels.len() as u32, edges, blocks, items);
            }
        }
    }
}

/// The item of a transition.
#[inline]
pub(super) fn item(label: u32, block: u32) -> u64 {
    u64::from(label) << 32 | u64::from(block)
}

impl Weights {
    fn push(&self, labels: u32, edges: &[Edge], blocks: &Blocks, items: &mut Vec<u64>) {
        let weighted = edges.iter().filter_map(|edge| {
            let (name, value) = self.of_label[edge.label as usize]?;
            Some((item(name, blocks.of(edge.target)), value))
        });
        let mut weighted: Vec<(u64, u32)> = weighted.collect();
        weighted.sort_unstable();
        for equal in weighted.chunk_by(|a, b| a.0 == b.0) {
            let (name, block) = ((equal[0].0 >> 32) as u32, equal[0].0 as u32);
            let sum = self.sum(equal.iter().map(|&(_, value)| value as usize));
            items.push(item(labels + self.number(name, sum), block));
        }
    }

    fn sum(&self, of: impl Iterator<Item = usize>) -> Sum {
        let epsilons = |value: f64, epsilon: f64| Sum::Rounded((value / epsilon).round().to_bits());
        match (&self.values, self.epsilon) {
            (Values::Scaled(values, unit), epsilon) => {
                let sum = of.map(|value| u128::from(values[value])).sum();
                epsilon.map_or(Sum::Scaled(sum), |epsilon| epsilons(sum as f64 * unit, epsilon))
            }
            (Values::Exact(values), epsilon) => {
                let sum = of.fold(RBig::ZERO, |sum, value| sum + &values[value]);
                match epsilon {
                    None => Sum::Exact(sum),
                    Some(epsilon) => epsilons(sum.to_f64().value(), epsilon),
                }
            }
        }
    }

    /// The number of a sum. Threads meet sums in any order: numbers are only compared.
    fn number(&self, name: u32, sum: Sum) -> u32 {
        let key = (name, sum);
        let unpoisoned = "no thread panics while it holds the lock";
        if let Some(&number) = self.sums.read().expect(unpoisoned).get(&key) {
            return number;
        }
        let mut sums = self.sums.write().expect(unpoisoned);
        let next = sums.len() as u32;
        *sums.entry(key).or_insert(next)
    }
}

/// The values as multiples of one over their common denominator, if those fit.
fn scaled(values: &[RBig]) -> Option<Values> {
    let mut denominator = UBig::ONE;
    for value in values {
        let other = value.denominator();
        let common = dashu_int::ops::Gcd::gcd(&denominator, other);
        denominator = denominator / common * other;
        if u64::try_from(&denominator).is_err() {
            return None;
        }
    }
    let numerators = values.iter().map(|value| {
        let scaled = value * RBig::from(denominator.clone());
        u64::try_from(scaled.numerator()).ok()
    });
    let unit = 1.0 / u64::try_from(&denominator).ok()? as f64;
    Some(Values::Scaled(numerators.collect::<Option<_>>()?, unit))
}
