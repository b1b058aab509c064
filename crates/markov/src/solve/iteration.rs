//! Verified iteration over one strongly connected component.
//!
//! Sweeps ([`super::search`]) find an approximate fixpoint; then a guessed interval around it is *verified*.
//! This is optimistic value iteration (Hartmanns, Kaminski, CAV 2020) with three changes:
//!
//! - The guess is centred on the extrapolated limit of the sweeps (geometric with the ratio seen), so
//!   few sweeps may suffice although the iterates are far from the fixpoint.
//! - Both ends are verified, by the same argument, so the sweeps before may be rounded anyhow. Let
//!   F be the exact operator, monotone with one fixpoint x (end components have been collapsed). If
//!   k sweeps rounded upwards give `G(y) >= F^k(y)` and `G(y) <= y`, then `F^k(y) <= y`, and so `x <= y`,
//!   and `x <= G(y)` as well. Dually for the lower end.
//! - k may be more than one: after several sweeps every state has felt the exits, where a guess
//!   shrinks, so rounding in between does no harm.
//!
//! Where the sweeps converge slowly, [`super::acceleration`] jumps to the values of the policy that
//! they suggest; the sweeps then go on from there.
//!
//! Rounding: a row with r entries is computed with a relative error below `(r + 8) U`, by which each
//! value is moved outwards. Errors of the input are added by the caller, through the perturbation theorem.

use volvelle_control::{Control, News, Stop};
use volvelle_logic::Optimum;
use volvelle_space::{Values, View};

use super::acceleration::Acceleration;
use super::search::Search;
use super::system::{Intervals, System};
use crate::rounding::slack;

/// One component with the values of everything below it put in.
pub struct Block<'a> {
    /// The equations.
    pub system: &'a System,
    /// Unknowns `first..first + len`.
    pub first: usize,
    /// Number of unknowns.
    pub len: usize,
    /// Constant part of the choices of the block.
    pub constant: &'a Intervals,
    /// Weight with which the choices of the block leave it.
    pub exit: &'a Values,
    /// Values are probabilities: never above one.
    pub probability: bool,
}

/// Sweeps before the first jump in a component of that many unknowns: where solving a policy costs little, early.
fn first_jump(len: usize) -> u64 {
    match len {
        0..5_000 => 12,
        5_000..100_000 => 30,
        _ => 60,
    }
}

/// Sweeps before the first attempt to verify a guess that is not known to be close.
const FIRST_ATTEMPT: u64 = 64;

/// A jump is made if the sweeps would take that many times as long as they have taken.
const PATIENCE: f64 = 2.0;

/// What became of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iterated {
    /// Whether the bounds are as narrow as asked; if not they are sound all the same.
    pub converged: bool,
    /// Sweeps over the component.
    pub sweeps: u64,
}

