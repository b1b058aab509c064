//! What is to be said beside an answer.

use volvelle_diagnostics::{Diagnostic, Severity, Span, codes};
use volvelle_logic::{Answer, Formula, Guarantee, Property, RewardQuery, StopReason, Value};
use volvelle_markov::{Method, MethodUse, NoWitness, Options as Numeric};
use volvelle_session::Settings;

/// The diagnostic about a property that has no scheduler or no witness, with the ones that have.
pub fn no_witness(severity: Severity, what: &str, why: &NoWitness) -> Diagnostic {
    let message = format!("there is no {what} for this property");
    let diagnostic = match severity {
        Severity::Error => Diagnostic::error(codes::NO_WITNESS, message),
        _ => Diagnostic::warning(codes::NO_WITNESS, message),
    };
    let help = match why {
        NoWitness::NoChoices(_) => "leave --export-scheduler out; --witness shows the most probable path",
        NoWitness::Curve => {
            "give all objectives but one a bound, for example multi(Pmax=? [ F a ], P>=0.9 [ F b ])"
        }
        NoWitness::NoneMeets => "the answer is false: relax the bounds",
        NoWitness::Quantile => {
            "ask for the probability with the amount that the quantile has: Pmax=? [ F{\"energy\"}<=12 a ]"
        }
        NoWitness::TooManyAmounts(_) => {
            "make the bounds smaller, or the rewards coarser; without a scheduler, the value is computed all the same"
        }
        NoWitness::Unavailable(_) => "leave --export-scheduler out",
        NoWitness::SeveralStarts => "give the model one initial state",
        NoWitness::NotAMeasure if what == "scheduler" => {
            "available for P, R, S, T and multi(...) alone, without arithmetic around"
        }
        _ => "available for F, U, W, R and G in P, and F in R and T, without bounds on time or steps",
    };
    diagnostic.note(why.to_string()).help(help)
}

/// The diagnostic about bounds that are wider than was asked for.
pub fn imprecise(message: &str, settings: &Settings) -> Diagnostic {
    match settings.strict_precision {
        true => Diagnostic::error(codes::PRECISION_NOT_REACHED, message),
        false => Diagnostic::warning(codes::PRECISION_NOT_REACHED, message),
    }
}

/// Says that the method which was asked for did not solve equations of a property.
pub fn unused_method(how: MethodUse, options: &Numeric) -> Option<Diagnostic> {
    if options.method == Method::Auto {
        return None;
    }
    let message = "--method was not used for this property";
    let warning = || Diagnostic::warning(codes::UNUSED_METHOD, message);
    match how {
        MethodUse::Used => None,
        MethodUse::NotNeeded => {
            let note = "there were no cyclic equations: graph analysis or substitution gave the value";
            Some(Diagnostic::note_only(codes::UNUSED_METHOD, message).note(note))
        }
        MethodUse::StepByStep => Some(
            warning()
                .note("steps up to a bound are computed one by one: no equations are solved")
                .help("leave --method out for properties with bounds on time or steps"),
        ),
        MethodUse::Replaced => Some(
            warning()
                .note("the equations were solved by a method that gives bounds")
                .help("methods apply to P and R where equations are solved; leave --method out for other properties"),
        ),
    }
}

/// Diagnostics beside an answer.
pub fn beside(answer: &Answer, property: &Property, place: Span, settings: &Settings) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let is_precise = match &answer.guarantee {
        Guarantee::Exact { .. } => true,
        Guarantee::Sound { lo, hi, .. } => settings.numeric.accepts(*lo, *hi),
        _ => false,
    };
    if answer.stop == StopReason::IterationLimit && !is_precise {
        let message = "no convergence within the iteration limit";
        diagnostics.push(
            imprecise(message, settings)
                .at(place, "")
                .note("the bounds hold, but are wider than --precision requires")
                .help("raise --max-iterations, or solve without iterations: --method elimination"),
        );
    } else if let (Value::Number(_), Guarantee::Sound { lo, hi, .. }) = (&answer.value, &answer.guarantee)
        && hi.is_finite()
        && !settings.numeric.accepts(*lo, *hi)
    {
        let kind = if settings.numeric.relative { "relative" } else { "absolute" };
        let message = format!("the precision {:e} was not reached", settings.numeric.precision);
        diagnostics.push(
            imprecise(&message, settings)
                .at(place, "")
                .note(format!("the value lies between {lo:?} and {hi:?}; the precision is {kind}"))
                .help("compute with exact fractions: --exact"),
        );
    }
    if !answer.stop.is_sound() {
        let message = match answer.stop {
            StopReason::SteadyStateTest => "a step with little change was taken for the steady state",
            StopReason::SmallChangeMissed => "the iterates still differed at the iteration limit",
            _ => "two iterates differed little",
        };
        diagnostics.push(
            Diagnostic::warning(
                codes::UNSOUND_METHOD,
                format!("the error of this value is not bounded: {message}"),
            )
            .at(place, "")
            .note(answer.method.clone())
            .help("leave --method and --steady-state-detection out to get a value with bounds"),
        );
    }
    if let (Formula::Multi(objectives), Value::Bool(false)) =
        (property.formulas.get(property.root), &answer.value)
        && objectives.iter().any(|o| o.goal.bound().is_none())
    {
        let note = |message: &str| Diagnostic::note_only(codes::UNACHIEVABLE, message).at(place, "");
        diagnostics.push(if objectives.iter().any(|o| o.goal.bound().is_some()) {
            note("no scheduler satisfies all bounds, so there is no optimal one")
                .help("use =? in two objectives to see which combinations are achievable")
        } else {
            note("every scheduler gives an infinite value to a minimised reward, so there is no optimal one")
                .help("let the model stop accumulating it, or bound the time with C<=k")
        });
    }
    let until_target = matches!(
        property.formulas.get(property.root),
        Formula::Reward { what: RewardQuery::Reach(_), .. } | Formula::Time { .. }
    );
    let why = match property.formulas.get(property.root) {
        Formula::Reward { what: RewardQuery::Ratio(_), .. } => Some(
            "with a positive probability a run ends up earning of the first reward, and none of the second",
        ),
        Formula::Reward { what: RewardQuery::Within(_), .. } => {
            Some("the reward can be earned again and again without spending what is bounded")
        }
        _ => None,
    };
    if let (Some(why), &Value::Number(f64::INFINITY)) = (why, &answer.value) {
        let note = Diagnostic::note_only(codes::INFINITE_REWARD, "the expected reward is infinite");
        diagnostics.push(note.at(place, "").note(why));
    }
    if until_target && answer.value == Value::Number(f64::INFINITY) {
        diagnostics.push(
            Diagnostic::note_only(codes::INFINITE_REWARD, "the expected reward is infinite")
                .at(place, "")
                .note("the probability of reaching the target is not 1")
                .help(
                    "to accumulate until the target or the end, whichever comes first, name both: F (target | end)",
                ),
        );
    }
    diagnostics
}
