//! Verdicts of searches, and what they are reported with.

use super::claims::{MAX_PROPOSITIONS, NoAutomaton};
use std::time::Instant;
use volvelle_control::{Fact, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_logic::{Answer, Guarantee, StopReason, Value, gate};
use volvelle_session::limits::{self, Allowance};
use volvelle_session::report::{PropertyReport, Report};
use volvelle_session::trace::Counterexample;

pub(super) const METHOD_BEGINNINGS: &str = "breadth-first search";
pub(super) const METHOD_PROBE: &str = "depth-first search";
pub(super) const METHOD_CYCLES: &str = "nested depth-first search";

/// The report on a property that was searched from `start` on.
pub(super) fn result(
    name: &str,
    text: &str,
    outcome: Result<Answer, Vec<Diagnostic>>,
    counterexamples: Vec<Counterexample>,
    start: Instant,
    facts: Vec<Fact>,
) -> PropertyReport {
    PropertyReport {
        number: None,
        name: Some(name.to_owned()),
        text: text.to_owned(),
        constants: Vec::new(),
        outcome,
        states: Vec::new(),
        evidence: None,
        counterexamples,
        statistics: None,
        verification: None,
        time: start.elapsed(),
        begun: true,
        known: None,
        facts,
        values: None,
        remarks: Vec::new(),
    }
}

/// Whether a property holds, by a method that visits all states.
pub(super) fn verdict(holds: bool, method: &str) -> Answer {
    Answer {
        value: Value::Bool(holds),
        guarantee: gate::exact(),
        compared: None,
        exact: Vec::new(),
        method: method.to_owned(),
        stop: StopReason::Computed,
        initially: None,
    }
}

/// The answer of a search that found no error.
pub(super) fn held(guarantee: Guarantee, method: &str) -> Answer {
    // How much an approximate search omits can be estimated, unless its depth was limited too.
    let is_cut = matches!(guarantee, Guarantee::Partial { omission: None });
    let stop = if is_cut { StopReason::DepthLimit } else { StopReason::Computed };
    Answer { guarantee, stop, ..verdict(true, method) }
}

/// Says of searches that were cut at a depth that they are no proof.
pub(super) fn note_cuts(report: &mut Report, max_depth: Option<u64>) {
    let Some(depth) = max_depth.map(limits::count) else { return };
    let cut = report.results.iter_mut().filter(|result| result.is_cut());
    let remark = format!("incomplete: states deeper than {depth} steps were not visited");
    let names: Vec<String> = cut
        .map(|result| {
            result.remarks.push(remark.clone());
            result.name.clone().unwrap_or_else(|| result.text.clone())
        })
        .collect();
    if !names.is_empty() {
        let message = format!("the depth limit was reached: {depth} steps");
        report.diagnostics.push(
            Diagnostic::warning(codes::DEPTH_LIMIT, message)
                .note(format!(
                    "no error was found up to this depth, which is not a proof: {}",
                    names.join(", ")
                ))
                .help("raise --max-depth, or leave it out"),
        );
    }
}

/// The diagnostic about a search that was stopped after `states` states.
pub(super) fn stopped(stop: Stop, states: u64, allowance: &Allowance) -> Diagnostic {
    limits::stopped(stop, allowance)
        .note(format!("no error was found in the {} visited", limits::counted(states, "state")))
}

/// A claim or formula has no automaton.
pub(super) fn no_automaton(why: &NoAutomaton, name: &str) -> Diagnostic {
    let message = match why {
        NoAutomaton::Propositions(n) => {
            format!("the claim `{name}` has {n} propositions; the limit is {MAX_PROPOSITIONS}")
        }
        NoAutomaton::TooLarge => format!("the automaton of the claim `{name}` is too large"),
    };
    Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message).help("split it into several claims")
}

/// What a search has counted, by the names of facts.
pub const STATES: &str = "states";
/// Pairs of a state of the model and one of an automaton.
pub const PRODUCT_STATES: &str = "product states";

/// Facts about a search.
pub(super) fn facts(found: &volvelle_search::Report) -> Vec<Fact> {
    let count = Fact::count;
    vec![
        count(if found.is_product { PRODUCT_STATES } else { STATES }, found.states),
        count("transitions", found.transitions),
        count("steps", found.steps),
        count("depth", found.depth),
        count("bytes", found.bytes),
    ]
}
