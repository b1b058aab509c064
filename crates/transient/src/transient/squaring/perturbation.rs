//! What errors of the rates do to the exponential of the generator, at most.
//!
//! Rates are known up to a relative error e. Naively, that of an entry grows by e with every event; but fast moves between
//! states that hardly differ do no harm, nor do fast states that are left at once. Let `u` be a solution, `Q + D` the true
//! generator with `|D_ij| <= e Q_ij`, and let, for some numbers `a_i >= 0` and a growth g, in every state i (what ends the run
//! counts as a move to zero)
//!
//! `sum_j Q_ij |u_j - u_i| <= g u_i + sum_j Q_ij (a_i - a_j) u_j`.
//!
//! Then `(1 + e a_i) exp(e g t) u_i` and `(1 - e a_i) exp(-e g t) u_i` have defects of one sign for the true equation, up to
//! squares of e, and as the true semigroup is monotone, they bound its solution. At times s from t on, `u(s) = M(t) u(s - t)`
//! with the exponential `M(t)`: it is enough that each column of `M(t)` fulfils the condition, for all later times.
//!
//! Whatever the `a_i` are, g follows; they are guessed by iterating the condition for a small g, as relative values in average-reward
//! problems are.

use volvelle_solver::rounding::U;

use super::matrix::Matrix;
use super::sparse::{Collected, Sparse};

/// No `a_i` is above this.
const MOST: f64 = 1e4;

/// The growth that is aimed at, for the whole time.
const AIM: f64 = 100.0;

/// Sweeps to guess the `a_i`.
const SWEEPS: usize = 40;

/// The error of later times: it grows by the error of the rates, times `once` and times `growth` for each event.
#[derive(Clone, Copy, Debug)]
pub struct Perturbation {
    /// For each event.
    pub growth: f64,
    /// Once.
    pub once: f64,
}

impl Perturbation {
    /// What it adds in this many events.
    pub fn after(self, events: f64) -> f64 {
        let sum = (self.growth * events + self.once) * (1.0 + 1e-9);
        if sum.is_nan() { f64::INFINITY } else { sum }
    }
}

/// The sides of the condition, for each state and column.
struct Condition<'a> {
    chain: &'a Sparse,
    matrix: &'a Matrix,
    /// `sum_j Q_ij |M_jk - M_ik|`
    differences: Vec<f64>,
    /// `sum_j Q_ij M_jk`
    moved: Vec<f64>,
    /// Relative error of what is computed.
    slack: f64,
    /// Entries below this have no digits that others could be compared with.
    least: f64,
    /// Relative error of the rates.
    rates: f64,
}

/// The perturbation of all entries, or of the column of the states that are entered alone, at times from that of a matrix on. Its
/// entries have this relative error where they are not below `least`.
pub fn perturbation(
    chain: &Sparse,
    matrix: &Matrix,
    [events, rates]: [f64; 2],
    [slack, least]: [f64; 2],
    of_entered: bool,
) -> Perturbation {
    let condition = Condition::new(chain, matrix, [slack, least], rates, of_entered);
    let plain = condition.growth(&vec![0.0; chain.len()]);
    if plain * events <= AIM {
        return Perturbation { growth: plain, once: 0.0 };
    }
    let relative = condition.guess(AIM / events);
    let once = relative.iter().copied().fold(0.0, f64::max);
    let better = Perturbation { growth: condition.growth(&relative), once };
    let plain = Perturbation { growth: plain, once: 0.0 };
    if better.after(events) < plain.after(events) { better } else { plain }
}

