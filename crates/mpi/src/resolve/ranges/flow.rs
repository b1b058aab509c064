//! Ranges of locals where the order of steps counts: before each step, what values each local may have; a condition bounds them on its
//! ways. So `while (k < 3) k = k + 1;` gives 0 to 3.
//!
//! There is no widening: what does not come to rest within a number of steps has no range.

use super::{Interval, assigned, interval, union};
use crate::resolve::body::LocalInfo;
use crate::resolve::graph::Step;
use crate::system::{Binary, Expr, LocalId, NodeId, NodeKind, System, Unary};
use std::collections::VecDeque;
use volvelle_diagnostics::Span;

/// How often a step is looked at, on average.
const ROUNDS: usize = 600;
/// How many intervals there are at most.
const MOST: usize = 1 << 21;

/// The values of all locals before a step; none of a register that has no value.
type State = Vec<Option<Interval>>;

/// The range of each local; `None` if there is none, or too much to do.
pub(super) fn ranges(
    nodes: &[(Step, Span)],
    start: NodeId,
    locals: &[LocalInfo],
    system: &System,
) -> Option<State> {
    if nodes.len().saturating_mul(locals.len()) > MOST {
        return None;
    }
    let declared = |local: usize| {
        let values = locals[local].values?;
        Some((i128::from(values.lo), i128::from(values.hi)))
    };
    let initial = |local: usize| -> Option<Interval> {
        let info = &locals[local];
        let default = info.values.map_or(0, |values| values.default());
        let value = i128::from(info.initial.unwrap_or(default));
        (!info.name.starts_with('$')).then_some((value, value))
    };
    let mut found: State = (0..locals.len()).map(|local| declared(local).or(initial(local))).collect();
    let mut before: Vec<Option<State>> = vec![None; nodes.len()];
    before[start.index()] = Some((0..locals.len()).map(initial).collect());
    let mut waiting = vec![false; nodes.len()];
    let mut queue = VecDeque::from([start]);
    let mut left = nodes.len() * ROUNDS;
    while let Some(node) = queue.pop_front() {
        left = left.checked_sub(1)?;
        waiting[node.index()] = false;
        let step = &nodes[node.index()].0;
        let Some(state) = before[node.index()].clone() else { continue };
        for (way, next) in step.next().into_iter().enumerate() {
            let mut after = state.clone();
            match changed(step, &state, system) {
                Some((local, Some(value))) => {
                    let local = local.index();
                    // Another value ends the process with a mistake.
                    let value = match declared(local) {
                        None => value,
                        Some(range) => match common(value, range) {
                            Some(value) => value,
                            None => continue,
                        },
                    };
                    after[local] = Some(value);
                    found[local] = Some(union(found[local], value));
                }
                Some((local, None)) => after[local.index()] = initial(local.index()),
                None => {}
            }
            let reached = match step {
                Step::Kind(NodeKind::Branch(condition, ..)) => bound(condition, way == 0, &mut after),
                Step::Kind(NodeKind::Assert(condition, _)) => bound(condition, true, &mut after),
                _ => true,
            };
            if reached && join(&mut before[next.index()], after) && !waiting[next.index()] {
                waiting[next.index()] = true;
                queue.push_back(next);
            }
        }
    }
    Some(found)
}

/// The local that a step changes, with its new values; none if it is cleared, or gets a value that is none.
fn changed(step: &Step, state: &State, system: &System) -> Option<(LocalId, Option<Interval>)> {
    match step {
        Step::Clear(local, _) => Some((*local, None)),
        _ => assigned(step, state, system).map(|(local, values)| (local, Some(values))),
    }
}

/// Adds the values of a state to another one; whether that changes it.
fn join(known: &mut Option<State>, state: State) -> bool {
    let Some(known) = known else {
        *known = Some(state);
        return true;
    };
    let mut changed = false;
    for (known, new) in known.iter_mut().zip(state) {
        let Some(new) = new else { continue };
        let both = Some(union(*known, new));
        changed |= *known != both;
        *known = both;
    }
    changed
}

fn common(a: Interval, b: Interval) -> Option<Interval> {
    let both = (a.0.max(b.0), a.1.min(b.1));
    (both.0 <= both.1).then_some(both)
}

/// Keeps the values with which a condition holds, or does not hold; false if there are none.
fn bound(condition: &Expr, holds: bool, state: &mut State) -> bool {
    match (condition, holds) {
        (Expr::Unary(Unary::Not, a), holds) => bound(a, !holds, state),
        (Expr::Binary(Binary::And, a, b), true) | (Expr::Binary(Binary::Or, a, b), false) => {
            bound(a, holds, state) && bound(b, holds, state)
        }
        (Expr::Binary(operator, a, b), holds) => {
            let Some(operator) = (if holds { Some(*operator) } else { opposite(*operator) }) else {
                return true;
            };
            narrow(a, operator, b, state)
                && mirrored(operator).is_none_or(|mirror| narrow(b, mirror, a, state))
        }
        (Expr::Local(_), false) => narrow(condition, Binary::Equal, &Expr::Constant(0), state),
        (Expr::Local(_), true) => narrow(condition, Binary::NotEqual, &Expr::Constant(0), state),
        _ => true,
    }
}

fn opposite(operator: Binary) -> Option<Binary> {
    Some(match operator {
        Binary::Equal => Binary::NotEqual,
        Binary::NotEqual => Binary::Equal,
        Binary::Less => Binary::GreaterEqual,
        Binary::GreaterEqual => Binary::Less,
        Binary::Greater => Binary::LessEqual,
        Binary::LessEqual => Binary::Greater,
        _ => return None,
    })
}

fn mirrored(operator: Binary) -> Option<Binary> {
    Some(match operator {
        Binary::Equal | Binary::NotEqual => operator,
        Binary::Less => Binary::Greater,
        Binary::Greater => Binary::Less,
        Binary::LessEqual => Binary::GreaterEqual,
        Binary::GreaterEqual => Binary::LessEqual,
        _ => return None,
    })
}

/// Keeps the values of a local that stand in a relation to some value of an expression; false if there are none.
fn narrow(local: &Expr, operator: Binary, other: &Expr, state: &mut State) -> bool {
    let (Expr::Local(local), Some(other)) = (local, interval(other, state)) else { return true };
    let Some((lo, hi)) = state[local.index()] else { return true };
    let kept = match operator {
        Binary::Equal => (lo.max(other.0), hi.min(other.1)),
        // Only a value at an end can be taken away.
        Binary::NotEqual if other.0 == other.1 => {
            (lo + i128::from(lo == other.0), hi - i128::from(hi == other.0))
        }
        Binary::Less => (lo, hi.min(other.1 - 1)),
        Binary::LessEqual => (lo, hi.min(other.1)),
        Binary::Greater => (lo.max(other.0 + 1), hi),
        Binary::GreaterEqual => (lo.max(other.0), hi),
        _ => (lo, hi),
    };
    state[local.index()] = Some(kept);
    kept.0 <= kept.1
}
