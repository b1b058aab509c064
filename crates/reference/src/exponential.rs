//! Transient analysis of small CTMCs by the exponential of a dense matrix.

use volvelle_space::{BitSet, Kind, Space};

use super::{Random, Rows, random_rows, space};

/// exp(Q t) by scaling, a Taylor series and squaring; dense. Kept free of cancellation by working with the
/// uniformised matrix, so small entries are accurate relatively. The first `conserved` columns of a row sum to
/// one, which keeps common factors from drifting.
pub fn exponential(q: &[Vec<f64>], conserved: usize, t: f64) -> Vec<Vec<f64>> {
    let n = q.len();
    let rate = (0..n).map(|i| -q[i][i]).fold(1e-9, f64::max) * 2.0;
    let squarings = (rate * t).log2().ceil().max(0.0) as i32 + 4;
    let h = t / 2f64.powi(squarings);
    let multiply = |a: &[Vec<f64>], b: &[Vec<f64>]| -> Vec<Vec<f64>> {
        (0..n).map(|i| (0..n).map(|j| (0..n).map(|k| a[i][k] * b[k][j]).sum()).collect()).collect()
    };
    // exp(Qh) = exp(-rate h) sum (rate h P)^k / k!, all terms positive.
    let step: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| (q[i][j] + if i == j { rate } else { 0.0 }) * h).collect()).collect();
    let identity: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let mut sum = identity.clone();
    let mut term = identity;
    for k in 1..40 {
        term = multiply(&term, &step)
            .into_iter()
            .map(|r| r.into_iter().map(|v| v / k as f64).collect())
            .collect();
        for i in 0..n {
            for j in 0..n {
                sum[i][j] += term[i][j];
            }
        }
    }
    let scale = (-rate * h).exp();
    sum.iter_mut().flatten().for_each(|v| *v *= scale);
    for _ in 0..squarings {
        sum = multiply(&sum, &sum);
        for row in sum.iter_mut().take(conserved) {
            let total: f64 = row[..conserved].iter().sum();
            row.iter_mut().for_each(|v| *v /= total);
        }
    }
    sum
}

/// The generator of a CTMC without the transitions out of `absorbing` states.
pub fn generator(space: &Space, absorbing: &BitSet) -> Vec<Vec<f64>> {
    let n = space.num_states();
    let mut q = vec![vec![0.0; n]; n];
    for s in (0..n).filter(|&s| !absorbing.contains(s)) {
        for (t, v) in space.transitions(s).filter(|&(t, _)| t != s) {
            q[s][t] += v;
            q[s][s] -= v;
        }
    }
    q
}

/// A random CTMC; `stiff`: its rates differ by orders of magnitude.
pub fn random_ctmc(random: &mut Random, n: usize, stiff: bool) -> Space {
    let rows: Rows = random_rows(random, n, 1)
        .into_iter()
        .map(|state| {
            let scale =
                if stiff { 10f64.powi(random.below(6) as i32 - 2) } else { 0.5 + random.below(4) as f64 };
            vec![state[0].iter().map(|&(t, v)| (t, v * scale)).collect()]
        })
        .collect();
    space(Kind::Ctmc, &rows)
}

/// Whether bounds contain a number that the exponential gave, and are narrow.
pub fn assert_close([lo, hi]: [f64; 2], reference: f64, what: &str) {
    // The reference squares some twenty times, each time losing digits.
    let slack = 1e-11 * reference.abs() + 1e-20;
    assert!(lo <= reference + slack && reference - slack <= hi, "{what}: [{lo:e}, {hi:e}] and {reference:e}");
    assert!(hi - lo <= 1e-6 * hi + 1e-20, "{what}: [{lo:e}, {hi:e}] is wide");
}
