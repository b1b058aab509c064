//! Rational numbers, each stored once, and computed with by their codes.
//!
//! A model has few distinct rates and probabilities, so nearly every sum and product is found in a table. So
//! elimination and rows of matrices are exact at about the cost of doubles.

use dashu_ratio::RBig;
use rustc_hash::FxHashMap;

/// The code of a number: its index.
pub(crate) type Code = u32;

/// The code of zero.
pub(crate) const ZERO: Code = 0;

/// The code of one.
pub(crate) const ONE: Code = 1;

/// Distinct numbers.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    values: Vec<RBig>,
    places: FxHashMap<RBig, Code>,
    products: FxHashMap<(Code, Code), Code>,
    sums: FxHashMap<(Code, Code), Code>,
}

impl Numbers {
    /// A table with zero and one.
    pub fn new() -> Self {
        let mut numbers = Numbers {
            values: Vec::new(),
            places: FxHashMap::default(),
            products: FxHashMap::default(),
            sums: FxHashMap::default(),
        };
        numbers.place(RBig::ZERO);
        numbers.place(RBig::ONE);
        numbers
    }

    /// The code of a number, which is added if it is new.
    pub fn place(&mut self, value: RBig) -> Code {
        if let Some(&code) = self.places.get(&value) {
            return code;
        }
        let code = self.values.len() as Code;
        self.values.push(value.clone());
        self.places.insert(value, code);
        code
    }

    /// The number with a code.
    pub fn get(&self, code: Code) -> &RBig {
        &self.values[code as usize]
    }

    /// All numbers, by code.
    pub fn all(&self) -> &[RBig] {
        &self.values
    }

    /// The nearest doubles of all numbers, by code.
    pub fn doubles(&self) -> Vec<f64> {
        self.values.iter().map(|value| value.to_f64().value()).collect()
    }

    /// The product of two numbers.
    pub fn product(&mut self, a: Code, b: Code) -> Code {
        match (a, b) {
            (ZERO, _) | (_, ZERO) => return ZERO,
            (ONE, other) | (other, ONE) => return other,
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.products.get(&key) {
            return known;
        }
        let code = self.place(self.get(a) * self.get(b));
        self.products.insert(key, code);
        code
    }

    /// The sum of two numbers.
    pub fn sum(&mut self, a: Code, b: Code) -> Code {
        match (a, b) {
            (ZERO, other) | (other, ZERO) => return other,
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.sums.get(&key) {
            return known;
        }
        let code = self.place(self.get(a) + self.get(b));
        self.sums.insert(key, code);
        code
    }

    /// Sorts entries by key, adds up those with equal keys, and drops entries of zero.
    pub fn merge(&mut self, entries: &mut Vec<(u32, Code)>) {
        entries.sort_unstable();
        let mut kept = 0;
        for i in 0..entries.len() {
            let (key, code) = entries[i];
            if kept > 0 && entries[kept - 1].0 == key {
                entries[kept - 1].1 = self.sum(entries[kept - 1].1, code);
            } else if code != ZERO {
                entries[kept] = (key, code);
                kept += 1;
            }
        }
        entries.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_have_one_place() {
        let mut numbers = Numbers::new();
        let third = numbers.place(RBig::from_parts(1.into(), 3u8.into()));
        let two = numbers.sum(ONE, ONE);
        let two_thirds = numbers.product(two, third);
        assert_eq!(numbers.sum(third, third), two_thirds);
        assert_eq!(numbers.sum(two_thirds, third), ONE);
        assert_eq!((numbers.product(ZERO, two), numbers.product(ONE, two)), (ZERO, two));
        let mut entries = vec![(7, third), (2, two), (7, two_thirds), (3, ZERO)];
        numbers.merge(&mut entries);
        assert_eq!(entries, [(2, two), (7, ONE)]);
    }
}
