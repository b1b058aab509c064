//! Windows that stand for a program: how many, and more of them until answers are precise.

use super::asked::{Case, Run};
use super::passes::{self, Answers};
use crate::amounts;
use crate::args::SimulateMulticore;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Distinct, codes, has_errors};
use volvelle_multicore::{Answer, Sampling};

/// Windows where not told otherwise: enough for Student's interval of means that are not normal.
const USUAL: Sampling = Sampling { windows: 30, window: 100_000, warm_up: 10_000 };

/// How often windows are added: each time as many as the spread so far asks for.
const MOST_ROUNDS: usize = 6;

/// What options say of windows.
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    pub sampling: Sampling,
    /// Half of the interval over its middle, at most.
    pub precision: Option<f64>,
}

/// Whether an option about windows is given, and which.
pub fn option(args: &SimulateMulticore) -> Option<&'static str> {
    let all = [
        ("--windows", &args.windows),
        ("--window", &args.window),
        ("--warm-up", &args.warm_up),
        ("--precision", &args.precision),
    ];
    all.into_iter().find(|(_, value)| value.is_some()).map(|(name, _)| name)
}

/// Reads the options; `None` without any.
pub fn read(args: &SimulateMulticore) -> Result<Option<Windows>, Vec<Diagnostic>> {
    if option(args).is_none() {
        return Ok(None);
    }
    let mut found = Vec::new();
    let mut number = |text: &Option<String>, usual: u64, what: &str, least: u64, example: &str| {
        let Some(text) = text else { return usual };
        if least == 0 && text.trim() == "0" {
            return 0;
        }
        match amounts::count(text, what, example) {
            Ok(number) if number >= least => return number,
            Ok(number) => {
                let message = format!("{number} is not {what}: it is at least {least}");
                found.push(Diagnostic::error(codes::BAD_USAGE, message).help(format!("write {example}")));
            }
            Err(wrong) => found.push(wrong),
        }
        usual
    };
    let sampling = Sampling {
        windows: number(&args.windows, USUAL.windows, "a number of windows", 2, "--windows 30"),
        window: number(&args.window, USUAL.window, "a number of instructions", 1, "--window 100000"),
        warm_up: number(&args.warm_up, USUAL.warm_up, "a number of instructions", 0, "--warm-up 10000"),
    };
    let precision =
        args.precision.as_deref().map(|text| amounts::precision(text, "--precision 1%")).transpose();
    match precision {
        Ok(precision) if found.is_empty() => Ok(Some(Windows { sampling, precision })),
        Ok(_) => Err(found),
        Err(wrong) => Err([found, vec![wrong]].concat()),
    }
}

/// Makes all passes, and again with more windows for programs whose answers are not precise enough.
pub fn all(
    runs: &[Run],
    asked: &[Case],
    windows: Option<Windows>,
    may_write: bool,
    control: &Control<'_>,
) -> (Vec<Answers>, Vec<Diagnostic>, Option<Stop>) {
    let every: Vec<&Run> = runs.iter().collect();
    let with = |sampling: Option<Sampling>| -> Vec<Case> {
        let mut cases = asked.to_vec();
        cases.iter_mut().for_each(|case| case.configuration.sampling = sampling);
        cases
    };
    let sampling = windows.map(|windows| windows.sampling);
    let (mut answers, found, mut stop) = passes::all(&every, &with(sampling), may_write, control);
    let mut diagnostics = Distinct::default();
    found.into_iter().for_each(|found| diagnostics.push(found));
    let Some((precision, mut sampling)) = windows.and_then(|one| Some((one.precision?, one.sampling))) else {
        return (answers, diagnostics.take(), stop);
    };
    for (run, answers) in runs.iter().zip(&mut answers) {
        for _ in 0..MOST_ROUNDS {
            let there = || answers.all.iter().flatten();
            if stop.is_some() || there().all(|answer| is_precise(answer, precision)) {
                break;
            }
            sampling.windows = there().map(|answer| wanted(answer, precision)).max().unwrap_or(0);
            let (more, found, ended) = passes::all(&[run], &with(Some(sampling)), may_write, control);
            let is_faulty = has_errors(&found);
            found.into_iter().for_each(|found| diagnostics.push(found));
            stop = ended;
            // What a limit ended leaves the answers with fewer windows.
            match more.into_iter().next() {
                Some(more) if stop.is_none() && !is_faulty => *answers = more,
                _ => break,
            }
        }
    }
    (answers, diagnostics.take(), stop)
}

/// Half of the interval over the answer; 0 where all was simulated.
pub fn relative(answer: &Answer) -> f64 {
    if answer.windows.is_empty() {
        return 0.0;
    }
    match answer.ipc_interval() {
        // That of cycles per instruction: it is symmetric.
        Some(interval) => (1.0 / interval.lo - 1.0 / interval.hi) / 2.0 * answer.ipc(),
        None => f64::INFINITY,
    }
}

fn is_precise(answer: &Answer, precision: f64) -> bool {
    relative(answer) <= precision
}

/// How many windows an answer wants, a few more than its spread says.
fn wanted(answer: &Answer, precision: f64) -> u64 {
    let now = answer.windows.len() as f64;
    let factor = (relative(answer) / precision).powi(2).clamp(0.0, 100.0);
    (now * factor * 1.1).max(now + 2.0).ceil() as u64
}
