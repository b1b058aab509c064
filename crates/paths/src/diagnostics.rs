//! Diagnostics of simulations: where there is no answer, and where one needs a word beside it.

use super::Sampling;
use super::estimate::Estimate;
use volvelle_control::Stop;
use volvelle_diagnostics::{Diagnostic, Sources, Span, codes};
use volvelle_estimate::{DeviceFailure, PathStatistics, StoppingRule, UnfitMethod, stopping};
use volvelle_kernel::Site;
use volvelle_logic::{Answer, Bound, Value};
use volvelle_model::{Kind, Program};
use volvelle_session::Settings;
use volvelle_session::failure;
use volvelle_session::language::Document;
use volvelle_session::limits::{self, count, counted};
use volvelle_session::verification::Verification;
use volvelle_simulate::error::{Failure, Unsupported, UnsupportedProperty};
use volvelle_simulate::measure::Measure;
use volvelle_simulate::path::Plan;
use volvelle_simulate::reference;
use volvelle_simulate::sample::Summary;
use volvelle_statistics::size;

/// A device that failed, or cannot run the paths.
pub fn of_device(failure: &DeviceFailure) -> Diagnostic {
    let DeviceFailure { device, error } = failure;
    volvelle_session::devices::complaint(
        device,
        "stopped running paths",
        "other devices ran its paths",
        error,
    )
}

/// Why something is not simulated.
pub fn of_unsupported(why: &Unsupported, program: &Program) -> Diagnostic {
    let not = |what: String| Diagnostic::error(codes::NOT_SIMULATED, what);
    match why {
        Unsupported::Nondeterministic(Kind::Mdp) => not(
            "an mdp cannot be simulated without a scheduler for its choices".to_owned(),
        )
        .help("resolve choices at random: --scheduler uniform")
        .help("or use a computed scheduler: volvelle check --export-scheduler writes one, --scheduler FILE reads it"),
        Unsupported::NoChoices => {
            Diagnostic::error(codes::BAD_USAGE, "--scheduler applies to mdps only: this model has no choices")
                .help("leave it out")
        }
        Unsupported::Nondeterministic(_)
        | Unsupported::Processes
        | Unsupported::Unflattened
        | Unsupported::Functions
        | Unsupported::Mismatch(_)
        | Unsupported::Condition { .. } => {
            not(format!("the model cannot be simulated: {why}"))
        }
        Unsupported::InitialCondition => {
            not("paths start in one state, but several states satisfy the initial condition of the model".to_owned())
                .help("give every variable an initial value instead of using init ... endinit")
        }
        Unsupported::InitialStates(n) => not(format!(
            "paths start in one state, but the model has {}",
            counted(*n as u64, "initial state")
        ))
        .help(match program.groups.is_empty() {
            true => "let the file name one of them, or a first state that leads to them",
            false => "give every variable an initial value",
        }),
        Unsupported::TooManyCombinations { group } => {
            let action = &program.actions[program.groups[*group].action.index()].name;
            not(format!("too many combinations of commands synchronise on `{action}`"))
                .help("let fewer modules synchronise")
        }
        Unsupported::Property(why) => {
            let help = match why {
                UnsupportedProperty::Nested => "use `volvelle check`, which supports nested properties",
                UnsupportedProperty::SeveralObjectives => {
                    "simulate one objective at a time, `P=? [ ... ]`, with --scheduler and the file of `check --export-scheduler`"
                }
                _ => "use `volvelle check` instead",
            };
            not(format!("this property cannot be simulated: {why}")).help(help)
        }
        Unsupported::TimeBound(why) => Diagnostic::error(codes::BAD_BOUND, why.to_string()),
        Unsupported::Compile(why) => not(format!("the model cannot be compiled: {why}")),
    }
}

/// Options that do not fit the property.
pub fn of_rule(unfit: UnfitMethod) -> Diagnostic {
    let why = match unfit {
        UnfitMethod::WithoutWidth => "this method needs --width".to_owned(),
        UnfitMethod::WithoutIndifference => "this test needs --indifference".to_owned(),
        UnfitMethod::ForProbabilities => "this method applies to probabilities only".to_owned(),
        UnfitMethod::TestOfReward => "tests apply to bounds on probabilities only".to_owned(),
        UnfitMethod::TestWithoutBound => "a test needs a property with a bound, such as P>=0.9".to_owned(),
        UnfitMethod::EbStopOfReward => {
            "EBStop applies to probabilities only: it needs the range of the values".to_owned()
        }
        UnfitMethod::Parameters(error) => error.to_string(),
    };
    Diagnostic::error(codes::BAD_USAGE, why).help("leave --method out for an automatic choice")
}

/// Something failed in a state.
pub fn of_site(
    site: Site,
    plan: &Plan,
    state: &[i64],
    document: &dyn Document,
    sources: &Sources,
) -> Diagnostic {
    let of_scheduler = plan.scheduler.as_ref().map(|scheduler| scheduler.site);
    let of_rows = plan.rows.as_ref().and_then(|rows| rows.site);
    if [of_scheduler, of_rows].contains(&Some(site)) {
        return Diagnostic::error(codes::BAD_SCHEDULER, "the scheduler has no decision for a state")
            .note(format!("in state {}", document.state_text(state)))
            .help("export it again, for a property that needs this state");
    }
    failure::of_site(site, state, None, document, sources)
}

/// A path failed.
pub fn of_failure(
    failure: &Failure,
    plan: &Plan,
    sampling: &Sampling,
    document: &dyn Document,
    sources: &Sources,
) -> Diagnostic {
    let (walk, ..) = reference::follow(plan, sampling.seed, failure.path, sampling.max_steps);
    of_site(failure.site, plan, walk.state(), document, sources)
        .note(place_of_path(failure.path, sampling.seed, walk.steps()))
        .help(format!(
            "inspect the path: volvelle trace MODEL --seed {} --path {}",
            sampling.seed, failure.path
        ))
}

