//! Sums of the rows of paths: for every measure the number of ones, or the moments of its values.
//!
//! `on_device` does the same on the device that has the rows, with the same operations in the same order.

mod on_device;

pub use on_device::{Jobs, Sums};

use crate::monitor::{Monitors, Reading, Within};
use crate::runner::Paths;
use crate::summary::{Sampled, Summary};
use volvelle_statistics::{Moments, Tally};

/// The summary of the paths `from..to`, where `paths` begins with number `first`.
pub fn summarise(first: u64, paths: &Paths, from: usize, to: usize, monitors: &Monitors) -> Sampled {
    let mut sampled = Sampled::nothing(monitors.indicators());
    let columns = monitors.columns();
    sampled.paths = (to - from) as u64;
    sampled.end = first + to as u64;
    sampled.steps = paths.status[from..to].iter().map(|status| status >> 1).sum();
    sum_up(monitors, &paths.values[from * columns..to * columns], &mut sampled.summaries);
    sampled
}

/// Adds rows, one per path, to empty summaries, one per measure.
pub fn sum_up(monitors: &Monitors, rows: &[f64], summaries: &mut [Summary]) {
    let columns = monitors.columns().max(1);
    let paths = (rows.len() / columns) as u64;
    // Path by path: there may be more columns than the nearest memory holds.
    let plain: Vec<(usize, usize)> = (0..summaries.len())
        .filter(|&k| monitors.readings()[k].within.is_none())
        .map(|k| (k, monitors.readings()[k].column))
        .collect();
    let mut successes = vec![0u64; summaries.len()];
    for row in rows.chunks_exact(columns) {
        for &(k, column) in &plain {
            let value = row[column];
            match &mut summaries[k] {
                Summary::Tally(_) => successes[k] += u64::from(value == 1.0),
                Summary::Moments { moments, infinite } => add(moments, infinite, value),
            }
        }
    }
    count_moments(monitors, rows, &mut successes);
    for (summary, successes) in summaries.iter_mut().zip(successes) {
        if let Summary::Tally(tally) = summary {
            *tally = Tally::new(successes, paths).unwrap_or_default();
        }
    }
}

fn add(moments: &mut Moments, infinite: &mut u64, value: f64) {
    if value.is_finite() { moments.push(value) } else { *infinite += 1 }
}

/// Counts paths by the first horizon that contains their time; cumulative sums then give the counts within each horizon.
fn count_moments(monitors: &Monitors, rows: &[f64], successes: &mut [u64]) {
    /// For every horizon of a monitor, by column: the number of paths on which the event has happened, and of
    /// undecided paths.
    struct Counts {
        happened: Vec<u64>,
        unknown: Vec<u64>,
    }
    let columns = monitors.columns().max(1);
    let paths = (rows.len() / columns) as u64;
    let mut of_columns: Vec<Option<Counts>> = (0..columns).map(|_| None).collect();
    for monitor in monitors.all().iter().filter(|monitor| monitor.tells_moment()) {
        let horizons = &monitor.horizons;
        let mut counts = Counts { happened: vec![0; horizons.len()], unknown: vec![0; horizons.len()] };
        for row in rows.chunks_exact(columns) {
            let told = row[monitor.column];
            let first = horizons.partition_point(|&horizon| horizon < told.abs());
            let by = if told.is_sign_positive() { &mut counts.happened } else { &mut counts.unknown };
            if let Some(count) = by.get_mut(first) {
                *count += 1;
            }
        }
        for by in [&mut counts.happened, &mut counts.unknown] {
            let mut sum = 0;
            for count in by {
                sum += *count;
                *count = sum;
            }
        }
        of_columns[monitor.column] = Some(counts);
    }
    for (successes, reading) in successes.iter_mut().zip(monitors.readings()) {
        let Reading { column, within: Some(Within { number, negated, .. }) } = *reading else { continue };
        let Some(counts) = &of_columns[column] else { continue };
        let (happened, unknown) = (counts.happened[number], counts.unknown[number]);
        *successes = if negated { paths - happened - unknown } else { happened };
    }
}
