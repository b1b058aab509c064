//! The estimate: independent repetitions of the stages from level to level.

use super::levels::Levels;
use super::population::{Ends, Population};
use super::seeds::stage_seed;
use super::segments::Segments;
use super::task::NoEstimate;
use serde::{Deserialize, Serialize};
use std::sync::Mutex;
use volvelle_control::tasks::{Tasks, compute_all, encoded};
use volvelle_control::{Control, TaskQueue};
use volvelle_statistics::Moments;

/// The division of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Number of repetitions, two at least.
    pub repetitions: u64,
    /// Successes at which a stage ends, two at least.
    pub successes: u64,
    /// A stage also ends when it has run this multiple of the paths that it is expected to need.
    pub patience: u64,
}

/// One repetition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repetition {
    /// The unbiased estimate.
    pub estimate: f64,
    /// Paths, of each stage that was run.
    pub paths: Vec<u64>,
    /// Steps on all paths, including dropped ones.
    pub steps: u64,
}

/// All repetitions.
#[derive(Clone, Debug, Default)]
pub struct Repetitions {
    /// Estimates, in the order of repetitions.
    pub moments: Moments,
    /// Number of repetitions with estimate zero.
    pub zeros: u64,
    /// Paths.
    pub paths: u64,
    /// Steps.
    pub steps: u64,
    /// Paths of each stage, of all repetitions.
    pub stages: Vec<u64>,
}

/// Limit of paths that run at once.
const BATCH: u64 = 1 << 12;

/// Runs all repetitions, on all threads, and on other processes that share the work; results do not depend on
/// the assignment.
///
/// After each repetition, calls `told` with their number and steps.
///
/// # Errors
/// A repetition fails, or time runs out before two have finished. Repetitions that have begun are completed:
/// dropping unfinished ones would drop the long ones.
pub fn repeat(
    segments: &Segments<'_>,
    levels: &Levels,
    split: &Split,
    seed: u64,
    control: &Control<'_>,
    told: &(dyn Fn(u64, u64) + Sync),
) -> Result<(Repetitions, Option<volvelle_control::Stop>), NoEstimate> {
    let worker = |queue: &dyn TaskQueue| {
        while let Some(number) = queue.next() {
            let one = control.check().is_ok().then(|| repetition(segments, levels, split, seed, number));
            queue.deliver(number, one.and_then(|one| encoded(&one)));
        }
    };
    let told_so_far = Mutex::new((0, 0));
    let ends = |one: &Result<Repetition, NoEstimate>| {
        if let Ok(one) = one {
            let mut so_far = told_so_far.lock().unwrap_or_else(|e| e.into_inner());
            *so_far = (so_far.0 + 1, so_far.1 + one.steps);
            told(so_far.0, so_far.1);
        }
        one.is_err()
    };
    let tasks = Tasks { count: split.repetitions as usize, ends: Some(&ends), completes: true };
    let done = compute_all(&tasks, control, &worker).map_err(NoEstimate::Stopped)?;
    let stopped = control.check().err();
    let mut all = Repetitions { stages: vec![0; levels.thresholds.len()], ..Repetitions::default() };
    for result in done.into_iter().flatten() {
        let one = result?;
        all.moments.push(one.estimate);
        all.zeros += u64::from(one.estimate == 0.0);
        all.steps += one.steps;
        for (all, paths) in all.stages.iter_mut().zip(&one.paths) {
            *all += paths;
        }
        all.paths += one.paths.iter().sum::<u64>();
    }
    match stopped {
        Some(stop) if all.moments.count() < 2 => Err(NoEstimate::Stopped(stop)),
        stopped if all.moments.count() < split.repetitions => Ok((all, stopped)),
        _ => Ok((all, None)),
    }
}

/// One repetition: all stages, from the initial state to the target.
///
/// # Errors
/// A path fails, or takes too many steps.
pub fn repetition(
    segments: &Segments<'_>,
    levels: &Levels,
    split: &Split,
    seed: u64,
    number: u64,
) -> Result<Repetition, NoEstimate> {
    let mut result = Repetition { estimate: 1.0, paths: Vec::new(), steps: 0 };
    let mut states = Population::initial(segments.rare);
    let mut reaching = Population::default();
    let mut ends = Ends::default();
    for (stage, (&level, &share)) in levels.thresholds.iter().zip(&levels.shares).enumerate() {
        let seed = stage_seed(seed, number, stage);
        let expected = (split.successes as f64 / share).ceil().min(1e15) as u64;
        let most = expected.saturating_mul(split.patience.max(1)).max(split.successes);
        let (mut run, mut successes, mut paths) = (0u64, 0u64, 0u64);
        reaching.clear();
        while successes < split.successes && run < most {
            // About as many paths as are still needed; those after the last success are dropped.
            let needed =
                (expected as f64 * (split.successes - successes) as f64 / split.successes as f64).ceil();
            let batch = (needed as u64).clamp(16, BATCH).min(most - run);
            segments.run(seed, run..run + batch, level, &states, &mut ends)?;
            result.steps += ends.status.iter().map(|status| status >> 1).sum::<u64>();
            for i in 0..batch as usize {
                paths += 1;
                if ends.bests[i] >= level {
                    successes += 1;
                    reaching.push(&ends, i);
                    if successes == split.successes {
                        break;
                    }
                }
            }
            run += batch;
        }
        result.paths.push(paths);
        result.estimate *= factor(successes, split.successes, paths);
        if successes == 0 {
            break;
        }
        std::mem::swap(&mut states, &mut reaching);
    }
    Ok(result)
}

/// The unbiased estimate of the probability of success, for paths that continue until there are `enough`
/// successes, or until a number of paths fixed before.
fn factor(successes: u64, enough: u64, paths: u64) -> f64 {
    if successes == enough {
        // The last path is always a success, so it carries no information.
        (successes - 1) as f64 / (paths - 1) as f64
    } else {
        successes as f64 / paths as f64
    }
}
