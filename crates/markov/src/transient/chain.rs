//! The part of a Markov chain that a transient analysis works on, as a matrix.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use volvelle_space::{BitSet, Kind, Space};

use crate::rounding::{INPUT, Sum, U};

/// Smaller entries of a vector become zero.
pub const FLUSH: f64 = 1e-300;

/// Rows of a substochastic matrix P over some states of a space, renumbered.
#[derive(Debug)]
pub struct Chain {
    /// The states, in increasing order.
    pub states: Vec<u32>,
    row_start: Vec<u32>,
    columns: Vec<u32>,
    weights: Weights,
    /// Diagonal of a uniformised chain; empty for a discrete-time chain, whose diagonal is among the entries.
    stay: Vec<f64>,
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

impl Chain {
    /// The chain on the states of `inside` alone. A CTMC is uniformised for a horizon of `time` units.
    pub fn new(space: &Space, inside: &BitSet, time: f64) -> Self {
        // A little above the largest exit rate, so that the diagonal keeps its digits: it is the only place where
        // a subtraction happens.
        Self::uniformised(space, inside, |largest| if largest * time < 1e6 { 1.02 } else { 1.05 })
    }

    /// The same with a uniformisation rate that is `factor` times the largest exit rate.
    pub fn uniformised(space: &Space, inside: &BitSet, factor: impl Fn(f64) -> f64) -> Self {
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
            rate = if largest > 0.0 { largest * factor } else { 1.0 };
            stay = exits.iter().map(|e| 1.0 - e / rate).collect();
            stay_error = 8.0 * U / (1.0 - 1.0 / factor);
        }
        let entries: usize = states.iter().map(|&s| space.row(s as usize).len()).sum();
        let mut chain = Chain {
            row_start: Vec::with_capacity(states.len() + 1),
            columns: Vec::with_capacity(entries),
            weights: Weights::Plain(Vec::new()),
            stay,
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
        let threads = if self.entries() < 30_000 { 1 } else { threads.clamp(1, 64) };
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

    /// `to = P from` and `sum += coefficient * to` on some rows; `sum` holds these rows only.
    ///
    /// Not inlined: within the loop over steps its own loops get fewer registers.
    #[inline(never)]
    pub fn multiply(
        &self,
        rows: Range<usize>,
        from: &[AtomicU64],
        to: &[AtomicU64],
        sum: &mut [f64],
        coefficient: f64,
    ) {
        let mut sums = sum.iter_mut();
        self.step(rows, from, to, |value| {
            if let Some(sum) = sums.next() {
                *sum += coefficient * value;
            }
        });
    }

    /// `to = P from` on some rows; `each` gets the new entries in order.
    #[inline(always)]
    pub fn step(&self, rows: Range<usize>, from: &[AtomicU64], to: &[AtomicU64], mut each: impl FnMut(f64)) {
        let load = |j: usize| f64::from_bits(from[j].load(Relaxed));
        let starts = &self.row_start[rows.start..=rows.end];
        let mut begin = starts[0] as usize;
        let outputs = &to[rows.clone()];
        for ((i, &end), to) in rows.zip(&starts[1..]).zip(outputs) {
            let end = end as usize;
            let columns = &self.columns[begin..end];
            let mut value = match self.stay.get(i) {
                Some(stay) => stay * load(i),
                None => 0.0,
            };
            match &self.weights {
                Weights::Coded { codes, table } => {
                    for (&j, &code) in columns.iter().zip(&codes[begin..end]) {
                        value += table[code as usize] * load(j as usize);
                    }
                }
                Weights::Plain(weights) => {
                    for (&j, &v) in columns.iter().zip(&weights[begin..end]) {
                        value += v * load(j as usize);
                    }
                }
            }
            // Denormal numbers are slow, and too small to matter.
            let value = if value < FLUSH { 0.0 } else { value };
            to.store(value.to_bits(), Relaxed);
            each(value);
            begin = end;
        }
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
