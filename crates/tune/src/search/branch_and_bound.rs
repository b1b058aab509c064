//! Branch and bound over configurations: the most promising first, each up to the best time known.
//!
//! One random run of each configuration gives the first bound and the order. Batches of a fixed size are
//! explored on all threads, bounded by the best time of earlier batches. So the result does not depend on the
//! number of threads.

use super::configurations::Configuration;
use super::dive::dive;
use super::random::Random;
use super::rows::{Found, explored_row, open_row, time, values};
use super::slices::{Explored, Extent, explore};
use super::workers::{each, first_halt};
use super::{Halt, Known, Options, Shared, Subject};
use crate::result::{Decided, Evidence, Row};

/// Configurations that share a bound.
const BATCH: usize = 16;

/// Limit of steps of a first run.
const DIVE: u64 = 1 << 18;

/// Decides the configurations.
pub(super) fn run(
    subject: &Subject<'_>,
    shared: &Shared<'_>,
    configurations: &[Configuration],
    options: &Options,
    known: &Known,
    found: &mut Found,
) -> Result<(), Halt> {
    found.dead_ends.extend(known.dead_ends.iter().cloned());
    let mut bound = i64::MAX;
    let mut open: Vec<(usize, Option<i64>)> = Vec::new();
    for (number, configuration) in configurations.iter().enumerate() {
        match known.decided.iter().find(|one| one.values == configuration.values) {
            Some(one) if one.certified => {
                let row = certified_row(configuration, one, known.above);
                bound = bound.min(one.times.map_or(i64::MAX, |times| times.0));
                found.rows.push(row);
            }
            Some(one) => open.push((number, one.times.map(|times| times.0))),
            None if known.is_complete => {
                let nothing = Decided { values: configuration.values.clone(), ..Decided::default() };
                found.rows.push(certified_row(configuration, &nothing, known.above));
            }
            None => open.push((number, None)),
        }
    }
    let first_run = |unfolder: &mut super::unfolding::Unfolder<'_>, at: usize| {
        let (number, known) = open[at];
        let mut random = Random::new(options.seed, number as u64);
        match known {
            Some(time) => (Some(time), Ok(())),
            None => match dive(unfolder, &configurations[number].starts, i64::MAX, DIVE, &mut random) {
                Ok(time) => (time, Ok(())),
                Err(halt) => (None, Err(halt)),
            },
        }
    };
    let (runs, mut failures) = each(subject, shared, open.len(), first_run);
    found.failures.append(&mut failures);
    let halt = first_halt(runs.iter().map(|run| &run.1));
    for ((_, known), (time, _)) in open.iter_mut().zip(&runs) {
        *known = time.flatten();
    }
    open.sort_by_key(|&(number, run)| (run.unwrap_or(i64::MAX), number));
    let least = open.iter().filter_map(|&(_, run)| run).min();
    bound = bound.min(least.unwrap_or(i64::MAX));
    if halt.is_some() {
        found.rows.extend(open.iter().map(|&(number, run)| open_row(&configurations[number], run)));
        return found.end(halt);
    }
    for (round, batch) in open.chunks(BATCH).enumerate() {
        let extent = if options.all { Extent::Everything } else { Extent::UpTo(bound) };
        let one = |unfolder: &mut super::unfolding::Unfolder<'_>, at: usize| {
            let mut explored = Explored::default();
            let before = unfolder.states;
            let outcome = explore(unfolder, &configurations[batch[at].0].starts, extent, &mut explored);
            ((explored, unfolder.states - before), outcome)
        };
        let (results, mut failures) = each(subject, shared, batch.len(), one);
        found.failures.append(&mut failures);
        for (&(number, run), (result, _)) in batch.iter().zip(&results) {
            let configuration = &configurations[number];
            let Some((explored, states)) = result else {
                found.rows.push(open_row(configuration, run));
                continue;
            };
            found.dominated += explored.dominated;
            found.rows.push(explored_row(configuration, explored, run, bound, *states));
            if explored.dead_ends > 0 {
                found.dead_ends.push(configuration.values.clone());
            }
        }
        for (explored, _) in results.iter().filter_map(|result| result.0.as_ref()) {
            bound = bound.min(explored.least.unwrap_or(bound));
        }
        if let Some(halt) = first_halt(results.iter().map(|result| &result.1)) {
            let rest = open.iter().skip((round + 1) * BATCH);
            found.rows.extend(rest.map(|&(number, run)| open_row(&configurations[number], run)));
            return found.end(Some(halt));
        }
    }
    Ok(())
}

/// The row of a configuration of which all runs are known, except those that take longer than a bound.
fn certified_row(configuration: &Configuration, decided: &Decided, above: Option<i64>) -> Row {
    let above = decided.above.into_iter().chain(above).min();
    let least = decided.times.map(|(least, _)| least);
    // Without either, no run reaches the goal.
    let bound = least.into_iter().chain(above.map(|above| above.saturating_add(1))).min();
    let all = decided.times.filter(|_| above.is_none());
    Row {
        values: values(configuration),
        lo: bound.map_or(f64::INFINITY, time),
        hi: least.map_or(f64::INFINITY, time),
        greatest: all.map(|(_, greatest)| time(greatest)),
        all_alike: all.map(|(least, greatest)| least == greatest),
        states: decided.steps,
        evidence: Evidence::Certified,
        predicted: None,
    }
}

impl Found {
    /// Records a limit that was reached. Any other halt ends the search.
    pub fn end(&mut self, halt: Option<Halt>) -> Result<(), Halt> {
        match halt {
            None => Ok(()),
            Some(Halt::Stopped(stop)) => {
                self.stop = Some(stop);
                Ok(())
            }
            Some(halt) => Err(halt),
        }
    }
}
