//! A swarm of random searches within limits: an answer without proof, where a proof needs too much memory.
//!
//! In the first round, one member for each configuration follows a random run to the goal. In each later
//! round, members search depth first, in random order, for a run that takes less than the best. The swarm
//! ends with a round that finds nothing with the work that the previous round needed. (The stopping rule of
//! Garanina, Staroletov and Gorlatch, with states in place of seconds, so that the result depends on the seed
//! alone.)

use super::configurations::Configuration;
use super::depth_first::{Descent, descend};
use super::dive::dive;
use super::random::Random;
use super::rows::{Found, open_row, time};
use super::unfolding::Unfolder;
use super::workers::{each, first_halt};
use super::{Halt, Options, Shared, Subject};
use crate::result::Evidence;
use volvelle_control::amounts::{count, counted};

/// Members that work at the same time with the same bound.
const BATCH: usize = 16;

/// Limit of states of a member in later rounds.
const BUDGET: u64 = 1 << 16;

/// Limit of steps of a member of the first round.
const DIVE: u64 = 1 << 24;

/// Searches until a round finds nothing.
pub(super) fn run(
    subject: &Subject<'_>,
    shared: &Shared<'_>,
    configurations: &[Configuration],
    options: &Options,
    found: &mut Found,
) -> Result<(), Halt> {
    found.rows.extend(configurations.iter().map(|configuration| open_row(configuration, None)));
    found.no_proof = Some(String::new());
    let ended = rounds(subject, shared, configurations, options, found);
    let tried = found.rows.iter().filter(|row| row.hi.is_finite()).count() as u64;
    let all = counted(configurations.len() as u64, "configuration");
    let why = format!("a swarm proves nothing: runs of {} of {all} reached the goal", count(tried));
    found.no_proof = Some(why);
    found.end(ended.err())
}

fn rounds(
    subject: &Subject<'_>,
    shared: &Shared<'_>,
    configurations: &[Configuration],
    options: &Options,
    found: &mut Found,
) -> Result<(), Halt> {
    let mut order: Vec<usize> = (0..configurations.len()).collect();
    let mut random = Random::new(options.seed, u64::MAX);
    random.shuffle(&mut order);
    let (mut best, mut work) = (i64::MAX, 0);
    for batch in order.chunks(BATCH) {
        let member = |unfolder: &mut Unfolder<'_>, at: usize| {
            let mut random = Random::new(options.seed, batch[at] as u64);
            let starts = &configurations[batch[at]].starts;
            unfolder.counted(|unfolder| dive(unfolder, starts, i64::MAX, DIVE, &mut random))
        };
        let (results, mut failures) = each(subject, shared, batch.len(), member);
        found.failures.append(&mut failures);
        for (&number, (result, _)) in batch.iter().zip(&results) {
            let Some((cost, states)) = *result else { continue };
            work += states;
            found.rows[number].states += states;
            if let Some(cost) = cost.flatten() {
                let name = "a random run".to_owned();
                match cost < best {
                    true => found.step(name, Some((number, cost)), states),
                    false => found.note(number, cost),
                }
                best = best.min(cost);
            }
        }
        if let Some(halt) = first_halt(results.iter().map(|result| &result.1)) {
            return Err(halt);
        }
    }
    // A round may do as much work as the previous one needed. Without any run there is nothing to improve.
    for round in 1.. {
        if best == i64::MAX {
            return Ok(());
        }
        random.shuffle(&mut order);
        let (mut spent, mut better, mut turn) = (0, None, 0);
        while spent < work && better.is_none() {
            let batch: Vec<usize> = (0..BATCH).map(|i| order[(turn + i) % order.len()]).collect();
            let budget = BUDGET.min((work - spent) / BATCH as u64 + 1);
            let most = best - 1;
            let member = |unfolder: &mut Unfolder<'_>, at: usize| {
                let mut random = Random::new(options.seed, (round << 32) + (turn + at) as u64);
                let starts = &configurations[batch[at]].starts;
                unfolder.counted(|unfolder| descend(unfolder, starts, most, budget, &mut random))
            };
            let (results, mut failures) = each(subject, shared, batch.len(), member);
            found.failures.append(&mut failures);
            for (&number, (result, _)) in batch.iter().zip(&results) {
                let Some((descent, states)) = *result else { continue };
                spent += states;
                found.rows[number].states += states;
                if let Some(Descent::Found(cost)) = descent {
                    found.note(number, cost);
                    better = better.into_iter().chain([(cost, number)]).min();
                }
            }
            if let Some(halt) = first_halt(results.iter().map(|result| &result.1)) {
                return Err(halt);
            }
            turn += BATCH;
            // All members proved at once that nothing is better: no work is spent, so the round would never
            // end.
            if results.iter().all(|result| matches!(result.0, Some((Some(Descent::Impossible), _))))
                && turn >= order.len()
            {
                break;
            }
        }
        let name = format!("members within {}", best - 1);
        found.step(name, better.map(|(cost, number)| (number, cost)), spent);
        match better {
            Some((cost, _)) => (best, work) = (cost, spent),
            None => return Ok(()),
        }
    }
    Ok(())
}

impl Found {
    /// Records the time of a run.
    fn note(&mut self, number: usize, cost: i64) {
        let row = &mut self.rows[number];
        if time(cost) < row.hi {
            row.hi = time(cost);
            row.evidence = Evidence::Found;
        }
    }
}
