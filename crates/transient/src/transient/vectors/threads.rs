//! Vectors in main memory, multiplied by threads.

use std::ops::Range;

use volvelle_control::rounds::{Part, alternate};
use volvelle_runtime::Error;
use volvelle_solver::solve::difference;

use super::{Spread, SummedRows, Vectors};
use crate::transient::chain::Chain;
use crate::transient::coefficients::Coefficients;

/// Vectors in main memory.
pub struct OnThreads<'a> {
    chain: &'a Chain,
    coefficients: &'a [Coefficients],
    /// The newest, and the one before.
    vectors: [Vec<f64>; 2],
    /// The rows of each thread.
    parts: Vec<Part<Sums>>,
}

/// The sums of a thread.
enum Sums {
    /// Of all its rows.
    Whole(Vec<f64>),
    /// Of these rows: by sequence, then by row.
    Rows { kept: Vec<u32>, sums: Vec<f64> },
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
        let mut begin = 0;
        let mut part = |chunk: Range<usize>| {
            let own = match kept {
                SummedRows::Whole => Sums::Whole(first[0][chunk.clone()].to_vec()),
                SummedRows::Rows(rows) => {
                    let end = rows.partition_point(|&row| (row as usize) < chunk.end);
                    let of_part = begin..end;
                    begin = end;
                    let sums = first.iter().flat_map(|sum| sum[of_part.clone()].iter().copied()).collect();
                    Sums::Rows { kept: rows[of_part].to_vec(), sums }
                }
            };
            Part { rows: chunk, own }
        };
        let parts = chain.chunks(threads).into_iter().map(&mut part).collect();
        let other = vec![0.0; chain.len()];
        OnThreads { chain, coefficients, vectors: [x, other], parts }
    }

    /// Replaces the vectors by those of a device: the newest, and all sums.
    pub fn load(&mut self, newest: &[f64], sums: &[Vec<f64>]) {
        self.vectors[0].copy_from_slice(newest);
        let mut begin = 0;
        for part in &mut self.parts {
            match &mut part.own {
                Sums::Whole(sum) => {
                    sums.iter().for_each(|from| sum.copy_from_slice(&from[part.rows.clone()]));
                }
                Sums::Rows { kept, sums: own } => {
                    let count = kept.len();
                    for (h, from) in sums.iter().enumerate() {
                        own[h * count..(h + 1) * count].copy_from_slice(&from[begin..begin + count]);
                    }
                    begin += count;
                }
            }
        }
    }

    /// Makes `count` multiplications.
    pub fn go_on(&mut self, active: &[usize], first: u64, count: u64) {
        let (chain, coefficients) = (self.chain, self.coefficients);
        alternate(&mut self.vectors, &mut self.parts, count, |k, from, to, part| {
            let rows = part.rows.clone();
            match &mut part.own {
                Sums::Whole(sum) => chain.multiply(rows, from, to, sum, coefficients[0].get(first + k)),
                Sums::Rows { kept, sums } => {
                    let begin = rows.start;
                    chain.advance(rows, from, to);
                    for &h in active {
                        let c = coefficients[h].get(first + k);
                        if c == 0.0 {
                            continue;
                        }
                        let sums = &mut sums[h * kept.len()..(h + 1) * kept.len()];
                        for (sum, &row) in sums.iter_mut().zip(&*kept) {
                            *sum += c * to[row as usize - begin];
                        }
                    }
                }
            }
        });
        if count % 2 == 1 {
            self.vectors.swap(0, 1);
        }
    }
}

impl Vectors for OnThreads<'_> {
    fn advance(&mut self, active: &[usize], first: u64, count: u64) -> Result<u64, Error> {
        self.go_on(active, first, count);
        Ok(count)
    }

    fn spread(&mut self) -> Result<Spread, Error> {
        let [newest, before] = &self.vectors;
        let mut spread = Spread::NONE;
        for part in &self.parts {
            for i in part.rows.clone() {
                let sum = match &part.own {
                    Sums::Whole(sum) => sum[i - part.rows.start],
                    Sums::Rows { .. } => f64::INFINITY,
                };
                spread.add(newest[i], before[i], sum);
            }
        }
        Ok(spread)
    }

    fn changes_little(&mut self, epsilon: f64, relative: bool) -> Result<bool, Error> {
        let [newest, before] = &self.vectors;
        Ok(newest.iter().zip(before).all(|(&new, &old)| difference(old, new, relative) < epsilon))
    }

    fn newest(&mut self, rows: Option<&[u32]>) -> Result<Vec<f64>, Error> {
        let newest = &self.vectors[0];
        Ok(match rows {
            Some(rows) => rows.iter().map(|&row| newest[row as usize]).collect(),
            None => newest.clone(),
        })
    }

    fn sum(&mut self, sequence: usize, positions: Option<&[u32]>) -> Result<Vec<f64>, Error> {
        let mut all = Vec::new();
        for part in &self.parts {
            match &part.own {
                Sums::Whole(sum) => all.extend_from_slice(sum),
                Sums::Rows { kept, sums } => {
                    all.extend_from_slice(&sums[sequence * kept.len()..(sequence + 1) * kept.len()]);
                }
            }
        }
        Ok(match positions {
            Some(positions) => positions.iter().map(|&i| all[i as usize]).collect(),
            None => all,
        })
    }
}
