//! State elimination: the direct solver for Markov chains.
//!
//! In: rows `s_i x_i = b_i + sum_j p_ij x_j` with `p_ij >= 0`, `s_i = e_i + sum_j p_ij` (`j != i`), where
//! `e_i >= 0` is the weight of leaving and `b_i >= 0` a pair of right-hand sides (a lower and an upper
//! one, or reward and time). Out: x, or for a closed chain (all `e_i = 0`) the quotient of the two
//! right-hand sides, which is a long-run average; and a rigorous bound of the relative error.
//!
//! This is Gaussian elimination in the form of Grassmann, Taksar and Heyman (Oper. Res. 33, 1985): the
//! diagonal is never formed by subtraction but is the sum of what leaves, so only non-negative numbers
//! are added, multiplied and divided, and the result is accurate to nearly all digits however badly the
//! chain mixes. Removing state k adds `p_ik / s_k` times row k to each row i that enters k.
//!
//! *Error bound.* The computed rows are the exact ones with every entry off by a relative `STEP`. By the
//! perturbation theorem in [`crate::rounding`] this moves the solution by a factor
//! `((1 + STEP) / (1 - STEP))^(rows touched)`. So the relative error is at most about
//! `2 STEP * (row updates in all)`, counted at run time, plus the error of substituting back.
//! (O'Cinneide's bound of order n^3 U, with sparsity and compensated sums taken into account.)
//!
//! Small systems are dense. Others go by lists of rows, next the state with the fewest (entering x
//! leaving) edges (Markowitz), until what is left is dense enough for a dense tail. A work limit makes
//! it give up where fill-in is too much. Where numbers leave the range of doubles (weights far below 1e-250)
//! the result has no error bound, but is still a good guess for a solver that verifies.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use volvelle_control::{Control, Stop};

use crate::rounding::{INPUT, SUM_ERROR, Sum, U};

/// Relative error of the entries of an updated row: sum, division, product, addition.
const STEP: f64 = SUM_ERROR + 3.0 * U;

/// Smaller products of entries are left out, and the result loses its error bound.
const SMALL: f64 = 1e-250;

/// Up to this many states elimination is dense from the start.
const DENSE: usize = 48;

/// Largest dense tail.
const DENSE_TAIL: usize = 3000;

/// Why elimination gave up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GiveUp {
    /// More work than allowed.
    Work,
    /// A state cannot leave (an improper policy).
    Closed,
    /// Told to stop.
    Stopped(Stop),
}

/// The solver; keeps its buffers from one system to the next.
#[derive(Debug, Default)]
pub struct Elimination {
    n: usize,
    rows: Vec<Vec<(u32, f64)>>,
    entering: Vec<Vec<u32>>,
    indegree: Vec<u32>,
    exit: Vec<f64>,
    rhs: Vec<[f64; 2]>,
    sums: Vec<f64>,
    dense: Vec<f64>,
    slot: Vec<u32>,
    x: Vec<[f64; 2]>,
    updates: u64,
    work: u64,
    underflow: bool,
}

impl Elimination {
    /// Starts a system of `n` states.
    pub fn begin(&mut self, n: usize) {
        self.n = n;
        for row in self.rows.iter_mut().take(n) {
            row.clear();
        }
        if self.rows.len() < n {
            self.rows.resize_with(n, Vec::new);
        }
        self.exit.clear();
        self.rhs.clear();
        self.updates = 0;
        self.work = 0;
        self.underflow = false;
    }

    /// Adds the next row. Entries on the diagonal are ignored; columns may repeat.
    pub fn row(&mut self, entries: impl Iterator<Item = (u32, f64)>, exit: f64, rhs: [f64; 2]) {
        let i = self.exit.len();
        debug_assert!(i < self.n);
        let row = &mut self.rows[i];
        row.extend(entries.filter(|&(j, v)| j as usize != i && v > 0.0));
        if !row.is_sorted_by(|a, b| a.0 < b.0) {
            row.sort_unstable_by_key(|e| e.0);
            row.dedup_by(|from, into| {
                let same = from.0 == into.0;
                if same {
                    into.1 += from.1;
                }
                same
            });
        }
        self.exit.push(exit);
        self.rhs.push(rhs);
    }

