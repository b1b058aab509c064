//! Ranges of locals without a type: the union of all that they are assigned, by interval arithmetic to a fixpoint over all steps of the
//! process (P. and R. Cousot, *Static determination of dynamic properties of programs*, 1976). The order of steps counts only where there
//! is no range otherwise ([`flow`]).

mod flow;
mod values;

use super::MOST_VALUE;
use super::body::LocalInfo;
use super::graph::Step;
use super::intervals::{Interval, union};
use super::report::Report;
use crate::system::{LocalId, NodeId, System};
use values::{assigned, interval};
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// How many messages may be under way in a channel at most.
pub(super) const MOST_MESSAGES: i64 = 64;

/// How often all steps are looked at.
const ROUNDS: usize = 64;

/// The ranges of all locals; those that cannot be found are reported, and have only zero.
pub(super) fn ranges(
    nodes: &[(Step, Span)],
    start: NodeId,
    locals: &[LocalInfo],
    system: &System,
    report: &mut Report,
) -> Vec<(i64, i64)> {
    let (mut found, growing) = in_any_order(nodes, locals, system);
    let most = i128::from(MOST_VALUE);
    let bounded = |(lo, hi): Interval| -most <= lo && hi <= most;
    let grows = |local: usize| growing.iter().find(|(growing, _)| growing.index() == local);
    let is_unknown =
        |local: &usize| grows(*local).is_some() || found[*local].is_some_and(|range| !bounded(range));
    let unknown: Vec<usize> = (0..locals.len()).filter(is_unknown).collect();
    // One of them: the others mostly get their values from it. Registers have no names to give a type to.
    if let Some(&first) = unknown.iter().min_by_key(|&&local| locals[local].name.starts_with('$')) {
        match flow::ranges(nodes, start, locals, system) {
            Some(better) if better.iter().flatten().all(|range| bounded(*range)) => found = better,
            _ => report.push(without_range(&locals[first], grows(first).map(|(_, span)| *span))),
        }
    }
    let range = |range: &Option<Interval>| range.filter(|range| bounded(*range)).unwrap_or((0, 0));
    found.iter().map(range).map(|(lo, hi)| (lo as i64, hi as i64)).collect()
}

/// The ranges of all locals, whatever the order of steps is; those that still grow, with a step that lets them.
fn in_any_order(
    nodes: &[(Step, Span)],
    locals: &[LocalInfo],
    system: &System,
) -> (Vec<Option<Interval>>, Vec<(LocalId, Span)>) {
    let mut found: Vec<Option<Interval>> = locals
        .iter()
        .map(|local| match local.values {
            Some(values) => Some((i128::from(values.lo), i128::from(values.hi))),
            None => {
                let initial = i128::from(local.initial.unwrap_or(0));
                // Registers have no value outside of their use.
                (!local.name.starts_with('$')).then_some((initial, initial))
            }
        })
        .collect();
    let mut growing: Vec<(LocalId, Span)> = Vec::new();
    for _ in 0..ROUNDS {
        growing.clear();
        for (step, span) in nodes {
            let Some((local, assigned)) = assigned(step, &found, system) else { continue };
            if locals[local.index()].values.is_some() {
                continue;
            }
            let wider = union(found[local.index()], assigned);
            if found[local.index()] != Some(wider) {
                found[local.index()] = Some(wider);
                growing.push((local, *span));
            }
        }
        if growing.is_empty() {
            break;
        }
    }
    (found, growing)
}

/// The message for a local without a range, perhaps with the step that lets it grow.
fn without_range(local: &LocalInfo, growing: Option<Span>) -> Diagnostic {
    let short = local.name.rsplit('.').next().unwrap_or_default();
    let (message, help) = if local.name.starts_with('$') {
        ("the range of this value cannot be found".to_owned(), "assign it to a local with a type".to_owned())
    } else {
        (
            format!("the range of `{short}` cannot be found"),
            format!("give it a type: `{short} : 0 .. 7`; for a parameter, copy it to a local with one"),
        )
    };
    let mut diagnostic =
        Diagnostic::error(codes::PRIMITIVE_RANGE, message).at(local.span, "its values are not bounded");
    if let Some(span) = growing.filter(|span| *span != local.span) {
        diagnostic = diagnostic.also(span, "each time this is larger or smaller, as far as its text tells");
    }
    diagnostic.help(help)
}
