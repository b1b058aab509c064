//! The chain that a policy induces in a component: its equations, scaled by a guess of their solution, for an iterative
//! solver.
//!
//! With `x = S y`, where S holds the guess, `(I - P) x = b` becomes `(I - S^-1 P S) y = S^-1 b`. All y are about one
//! then, so that an iteration, whose residual is measured against the largest entry, gives values near zero as many
//! digits as large ones. Rows of the scaled matrix sum to at most about one: it is the chain under the condition that
//! it collects something (Doob's transform).

use volvelle_control::{Control, Stop};

use super::block::Block;
use crate::krylov::{Bicgstab, Operator, Triangles};

/// Values this many times smaller than the largest are scaled no further.
const SMALLEST: f64 = 1e-200;

/// `I - S^-1 P S` of a policy.
pub struct InducedChain {
    rows: Triangles,
    scale: Vec<f64>,
}

impl InducedChain {
    /// The rows of a policy's choices within the block; the guess `x` is indexed by all unknowns.
    pub fn new(block: &Block, policy: &[u32], x: &[f64]) -> Self {
        let (system, guess) = (block.system, &x[block.range()]);
        let least = guess.iter().copied().fold(0.0, f64::max) * SMALLEST;
        let scale: Vec<f64> = match least > 0.0 {
            true => guess.iter().map(|v| v.max(least)).collect(),
            false => vec![1.0; block.len],
        };
        let inner = |choice: u32| block.inner(choice as usize);
        let entries = policy.iter().map(|&choice| inner(choice).len()).sum();
        let mut rows = Triangles::with_capacity(policy.len(), entries);
        for (&choice, own) in policy.iter().zip(&scale) {
            let row = inner(choice);
            let columns = system.columns[row.clone()].iter().map(|j| j - block.first as u32);
            let entries = columns.zip(system.values.range(row));
            rows.push_row(entries.map(|(j, v)| (j, v * (scale[j as usize] / own))));
        }
        InducedChain { rows, scale }
    }

    /// Computes `(I - P)^-1 right` from a first guess, until the residual (relative to the guess that scales the matrix) is
    /// at most `goal` of the first residual, or as small as rounding allows. Returns the first residual, too; `None` where
    /// the residual hardly shrinks.
    pub fn solve(
        &self,
        right: impl Fn(usize) -> f64,
        mut x: Vec<f64>,
        goal: impl Fn(f64) -> f64,
        iterations: usize,
        control: &Control,
    ) -> Result<Option<(Vec<f64>, f64)>, Stop> {
        x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x /= s);
        let mut residual = vec![0.0; x.len()];
        self.apply(&x, &mut residual);
        residual.iter_mut().enumerate().for_each(|(i, r)| *r = right(i) / self.scale[i] - *r);
        let mut solver = Bicgstab::new(residual);
        let start = solver.residual();
        let least = x.iter().copied().fold(0.0, f64::max) * 1e-16;
        let goal = goal(start).max(least);
        let mut last = start;
        for k in 1..=iterations {
            if solver.residual() <= goal || !solver.step(self, &mut x) {
                break;
            }
            if k % 50 == 0 {
                control.check()?;
                if k >= 200 && solver.residual() > 0.9 * last {
                    break;
                }
                last = solver.residual();
            }
        }
        x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
        Ok((solver.residual() <= 0.1 * start || solver.residual() <= goal).then_some((x, start)))
    }
}

impl Operator for InducedChain {
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = x[i] - self.rows.row(i).map(|(j, v)| v * x[j]).sum::<f64>();
        }
    }

    /// A Gauss–Seidel sweep over what is left of the diagonal.
    fn precondition(&self, x: &[f64], y: &mut [f64], image: &mut [f64]) {
        self.rows.sweep(x, y, image, |_, v| v);
    }
}
