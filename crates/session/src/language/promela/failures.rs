//! Diagnostics about failures of a Promela model.

use crate::limits;
use std::collections::BTreeMap;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_kernel::FailKind;
use volvelle_model::SiteSubject;
use volvelle_promela::ast::Places;
use volvelle_promela::{Lowered, TraceViolation};

/// Whether a site stands for states in which no process can move.
pub(super) fn is_end(lowered: &Lowered, site: u32) -> bool {
    let end_site = lowered.program.network.end_site.is_some_and(|s| s.0 == site);
    end_site || lowered.trace_sites.get(&site) == Some(&TraceViolation::Incomplete)
}

/// The diagnostic about a failure at a site.
pub(super) fn failure(places: &Places, lowered: &Lowered, site: u32) -> Diagnostic {
    if let Some(fault) = lowered.trace_sites.get(&site) {
        return trace_failure(places, lowered, site, *fault);
    }
    if is_end(lowered, site) {
        return Diagnostic::error(codes::INVALID_END_STATE, "invalid end state: no process can move");
    }
    let info = lowered.program.sites[site as usize];
    let (code, message) = match (info.subject, info.kind) {
        (SiteSubject::Assertion, _) => (codes::ASSERTION_VIOLATED, "assertion violated"),
        (SiteSubject::Assignment(_), _) => {
            (codes::NOT_A_PRIORITY, "not a priority: priorities are numbers from 1 to 255")
        }
        (_, FailKind::Division) => (codes::DIVISION_BY_ZERO, "division by zero"),
        (_, FailKind::Range) => (codes::INDEX_OUT_OF_RANGE, "there is no such element, process or channel"),
        _ if lowered.endless_sites.contains_key(&site) => (codes::BLOCKED_D_STEP, "a `d_step` does not end"),
        _ => (codes::BLOCKED_D_STEP, "a `d_step` blocks"),
    };
    let place = lowered.origins[info.origin.0 as usize];
    let diagnostic = volvelle_promela::at(Diagnostic::error(code, message), places, place, "");
    match lowered.endless_sites.get(&site) {
        Some(&rounds) => {
            diagnostic.note(format!("it was given up after {}", limits::counted(rounds as u64, "iteration")))
        }
        None => diagnostic,
    }
}

/// The diagnostic about a violated `trace` or `notrace` assertion.
fn trace_failure(places: &Places, lowered: &Lowered, site: u32, fault: TraceViolation) -> Diagnostic {
    let message = match fault {
        TraceViolation::Unexpected => "the `trace` assertion has no event for this message",
        TraceViolation::AllMatched => "this message completes the events of the `notrace` assertion",
        TraceViolation::Incomplete => "no process can move, but the `trace` assertion is not at its end",
    };
    let place = lowered.origins[lowered.program.sites[site as usize].origin.0 as usize];
    let diagnostic = Diagnostic::error(codes::TRACE_VIOLATED, message);
    volvelle_promela::at(diagnostic, places, place, "")
}

/// Warnings about values that were cut: for each site the least such value.
pub(super) fn truncations(places: &Places, lowered: &Lowered, notes: &BTreeMap<u32, i64>) -> Vec<Diagnostic> {
    let mut cuts: Vec<_> = notes
        .iter()
        .filter_map(|(site, &value)| Some((site, value, lowered.truncation_sites.get(site)?)))
        .map(|(&site, value, ty)| {
            let place = lowered.origins[lowered.program.sites[site as usize].origin.0 as usize];
            let (lo, hi) = ty.bounds();
            let bound = if value < lo {
                format!("the smallest value here is {lo}")
            } else {
                format!("the largest value here is {hi}")
            };
            let message = format!("{value} does not fit: {} is stored", ty.wrap(value));
            let diagnostic = Diagnostic::warning(codes::VALUE_CUT, message).note(bound);
            let span = places.span(place);
            ((span.file.0, span.start, value), volvelle_promela::at(diagnostic, places, place, ""))
        })
        .collect();
    cuts.sort_by_key(|(key, _)| *key);
    // A statement that does something else in another state of its process has several sites.
    cuts.dedup_by_key(|((file, start, _), _)| (*file, *start));
    cuts.into_iter().map(|(_, diagnostic)| diagnostic).collect()
}
