//! Remarks on answers that are true for want of cases: conditions that hold in no state, implications that are never triggered.
//!
//! An answer is right whatever is said here, but the question may not have been what was meant (I. Beer, S. Ben-David, C. Eisner,
//! Y. Rodeh, *Efficient detection of vacuity in temporal model checking*, Formal Methods in System Design 18, 2001). A
//! condition that holds nowhere is found at no cost: labels are evaluated in every state anyway.

use crate::language::Document;
use crate::model::Model;
use crate::observed::selection;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_explore::Explored;
use volvelle_logic::{Answer, Formula as Node, Property, Query, Value};
use volvelle_model::Program;
use volvelle_model::claim::{Claim, Formula};

/// Longest condition that is quoted in full, in characters.
const LONGEST: usize = 60;

/// Remarks on the answer to a property: on conditions that hold in none of the states, on the schedulers of a model without
/// choices, and on divisions by zero.
pub fn remarks(
    model: &Model,
    property: &Property,
    explored: &Explored,
    outcome: &Result<Answer, Vec<Diagnostic>>,
) -> Vec<String> {
    let mut remarks = never_held(model, property, explored);
    if explored.space.choices.is_some() && operator_without_optimum(property).is_some() {
        remarks.push("the mdp has no choices: its minimum and maximum are the same".to_owned());
    }
    let divisions = selection(&[property]).numbers.into_iter();
    let states = divisions.filter_map(|number| explored.replaced.get(number).copied().flatten());
    if let (Some(state), Some(document)) = (states.min(), model.document.as_deref()) {
        let values = explored.layout.unpack(explored.states.get(state.index()));
        let state = document.state_text(&values);
        let place = if state.is_empty() { String::new() } else { format!(" in state {state}") };
        remarks.push(format!(
            "a division by zero{place}: the quotient is infinite or not a number, as in PRISM"
        ));
    }
    let is_no_number = |answer: &Answer| matches!(answer.value, Value::Number(number) if number.is_nan());
    if remarks.is_empty() && outcome.as_ref().is_ok_and(is_no_number) {
        remarks.push("the value is not a number (NaN), as in PRISM".to_owned());
    }
    remarks
}

/// Remarks on the conditions of a property that hold in none of the states.
fn never_held(model: &Model, property: &Property, explored: &Explored) -> Vec<String> {
    let (Some(program), Some(document)) = (model.program(), model.document.as_deref()) else {
        return Vec::new();
    };
    let empty = selection(&[property])
        .labels
        .into_iter()
        .filter(|&label| explored.space.labels.get(label).is_some_and(|(_, states)| states.count() == 0));
    let texts = empty.filter_map(|label| condition(program, document, &model.sources, label));
    texts.map(|text| format!("`{text}` holds in no explored state")).collect()
}

/// The first operator of a property that asks for a number and says neither `min` nor `max`.
pub fn operator_without_optimum(property: &Property) -> Option<&'static str> {
    property.formulas.ids().find_map(|id| match property.formulas.get(id) {
        Node::Prob { optimum: None, query: Query::Value, .. }
        | Node::Conditional { optimum: None, query: Query::Value, .. } => Some("P"),
        Node::Reward { optimum: None, query: Query::Value, .. } => Some("R"),
        Node::Steady { optimum: None, query: Query::Value, .. } => Some("S"),
        Node::Time { optimum: None, query: Query::Value, .. } => Some("T"),
        _ => None,
    })
}

/// Remarks on a claim that holds. `held` has the bits of the propositions, by place in `labels`, that held in some state.
pub fn of_claim(
    claim: &Claim,
    labels: &[usize],
    held: u64,
    program: &Program,
    document: &dyn Document,
    sources: &Sources,
) -> Vec<String> {
    let has_held = |label: usize| {
        labels.iter().position(|&known| known == label).is_none_or(|bit| held >> bit.min(63) & 1 != 0)
    };
    let named = |label: usize| condition(program, document, sources, label);
    let never_held = labels.iter().copied().filter(|&label| !has_held(label));
    let mut remarks: Vec<String> =
        never_held.filter_map(named).map(|text| format!("`{text}` holds in no visited state")).collect();
    if let Claim::Ltl(nodes) = claim
        && is_vacuous(nodes, has_held)
    {
        remarks.push("an implication is never triggered: the claim holds vacuously".to_owned());
    }
    remarks
}

/// Whether the left side of an implication holds in no state. Only conditions without temporal operators are looked at.
pub fn is_vacuous(nodes: &[Formula], has_held: impl Fn(usize) -> bool) -> bool {
    // Whether a node may have held somewhere; operands come before what uses them.
    let mut possible: Vec<bool> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let may_hold = match *node {
            Formula::Proposition(label) => has_held(label),
            Formula::Constant(truth) => truth,
            Formula::And(a, b) => possible[a] && possible[b],
            Formula::Or(a, b) => possible[a] || possible[b],
            _ => true,
        };
        possible.push(may_hold);
    }
    // `!a | b` is an implication as well.
    let is_idle = |a: usize| matches!(nodes[a], Formula::Not(x) if !possible[x]);
    nodes.iter().any(|node| match *node {
        Formula::Implies(a, _) => !possible[a],
        Formula::Or(a, b) => is_idle(a) || is_idle(b),
        _ => false,
    })
}

/// A condition as it was written, or the name of its label.
fn condition(program: &Program, document: &dyn Document, sources: &Sources, label: usize) -> Option<String> {
    let label = program.labels.get(label)?;
    let text = match &label.name {
        Some(name) => format!("\"{name}\""),
        None => {
            let text = sources.text(document.place(label.origin?)?);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        }
    };
    (!text.is_empty() && text.chars().count() <= LONGEST).then_some(text)
}
