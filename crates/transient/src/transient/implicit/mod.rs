//! Transient analysis of stiff chains: implicit steps with a bounded defect.
//!
//! In: `u' = Q u + c`, `u(0) = f` for a generator Q on some states of a CTMC; times. Out: u at these times with sound
//! bounds, at a cost that grows with the logarithm of rate times time, where uniformisation takes a multiplication per
//! expected event. Used where an estimate of both costs says so.
//!
//! *One step.* Let `A = g Q` for a step g of the *pole*, `R = (I - A)^-1` and `N = I - R`. The resolvent R needs one
//! factorisation, and is the expectation of u after an exponentially distributed time of mean g. The generating function
//! of the Laguerre polynomials gives `exp(t A) = sum over k of L_k(t) N^k R` (the Laguerre series of a semigroup; L. Grimm and
//! R. Gugat, *Approximation of semigroups and related operator functions by resolvent series*, SIAM J. Numer. Anal. 48,
//! 2010). Its terms cost one solution each: `z_k = R v_k`, `v_(k+1) = v_k - z_k`, from `v_0 = u`. The forcing c belongs to
//! a further state of constant value one; it enters the first term only.
//!
//! *The bound.* The sum `y(t)` of the terms up to K as computed satisfies, whatever the vectors are,
//!
//! `y' - A y = - L'_(K+1) v_(K+1) - sum L_k r_k + sum L'_(k+1) e_k`, `y(0) - u = -v_(K+1) + sum e_k`
//!
//! with the residuals `r_k = v_k - (I - A) z_k` and the rounding `e_k = v_(k+1) - (v_k - z_k)`, because
//! `L'_(k+1) = L'_k - L_k`. A defect d moves the solution by at most the integral of its norm, as `exp(t Q)` is a
//! contraction of the maximum norm. So the error of a step is at most `|v_(K+1)|` times one plus the variation of
//! `L_(K+1)`, plus each `|r_k|` times the integral of `|L_k|`, plus `|e_k|` times one plus the variation of `L_(k+1)`: all are
//! known when the step is made, no assumption on Q enters, and no factor Q multiplies what was rounded. A residual too large
//! is reduced by a correction that is kept beside `z_k`, not added to it. Errors of the input are residuals as well.
//!
//! *Weights.* Small values are to be exact relatively. So norms are `max |x_s| / w_s`, where w is roughly the expectation of the
//! result at an exponentially distributed time of about the mean T: `Q w <= w / T` up to a factor, and errors grow by a
//! constant factor in this norm; the factor is bounded afterwards from w itself.

mod equations;
mod factors;
mod generator;
mod laguerre;
mod norm;
mod ordering;
mod stepping;
mod system;

pub use generator::Generator;
pub use laguerre::Twofold;
pub use system::System;

use volvelle_control::{Fact, Stop};
use volvelle_logic::StopReason;
use volvelle_solver::rounding::{U, above, below};
use volvelle_solver::{Context, Options};

use self::equations::Effort;
use self::factors::Pattern;
use self::stepping::{Ending, Level, Stepping};

/// Steps of uniformisation from which equations that are too large for elimination are solved by iterations.
const ITERATED_EVENTS: f64 = 2e5;

/// Iterations that a system may be expected to take.
const ITERATIONS_EXPECTED: f64 = 80.0;

/// Elimination is preferred up to this multiple of what iterations are expected to cost.
const ITERATIONS_PRICE: f64 = 2.0;

/// Multiplications of uniformisation for each state and rate, below which no order is looked for: chains are mild then.
const LEAST_RATIO: f64 = 5000.0;

/// States and rates of a chain beyond which no order is looked for.
const LARGEST: f64 = 2e7;

/// Entries of factors above the diagonal.
const MOST_ENTRIES: f64 = 3e7;

/// The part of what the precision allows that a run aims at.
const AIM: f64 = 0.1;

/// Runs that are made with ever smaller tolerances.
const ATTEMPTS: usize = 3;

/// Smaller tolerances than this are left to uniformisation.
const LEAST_TOLERANCE: f64 = 1e-14;

/// The result.
#[derive(Debug)]
pub struct Solution {
    /// For each time, bounds for the rows requested, or for all.
    pub bounds: Vec<Vec<[f64; 2]>>,
    /// Steps made.
    pub steps: u64,
    /// Systems of equations solved.
    pub solved: u64,
    /// Why it ended.
    pub stop: StopReason,
}

