//! A Gaussian process over configurations: predicts the logarithm of the time, and its uncertainty.
//!
//! Matérn covariance (5/2) with one length for each dimension, noise, and a linear term in the prediction of a model; lengths
//! and noise are those of greatest marginal likelihood on a grid, by coordinate ascent; mean and amplitude follow in closed form
//! (Rasmussen and Williams, *Gaussian Processes for Machine Learning*, 2006, sections 2.2, 4.2, 5.4).

/// A point: its coordinates, and the model's prediction, centred and in units of its spread (or 0).
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) coordinates: Vec<f64>,
    pub(super) trend: f64,
}

/// Inverse squared lengths, and the variance of noise relative to the amplitude.
#[derive(Clone, Debug)]
struct Shape {
    inverse: Vec<f64>,
    noise: f64,
    slope: f64,
}

/// Grid of inverse squared lengths, from constant to rough.
const INVERSE: [f64; 6] = [0.01, 0.25, 1.0, 4.0, 16.0, 64.0];
const NOISE: [f64; 4] = [1e-4, 1e-3, 1e-2, 1e-1];
/// The variance of the slope on the model's prediction. The caller has subtracted its mean.
const SLOPE: f64 = 0.25;

/// Where a model is wrong for some values of a parameter, this says little about values far away: so the
/// unexplained rest has lengths of a quarter of the range, up to a factor of e^½ (this is the inverse
/// square). Otherwise two neighbouring configurations that are slower than predicted would make the model
/// wrong by the same factor everywhere.
const LOCAL: f64 = 16.0;

/// A fitted process.
#[derive(Clone, Debug)]
pub(super) struct Surrogate {
    points: Vec<Point>,
    shape: Shape,
    /// Rows of the lower triangular factor of the covariance.
    factor: Vec<Vec<f64>>,
    /// Covariance⁻¹ (values − mean).
    weights: Vec<f64>,
    mean: f64,
    amplitude: f64,
    /// The logarithm of the marginal likelihood, up to a constant.
    pub(super) score: f64,
}

impl Surrogate {
    /// Fits a process to values at points, of which there is at least one. Starts from the shape of an `earlier` fit.
    pub(super) fn fit(points: &[Point], values: &[f64], earlier: Option<&Surrogate>) -> Self {
        let dimensions = points[0].coordinates.len();
        let has_trend = points.iter().any(|point| point.trend != 0.0);
        let slope = if has_trend { SLOPE } else { 0.0 };
        let start =
            Shape { inverse: vec![if has_trend { LOCAL } else { 1.0 }; dimensions], noise: 1e-3, slope };
        let mut best = earlier.map_or(start, |earlier| earlier.shape.clone());
        let mut score = likelihood(points, values, &best);
        // A few values say nothing about lengths.
        let sweeps = if values.len() < 4 { 0 } else { 2 };
        for _ in 0..sweeps {
            let before = score;
            let mut attempt = |shape: Shape, best: &mut Shape| {
                let found = likelihood(points, values, &shape);
                if found > score {
                    score = found;
                    *best = shape;
                }
            };
            // All lengths together, then one by one.
            for factor in [0.25, 0.5, 2.0, 4.0] {
                let inverse = best.inverse.iter().map(|i| (i * factor).clamp(0.01, 64.0)).collect();
                attempt(Shape { inverse, ..best.clone() }, &mut best);
            }
            for dimension in 0..dimensions {
                for value in INVERSE {
                    let mut shape = best.clone();
                    shape.inverse[dimension] = value;
                    attempt(shape, &mut best);
                }
            }
            for noise in NOISE {
                attempt(Shape { noise, ..best.clone() }, &mut best);
            }
            if score - before < 1e-3 {
                break;
            }
        }
        let (factor, weights, mean, amplitude) = solve(points, values, &best);
        Surrogate { points: points.to_vec(), shape: best, factor, weights, mean, amplitude, score }
    }

