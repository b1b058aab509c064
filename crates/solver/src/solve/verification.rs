//! Verification of guessed bounds: a few sweeps, rounded outwards, that show that the solution lies between them.
//!
//! The module comment of [`super::iteration`] has the argument.

use volvelle_control::{Control, Stop};

use super::block::Block;
use crate::rounding::slack;

/// The largest multiple of the weights that keeps the guess within the requested width.
pub fn affordable_step(block: &Block, x: &[f64], width: f64, weight: &[f64]) -> f64 {
    let mut step = f64::INFINITY;
    for (w, v) in weight.iter().zip(&x[block.first..]) {
        if *w > 0.0 {
            step = step.min(width / 2.5 * v / w);
        }
    }
    step
}

/// Tries to verify guesses along the weights of a jump: as narrow as requested, and no narrower than rounding
/// allows.
pub fn verify_along(
    block: &Block,
    x: &[f64],
    bounds: &mut [[f64; 2]],
    width: f64,
    weight: &[f64],
    control: &Control,
) -> Result<(u64, [bool; 2]), Stop> {
    let step = affordable_step(block, x, width, weight);
    if !(step.is_finite() && step > 4.0 * slack(block.longest() + 8)) {
        return Ok((0, [false; 2]));
    }
    verify(block, x, bounds, &|i| step * weight[i - block.first], 24, control)
}

/// Tries to verify `x - margin` and `x + margin` in at most `tries` sweeps. Says how many were made and which
/// ends hold; `bounds` holds the iterated ends.
pub fn verify(
    block: &Block,
    x: &[f64],
    bounds: &mut [[f64; 2]],
    margin: &dyn Fn(usize) -> f64,
    tries: u64,
    control: &Control,
) -> Result<(u64, [bool; 2]), Stop> {
    let range = block.first..block.first + block.len;
    let error = slack(block.longest() + 8);
    let (down, up) = (1.0 - error, 1.0 + error);
    // The solution scales with the constants: where these are wide, the guess must be.
    let (mut lowest, mut highest) = (1.0f64, 1.0f64);
    for [lo, hi] in block.constant.iter() {
        let middle = 0.5 * (lo + hi);
        // Below this there is only underflow, whose width means nothing.
        if middle > 1e-280 {
            lowest = lowest.min(lo / middle);
            highest = highest.max(hi / middle);
        }
    }
    let guess =
        |i: usize| [(x[i] - margin(i)).max(0.0) * lowest, ((x[i] + margin(i)) * highest).min(block.highest)];
    for i in range.clone() {
        bounds[i] = guess(i);
    }
    let mut verified = [false; 2];
    for k in 1..=tries {
        // The two orders alternate, so that values are carried in both directions.
        block.sweep_bounds(bounds, down, up, k % 2 == 1);
        verified = [true; 2];
        for i in range.clone() {
            let [lo, hi] = guess(i);
            verified[0] &= bounds[i][0] >= lo;
            verified[1] &= bounds[i][1] <= hi;
        }
        if verified == [true; 2] {
            return Ok((k, verified));
        }
        if (k * block.work()) % 4_000_000 < block.work() {
            control.check()?;
        }
    }
    Ok((tries, verified))
}

/// Extracts sound bounds from an iterate that was left in the middle: the narrowest of a few intervals around it that a
/// handful of sweeps verifies.
pub fn extract_bounds(block: &Block, x: &[f64], bounds: &mut [[f64; 2]]) -> Result<(), Stop> {
    let control = Control::unlimited();
    let range = block.first..block.first + block.len;
    let mut best: Vec<[f64; 2]> =
        range.clone().map(|_| [0.0, if block.probability { 1.0 } else { f64::INFINITY }]).collect();
    let mut found = [false; 2];
    for margin in [1e-6, 1e-3, 0.1, 0.6] {
        let (_, verified) = verify(block, x, bounds, &|i| x[i] * margin, 8, &control)?;
        for side in 0..2 {
            if verified[side] && !found[side] {
                found[side] = true;
                best.iter_mut().zip(range.clone()).for_each(|(b, i)| b[side] = bounds[i][side]);
            }
        }
    }
    bounds[range].copy_from_slice(&best);
    Ok(())
}

/// The best sound bounds around `x` that a few sweeps verify.
pub fn loose_bounds(
    block: &Block,
    x: &[f64],
    bounds: &mut [[f64; 2]],
    width: f64,
    weight: &[f64],
    control: &Control,
) -> Result<u64, Stop> {
    let range = block.first..block.first + block.len;
    let mut best: [Option<Vec<f64>>; 2] = [None, None];
    let mut sweeps = 0;
    let mut keep = |bounds: &[[f64; 2]], verified: [bool; 2]| {
        for (side, found) in best.iter_mut().enumerate() {
            if verified[side] && found.is_none() {
                *found = Some(range.clone().map(|i| bounds[i][side]).collect());
            }
        }
        best.iter().all(Option::is_some)
    };
    let mut done = false;
    if !weight.is_empty() {
        // As narrow as rounding permits.
        let step = 8.0 * slack(block.longest() + 8);
        let (tries, verified) = verify(block, x, bounds, &|i| step * weight[i - block.first], 24, control)?;
        sweeps += tries;
        done = keep(bounds, verified);
    }
    let mut margin = width;
    while margin < 0.9 && !done {
        let (tries, verified) = verify(block, x, bounds, &|i| x[i] * margin, 64, control)?;
        sweeps += tries;
        done = keep(bounds, verified);
        margin *= 4.0;
    }
    for (at, i) in range.enumerate() {
        bounds[i][0] = best[0].as_ref().map_or(0.0, |b| b[at]);
        bounds[i][1] =
            best[1].as_ref().map_or(if block.probability { 1.0 } else { f64::INFINITY }, |b| b[at]);
    }
    Ok(sweeps)
}
