//! Rare events by importance splitting: each property with levels and paths of its own.

use super::answer::{RareStatistics, Statistics};
use super::choices::Choices;
use super::complaints;
use super::settings::{PathTier, Sampling, SamplingMethod, USUAL_RARE_PATHS};
use crate::check::{Pending, Remarks};
use crate::limits::{self, count, counted};
use crate::report::PropertyReport;
use crate::session::{Session, Settings};
use std::sync::Mutex;
use std::time::Instant;
use volvelle_control::{Control, Fact, News, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_logic::{Answer, Bound, Guarantee, Property, StopReason, Value};
use volvelle_model::{Kind, Program};
use volvelle_native::Native;
use volvelle_simulate::measure;
use volvelle_simulate::rare::{self, Ended, Levels, Lost, Rare, Repetitions, Segments, Split};
use volvelle_statistics::{Confidence, MeanInterval, Side, interval};

/// Independent repetitions.
const REPETITIONS: u64 = 64;
/// Successes of a stage: with fewer the paths soon stem from a single one, with more states take too much room.
const SUCCESSES: std::ops::RangeInclusive<u64> = 16..=50_000;
/// A stage ends without enough successes when it has run this many times the paths that it should need.
const PATIENCE: u64 = 20;

/// Standard error, relative to the estimate, with which the interval is believed without a word.
const MOST_ERROR: f64 = 0.1;

/// What was found for a property.
struct Found {
    rare: Rare,
    levels: Levels,
    split: Split,
    all: Repetitions,
    stop: Option<Stop>,
    tier: &'static str,
}

impl Session {
    /// One report for each property, in their order, by importance splitting.
    pub(super) fn split(
        &self,
        pending: &[Pending],
        sampling: &Sampling,
        settings: &Settings,
        control: &Control<'_>,
        remarks: &mut Remarks,
    ) -> Vec<PropertyReport> {
        let mut reports = Vec::with_capacity(pending.len());
        for p in pending {
            let (Ok(property), Some(program)) = (&p.property, self.program()) else {
                reports.extend(p.failed());
                continue;
            };
            let start = Instant::now();
            let found = self.sought(property, program, sampling, control).and_then(|found| {
                let mut answer = answer(&found, sampling)?;
                if let Choices::Uniform = self.choices {
                    answer.method.push_str(&format!("; {}", self.choices));
                }
                Ok((found, answer))
            });
            match found {
                Ok((found, answer)) => {
                    if let Some(stop) = found.stop {
                        remarks.stop = remarks.stop.or(Some(stop));
                        remarks.diagnostics.push(limits::stopped(stop, &settings.allowance).note(format!(
                            "the answer is from {} of {REPETITIONS} repetitions",
                            found.all.moments.count()
                        )));
                    }
                    remarks.diagnostics.extend(doubt(&found).map(|remark| remark.at(p.place, "")));
                    let time = start.elapsed();
                    let mut report = p.report(property.constants.clone(), Ok(answer), time);
                    report.facts = facts(&found);
                    report.statistics = Some(Box::new(statistics(&found, sampling, time)));
                    reports.push(report);
                }
                Err(complaint) => reports.push(p.refused(&[complaint.at(p.place, "")])),
            }
        }
        reports
    }

    /// Runs everything for a property.
    fn sought(
        &self,
        property: &Property,
        program: &Program,
        sampling: &Sampling,
        control: &Control<'_>,
    ) -> Result<Found, Diagnostic> {
        let Some(document) = self.document.as_deref() else {
            return Err(complaints::of_nothing(None));
        };
        let mut program = super::for_paths(program);
        if let (Choices::Scheduler(_), Kind::Mdp) = (&self.choices, program.kind) {
            let message = "importance splitting does not follow schedulers of files";
            return Err(Diagnostic::error(codes::NOT_SIMULATED, message)
                .help("leave --rare out, or let choices be made at random: --scheduler uniform"));
        }
        let mut words = Vec::new();
        let asked = measure::measure(&mut program, &mut words, property)
            .map_err(|refusal| complaints::of_refusal(&refusal, &program))?;
        fits(sampling, asked.bound)?;
        let plan = self.prepared(&program, vec![asked.measure], words, sampling.generator, document)?;
        let rare = Rare::new(plan).map_err(|refusal| {
            complaints::of_refusal(&refusal, &program).help("leave --rare out to sample paths from the start")
        })?;
        let native = Native::new(volvelle_native::Options::default()).ok();
        let compiler: &dyn Compiler = match (&native, sampling.tier) {
            (Some(native), PathTier::Auto | PathTier::Scalar) => native,
            _ => &Interpreter,
        };
        let ended = |ended: Ended| of_ended(&ended, self, sampling);
        let segments = Segments::new(&rare, compiler, sampling.max_steps)
            .map_err(|refusal| complaints::of_refusal(&refusal, &program))?;
        let levels = rare::levels(&segments, sampling.seed, control).map_err(ended)?;
        let split = split(&levels, sampling.samples.unwrap_or(USUAL_RARE_PATHS));
        let expected = REPETITIONS as f64 * split.successes as f64 * levels.paths_for_success();
        let begun = Instant::now();
        let told = Mutex::new(begun);
        let (all, stop) =
            rare::repeat(&segments, &levels, &split, sampling.seed, control, &|repetitions, steps| {
                if let Ok(mut last) = told.lock()
                    && last.elapsed().as_millis() >= 100
                {
                    *last = Instant::now();
                    control.progress.news(News::Sampling {
                        paths: (expected * repetitions as f64 / REPETITIONS as f64) as u64,
                        total: expected as u64,
                        steps_per_second: steps as f64 / begun.elapsed().as_secs_f64().max(1e-9),
                        interval: None,
                    });
                }
            })
            .map_err(ended)?;
        let tier = compiler.name();
        drop(segments);
        Ok(Found { rare, levels, split, all, stop, tier })
    }
}

/// How about so many paths are divided among repetitions and stages.
fn split(levels: &Levels, paths: u64) -> Split {
    let successes = paths as f64 / (REPETITIONS as f64 * levels.paths_for_success());
    let successes = (successes as u64).clamp(*SUCCESSES.start(), *SUCCESSES.end());
    Split { repetitions: REPETITIONS, successes, patience: PATIENCE }
}

/// What does not go together with splitting.
fn fits(sampling: &Sampling, bound: Option<Bound>) -> Result<(), Diagnostic> {
    let bad = |what: &str, help: &str| Err(Diagnostic::error(codes::BAD_USAGE, what).help(help));
    if bound.is_some() {
        return bad(
            "--rare estimates a probability, and decides no bound",
            "ask for the number: P=? [ ... ]",
        );
    }
    if !matches!(sampling.method, SamplingMethod::Auto | SamplingMethod::Interval) {
        return bad("--rare has a method of its own", "leave --method out");
    }
    if sampling.width.is_some() {
        return bad(
            "--rare takes a number of paths, not a width: which width they give is known afterwards",
            "leave --width out, and say how many paths: --samples 1e7",
        );
    }
    if sampling.tier == PathTier::Vector {
        return bad("paths between levels run one at a time", "leave --tier out");
    }
    Ok(())
}

/// Why there is no answer.
fn of_ended(ended: &Ended, session: &Session, sampling: &Sampling) -> Diagnostic {
    match ended {
        Ended::Lost(Lost { site: Some(site), state, steps }) => {
            let steps = counted((*steps).into(), "step");
            match session.document.as_deref() {
                Some(document) => document.explain_failure(&session.sources, *site, state).note(format!(
                    "on a path between levels of seed {}, {steps} from the start",
                    sampling.seed
                )),
                None => complaints::of_nothing(None),
            }
        }
        Ended::Lost(Lost { site: None, .. }) => {
            let steps = count(sampling.max_steps.into());
            Diagnostic::error(
                codes::PATH_TOO_LONG,
                format!("a path of {steps} steps does not decide the property"),
            )
            .note("to count it either way would make the answer wrong")
            .help("allow longer paths with --max-path-length, or give the property a time bound")
        }
        Ended::Stuck { levels, paths } => {
            let paths = counted(*paths, "path");
            let message = match levels {
                0 => format!("{paths} came no nearer to the target than they were at the start"),
                n => format!("{paths} came no nearer to the target than level {n}"),
            };
            Diagnostic::error(codes::NO_SUCCESS, message)
                .note("levels were sought by a pilot run; the target may as well be out of reach")
                .help("`volvelle check` tells whether the probability is zero")
        }
        Ended::TooManyLevels(levels) => Diagnostic::error(
            codes::NO_SUCCESS,
            format!("the target is more than {} away", counted(*levels as u64, "level")),
        )
        .help("ask for something that is less improbable, or use `volvelle check`"),
        Ended::Stopped(stop) => complaints::of_nothing(Some(*stop)),
    }
}

/// The estimate with its interval.
fn answer(found: &Found, sampling: &Sampling) -> Result<Answer, Diagnostic> {
    let all = &found.all;
    let estimate = all.moments.mean().unwrap_or(0.0);
    let levels = counted(found.levels.thresholds.len() as u64 - 1, "level");
    if estimate <= 0.0 {
        let last = all.stages.iter().rposition(|&paths| paths > 0).unwrap_or(0);
        let where_to = match last + 1 == found.levels.thresholds.len() {
            true => "the target".to_owned(),
            false => format!("level {}", last + 1),
        };
        return Err(Diagnostic::error(codes::NO_SUCCESS, format!("no repetition got to {where_to}"))
            .note(format!("there are {levels}; {} were run", counted(all.paths, "path")))
            .help("run more paths: --samples 1e8"));
    }
    let interval = interval_of(found, sampling);
    let value = if found.rare.negated { 1.0 - estimate } else { estimate };
    Ok(Answer {
        value: Value::Number(value),
        guarantee: Guarantee::Statistical { interval, confidence: sampling.confidence, samples: all.paths },
        compared: None,
        exact: Vec::new(),
        method: format!("importance splitting with {levels}, {} repetitions", all.moments.count()),
        stop: if found.stop.is_some() { StopReason::Interrupted } else { StopReason::SamplesDone },
        initially: None,
    })
}

/// What to say where repetitions differ so much that few of them make the estimate, and its interval misses more often than
/// it should.
fn doubt(found: &Found) -> Option<Diagnostic> {
    let moments = &found.all.moments;
    let (mean, error) = (moments.mean()?, moments.standard_error()?);
    if error <= MOST_ERROR * mean {
        return None;
    }
    let percent = (100.0 * error / mean).round();
    Some(
        Diagnostic::note_only(
            codes::REPETITIONS_DIFFER,
            "repetitions differ much: the interval may be too narrow",
        )
        .note(format!("the standard error of the estimate is {percent} % of it"))
        .help("run more paths with --samples"),
    )
}

/// Student's interval for the mean of the repetitions.
fn interval_of(found: &Found, sampling: &Sampling) -> Option<[f64; 2]> {
    let confidence = Confidence::new(sampling.confidence).ok()?;
    match interval::mean_student(&found.all.moments, confidence, Side::Both) {
        Ok(MeanInterval::Known(known)) => {
            let (lo, hi) = (known.lo.max(0.0), known.hi.min(1.0));
            Some(if found.rare.negated { [1.0 - hi, 1.0 - lo] } else { [lo, hi] })
        }
        // Nothing varied: that gives no interval.
        Ok(_) | Err(_) => None,
    }
}

fn facts(found: &Found) -> Vec<Fact> {
    let Found { rare, levels, split, all, .. } = found;
    let distance = rare.importance.describe(&rare.plan);
    vec![
        Fact::text("importance", distance)
            .because("paths are split where it grows; it does not change the mean"),
        Fact::count("levels", levels.thresholds.len() as u64 - 1)
            .because(format!("from a pilot run of {}", counted(levels.paths, "path"))),
        Fact::count("successes", split.successes).because("end a stage of a repetition"),
        Fact::count("dead repetitions", all.zeros).because("did not reach the target, and count as zero"),
    ]
}

fn statistics(found: &Found, sampling: &Sampling, time: std::time::Duration) -> Statistics {
    let Found { rare, levels, split, all, .. } = found;
    let thresholds = &levels.thresholds;
    Statistics {
        samples: all.paths,
        steps: all.steps,
        seed: sampling.seed,
        generator: sampling.generator.to_string(),
        confidence: sampling.confidence,
        interval: interval_of(found, sampling),
        successes: None,
        deviation: None,
        tier: found.tier.to_owned(),
        time,
        rare: Some(RareStatistics {
            importance: rare.importance.describe(&rare.plan),
            levels: thresholds[..thresholds.len() - 1].iter().map(|level| level - rare.at_first()).collect(),
            replications: all.moments.count(),
            successes: split.successes,
            zeros: all.zeros,
            stages: all.stages.clone(),
        }),
    }
}
