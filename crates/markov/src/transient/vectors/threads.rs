//! Vectors in main memory, multiplied by threads.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::*};

use volvelle_control::Barrier;
use volvelle_runtime::Error;

use super::{Spread, SummedRows, Vectors};
use crate::solve::difference;
use crate::transient::chain::Chain;
use crate::transient::coefficients::Coefficients;

/// Vectors in main memory.
pub struct OnThreads<'a> {
    chain: &'a Chain,
    coefficients: &'a [Coefficients],
    /// The newest, and the one before.
    vectors: [Vec<AtomicU64>; 2],
    sums: Sums,
}

enum Sums {
    /// The sum of all rows, a range of them for each thread.
    Whole { chunks: Vec<Range<usize>>, sum: Vec<f64> },
    /// Sums of some rows, in parts for threads.
    SummedRows(Vec<Part>),
}

/// The rows of one thread: all that it multiplies, and those whose sums it keeps.
struct Part {
    rows: Range<usize>,
    kept: Vec<u32>,
    /// By sequence, then by kept row.
    sums: Vec<f64>,
}

impl<'a> OnThreads<'a> {
    /// Begins with the first vector.
    pub fn new(
        chain: &'a Chain,
        x: Vec<f64>,
        coefficients: &'a [Coefficients],
        kept: SummedRows<'_>,
        threads: usize,
    ) -> Self {
        let first = super::first_sums(&x, coefficients, kept);
        let chunks = chain.chunks(threads);
        let sums = match kept {
            SummedRows::Whole => Sums::Whole { chunks, sum: first.into_iter().next().unwrap_or_default() },
            SummedRows::Rows(rows) => {
                let mut begin = 0;
                let part = |chunk: Range<usize>| {
                    let end = rows.partition_point(|&row| (row as usize) < chunk.end);
                    let of_part = begin..end;
                    begin = end;
                    let sums = first.iter().flat_map(|sum| sum[of_part.clone()].iter().copied()).collect();
                    Part { rows: chunk, kept: rows[of_part.clone()].to_vec(), sums }
                };
                Sums::SummedRows(chunks.into_iter().map(part).collect())
            }
        };
        let current = x.iter().map(|v| AtomicU64::new(v.to_bits())).collect();
        drop(x);
        let other = (0..chain.len()).map(|_| AtomicU64::new(0)).collect();
        OnThreads { chain, coefficients, vectors: [current, other], sums }
    }

    /// Replaces the vectors by those of a device: the newest, and all sums.
    pub fn load(&mut self, newest: &[f64], sums: &[Vec<f64>]) {
        self.vectors[0].iter().zip(newest).for_each(|(to, v)| to.store(v.to_bits(), Relaxed));
        match &mut self.sums {
            Sums::Whole { sum, .. } => sums.iter().for_each(|from| sum.copy_from_slice(from)),
            Sums::SummedRows(parts) => {
                let mut begin = 0;
                for part in parts {
                    let count = part.kept.len();
                    for (h, from) in sums.iter().enumerate() {
                        part.sums[h * count..(h + 1) * count].copy_from_slice(&from[begin..begin + count]);
                    }
                    begin += count;
                }
            }
        }
    }

