//! Sparse matrices of levels.

use crate::krylov::Triangles;

/// `D - F`.
#[derive(Debug)]
pub struct Matrix {
    /// F.
    pub entries: Triangles,
    /// D: the sum of each column of F.
    pub diagonal: Vec<f64>,
}

impl Matrix {
    /// The number of unknowns.
    pub fn rows(&self) -> usize {
        self.diagonal.len()
    }

    /// `y = (D - F) x`.
    pub fn apply(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = self.diagonal[i] * x[i] - self.entries.row(i).map(|(j, v)| v * x[j]).sum::<f64>();
        }
    }

    /// A Gauss–Seidel sweep.
    pub fn relax(&self, right: &[f64], x: &mut [f64], forwards: bool) {
        self.relax_from(0, right, x, forwards);
    }

    /// A Gauss–Seidel sweep over the unknowns from a place on.
    pub fn relax_from(&self, first: usize, right: &[f64], x: &mut [f64], forwards: bool) {
        let new = |i: usize, x: &[f64]| {
            let sum: f64 = self.entries.row(i).map(|(j, v)| v * x[j]).sum();
            (right[i] + sum) / self.diagonal[i]
        };
        match forwards {
            true => (first..x.len()).for_each(|i| x[i] = new(i, x)),
            false => (first..x.len()).rev().for_each(|i| x[i] = new(i, x)),
        }
    }

    /// Takes each unknown times a factor: flows out of state j are multiplied by factor j.
    pub fn scale(&mut self, factors: &[f64]) {
        self.entries.scale(|_, j| factors[j]);
        self.diagonal.iter_mut().zip(factors).for_each(|(d, factor)| *d *= factor);
    }

    /// The inner product in which residuals are measured: in the units of the flow through each state.
    pub(super) fn product(&self, a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).zip(&self.diagonal).map(|((a, b), d)| a * (b / d)).sum()
    }
}
