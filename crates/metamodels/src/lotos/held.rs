//! What a specification holds in the end.

use volvelle_lotos::syntax::{BehaviourId, BehaviourKind, Condition, Exit, Offer, Tree as Parsed, ValueKind};

/// Which behaviours and values stand in definitions: operands have smaller numbers than what they are operands of. What was read before
/// a mistake, and has no place in the end, does not.
pub(super) fn held(parsed: &Parsed) -> (Vec<bool>, Vec<bool>) {
    let mut behaviours = vec![false; parsed.behaviours.len()];
    let mut values = vec![false; parsed.values.len()];
    let condition = |values: &mut Vec<bool>, one: &Condition| {
        values[one.left] = true;
        one.right.iter().for_each(|&right| values[right] = true);
    };
    for process in &parsed.processes {
        behaviours[process.body] = true;
    }
    for equation in parsed.types.iter().flat_map(|one| &one.equations) {
        values[equation.left] = true;
        values[equation.right] = true;
        equation.premises.iter().for_each(|one| condition(&mut values, one));
    }
    for id in (0..parsed.behaviours.len()).rev() {
        if !behaviours[id] {
            continue;
        }
        let kind = &parsed.behaviours[id].kind;
        parts(kind).into_iter().for_each(|inner| behaviours[inner] = true);
        match kind {
            BehaviourKind::Prefix { offers, predicate, .. } => {
                for offer in offers {
                    if let Offer::Give(value) = offer {
                        values[*value] = true;
                    }
                }
                predicate.iter().for_each(|one| condition(&mut values, one));
            }
            BehaviourKind::Guard(one, _) => condition(&mut values, one),
            BehaviourKind::Exit(all) => {
                for one in all {
                    if let Exit::Value(value) = one {
                        values[*value] = true;
                    }
                }
            }
            BehaviourKind::Let { bindings, .. } => {
                bindings.iter().for_each(|(_, value)| values[*value] = true)
            }
            BehaviourKind::Call { arguments, .. } => arguments.iter().for_each(|&value| values[value] = true),
            _ => {}
        }
    }
    for id in (0..parsed.values.len()).rev() {
        if values[id] {
            match &parsed.values[id].kind {
                ValueKind::Apply(_, operands) => operands.iter().for_each(|&inner| values[inner] = true),
                ValueKind::Of(inner, _) => values[*inner] = true,
            }
        }
    }
    (behaviours, values)
}

/// The behaviours in a behaviour.
fn parts(kind: &BehaviourKind) -> Vec<BehaviourId> {
    use BehaviourKind as B;
    match kind {
        B::Stop | B::Exit(_) | B::Call { .. } => Vec::new(),
        B::Prefix { then, .. } | B::Guard(_, then) => vec![*then],
        B::Choice(all) => all.clone(),
        B::Parallel { left, right, .. } | B::Enable { left, right, .. } | B::Disable { left, right } => {
            vec![*left, *right]
        }
        B::Hide { body, .. }
        | B::Let { body, .. }
        | B::ChoiceValues { body, .. }
        | B::ChoiceGates { body, .. }
        | B::ParGates { body, .. } => vec![*body],
    }
}