    /// Mean and standard deviation at a point. `buffer` saves allocations.
    pub(super) fn predict(&self, at: &Point, buffer: &mut Vec<f64>) -> (f64, f64) {
        buffer.clear();
        let mut mean = self.mean;
        for (point, weight) in self.points.iter().zip(&self.weights) {
            let covariance = self.shape.covariance(point, at);
            buffer.push(covariance);
            mean += covariance * weight;
        }
        let mut explained = 0.0;
        for (i, row) in self.factor.iter().enumerate() {
            let (before, own) = row.split_at(i);
            let sum: f64 = before.iter().zip(buffer.iter()).map(|(a, b)| a * b).sum();
            buffer[i] = (buffer[i] - sum) / own[0];
            explained += buffer[i] * buffer[i];
        }
        let variance = self.shape.covariance(at, at) - explained;
        (mean, (self.amplitude * variance.max(1e-12)).sqrt())
    }
}

impl Shape {
    fn covariance(&self, a: &Point, b: &Point) -> f64 {
        let squares = a.coordinates.iter().zip(&b.coordinates).zip(&self.inverse);
        let squared: f64 = squares.map(|((x, y), inverse)| (x - y) * (x - y) * inverse).sum();
        let distance = (5.0 * squared).sqrt();
        (1.0 + distance + distance * distance / 3.0) * libm::exp(-distance) + self.slope * a.trend * b.trend
    }
}

/// The lower triangular factor of the covariance of some points, after Cholesky.
fn factor(points: &[Point], shape: &Shape) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(points.len());
    for (i, point) in points.iter().enumerate() {
        let mut row = Vec::with_capacity(i + 1);
        for (j, other) in points[..=i].iter().enumerate() {
            let mut value = shape.covariance(point, other);
            if i == j {
                let squares: f64 = row.iter().map(|x: &f64| x * x).sum();
                row.push((value + shape.noise - squares).max(1e-10).sqrt());
            } else {
                let done: &Vec<f64> = &rows[j];
                value -= row.iter().zip(done).map(|(a, b)| a * b).sum::<f64>();
                row.push(value / done[j]);
            }
        }
        rows.push(row);
    }
    rows
}

/// Solves `factor · factorᵀ x = right`.
fn solved(factor: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut x = right.to_vec();
    for i in 0..x.len() {
        let sum: f64 = factor[i][..i].iter().zip(&x).map(|(a, b)| a * b).sum();
        x[i] = (x[i] - sum) / factor[i][i];
    }
    for i in (0..x.len()).rev() {
        x[i] /= factor[i][i];
        let own = x[i];
        for (j, value) in factor[i][..i].iter().enumerate() {
            x[j] -= value * own;
        }
    }
    x
}

type Solution = (Vec<Vec<f64>>, Vec<f64>, f64, f64);

fn solve(points: &[Point], values: &[f64], shape: &Shape) -> Solution {
    let factor = factor(points, shape);
    let ones = solved(&factor, &vec![1.0; values.len()]);
    let total: f64 = ones.iter().sum();
    let mean = ones.iter().zip(values).map(|(a, b)| a * b).sum::<f64>() / total;
    let centred: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let weights = solved(&factor, &centred);
    let squares: f64 = weights.iter().zip(&centred).map(|(a, b)| a * b).sum();
    // A prior keeps the spread above zero, also for one value or equal ones: times within a factor of about
    // e.
    let prior = 1.0;
    let amplitude = (squares + prior) / (values.len() as f64 + 1.0);
    (factor, weights, mean, amplitude)
}

/// The logarithm of the marginal likelihood, up to a constant.
fn likelihood(points: &[Point], values: &[f64], shape: &Shape) -> f64 {
    let (factor, _, _, amplitude) = solve(points, values, shape);
    let determinant: f64 = factor.iter().enumerate().map(|(i, row)| libm::log(row[i])).sum();
    let unusual = |inverse: &f64| libm::log(inverse / LOCAL);
    let prior: f64 = match shape.slope > 0.0 {
        true => shape.inverse.iter().map(|inverse| -0.5 * unusual(inverse) * unusual(inverse)).sum(),
        false => 0.0,
    };
    -0.5 * values.len() as f64 * libm::log(amplitude) - determinant + prior
}