impl Block<'_> {
    fn choices(&self, i: usize) -> std::ops::Range<usize> {
        self.system.choice_start[i] as usize..self.system.choice_start[i + 1] as usize
    }

    /// The unknowns.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.len
    }

    /// Number of the first choice of the block.
    pub fn first_choice(&self) -> usize {
        self.system.choice_start[self.first] as usize
    }

    /// Places of the entries of a choice within the block.
    pub fn inner(&self, choice: usize) -> std::ops::Range<usize> {
        self.system.row_start[choice] as usize..self.system.inner_end[choice] as usize
    }

    fn better(&self, a: f64, b: f64) -> bool {
        match self.system.optimum {
            Optimum::Min => a < b,
            Optimum::Max => a > b,
        }
    }

    fn worst(&self) -> f64 {
        match self.system.optimum {
            Optimum::Min => f64::INFINITY,
            Optimum::Max => f64::NEG_INFINITY,
        }
    }

    /// Whether there is nothing to choose.
    pub fn is_chain(&self) -> bool {
        let choices = self.system.choice_start[self.first + self.len] as usize - self.first_choice();
        choices == self.len
    }

    /// Entries of the rows of the block.
    pub fn work(&self) -> u64 {
        let (begin, end) = (self.first_choice(), self.system.choice_start[self.first + self.len] as usize);
        u64::from(self.system.row_start[end] - self.system.row_start[begin])
    }

    /// Largest number of entries in a row within the block.
    fn longest(&self) -> usize {
        let end = self.system.choice_start[self.first + self.len] as usize;
        (self.first_choice()..end).map(|c| self.inner(c).len()).max().unwrap_or(0)
    }

    /// Right side of the equation of a choice at `x`, with constants from the middle of their bounds.
    pub fn value(&self, choice: usize, x: &[f64]) -> f64 {
        self.value_by(choice, x, &|at| self.system.values.get(at))
    }

    fn value_by(&self, choice: usize, x: &[f64], weight: &impl Fn(usize) -> f64) -> f64 {
        let [lo, hi] = self.constant.get(choice - self.first_choice());
        let row = self.inner(choice);
        let columns = &self.system.columns[row.clone()];
        let sum: f64 = columns.iter().zip(row).map(|(&j, at)| weight(at) * x[j as usize]).sum();
        sum + 0.5 * (lo + hi)
    }

    /// The optimal right side of the equation of an unknown at `x`.
    pub fn best(&self, i: usize, x: &[f64]) -> f64 {
        self.best_by(i, x, &|at| self.system.values.get(at))
    }

    fn best_by(&self, i: usize, x: &[f64], weight: &impl Fn(usize) -> f64) -> f64 {
        let mut best = self.worst();
        for choice in self.choices(i) {
            let value = self.value_by(choice, x, weight);
            if self.better(value, best) {
                best = value;
            }
        }
        best
    }

    /// One Gauss–Seidel sweep; the largest relative change.
    pub fn sweep(&self, x: &mut [f64]) -> f64 {
        match self.system.values.view() {
            View::Byte(codes, table) => self.sweep_by(x, &|at| table[codes[at] as usize]),
            View::Short(codes, table) => self.sweep_by(x, &|at| table[codes[at] as usize]),
            View::Plain(values) => self.sweep_by(x, &|at| values[at]),
        }
    }

    fn sweep_by(&self, x: &mut [f64], weight: &impl Fn(usize) -> f64) -> f64 {
        let mut change = 0.0f64;
        for i in self.first..self.first + self.len {
            let new = self.best_by(i, x, weight);
            let old = x[i];
            if new != old {
                change = change.max((new - old).abs() / new.max(f64::MIN_POSITIVE));
                x[i] = new;
            }
        }
        change
    }

    /// One sweep over both bounds, rounded outwards, in either order of the unknowns.
    fn sweep_bounds(&self, bounds: &mut [[f64; 2]], down: f64, up: f64, forward: bool) {
        match self.system.values.view() {
            View::Byte(codes, table) => {
                self.sweep_bounds_by(bounds, down, up, forward, &|at| table[codes[at] as usize]);
            }
            View::Short(codes, table) => {
                self.sweep_bounds_by(bounds, down, up, forward, &|at| table[codes[at] as usize]);
            }
            View::Plain(values) => self.sweep_bounds_by(bounds, down, up, forward, &|at| values[at]),
        }
    }

    fn sweep_bounds_by(
        &self,
        bounds: &mut [[f64; 2]],
        down: f64,
        up: f64,
        forward: bool,
        weight: &impl Fn(usize) -> f64,
    ) {
        let [first, end] = [self.first, self.first + self.len];
        if forward {
            (first..end).for_each(|i| bounds[i] = self.bound(i, bounds, down, up, weight));
        } else {
            (first..end).rev().for_each(|i| bounds[i] = self.bound(i, bounds, down, up, weight));
        }
    }

    fn bound(
        &self,
        i: usize,
        bounds: &[[f64; 2]],
        down: f64,
        up: f64,
        weight: &impl Fn(usize) -> f64,
    ) -> [f64; 2] {
        let base = self.first_choice();
        let mut new = [self.worst(); 2];
        for choice in self.choices(i) {
            let mut value = self.constant.get(choice - base);
            let row = self.inner(choice);
            for (&j, at) in self.system.columns[row.clone()].iter().zip(row) {
                let ([lo, hi], v) = (bounds[j as usize], weight(at));
                value[0] += v * lo;
                value[1] += v * hi;
            }
            if self.better(value[0], new[0]) {
                new[0] = value[0];
            }
            if self.better(value[1], new[1]) {
                new[1] = value[1];
            }
        }
        [new[0] * down, new[1] * up]
    }

    /// Among the choices of every unknown that are within the relative `width` of the best at `x`, moves `policy` to
    /// one that weighs too much for the weights `w = x + P w` of the policy before, and raises the weights on the way
    /// (one sweep). Returns how many changed.
    pub fn lengthen(&self, x: &[f64], weight: &mut [f64], width: f64, policy: &mut [u32]) -> usize {
        let mut changes = 0;
        for (i, kept) in self.range().zip(policy.iter_mut()) {
            if self.choices(i).len() == 1 {
                continue;
            }
            let best = self.best(i, x);
            // Half of the slack that the weights leave may be used up.
            let mut most = weight[i - self.first] - 0.5 * x[i];
            let before = *kept;
            for choice in self.choices(i).filter(|&c| c != before as usize) {
                if (self.value(choice, x) - best).abs() > width * best {
                    continue;
                }
                let row = self.inner(choice);
                let columns = &self.system.columns[row.clone()];
                let image: f64 = columns
                    .iter()
                    .zip(self.system.values.range(row))
                    .map(|(&j, v)| v * weight[j as usize - self.first])
                    .sum();
                if image > most {
                    most = image;
                    *kept = choice as u32;
                    weight[i - self.first] = image + x[i];
                }
            }
            changes += usize::from(*kept != before);
        }
        changes
    }

    /// The best choice of every unknown at `x`; a choice of `policy` is kept unless another is better by
    /// the relative amount `margin`. Returns how many changed.
    pub fn improve(&self, x: &[f64], policy: &mut [u32], margin: f64) -> usize {
        let mut changes = 0;
        for (i, kept) in (self.first..self.first + self.len).zip(policy.iter_mut()) {
            let mut best = self.value(*kept as usize, x);
            best = match self.system.optimum {
                Optimum::Min => best * (1.0 - margin),
                Optimum::Max => best * (1.0 + margin),
            };
            let before = *kept;
            for choice in self.choices(i) {
                let value = self.value(choice, x);
                if self.better(value, best) {
                    best = value;
                    *kept = choice as u32;
                }
            }
            changes += usize::from(*kept != before);
        }
        changes
    }
}

