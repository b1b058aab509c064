//! A matrix of bits: a set of small numbers for each row, in one array.

/// Rows of bits, all of the same length, zero at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitMatrix {
    words: Vec<u64>,
    words_per_row: usize,
}

impl BitMatrix {
    /// Words that a row of that many columns takes.
    pub fn words_per_row(columns: usize) -> usize {
        columns.div_ceil(64).max(1)
    }

    /// A matrix of zeros.
    pub fn new(rows: usize, columns: usize) -> Self {
        let words_per_row = Self::words_per_row(columns);
        BitMatrix { words: vec![0; rows * words_per_row], words_per_row }
    }

    /// Whether a bit is set.
    #[inline]
    pub fn contains(&self, row: usize, column: usize) -> bool {
        self.words[row * self.words_per_row + column / 64] >> (column % 64) & 1 != 0
    }

    /// Sets a bit.
    #[inline]
    pub fn insert(&mut self, row: usize, column: usize) {
        self.words[row * self.words_per_row + column / 64] |= 1 << (column % 64);
    }

    /// Sets the bits of one row that another row has; returns whether that changed it.
    pub fn unite_rows(&mut self, row: usize, other: usize) -> bool {
        let (at, from) = (row * self.words_per_row, other * self.words_per_row);
        let mut changed = false;
        for word in 0..self.words_per_row {
            let new = self.words[at + word] | self.words[from + word];
            changed |= new != self.words[at + word];
            self.words[at + word] = new;
        }
        changed
    }

    /// The columns whose bits are set in a row, in increasing order.
    pub fn row(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let words = &self.words[row * self.words_per_row..][..self.words_per_row];
        words.iter().enumerate().flat_map(|(i, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| {
                let rest = w & (w - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |w| 64 * i + w.trailing_zeros() as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::BitMatrix;
    use std::collections::BTreeSet;
    use volvelle_random::Random;

    #[test]
    fn rows_agree_with_ordered_sets() {
        let mut random = Random(5);
        for columns in [1, 63, 64, 130] {
            let mut matrix = BitMatrix::new(4, columns);
            let mut model = vec![BTreeSet::new(); 4];
            for _ in 0..3 * columns {
                let (row, column) = (random.below(4), random.below(columns));
                if random.one_in(20) {
                    let other = random.below(4);
                    let united = &model[row] | &model[other];
                    assert_eq!(matrix.unite_rows(row, other), united != model[row]);
                    model[row] = united;
                } else {
                    matrix.insert(row, column);
                    model[row].insert(column);
                }
            }
            for (row, model) in model.iter().enumerate() {
                assert!(matrix.row(row).eq(model.iter().copied()));
                assert!((0..columns).all(|column| matrix.contains(row, column) == model.contains(&column)));
            }
        }
    }
}
