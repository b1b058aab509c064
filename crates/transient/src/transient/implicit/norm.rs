//! The norm in which errors are measured, and the errors of single terms in it.

use volvelle_control::Stop;
use volvelle_solver::rounding::U;

use super::equations::Equations;
use super::generator::{Generator, Right};

/// `max |x_s| / w_s`
pub struct Norm<'a> {
    generator: &'a Generator,
    weights: Vec<f64>,
    inverse: Vec<f64>,
    /// No solution of `e' = Q e` grows faster than exponentially at this rate.
    growth: f64,
    /// Two residuals, and bounds of what is unknown of them.
    space: [Vec<f64>; 4],
}

/// Errors of a term of the series.
pub struct Term {
    /// The norm of its residual.
    pub residual: f64,
    /// The norm of the difference from the solution without this residual.
    pub offset: f64,
    /// Whether a correction belongs to it.
    pub is_corrected: bool,
}

impl<'a> Norm<'a> {
    /// The maximum norm.
    pub fn new(generator: &'a Generator) -> Self {
        let n = generator.len();
        let space = std::array::from_fn(|_| vec![0.0; n]);
        Norm { generator, weights: vec![1.0; n], inverse: vec![1.0; n], growth: 0.0, space }
    }

    /// Sets the weights, all positive.
    pub fn set_weights(&mut self, weights: Vec<f64>) {
        self.growth = self.generator.growth(&weights);
        self.inverse = weights.iter().map(|w| 1.0 / w).collect();
        self.weights = weights;
    }

    /// The weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Their inverses.
    pub fn inverse(&self) -> &[f64] {
        &self.inverse
    }

    /// The factor by which errors may grow in a time.
    pub fn growth_in(&self, time: f64) -> f64 {
        (self.growth * time).exp() * (1.0 + 1e-12)
    }

    /// The norm of a vector.
    pub fn of(&self, x: &[f64]) -> f64 {
        let largest = x.iter().zip(&self.inverse).fold(0.0f64, |m, (v, w)| m.max(v.abs() * w));
        largest * (1.0 + 4.0 * U)
    }

    /// Bounds the error of a term `z`, the solution for a right-hand side; `correction` is to be added to it if the result
    /// says so. A residual above `most` is reduced; if its bound stays above, what it does to the solution is bounded.
    pub fn judge(
        &mut self,
        equations: &mut Equations,
        at: usize,
        z: &[f64],
        right: Right,
        most: f64,
        correction: &mut [f64],
    ) -> Result<Term, Stop> {
        let step = equations.step(at);
        let [mut residual, mut unknown, mut other, mut other_unknown] = std::mem::take(&mut self.space);
        let first = self.generator.residual(step, z, right, &self.inverse, [&mut residual, &mut unknown]);
        let mut term = Term { residual: first.computed + first.unknown, offset: 0.0, is_corrected: false };
        if term.residual > most {
            // The remaining residual, by row and without its sign.
            let mut remaining = unknown;
            if first.computed > 0.5 * most {
                equations.solve(at, &residual, correction, 0.25 * most, &self.inverse)?;
                term.is_corrected = true;
                let vectors = [&mut other[..], &mut other_unknown];
                let second =
                    self.generator.residual(step, correction, against(&residual), &self.inverse, vectors);
                term.residual = second.computed + second.unknown + first.unknown;
                let parts = remaining.iter_mut().zip(&other).zip(&other_unknown);
                parts.for_each(|((sum, r), e)| *sum = (*sum + r.abs() + e) * (1.0 + 4.0 * U));
            } else {
                let parts = remaining.iter_mut().zip(&residual);
                parts.for_each(|(sum, r)| *sum = (*sum + r.abs()) * (1.0 + 4.0 * U));
            }
            if term.residual > most {
                // The resolvent is not negative: applied to the moduli, it bounds what the residual does.
                let mut solved = residual;
                equations.solve(at, &remaining, &mut solved, 0.1 * most, &self.inverse)?;
                let vectors = [&mut other[..], &mut other_unknown];
                let rest =
                    self.generator.residual(step, &solved, against(&remaining), &self.inverse, vectors);
                let contraction = 1.0 - self.growth * step;
                let offset = self.of(&solved) + (rest.computed + rest.unknown) / contraction;
                if contraction > 0.5 && offset < term.residual {
                    term = Term { residual: 0.0, offset, ..term };
                }
                residual = solved;
            }
            unknown = remaining;
        }
        self.space = [residual, unknown, other, other_unknown];
        Ok(term)
    }
}

/// A right-hand side without forcing.
fn against(values: &[f64]) -> Right<'_> {
    Right { values, forcing: None }
}
