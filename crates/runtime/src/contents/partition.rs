//! Who owns what: elements in consecutive parts, one for each device of each rank.

use std::ops::Range;

/// Elements in parts that differ by one element at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    elements: u64,
    parts: usize,
}

impl Partition {
    /// So many elements in so many parts, at least one.
    pub fn new(elements: u64, parts: usize) -> Self {
        Partition { elements, parts: parts.max(1) }
    }

    /// Elements in all.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// How many parts.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// One of the parts.
    ///
    /// # Panics
    /// Where there is no such part.
    pub fn part(&self, number: usize) -> Range<u64> {
        assert!(number < self.parts, "part {number} of {}", self.parts);
        self.start(number)..self.start(number + 1)
    }

    /// Several parts that follow one another.
    ///
    /// # Panics
    /// Where there are not so many.
    pub fn several(&self, numbers: Range<usize>) -> Range<u64> {
        assert!(
            numbers.start <= numbers.end && numbers.end <= self.parts,
            "parts {numbers:?} of {}",
            self.parts
        );
        self.start(numbers.start)..self.start(numbers.end)
    }

    fn start(&self, number: usize) -> u64 {
        // At most `elements`.
        (u128::from(self.elements) * number as u128 / self.parts as u128) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_about_equal_and_make_up_the_whole() {
        for elements in [0, 1, 2, 3, 7, 100, 1001, u64::MAX] {
            for parts in [1, 2, 3, 5, 16] {
                let partition = Partition::new(elements, parts);
                let all: Vec<Range<u64>> = (0..parts).map(|i| partition.part(i)).collect();
                assert_eq!((all[0].start, all[parts - 1].end), (0, elements));
                assert!(all.windows(2).all(|two| two[0].end == two[1].start));
                let length = |part: &Range<u64>| part.end - part.start;
                let (least, most) = (all.iter().map(length).min(), all.iter().map(length).max());
                assert!(most.unwrap() - least.unwrap() <= 1, "{all:?}");
                assert_eq!(partition.several(0..parts), 0..elements);
                assert_eq!(partition.several(parts..parts), elements..elements);
            }
        }
        assert_eq!(Partition::new(5, 0).part(0), 0..5);
    }
}