/// A system over some states of a space, and what is asked about it.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The states, in increasing order.
    pub states: &'a [u32],
    /// The equation.
    pub system: System<'a>,
    /// Where the forcing is the rate into states of value one: for each state, its rate into all others outside.
    pub escaping: Option<&'a [f64]>,
    /// The relative error of the vectors of the equation.
    pub input_error: f64,
    /// Times.
    pub times: &'a [f64],
    /// Rows for which bounds are requested; `None`: all.
    pub rows: Option<&'a [u32]>,
    /// No value is above this.
    pub highest: f64,
    /// Multiplications that uniformisation would take.
    pub other_work: f64,
    /// Its steps.
    pub events: f64,
}

/// How a problem is solved by implicit steps.
pub struct Plan {
    generator: Generator,
    costs: Costs,
    way: Way,
}

/// How the systems of equations are solved.
enum Way {
    Eliminated { pattern: Pattern, cost: f64 },
    Iterated,
}

impl Plan {
    /// The plan for a problem, if one is cheaper than uniformisation. Making it takes about as much as some hundred
    /// multiplications by the matrix.
    ///
    /// # Errors
    /// If the work is stopped.
    pub fn new(problem: &Problem, context: &Context) -> Result<Option<Self>, Stop> {
        let generator = Generator::new(context.space, problem.states).with_input(context.options.input);
        let Some(costs) = Costs::of(problem, &generator, context) else { return Ok(None) };
        // Elimination where it is cheap, else iterations, else elimination at any price below that of uniformisation.
        let cheap = costs.most_work.min(ITERATIONS_PRICE * costs.iterated);
        let mut way = costs.eliminated(&generator, cheap);
        if way.is_none() {
            context.control.check()?;
        }
        if way.is_none() && problem.events > ITERATED_EVENTS && costs.iterated <= costs.most_work {
            way = Some(Way::Iterated);
        }
        if way.is_none() && cheap < costs.most_work {
            way = costs.eliminated(&generator, costs.most_work);
            context.control.check()?;
        }
        Ok(way.map(|way| Plan { generator, costs, way }))
    }

    /// Multiplications that it is expected to take.
    pub fn cost(&self) -> f64 {
        match self.way {
            Way::Eliminated { cost, .. } => cost,
            Way::Iterated => self.costs.iterated,
        }
    }

    /// Solves, where the requested precision is reached at this cost.
    ///
    /// # Errors
    /// If the work is stopped before anything is known.
    pub fn solve(&self, problem: &Problem, context: &Context) -> Result<Option<Solution>, Stop> {
        let Plan { generator, costs, way } = self;
        if let Way::Eliminated { pattern, .. } = way {
            return attempt(problem, context, generator, pattern, problem.other_work);
        }
        // Iterations may turn out to be slow; little is lost then.
        let pattern = Pattern::incomplete(generator);
        let solution = attempt(problem, context, generator, &pattern, 0.3 * problem.other_work)?;
        if solution.is_some() {
            return Ok(solution);
        }
        if let Some(Way::Eliminated { pattern, .. }) = costs.eliminated(generator, costs.most_work) {
            return attempt(problem, context, generator, &pattern, problem.other_work);
        }
        let why = "iterations for their equations are slow, and factors would cost more than uniformisation";
        context.note(Fact::text("implicit steps", "not used").because(why));
        context.control.check()?;
        Ok(None)
    }
}

