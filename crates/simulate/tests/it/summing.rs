//! Sums of the rows of paths, on the host and on devices.

use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{BufferMut, Compiler as _, Const, Exit, ExprId};
use volvelle_model::Kind;
use volvelle_random::Random;
use volvelle_simulate::measure::{Event, Measure, Window};
use volvelle_simulate::monitor::Monitors;
use volvelle_simulate::runner::Paths;
use volvelle_simulate::summary::{BLOCK, Sampled, Summary};
use volvelle_simulate::summing::{Jobs, sum_up, summarise};

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
        let [counts, numbers] = Jobs::told(blocks * jobs.count());
        let (mut counts, mut numbers) = (vec![0; counts], vec![0.0; numbers]);
        for lane in 0..(blocks * jobs.count()) as u64 {
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
