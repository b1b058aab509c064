//! Classical iterations: until two iterates differ by little. No bound of the error comes with them.
//!
//! They serve to reproduce the numbers of other tools. The textbook methods (Stewart,
//! *Introduction to the Numerical Solution of Markov Chains*, 1994, chapter 3; Puterman 1994, chapters 6 and 7),
//! with the stopping rule of PRISM's manual: the largest absolute or relative change of an entry falls below epsilon.
//! Rows come without self-loops (see [`super::system`]), so the power method and Jacobi's are the same iteration.

use volvelle_control::{Control, ProgressEvent, Stop};

use super::block::Block;
use super::difference::difference;
use super::jacobi::{Rule, jacobi};
use crate::context::Context;
use crate::options::{Classical, Options};

/// The outcome of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
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
    context: &Context,
) -> Result<Outcome, Stop> {
    x[block.range()].fill(0.0);
    let control = context.control;
    let ended = match classical {
        Classical::PolicyIteration => policies(block, x, options, control)?,
        Classical::GaussSeidel => in_place(block, 1.0, None, x, options, control)?,
        Classical::Sor(weight) => in_place(block, weight, None, x, options, control)?,
        Classical::Jacobi => at_once(block, 1.0, x, options, context)?,
        Classical::Jor(weight) => at_once(block, weight, x, options, context)?,
    };
    for i in block.range() {
        bounds[i] = [x[i]; 2];
    }
    Ok(ended)
}

/// Value iteration in place, over all choices or over those of a policy. Over-relaxation goes beyond the new value, or
/// stops short of it.
fn in_place(
    block: &Block,
    weight: f64,
    policy: Option<&[u32]>,
    x: &mut [f64],
    options: &Options,
    control: &Control,
) -> Result<Outcome, Stop> {
    until_small(block, options, control, || {
        let mut change = 0.0f64;
        for i in block.range() {
            let value = match policy {
                Some(policy) => block.value(policy[i - block.first] as usize, x),
                None => block.best(i, x),
            };
            let new = x[i] + weight * (value - x[i]);
            change = change.max(difference(x[i], new, options.relative));
            x[i] = new;
        }
        Ok(change)
    })
}

/// Value iteration that computes all values from those before.
fn at_once(
    block: &Block,
    weight: f64,
    x: &mut [f64],
    options: &Options,
    context: &Context,
) -> Result<Outcome, Stop> {
    let rule = Rule::Relaxed { weight, relative: options.relative };
    let mut jacobi = jacobi(context, block, rule, x);
    let ended = until_small(block, options, context.control, || jacobi.step(x))?;
    jacobi.fetch(x)?;
    Ok(ended)
}

/// Sweeps until the change of a sweep is small.
fn until_small(
    block: &Block,
    options: &Options,
    control: &Control,
    mut sweep: impl FnMut() -> Result<f64, Stop>,
) -> Result<Outcome, Stop> {
    let every = (4_000_000 / block.work().max(1)).max(1);
    for iteration in 1..=options.max_iterations {
        let change = sweep()?;
        if change < options.epsilon {
            return Ok(Outcome { small: true, iterations: iteration });
        }
        if iteration % every == 0 {
            control.check()?;
            control.progress.report(ProgressEvent::Solving {
                what: "classical iteration",
                done: iteration,
                total: 0,
                error: change,
            });
        }
    }
    Ok(Outcome { small: false, iterations: options.max_iterations })
}

/// Policy iteration; each policy is evaluated by Gauss–Seidel sweeps from the values of the one before.
fn policies(block: &Block, x: &mut [f64], options: &Options, control: &Control) -> Result<Outcome, Stop> {
    let mut policy: Vec<u32> = block.range().map(|i| block.system.choice_start[i]).collect();
    let mut iterations = 0;
    loop {
        let ended = in_place(block, 1.0, Some(&policy), x, options, control)?;
        iterations += ended.iterations;
        let changed = block.improve(x, &mut policy, options.epsilon) > 0;
        if !ended.small || !changed || iterations >= options.max_iterations {
            return Ok(Outcome { small: ended.small && !changed, iterations });
        }
    }
}
