//! Problems of chains, told by what processes do.

use super::timed::{Delay, Structure};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_imc::{Alternative, Problem, Trace};
use volvelle_mpi::lower::label_name;
use volvelle_mpi::system::{NodeId, NodeKind, ProcessId};
use volvelle_rates::problem_of_chain;
use volvelle_session::limits::Allowance;
use volvelle_session::study::Ready;
use volvelle_session::study::place_of;

/// Steps that are shown of a run, at its beginning and at its end.
const SHOWN: usize = 8;

/// The diagnostic of a problem.
pub fn diagnostic(
    problem: &Problem,
    structure: &Structure,
    ready: &Ready,
    sources: &Sources,
    allowance: &Allowance,
) -> Diagnostic {
    match problem {
        Problem::Nondeterministic { trace, alternatives, .. }
        | Problem::ChoiceOnCycle { trace, alternatives, .. } => {
            choice(trace, alternatives, structure, ready, sources)
        }
        other => problem_of_chain(other, &structure.lts, allowance),
    }
}

/// A choice that nobody makes, and that times depend on.
fn choice(
    trace: &Trace,
    alternatives: &[Alternative],
    structure: &Structure,
    ready: &Ready,
    sources: &Sources,
) -> Diagnostic {
    let labels = alternatives.iter().flat_map(|alternative| &alternative.first).map(|&(label, _)| label);
    let mut process = None;
    for label in labels {
        let text = structure.lts.labels.text(label);
        let name = text.strip_prefix("CHOICE !").and_then(|rest| rest.split(" !").next());
        process = process.or_else(|| {
            ready.system.processes.iter().position(|process| Some(&*label_name(&process.name)) == name)
        });
    }
    let message = "what happens next is open, and the time of a message depends on it";
    let mut found = Diagnostic::error(codes::MPI_CHOICE, message);
    if let Some(process) = process {
        let nodes = &ready.system.processes[process].nodes;
        let choices = nodes.iter().filter(|node| matches!(node.kind, NodeKind::Choice(_)));
        let choices: Vec<_> = choices.collect();
        if let [only] = choices[..] {
            found = found.at(only.span, format!("`{}` chooses here", ready.system.processes[process].name));
        } else if let Some(first) = choices.first() {
            found = found.at(
                first.span,
                format!("`{}` chooses at places like this", ready.system.processes[process].name),
            );
        }
    }
    let steps: Vec<String> =
        trace.steps.iter().filter_map(|&(label, _)| step(label, structure, ready, sources)).collect();
    let run = match steps.len() {
        0 => "at the very beginning".to_owned(),
        n if n > 2 * SHOWN => format!(
            "after {}, ... ({} steps), {}",
            steps[..SHOWN].join(", "),
            n - 2 * SHOWN,
            steps[n - SHOWN..].join(", ")
        ),
        _ => format!("after {}", steps.join(", ")),
    };
    found
        .note(run)
        .note("a choice whose ways take equally long and have the same accesses would not matter")
        .help("decide it in the program, or compare variants of the program, one for each way")
}

/// A step of a run for people; `None` for what takes no time and has no name.
fn step(label: u32, structure: &Structure, ready: &Ready, sources: &Sources) -> Option<String> {
    let system = &ready.system;
    match structure.delays[label as usize] {
        Some(Delay::Work { process, work }) => Some(format!(
            "{} works {}",
            system.processes[process as usize].name, system.works[work as usize].name
        )),
        Some(Delay::Stage { goes_on: true, .. }) => None,
        Some(Delay::Stage { process, variable, node, .. }) => {
            let ((_, line), _) = place_of(system, ProcessId(process), NodeId(node), sources);
            let name = &system.processes[process as usize].name;
            Some(format!("{name} accesses {} (line {line})", system.variables[variable as usize].name))
        }
        None => {
            let text = structure.lts.labels.text(label);
            (text != "i").then(|| text.replace(" !", " "))
        }
    }
}
