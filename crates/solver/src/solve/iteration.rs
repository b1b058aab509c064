//! Verified iteration over one strongly connected component.
//!
//! Sweeps ([`super::sweeper`]) find an approximate fixpoint; then a guessed interval around it is *verified*.
//! This is optimistic value iteration (Hartmanns, Kaminski, CAV 2020) with three changes:
//!
//! - The guess is centred on the extrapolated limit of the sweeps (geometric with the ratio seen), so
//!   few sweeps may suffice although the iterates are far from the fixpoint.
//! - Both ends are verified, by the same argument, so the sweeps before may be rounded anyhow. Let
//!   F be the exact operator, monotone with one fixpoint x (end components have been collapsed). If
//!   k sweeps rounded upwards give `G(y) >= F^k(y)` and `G(y) <= y`, then `F^k(y) <= y`, and so `x <= y`,
//!   and `x <= G(y)` as well. Dually for the lower end.
//! - k may be more than one: several sweeps carry the values of the exits, where a guess shrinks, to every state, so that
//!   rounding in between does no harm.
//!
//! Where the sweeps converge slowly, [`super::acceleration`] jumps to the values of the policy that
//! they suggest; the sweeps then continue from there.
//!
//! Rounding: a row with r entries is computed with a relative error below `(r + 8) U`, by which each
//! value is moved outwards. Errors of the input are added by the caller, through the perturbation theorem.

use volvelle_control::{Control, ProgressEvent, Stop};

use super::acceleration::Acceleration;
use super::block::Block;
use super::sweeper::Sweeper;
use super::verification::{loose_bounds, verify, verify_along};

/// Sweeps before the first jump in a component of that many unknowns: where solving a policy costs little, early.
fn first_jump(len: usize) -> u64 {
    match len {
        0..5_000 => 12,
        5_000..100_000 => 30,
        _ => 60,
    }
}

/// Relative change of a sweep above which values still spread through it: a policy that they
/// suggest is far from good, and its equations are hard to solve. A chain has one policy only.
fn settled_change(block: &Block) -> f64 {
    if block.len < 5_000 || block.is_chain() { 0.5 } else { 0.1 }
}

/// Sweeps before the first attempt to verify a guess that is not known to be close.
const FIRST_ATTEMPT: u64 = 64;

/// A jump is made if the sweeps would take that many times as long as they have taken.
const PATIENCE: f64 = 2.0;

/// Sweeps in whose time a jump can be made in a component of that many unknowns, about: where so few are left, they are made instead.
fn sweeps_of_a_jump(len: usize) -> f64 {
    (len as f64 / 20.0).min(300.0)
}

/// The outcome of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Whether the bounds are as narrow as requested; if not, they are still sound.
    pub converged: bool,
    /// Sweeps over the component.
    pub sweeps: u64,
    /// Whether the iteration was left because it converges slowly ([`Goal::until_slow`]).
    pub is_slow: bool,
}

/// The condition under which an iteration ends.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// Relative width of the bounds, beyond what the constants are wide themselves.
    pub width: f64,
    /// Most sweeps.
    pub limit: u64,
    /// Whether to leave instead of making the first jump, for another method.
    pub until_slow: bool,
}

