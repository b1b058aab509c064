//! The part of a Markov chain that a transient analysis works on, as a matrix.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use volvelle_solver::rounding::{INPUT, Sum, U};
use volvelle_space::{BitSet, Kind, Space};

use super::row_order;
use super::stencils::{Matrix, Stencils};

/// Smaller entries of a vector become zero.
pub const FLUSH: f64 = 1e-300;

/// Entries of a matrix from which on threads share its rows: about a tenth of a millisecond for one. After each multiplication the threads wait
/// for each other, which takes some microseconds at best, and on a machine with other work as long as that keeps one of them.
const SHARED: usize = 150_000;

/// Rows that are multiplied before their entries are used further.
const SPARSE_BLOCK: usize = 512;

/// Rows of a substochastic matrix P over some states of a space, renumbered.
#[derive(Debug)]
pub struct Chain {
    /// The states; in increasing order but for a chain that was [reordered](Self::reordered).
    pub states: Vec<u32>,
    row_start: Vec<u32>,
    columns: Vec<u32>,
    weights: Weights,
    /// Diagonal of a uniformised chain; empty for a discrete-time chain, whose diagonal is among the entries.
    stay: Vec<f64>,
    /// Rows with the same stencil, where they were looked for and most have one.
    stencils: OnceLock<Option<Stencils>>,
    /// Every row sums to one.
    pub closed: bool,
    /// Relative error of one multiplication by P, errors of the entries included.
    pub step_error: f64,
    /// Uniformisation rate; 1 for a discrete-time chain.
    pub rate: f64,
    /// Smallest entry that is not zero.
    pub smallest: f64,
}

/// The entries. Memory traffic is the cost of a step, and most models have few different rates.
#[derive(Debug)]
pub enum Weights {
    /// Places in a table, one byte each.
    Coded {
        /// By entry.
        codes: Vec<u8>,
        /// Different numbers.
        table: Box<[f64; 256]>,
    },
    /// The numbers.
    Plain(Vec<f64>),
}

impl Weights {
    /// An entry.
    #[inline]
    fn get(&self, at: usize) -> f64 {
        match self {
            Weights::Coded { codes, table } => table[codes[at] as usize],
            Weights::Plain(numbers) => numbers[at],
        }
    }
}

impl Chain {
    /// The chain on the states of `inside` alone. A CTMC is uniformised for a horizon of `time` units.
    pub fn new(space: &Space, inside: &BitSet, time: f64) -> Self {
        // A little above the largest exit rate, so that the diagonal keeps its digits: it is the only place where
        // a subtraction happens.
        Self::uniformised(space, inside, time, |largest| if largest * time < 1e6 { 1.02 } else { 1.05 })
    }

    /// The same with a uniformisation rate that is `factor` times the largest exit rate.
    pub fn uniformised(space: &Space, inside: &BitSet, time: f64, factor: impl Fn(f64) -> f64) -> Self {
        let states: Vec<u32> = inside.iter().map(|s| s as u32).collect();
        let mut local = vec![u32::MAX; space.num_states()];
        for (i, &s) in states.iter().enumerate() {
            local[s as usize] = i as u32;
        }
        let continuous = space.kind == Kind::Ctmc;
        let (mut rate, mut stay, mut stay_error) = (1.0, Vec::new(), 0.0);
        if continuous {
            let exits: Vec<f64> = states.iter().map(|&s| exit_rate(space, s as usize)).collect();
            let largest = exits.iter().copied().fold(0.0, f64::max);
            let factor = factor(largest);
            // Where nothing moves any rate will do: one with a single event.
            rate = if largest > 0.0 { largest * factor } else { 1.0 / time.max(1.0) };
            stay = exits.iter().map(|e| 1.0 - e / rate).collect();
            stay_error = 8.0 * U / (1.0 - 1.0 / factor);
        }
        let entries: usize = states.iter().map(|&s| space.row(s as usize).len()).sum();
        let mut chain = Chain {
            row_start: Vec::with_capacity(states.len() + 1),
            columns: Vec::with_capacity(entries),
            weights: Weights::Plain(Vec::new()),
            stay,
            stencils: OnceLock::new(),
            closed: true,
            step_error: 0.0,
            rate,
            smallest: 1.0,
            states,
        };
        let mut coder = Coder::default();
        chain.row_start.push(0);
        let mut longest = 0;
        for i in 0..chain.states.len() {
            let s = chain.states[i] as usize;
            let begin = chain.columns.len();
            for (t, v) in space.transitions(s) {
                if (continuous && t == s) || v <= 0.0 {
                    continue;
                }
                if local[t] == u32::MAX {
                    chain.closed = false;
                    continue;
                }
                chain.columns.push(local[t]);
                let weight = v / rate;
                chain.smallest = chain.smallest.min(weight);
                coder.push(weight);
            }
            longest = longest.max(chain.columns.len() - begin);
            chain.row_start.push(chain.columns.len() as u32);
        }
        chain.smallest = chain.stay.iter().copied().filter(|&v| v > 0.0).fold(chain.smallest, f64::min);
        chain.weights = coder.finish();
        chain.step_error = (INPUT + 2.0 * U).max(stay_error) + (longest + 5) as f64 * U;
        chain
    }

