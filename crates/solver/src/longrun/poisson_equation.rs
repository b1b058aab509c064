//! Poisson's equation `r + Q h = g` on one irreducible chain, and the average g that it bounds.

use volvelle_control::Stop;
use volvelle_space::Space;

use crate::krylov::{Bicgstab, Operator, Triangles, VECTORS};
use crate::rounding::{Sum, U, above, below, relative};

/// Rows of the chain over its own numbering.
pub struct Poisson {
    rates: Triangles,
    exit: Vec<f64>,
    reward: Vec<f64>,
    bias: Vec<f64>,
    /// Relative error of the rates.
    input: f64,
}

/// Bounds of the average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average {
    /// Lower and upper bound.
    pub bounds: [f64; 2],
    /// Iterations made.
    pub iterations: u64,
    /// The limit that ended the iteration.
    pub stop: Option<Stop>,
}

impl Average {
    /// Adds what more iterations have found.
    pub fn add(&mut self, more: Average) {
        self.bounds = [self.bounds[0].max(more.bounds[0]), self.bounds[1].min(more.bounds[1])];
        self.iterations += more.iterations;
        self.stop = more.stop;
    }
}

impl Poisson {
    /// On the states `members` of a space, a closed set; `place[s]` is the position of a state in it, `input` the relative error of rates.
    pub fn new(space: &Space, members: &[u32], place: &[u32], reward: &[f64], input: f64) -> Self {
        let entries = members.iter().map(|&s| space.row(s as usize).len()).sum();
        let mut poisson = Poisson {
            rates: Triangles::with_capacity(members.len(), entries),
            exit: Vec::with_capacity(members.len()),
            reward: members.iter().map(|&s| reward[s as usize]).collect(),
            bias: vec![0.0; members.len()],
            input,
        };
        for &s in members {
            let mut sum = Sum::default();
            let others = space.transitions(s as usize).filter(|&(t, v)| t != s as usize && v > 0.0);
            poisson.rates.push_row(others.map(|(t, v)| {
                sum.add(v);
                (place[t], v)
            }));
            poisson.exit.push(sum.value());
        }
        poisson
    }

    /// Bytes that solving takes.
    pub fn bytes(&self) -> u64 {
        (12 * self.rates.entries() + (32 + 8 * (VECTORS + 2)) * self.exit.len()) as u64
    }

    /// Goes on from another bias, if that gives narrower bounds.
    pub fn guess(&mut self, bias: Vec<f64>) {
        let width = |[lo, hi]: [f64; 2]| hi - lo;
        let before = width(self.bounds());
        let known = std::mem::replace(&mut self.bias, bias);
        if self.bias.iter().any(|v| !v.is_finite()) || width(self.bounds()) > before {
            self.bias = known;
        }
    }

    /// Sound bounds of the average from the current bias: least and largest entry of `r + Q h`, moved
    /// outwards by its rounding error.
    fn bounds(&self) -> [f64; 2] {
        let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in 0..self.exit.len() {
            let (mut sum, mut size, mut count) = (self.reward[i], self.reward[i].abs(), 4usize);
            for (j, v) in self.rates.row(i) {
                let term = v * (self.bias[j] - self.bias[i]);
                sum += term;
                size += term.abs();
                count += 1;
            }
            let error = size * relative(count as f64 * U) * (1.0 + 4.0 * U);
            if !error.is_finite() {
                // Biases of such size tell nothing.
                return [0.0, f64::INFINITY];
            }
            lo = lo.min(sum - error);
            hi = hi.max(sum + error);
        }
        // Errors of the input, relative by the perturbation theorem (the average is not negative).
        let input = relative(4.0 * self.exit.len() as f64 * self.input);
        [below(lo.max(0.0), input), above(hi.max(0.0), input)]
    }

    /// A Gauss–Seidel sweep on the bias for an assumed average.
    fn sweep(&mut self, average: f64) {
        for i in 0..self.exit.len() {
            let sum: f64 = self.rates.row(i).map(|(j, v)| v * self.bias[j]).sum();
            self.bias[i] = (self.reward[i] - average + sum) / self.exit[i];
        }
    }

    /// `r + Q h`, less its mean.
    fn residual(&self) -> Vec<f64> {
        let mut residual: Vec<f64> = (0..self.exit.len())
            .map(|i| {
                self.reward[i]
                    + self.rates.row(i).map(|(j, v)| v * (self.bias[j] - self.bias[i])).sum::<f64>()
            })
            .collect();
        remove_mean(&mut residual);
        residual
    }
}

/// The projection along the vector of ones: an unknown average drops out of the equations.
fn remove_mean(x: &mut [f64]) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    x.iter_mut().for_each(|v| *v -= mean);
}

impl Operator for Poisson {
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = self.rates.row(i).map(|(j, v)| v * (x[i] - x[j])).sum();
        }
        remove_mean(y);
    }

    /// Forward Gauss–Seidel: the lower triangle of -Q.
    fn precondition(&self, x: &[f64], y: &mut [f64], image: &mut [f64]) {
        self.rates.sweep(x, y, image, |i, v| v / self.exit[i]);
        remove_mean(image);
    }
}

/// Steps between two looks at the bounds.
const LOOKED_AT: u64 = 32;

/// Steps between two estimates of how many are left.
const ESTIMATED: u64 = 256;

