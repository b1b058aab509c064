//! The dense tail of an elimination.

use volvelle_control::Control;

use super::{Elimination, GiveUp, SMALL};
use crate::rounding::Sum;

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
        for k in 0..m {
            let (head, tail) = self.dense.split_at_mut((k + 1) * m);
            let row_k = &head[k * m + k + 1..];
            let state = rest[k] as usize;
            let mut sum = Sum::default();
            let mut smallest = f64::INFINITY;
            for &v in row_k {
                if v > 0.0 {
                    sum.add(v);
                    smallest = smallest.min(v);
                }
            }
            sum.add(self.exit[state]);
            let s = sum.value();
            self.sums[state] = s;
            if k + 1 == m {
                break;
            }
            if s <= 0.0 {
                return Err(GiveUp::Closed);
            }
            let (exit_k, rhs_k) = (self.exit[state], self.rhs[state]);
            for (i, row_i) in tail.chunks_exact_mut(m).enumerate() {
                if row_i[k] == 0.0 {
                    continue;
                }
                let factor = row_i[k] / s;
                self.underflow |= factor * smallest < SMALL;
                for (to, from) in row_i[k + 1..].iter_mut().zip(row_k) {
                    *to += factor * from;
                }
                // A transition back to the row itself is dropped.
                row_i[k + 1 + i] = 0.0;
                let target = rest[k + 1 + i] as usize;
                self.exit[target] += factor * exit_k;
                self.rhs[target][0] += factor * rhs_k[0];
                self.rhs[target][1] += factor * rhs_k[1];
                self.updates += 1;
            }
            if k % 64 == 0 {
                control.check().map_err(GiveUp::Stopped)?;
            }
        }
        Ok(())
    }
}