/// When to end.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// Relative width of the bounds, beyond what the constants are wide themselves.
    pub width: f64,
    /// Most sweeps.
    pub limit: u64,
}

/// Iterates until the bounds of the block are narrow enough or the sweeps used up, which `search` makes. `x` holds a first
/// guess and in the end the last iterate; the result goes to `bounds`. Both are indexed by all unknowns.
pub fn iterate(
    block: &Block,
    x: &mut [f64],
    bounds: &mut [[f64; 2]],
    Goal { width, limit }: Goal,
    search: &mut Search,
    acceleration: &mut Acceleration,
    control: &Control,
) -> Result<Iterated, Stop> {
    let first_jump = first_jump(block.len);
    let mut next_jump = first_jump;
    let mut sweeps = 0u64;
    let mut next_attempt = FIRST_ATTEMPT;
    let mut previous = f64::INFINITY;
    let mut unchecked = 0u64;
    let step = search.sweeps();
    let work = step * block.work().max(1);
    while sweeps < limit {
        let change = search.step(block, x)?;
        sweeps += step;
        unchecked += work;
        if unchecked > 4_000_000 {
            unchecked = 0;
            if let Err(stop) = control.check() {
                search.fetch(x)?;
                return Err(stop);
            }
            control.progress.news(News::Solving {
                what: "verified iteration",
                done: sweeps,
                total: 0,
                error: change,
            });
        }
        // Two steps in a row tell the rate, and so how far it is still.
        let ratio = change / previous;
        let error =
            if previous.is_finite() && ratio < 1.0 { change * ratio / (1.0 - ratio) } else { f64::INFINITY };
        let close = error < width / 8.0;
        let sweeps_left = step as f64 * (width / 8.0 / error).ln() / ratio.ln();
        // While values still spread through the component the rate says nothing.
        let slow = previous.is_finite() && (ratio >= 1.0 || sweeps_left >= PATIENCE * sweeps as f64);
        let settled = change < 0.5 || sweeps > 20 * first_jump;
        previous = change;
        if !close && settled && sweeps >= next_jump && slow {
            next_jump = 2 * sweeps;
            search.fetch(x)?;
            let outcome = jump(block, x, bounds, width, acceleration, control)?;
            sweeps += outcome.sweeps;
            if outcome.converged {
                return Ok(Iterated { sweeps, ..outcome });
            }
            if outcome.sweeps > 0 {
                search.put(x);
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
        extrapolate(block, x, bounds, change, search)?;
        sweeps += step;
        let (done, verified) = verify(block, x, bounds, &|i| x[i] * width / 2.5, tries, control)?;
        sweeps += done;
        if verified == [true; 2] {
            return Ok(Iterated { converged: true, sweeps });
        }
        for i in block.first..block.first + block.len {
            let middle = 0.5 * (bounds[i][0] + bounds[i][1]);
            if middle.is_finite() {
                x[i] = middle;
            }
        }
        search.put(x);
        previous = f64::INFINITY;
        next_attempt = 2 * sweeps;
    }
    search.fetch(x)?;
    sweeps += loose_bounds(block, x, bounds, width, &acceleration.weight, control)?;
    Ok(Iterated { converged: false, sweeps })
}

/// Jumps to the values of a good policy and tries to verify them along its weights. No sweeps were made where
/// there was nowhere to jump.
pub fn jump(
    block: &Block,
    x: &mut [f64],
    bounds: &mut [[f64; 2]],
    width: f64,
    acceleration: &mut Acceleration,
    control: &Control,
) -> Result<Iterated, Stop> {
    if !acceleration.jump(block, x, width, control)? {
        return Ok(Iterated { converged: false, sweeps: 0 });
    }
    block.sweep(x);
    let (done, verified) = verify_along(block, x, bounds, width, &acceleration.weight, control)?;
    Ok(Iterated { converged: verified == [true; 2], sweeps: 1 + done })
}

/// Makes a step and moves `x` to where a geometric sequence of changes would end, of which the last one is known; uses
/// `bounds` as scratch.
fn extrapolate(
    block: &Block,
    x: &mut [f64],
    bounds: &mut [[f64; 2]],
    change: f64,
    search: &mut Search,
) -> Result<(), Stop> {
    search.fetch(x)?;
    let range = block.first..block.first + block.len;
    for i in range.clone() {
        bounds[i][0] = x[i];
    }
    let next = search.step(block, x)?;
    search.fetch(x)?;
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

/// The largest multiple of the weights that keeps the guess within the width asked for.
pub fn affordable_step(block: &Block, x: &[f64], width: f64, weight: &[f64]) -> f64 {
    let mut step = f64::INFINITY;
    for (w, v) in weight.iter().zip(&x[block.first..]) {
        if *w > 0.0 {
            step = step.min(width / 2.5 * v / w);
        }
    }
    step
}

/// Tries to verify guesses along the weights of a jump: as narrow as asked, and no narrower than rounding
/// allows.
fn verify_along(
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
fn verify(
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
        // Below this there is only underflow, whose width says nothing.
        if middle > 1e-280 {
            lowest = lowest.min(lo / middle);
            highest = highest.max(hi / middle);
        }
    }
    let guess = |i: usize| [(x[i] - margin(i)).max(0.0) * lowest, (x[i] + margin(i)) * highest];
    for i in range.clone() {
        bounds[i] = guess(i);
    }
    let mut verified = [false; 2];
    for k in 1..=tries {
        // Both orders by turns: news travels in both directions.
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

/// Sound bounds around an iterate that was left in the middle: of the narrow ones to the wide ones those that a
/// handful of sweeps verifies.
pub fn salvage(block: &Block, x: &[f64], bounds: &mut [[f64; 2]]) -> Result<(), Stop> {
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
fn loose_bounds(
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
