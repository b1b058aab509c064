//! Which locals of a process are used later: only these are parameters of its steps.

use crate::system::{Event, Expr, LocalId, Node, NodeKind, Operation, Process, System};

/// By node and local, whether its value before the node may be used.
pub(super) fn live(process: &Process) -> Vec<Vec<bool>> {
    let count = process.locals.len();
    let uses: Vec<Vec<bool>> = process.nodes.iter().map(|node| used(node, count)).collect();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); process.nodes.len()];
    for (number, node) in process.nodes.iter().enumerate() {
        for next in System::successors(node) {
            before[next.index()].push(number);
        }
    }
    let mut live = uses.clone();
    // From each node to those before it, until nothing is new.
    let mut todo: Vec<usize> = (0..process.nodes.len()).collect();
    while let Some(number) = todo.pop() {
        for &previous in &before[number] {
            let set = assigned(&process.nodes[previous]);
            let mut changed = false;
            for (local, is_live) in live[number].clone().into_iter().enumerate() {
                if is_live && set != Some(LocalId(local as u32)) && !live[previous][local] {
                    live[previous][local] = true;
                    changed = true;
                }
            }
            if changed {
                todo.push(previous);
            }
        }
    }
    live
}

fn assigned(node: &Node) -> Option<LocalId> {
    match &node.kind {
        NodeKind::Access(access) => access.result,
        NodeKind::Assign(local, ..) => Some(*local),
        _ => None,
    }
}

/// The locals that a node itself uses.
fn used(node: &Node, count: usize) -> Vec<bool> {
    let mut used = vec![false; count];
    let mut todo: Vec<&Expr> = Vec::new();
    match &node.kind {
        NodeKind::Access(access) => {
            for index in &access.variable.indices {
                todo.push(&index.value);
            }
            match &access.operation {
                Operation::Load | Operation::TestAndSet => {}
                Operation::Store(a) | Operation::Swap(a) | Operation::FetchAdd(a) => todo.push(a),
                Operation::CompareAndSwap(a, b) => todo.extend([a, b]),
            }
        }
        NodeKind::Event(event, _) => match event {
            Event::Mark(_) => {}
            Event::Enter(reference) | Event::Leave(reference) => {
                for index in &reference.indices {
                    todo.push(&index.value);
                }
            }
            Event::Sent(channel, content) | Event::Received(channel, content) => {
                for index in &channel.indices {
                    todo.push(&index.value);
                }
                todo.push(content);
            }
        },
        NodeKind::Assign(_, value, _) | NodeKind::Branch(value, ..) | NodeKind::Assert(value, _) => {
            todo.push(value)
        }
        NodeKind::Work(..) | NodeKind::Choice(_) | NodeKind::End => {}
    }
    while let Some(expr) = todo.pop() {
        match expr {
            Expr::Constant(_) => {}
            Expr::Local(local) => used[local.index()] = true,
            Expr::Unary(_, operand) => todo.push(operand),
            Expr::Binary(_, left, right) => todo.extend([&**left, &**right]),
        }
    }
    used
}