/// Solves with factors of this pattern and about this many multiplications at most.
fn attempt(
    problem: &Problem,
    context: &Context,
    generator: &Generator,
    pattern: &Pattern,
    most_work: f64,
) -> Result<Option<Solution>, Stop> {
    let options = &context.options;
    let mut order: Vec<usize> = (0..problem.times.len()).collect();
    order.sort_by(|&a, &b| problem.times[a].total_cmp(&problem.times[b]));
    let times: Vec<f64> = order.iter().map(|&at| problem.times[at]).collect();
    let mut stepping = Stepping::new(generator, pattern, context.control, most_work);
    let Some(mut tolerance) = weigh(problem, &times, options, pattern.is_complete, &mut stepping)? else {
        return Ok(None);
    };
    for _ in 0..ATTEMPTS {
        if tolerance.is_nan() || tolerance < LEAST_TOLERANCE {
            break;
        }
        let ending = stepping.run(&problem.system, &times, problem.rows, tolerance)?;
        let (levels, stop) = match ending {
            Ending::Failed => break,
            Ending::Finished(levels) => (levels, StopReason::StepsDone),
            Ending::Stopped { mut found, time, reached } => {
                let later = times[found.len()..].iter().map(|t| t - time).collect::<Vec<_>>();
                found.extend(
                    later.into_iter().map(|rest| frozen(problem, &reached, stepping.weights(), rest)),
                );
                (found, StopReason::Interrupted)
            }
        };
        let bounds: Vec<Vec<[f64; 2]>> =
            levels.iter().map(|level| enclose(problem, level, stepping.weights())).collect();
        // How much wider bounds are than requested, at worst.
        let excess = bounds.iter().flatten().fold(0.0f64, |worst, &[lo, hi]| match options.accepts(lo, hi) {
            true => worst,
            false if options.relative => worst.max((hi - lo) / (options.precision * lo)),
            false => worst.max((hi - lo) / options.precision),
        });
        if stop == StopReason::Interrupted || excess == 0.0 {
            let (steps, effort) = stepping.effort();
            note(problem, pattern, steps, effort, context);
            let mut by_time = vec![Vec::new(); order.len()];
            order.iter().zip(bounds).for_each(|(&at, bounds)| by_time[at] = bounds);
            return Ok(Some(Solution { bounds: by_time, steps, solved: effort.solved, stop }));
        }
        tolerance *= AIM / excess;
    }
    Ok(None)
}

/// Estimates, in multiplications.
struct Costs {
    /// Steps in time, and systems of equations.
    steps: f64,
    solutions: f64,
    /// Solving all of them by iterations.
    iterated: f64,
    /// More is not worth it.
    most_work: f64,
    /// Entries that factors may have.
    most_entries: f64,
}

impl Costs {
    /// The costs of a problem, where implicit steps may be worth them.
    fn of(problem: &Problem, generator: &Generator, context: &Context) -> Option<Self> {
        // Finding an order takes about as much as some hundred multiplications by the matrix.
        let size = (generator.entries() + generator.len()) as f64;
        if problem.other_work < LEAST_RATIO * size || size > LARGEST {
            return None;
        }
        let most_work = problem.other_work - 400.0 * size;
        // About one step for each factor three in time, with some twelve solutions each.
        let steps = 6.0 + problem.events.max(1.0).ln();
        let solutions = 12.0 * steps;
        let iterated = solutions * ITERATIONS_EXPECTED * 10.0 * size;
        // Places in two factors, numbers in as many as are held, and the lists of an order.
        let bytes = |entries: f64| (60.0 * entries + 120.0 * size) as u64;
        let fits = |entries: f64| context.control.check_memory(bytes(entries)).is_ok();
        let most = (most_work / (2.0 * solutions)).min(MOST_ENTRIES);
        let most_entries = (0..8).map(|k| most / 4f64.powi(k)).find(|&entries| fits(entries))?;
        Some(Costs { steps, solutions, iterated, most_work, most_entries })
    }

    /// Elimination, if that takes no more than `most` multiplications in all.
    fn eliminated(&self, generator: &Generator, most: f64) -> Option<Way> {
        let pattern = Pattern::new(generator, most / self.steps, self.most_entries as u64)?;
        let once = (pattern.entries() + 4 * generator.entries()) as f64;
        let cost = self.steps * pattern.work + self.solutions * once;
        (cost <= most).then_some(Way::Eliminated { pattern, cost })
    }
}

