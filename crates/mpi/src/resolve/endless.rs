//! Loops that go round without an access, work or event: no time passes in them, so that nothing else ever happens.
//!
//! A loop over locals is left if a condition in it says so, and something in the loop changes what the condition asks. Circles are searched
//! as strongly connected components (R. Tarjan, 1972). Where one has an exit of this kind, the branch to it is taken out and the rest is
//! searched again: an inner loop must have an exit of its own.

use super::fold;
use super::graph::Step;
use crate::system::{LocalId, NodeKind};
use rustc_hash::FxHashSet;
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// The message for a loop of nothing.
pub(super) fn endless(span: Span) -> Diagnostic {
    Diagnostic::error(codes::PRIMITIVE_SIZE, "this loop takes no time and never ends")
        .at(span, "nothing in it reads or writes shared variables, works or measures")
        .help("wait for a shared variable, `while (flag == 0) { }`, or add `work`: only these take time")
}

/// Reports the loops of a graph in which no time passes.
pub(super) fn check(nodes: &[(Step, Span)]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut within: Vec<bool> = nodes.iter().map(|(step, _)| takes_no_time(step)).collect();
    // Each round takes at least one branch out.
    loop {
        let mut again = false;
        for component in circles(nodes, &within) {
            let inside: FxHashSet<usize> = component.iter().copied().collect();
            let mut changed = FxHashSet::default();
            for &node in &component {
                if let Step::Kind(NodeKind::Assign(local, ..)) | Step::Clear(local, _) = nodes[node].0 {
                    changed.insert(local);
                }
            }
            let exits: Vec<usize> = component
                .iter()
                .copied()
                .filter(|&node| is_exit(&nodes[node].0, &inside, &changed))
                .collect();
            for &exit in &exits {
                within[exit] = false;
                again = true;
            }
            if exits.is_empty() {
                let spans = component.iter().map(|&node| nodes[node].1);
                let span = spans.min_by_key(|span| (span.start, span.end)).expect("a component is not empty");
                diagnostics.push(with_reason(endless(span), &component, nodes, &inside));
                // One message for it.
                component.iter().for_each(|&node| within[node] = false);
            }
        }
        if !again {
            return diagnostics;
        }
    }
}

/// Says which condition nothing changes.
fn with_reason(
    diagnostic: Diagnostic,
    component: &[usize],
    nodes: &[(Step, Span)],
    inside: &FxHashSet<usize>,
) -> Diagnostic {
    let leaves = |node: usize| nodes[node].0.next().iter().any(|next| !inside.contains(&next.index()));
    let exit = component
        .iter()
        .find(|&&node| matches!(nodes[node].0, Step::Kind(NodeKind::Branch(..))) && leaves(node));
    let Some(&exit) = exit else { return diagnostic };
    let span = nodes[exit].1;
    let (text, is_primary) = match &diagnostic.primary {
        Some(primary) if primary.span != span => ("always the same: nothing in the loop changes it", false),
        _ => ("always the same: nothing in the loop changes it, or reads a shared variable", true),
    };
    if is_primary { diagnostic.at(span, text) } else { diagnostic.also(span, text) }
}

fn takes_no_time(step: &Step) -> bool {
    match step {
        Step::Clear(..) | Step::Jump(_) => true,
        Step::Kind(kind) => matches!(
            kind,
            NodeKind::Assign(..) | NodeKind::Branch(..) | NodeKind::Choice(_) | NodeKind::Assert(..)
        ),
    }
}

/// Whether a step may leave a circle, and the circle changes what decides it.
fn is_exit(step: &Step, inside: &FxHashSet<usize>, changed: &FxHashSet<LocalId>) -> bool {
    let Step::Kind(NodeKind::Branch(condition, yes, no)) = step else { return false };
    let mut depends = false;
    fold::locals(condition, &mut |local| depends |= changed.contains(&local));
    depends && (!inside.contains(&yes.index()) || !inside.contains(&no.index()))
}

/// Strongly connected components with a circle, over some of the nodes.
fn circles(nodes: &[(Step, Span)], within: &[bool]) -> Vec<Vec<usize>> {
    const UNSEEN: u32 = u32::MAX;
    let (mut number, mut low) = (vec![UNSEEN; nodes.len()], vec![0_u32; nodes.len()]);
    let mut on_stack = vec![false; nodes.len()];
    let (mut stack, mut circles, mut count) = (Vec::new(), Vec::new(), 0);
    let next = |node: usize| -> Vec<usize> {
        let next = nodes[node].0.next();
        next.into_iter().map(|next| next.index()).filter(|&next| within[next]).collect()
    };
    for root in (0..nodes.len()).filter(|&node| within[node]) {
        if number[root] != UNSEEN {
            continue;
        }
        let mut calls = vec![(root, next(root), 0)];
        number[root] = count;
        low[root] = count;
        count += 1;
        stack.push(root);
        on_stack[root] = true;
        while let Some((node, ways, at)) = calls.last_mut() {
            let node = *node;
            if let Some(&way) = ways.get(*at) {
                *at += 1;
                if number[way] == UNSEEN {
                    number[way] = count;
                    low[way] = count;
                    count += 1;
                    stack.push(way);
                    on_stack[way] = true;
                    calls.push((way, next(way), 0));
                } else if on_stack[way] {
                    low[node] = low[node].min(number[way]);
                }
                continue;
            }
            calls.pop();
            if let Some((before, ..)) = calls.last() {
                low[*before] = low[*before].min(low[node]);
            }
            if low[node] == number[node] {
                let start = stack.iter().rposition(|&other| other == node).unwrap_or(0);
                let component = stack.split_off(start);
                component.iter().for_each(|&node| on_stack[node] = false);
                if component.len() > 1 || next(node).contains(&node) {
                    circles.push(component);
                }
            }
        }
    }
    circles
}
