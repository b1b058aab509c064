//! What can be wrong with a question about a model, or with its answer, as diagnostics.

use volvelle_control::amounts::counted;
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_tune::{Tuning, Value};

/// Configurations that a message names.
const NAMED: usize = 3;

/// The model has no processes.
pub(super) fn no_processes(file: &str) -> Diagnostic {
    let message =
        format!("`{file}` is not a model of processes: only Promela models and kernels can be tuned");
    Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message).help(
        "for the best value of a constant of a PRISM model: volvelle check MODEL --find N=1:100 --such-that PROPERTY",
    )
}

/// A parameter that is no variable.
pub(super) fn no_variable(name: &str, is_constant: bool) -> Diagnostic {
    let what = if is_constant { "a constant" } else { "no global variable" };
    Diagnostic::error(codes::PARAMETER_NOT_CHOSEN, format!("the parameter `{name}` is {what}"))
        .note("the model chooses the parameters: by assignments between which a run may choose")
        .help("make it a variable, and let the model choose: select(NAME : 1 .. 4)")
}

/// A parameter that nothing writes.
pub(super) fn unwritten(name: &str) -> Diagnostic {
    Diagnostic::error(codes::PARAMETER_NOT_CHOSEN, format!("no statement assigns the parameter `{name}`"))
        .note("the model chooses the parameters: by assignments between which a run may choose")
        .help(format!("let the model choose: select({name} : 1 .. 4)"))
}

/// A parameter that has one value in all configurations.
pub(super) fn constant(name: &str, value: &Value) -> Diagnostic {
    let message =
        format!("the parameter `{name}` is {value} in every configuration: there is nothing to choose");
    Diagnostic::warning(codes::PARAMETER_NOT_CHOSEN, message)
        .help(format!("leave it out of --parameters, or let the model choose: select({name} : 1 .. 4)"))
}

/// A step that decreases the cost; `step` describes it.
pub(super) fn decrease(cost: &str, step: Option<String>) -> Diagnostic {
    let by = step.map_or(String::new(), |step| format!(" in the step {step}"));
    Diagnostic::error(codes::COST_DECREASES, format!("the cost `{cost}` decreases{by}"))
        .note("a cost is what a run has spent so far: a run that goes on cannot cost less")
        .help("minimise a variable that only grows; of one that counts down from LIMIT: LIMIT - left")
}

/// No run reaches the goal.
pub(super) fn no_run(tuning: &Tuning) -> Diagnostic {
    let goal = &tuning.goal;
    let all = counted(tuning.rows.len() as u64, "configuration");
    let message = match (tuning.is_proven(), tuning.rows.len()) {
        (_, 0) => format!("no run settles the parameters, and none reaches the goal `{goal}`"),
        (true, _) => format!("no run reaches the goal `{goal}`: this is proven for the {all}"),
        (false, _) => format!("no run that reaches the goal `{goal}` was found"),
    };
    Diagnostic::error(codes::GOAL_NOT_REACHED, message)
        .help(format!("see where the processes stop: volvelle check MODEL --ltl '<> ({goal})'"))
}

/// Runs that end without the goal.
pub(super) fn dead_ends(names: &[String], ends: &[Vec<i64>], unsettled: bool) -> Option<Diagnostic> {
    if unsettled {
        let message = "some runs end before the parameters are settled";
        return Some(
            Diagnostic::warning(codes::ENDS_WITHOUT_GOAL, message).note("they count for no configuration"),
        );
    }
    let first = ends.first()?;
    let of = |values: &Vec<i64>| {
        let pairs: Vec<String> = names.iter().zip(values).map(|(n, v)| format!("{n}={v}")).collect();
        pairs.join(" ")
    };
    let message = format!("with {}, some runs end without reaching the goal", of(first));
    let diagnostic = Diagnostic::warning(codes::ENDS_WITHOUT_GOAL, message)
        .note("the time is that of the runs that reach it");
    Some(match &ends[1..] {
        [] => diagnostic,
        rest => {
            let named: Vec<String> = rest.iter().take(NAMED).map(of).collect();
            let more = if rest.len() > NAMED { ", ..." } else { "" };
            diagnostic.note(format!("so it is with {}{more}", named.join(", ")))
        }
    })
}

/// A failure of a step, which ends its run only.
pub(super) fn as_warning(failure: Diagnostic) -> Diagnostic {
    let failure = Diagnostic { severity: Severity::Warning, ..failure };
    failure.note("runs in which this happens end there, unless it is an assertion")
}