/// Iterates until the bounds of the block are narrow enough, or all sweeps that `goal` allows have been made by `sweeper`.
/// `x` holds the first guess, and on return the last iterate; the result goes to `bounds`. Both are indexed by all unknowns.
pub fn iterate(
    block: &Block,
    x: &mut [f64],
    bounds: &mut [[f64; 2]],
    Goal { width, limit, until_slow }: Goal,
    sweeper: &mut Sweeper,
    acceleration: &mut Acceleration,
    control: &Control,
) -> Result<Outcome, Stop> {
    let first_jump = first_jump(block.len);
    let settled_change = settled_change(block);
    let mut next_jump = first_jump;
    let mut sweeps = 0u64;
    let mut next_attempt = FIRST_ATTEMPT;
    let mut previous = f64::INFINITY;
    let mut unchecked = 0u64;
    let step = sweeper.sweeps();
    let work = step * block.work().max(1);
    while sweeps < limit {
        let change = sweeper.step(block, x)?;
        sweeps += step;
        unchecked += work;
        if unchecked > 4_000_000 {
            unchecked = 0;
            if let Err(stop) = control.check() {
                sweeper.fetch(x)?;
                return Err(stop);
            }
            control.progress.report(ProgressEvent::Solving {
                what: "verified iteration",
                done: sweeps,
                total: 0,
                error: change,
            });
        }
        // The changes of two steps in a row give the rate, and with it the distance to the limit.
        let ratio = change / previous;
        let error =
            if previous.is_finite() && ratio < 1.0 { change * ratio / (1.0 - ratio) } else { f64::INFINITY };
        let close = error < width / 8.0;
        let sweeps_left = step as f64 * (width / 8.0 / error).ln() / ratio.ln();
        // While values still spread through the component, the rate means nothing.
        let soon = sweeps_left < (PATIENCE * sweeps as f64).max(sweeps_of_a_jump(block.len));
        let slow = previous.is_finite() && (ratio >= 1.0 || !soon);
        let settled = change < settled_change || sweeps > 20 * first_jump;
        previous = change;
        if !close && settled && sweeps >= next_jump && slow {
            next_jump = 2 * sweeps;
            sweeper.fetch(x)?;
            if until_slow {
                return Ok(Outcome { converged: false, sweeps, is_slow: true });
            }
            let outcome = jump(block, x, bounds, width, acceleration, control)?;
            sweeps += outcome.sweeps;
            if outcome.converged {
                return Ok(Outcome { sweeps, ..outcome });
            }
            if outcome.sweeps > 0 {
                sweeper.put(x);
                next_attempt = sweeps;
                previous = f64::INFINITY;
            }
        }
        // Where the end is in sight, an attempt before it would only disturb.
        let hopeful = sweeps < next_attempt || (!slow && error.is_finite() && sweeps < 2 * next_attempt);
        if change != 0.0 && !close && hopeful {
            continue;
        }
        let tries = (sweeps / 2).clamp(8, 4096);
        extrapolate(block, x, bounds, change, sweeper)?;
        sweeps += step;
        let (done, verified) = verify(block, x, bounds, &|i| x[i] * width / 2.5, tries, control)?;
        sweeps += done;
        if verified == [true; 2] {
            return Ok(Outcome { converged: true, sweeps, is_slow: false });
        }
        for i in block.first..block.first + block.len {
            let middle = 0.5 * (bounds[i][0] + bounds[i][1]);
            if middle.is_finite() {
                x[i] = middle;
            }
        }
        sweeper.put(x);
        previous = f64::INFINITY;
        next_attempt = 2 * sweeps;
    }
    sweeper.fetch(x)?;
    sweeps += loose_bounds(block, x, bounds, width, &acceleration.weight, control)?;
    Ok(Outcome { converged: false, sweeps, is_slow: false })
}

/// Jumps to the values of a good policy and tries to verify them along its weights. Where there is no such policy, no
/// sweep is made.
pub fn jump(
    block: &Block,
    x: &mut [f64],
    bounds: &mut [[f64; 2]],
    width: f64,
    acceleration: &mut Acceleration,
    control: &Control,
) -> Result<Outcome, Stop> {
    if !acceleration.jump(block, x, width, control)? {
        return Ok(Outcome { converged: false, sweeps: 0, is_slow: false });
    }
    block.sweep(x);
    let (done, verified) = verify_along(block, x, bounds, width, &acceleration.weight, control)?;
    Ok(Outcome { converged: verified == [true; 2], sweeps: 1 + done, is_slow: false })
}

/// Makes a step and moves `x` to the limit of a geometric sequence of changes, given the change of the step before; uses
/// `bounds` as scratch.
fn extrapolate(
    block: &Block,
    x: &mut [f64],
    bounds: &mut [[f64; 2]],
    change: f64,
    sweeper: &mut Sweeper,
) -> Result<(), Stop> {
    sweeper.fetch(x)?;
    let range = block.first..block.first + block.len;
    for i in range.clone() {
        bounds[i][0] = x[i];
    }
    let next = sweeper.step(block, x)?;
    sweeper.fetch(x)?;
    let ratio = next / change;
    if !(change > 0.0 && ratio > 0.0 && ratio < 0.999_999_9) {
        return Ok(());
    }
    let factor = ratio / (1.0 - ratio);
    for i in range {
        let moved = x[i] + (x[i] - bounds[i][0]) * factor;
        let highest = if block.probability { 1.0 } else { f64::MAX };
        if moved > 0.5 * x[i] && moved <= highest {
            x[i] = moved;
        }
    }
    Ok(())
}
