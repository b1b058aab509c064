//! Sparse factors of an integer matrix modulo a prime.
//!
//! Pivots are diagonal, the next one where elimination makes least fill-in (Markowitz 1957; on a Markov chain this is
//! state elimination with the state first that has the fewest ways in times ways out). A diagonal entry that vanishes
//! modulo the prime is no reason to look for another pivot but for another prime: over the rationals it cannot vanish.
//! The rest at the end is nearly full as a rule, and is eliminated as a full matrix.

use crate::modular::Modulus;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use volvelle_control::{Control, Stop};

/// Entries of the factors beyond which a matrix counts as too dense.
const MOST_ENTRIES: usize = 60_000_000;

/// The rest counts as full where even the shortest row has an entry in one of this many columns.
const FULL: usize = 3;

/// For fewer remaining rows the change does not pay.
const SMALLEST_FULL: usize = 32;

/// Why there are no factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unfit {
    /// A pivot is zero modulo this prime.
    Prime,
    /// Too much fill-in.
    Dense,
    /// A limit was reached.
    Stopped(Stop),
}

/// The steps of an elimination.
pub struct Factors {
    modulus: Modulus,
    /// Pivots, in their order.
    order: Vec<u32>,
    inverse: Vec<u64>,
    /// For each step: rows from which a multiple of the pivot's row is taken, with the multiple.
    lower_start: Vec<usize>,
    lower: Vec<(u32, u64)>,
    /// For each step: the rest of the pivot's row.
    upper_start: Vec<usize>,
    upper: Vec<(u32, u64)>,
}

impl Factors {
    /// Factors of a square matrix given by rows; columns increase within a row.
    pub fn new(
        mut rows: Vec<Vec<(u32, u64)>>,
        modulus: Modulus,
        control: &Control<'_>,
    ) -> Result<Self, Unfit> {
        let n = rows.len();
        // Rows with an entry in each column; may name rows that have lost it.
        let mut columns: Vec<Vec<u32>> = vec![Vec::new(); n];
        for (i, row) in rows.iter().enumerate() {
            for &(j, _) in row {
                columns[j as usize].push(i as u32);
            }
        }
        let cost = |rows: &[Vec<(u32, u64)>], columns: &[Vec<u32>], k: usize| {
            rows[k].len() as u64 * columns[k].len() as u64
        };
        // The least cost under which each state waits.
        let mut waiting: Vec<u64> = (0..n).map(|k| cost(&rows, &columns, k)).collect();
        let mut queue: Queue =
            waiting.iter().enumerate().map(|(k, &cost)| Reverse((cost, k as u32))).collect();
        let mut factors = Factors {
            modulus,
            order: Vec::with_capacity(n),
            inverse: Vec::with_capacity(n),
            lower_start: vec![0],
            lower: Vec::new(),
            upper_start: vec![0],
            upper: Vec::new(),
        };
        let mut done = vec![false; n];
        let mut work = 0usize;
        let mut scratch = Vec::new();
        while let Some(Reverse((known, k))) = queue.pop() {
            let k = k as usize;
            if done[k] {
                continue;
            }
            columns[k].retain(|&i| !done[i as usize]);
            let now = cost(&rows, &columns, k);
            if now > known {
                waiting[k] = now;
                queue.push(Reverse((now, k as u32)));
                continue;
            }
            let left = n - factors.order.len();
            if left >= SMALLEST_FULL && rows[k].len() * FULL >= left {
                let rest: Vec<u32> = (0..n as u32).filter(|&i| !done[i as usize]).collect();
                factors.eliminate_full(&rest, &rows, control)?;
                break;
            }
            done[k] = true;
            let mut pivot_row = std::mem::take(&mut rows[k]);
            let Ok(place) = pivot_row.binary_search_by_key(&(k as u32), |e| e.0) else {
                return Err(Unfit::Prime);
            };
            let (_, pivot) = pivot_row.remove(place);
            if pivot == 0 {
                return Err(Unfit::Prime);
            }
            let inverse = modulus.inverse(pivot);
            for i in std::mem::take(&mut columns[k]) {
                let row = &mut rows[i as usize];
                let Ok(place) = row.binary_search_by_key(&(k as u32), |e| e.0) else { continue };
                let factor = modulus.mul(row.remove(place).1, inverse);
                factors.lower.push((i, factor));
                work += row.len() + pivot_row.len();
                merge(row, &mut scratch, &pivot_row, factor, modulus, |new| columns[new as usize].push(i));
                rewait(i, cost(&rows, &columns, i as usize), &mut waiting, &mut queue);
            }
            for &(j, _) in &pivot_row {
                rewait(j, cost(&rows, &columns, j as usize), &mut waiting, &mut queue);
            }
            factors.order.push(k as u32);
            factors.inverse.push(inverse);
            factors.upper.extend(pivot_row);
            factors.lower_start.push(factors.lower.len());
            factors.upper_start.push(factors.upper.len());
            if factors.entries() > MOST_ENTRIES {
                return Err(Unfit::Dense);
            }
            if work > 1 << 20 {
                work = 0;
                control.check().map_err(Unfit::Stopped)?;
                control.check_memory(16 * factors.entries() as u64).map_err(Unfit::Stopped)?;
            }
        }
        Ok(factors)
    }