    /// Makes `count` multiplications.
    pub fn go_on(&mut self, active: &[usize], first: u64, count: u64) {
        let (chain, coefficients) = (self.chain, self.coefficients);
        let pair = &self.vectors;
        match &mut self.sums {
            Sums::Whole { chunks, sum } => {
                let c = &coefficients[0];
                let barrier = Barrier::new(chunks.len());
                let work = |(rows, part): (Range<usize>, &mut [f64])| {
                    let _guard = barrier.guard();
                    for k in 0..count {
                        let (from, to) = (&pair[(k % 2) as usize], &pair[((k + 1) % 2) as usize]);
                        chain.multiply(rows.clone(), from, to, part, c.get(first + k));
                        if !barrier.wait() {
                            return;
                        }
                    }
                };
                let mut rest = &mut sum[..];
                let mut parts = Vec::new();
                for chunk in chunks {
                    let (part, tail) = rest.split_at_mut(chunk.len());
                    parts.push((chunk.clone(), part));
                    rest = tail;
                }
                each(parts, work);
            }
            Sums::SummedRows(parts) => {
                let barrier = Barrier::new(parts.len());
                let work = |part: &mut Part| {
                    let _guard = barrier.guard();
                    for k in 0..count {
                        let (from, to) = (&pair[(k % 2) as usize], &pair[((k + 1) % 2) as usize]);
                        chain.step(part.rows.clone(), from, to, |_| {});
                        for &h in active {
                            let c = coefficients[h].get(first + k);
                            if c == 0.0 {
                                continue;
                            }
                            let sums = &mut part.sums[h * part.kept.len()..(h + 1) * part.kept.len()];
                            for (sum, &row) in sums.iter_mut().zip(&part.kept) {
                                *sum += c * f64::from_bits(to[row as usize].load(Relaxed));
                            }
                        }
                        if !barrier.wait() {
                            return;
                        }
                    }
                };
                each(parts.iter_mut().collect(), work);
            }
        }
        if count % 2 == 1 {
            self.vectors.swap(0, 1);
        }
    }
}

/// Works on all parts, each on a thread of its own.
fn each<T: Send>(parts: Vec<T>, work: impl Fn(T) + Sync) {
    if parts.len() <= 1 {
        parts.into_iter().for_each(work);
        return;
    }
    let work = &work;
    std::thread::scope(|scope| {
        for part in parts {
            scope.spawn(move || work(part));
        }
    });
}

fn load(vector: &[AtomicU64], i: usize) -> f64 {
    f64::from_bits(vector[i].load(Relaxed))
}

impl Vectors for OnThreads<'_> {
    fn advance(&mut self, active: &[usize], first: u64, count: u64) -> Result<u64, Error> {
        self.go_on(active, first, count);
        Ok(count)
    }

    fn spread(&mut self) -> Result<Spread, Error> {
        let [newest, before] = &self.vectors;
        let mut spread = Spread::NONE;
        for i in 0..newest.len() {
            let sum = match &self.sums {
                Sums::Whole { sum, .. } => sum[i],
                Sums::SummedRows(_) => f64::INFINITY,
            };
            spread.add(load(newest, i), load(before, i), sum);
        }
        Ok(spread)
    }

    fn changes_little(&mut self, epsilon: f64, relative: bool) -> Result<bool, Error> {
        let [newest, before] = &self.vectors;
        let small = |i: usize| difference(load(before, i), load(newest, i), relative) < epsilon;
        Ok((0..newest.len()).all(small))
    }

    fn newest(&mut self, rows: Option<&[u32]>) -> Result<Vec<f64>, Error> {
        let newest = &self.vectors[0];
        Ok(match rows {
            Some(rows) => rows.iter().map(|&row| load(newest, row as usize)).collect(),
            None => (0..newest.len()).map(|row| load(newest, row)).collect(),
        })
    }

    fn sum(&mut self, sequence: usize, positions: Option<&[u32]>) -> Result<Vec<f64>, Error> {
        let all = match &self.sums {
            Sums::Whole { sum, .. } => match positions {
                Some(positions) => return Ok(positions.iter().map(|&i| sum[i as usize]).collect()),
                None => sum.clone(),
            },
            Sums::SummedRows(parts) => parts
                .iter()
                .flat_map(|p| {
                    let count = p.kept.len();
                    p.sums[sequence * count..(sequence + 1) * count].iter().copied()
                })
                .collect(),
        };
        Ok(match positions {
            Some(positions) => positions.iter().map(|&i| all[i as usize]).collect(),
            None => all,
        })
    }
}
