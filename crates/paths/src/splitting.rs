//! Rare events by importance splitting: each property with levels and paths of its own.

use super::diagnostics;
use super::{PathTier, Sampling, SamplingMethod};
use std::time::Instant;
use volvelle_control::{Control, Fact};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_estimate::splitting::{NotSplit, REPETITIONS, Splitting};
use volvelle_logic::{Answer, Bound, Property, StopReason, Value, gate};
use volvelle_model::{Kind, Program};
use volvelle_session::choices::Choices;
use volvelle_session::failure;
use volvelle_session::limits::{self, count, counted};
use volvelle_session::pending::{Pending, RunLog};
use volvelle_session::report::PropertyReport;
use volvelle_session::statistics::{SplittingStatistics, Statistics};
use volvelle_session::{Model, Session, Settings};
use volvelle_simulate::measure;
use volvelle_simulate::splitting::{Lost, NoEstimate};

/// One report for each property, in their order, by importance splitting.
pub(super) fn split(
    session: &Session,
    pending: &[Pending],
    sampling: &Sampling,
    settings: &Settings,
    control: &Control<'_>,
    log: &mut RunLog,
) -> Vec<PropertyReport> {
    let mut reports = Vec::with_capacity(pending.len());
    let control = &session.run.sharing(control);
    for p in pending {
        let (Ok(property), Some(program)) = (&p.property, session.model.program()) else {
            reports.extend(p.failed());
            continue;
        };
        let start = Instant::now();
        let found = sought(session, property, program, sampling, control).and_then(|found| {
            let mut answer = answer(&found, sampling)?;
            if let Choices::Uniform = session.run.choices {
                answer.method.push_str(&format!("; {}", session.run.choices));
            }
            Ok((found, answer))
        });
        match found {
            Ok((found, answer)) => {
                if let Some(stop) = found.stop {
                    log.stop = log.stop.or(Some(stop));
                    log.diagnostics.push(limits::stopped(stop, &settings.allowance).note(format!(
                        "the answer is based on {} of {REPETITIONS} repetitions",
                        found.repetitions.moments.count()
                    )));
                }
                log.diagnostics.extend(doubt(&found).map(|remark| p.at_point(remark.at(p.place, ""))));
                let time = start.elapsed();
                let mut report = p.report(property.constants.clone(), Ok(answer), time);
                report.facts = facts(&found);
                report.statistics = Some(Box::new(statistics(&found, sampling, time)));
                reports.push(report);
            }
            Err(complaint) => reports.push(p.refused(&[complaint.at(p.place, "")])),
        }
    }
    log.diagnostics.extend(session.run.lost_ranks("repetitions"));
    reports
}

/// Runs everything for a property.
fn sought(
    session: &Session,
    property: &Property,
    program: &Program,
    sampling: &Sampling,
    control: &Control<'_>,
) -> Result<Splitting, Diagnostic> {
    if let (Choices::Scheduler(_), Kind::Mdp) = (&session.run.choices, program.kind()) {
        let message = "importance splitting does not support schedulers from files";
        return Err(Diagnostic::error(codes::NOT_SIMULATED, message)
            .help("leave --rare out, or resolve choices at random: --scheduler uniform"));
    }
    let Some(mut model) = crate::model::path_model(session, control)? else {
        return Err(diagnostics::of_nothing(None));
    };
    let mut automata = Vec::new();
    let asked = measure::measure(&mut model.program, &mut automata, property)
        .map_err(|why| diagnostics::of_unsupported(&why, &model.program))?;
    fits(sampling, asked.bound)?;
    let plan = crate::model::prepared(session, &model, vec![asked.measure], automata, sampling.generator)?;
    Splitting::run(plan, sampling, control).map_err(|why| match why {
        NotSplit::Unsupported(why) => diagnostics::of_unsupported(&why, &model.program)
            .help("leave --rare out to sample complete paths"),
        NotSplit::NotCompiled(why) => diagnostics::of_unsupported(&why, &model.program),
        NotSplit::NoEstimate(ended) => of_ended(&ended, &session.model, sampling),
    })
}

/// Refuses options that do not go together with splitting.
fn fits(sampling: &Sampling, bound: Option<Bound>) -> Result<(), Diagnostic> {
    let bad = |what: &str, help: &str| Err(Diagnostic::error(codes::BAD_USAGE, what).help(help));
    if bound.is_some() {
        return bad(
            "--rare estimates a probability and cannot decide a bound",
            "request the number: P=? [ ... ]",
        );
    }
    if !matches!(sampling.method, SamplingMethod::Auto | SamplingMethod::Interval) {
        return bad("--rare has its own method", "leave --method out");
    }
    if sampling.width.is_some() {
        return bad(
            "--rare takes a number of paths, not a width: the width they give is known only afterwards",
            "leave --width out, and give a number of paths: --samples 1e7",
        );
    }
    if sampling.tier == PathTier::Vector {
        return bad("paths between levels run one at a time", "leave --tier out");
    }
    Ok(())
}

