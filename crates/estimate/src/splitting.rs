//! Importance splitting with a given number of paths: levels from a pilot run, then independent repetitions.

use crate::settings::{DEFAULT_RARE_PATHS, PathTier, Sampling};
use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use volvelle_control::{Control, ProgressEvent, Stop};
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_native::Native;
use volvelle_simulate::error::Unsupported;
use volvelle_simulate::path::Plan;
use volvelle_simulate::splitting::{self, Levels, NoEstimate, Repetitions, Segments, Split, SplittingTask};
use volvelle_statistics::{Confidence, MeanInterval, Side, interval};

/// Independent repetitions.
pub const REPETITIONS: u64 = 64;
/// Successes of a stage. With fewer, the paths soon descend from a single one; with more, the states take too
/// much memory.
const SUCCESSES: RangeInclusive<u64> = 16..=50_000;
/// A stage ends without enough successes after this many times the expected number of paths.
const PATIENCE: u64 = 20;
/// Standard error relative to the estimate up to which the interval is trusted.
const TRUSTED_ERROR: f64 = 0.1;
/// Time between two reports of progress.
const NEWS_INTERVAL: Duration = Duration::from_millis(100);

/// The result for a property.
pub struct Splitting {
    /// The plan and its importance function.
    pub task: SplittingTask,
    /// Thresholds of the importance.
    pub levels: Levels,
    /// How paths were divided among repetitions and stages.
    pub split: Split,
    /// The repetitions that were run.
    pub repetitions: Repetitions,
    /// The limit that ended them early.
    pub stop: Option<Stop>,
    /// The code that ran the paths.
    pub tier: &'static str,
}

/// Why there is no result.
pub enum NotSplit {
    /// The property or the model is not split.
    Unsupported(Unsupported),
    /// The path segments are not compiled.
    NotCompiled(Unsupported),
    /// The pilot run or a repetition ended without a result.
    NoEstimate(NoEstimate),
}

impl Splitting {
    /// Runs the pilot run and the repetitions for the only measure of a plan.
    ///
    /// # Errors
    /// The plan cannot be split, or the paths give no result.
    pub fn run(plan: Plan, sampling: &Sampling, control: &Control<'_>) -> Result<Self, NotSplit> {
        let task = SplittingTask::new(plan).map_err(NotSplit::Unsupported)?;
        let native = Native::new(volvelle_native::Options::default()).ok();
        let compiler: &dyn Compiler = match (&native, sampling.tier) {
            (Some(native), PathTier::Auto | PathTier::Scalar) => native,
            _ => &Interpreter,
        };
        let segments = Segments::new(&task, compiler, sampling.max_steps).map_err(NotSplit::NotCompiled)?;
        let levels = splitting::levels(&segments, sampling.seed, control).map_err(NotSplit::NoEstimate)?;
        let split = divide(&levels, sampling.samples.unwrap_or(DEFAULT_RARE_PATHS));
        let expected = REPETITIONS as f64 * split.successes as f64 * levels.paths_for_success();
        let begun = Instant::now();
        let reported = Mutex::new(begun);
        let (repetitions, stop) =
            splitting::repeat(&segments, &levels, &split, sampling.seed, control, &|repetitions, steps| {
                if let Ok(mut last) = reported.lock()
                    && last.elapsed() >= NEWS_INTERVAL
                {
                    *last = Instant::now();
                    control.progress.report(ProgressEvent::Sampling {
                        paths: (expected * repetitions as f64 / REPETITIONS as f64) as u64,
                        total: expected as u64,
                        steps_per_second: steps as f64 / begun.elapsed().as_secs_f64().max(1e-9),
                        interval: None,
                    });
                }
            })
            .map_err(NotSplit::NoEstimate)?;
        let tier = compiler.name();
        drop(segments);
        Ok(Splitting { task, levels, split, repetitions, stop, tier })
    }

    /// The mean of the repetitions: the probability to reach the target, or that of its complement for a negated measure.
    /// `None` if no repetition reached the target.
    pub fn estimate(&self) -> Option<f64> {
        let mean = self.repetitions.moments.mean().filter(|&mean| mean > 0.0)?;
        Some(if self.task.negated { 1.0 - mean } else { mean })
    }

    /// Student's interval for the mean of the repetitions; `None` if they are too few, or do not vary.
    pub fn interval(&self, confidence: f64) -> Option<[f64; 2]> {
        let confidence = Confidence::new(confidence).ok()?;
        match interval::mean_student(&self.repetitions.moments, confidence, Side::Both) {
            Ok(MeanInterval::Known(known)) => {
                let (lo, hi) = (known.lo.max(0.0), known.hi.min(1.0));
                Some(if self.task.negated { [1.0 - hi, 1.0 - lo] } else { [lo, hi] })
            }
            Ok(_) | Err(_) => None,
        }
    }

    /// The relative standard error, if it exceeds `TRUSTED_ERROR`: then few repetitions determine the
    /// estimate, and the interval misses the value too often.
    pub fn untrusted_error(&self) -> Option<f64> {
        let moments = &self.repetitions.moments;
        let (mean, error) = (moments.mean()?, moments.standard_error()?);
        (error > TRUSTED_ERROR * mean).then_some(error / mean)
    }

    /// Importance of the levels relative to the initial state, increasing, without the target.
    pub fn relative_levels(&self) -> Vec<i32> {
        let thresholds = &self.levels.thresholds;
        thresholds[..thresholds.len() - 1].iter().map(|level| level - self.task.at_first()).collect()
    }
}

/// Divides about `paths` paths among repetitions and stages.
fn divide(levels: &Levels, paths: u64) -> Split {
    let successes = paths as f64 / (REPETITIONS as f64 * levels.paths_for_success());
    let successes = (successes as u64).clamp(*SUCCESSES.start(), *SUCCESSES.end());
    Split { repetitions: REPETITIONS, successes, patience: PATIENCE }
}