    /// Solves for x; the relative error bound covers rounding and the error of the input. It is infinite where
    /// numbers left the range of doubles: x is but a guess then.
    pub fn solve(&mut self, work: u64, control: &Control) -> Result<(&[[f64; 2]], f64), GiveUp> {
        let order = self.reduce(work, control)?;
        let rest = self.rest(&order);
        let last = rest.last().map_or(0, |&s| s as usize);
        let s = self.sums[last];
        if s <= 0.0 {
            return Err(GiveUp::Closed);
        }
        let error = self.substitute(&order, &rest, self.rhs[last].map(|b| b / s));
        let error = if self.underflow { f64::INFINITY } else { error + self.reduction_error() };
        Ok((&self.x, error))
    }

    /// For a closed irreducible chain: the quotient of the long-run averages of the two right-hand sides, its
    /// relative error (infinite as in [`Elimination::solve`]), and for every state the two sums until the state
    /// of the last row is reached.
    pub fn ratio(&mut self, work: u64, control: &Control) -> Result<(f64, f64, &[[f64; 2]]), GiveUp> {
        let order = self.reduce(work, control)?;
        let rest = self.rest(&order);
        let last = rest.last().map_or(0, |&s| s as usize);
        let [up, down] = self.rhs[last];
        if down <= 0.0 {
            return Err(GiveUp::Closed);
        }
        self.substitute(&order, &rest, [0.0; 2]);
        let error = if self.underflow { f64::INFINITY } else { 2.0 * self.reduction_error() + U };
        Ok((up / down, error, &self.x))
    }

    /// Substitutes back from the value of the last state; the relative error that this adds.
    fn substitute(&mut self, order: &[u32], rest: &[u32], last: [f64; 2]) -> f64 {
        let m = rest.len();
        self.x.clear();
        self.x.resize(self.n, [0.0; 2]);
        let mut error = SUM_ERROR + U;
        if let Some(&state) = rest.last() {
            self.x[state as usize] = last;
        }
        for k in (0..m.saturating_sub(1)).rev() {
            let state = rest[k] as usize;
            let mut sum = self.rhs[state];
            for (&v, &j) in self.dense[k * m..(k + 1) * m].iter().zip(rest).skip(k + 1) {
                let x = self.x[j as usize];
                sum[0] += v * x[0];
                sum[1] += v * x[1];
            }
            self.x[state] = sum.map(|b| b / self.sums[state]);
            error += SUM_ERROR + (m - k + 3) as f64 * U;
        }
        // Errors of states eliminated by lists add up along the longest chain only.
        let mut chain = vec![error; if order.is_empty() { 0 } else { self.n }];
        for &k in order.iter().rev() {
            let k = k as usize;
            let mut sum = self.rhs[k];
            let mut worst = error;
            for &(j, v) in &self.rows[k] {
                let x = self.x[j as usize];
                sum[0] += v * x[0];
                sum[1] += v * x[1];
                worst = worst.max(chain[j as usize]);
            }
            self.x[k] = sum.map(|b| b / self.sums[k]);
            chain[k] = worst + SUM_ERROR + (self.rows[k].len() + 3) as f64 * U;
        }
        chain.into_iter().fold(error, f64::max)
    }

    fn reduction_error(&self) -> f64 {
        2.0 * STEP * self.updates as f64 + 2.0 * self.n as f64 * (INPUT + 2.0 * U)
    }

    /// States that were not eliminated by lists, in order.
    fn rest(&self, order: &[u32]) -> Vec<u32> {
        let mut gone = vec![false; self.n];
        for &k in order {
            gone[k as usize] = true;
        }
        (0..self.n as u32).filter(|&s| !gone[s as usize]).collect()
    }

    /// Eliminates all states but that of the last row; returns those eliminated by lists, in order. The others are
    /// in `dense`, eliminated in order of their numbers.
    fn reduce(&mut self, limit: u64, control: &Control) -> Result<Vec<u32>, GiveUp> {
        debug_assert_eq!(self.exit.len(), self.n);
        self.sums.clear();
        self.sums.resize(self.n, 0.0);
        let mut order = Vec::new();
        if self.n > DENSE {
            self.reduce_sparse(limit, control, &mut order)?;
        }
        let rest = self.rest(&order);
        self.reduce_dense(&rest, control)?;
        Ok(order)
    }