/// Why there is no answer.
fn of_ended(ended: &NoEstimate, model: &Model, sampling: &Sampling) -> Diagnostic {
    match ended {
        NoEstimate::Lost(Lost { site: Some(site), state, steps }) => {
            let steps = counted((*steps).into(), "step");
            match model.document.as_deref() {
                Some(document) => failure::of_site(*site, state, None, document, &model.sources).note(
                    format!("on a path between levels of seed {}, {steps} from the start", sampling.seed),
                ),
                None => diagnostics::of_nothing(None),
            }
        }
        NoEstimate::Lost(Lost { site: None, .. }) => {
            let steps = count(sampling.max_steps.into());
            Diagnostic::error(
                codes::PATH_TOO_LONG,
                format!("a path of {steps} steps does not decide the property"),
            )
            .note("counting it either way would falsify the answer")
            .help("allow longer paths with --max-path-length, or add a time bound to the property")
        }
        NoEstimate::Stuck { levels, paths } => {
            let paths = counted(*paths, "path");
            let message = match levels {
                0 => format!("{paths} never came closer to the target than the start"),
                n => format!("{paths} never came closer to the target than level {n}"),
            };
            Diagnostic::error(codes::NO_SUCCESS, message)
                .note("a pilot run searched for levels; the target may be unreachable")
                .help("`volvelle check` determines whether the probability is zero")
        }
        NoEstimate::TooManyLevels(levels) => Diagnostic::error(
            codes::NO_SUCCESS,
            format!("the target is more than {} away", counted(*levels as u64, "level")),
        )
        .help("choose a less rare event, or use `volvelle check`"),
        NoEstimate::Stopped(stop) => diagnostics::of_nothing(Some(*stop)),
    }
}

/// The estimate with its interval.
fn answer(found: &Splitting, sampling: &Sampling) -> Result<Answer, Diagnostic> {
    let all = &found.repetitions;
    let levels = counted(found.levels.thresholds.len() as u64 - 1, "level");
    let Some(value) = found.estimate() else {
        let last = all.stages.iter().rposition(|&paths| paths > 0).unwrap_or(0);
        let where_to = match last + 1 == found.levels.thresholds.len() {
            true => "the target".to_owned(),
            false => format!("level {}", last + 1),
        };
        return Err(Diagnostic::error(codes::NO_SUCCESS, format!("no repetition reached {where_to}"))
            .note(format!("there are {levels}; {} were simulated", counted(all.paths, "path")))
            .help("run more paths: --samples 1e8"));
    };
    let interval = found.interval(sampling.confidence);
    Ok(Answer {
        value: Value::Number(value),
        guarantee: gate::sampled(interval, sampling.confidence, all.paths),
        compared: None,
        exact: Vec::new(),
        method: format!("importance splitting with {levels}, {} repetitions", all.moments.count()),
        stop: if found.stop.is_some() { StopReason::Interrupted } else { StopReason::SamplesDone },
        initially: None,
    })
}

/// The remark on repetitions that differ so much that the interval is not trusted.
fn doubt(found: &Splitting) -> Option<Diagnostic> {
    let percent = (100.0 * found.untrusted_error()?).round();
    Some(
        Diagnostic::note_only(
            codes::REPETITIONS_DIFFER,
            "the repetitions differ widely: the interval may be too narrow",
        )
        .note(format!("the standard error is {percent} % of the estimate"))
        .help("run more paths with --samples"),
    )
}

fn facts(found: &Splitting) -> Vec<Fact> {
    let Splitting { task, levels, split, repetitions, .. } = found;
    let distance = task.importance.describe(&task.plan.program);
    vec![
        Fact::text("importance", distance)
            .because("paths are split where it increases; it does not affect the mean"),
        Fact::count("levels", levels.thresholds.len() as u64 - 1)
            .because(format!("from a pilot run of {}", counted(levels.paths, "path"))),
        Fact::count("successes", split.successes).because("paths that completed a stage of a repetition"),
        Fact::count("dead repetitions", repetitions.zeros)
            .because("repetitions that did not reach the target count as zero"),
    ]
}

fn statistics(found: &Splitting, sampling: &Sampling, time: std::time::Duration) -> Statistics {
    let Splitting { task, split, repetitions, .. } = found;
    Statistics {
        samples: repetitions.paths,
        steps: repetitions.steps,
        seed: sampling.seed,
        generator: sampling.generator.to_string(),
        confidence: sampling.confidence,
        interval: found.interval(sampling.confidence),
        successes: None,
        deviation: None,
        tier: found.tier.to_owned(),
        time,
        rare: Some(SplittingStatistics {
            importance: task.importance.describe(&task.plan.program),
            levels: found.relative_levels(),
            replications: repetitions.moments.count(),
            successes: split.successes,
            zeros: repetitions.zeros,
            stages: repetitions.stages.clone(),
        }),
    }
}
