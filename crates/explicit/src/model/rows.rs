//! One level of an explicit model: which choices a state has, which branches a choice has.

use std::ops::Range;

/// Compressed rows: row `i` holds the entries `start[i]..start[i + 1]` of the level below.
///
/// Rows of exactly one entry each take no memory, and there is only one way to say so: [`Rows::from_starts`] recognises
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// This many rows of one entry each.
    OneEach(u32),
    /// Starts of the rows and the end of the last one: first 0, never decreasing.
    Starts(Vec<u32>),
}

impl Rows {
    /// Rows that begin at `starts`, whose last entry is the end of the last row. The caller has checked that the first
    /// is 0 and that they never decrease.
    pub fn from_starts(starts: Vec<u32>) -> Self {
        debug_assert!(!starts.is_empty() && starts[0] == 0 && starts.is_sorted());
        let rows = starts.len() - 1;
        if *starts.last().expect("an end") as usize == rows && starts.iter().zip(0..).all(|(&s, i)| s == i) {
            return Rows::OneEach(rows as u32);
        }
        Rows::Starts(starts)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Rows::OneEach(rows) => *rows as usize,
            Rows::Starts(starts) => starts.len() - 1,
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many entries the rows have together.
    pub fn entries(&self) -> usize {
        match self {
            Rows::OneEach(rows) => *rows as usize,
            Rows::Starts(starts) => *starts.last().expect("an end") as usize,
        }
    }

    /// The entries of a row.
    #[inline]
    pub fn range(&self, row: usize) -> Range<usize> {
        match self {
            Rows::OneEach(_) => row..row + 1,
            Rows::Starts(starts) => starts[row] as usize..starts[row + 1] as usize,
        }
    }

    /// All starts and the end of the last row, as numbers.
    pub fn starts(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        (0..self.len() + 1).map(|i| match self {
            Rows::OneEach(_) => i as u32,
            Rows::Starts(starts) => starts[i],
        })
    }

    /// The row that an entry belongs to, by binary search.
    pub fn row_of(&self, entry: usize) -> usize {
        match self {
            Rows::OneEach(_) => entry,
            Rows::Starts(starts) => starts.partition_point(|&s| s as usize <= entry) - 1,
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        match self {
            Rows::OneEach(_) => 0,
            Rows::Starts(starts) => 4 * starts.capacity() as u64,
        }
    }
}