    fn reduce_sparse(&mut self, limit: u64, control: &Control, order: &mut Vec<u32>) -> Result<(), GiveUp> {
        let n = self.n;
        for column in self.entering.iter_mut().take(n) {
            column.clear();
        }
        if self.entering.len() < n {
            self.entering.resize_with(n, Vec::new);
        }
        self.indegree.clear();
        self.indegree.resize(n, 0);
        self.slot.clear();
        self.slot.resize(n, 0);
        let mut entries = 0u64;
        for i in 0..n {
            for &(j, _) in &self.rows[i] {
                self.entering[j as usize].push(i as u32);
                self.indegree[j as usize] += 1;
            }
            entries += self.rows[i].len() as u64;
        }
        let cost = |indegree: u32, outdegree: usize| u64::from(indegree) * outdegree as u64;
        let mut heap: BinaryHeap<Reverse<(u64, u32)>> =
            (0..n).map(|s| Reverse((cost(self.indegree[s], self.rows[s].len()), s as u32))).collect();
        let mut gone = vec![false; n];
        let mut left = n;
        let mut since_check = 0u64;
        // The last row in which each entry of the eliminated row was met.
        let mut met: Vec<u32> = Vec::new();
        while left > DENSE {
            if left <= DENSE_TAIL && entries * 4 > (left * left) as u64 {
                let dense_work = (left as u64).pow(3) / 3;
                return if self.work + dense_work / 8 > limit { Err(GiveUp::Work) } else { Ok(()) };
            }
            let Some(Reverse((key, k))) = heap.pop() else { break };
            let k = k as usize;
            if gone[k] || k + 1 == n || key != cost(self.indegree[k], self.rows[k].len()) {
                continue;
            }
            // Costs grow: what is left will take at least about as much per state as this one.
            if self.work + key.saturating_mul(left as u64) > limit.saturating_mul(2) && left > DENSE_TAIL {
                return Err(GiveUp::Work);
            }
            let row_k = std::mem::take(&mut self.rows[k]);
            let mut sum = Sum::default();
            let mut smallest = f64::INFINITY;
            for &(_, v) in &row_k {
                sum.add(v);
                smallest = smallest.min(v);
            }
            sum.add(self.exit[k]);
            let s = sum.value();
            if s <= 0.0 {
                return Err(GiveUp::Closed);
            }
            self.sums[k] = s;
            let (exit_k, rhs_k) = (self.exit[k], self.rhs[k]);
            let entering = std::mem::take(&mut self.entering[k]);
            for (at, &(j, _)) in row_k.iter().enumerate() {
                self.slot[j as usize] = at as u32 + 1;
            }
            met.clear();
            met.resize(row_k.len(), u32::MAX);
            for &i in &entering {
                let i = i as usize;
                if gone[i] {
                    continue;
                }
                let row_i = &mut self.rows[i];
                let Some(at) = row_i.iter().position(|e| e.0 as usize == k) else { continue };
                let factor = row_i.swap_remove(at).1 / s;
                let safe = factor * smallest >= SMALL;
                self.underflow |= !safe;
                for (j, v) in row_i.iter_mut() {
                    let at = self.slot[*j as usize];
                    if at != 0 {
                        *v += factor * row_k[at as usize - 1].1;
                        met[at as usize - 1] = i as u32;
                    }
                }
                for (&(j, v), &met) in row_k.iter().zip(&met) {
                    if met != i as u32 && j as usize != i && (safe || factor * v >= SMALL) {
                        row_i.push((j, factor * v));
                        self.entering[j as usize].push(i as u32);
                        self.indegree[j as usize] += 1;
                        entries += 1;
                    }
                }
                entries -= 1;
                self.exit[i] += factor * exit_k;
                self.rhs[i][0] += factor * rhs_k[0];
                self.rhs[i][1] += factor * rhs_k[1];
                self.updates += 1;
                self.work += (row_i.len() + row_k.len()) as u64;
                since_check += (row_i.len() + row_k.len()) as u64;
                heap.push(Reverse((cost(self.indegree[i], row_i.len()), i as u32)));
            }
            for &(j, _) in &row_k {
                self.slot[j as usize] = 0;
            }
            gone[k] = true;
            left -= 1;
            entries -= row_k.len() as u64;
            for &(j, _) in &row_k {
                let j = j as usize;
                self.indegree[j] -= 1;
                heap.push(Reverse((cost(self.indegree[j], self.rows[j].len()), j as u32)));
            }
            self.rows[k] = row_k;
            order.push(k as u32);
            if self.work > limit {
                return Err(GiveUp::Work);
            }
            if since_check > 10_000_000 {
                since_check = 0;
                control.check().map_err(GiveUp::Stopped)?;
                control.check_memory(40 * entries).map_err(GiveUp::Stopped)?;
            }
        }
        Ok(())
    }

    /// Eliminates all of `rest` but the last, densely.
    fn reduce_dense(&mut self, rest: &[u32], control: &Control) -> Result<(), GiveUp> {
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
                // What came back to the row itself is no transition.
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