    /// Adds a relative error of the entries of the space beyond the usual one. Subtraction makes it larger on the diagonal.
    pub fn add_error(&mut self, excess: f64) {
        let diagonal = self.stay.iter().copied().fold(1.0, f64::min).max(1e-9);
        self.step_error += excess / diagonal;
    }

    fn matrix(&self) -> Matrix<'_> {
        Matrix { row_start: &self.row_start, columns: &self.columns, stay: &self.stay }
    }

    /// Looks for rows with the same stencil, for all multiplications that follow; returns whether most have one.
    pub fn find_stencils(&self) -> bool {
        let find = || Stencils::new(self.matrix(), |at| self.weights.get(at));
        self.stencils.get_or_init(find).is_some()
    }

    /// The same chain with its rows in an order in which more of them have the same stencil, and that order: for each new row
    /// the old one. `None` where none was found.
    pub fn reordered(&self) -> Option<(Chain, Vec<u32>)> {
        let order = row_order::find(self.matrix(), |at| self.weights.get(at))?;
        let place = row_order::places(&order);
        let mut chain = Chain {
            states: order.iter().map(|&row| self.states[row as usize]).collect(),
            row_start: vec![0],
            columns: Vec::with_capacity(self.columns.len()),
            weights: Weights::Plain(Vec::new()),
            stay: Vec::new(),
            stencils: OnceLock::new(),
            ..*self
        };
        let entries = order.iter().flat_map(|&row| self.matrix().entries(row as usize));
        chain.weights = match &self.weights {
            Weights::Coded { codes, table } => {
                Weights::Coded { codes: entries.map(|at| codes[at]).collect(), table: table.clone() }
            }
            Weights::Plain(numbers) => Weights::Plain(entries.map(|at| numbers[at]).collect()),
        };
        for &row in &order {
            let columns = &self.columns[self.matrix().entries(row as usize)];
            chain.columns.extend(columns.iter().map(|&column| place[column as usize]));
            chain.row_start.push(chain.columns.len() as u32);
        }
        if !self.stay.is_empty() {
            chain.stay = order.iter().map(|&row| self.stay[row as usize]).collect();
        }
        chain.find_stencils().then_some((chain, order))
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Entries of the matrix.
    pub fn entries(&self) -> usize {
        self.columns.len() + self.stay.len()
    }

    /// Where rows begin among the entries, and where the last one ends.
    pub fn row_start(&self) -> &[u32] {
        &self.row_start
    }

    /// Columns of the entries.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The entries.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The diagonal, where it is not among the entries; else nothing.
    pub fn stay(&self) -> &[f64] {
        &self.stay
    }

    /// Ranges of rows of about equal work, one per thread; one range where there is little work.
    pub fn chunks(&self, threads: usize) -> Vec<Range<usize>> {
        let n = self.len();
        let threads = if self.entries() < SHARED { 1 } else { threads.clamp(1, 64) };
        let mut chunks = Vec::new();
        let mut begin = 0;
        for t in 1..=threads {
            let goal = (self.columns.len() as u64 * t as u64 / threads as u64) as u32;
            let end = if t == threads { n } else { self.row_start.partition_point(|&e| e < goal).min(n) };
            if end > begin {
                chunks.push(begin..end);
                begin = end;
            }
        }
        chunks
    }

    /// `to = P from` and `sum += coefficient * to` on some rows; `to` and `sum` hold these rows only.
    ///
    /// Not inlined: within the loop over steps its own loops get fewer registers.
    #[inline(never)]
    pub fn multiply(
        &self,
        rows: Range<usize>,
        from: &[f64],
        to: &mut [f64],
        sum: &mut [f64],
        coefficient: f64,
    ) {
        self.dispatch(
            rows,
            from,
            to,
            #[inline(always)]
            |first, values| {
                let sums = &mut sum[first..first + values.len()];
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += coefficient * *value);
            },
        );
    }

    /// `to = P from` on some rows; `to` holds these rows only.
    #[inline(never)]
    pub fn advance(&self, rows: Range<usize>, from: &[f64], to: &mut [f64]) {
        self.dispatch(
            rows,
            from,
            to,
            #[inline(always)]
            |_, _| {},
        );
    }

    /// [`Self::step`] with the widest registers of this processor.
    #[inline(always)]
    fn dispatch(
        &self,
        rows: Range<usize>,
        from: &[f64],
        to: &mut [f64],
        each: impl FnMut(usize, &mut [f64]),
    ) {
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || self.step(rows, from, to, each),
        );
    }

    /// `to = P from` on some rows; `each` gets the new entries in order, with the place of the first in `to`.
    #[inline(always)]
    fn step(
        &self,
        rows: Range<usize>,
        from: &[f64],
        to: &mut [f64],
        mut each: impl FnMut(usize, &mut [f64]),
    ) {
        if let Some(Some(stencils)) = self.stencils.get() {
            stencils.multiply(
                rows,
                from,
                to,
                #[inline(always)]
                |rows, to| self.multiply_rows(rows, from, to),
                #[inline(always)]
                |first, values| {
                    flush(values);
                    each(first, values);
                },
            );
            return;
        }
        for (k, to) in to.chunks_mut(SPARSE_BLOCK).enumerate() {
            let first = rows.start + k * SPARSE_BLOCK;
            self.multiply_rows(first..first + to.len(), from, to);
            flush(to);
            each(first - rows.start, to);
        }
    }

    /// `to = P from` row by row.
    #[inline(always)]
    fn multiply_rows(&self, rows: Range<usize>, from: &[f64], to: &mut [f64]) {
        let starts = &self.row_start[rows.start..=rows.end];
        let mut begin = starts[0] as usize;
        for ((i, &end), to) in rows.zip(&starts[1..]).zip(to) {
            let end = end as usize;
            let columns = &self.columns[begin..end];
            let mut value = match self.stay.get(i) {
                Some(stay) => stay * from[i],
                None => 0.0,
            };
            match &self.weights {
                Weights::Coded { codes, table } => {
                    for (&j, &code) in columns.iter().zip(&codes[begin..end]) {
                        value += table[code as usize] * from[j as usize];
                    }
                }
                Weights::Plain(weights) => {
                    for (&j, &v) in columns.iter().zip(&weights[begin..end]) {
                        value += v * from[j as usize];
                    }
                }
            }
            *to = value;
            begin = end;
        }
    }
}

