//! BiCGSTAB (H. van der Vorst, SIAM J. Sci. Stat. Comput. 13, 1992), preconditioned from the right.
//!
//! A source of good guesses only: no result depends on its residual, and every result is verified.

mod triangles;

pub use triangles::Triangles;

/// A linear operator with a preconditioner.
pub trait Operator {
    /// `y = A x`.
    fn apply(&self, x: &[f64], y: &mut [f64]);
    /// `y ~ A^-1 x`, and `image = A y`.
    fn precondition(&self, x: &[f64], y: &mut [f64], image: &mut [f64]);
}

/// The iteration, with its vectors.
#[derive(Debug)]
pub struct Bicgstab {
    residual: Vec<f64>,
    shadow: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
    second: Vec<f64>,
    correction: Vec<f64>,
    rho: f64,
}

/// Number of vectors held, for estimates of memory.
pub const VECTORS: usize = 6;

impl Bicgstab {
    /// Starts from a residual `b - A x`.
    pub fn new(residual: Vec<f64>) -> Self {
        let n = residual.len();
        let rho = dot(&residual, &residual);
        Bicgstab {
            shadow: residual.clone(),
            direction: residual.clone(),
            image: vec![0.0; n],
            second: vec![0.0; n],
            correction: vec![0.0; n],
            residual,
            rho,
        }
    }

    /// Largest entry of the residual, as the recurrence has it.
    pub fn residual(&self) -> f64 {
        self.residual.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
    }

    /// The same in the norm with these inverse weights.
    pub fn weighted_residual(&self, inverse_weights: &[f64]) -> f64 {
        self.residual.iter().zip(inverse_weights).fold(0.0, |m: f64, (v, w)| m.max(v.abs() * w))
    }

    /// One step on `x`; false where the recurrence breaks down.
    pub fn step(&mut self, operator: &impl Operator, x: &mut [f64]) -> bool {
        operator.precondition(&self.direction, &mut self.correction, &mut self.image);
        let alpha = self.rho / dot(&self.shadow, &self.image);
        if !alpha.is_finite() {
            return false;
        }
        for ((x, r), (c, v)) in
            x.iter_mut().zip(&mut self.residual).zip(self.correction.iter().zip(&self.image))
        {
            *x += alpha * c;
            *r -= alpha * v;
        }
        operator.precondition(&self.residual, &mut self.correction, &mut self.second);
        let omega = dot(&self.second, &self.residual) / dot(&self.second, &self.second);
        if !omega.is_finite() || omega == 0.0 {
            return false;
        }
        for ((x, r), (c, t)) in
            x.iter_mut().zip(&mut self.residual).zip(self.correction.iter().zip(&self.second))
        {
            *x += omega * c;
            *r -= omega * t;
        }
        let rho = dot(&self.shadow, &self.residual);
        let beta = rho / self.rho * (alpha / omega);
        if !beta.is_finite() || rho == 0.0 {
            return false;
        }
        self.rho = rho;
        for ((p, r), v) in self.direction.iter_mut().zip(&self.residual).zip(&self.image) {
            *p = r + beta * (*p - omega * v);
        }
        true
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0f64; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Tridiagonal(usize);

    impl Operator for Tridiagonal {
        fn apply(&self, x: &[f64], y: &mut [f64]) {
            for i in 0..self.0 {
                let left = if i > 0 { x[i - 1] } else { 0.0 };
                let right = if i + 1 < self.0 { x[i + 1] } else { 0.0 };
                y[i] = 2.0 * x[i] - 0.7 * left - 1.1 * right;
            }
        }
        fn precondition(&self, x: &[f64], y: &mut [f64], image: &mut [f64]) {
            y.iter_mut().zip(x).for_each(|(y, x)| *y = x / 2.0);
            self.apply(y, image);
        }
    }

    #[test]
    fn solves_a_nonsymmetric_system() {
        let operator = Tridiagonal(200);
        let expected: Vec<f64> = (0..200).map(|i| (i as f64 * 0.37).sin()).collect();
        let mut b = vec![0.0; 200];
        operator.apply(&expected, &mut b);
        let mut x = vec![0.0; 200];
        let mut solver = Bicgstab::new(b);
        for _ in 0..200 {
            if solver.residual() < 1e-13 || !solver.step(&operator, &mut x) {
                break;
            }
        }
        assert!(x.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9));
    }
}
