//! A sparse matrix prepared for Gauss–Seidel: each row has the entries left of the diagonal first.
//!
//! With `A = D - P`, where D is a diagonal and `P = L + U` (L left of the diagonal), a forward Gauss–Seidel sweep from zero
//! solves `(D - L) y = x`. Then `A y = x - U y`, so that a sweep and the image of its result read every entry once instead of twice
//! (Eisenstat, SIAM J. Sci. Stat. Comput. 2, 1981).

/// Rows in compressed form, over columns of the same number.
#[derive(Debug)]
pub struct Triangles {
    row_start: Vec<u32>,
    /// Where the entries at and behind the diagonal begin.
    middle: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// Entries of the row being appended that come last.
    behind: Vec<(u32, f64)>,
}

impl Triangles {
    /// No rows yet, with room for some.
    pub fn with_capacity(rows: usize, entries: usize) -> Self {
        let mut row_start = Vec::with_capacity(rows + 1);
        row_start.push(0);
        Triangles {
            row_start,
            middle: Vec::with_capacity(rows),
            columns: Vec::with_capacity(entries),
            values: Vec::with_capacity(entries),
            behind: Vec::new(),
        }
    }

    /// Appends a row: columns and values in any order.
    pub fn push_row(&mut self, entries: impl Iterator<Item = (u32, f64)>) {
        let diagonal = self.middle.len() as u32;
        self.behind.clear();
        for (j, v) in entries {
            if j < diagonal {
                self.columns.push(j);
                self.values.push(v);
            } else {
                self.behind.push((j, v));
            }
        }
        self.middle.push(self.columns.len() as u32);
        self.columns.extend(self.behind.iter().map(|&(j, _)| j));
        self.values.extend(self.behind.iter().map(|&(_, v)| v));
        self.row_start.push(self.columns.len() as u32);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.middle.len()
    }

    /// Number of entries.
    pub fn entries(&self) -> usize {
        self.columns.len()
    }

    /// Multiplies each entry by what the function gives for its row and column.
    pub fn scale(&mut self, factor: impl Fn(usize, usize) -> f64) {
        for i in 0..self.rows() {
            for at in self.row_start[i] as usize..self.row_start[i + 1] as usize {
                self.values[at] *= factor(i, self.columns[at] as usize);
            }
        }
    }

    fn range(&self, range: std::ops::Range<u32>) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = range.start as usize..range.end as usize;
        self.columns[range.clone()].iter().zip(&self.values[range]).map(|(&j, &v)| (j as usize, v))
    }

    /// The entries of a row.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.range(self.row_start[i]..self.row_start[i + 1])
    }

    /// `(D - L) y = x` and `image = (D - P) y`, where `divide(i, v)` is v over the diagonal entry i of D.
    #[inline]
    pub fn sweep(&self, x: &[f64], y: &mut [f64], image: &mut [f64], divide: impl Fn(usize, f64) -> f64) {
        for i in 0..self.rows() {
            let left = self.range(self.row_start[i]..self.middle[i]);
            let sum: f64 = left.map(|(j, v)| v * y[j]).sum();
            y[i] = divide(i, x[i] + sum);
        }
        for i in 0..self.rows() {
            let right = self.range(self.middle[i]..self.row_start[i + 1]);
            image[i] = x[i] - right.map(|(j, v)| v * y[j]).sum::<f64>();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_is_that_of_the_definition() {
        let rows: [&[(u32, f64)]; 4] =
            [&[(0, 0.25), (2, 0.5)], &[(3, 0.125), (0, 0.5)], &[(1, 0.75)], &[(0, 0.1), (3, 0.2), (2, 0.3)]];
        let mut matrix = Triangles::with_capacity(4, 9);
        rows.iter().for_each(|row| matrix.push_row(row.iter().copied()));
        assert_eq!((matrix.rows(), matrix.entries()), (4, 8));
        let diagonal = [1.0, 2.0, 1.5, 1.25];
        let x = [1.0, -2.0, 0.5, 3.0];
        let (mut y, mut image) = ([0.0; 4], [0.0; 4]);
        matrix.sweep(&x, &mut y, &mut image, |i, v| v / diagonal[i]);
        let full = |i: usize| rows[i].iter().map(|&(j, v)| (j as usize, v));
        for i in 0..4 {
            let left: f64 = full(i).filter(|&(j, _)| j < i).map(|(j, v)| v * y[j]).sum();
            assert!((diagonal[i] * y[i] - left - x[i]).abs() < 1e-15);
            let all: f64 = full(i).map(|(j, v)| v * y[j]).sum();
            assert!((image[i] - (diagonal[i] * y[i] - all)).abs() < 1e-14);
            assert_eq!(matrix.row(i).count(), rows[i].len());
        }
    }
}