/// Sets the weights; the tolerance, in them, that the requested precision needs.
fn weigh(
    problem: &Problem,
    times: &[f64],
    options: &Options,
    is_exact: bool,
    stepping: &mut Stepping,
) -> Result<Option<f64>, Stop> {
    let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return Ok(None) };
    if !is_exact {
        let scale = if options.relative { problem.highest } else { 1.0 };
        return Ok(Some(AIM * options.precision * scale));
    }
    let exponent = |time: f64| time.log2().round() as i32;
    let least = |values: &[f64]| match problem.rows {
        Some(rows) => rows.iter().map(|&r| values[r as usize]).fold(f64::INFINITY, f64::min),
        None => values.iter().copied().fold(f64::INFINITY, f64::min),
    };
    let profile = stepping.profile(&problem.system, exponent(last))?;
    let floor = least(&profile);
    // Rows below the least that is requested need no more digits than that.
    let lowest = 1e-8 * profile.iter().copied().fold(0.0, f64::max);
    let weight = |v: f64| if is_exact { v + 0.1 * floor } else { v.max(lowest) + 0.1 * floor };
    let weights: Vec<f64> = profile.iter().map(|&v| weight(v)).collect();
    if weights.iter().any(|&w| w.is_nan() || !(1e-250..1e250).contains(&w)) {
        return Ok(None);
    }
    let early = match exponent(first) == exponent(last) {
        true => profile,
        false => stepping.profile(&problem.system, exponent(first))?,
    };
    let ratio = |values: &[f64]| -> Vec<f64> { values.iter().zip(&weights).map(|(v, w)| v / w).collect() };
    let smallest = least(&ratio(&early)).min(1.0);
    let tolerance = match options.relative {
        true => AIM * options.precision * smallest,
        false => {
            let largest = match problem.rows {
                Some(rows) => rows.iter().map(|&r| weights[r as usize]).fold(0.0, f64::max),
                None => weights.iter().copied().fold(0.0, f64::max),
            };
            AIM * options.precision / largest
        }
    };
    stepping.set_weights(weights);
    Ok(Some(tolerance))
}

/// Bounds for the rows requested.
fn enclose(problem: &Problem, level: &Level, weights: &[f64]) -> Vec<[f64; 2]> {
    let bound = |at: usize, row: usize| {
        let error = level.error * weights[row] * (1.0 + 8.0 * U);
        let [lo, hi] = [level.values[at] - error, level.values[at] + error];
        [below(lo, problem.input_error + 4.0 * U), above(hi.max(0.0), problem.input_error + 4.0 * U)]
    };
    match problem.rows {
        Some(rows) => rows.iter().enumerate().map(|(at, &row)| bound(at, row as usize)).collect(),
        None => (0..weights.len()).map(|row| bound(row, row)).collect(),
    }
}

/// What is known about a time later by `rest` than the last one reached: little, but sound. With a forcing and nothing at
/// the start the result grows, by no more than the largest forcing; else it stays below its maximum.
fn frozen(problem: &Problem, reached: &Level, weights: &[f64], rest: f64) -> Level {
    let upper = |row: usize| reached.values[row] + reached.error * weights[row];
    let highest = (0..weights.len()).map(upper).fold(0.0, f64::max) * (1.0 + 4.0 * U);
    let grown = |row: usize| match problem.system.forcing {
        Some(forcing) => {
            let largest = forcing.iter().copied().fold(0.0, f64::max);
            let low = (reached.values[row] - reached.error * weights[row]).max(0.0);
            [low, (upper(row) + rest * largest).min(f64::MAX)]
        }
        None => [0.0, highest],
    };
    let rows: Vec<usize> = match problem.rows {
        Some(rows) => rows.iter().map(|&row| row as usize).collect(),
        None => (0..weights.len()).collect(),
    };
    let bounds: Vec<[f64; 2]> = rows.iter().map(|&row| grown(row)).collect();
    let values = bounds.iter().map(|[lo, hi]| lo + 0.5 * (hi - lo)).collect();
    let half = |(&row, [lo, hi]): (&usize, &[f64; 2])| (hi - lo) / weights[row];
    let error = rows.iter().zip(&bounds).map(half).fold(0.0, f64::max);
    Level { values, error }
}

fn note(problem: &Problem, pattern: &Pattern, steps: u64, effort: Effort, context: &Context) {
    let why = format!("uniformisation would take {:.0} steps", problem.events);
    context.note(Fact::count("implicit steps", steps).because(why));
    let why = "the result at a time is a series of them, with a bound of its defect";
    context.note(Fact::count("systems of equations", effort.solved).because(why));
    context.note(Fact::count("factorised matrices", effort.factorised));
    if !pattern.is_complete {
        let why = "complete factors would have too many entries: incomplete ones are a preconditioner";
        context.note(Fact::count("iterations of BiCGSTAB", effort.iterations).because(why));
    }
    context.note(Fact::count("states of the chain", problem.states.len() as u64));
    context.note(Fact::count("entries of the factors", pattern.entries() as u64));
    if problem.times.len() > 1 {
        let why = "the steps on the way to the last one pass all others";
        context.note(Fact::count("horizons in one pass", problem.times.len() as u64).because(why));
    }
}

#[cfg(test)]
pub mod tests;
