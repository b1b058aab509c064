//! The dense tail of an elimination.

use volvelle_control::Control;

use super::{Elimination, GiveUp};
use crate::wide::{Number, Total};

/// States that are eliminated from the rows below them in one pass over these.
const BLOCK: usize = 4;

impl<N: Number> Elimination<N> {
    /// Eliminates all of `rest` but the last, densely.
    pub(super) fn reduce_dense(&mut self, rest: &[u32], control: &Control) -> Result<(), GiveUp> {
        let m = rest.len();
        self.dense.clear();
        self.dense.resize(m * m, N::default());
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
            let mut smallest: [Option<N>; BLOCK] = [None; BLOCK];
            for k in first..end {
                let least = self.begin_dense(&dense[k * m..(k + 1) * m], rest, k)?;
                smallest[k - first] = least;
                let (head, tail) = dense.split_at_mut((k + 1) * m);
                let row_k = &head[k * m..];
                for (i, row_i) in tail.chunks_exact_mut(m).enumerate().take(end - k - 1) {
                    let i = k + 1 + i;
                    let factor = self.factor(row_i[k], rest, k, i);
                    if factor != N::default() {
                        self.leaves_range |= least.is_some_and(|least| (factor * least).leaves_range());
                        row_i[k + 1..].iter_mut().zip(&row_k[k + 1..]).for_each(|(to, &v)| *to += factor * v);
                        // A transition back to the row itself is dropped.
                        row_i[i] = N::default();
                    }
                }
            }
            let (head, tail) = dense.split_at_mut(end * m);
            let pivots: Vec<&[N]> = head[first * m..].chunks_exact(m).collect();
            for (i, row_i) in tail.chunks_exact_mut(m).enumerate() {
                let i = end + i;
                let mut factors = [N::default(); BLOCK];
                for (at, k) in (first..end).enumerate() {
                    let factor = self.factor(row_i[k], rest, k, i);
                    factors[at] = factor;
                    self.leaves_range |= factor != N::default()
                        && smallest[at].is_some_and(|least| (factor * least).leaves_range());
                    for later in k + 1..end {
                        row_i[later] += factor * pivots[at][later];
                    }
                }
                add_rows(&mut row_i[end..], &pivots, end, factors);
                row_i[i] = N::default();
            }
            if first % 64 == 0 {
                control.check().map_err(GiveUp::Stopped)?;
            }
        }
        self.dense = dense;
        Ok(())
    }

    /// Sums what leaves the state `k` of `rest`, whose row is given; its smallest entry.
    fn begin_dense(&mut self, row: &[N], rest: &[u32], k: usize) -> Result<Option<N>, GiveUp> {
        let state = rest[k] as usize;
        let mut sum = N::Total::default();
        let mut smallest: Option<N> = None;
        for &v in row[k + 1..].iter().filter(|&&v| v > N::default()) {
            sum.add(v);
            smallest = Some(smallest.map_or(v, |smallest| if v < smallest { v } else { smallest }));
        }
        sum.add(self.exit[state]);
        let sum = sum.value();
        self.sums[state] = sum;
        // The last one stays.
        let is_last = k + 1 == rest.len();
        self.leaves_range |= !is_last && sum.leaves_range();
        if sum <= N::default() && !is_last { Err(GiveUp::Closed) } else { Ok(smallest) }
    }

    /// The factor with which the row of the state `k` of `rest` is added to that of the state `i`, which enters it with a weight;
    /// adds what does not stand in the matrix.
    fn factor(&mut self, weight: N, rest: &[u32], k: usize, i: usize) -> N {
        if weight == N::default() {
            return weight;
        }
        let (from, to) = (rest[k] as usize, rest[i] as usize);
        let factor = weight / self.sums[from];
        self.add_sides(factor, from, to);
        self.updates += 1;
        factor
    }
}

/// Adds multiples of rows, of which the columns from `first` on count.
fn add_rows<N: Number>(row: &mut [N], pivots: &[&[N]], first: usize, factors: [N; BLOCK]) {
    match pivots {
        [a, b, c, d] if factors.iter().filter(|&&factor| factor != N::default()).count() > 1 => {
            let pivots = a[first..].iter().zip(&b[first..]).zip(c[first..].iter().zip(&d[first..]));
            for (to, ((&a, &b), (&c, &d))) in row.iter_mut().zip(pivots) {
                *to += (factors[0] * a + factors[1] * b) + (factors[2] * c + factors[3] * d);
            }
        }
        _ => {
            for (pivot, factor) in pivots.iter().zip(factors).filter(|(_, factor)| *factor != N::default()) {
                row.iter_mut().zip(&pivot[first..]).for_each(|(to, &v)| *to += factor * v);
            }
        }
    }
}
