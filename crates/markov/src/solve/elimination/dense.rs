//! The dense tail of an elimination.

use volvelle_control::Control;

use super::{Elimination, GiveUp, SMALL};
use crate::rounding::Sum;

/// States that are eliminated from the rows below them in one pass over these.
const BLOCK: usize = 4;

impl Elimination {
    /// Eliminates all of `rest` but the last, densely.
    pub(super) fn reduce_dense(&mut self, rest: &[u32], control: &Control) -> Result<(), GiveUp> {
        let m = rest.len();
        self.dense.clear();
        self.dense.resize(m * m, 0.0);
        self.slot.clear();
        self.slot.resize(self.n, u32::MAX);
        for (at, &s) in rest.iter().enumerate() {
            self.slot[s as usize] = at as u32;
        }
        for (i, &s) in rest.iter().enumerate() {
            for &(j, v) in &self.rows[s as usize] {
                let j = self.slot[j as usize];
                if j != u32::MAX {
                    self.dense[i * m + j as usize] = v;
                }
            }
        }
        self.slot.clear();
        let mut dense = std::mem::take(&mut self.dense);
        for first in (0..m).step_by(BLOCK) {
            let end = (first + BLOCK).min(m);
            let mut smallest = [f64::INFINITY; BLOCK];
            for k in first..end {
                let least = self.begin_dense(&dense[k * m..(k + 1) * m], rest, k)?;
                smallest[k - first] = least;
                let (head, tail) = dense.split_at_mut((k + 1) * m);
                let row_k = &head[k * m..];
                for (i, row_i) in tail.chunks_exact_mut(m).enumerate().take(end - k - 1) {
                    let i = k + 1 + i;
                    let factor = self.factor(row_i[k], rest, k, i);
                    if factor != 0.0 {
                        self.underflow |= factor * least < SMALL;
                        row_i[k + 1..].iter_mut().zip(&row_k[k + 1..]).for_each(|(to, v)| *to += factor * v);
                        // A transition back to the row itself is dropped.
                        row_i[i] = 0.0;
                    }
                }
            }
            let (head, tail) = dense.split_at_mut(end * m);
            let pivots: Vec<&[f64]> = head[first * m..].chunks_exact(m).collect();
            for (i, row_i) in tail.chunks_exact_mut(m).enumerate() {
                let i = end + i;
                let mut factors = [0.0; BLOCK];
                for (at, k) in (first..end).enumerate() {
                    let factor = self.factor(row_i[k], rest, k, i);
                    factors[at] = factor;
                    self.underflow |= factor != 0.0 && factor * smallest[at] < SMALL;
                    for later in k + 1..end {
                        row_i[later] += factor * pivots[at][later];
                    }
                }
                add_rows(&mut row_i[end..], &pivots, end, factors);
                row_i[i] = 0.0;
            }
            if first % 64 == 0 {
                control.check().map_err(GiveUp::Stopped)?;
            }
        }
        self.dense = dense;
        Ok(())
    }

    /// Sums what leaves the state `k` of `rest`, whose row is given; its smallest entry.
    fn begin_dense(&mut self, row: &[f64], rest: &[u32], k: usize) -> Result<f64, GiveUp> {
        let state = rest[k] as usize;
        let mut sum = Sum::default();
        let mut smallest = f64::INFINITY;
        for &v in row[k + 1..].iter().filter(|&&v| v > 0.0) {
            sum.add(v);
            smallest = smallest.min(v);
        }
        sum.add(self.exit[state]);
        self.sums[state] = sum.value();
        // The last one stays.
        if sum.value() <= 0.0 && k + 1 < rest.len() { Err(GiveUp::Closed) } else { Ok(smallest) }
    }

    /// The factor with which the row of the state `k` of `rest` is added to that of the state `i`, which enters it with a weight;
    /// adds what does not stand in the matrix.
    fn factor(&mut self, weight: f64, rest: &[u32], k: usize, i: usize) -> f64 {
        if weight == 0.0 {
            return 0.0;
        }
        let (from, to) = (rest[k] as usize, rest[i] as usize);
        let factor = weight / self.sums[from];
        self.exit[to] += factor * self.exit[from];
        for side in 0..2 {
            self.rhs[to][side] += factor * self.rhs[from][side];
        }
        self.updates += 1;
        factor
    }
}

/// Adds multiples of rows, of which the columns from `first` on count.
fn add_rows(row: &mut [f64], pivots: &[&[f64]], first: usize, factors: [f64; BLOCK]) {
    match pivots {
        [a, b, c, d] if factors.iter().filter(|&&factor| factor != 0.0).count() > 1 => {
            let pivots = a[first..].iter().zip(&b[first..]).zip(c[first..].iter().zip(&d[first..]));
            for (to, ((a, b), (c, d))) in row.iter_mut().zip(pivots) {
                *to += (factors[0] * a + factors[1] * b) + (factors[2] * c + factors[3] * d);
            }
        }
        _ => {
            for (pivot, factor) in pivots.iter().zip(factors).filter(|(_, factor)| *factor != 0.0) {
                row.iter_mut().zip(&pivot[first..]).for_each(|(to, v)| *to += factor * v);
            }
        }
    }
}
