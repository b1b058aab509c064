//! More windows until answers are precise.

use super::asked::{Case, Run};
use super::passes;
use super::passes::Answers;
use super::windows::Windows;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Distinct, has_errors};
use volvelle_multicore::{Answer, Sampling};

/// How often windows are added: each time as many as the spread so far asks for. Then all is simulated.
const MOST_ROUNDS: usize = 6;

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
        for round in 0..=MOST_ROUNDS {
            let there = || answers.all.iter().flatten();
            if stop.is_some() || there().all(|answer| is_precise(answer, precision)) {
                break;
            }
            sampling.windows = there().map(|answer| wanted(answer, precision)).max().unwrap_or(0);
            let sampling = (round < MOST_ROUNDS).then_some(sampling);
            let (more, found, ended) = passes::all(&[run], &with(sampling), may_write, control);
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
fn relative(answer: &Answer) -> f64 {
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
