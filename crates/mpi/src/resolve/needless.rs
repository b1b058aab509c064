//! Assignments that change nothing are left out: those of the initial value to a local that has it already.
//!
//! A forward analysis: for each step, the locals that may have another value than their initial one before it.

use super::graph::{Step, compact};
use crate::system::{Access, Binary, Expr, Local, LocalId, NodeId, NodeKind, Unary};
use volvelle_diagnostics::Span;

/// A set of locals.
type Set = Vec<u64>;

fn change(set: &mut Set, local: LocalId, changed: bool) {
    let (word, bit) = (local.index() / 64, 1 << (local.index() % 64));
    if changed { set[word] |= bit } else { set[word] &= !bit }
}

/// The steps without those that change nothing, and the first one.
pub(super) fn remove(
    nodes: Vec<(Step, Span)>,
    start: NodeId,
    locals: &[Local],
) -> (Vec<(Step, Span)>, NodeId) {
    let words = locals.len().div_ceil(64);
    let mut before: Vec<Option<Set>> = vec![None; nodes.len()];
    before[start.index()] = Some(vec![0; words]);
    let mut rest = vec![start];
    while let Some(node) = rest.pop() {
        let step = &nodes[node.index()].0;
        let Some(set) = before[node.index()].clone() else { continue };
        for (way, next) in step.next().into_iter().enumerate() {
            let mut after = set.clone();
            pass(step, way, locals, &mut after);
            let known = &mut before[next.index()];
            let changed = match known {
                None => {
                    *known = Some(after);
                    true
                }
                Some(known) => {
                    let mut changed = false;
                    for (known, after) in known.iter_mut().zip(after) {
                        changed |= after & !*known != 0;
                        *known |= after;
                    }
                    changed
                }
            };
            if changed {
                rest.push(next);
            }
        }
    }
    let needless = |node: usize, local: LocalId| {
        let (word, bit) = (local.index() / 64, 1_u64 << (local.index() % 64));
        before[node].as_ref().is_some_and(|set| set[word] & bit == 0)
    };
    // The first step stays where it is: jumps lead from it.
    let mut kept = vec![(Step::Jump(NodeId(start.0 + 1)), nodes[start.index()].1)];
    for (node, (mut step, span)) in nodes.iter().cloned().enumerate() {
        for next in step.next_mut() {
            next.0 += 1;
        }
        kept.push((
            match step {
                Step::Clear(local, next) if needless(node, local) => Step::Jump(next),
                Step::Kind(NodeKind::Assign(local, Expr::Constant(value), next))
                    if value == locals[local.index()].initial && needless(node, local) =>
                {
                    Step::Jump(next)
                }
                other => other,
            },
            span,
        ));
    }
    let whole = kept.clone();
    compact(kept).unwrap_or((whole, NodeId(0)))
}

/// What a step changes on the way to one of those that follow.
fn pass(step: &Step, way: usize, locals: &[Local], set: &mut Set) {
    match step {
        Step::Clear(local, _) => change(set, *local, false),
        Step::Kind(NodeKind::Assign(local, value, _)) => {
            change(set, *local, *value != Expr::Constant(locals[local.index()].initial));
        }
        Step::Kind(NodeKind::Access(Access { result: Some(local), .. })) => change(set, *local, true),
        Step::Kind(NodeKind::Branch(condition, ..)) => {
            if let Some((local, value)) = known(condition, way == 0)
                && locals[local.index()].initial == value
            {
                change(set, local, false);
            }
        }
        _ => {}
    }
}

/// The value that a local has where a condition holds, or does not hold.
fn known(condition: &Expr, holds: bool) -> Option<(LocalId, i64)> {
    match (condition, holds) {
        (Expr::Local(local), false) => Some((*local, 0)),
        (Expr::Unary(Unary::Not, a), holds) => known(a, !holds),
        (Expr::Binary(Binary::Equal, a, b), true) | (Expr::Binary(Binary::NotEqual, a, b), false) => {
            match (&**a, &**b) {
                (Expr::Local(local), Expr::Constant(value)) | (Expr::Constant(value), Expr::Local(local)) => {
                    Some((*local, *value))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
