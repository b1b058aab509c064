//! The coarsest system: dense elimination where it is small, sweeps otherwise.

use super::Matrix;

/// Unknowns that are eliminated in a dense matrix.
pub(super) const DENSE: usize = 300;

/// Sweeps over a system that is too large for that and does not get any coarser.
const SWEEPS: usize = 10;

/// Factors of a small system.
#[derive(Debug, Default)]
pub(super) struct Coarsest {
    /// Row by row: multipliers left of the diagonal, then the upper triangle.
    factors: Vec<f64>,
}

impl Coarsest {
    /// Eliminates. Columns are diagonally dominant, so that no pivots have to be looked for.
    pub fn new(matrix: &Matrix) -> Self {
        let n = matrix.rows();
        if n > DENSE {
            return Coarsest::default();
        }
        let mut factors = vec![0.0; n * n];
        for i in 0..n {
            matrix.entries.row(i).for_each(|(j, v)| factors[i * n + j] = -v);
            factors[i * n + i] = matrix.diagonal[i];
        }
        for k in 0..n - 1 {
            let (done, below) = factors.split_at_mut((k + 1) * n);
            let pivot = &done[k * n..];
            for row in below.chunks_exact_mut(n) {
                if row[k] == 0.0 {
                    continue;
                }
                let factor = row[k] / pivot[k];
                row[k] = factor;
                row[k + 1..].iter_mut().zip(&pivot[k + 1..]).for_each(|(to, v)| *to -= factor * v);
            }
        }
        Coarsest { factors }
    }

    /// Solves for a right side.
    pub fn solve(&self, matrix: &Matrix, right: &[f64], x: &mut [f64]) {
        let n = matrix.rows();
        if self.factors.is_empty() {
            x.fill(0.0);
            for round in 0..SWEEPS {
                matrix.relax(right, x, round % 2 == 0);
            }
            return;
        }
        for i in 0..n {
            let row = &self.factors[i * n..i * n + i];
            x[i] = right[i] - row.iter().zip(&*x).map(|(v, x)| v * x).sum::<f64>();
        }
        x[n - 1] = 0.0;
        for i in (0..n - 1).rev() {
            let row = &self.factors[i * n + i..(i + 1) * n];
            let sum: f64 = row[1..].iter().zip(&x[i + 1..]).map(|(v, x)| v * x).sum();
            x[i] = (x[i] - sum) / row[0];
        }
    }
}

/// The unknowns with which flows are in balance, of mean 1: by elimination without subtractions (Grassmann, Taksar and Heyman, Oper. Res. 33,
/// 1985).
pub(super) fn null_vector(matrix: &Matrix) -> Vec<f64> {
    let n = matrix.rows();
    // Flows from i to j.
    let mut flow = vec![0.0; n * n];
    for i in 0..n {
        matrix.entries.row(i).for_each(|(j, v)| flow[j * n + i] += v);
    }
    for k in (1..n).rev() {
        let (above, row) = flow.split_at_mut(k * n);
        let row = &row[..k];
        let exit: f64 = row.iter().sum();
        for other in above.chunks_exact_mut(n) {
            if other[k] != 0.0 {
                let share = other[k] / exit;
                other[k] = share;
                other.iter_mut().zip(row).for_each(|(to, v)| *to += share * v);
            }
        }
    }
    let mut x = vec![1.0; n];
    for k in 1..n {
        x[k] = (0..k).map(|i| x[i] * flow[i * n + k]).sum();
    }
    let sum: f64 = x.iter().sum();
    x.iter_mut().for_each(|x| *x *= n as f64 / sum);
    x
}
