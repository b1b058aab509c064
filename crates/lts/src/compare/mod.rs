//! Comparison: whether two systems are equivalent, and what tells them apart.

mod distinguish;
mod formula;
mod trace;

pub use formula::Formula;

use crate::reduce::{Classes, ReduceError, ReduceOptions, classes};
use distinguish::Distinguisher;
use volvelle_control::Control;
use volvelle_space::{Edge, Lts};

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Whether the initial states are equivalent.
    pub equivalent: bool,
    /// A shortest trace of one system that the other has not, if there is one and it was found.
    pub trace: Option<DistinguishingTrace>,
    /// A formula that holds in the first system and not in the second, if one of reasonable size was found.
    pub formula: Option<Formula>,
}

/// A sequence of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistinguishingTrace {
    /// Whether the first system has it, and not the second.
    pub is_of_first: bool,
    /// The labels; internal ones are left out where the relation abstracts from them.
    pub labels: Vec<String>,
}

/// Compares the initial states of two systems.
///
/// # Errors
/// A limit was reached, the user stopped, or a rate or probability cannot be used.
pub fn compare(
    left: Lts,
    right: Lts,
    options: impl Into<ReduceOptions>,
    control: &Control<'_>,
) -> Result<Comparison, ReduceError> {
    let options = options.into();
    let (both, right) = side_by_side(left, right);
    let left = both.initial;
    let found: Classes = classes(both, options, control)?;
    let (left, right) = (found.state(left), found.state(right));
    if found.blocks.of(left) == found.blocks.of(right) {
        return Ok(Comparison { equivalent: true, trace: None, formula: None });
    }
    let weak = !options.relation.is_strong();
    let text = |labels: Vec<u32>| labels.iter().map(|&l| found.lts.labels.text(l).to_owned()).collect();
    let of = |is_of_first: bool| {
        let (left, right) = if is_of_first { (left, right) } else { (right, left) };
        let labels = trace::trace(&found.lts, left, right, weak)?;
        Some(DistinguishingTrace { is_of_first, labels: text(labels) })
    };
    let shorter = |a: DistinguishingTrace, b: DistinguishingTrace| {
        if b.labels.len() < a.labels.len() { b } else { a }
    };
    let trace = match (of(true), of(false)) {
        (Some(first), Some(second)) => Some(shorter(first, second)),
        (first, second) => first.or(second),
    };
    let Classes { lts, blocks, kind, divergent, .. } = &found;
    let distinguisher = Distinguisher { lts, blocks, kind: *kind, divergent: divergent.as_ref() };
    let of_trace = trace.as_ref().map(|trace| has_trace(trace, weak));
    let formula = match (distinguisher.formula(left, right), of_trace) {
        (Some(formula), Some(of_trace)) if of_trace.size() <= formula.size() => Some(of_trace),
        (formula, of_trace) => formula.or(of_trace),
    };
    Ok(Comparison { equivalent: false, trace, formula })
}

/// The formula that the first system has a trace, or that it has not.
fn has_trace(trace: &DistinguishingTrace, weak: bool) -> Formula {
    let formula = trace.labels.iter().rev().fold(Formula::TRUE, |rest, label| {
        let rest = Box::new(rest);
        match weak {
            true => Formula::Until(Box::new(Formula::TRUE), label.clone(), rest),
            false => Formula::Can(label.clone(), rest),
        }
    });
    if trace.is_of_first { formula } else { Formula::Not(Box::new(formula)) }
}

/// Two systems as one whose initial state is that of the first; and the initial state of the second.
fn side_by_side(left: Lts, right: Lts) -> (Lts, u32) {
    let shift = left.num_states() as u32;
    let (initial, mut labels, mut starts, mut edges) = left.into_parts();
    let (other, of_right, more_starts, more_edges) = right.into_parts();
    let number: Vec<u32> = of_right.texts().iter().map(|text| labels.number(text)).collect();
    let base = edges.len() as u32;
    starts.extend(more_starts.iter().skip(1).map(|start| start + base));
    let moved = |edge: &Edge| Edge { label: number[edge.label as usize], target: edge.target + shift };
    edges.extend(more_edges.iter().map(moved));
    (Lts::new(initial, labels, starts, edges), other + shift)
}
