//! The numbers of a space in rational arithmetic, beside its doubles.
//!
//! Everything is aligned with the [`Space`](crate::Space) that it belongs to: same choices, same transitions, same
//! order.

use dashu_ratio::RBig;
use std::collections::HashMap;

/// Rational numbers by position; equal ones are stored once.
#[derive(Clone, Debug, Default)]
pub struct Ratios {
    distinct: Vec<RBig>,
    codes: Vec<u32>,
}

impl Ratios {
    /// The entries `codes` of the table `distinct`, whose numbers differ. Every code must be a place of the table.
    pub fn new(distinct: Vec<RBig>, codes: Vec<u32>) -> Self {
        debug_assert!(codes.iter().all(|&code| (code as usize) < distinct.len()));
        Ratios { distinct, codes }
    }

    /// The numbers that occur, each once.
    pub fn distinct(&self) -> &[RBig] {
        &self.distinct
    }

    /// Places in [`Ratios::distinct`], by position.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Number of numbers.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The number at a position.
    pub fn get(&self, i: usize) -> &RBig {
        &self.distinct[self.codes[i] as usize]
    }

    /// All numbers, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &RBig> + '_ {
        self.codes.iter().map(|&code| &self.distinct[code as usize])
    }
}

/// Equal numbers at equal positions; the order of the table makes no difference.
impl PartialEq for Ratios {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl FromIterator<RBig> for Ratios {
    fn from_iter<I: IntoIterator<Item = RBig>>(numbers: I) -> Self {
        let mut builder = RatiosBuilder::default();
        numbers.into_iter().for_each(|number| builder.push(number));
        builder.finish()
    }
}

/// Rational numbers under construction.
#[derive(Clone, Debug, Default)]
pub struct RatiosBuilder {
    ratios: Ratios,
    places: HashMap<RBig, u32>,
}

impl RatiosBuilder {
    /// Appends a number.
    pub fn push(&mut self, number: RBig) {
        let distinct = &mut self.ratios.distinct;
        let code = *self.places.entry(number).or_insert_with_key(|number| {
            distinct.push(number.clone());
            (distinct.len() - 1) as u32
        });
        self.ratios.codes.push(code);
    }

    /// Appends the number at a position again.
    pub fn repeat(&mut self, position: usize) {
        self.ratios.codes.push(self.ratios.codes[position]);
    }

    /// How many numbers were appended.
    pub fn len(&self) -> usize {
        self.ratios.len()
    }

    /// Whether none was appended.
    pub fn is_empty(&self) -> bool {
        self.ratios.is_empty()
    }

    /// The numbers.
    pub fn finish(self) -> Ratios {
        self.ratios
    }
}

/// A reward structure; see [`RewardVectors`](crate::RewardVectors).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExactRewards {
    /// State rewards; `None` where there are none.
    pub state: Option<Ratios>,
    /// Expected transition reward per choice; `None` where there are none.
    pub choice: Option<Ratios>,
}

/// The numbers of a space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExactSpace {
    /// Probabilities or rates of the transitions.
    pub values: Ratios,
    /// Reward structures, in the order of the space's.
    pub rewards: Vec<ExactRewards>,
    /// Numeric observations of the states, by their numbers; empty where not observed.
    pub numbers: Vec<Ratios>,
}

#[cfg(test)]
mod tests {
    use super::Ratios;
    use dashu_ratio::RBig;

    #[test]
    fn equal_numbers_are_stored_once() {
        let third = RBig::from_parts(1.into(), 3u8.into());
        let ratios: Ratios = [third.clone(), RBig::ONE, third.clone()].into_iter().collect();
        assert_eq!((ratios.len(), ratios.distinct.len()), (3, 2));
        assert_eq!(ratios.iter().cloned().collect::<Vec<_>>(), [third.clone(), RBig::ONE, third]);
        assert!(Ratios::default().is_empty());
    }
}
