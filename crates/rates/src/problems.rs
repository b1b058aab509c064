//! Problems of chains as diagnostics.

use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_imc::{Alternative, Problem, Trace};
use volvelle_markov::CheckError;
use volvelle_session::limits::{self, Allowance};
use volvelle_space::Lts;

/// Names that a message lists.
const LISTED: usize = 12;

/// Steps of a run that a message shows, at its beginning and at its end each.
const SHOWN: usize = 12;

/// The diagnostic of a problem.
pub fn diagnostic(problem: &Problem, lts: &Lts, allowance: &Allowance) -> Diagnostic {
    let text = |label: u32| lts.labels.text(label);
    match problem {
        Problem::UnreadableNumber { label, .. } => Diagnostic::error(codes::BAD_RATE, problem.to_string())
            .note(format!("in the label `{}`", text(*label)))
            .help("numbers are written as 2, 0.5, 1e-3 or 1/3; a rate may also be a name, or a number times a name"),
        Problem::OutOfRange { label, is_rate, .. } => {
            let help = match is_rate {
                true => "a rate is positive; leave out transitions that never happen",
                false => "a probability is greater than 0 and at most 1; leave out transitions that never happen",
            };
            let found = Diagnostic::error(codes::BAD_RATE, problem.to_string());
            found.note(format!("in the label `{}`", text(*label))).help(help)
        }
        Problem::NoValue { label, name } => Diagnostic::error(codes::RATE_WITHOUT_VALUE, problem.to_string())
            .note(format!("in the label `{}`", text(*label)))
            .help(format!("give it one, or several: --const {name}=2.5, --const {name}=1:0.5:4")),
        Problem::UnknownName { known, .. } => {
            let found = Diagnostic::error(codes::RATE_WITHOUT_VALUE, problem.to_string());
            match known.is_empty() {
                true => found.note("all rates are numbers").help("leave --const out"),
                false => found.help(format!("the names of rates are {}", listed(known))),
            }
        }
        Problem::UnknownAction { known, .. } => Diagnostic::error(codes::NO_SUCH_ACTION, problem.to_string())
            .note("an action is a label without its rate or probability: `GET !1` of `GET !1; rate 2`")
            .help(format!("the actions are {}", listed(known))),
        Problem::UnknownState { .. } => {
            let states = lts.num_states();
            let found = Diagnostic::error(codes::NO_SUCH_ACTION, problem.to_string());
            found.help(format!("the states are numbered from 0 to {}", states.saturating_sub(1)))
        }
        Problem::ProbabilitySum { state, trace, .. } => {
            Diagnostic::error(codes::PROBABILITIES_OF_STATE, problem.to_string())
                .note(reached(*state, trace, lts))
                .help("probabilities of a state sum to one; where they sum to less, they are taken relative to their sum")
        }
        Problem::Zeno { state, trace, cycle } => Diagnostic::error(codes::TIME_STOPS, problem.to_string())
            .note(reached(*state, trace, lts))
            .note(format!("then for ever: {}", run(cycle, lts)))
            .help("give one of these steps a rate, or a probability to leave the cycle"),
        Problem::Nondeterministic { state, trace, alternatives } => {
            let found = Diagnostic::error(codes::OPEN_CHOICE, problem.to_string());
            shown_choice(found, *state, trace, alternatives, lts)
                .help("give the steps probabilities (`a; prob 1/2`) or rates, or measure fewer actions: --actions GATE")
                .help("or compute the least and the greatest values over all choices: --bounds")
        }
        Problem::ChoiceOnCycle { state, trace, alternatives } => {
            let found = Diagnostic::error(codes::OPEN_CHOICE, problem.to_string());
            shown_choice(found, *state, trace, alternatives, lts)
                .note("for such choices no bounds over schedulers are computed")
                .help("minimise the system modulo branching bisimulation first, which removes cycles of internal steps")
        }
        Problem::TooManyResolutions { .. } => Diagnostic::error(codes::OPEN_CHOICE, problem.to_string())
            .help("minimise the system modulo branching bisimulation first, or measure fewer actions: --actions GATE"),
        Problem::NeedsResolution { .. } => Diagnostic::error(codes::OPEN_CHOICE, problem.to_string())
            .help("leave out what is not a throughput: --bounds alone"),
        Problem::TooLarge { .. } => Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, problem.to_string())
            .help("minimise the system first"),
        Problem::Check(CheckError::Limit(stop)) => limits::stopped(*stop, allowance),
        Problem::Check(CheckError::TooLarge { what }) => {
            let message = format!("the probabilities of states take too long to compute: {what}");
            Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
                .help("ask for throughputs only: leave out --states and --sensitivity")
                .help("or minimise the system first")
        }
        Problem::Check(error) => match beyond_doubles(lts) {
            Some(label) => Diagnostic::error(codes::BAD_RATE, "a rate is too large or too small for a number of 64 bits")
                .note(format!("in the label `{label}`"))
                .note(error.to_string())
                .help("choose another unit of time: all rates may be divided by the same number"),
            None => Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, error.to_string()),
        },
    }
}