/// Where on a path something happened.
pub fn place_of_path(path: u64, seed: u64, steps: u32) -> String {
    format!("on path {path} of seed {seed}, after {}", counted(steps.into(), "step"))
}

/// A path was given up.
pub fn of_long_path(path: u64, sampling: &Sampling) -> Diagnostic {
    let steps = count(sampling.max_steps.into());
    Diagnostic::error(codes::PATH_TOO_LONG, format!("a path of {steps} steps does not decide the property"))
        .note(format!(
            "this is path {path} of seed {}; counting it either way would falsify the answer",
            sampling.seed
        ))
        .help("allow longer paths with --max-path-length, or add a time bound to the property")
        .help("or use `volvelle check`, which samples no paths")
}

/// Nothing was sampled.
pub fn of_nothing(stop: Option<Stop>) -> Diagnostic {
    let code = match stop {
        Some(Stop::Cancelled) => codes::CANCELLED,
        _ => codes::TIME_LIMIT,
    };
    Diagnostic::error(code, "no path finished in time").help("raise --timeout")
}

/// The parts of a campaign have not enough paths for a stopping rule.
pub fn of_more_needed(known: &PathStatistics, rule: &StoppingRule) -> Diagnostic {
    let so_far =
        format!("{}, with a mean of {:.6}", counted(known.paths, "path"), stopping::estimate(&known.summary));
    let expected = match rule.forecast(known.paths, &known.summary) {
        Some(paths) if paths > known.paths => format!("; about {} will be needed", counted(paths, "path")),
        _ => String::new(),
    };
    Diagnostic::error(codes::MORE_PATHS_NEEDED, "more paths are needed")
        .note(format!("so far there are {so_far}{expected}"))
        .help("write what comes next: --next round.json; run the shards again with --round round.json")
}

/// Sampling was stopped.
pub fn of_stop(stop: Stop, paths: u64, settings: &Settings) -> Diagnostic {
    limits::stopped(stop, &settings.allowance)
        .note(format!("the answers are based on the {} that finished", counted(paths, "path")))
}

/// The paths do not tell whether a bound is met.
pub fn of_undecided(estimate: &Estimate<'_>, bound: Bound, interval: Option<[f64; 2]>) -> Diagnostic {
    let paths = counted(estimate.known.paths, "path");
    let message = format!("{paths} do not decide whether the bound {} is satisfied", bound.threshold);
    let diagnostic = Diagnostic::error(codes::SAMPLES_UNDECIDED, message);
    let diagnostic = match interval {
        Some([lo, hi]) => {
            let percent = 100.0 * estimate.sampling.confidence;
            diagnostic.note(format!("the {percent} % confidence interval of the value is {lo:.6} to {hi:.6}"))
        }
        None => diagnostic,
    };
    diagnostic.help("run more paths with --samples, or use a test: --method sprt --indifference 0.001")
}

/// A value is probably wrong.
pub fn of_doubt(verification: &Verification, place: Span) -> Diagnostic {
    doubt(verification)
        .at(place, "")
        .help("leave --method and --steady-state-detection out to get a value with bounds")
        .help("or recompute it more carefully: --verify-repair")
}

/// The warning about a value that is probably wrong.
fn doubt(verification: &Verification) -> Diagnostic {
    let message = format!("the numerical value {} is probably wrong", verification.value);
    let diagnostic = Diagnostic::warning(codes::VALUE_IN_DOUBT, message);
    match &verification.verdict {
        Ok(verdict) => {
            let [.., last] = verdict.intervals;
            diagnostic.note(format!(
                "the 99 % interval of {} simulated paths is {:.6} to {:.6}{}",
                verification.samples,
                last.lo,
                last.hi,
                if verification.redrawn { ", the second in a row to exclude it" } else { "" }
            ))
        }
        Err(why) => diagnostic.note(why.clone()),
    }
}

/// Diagnostics beside an answer.
pub fn beside(estimate: &Estimate<'_>, answer: &Answer, place: Span) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    match estimate.summary() {
        Summary::Tally(tally) if tally.successes() == 0 && matches!(answer.value, Value::Number(_)) => {
            let hi = estimate.interval().map_or(1.0, |[_, hi]| hi);
            let mut remark = Diagnostic::note_only(codes::NO_SUCCESS, "no path satisfied the property")
                .at(place, "")
                .note(format!(
                    "with confidence {}, its probability is at most {hi:.3e}",
                    estimate.sampling.confidence
                ));
            let basis = size::Basis::Normal { variance: hi * (1.0 - hi) };
            let confidence = volvelle_statistics::Confidence::new(estimate.sampling.confidence).ok();
            if let Some(samples) = confidence.and_then(|c| size::samples(basis, 0.1 * hi, c).ok()) {
                remark = remark.note(format!(
                    "for this probability, {} would give a relative error of 10 %; rarer events need more",
                    counted(samples, "path")
                ));
            }
            diagnostics.push(remark.help("use importance splitting: --rare"));
        }
        Summary::Moments { infinite, .. } if *infinite > 0 => {
            let remark = Diagnostic::note_only(codes::INFINITE_REWARD, "the expected reward is infinite")
                .at(place, "");
            let paths = counted(*infinite, "path");
            diagnostics.push(if matches!(estimate.asked.measure, Measure::Within { .. }) {
                remark.note(format!("{paths} earned for ever without spending what is bounded"))
            } else {
                remark
                    .note(format!("{paths} never reached the target"))
                    .help("to accumulate until the target or the end, whichever comes first, name both: F (target | end)")
            });
        }
        _ => {}
    }
    diagnostics
}
