//! Where the zero-time code of a process ends: at what takes time, at what is observed, and at heads of loops without either.

use super::View;
use crate::system::{Event, NodeId, NodeKind, Process, System};

/// Whether a step of this kind is one of the state space, and not part of the step before it.
pub fn is_cut(kind: &NodeKind, view: View) -> bool {
    match kind {
        NodeKind::Access(_) | NodeKind::Work(..) | NodeKind::Choice(_) | NodeKind::End => true,
        NodeKind::Event(Event::Mark(_), _) => true,
        NodeKind::Event(..) => !matches!(view, View::Timed { .. }),
        NodeKind::Assign(..) | NodeKind::Branch(..) | NodeKind::Assert(..) => false,
    }
}

/// By node: whether zero-time code ends there.
pub fn cuts(process: &Process, view: View) -> Vec<bool> {
    let mut cuts: Vec<bool> = process.nodes.iter().map(|node| is_cut(&node.kind, view)).collect();
    // Depth first through what is left; an edge to a node under way closes a circle.
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        UnderWay,
        Done,
    }
    let mut marks = vec![Mark::New; process.nodes.len()];
    let local = |cuts: &[bool], node: NodeId| -> Vec<NodeId> {
        if cuts[node.index()] { Vec::new() } else { System::successors(&process.nodes[node.index()]) }
    };
    for start in (0..process.nodes.len() as u32).map(NodeId) {
        if marks[start.index()] != Mark::New {
            continue;
        }
        marks[start.index()] = Mark::UnderWay;
        let mut stack = vec![(start, local(&cuts, start), 0)];
        while let Some((node, successors, next)) = stack.last_mut() {
            let Some(&successor) = successors.get(*next) else {
                marks[node.index()] = Mark::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            match marks[successor.index()] {
                Mark::UnderWay => cuts[successor.index()] = true,
                Mark::New => {
                    marks[successor.index()] = Mark::UnderWay;
                    let successors = local(&cuts, successor);
                    stack.push((successor, successors, 0));
                }
                Mark::Done => {}
            }
        }
    }
    cuts
}
