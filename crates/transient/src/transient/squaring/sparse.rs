//! The chain to be squared: `P = I + Q / rate` with the rate a power of two, so that its entries have the digits of the rates.

use volvelle_solver::rounding::U;

use crate::transient::implicit::{Generator, Twofold};

/// Weights below this are too small for products of them.
const LEAST_WEIGHT: f64 = 1e-250;

/// Rows of `P`, one more for what is collected where something is.
#[derive(Clone, Debug)]
pub struct Sparse {
    rows: Vec<Vec<(u32, f64)>>,
    stay: Vec<Twofold>,
    /// For each state, the part of its exit rate over the uniformisation rate that ends the run, or leads to no collection.
    pub killed: Vec<f64>,
    /// The uniformisation rate.
    pub rate: f64,
    /// How much is collected where.
    pub collected: Collected,
}

/// What a further state stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collected {
    /// There is none.
    Nothing,
    /// The states of value one, which are entered at these rates.
    Entered,
    /// Rewards; the weights into it are rewards per unit of time.
    Rewards,
}

impl Sparse {
    /// The chain of a generator. `forcing` goes to a further state; where `escaping` is given, it is the rate into states of value
    /// one, and `escaping` are the rates to all other states outside. `None` where numbers are out of range.
    pub fn new(generator: &Generator, forcing: Option<&[f64]>, escaping: Option<&[f64]>) -> Option<Self> {
        let n = generator.len();
        let collected = match (forcing, escaping) {
            (None, _) => Collected::Nothing,
            (Some(_), Some(_)) => Collected::Entered,
            (Some(_), None) => Collected::Rewards,
        };
        let killed: Vec<f64> = (0..n)
            .map(|i| match (collected, escaping) {
                (Collected::Entered, Some(escaping)) => escaping[i],
                _ => generator.leaving(i),
            })
            .collect();
        let exit = |i: usize| {
            let sum =
                generator.row(i).fold(Twofold::of(killed[i]), |sum, (_, rate)| sum.plus(Twofold::of(rate)));
            match (collected, forcing) {
                (Collected::Entered, Some(forcing)) => sum.plus(Twofold::of(forcing[i])),
                _ => sum,
            }
        };
        let exits: Vec<Twofold> = (0..n).map(exit).collect();
        let largest = exits.iter().map(|e| e.high).fold(0.0, f64::max);
        if !(1e-100..1e100).contains(&largest) {
            return None;
        }
        // Twice the largest exit rate at least: the relative error of the diagonal is that of the rates then.
        let rate = 2f64.powi(largest.log2().floor() as i32 + 2);
        let mut rows = Vec::with_capacity(n + 1);
        for i in 0..n {
            let mut row: Vec<(u32, f64)> = generator.row(i).map(|(j, q)| (j, q / rate)).collect();
            row.extend(forcing.filter(|f| f[i] > 0.0).map(|f| (n as u32, f[i] / rate)));
            rows.push(row);
        }
        let mut stay: Vec<Twofold> =
            exits.iter().map(|exit| Twofold::of(1.0).plus(exit.times(-1.0 / rate))).collect();
        if collected != Collected::Nothing {
            rows.push(Vec::new());
            stay.push(Twofold::of(1.0));
        }
        let is_small = |&(_, w): &(u32, f64)| !(LEAST_WEIGHT..=1.0).contains(&w);
        if rows.iter().flatten().any(is_small) {
            return None;
        }
        let killed = killed.iter().map(|k| k / rate * (1.0 + 2.0 * U)).collect();
        Some(Sparse { rows, stay, killed, rate, collected })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// States besides the one that collects.
    pub fn states(&self) -> usize {
        self.killed.len()
    }

    /// Entries off the diagonal of a row.
    pub fn row(&self, i: usize) -> &[(u32, f64)] {
        &self.rows[i]
    }

    /// Terms of the longest row.
    pub fn longest(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0) + 1
    }

    /// The factors of row `i` of `factor P`.
    pub fn factors(&self, i: usize, factor: Twofold) -> impl Iterator<Item = (usize, Twofold)> + '_ {
        let moves = self.rows[i].iter().map(move |&(j, w)| (j as usize, factor.times(w)));
        std::iter::once((i, factor.product(self.stay[i]))).chain(moves)
    }

    /// Rows become columns.
    pub fn transposed(&self) -> Self {
        let mut rows = vec![Vec::new(); self.rows.len()];
        for (i, row) in self.rows.iter().enumerate() {
            row.iter().for_each(|&(j, w)| rows[j as usize].push((i as u32, w)));
        }
        Sparse { rows, ..self.clone() }
    }
}