impl<'a> Condition<'a> {
    fn new(
        chain: &'a Sparse,
        matrix: &'a Matrix,
        [slack, least]: [f64; 2],
        rates: f64,
        of_entered: bool,
    ) -> Self {
        let seen = |value: f64| if value < least { 0.0 } else { value };
        let (states, n) = (chain.states(), chain.len());
        let mut differences = vec![0.0; states * n];
        let mut moved = vec![0.0; states * n];
        for i in 0..states {
            let [high, low] = matrix.row(i);
            let difference = &mut differences[i * n..(i + 1) * n];
            let moved = &mut moved[i * n..(i + 1) * n];
            difference.iter_mut().zip(high).for_each(|(d, &v)| *d = chain.killed[i] * seen(v));
            for &(j, weight) in chain.row(i) {
                let [other_high, other_low] = matrix.row(j as usize);
                moved.iter_mut().zip(other_high).for_each(|(m, &v)| *m += weight * seen(v));
                match chain.collected {
                    // What is collected is linear in the rewards.
                    Collected::Rewards if j as usize >= states => {}
                    // Its value is one, and that of the state is at least its entry.
                    Collected::Entered if of_entered && j as usize >= states => {
                        difference[n - 1] += weight * ((1.0 - high[n - 1]) - low[n - 1]).max(0.0);
                    }
                    _ => {
                        for k in 0..n {
                            let apart = (other_high[k] - high[k]) + (other_low[k] - low[k]);
                            difference[k] += match high[k] < least || other_high[k] < least {
                                true => weight * seen(high[k]).max(seen(other_high[k])),
                                false => weight * apart.abs(),
                            };
                        }
                    }
                }
            }
        }
        Condition { chain, matrix, differences, moved, slack, least, rates }
    }

    /// The growth that goes with these numbers.
    fn growth(&self, relative: &[f64]) -> f64 {
        let n = self.chain.len();
        let once = relative.iter().copied().fold(0.0, f64::max);
        let slack = self.slack + 4.0 * U * (self.chain.longest() as f64 + 8.0);
        let mut back = vec![0.0; n];
        let mut growth = 0.0f64;
        for i in 0..self.chain.states() {
            self.back(i, relative, &mut back);
            let [high, _] = self.matrix.row(i);
            for k in 0..n {
                let (difference, moved) = (self.differences[i * n + k], self.moved[i * n + k]);
                let kept = relative[i] * moved;
                // All exit rates are below one here. Rounding, and squares of the error of the rates.
                let unknown = slack * (difference + back[k] + kept + moved + 2.0 * self.seen(high[k]))
                    + self.rates * once * (moved + 2.0 * self.seen(high[k]));
                let missing = (difference + back[k]) - kept;
                if missing + unknown > 0.0 {
                    growth = growth.max((missing + unknown) / self.seen(high[k]));
                }
            }
        }
        if growth.is_nan() { f64::INFINITY } else { growth * (1.0 + 1e-9) }
    }

    /// An entry, if it has digits that can be compared.
    fn seen(&self, value: f64) -> f64 {
        if value < self.least { 0.0 } else { value }
    }

    /// `sum_j Q_ij a_j M_jk` for each column.
    fn back(&self, i: usize, relative: &[f64], back: &mut [f64]) {
        back.fill(0.0);
        for &(j, weight) in self.chain.row(i) {
            let weight = weight * relative[j as usize];
            if weight > 0.0 {
                let [high, _] = self.matrix.row(j as usize);
                back.iter_mut().zip(high).for_each(|(b, &v)| *b += weight * self.seen(v));
            }
        }
    }

    /// Numbers with which the growth is about this, where there are some.
    fn guess(&self, growth: f64) -> Vec<f64> {
        let (states, n) = (self.chain.states(), self.chain.len());
        let mut relative = vec![0.0; n];
        let mut back = vec![0.0; n];
        // As much work as a squaring.
        let entries: usize = (0..states).map(|i| self.chain.row(i).len()).sum();
        let sweeps = (8 * n * n / entries.max(1)).clamp(2, SWEEPS);
        for _ in 0..sweeps {
            let mut is_steady = true;
            for i in 0..states {
                self.back(i, &relative, &mut back);
                let [high, _] = self.matrix.row(i);
                let mut needed = 0.0f64;
                for k in 0..n {
                    let missing = self.differences[i * n + k] + back[k] - growth * self.seen(high[k]);
                    if missing > 0.0 {
                        needed = needed.max(missing / self.moved[i * n + k]);
                    }
                }
                let needed = (needed * (1.0 + 1e-6)).min(MOST);
                is_steady &= needed <= relative[i];
                relative[i] = needed.max(relative[i]);
            }
            if is_steady {
                break;
            }
        }
        relative
    }
}
