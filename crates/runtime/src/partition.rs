//! Ownership of elements: consecutive parts, one for each device of each rank.

use std::ops::Range;
use std::sync::Arc;

/// Elements in parts proportional to weights, up to an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    elements: u64,
    /// Sums of the weights before each part, and of all.
    sums: Arc<[u128]>,
}

impl Partition {
    /// Partitions `elements` elements in proportion to weights. If all weights are zero, the last part has
    /// all.
    pub fn new(elements: u64, weights: &[u64]) -> Self {
        let mut sum = 0;
        let mut sums = vec![0];
        for &weight in weights {
            sum += u128::from(weight);
            sums.push(sum);
        }
        if weights.is_empty() {
            sums.push(0);
        }
        Partition { elements, sums: sums.into() }
    }

    /// The same for another number of elements.
    pub fn of(&self, elements: u64) -> Self {
        Partition { elements, sums: self.sums.clone() }
    }

    /// Elements in all.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.sums.len() - 1
    }

    /// One of the parts.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn part(&self, number: usize) -> Range<u64> {
        self.several(number..number + 1)
    }

    /// Several consecutive parts.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn several(&self, numbers: Range<usize>) -> Range<u64> {
        let parts = self.parts();
        assert!(numbers.start <= numbers.end && numbers.end <= parts, "parts {numbers:?} of {parts}");
        self.start(numbers.start)..self.start(numbers.end)
    }

    fn start(&self, number: usize) -> u64 {
        let total = self.sums[self.parts()];
        if total == 0 {
            return if number == self.parts() { self.elements } else { 0 };
        }
        // Weights of very many parts are scaled down, so that the product fits.
        let shift = (128 - total.leading_zeros()).saturating_sub(64);
        let (before, total) = (self.sums[number] >> shift, total >> shift);
        // The quotient is at most `elements`.
        (u128::from(self.elements) * before / total) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_random::Random;

    fn parts(partition: &Partition) -> Vec<Range<u64>> {
        (0..partition.parts()).map(|i| partition.part(i)).collect()
    }

    #[test]
    fn parts_make_up_the_whole() {
        for seed in 0..500 {
            let mut random = Random(seed);
            let weights: Vec<u64> = (0..1 + random.below(9))
                .map(|_| [0, 1, 7, u64::MAX, random.bits()][random.below(5)])
                .collect();
            for elements in [0, 1, 2, 100, u64::MAX] {
                let partition = Partition::new(elements, &weights);
                let all = parts(&partition);
                assert_eq!((all[0].start, all[weights.len() - 1].end), (0, elements), "{weights:?}");
                assert!(all.windows(2).all(|two| two[0].end == two[1].start), "{weights:?}");
                assert!(all.iter().all(|part| part.start <= part.end), "{weights:?}");
                assert_eq!(partition.several(0..weights.len()), 0..elements);
                assert_eq!(partition, Partition::new(5, &weights).of(elements));
            }
        }
    }

    #[test]
    fn parts_are_as_large_as_their_weights() {
        assert_eq!(parts(&Partition::new(10, &[1, 1, 1])), [0..3, 3..6, 6..10]);
        assert_eq!(parts(&Partition::new(100, &[3, 0, 1])), [0..75, 75..75, 75..100]);
        assert_eq!(parts(&Partition::new(2, &[1; 5])), [0..0, 0..0, 0..1, 1..1, 1..2]);
        assert_eq!(parts(&Partition::new(9, &[1 << 62; 3])), [0..3, 3..6, 6..9]);
        assert_eq!(parts(&Partition::new(9, &[0, 0])), [0..0, 0..9]);
        assert_eq!(parts(&Partition::new(5, &[])).last(), Some(&(0..5)));
    }
}