/// Denormal numbers are slow, and too small to matter.
#[inline(always)]
fn flush(values: &mut [f64]) {
    for value in values {
        *value = if *value < FLUSH { 0.0 } else { *value };
    }
}

/// Sum of the rates that leave a state.
fn exit_rate(space: &Space, s: usize) -> f64 {
    let mut sum = Sum::default();
    space.transitions(s).filter(|&(t, _)| t != s).for_each(|(_, v)| sum.add(v));
    sum.value()
}

/// Collects weights, coded while there are at most 256 different ones.
#[derive(Default)]
struct Coder {
    codes: Vec<u8>,
    distinct: Vec<f64>,
    places: HashMap<u64, u8>,
    last: Option<(u64, u8)>,
    plain: Option<Vec<f64>>,
}

impl Coder {
    fn push(&mut self, weight: f64) {
        if let Some(plain) = &mut self.plain {
            plain.push(weight);
            return;
        }
        let bits = weight.to_bits();
        if let Some((known, code)) = self.last
            && known == bits
        {
            self.codes.push(code);
            return;
        }
        let code = match self.places.get(&bits) {
            Some(&code) => code,
            None if self.distinct.len() < 256 => {
                let code = self.distinct.len() as u8;
                self.distinct.push(weight);
                self.places.insert(bits, code);
                code
            }
            None => {
                let mut plain: Vec<f64> = self.codes.iter().map(|&c| self.distinct[c as usize]).collect();
                plain.push(weight);
                self.plain = Some(plain);
                return;
            }
        };
        self.last = Some((bits, code));
        self.codes.push(code);
    }