/// The first label with a rate that no double holds.
fn beyond_doubles(lts: &Lts) -> Option<&str> {
    let is_beyond = |text: &&str| match volvelle_labels::meaning_with_names(text) {
        volvelle_labels::Meaning::Rate(number, _) => volvelle_logic::rational(number).is_some_and(|rate| {
            let value = rate.to_f64().value();
            value.is_infinite() || value == 0.0
        }),
        _ => false,
    };
    (0..lts.labels.len() as u32).map(|label| lts.labels.text(label)).find(is_beyond)
}

fn shown_choice(
    found: Diagnostic,
    state: u32,
    trace: &Trace,
    alternatives: &[Alternative],
    lts: &Lts,
) -> Diagnostic {
    let found = found.note(reached(state, trace, lts));
    alternatives.iter().take(LISTED).enumerate().fold(found, |found, (i, alternative)| {
        let steps = alternative
            .first
            .iter()
            .map(|&(label, target)| format!("`{}` to state {target}", lts.labels.text(label)));
        let word = if i == 0 { "either" } else { "or" };
        let mut text = format!("{word} {}", steps.collect::<Vec<_>>().join(" and "));
        let reaches: Vec<String> = alternative
            .reaches
            .iter()
            .take(LISTED)
            .map(|(state, p)| {
                if *p == 1.0 {
                    format!("state {state}")
                } else {
                    format!("state {state} with probability {p}")
                }
            })
            .collect();
        if !reaches.is_empty() {
            text.push_str(&format!("; time passes next in {}", reaches.join(", ")));
        }
        let counts =
            alternative.counts.iter().take(LISTED).map(|(action, count)| format!("{count} × `{action}`"));
        let counts: Vec<String> = counts.collect();
        if !counts.is_empty() {
            text.push_str(&format!(", after {}", counts.join(", ")));
        }
        found.note(text)
    })
}

fn reached(state: u32, trace: &Trace, lts: &Lts) -> String {
    match trace.steps.is_empty() {
        true => format!("state {state} is the initial state"),
        false => format!("state {state} is reached by {}", run(trace, lts)),
    }
}

/// The labels of a run.
fn run(trace: &Trace, lts: &Lts) -> String {
    let text = |step: &(u32, u32)| format!("`{}`", lts.labels.text(step.0));
    let steps = &trace.steps;
    if steps.len() <= 2 * SHOWN {
        return steps.iter().map(text).collect::<Vec<_>>().join(" ");
    }
    let join = |steps: &[(u32, u32)]| steps.iter().map(text).collect::<Vec<_>>().join(" ");
    let left_out = limits::counted((steps.len() - 2 * SHOWN) as u64, "step");
    format!("{} ... ({left_out}) ... {}", join(&steps[..SHOWN]), join(&steps[steps.len() - SHOWN..]))
}

fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    let rest = names.len().saturating_sub(LISTED);
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}
