//! Sums of the rows of paths: for every measure the number of ones, or the moments of its values.
//!
//! `on_device` does the same on the device that has the rows, with the same operations in the same order.

mod on_device;

pub(crate) use on_device::{Jobs, Sums};

use crate::monitor::{Monitors, Reading, Within};
use crate::runner::Paths;
use crate::summary::{Sampled, Summary};
use volvelle_statistics::{Moments, Tally};

/// The summary of the paths `from..to`, where `paths` begins with number `first`.
pub(crate) fn summarise(first: u64, paths: &Paths, from: usize, to: usize, monitors: &Monitors) -> Sampled {
    let mut sampled = Sampled::nothing(monitors.indicators());
    let columns = monitors.columns();
    sampled.paths = (to - from) as u64;
    sampled.end = first + to as u64;
    sampled.steps = paths.status[from..to].iter().map(|status| status >> 1).sum();
    sum_up(monitors, &paths.values[from * columns..to * columns], &mut sampled.summaries);
    sampled
}

/// Adds rows, one per path, to empty summaries, one per measure.
pub(crate) fn sum_up(monitors: &Monitors, rows: &[f64], summaries: &mut [Summary]) {
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

#[cfg(test)]
mod tests {
    use super::{Jobs, sum_up, summarise};
    use crate::measure::{Event, Measure, Window};
    use crate::monitor::Monitors;
    use crate::runner::Paths;
    use crate::summary::{BLOCK, Sampled, Summary};
    use volvelle_kernel::interp::Interpreter;
    use volvelle_kernel::{BufferMut, Compiler as _, Const, Exit, ExprId};
    use volvelle_model::Kind;
    use volvelle_random::Random;

    fn measure(random: &mut Random) -> Measure {
        let horizon = random.below(5) as f64;
        match random.below(4) {
            0 => Measure::Instantaneous { structure: random.below(2), at: horizon },
            1 => Measure::Indicator { event: Event::Now(ExprId(0)), negated: false },
            _ => {
                let window = Window { lower: 0.0, upper: Some(horizon) };
                let event = Event::Until(ExprId(0), ExprId(random.below(2) as u32), window);
                Measure::Indicator { event, negated: random.one_in(2) }
            }
        }
    }

    /// The same sums, lane by lane, as a device makes them of blocks of paths.
    #[test]
    fn a_device_sums_up_alike() {
        let mut random = Random(12);
        let code = Interpreter.compile(&Jobs::kernel()).expect("it is valid");
        for round in 0..60 {
            let measures: Vec<Measure> = (0..random.below(9)).map(|_| measure(&mut random)).collect();
            let monitors = Monitors::together(Kind::Ctmc, &measures);
            let jobs = Jobs::new(&monitors);
            let paths = random.below(3 * BLOCK as usize);
            let value = |random: &mut Random| match random.below(4) {
                0 => random.pick(&[
                    0.0,
                    -0.0,
                    1.0,
                    2.0,
                    -2.0,
                    3.5,
                    -3.5,
                    f64::INFINITY,
                    f64::NEG_INFINITY,
                    f64::NAN,
                ]),
                _ => random.below(1000) as f64 / 7.0,
            };
            let mut values: Vec<f64> = (0..paths * monitors.columns()).map(|_| value(&mut random)).collect();
            // A moment is a number.
            for moment in monitors.all().iter().filter(|monitor| monitor.tells_moment()) {
                let column = values.iter_mut().skip(moment.column).step_by(monitors.columns());
                column.filter(|value| value.is_nan()).for_each(|value| *value = f64::INFINITY);
            }
            let status: Vec<u64> = (0..paths).map(|_| 2 * random.below(1000) as u64).collect();
            let blocks = paths.div_ceil(BLOCK as usize);
            let [counts, numbers] = Jobs::told(blocks * jobs.len());
            let (mut counts, mut numbers) = (vec![0; counts], vec![0.0; numbers]);
            for lane in 0..(blocks * jobs.len()) as u64 {
                let params = [lane, blocks as u64, BLOCK, paths as u64, monitors.columns() as u64];
                let mut buffers = vec![BufferMut::ReadF64(&values), BufferMut::ReadU64(&status)];
                buffers.extend(jobs.buffers());
                buffers.extend([BufferMut::U64(&mut counts), BufferMut::F64(&mut numbers)]);
                assert_eq!(code.run(&params.map(Const::u64), &mut buffers), Exit::Done);
            }
            let rows = Paths { values, status, ends: Vec::new() };
            for block in 0..blocks {
                let (from, to) = (block * BLOCK as usize, ((block + 1) * BLOCK as usize).min(paths));
                let expected = summarise(7, &rows, from, to, &monitors);
                let found = jobs.read(block, blocks, (to - from) as u64, &counts, &numbers);
                assert_eq!((found.steps, found.given_up), (expected.steps, 0));
                // Different numbers print differently.
                assert_eq!(
                    format!("{:?}", found.summaries),
                    format!("{:?}", expected.summaries),
                    "round {round}"
                );
            }
        }
    }

    /// Against the values of the measures, one by one.
    #[test]
    fn sums_are_those_of_values() {
        let mut random = Random(11);
        let (mut happened, mut unknown) = (0, 0);
        for _ in 0..500 {
            let measures: Vec<Measure> = (0..random.below(12)).map(|_| measure(&mut random)).collect();
            let monitors = Monitors::together(Kind::Ctmc, &measures);
            let indicators: Vec<bool> = measures.iter().map(Measure::is_indicator).collect();
            let choices = [0.0, -0.0, 0.5, 1.0, 2.0, -2.0, 3.5, -3.5, 4.0, -4.0, 9.0, -9.0, f64::INFINITY];
            let paths = random.below(20);
            let rows: Vec<f64> = (0..paths * monitors.columns()).map(|_| random.pick(&choices)).collect();
            let mut summaries = Sampled::nothing(&indicators).summaries;
            sum_up(&monitors, &rows, &mut summaries);
            let values: Vec<Vec<f64>> = match monitors.columns() {
                0 => Vec::new(),
                columns => rows.chunks(columns).map(|row| monitors.values(row).collect()).collect(),
            };
            for (k, summary) in summaries.iter().enumerate() {
                let column: Vec<f64> = values.iter().map(|row| row[k]).collect();
                unknown += column.iter().filter(|value| value.is_nan()).count();
                match summary {
                    Summary::Tally(tally) => {
                        let ones = column.iter().filter(|&&value| value == 1.0).count();
                        happened += ones;
                        assert_eq!((tally.successes(), tally.samples()), (ones as u64, paths as u64));
                    }
                    Summary::Moments { moments, infinite } => {
                        let finite: Vec<f64> = column.iter().copied().filter(|v| v.is_finite()).collect();
                        let mut expected = volvelle_statistics::Moments::new();
                        finite.iter().for_each(|&value| expected.push(value));
                        assert_eq!(moments, &expected);
                        assert_eq!(*infinite, (column.len() - finite.len()) as u64);
                    }
                }
            }
        }
        assert!(happened > 1000 && unknown > 1000, "{happened} and {unknown}");
    }
}