    fn finish(self) -> Weights {
        match self.plain {
            Some(plain) => Weights::Plain(plain),
            None => {
                let mut table = Box::new([0.0; 256]);
                table[..self.distinct.len()].copy_from_slice(&self.distinct);
                Weights::Coded { codes: self.codes, table }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use volvelle_reference::{Random, space};

    use super::*;

    /// Two queues in a row, in the order in which a breadth-first search finds states; rates depend on the state, or not.
    fn queues(side: usize, vary: bool) -> Space {
        let mut states: Vec<(usize, usize)> = (0..side * side).map(|s| (s / side, s % side)).collect();
        states.sort_by_key(|&(x, y)| (x + 2 * y, y));
        let place: HashMap<(usize, usize), usize> =
            states.iter().enumerate().map(|(at, &state)| (state, at)).collect();
        let scale = |n: usize| if vary { n as f64 } else { 1.0 };
        let row = |&(x, y): &(usize, usize)| {
            let mut row = Vec::new();
            if x + 1 < side {
                row.push((place[&(x + 1, y)], 3.0));
            }
            if x > 0 && y + 1 < side {
                row.push((place[&(x - 1, y + 1)], 2.5 * scale(x)));
            }
            if y > 0 {
                row.push((place[&(x, y - 1)], 2.0 * scale(y)));
            }
            vec![row]
        };
        space(Kind::Ctmc, &states.iter().map(row).collect())
    }

    #[test]
    fn stencils_give_the_bits_of_rows() {
        let mut random = Random(5);
        for vary in [false, true] {
            let space = queues(41, vary);
            let chain = Chain::new(&space, &BitSet::full(space.num_states()), 1.0);
            let (reordered, order) = chain.reordered().expect("lines");
            let mut rows = order.clone();
            rows.sort_unstable();
            assert_eq!(rows, (0..chain.len() as u32).collect::<Vec<_>>());
            assert!(reordered.find_stencils());
            let n = chain.len();
            // Some are so small that they become zero.
            let x: Vec<f64> =
                (0..n).map(|k| if k % 7 == 0 { 1e-300 } else { random.below(97) as f64 / 9.0 }).collect();
            let mut expected = vec![0.0; n];
            chain.multiply_rows(0..n, &x, &mut expected);
            flush(&mut expected);
            let moved: Vec<f64> = order.iter().map(|&row| x[row as usize]).collect();
            for _ in 0..20 {
                let (mut found, mut sum) = (vec![f64::NAN; n], vec![1.0; n]);
                let mut begin = 0;
                while begin < n {
                    let end = (begin + 1 + random.below(300)).min(n);
                    let rows = begin..end;
                    reordered.multiply(rows.clone(), &moved, &mut found[rows.clone()], &mut sum[rows], 0.5);
                    begin = end;
                }
                for (at, &row) in order.iter().enumerate() {
                    let value = expected[row as usize];
                    assert_eq!(found[at].to_bits(), value.to_bits());
                    assert_eq!(sum[at].to_bits(), (1.0 + 0.5 * value).to_bits());
                    assert_eq!(reordered.states[at], chain.states[row as usize]);
                }
            }
        }
    }
}
