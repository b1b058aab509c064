//! Solutions of `(I - step Q) x = b`: by complete factors, or by iterations with incomplete ones.

use volvelle_control::{Control, Stop};
use volvelle_solver::krylov::{Bicgstab, Operator};

use super::factors::{Factors, Pattern};
use super::generator::Generator;

/// Factorisations that are held.
const HELD: usize = 3;

/// Iterations after which a system is given up.
const ITERATIONS: u64 = 400;

/// What a solver did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Systems of equations solved.
    pub solved: u64,
    /// Matrices factorised.
    pub factorised: u64,
    /// Iterations made.
    pub iterations: u64,
    /// Multiplications.
    pub work: f64,
}

/// The systems for several steps, each a power of two. No error is bounded here.
pub struct Equations<'a> {
    generator: &'a Generator,
    pattern: &'a Pattern,
    control: &'a Control<'a>,
    /// By exponent of the step, newest last.
    held: Vec<(i32, Factors)>,
    buffer: Vec<f64>,
    /// What was done.
    pub effort: Effort,
}

impl<'a> Equations<'a> {
    /// Without factors.
    pub fn new(generator: &'a Generator, pattern: &'a Pattern, control: &'a Control<'a>) -> Self {
        Equations {
            generator,
            pattern,
            control,
            held: Vec::new(),
            buffer: Vec::new(),
            effort: Effort::default(),
        }
    }

    /// The place of the factors for the step `2^exponent`, valid until the next call.
    pub fn factors(&mut self, exponent: i32) -> Result<usize, Stop> {
        if let Some(at) = self.held.iter().position(|f| f.0 == exponent) {
            return Ok(at);
        }
        if self.held.len() == HELD {
            self.held.remove(0);
        }
        let factors = self.pattern.factors(self.generator, 2f64.powi(exponent), self.control)?;
        self.effort.factorised += 1;
        self.effort.work += self.pattern.work + self.pattern.entries() as f64;
        self.held.push((exponent, factors));
        Ok(self.held.len() - 1)
    }

    /// The step of the factors at this place.
    pub fn step(&self, at: usize) -> f64 {
        2f64.powi(self.held[at].0)
    }

    /// Solves for `x`; false where iterations do not bring the residual below `target` in the norm with these weights.
    pub fn solve(
        &mut self,
        at: usize,
        b: &[f64],
        x: &mut [f64],
        target: f64,
        inverse_weights: &[f64],
    ) -> Result<bool, Stop> {
        self.effort.solved += 1;
        let once = (self.pattern.entries() + 4 * self.generator.entries()) as f64;
        self.pattern.solve(&self.held[at].1, b, x, &mut self.buffer);
        self.effort.work += once;
        if self.pattern.is_complete {
            return Ok(true);
        }
        let operator = Resolved {
            generator: self.generator,
            pattern: self.pattern,
            factors: &self.held[at].1,
            step: self.step(at),
        };
        let mut residual = vec![0.0; b.len()];
        operator.apply(x, &mut residual);
        residual.iter_mut().zip(b).for_each(|(r, b)| *r = b - *r);
        let mut solver = Bicgstab::new(residual);
        for iteration in 0..ITERATIONS {
            if solver.weighted_residual(inverse_weights) <= target {
                return Ok(true);
            }
            if !solver.step(&operator, x) {
                return Ok(false);
            }
            self.effort.iterations += 1;
            self.effort.work += 2.0 * once;
            if iteration % 16 == 15 {
                self.control.check()?;
            }
        }
        Ok(false)
    }
}

/// `I - step Q` with its preconditioner.
struct Resolved<'a> {
    generator: &'a Generator,
    pattern: &'a Pattern,
    factors: &'a Factors,
    step: f64,
}

impl Operator for Resolved<'_> {
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.generator.apply(self.step, x, y);
    }

    fn precondition(&self, x: &[f64], y: &mut [f64], image: &mut [f64]) {
        self.pattern.solve(self.factors, x, y, &mut Vec::with_capacity(x.len()));
        self.apply(y, image);
    }
}
