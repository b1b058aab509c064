//! The generator matrix Q of a CTMC on some of its states, and the residual of an implicit step.

use volvelle_solver::rounding::{INPUT, Sum, U};
use volvelle_space::Space;

/// A generator on some states, renumbered. Rows sum to zero or, where states are left for others, to less.
#[derive(Debug)]
pub struct Generator {
    row_start: Vec<u32>,
    columns: Vec<u32>,
    rates: Vec<f64>,
    /// Rate into states outside, by row.
    leaving: Vec<f64>,
    /// The largest exit rate.
    pub largest: f64,
    /// No state is left for one outside.
    pub closed: bool,
    /// Largest relative error of a rate.
    input: f64,
}

/// A right-hand side `values + step * forcing`.
#[derive(Clone, Copy, Debug)]
pub struct Right<'a> {
    /// As it is.
    pub values: &'a [f64],
    /// Times the step.
    pub forcing: Option<&'a [f64]>,
}

/// Bounds of a residual in a weighted maximum norm.
#[derive(Clone, Copy, Debug)]
pub struct Residual {
    /// The residual as computed.
    pub computed: f64,
    /// What rounding and the errors of the rates may add to it.
    pub unknown: f64,
}

impl Generator {
    /// The generator on these states, in increasing order.
    pub fn new(space: &Space, states: &[u32]) -> Self {
        let mut local = vec![u32::MAX; space.num_states()];
        for (i, &s) in states.iter().enumerate() {
            local[s as usize] = i as u32;
        }
        let mut generator = Generator {
            row_start: vec![0],
            columns: Vec::new(),
            rates: Vec::new(),
            leaving: Vec::with_capacity(states.len()),
            largest: 0.0,
            closed: true,
            input: INPUT,
        };
        for &s in states {
            let (mut leaving, mut exit) = (Sum::default(), 0.0);
            for (t, rate) in space.transitions(s as usize) {
                if t == s as usize || rate <= 0.0 {
                    continue;
                }
                exit += rate;
                match local[t] {
                    u32::MAX => leaving.add(rate),
                    t => {
                        generator.columns.push(t);
                        generator.rates.push(rate);
                    }
                }
            }
            generator.closed &= leaving.value() == 0.0;
            generator.largest = generator.largest.max(exit);
            generator.leaving.push(leaving.value());
            generator.row_start.push(generator.columns.len() as u32);
        }
        generator
    }

    /// The same, of rates that are off by this at most.
    pub fn with_input(self, input: f64) -> Self {
        Generator { input: input.max(INPUT), ..self }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.leaving.len()
    }

    /// Number of rates.
    pub fn entries(&self) -> usize {
        self.columns.len()
    }

    /// The entries of a row off the diagonal.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.row_start[i] as usize..self.row_start[i + 1] as usize;
        self.columns[range.clone()].iter().copied().zip(self.rates[range].iter().copied())
    }

    /// The rate into states outside.
    pub fn leaving(&self, i: usize) -> f64 {
        self.leaving[i]
    }

    /// `residual = v + step * forcing - (I - step Q) x`, and bounds of the true residual (that of the true rates) in the
    /// norm with these inverse weights, and by row. `step` is a power of two.
    ///
    /// The product is formed of differences `x_j - x_i`: its error is relative to them, and they are small where states
    /// between which the chain moves quickly have nearly the same value.
    pub fn residual(
        &self,
        step: f64,
        x: &[f64],
        right: Right,
        inverse_weights: &[f64],
        [residual, unknown_by_row]: [&mut [f64]; 2],
    ) -> Residual {
        let Right { values: v, forcing } = right;
        let (mut largest, mut unknown) = (0.0f64, 0.0f64);
        let mut begin = self.row_start[0] as usize;
        for i in 0..self.len() {
            let end = self.row_start[i + 1] as usize;
            let xi = x[i];
            let (mut sum, mut size) = (0.0, 0.0);
            for (&j, &rate) in self.columns[begin..end].iter().zip(&self.rates[begin..end]) {
                let term = rate * (x[j as usize] - xi);
                sum += term;
                size += term.abs();
            }
            let out = self.leaving[i] * xi;
            sum -= out;
            size += out.abs();
            let pushed = forcing.map_or(0.0, |f| f[i]);
            let moved = step * (sum + pushed);
            let still = v[i] - xi;
            let r = still + moved;
            residual[i] = r;
            let terms = (end - begin) as f64;
            let size = step * size;
            // Differences, products and their sum; the forcing; the difference and the last sum; the rates.
            let error = U * ((terms + 8.0) * size + 8.0 * step * pushed.abs() + 4.0 * still.abs())
                + 2.0 * self.input * size;
            unknown_by_row[i] = error;
            largest = largest.max(r.abs() * inverse_weights[i]);
            unknown = unknown.max(error * inverse_weights[i]);
            begin = end;
        }
        Residual { computed: largest * (1.0 + 1e-12), unknown: unknown * (1.0 + 1e-12) }
    }

    /// `y = (I - step Q) x`
    pub fn apply(&self, step: f64, x: &[f64], y: &mut [f64]) {
        let mut begin = self.row_start[0] as usize;
        for i in 0..self.len() {
            let end = self.row_start[i + 1] as usize;
            let xi = x[i];
            let entries = self.columns[begin..end].iter().zip(&self.rates[begin..end]);
            let moved: f64 = entries.map(|(&j, &rate)| rate * (x[j as usize] - xi)).sum();
            y[i] = xi - step * (moved - self.leaving[i] * xi);
            begin = end;
        }
    }

    /// The least known `g >= 0` with `Q w <= g w`: no difference of two solutions grows faster than `exp(g t)` in the norm
    /// with the weights w. Infinite where that is not known.
    pub fn growth(&self, weights: &[f64]) -> f64 {
        let mut growth = 0.0f64;
        for (i, &w) in weights.iter().enumerate() {
            let (mut sum, mut size, mut terms) = (0.0, 0.0, 6.0);
            for (j, rate) in self.row(i) {
                let term = rate * (weights[j as usize] - w);
                sum += term;
                size += term.abs();
                terms += 1.0;
            }
            sum -= self.leaving[i] * w;
            size += self.leaving[i] * w;
            growth = growth.max((sum + ((terms + 4.0) * U + 2.0 * self.input) * size) / w);
        }
        if growth.is_nan() { f64::INFINITY } else { growth * (1.0 + 1e-12) }
    }
}
