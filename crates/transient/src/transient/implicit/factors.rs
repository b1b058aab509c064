//! Triangular factors, complete or not, of `I - step Q` for a generator Q, without a subtraction.
//!
//! The matrix is an M-matrix with known row sums, `1 + step times what leaves`. Elimination keeps the entries off the
//! diagonal and the row sums, all of one sign, and forms the diagonal from them (Grassmann, Taksar and Heyman, Oper. Res.
//! 33, 1985), so that the factors are accurate to nearly all digits whatever the step. Where the fill-in goes is found
//! once, for a symmetric pattern ([`Pattern`]); numbers follow for each step ([`Factors`]).
//!
//! Incomplete factors have entries only where the matrix has. What is left out counts as a way back to the row, so that row sums
//! stay what they are (I. Gustafsson, *A class of first order factorization methods*, BIT 18, 1978): vectors that vary
//! slowly, with which iterations have most trouble, are solved for nearly exactly.

use volvelle_control::{Control, Stop};

use super::generator::Generator;
use super::ordering::minimum_degree;

/// Order of elimination, and the places of all entries of the factors.
#[derive(Debug)]
pub struct Pattern {
    /// The row that comes at each place of the order.
    order: Vec<u32>,
    /// The place of each row.
    place: Vec<u32>,
    /// Columns above the diagonal, by row, as places.
    upper_start: Vec<u64>,
    upper: Vec<u32>,
    /// Columns below the diagonal, by row, ascending, as places.
    lower_start: Vec<u64>,
    lower: Vec<u32>,
    /// Multiplications of one factorisation.
    pub work: f64,
    /// Whether nothing is left out.
    pub is_complete: bool,
}

/// The factors for one step.
#[derive(Debug)]
pub struct Factors {
    upper: Vec<f64>,
    lower: Vec<f64>,
    pivots: Vec<f64>,
}

impl Pattern {
    /// The pattern for a generator; `None` where a factorisation would take more than `most_work` multiplications, or its
    /// factors more than `most_entries` entries.
    pub fn new(generator: &Generator, most_work: f64, most_entries: u64) -> Option<Self> {
        let graph = graph(generator);
        // Degrees are bounds from above, and merged vertices count once each: twice the limit is beyond doubt.
        let order = minimum_degree(graph.clone(), 2.0 * most_work, 2.0 * most_entries as f64)?;
        let first = Rows::new(&graph, &order, most_work, most_entries)?;
        // Another order with the same entries, in which rows that work on one another are near.
        let order: Vec<u32> = first.postorder().into_iter().map(|p| order[p as usize]).collect();
        drop(first);
        let rows = Rows::new(&graph, &order, most_work, most_entries)?;
        Some(Pattern::of(order, rows, true))
    }

    /// The pattern of incomplete factors, in the order of the states.
    pub fn incomplete(generator: &Generator) -> Self {
        let order: Vec<u32> = (0..generator.len() as u32).collect();
        let graph = graph(generator);
        let mut rows = Rows { start: vec![0], columns: Vec::new(), parent: Vec::new(), work: 0.0 };
        for (k, list) in graph.iter().enumerate() {
            rows.columns.extend(list.iter().copied().filter(|&j| j as usize > k));
            rows.start.push(rows.columns.len() as u64);
            let count = (rows.columns.len() as u64 - rows.start[k]) as f64;
            rows.work += count * count;
        }
        Pattern::of(order, rows, false)
    }

    fn of(order: Vec<u32>, rows: Rows, is_complete: bool) -> Self {
        let n = order.len();
        let Rows { start: upper_start, columns: upper, work, .. } = rows;
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(p, &i)| place[i as usize] = p as u32);
        let mut lower_start = vec![0u64; n + 1];
        upper.iter().for_each(|&j| lower_start[j as usize + 1] += 1);
        (0..n).for_each(|i| lower_start[i + 1] += lower_start[i]);
        let mut next = lower_start.clone();
        let mut lower = vec![0; upper.len()];
        for k in 0..n {
            for &j in &upper[upper_start[k] as usize..upper_start[k + 1] as usize] {
                lower[next[j as usize] as usize] = k as u32;
                next[j as usize] += 1;
            }
        }
        Pattern { order, place, upper_start, upper, lower_start, lower, work, is_complete }
    }

    /// Entries of both factors off the diagonal.
    pub fn entries(&self) -> usize {
        self.upper.len() + self.lower.len()
    }

    fn range(start: &[u64], row: usize) -> std::ops::Range<usize> {
        start[row] as usize..start[row + 1] as usize
    }

    /// The factors of `I - step Q`.
    pub fn factors(&self, generator: &Generator, step: f64, control: &Control) -> Result<Factors, Stop> {
        let n = self.order.len();
        let mut factors = Factors {
            upper: vec![0.0; self.upper.len()],
            lower: vec![0.0; self.lower.len()],
            pivots: vec![1.0; n],
        };
        let mut excess = vec![0.0; n];
        let mut row = vec![0.0; n];
        let mut since_check = 0;
        // The last row that has an entry in each column.
        let mut mark = vec![u32::MAX; if self.is_complete { 0 } else { n }];
        for i in 0..n {
            let state = self.order[i] as usize;
            for (j, rate) in generator.row(state) {
                row[self.place[j as usize] as usize] += step * rate;
            }
            if !self.is_complete {
                let below = &self.lower[Self::range(&self.lower_start, i)];
                let above = &self.upper[Self::range(&self.upper_start, i)];
                below.iter().chain(above).for_each(|&j| mark[j as usize] = i as u32);
            }
            let mut left = 1.0 + step * generator.leaving(state);
            for at in Self::range(&self.lower_start, i) {
                let k = self.lower[at] as usize;
                let weight = std::mem::take(&mut row[k]);
                if weight == 0.0 {
                    continue;
                }
                let factor = weight / factors.pivots[k];
                factors.lower[at] = factor;
                let range = Self::range(&self.upper_start, k);
                since_check += range.len();
                let entries = self.upper[range.clone()].iter().zip(&factors.upper[range]);
                match self.is_complete {
                    true => entries.for_each(|(&j, &v)| row[j as usize] += factor * v),
                    false => entries
                        .filter(|&(&j, _)| mark[j as usize] == i as u32)
                        .for_each(|(&j, &v)| row[j as usize] += factor * v),
                }
                left += factor * excess[k];
            }
            // The way back to the row itself is dropped.
            row[i] = 0.0;
            let mut sum = 0.0;
            for at in Self::range(&self.upper_start, i) {
                let value = std::mem::take(&mut row[self.upper[at] as usize]);
                factors.upper[at] = value;
                sum += value;
            }
            excess[i] = left;
            factors.pivots[i] = left + sum;
            if since_check > 20_000_000 {
                since_check = 0;
                control.check()?;
            }
        }
        Ok(factors)
    }

    /// `x = (I - step Q)^-1 b`, up to rounding; `buffer` is overwritten.
    pub fn solve(&self, factors: &Factors, b: &[f64], x: &mut [f64], buffer: &mut Vec<f64>) {
        let n = self.order.len();
        buffer.clear();
        for i in 0..n {
            let range = Self::range(&self.lower_start, i);
            let terms = self.lower[range.clone()].iter().zip(&factors.lower[range]);
            let sum = terms.fold(b[self.order[i] as usize], |sum, (&k, &v)| sum + v * buffer[k as usize]);
            buffer.push(sum);
        }
        for i in (0..n).rev() {
            let range = Self::range(&self.upper_start, i);
            let terms = self.upper[range.clone()].iter().zip(&factors.upper[range]);
            let sum = terms.fold(buffer[i], |sum, (&j, &v)| sum + v * buffer[j as usize]);
            let value = sum / factors.pivots[i];
            buffer[i] = value;
            x[self.order[i] as usize] = value;
        }
    }
}

