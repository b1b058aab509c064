//! Behaviours that are written several times: equal ones with the same free variables are one location.

use crate::core::{Core, Exit, NodeId, NodeKind, Offer};
use crate::data::{Data, ExpressionId, ExpressionKind};
use rustc_hash::FxHashMap;

/// For each behaviour, the first one that is equal to it. Variables and gates that are bound inside are different ones at each
/// place, so that only what binds none is shared.
pub(super) fn first_equal(core: &Core, data: &Data) -> Vec<NodeId> {
    let expressions = equal_expressions(data);
    let mut known: FxHashMap<String, NodeId> = FxHashMap::default();
    let mut first: Vec<NodeId> = Vec::with_capacity(core.nodes.len());
    for node in &core.nodes {
        let number = first.len();
        let kind = renamed(&node.kind, &first, &expressions);
        first.push(*known.entry(format!("{kind:?}")).or_insert(number));
    }
    first
}

fn equal_expressions(data: &Data) -> Vec<ExpressionId> {
    let mut known: FxHashMap<String, ExpressionId> = FxHashMap::default();
    let mut first: Vec<ExpressionId> = Vec::with_capacity(data.expressions.len());
    for expression in &data.expressions {
        let kind = match &expression.kind {
            ExpressionKind::Apply(operation, operands) => {
                ExpressionKind::Apply(*operation, operands.iter().map(|&operand| first[operand]).collect())
            }
            other => other.clone(),
        };
        let number = first.len();
        first.push(*known.entry(format!("{kind:?} {}", expression.sort)).or_insert(number));
    }
    first
}

/// A behaviour with the first equal parts and values in place of its own.
fn renamed(kind: &NodeKind, first: &[NodeId], expressions: &[ExpressionId]) -> NodeKind {
    let value = |expression: &ExpressionId| expressions[*expression];
    let mut kind = kind.clone();
    match &mut kind {
        NodeKind::Stop => {}
        NodeKind::Exit(exits) => {
            for exit in exits {
                if let Exit::Value(expression) = exit {
                    *expression = value(expression);
                }
            }
        }
        NodeKind::Prefix { offers, predicate, then, .. } => {
            for offer in offers {
                if let Offer::Give(expression) = offer {
                    *expression = value(expression);
                }
            }
            *predicate = predicate.as_ref().map(value);
            *then = first[*then];
        }
        NodeKind::Choice(parts) => parts.iter_mut().for_each(|part| *part = first[*part]),
        NodeKind::Guard(condition, body) => (*condition, *body) = (value(condition), first[*body]),
        NodeKind::Parallel { left, right, .. }
        | NodeKind::Enable { left, right, .. }
        | NodeKind::Disable { left, right } => (*left, *right) = (first[*left], first[*right]),
        NodeKind::Let { bindings, body } => {
            bindings.iter_mut().for_each(|(_, expression)| *expression = value(expression));
            *body = first[*body];
        }
        NodeKind::Hide { body, .. }
        | NodeKind::ChoiceValue { body, .. }
        | NodeKind::ChoiceGate { body, .. }
        | NodeKind::ParGate { body, .. } => *body = first[*body],
        NodeKind::Call { arguments, .. } => {
            arguments.iter_mut().for_each(|argument| *argument = value(argument));
        }
    }
    kind
}
