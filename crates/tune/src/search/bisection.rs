//! Bisection of an over-time property: no run reaches the goal within T.
//!
//! T begins below the time of a random run, and is then lowered below the time of each counterexample, until
//! none is left: the last time is the least. (The method of N. O. Garanina, S. M. Staroletov, S. Gorlatch,
//! *Auto-tuning high-performance programs using model checking in Promela*, 2023, with the time of the
//! counterexample in place of the middle of an interval.) Each check searches depth first, one configuration
//! after the other.

use super::configurations::Configuration;
use super::depth_first::{Descent, descend};
use super::dive::dive;
use super::random::Random;
use super::rows::{Found, open_row, time};
use super::unfolding::Unfolder;
use super::workers::{each, first_halt};
use super::{Halt, Options, Shared, Subject};
use crate::result::{Evidence, Row, Step};

/// Limit of steps of the first run.
const DIVE: u64 = 1 << 20;

/// Lowers the bound until there is no run.
pub(super) fn run(
    subject: &Subject<'_>,
    shared: &Shared<'_>,
    configurations: &[Configuration],
    options: &Options,
    found: &mut Found,
) -> Result<(), Halt> {
    found.rows.extend(configurations.iter().map(|configuration| open_row(configuration, None)));
    let mut most = i64::MAX;
    let mut unfolder = Unfolder::new(subject, shared);
    let mut order: Vec<usize> = (0..configurations.len()).collect();
    Random::new(options.seed, u64::MAX).shuffle(&mut order);
    for &number in &order {
        let mut random = Random::new(options.seed, number as u64);
        let starts = &configurations[number].starts;
        let ((run, states), outcome) =
            unfolder.counted(|unfolder| dive(unfolder, starts, i64::MAX, DIVE, &mut random));
        found.failures.append(&mut unfolder.failures);
        if let Err(halt) = outcome {
            return found.end(Some(halt));
        }
        if let Some(cost) = run.flatten() {
            found.step("a random run".to_owned(), Some((number, cost)), states);
            most = cost - 1;
            break;
        }
    }
    drop(unfolder);
    for round in 1.. {
        let (best, states) = check(subject, shared, configurations, options, (round, most), found)?;
        if found.stop.is_some() {
            return Ok(());
        }
        let text = if most == i64::MAX { "any run".to_owned() } else { format!("within {most}") };
        found.step(text, best, states);
        match best {
            Some((_, cost)) => most = cost - 1,
            None => {
                let lo = if most == i64::MAX { f64::INFINITY } else { time(most + 1) };
                found.rows.iter_mut().for_each(|row| row.lo = lo);
                for row in found.rows.iter_mut().filter(|row| row.lo == row.hi) {
                    row.evidence = Evidence::Exhaustive;
                }
                break;
            }
        }
    }
    Ok(())
}

/// Budget of states per configuration in the first attempt; `GROWTH` multiplies it for each further attempt.
const FIRST_BUDGET: u64 = 1 << 16;
const GROWTH: u64 = 8;

/// Searches for a run that costs at most `most`. Returns the configuration and cost of the cheapest run
/// found, if any, and the number of states explored. Configurations that exceed the budget are tried again
/// with a larger one, as long as none has such a run.
fn check(
    subject: &Subject<'_>,
    shared: &Shared<'_>,
    configurations: &[Configuration],
    options: &Options,
    (round, most): (u64, i64),
    found: &mut Found,
) -> Result<(Option<(usize, i64)>, u64), Halt> {
    let mut open: Vec<usize> = (0..configurations.len()).collect();
    let (mut budget, mut all_states) = (FIRST_BUDGET, 0);
    loop {
        let one = |unfolder: &mut Unfolder<'_>, at: usize| {
            let mut random = Random::new(options.seed, (round << 32) + open[at] as u64);
            let starts = &configurations[open[at]].starts;
            unfolder.counted(|unfolder| descend(unfolder, starts, most, budget, &mut random))
        };
        let (results, mut failures) = each(subject, shared, open.len(), one);
        found.failures.append(&mut failures);
        let (mut best, mut rest) = (None, Vec::new());
        for (&number, (result, _)) in open.iter().zip(&results) {
            let Some((descent, states)) = *result else { continue };
            all_states += states;
            found.rows[number].states += states;
            match descent {
                Some(Descent::Found(cost)) => {
                    let known: Option<(usize, i64)> = best;
                    if known.is_none_or(|(_, least)| cost < least) {
                        best = Some((number, cost));
                    }
                }
                Some(Descent::GivenUp) => rest.push(number),
                Some(Descent::Impossible) | None => {}
            }
        }
        if let Some(halt) = first_halt(results.iter().map(|result| &result.1)) {
            found.end(Some(halt))?;
            return Ok((best, all_states));
        }
        if best.is_some() || rest.is_empty() {
            return Ok((best, all_states));
        }
        open = rest;
        budget = budget.saturating_mul(GROWTH);
    }
}

impl Found {
    /// Records a step of the method, and the run that it found: its row and its time.
    pub(super) fn step(&mut self, text: String, run: Option<(usize, i64)>, states: u64) {
        let outcome = match run {
            None => "no run".to_owned(),
            Some((number, cost)) => {
                let row: &mut Row = &mut self.rows[number];
                if time(cost) < row.hi {
                    row.hi = time(cost);
                    row.evidence = Evidence::Found;
                }
                let values: Vec<String> = row.values.iter().map(ToString::to_string).collect();
                format!("{cost} with ({})", values.join(", "))
            }
        };
        self.steps.push(Step { text, outcome, states });
    }
}
