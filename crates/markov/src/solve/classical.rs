//! Classical iterations: until two iterates differ by little. No bound of the error comes with them.
//!
//! They exist because reproducing the numbers of other tools is a use of its own. The textbook methods (Stewart,
//! *Introduction to the Numerical Solution of Markov Chains*, 1994, chapter 3; Puterman 1994, chapters 6 and 7),
//! with the stopping rule of PRISM's manual: the largest absolute or relative change of an entry falls below epsilon.
//! Rows come without self-loops (see [`super::system`]), so the power method and Jacobi's are the same iteration.

use volvelle_control::{Control, News, Stop};

use super::iteration::Block;
use crate::options::{Classical, Options};

/// What became of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ended {
    /// Whether the changes became small; if not the limit of iterations was reached.
    pub small: bool,
    /// Iterations made.
    pub iterations: u64,
}

/// Iterates from zero over one component; the result goes to both bounds of its unknowns.
pub fn iterate(
    block: &Block,
    classical: Classical,
    x: &mut [f64],
    bounds: &mut [[f64; 2]],
    options: &Options,
    control: &Control,
) -> Result<Ended, Stop> {
    x[block.range()].fill(0.0);
    let ended = match classical {
        Classical::PolicyIteration => policies(block, x, options, control)?,
        _ => values(block, classical, None, x, options, control)?,
    };
    for i in block.range() {
        bounds[i] = [x[i]; 2];
    }
    Ok(ended)
}

/// Value iteration, over all choices or over those of a policy.
fn values(
    block: &Block,
    classical: Classical,
    policy: Option<&[u32]>,
    x: &mut [f64],
    options: &Options,
    control: &Control,
) -> Result<Ended, Stop> {
    // Over-relaxation goes beyond the new value, or stops short of it.
    let (weight, in_place) = match classical {
        Classical::Jor(weight) => (weight, false),
        Classical::Sor(weight) => (weight, true),
        Classical::Jacobi => (1.0, false),
        Classical::GaussSeidel | Classical::PolicyIteration => (1.0, true),
    };
    let mut next = if in_place { Vec::new() } else { vec![0.0; block.len] };
    let every = (4_000_000 / block.work().max(1)).max(1);
    for iteration in 1..=options.max_iterations {
        let mut change = 0.0f64;
        for i in block.range() {
            let value = match policy {
                Some(policy) => block.value(policy[i - block.first] as usize, x),
                None => block.best(i, x),
            };
            let new = x[i] + weight * (value - x[i]);
            change = change.max(difference(x[i], new, options.relative));
            match in_place {
                true => x[i] = new,
                false => next[i - block.first] = new,
            }
        }
        if !in_place {
            x[block.range()].copy_from_slice(&next);
        }
        if change < options.epsilon {
            return Ok(Ended { small: true, iterations: iteration });
        }
        if iteration % every == 0 {
            control.check()?;
            control.progress.news(News::Solving {
                what: "classical iteration",
                done: iteration,
                total: 0,
                error: change,
            });
        }
    }
    Ok(Ended { small: false, iterations: options.max_iterations })
}

/// Policy iteration; each policy is evaluated by Gauss–Seidel sweeps from the values of the one before.
fn policies(block: &Block, x: &mut [f64], options: &Options, control: &Control) -> Result<Ended, Stop> {
    let mut policy: Vec<u32> = block.range().map(|i| block.system.choice_start[i]).collect();
    let mut iterations = 0;
    loop {
        let ended = values(block, Classical::GaussSeidel, Some(&policy), x, options, control)?;
        iterations += ended.iterations;
        let changed = block.improve(x, &mut policy, options.epsilon) > 0;
        if !ended.small || !changed || iterations >= options.max_iterations {
            return Ok(Ended { small: ended.small && !changed, iterations });
        }
    }
}

/// How far apart two numbers are.
pub fn difference(old: f64, new: f64, relative: bool) -> f64 {
    let difference = (new - old).abs();
    if relative && difference > 0.0 { difference / new.abs() } else { difference }
}