/// The neighbours of each state, in increasing order.
fn graph(generator: &Generator) -> Vec<Vec<u32>> {
    let mut graph = vec![Vec::new(); generator.len()];
    for i in 0..generator.len() {
        for (j, _) in generator.row(i) {
            graph[i].push(j);
            graph[j as usize].push(i as u32);
        }
    }
    for list in &mut graph {
        list.sort_unstable();
        list.dedup();
    }
    graph
}

/// Columns above the diagonal after elimination in an order, as places.
struct Rows {
    start: Vec<u64>,
    columns: Vec<u32>,
    /// The first column of each row, its parent in the elimination tree; `u32::MAX` for none.
    parent: Vec<u32>,
    work: f64,
}

impl Rows {
    fn new(graph: &[Vec<u32>], order: &[u32], most_work: f64, most_entries: u64) -> Option<Self> {
        let n = order.len();
        let mut place = vec![0u32; n];
        order.iter().enumerate().for_each(|(p, &i)| place[i as usize] = p as u32);
        let mut rows = Rows { start: vec![0], columns: Vec::new(), parent: vec![u32::MAX; n], work: 0.0 };
        let mut mark = vec![u32::MAX; n];
        // Children of a row in the elimination tree, as a linked list.
        let (mut child, mut sibling) = (vec![u32::MAX; n], vec![u32::MAX; n]);
        for k in 0..n {
            let begin = rows.columns.len();
            mark[k] = k as u32;
            for &j in &graph[order[k] as usize] {
                let j = place[j as usize];
                if j > k as u32 && mark[j as usize] != k as u32 {
                    mark[j as usize] = k as u32;
                    rows.columns.push(j);
                }
            }
            let mut c = child[k];
            while c != u32::MAX {
                for at in rows.start[c as usize] as usize..rows.start[c as usize + 1] as usize {
                    let j = rows.columns[at];
                    if mark[j as usize] != k as u32 {
                        mark[j as usize] = k as u32;
                        rows.columns.push(j);
                    }
                }
                c = sibling[c as usize];
            }
            rows.columns[begin..].sort_unstable();
            if let Some(&parent) = rows.columns.get(begin) {
                rows.parent[k] = parent;
                sibling[k] = child[parent as usize];
                child[parent as usize] = k as u32;
            }
            let count = (rows.columns.len() - begin) as f64;
            rows.work += count * count;
            rows.start.push(rows.columns.len() as u64);
            if rows.work > most_work || rows.columns.len() as u64 > most_entries {
                return None;
            }
        }
        Some(rows)
    }

    /// The rows, each after all those below it in the elimination tree.
    fn postorder(&self) -> Vec<u32> {
        let n = self.parent.len();
        let (mut child, mut sibling) = (vec![u32::MAX; n], vec![u32::MAX; n]);
        for k in (0..n).rev() {
            if self.parent[k] != u32::MAX {
                sibling[k] = child[self.parent[k] as usize];
                child[self.parent[k] as usize] = k as u32;
            }
        }
        let mut order = Vec::with_capacity(n);
        for root in (0..n).filter(|&k| self.parent[k] == u32::MAX) {
            let mut stack = vec![root as u32];
            while let Some(&k) = stack.last() {
                match child[k as usize] {
                    u32::MAX => {
                        order.push(k);
                        stack.pop();
                    }
                    c => {
                        child[k as usize] = sibling[c as usize];
                        stack.push(c);
                    }
                }
            }
        }
        order
    }
}