/// Relative value iteration: `h` moves by the time of an event towards `r + Q h`, of which the least and the largest entry
/// never move apart (Odoni 1969). Slow where the chain mixes slowly, but it never goes astray, as methods of projection
/// do on chains that are far from symmetric. Ends as well where more than `limit` steps will be needed. `tolerance` tells how wide bounds
/// may be.
pub fn by_value_iteration(
    poisson: &mut Poisson,
    limit: u64,
    tolerance: &dyn Fn(f64, f64) -> f64,
    report: &mut impl FnMut(u64, f64) -> Result<(), Stop>,
) -> Average {
    // A little less than what the fastest state moves: then no step is periodic.
    let time = 0.97 / poisson.exit.iter().copied().fold(0.0, f64::max);
    let mut best = poisson.bounds();
    let (mut iterations, mut stop, mut before) = (0, None, f64::INFINITY);
    let mut moves = vec![0.0; poisson.exit.len()];
    while iterations < limit && stop.is_none() && best[1] - best[0] > tolerance(best[0], best[1]) {
        let middle = 0.5 * (best[0] + best[1]);
        for _ in 0..LOOKED_AT {
            let bias = &poisson.bias;
            for (i, to) in moves.iter_mut().enumerate() {
                let here = bias[i];
                let sum: f64 = poisson.rates.row(i).map(|(j, v)| v * (bias[j] - here)).sum();
                *to = (poisson.reward[i] + sum - middle) * time;
            }
            poisson.bias.iter_mut().zip(&moves).for_each(|(h, step)| *h += step);
        }
        iterations += LOOKED_AT;
        let [lo, hi] = poisson.bounds();
        best = [best[0].max(lo), best[1].min(hi)];
        let width = best[1] - best[0];
        stop = report(iterations, width).err();
        if iterations % ESTIMATED == 0 {
            let wanted = tolerance(best[0], best[1]);
            let left = (width / wanted).ln() / (before / width).ln() * ESTIMATED as f64;
            // Not a number: nothing was gained, or no more is wanted.
            if before.is_finite() && width > wanted && (left.is_nan() || left > (limit - iterations) as f64) {
                break;
            }
            before = width;
        }
    }
    Average { bounds: best, iterations, stop }
}

/// Iterations of one cycle of BiCGSTAB.
const CYCLE: u64 = 300;

/// States of a chain on which a step takes long enough to ask after each whether to stop.
const LARGE: usize = 1 << 16;

/// Iterates until the bounds of the average are accepted by `accepts`, or `limit` iterations are done. `report` gets
/// the number of iterations and the width now and then, and may stop the work: the bounds are as far as it got.
///
/// BiCGSTAB runs in cycles, each from the best bias so far and its true residual: the residual that the
/// recurrence carries along drifts away from it. A cycle ends when it has gained some digits, or when it
/// goes astray. Where a cycle gains nothing, Gauss–Seidel sweeps move the start.
pub fn average(
    poisson: &mut Poisson,
    limit: u64,
    accepts: &dyn Fn(f64, f64) -> bool,
    report: &mut impl FnMut(u64, f64) -> Result<(), Stop>,
) -> Average {
    let is_large = poisson.exit.len() > LARGE;
    let mut stop = None;
    let mut best = poisson.bounds();
    let mut narrowest = best[1] - best[0];
    let mut iterations = 0u64;
    let mut fruitless = 0u64;
    let mut kept = poisson.bias.clone();
    while !accepts(best[0], best[1]) && iterations < limit && fruitless < 12 && stop.is_none() {
        poisson.bias.copy_from_slice(&kept);
        if fruitless > 0 {
            for _ in 0..10 * (fruitless + 1) {
                poisson.sweep(0.5 * (best[0] + best[1]));
                iterations += 1;
            }
        }
        let mut solver = Bicgstab::new(poisson.residual());
        let mut bias = std::mem::take(&mut poisson.bias);
        let start = solver.residual();
        let (mut least, mut goal) = (start, 0.1 * start);
        let before = narrowest;
        for round in 1..=CYCLE {
            let alive = solver.step(poisson, &mut bias);
            iterations += 2;
            let residual = solver.residual();
            least = least.min(residual);
            if is_large {
                stop = report(iterations, best[1] - best[0]).err();
            }
            let astray = !alive || !residual.is_finite() || residual > 1e4 * least;
            if stop.is_some() {
                break;
            }
            if !astray && round % 25 != 0 && round < CYCLE && residual > goal {
                continue;
            }
            goal = 0.1 * residual;
            poisson.bias = bias;
            let [lo, hi] = poisson.bounds();
            if hi - lo < narrowest {
                narrowest = hi - lo;
                kept.copy_from_slice(&poisson.bias);
            }
            bias = std::mem::take(&mut poisson.bias);
            best = [best[0].max(lo), best[1].min(hi)];
            stop = report(iterations, best[1] - best[0]).err();
            if stop.is_some()
                || astray
                || accepts(best[0], best[1])
                || iterations >= limit
                || residual < 1e-4 * start
            {
                break;
            }
        }
        poisson.bias = bias;
        fruitless = if narrowest < 0.7 * before { 0 } else { fruitless + 1 };
    }
    poisson.bias.copy_from_slice(&kept);
    Average { bounds: best, iterations, stop }
}
