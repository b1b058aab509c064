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
//! Small systems are dense. In others deterministic chains are contracted; what is left goes in a band where it is like a line, else by
//! lists of rows, next the state with the fewest (entering x leaving) edges (Markowitz), until it is dense enough for a dense tail. A work limit makes
//! it give up where fill-in is too much. Where doubles come near the ends of their range (weights below 1e-250, say)
//! the result has no error bound, but is often a good guess for a solver that verifies. The same elimination with [`Wide`](crate::wide::Wide)
//! numbers takes several times as long, and has its error bound in any case.

mod band;
mod contract;
mod dense;
mod dissection;
mod growth;
mod sparse;

use volvelle_control::{Control, Stop};

use crate::rounding::{INPUT, SUM_ERROR, U};
use crate::wide::Number;

/// Relative error of the entries of an updated row: sum, division, product, addition.
const STEP: f64 = SUM_ERROR + 3.0 * U;

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
pub struct Elimination<N: Number = f64> {
    n: usize,
    rows: Vec<Vec<(u32, N)>>,
    entering: Vec<Vec<u32>>,
    indegree: Vec<u32>,
    exit: Vec<N>,
    rhs: Vec<[N; 2]>,
    sums: Vec<N>,
    dense: Vec<N>,
    slot: Vec<u32>,
    gone: Vec<bool>,
    queued: Vec<u64>,
    dissects: bool,
    x: Vec<[N; 2]>,
    updates: u64,
    work: u64,
    /// Numbers came near the ends of the range of doubles.
    leaves_range: bool,
}

impl<N: Number> Elimination<N> {
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
        self.leaves_range = false;
        self.dissects = false;
    }

    /// Takes the states of a large system in the order of nested [dissection]: better where the graph is like a grid.
    pub fn dissect(&mut self) {
        self.dissects = true;
    }

    /// Adds the next row. Entries on the diagonal are ignored; columns may repeat.
    pub fn row(&mut self, entries: impl Iterator<Item = (u32, N)>, exit: N, rhs: [N; 2]) {
        let i = self.exit.len();
        debug_assert!(i < self.n);
        let row = &mut self.rows[i];
        row.extend(entries.filter(|&(j, v)| j as usize != i && v > N::default()));
        merge(row);
        self.exit.push(exit);
        self.rhs.push(rhs);
    }

    /// Work done since the system was started.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Solves for x; the relative error bound covers rounding and the error of the input. It is infinite where
    /// numbers left the range of doubles: x is but a guess then.
    pub fn solve(&mut self, work: u64, control: &Control) -> Result<(&[[N; 2]], f64), GiveUp> {
        let order = self.reduce(work, control)?;
        let rest = self.rest();
        let last = rest.last().map_or(0, |&s| s as usize);
        let s = self.sums[last];
        if s <= N::default() {
            return Err(GiveUp::Closed);
        }
        self.leaves_range |= s.leaves_range();
        let error = self.substitute(&order, &rest, self.rhs[last].map(|b| b / s));
        let error = if self.leaves_range { f64::INFINITY } else { error + self.reduction_error() };
        Ok((&self.x, error))
    }

    /// For a closed irreducible chain: the quotient of the long-run averages of the two right-hand sides, its
    /// relative error (infinite as in [`Elimination::solve`]), and for every state the two sums until the state
    /// of the last row is reached.
    pub fn ratio(&mut self, work: u64, control: &Control) -> Result<(N, f64, &[[N; 2]]), GiveUp> {
        let order = self.reduce(work, control)?;
        let rest = self.rest();
        let last = rest.last().map_or(0, |&s| s as usize);
        let [up, down] = self.rhs[last];
        if down <= N::default() {
            return Err(GiveUp::Closed);
        }
        self.substitute(&order, &rest, [N::default(); 2]);
        let is_lost = |sum: N| sum > N::default() && sum.leaves_range();
        self.leaves_range |= is_lost(up) || down.leaves_range();
        let error = if self.leaves_range { f64::INFINITY } else { 2.0 * self.reduction_error() + U };
        Ok((up / down, error, &self.x))
    }

    /// What the last system was solved by.
    pub fn solution(&self) -> &[[N; 2]] {
        &self.x
    }

    /// Substitutes back from the value of the last state; the relative error that this adds.
    fn substitute(&mut self, order: &[u32], rest: &[u32], last: [N; 2]) -> f64 {
        let m = rest.len();
        self.x.clear();
        self.x.resize(self.n, [N::default(); 2]);
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

    /// Adds a multiple of row `from` to row `to`, but for its entries.
    #[inline]
    fn add_sides(&mut self, factor: N, from: usize, to: usize) {
        self.leaves_range |= factor.leaves_range();
        if self.exit[from] > N::default() {
            let more = factor * self.exit[from];
            self.leaves_range |= more.leaves_range();
            self.exit[to] += more;
        }
        for side in 0..2 {
            let amount = self.rhs[from][side];
            if amount > N::default() {
                let more = factor * amount;
                self.leaves_range |= more.leaves_range();
                self.rhs[to][side] += more;
            }
        }
    }

    fn reduction_error(&self) -> f64 {
        2.0 * STEP * self.updates as f64 + 2.0 * self.n as f64 * (INPUT + 2.0 * U)
    }

    /// States that were not eliminated by lists, in order.
    fn rest(&self) -> Vec<u32> {
        (0..self.n as u32).filter(|&s| !self.gone[s as usize]).collect()
    }

    /// Eliminates all states but that of the last row; returns those eliminated by lists, in order. The others are
    /// in `dense`, eliminated in order of their numbers.
    fn reduce(&mut self, limit: u64, control: &Control) -> Result<Vec<u32>, GiveUp> {
        debug_assert_eq!(self.exit.len(), self.n);
        self.sums.clear();
        self.sums.resize(self.n, N::default());
        let mut order = Vec::new();
        self.gone.clear();
        self.gone.resize(self.n, false);
        if self.n > DENSE {
            self.contract(&mut order);
            self.reduce_band(limit, control, &mut order)?;
            if order.len() + 1 < self.n {
                self.reduce_sparse(limit, control, &mut order)?;
            }
        }
        let rest = self.rest();
        self.reduce_dense(&rest, control)?;
        Ok(order)
    }
}

/// Number of entries from which on the fill-in is estimated before an elimination is tried.
const LARGE: usize = 300_000;

/// Whether eliminating a large system may be cheap. Taking out a state costs (entering x leaving) edges, and what that
/// is at the start decides mostly: lines and grids of two dimensions pass, of three do not. Small systems all pass.
/// `columns` are those of all entries, row by row, below `n`; a row without its diagonal has `degree` of them.
pub fn predicts_little_fill_in(
    n: usize,
    entries: usize,
    columns: impl Iterator<Item = u32>,
    degree: impl Fn(usize) -> usize,
) -> bool {
    if entries < LARGE {
        return true;
    }
    let mut entering = vec![0u32; n];
    columns.for_each(|j| entering[j as usize] += 1);
    let costs: u64 = entering.iter().enumerate().map(|(s, &k)| u64::from(k) * degree(s) as u64).sum();
    costs <= 4 * entries as u64
}

/// Sorts the entries of a row by column and adds those of the same column.
fn merge<N: Number>(row: &mut Vec<(u32, N)>) {
    if row.is_sorted_by(|a, b| a.0 < b.0) {
        return;
    }
    row.sort_unstable_by_key(|e| e.0);
    row.dedup_by(|from, into| {
        let same = from.0 == into.0;
        if same {
            into.1 += from.1;
        }
        same
    });
}