    /// Eliminates what is left as a full matrix, in the order given.
    fn eliminate_full(
        &mut self,
        rest: &[u32],
        rows: &[Vec<(u32, u64)>],
        control: &Control<'_>,
    ) -> Result<(), Unfit> {
        let (m, modulus) = (rest.len(), self.modulus);
        if m * m > MOST_ENTRIES {
            return Err(Unfit::Dense);
        }
        control.check_memory(24 * (m * m) as u64).map_err(Unfit::Stopped)?;
        let mut full = vec![0u64; m * m];
        for (i, &row) in rest.iter().enumerate() {
            for &(column, value) in &rows[row as usize] {
                let j = rest.binary_search(&column).map_err(|_| Unfit::Prime)?;
                full[i * m + j] = value;
            }
        }
        for k in 0..m {
            control.check().map_err(Unfit::Stopped)?;
            let (above, below) = full.split_at_mut((k + 1) * m);
            let pivot_row = &above[k * m + k..];
            if pivot_row[0] == 0 {
                return Err(Unfit::Prime);
            }
            let inverse = modulus.inverse(pivot_row[0]);
            for (i, row) in below.chunks_exact_mut(m).enumerate() {
                if row[k] != 0 {
                    let factor = modulus.mul(row[k], inverse);
                    self.lower.push((rest[k + 1 + i], factor));
                    modulus.add_multiple(&mut row[k + 1..], modulus.sub(0, factor), &pivot_row[1..]);
                }
            }
            let upper = pivot_row[1..].iter().zip(&rest[k + 1..]).filter(|(value, _)| **value != 0);
            self.upper.extend(upper.map(|(&value, &column)| (column, value)));
            self.order.push(rest[k]);
            self.inverse.push(inverse);
            self.lower_start.push(self.lower.len());
            self.upper_start.push(self.upper.len());
        }
        Ok(())
    }

    /// Entries of both factors.
    pub fn entries(&self) -> usize {
        self.lower.len() + self.upper.len()
    }

    /// Solves with a right-hand side, in place.
    pub fn solve(&self, x: &mut [u64]) {
        let m = self.modulus;
        for (step, &k) in self.order.iter().enumerate() {
            let value = x[k as usize];
            if value != 0 {
                for &(i, factor) in &self.lower[self.lower_start[step]..self.lower_start[step + 1]] {
                    x[i as usize] = m.sub(x[i as usize], m.mul(factor, value));
                }
            }
        }
        for (step, &k) in self.order.iter().enumerate().rev() {
            let mut value = x[k as usize];
            for &(j, entry) in &self.upper[self.upper_start[step]..self.upper_start[step + 1]] {
                value = m.sub(value, m.mul(entry, x[j as usize]));
            }
            x[k as usize] = m.mul(value, self.inverse[step]);
        }
    }
}

/// States by the cost of eliminating them, least first.
type Queue = BinaryHeap<Reverse<(u64, u32)>>;

/// Lets a state wait under a lower cost; higher ones are noticed when its turn comes.
fn rewait(k: u32, cost: u64, waiting: &mut [u64], queue: &mut Queue) {
    if cost < waiting[k as usize] {
        waiting[k as usize] = cost;
        queue.push(Reverse((cost, k)));
    }
}

/// Computes `row -= factor * other`; returns the columns that are new. `scratch` may hold anything.
fn merge(
    row: &mut Vec<(u32, u64)>,
    scratch: &mut Vec<(u32, u64)>,
    other: &[(u32, u64)],
    factor: u64,
    m: Modulus,
    mut new: impl FnMut(u32),
) {
    std::mem::swap(row, scratch);
    let old = scratch;
    row.clear();
    row.reserve(old.len() + other.len());
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < other.len() {
        let left = old.get(i).map_or(u32::MAX, |e| e.0);
        let right = other.get(j).map_or(u32::MAX, |e| e.0);
        if left < right {
            row.push(old[i]);
            i += 1;
        } else {
            let taken = m.mul(factor, other[j].1);
            if left == right {
                // A zero stays: the pattern is what the columns know.
                row.push((left, m.sub(old[i].1, taken)));
                i += 1;
            } else {
                row.push((right, m.sub(0, taken)));
                new(right);
            }
            j += 1;
        }
    }
}
