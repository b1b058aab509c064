//! Phase-type distributions with a given mean and coefficient of variation.
//!
//! All are chains of exponential stages that are left early with some probability (Cox 1955). For a squared coefficient of variation
//! c² < 1 a mixture of Erlang distributions with k − 1 and k stages of the same rate, 1/k ≤ c² ≤ 1/(k − 1); for c² > 1 a Coxian
//! distribution of two stages, with the first one of the rate 2 / mean (H. C. Tijms, *Stochastic Models*, 1994, appendix B;
//! T. Altiok, *On the phase-type approximations of general distributions*, IIE Transactions 17, 1985, doi:10.1080/07408178508975280).

use crate::machine::Stage;

/// The largest number of stages that a distribution may have.
pub const MOST_STAGES: u32 = 64;

/// `k` equal stages with a mean of one in all.
pub fn erlang(k: u32) -> Vec<Stage> {
    let mean = 1.0 / f64::from(k);
    let stage = |number| Stage { mean, goes_on: if number < k { 1.0 } else { 0.0 }, station: None };
    (1..=k).map(stage).collect()
}

/// Stages with mean one and a coefficient of variation; `None` where that takes more than [`MOST_STAGES`].
pub fn with_variation(variation: f64) -> Option<Vec<Stage>> {
    let square = variation * variation;
    if !square.is_finite() || square * f64::from(MOST_STAGES) < 1.0 {
        return None;
    }
    if (square - 1.0).abs() < 1e-12 {
        return Some(erlang(1));
    }
    if square > 1.0 {
        // Rates 2 and 1 / c², the second stage with probability 1 / (2 c²).
        let second = 1.0 / (2.0 * square);
        return Some(vec![
            Stage { mean: 0.5, goes_on: second, station: None },
            Stage { mean: square, goes_on: 0.0, station: None },
        ]);
    }
    let k = (1.0 / square - 1e-9).ceil().max(2.0);
    // With probability p one stage fewer, all with rate k − p.
    let p = ((k * square - (k * (1.0 + square) - k * k * square).max(0.0).sqrt()) / (1.0 + square))
        .clamp(0.0, 1.0);
    let mean = 1.0 / (k - p);
    let k = k as u32;
    if p < 1e-12 {
        return Some(erlang(k));
    }
    let goes_on = |number: u32| match k - number {
        0 => 0.0,
        1 => 1.0 - p,
        _ => 1.0,
    };
    Some((1..=k).map(|number| Stage { mean, goes_on: goes_on(number), station: None }).collect())
}
