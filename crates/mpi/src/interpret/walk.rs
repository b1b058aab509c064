//! Zero-time code, node by node.

use super::{At, Interpreter, State, evaluate};
use crate::system::{Local, Mistake, NodeId, NodeKind, ProcessId};

impl Interpreter<'_> {
    /// Lets a process compute from a node on, up to where the next step begins. If that is the node itself, it computes nothing, unless this
    /// is the step of the head of a loop (`is_entry` is false).
    pub(super) fn walk(&self, state: &mut State, process: ProcessId, from: NodeId, is_entry: bool) {
        let of = &self.system.processes[process.index()];
        let mut node = from;
        let mut is_first = !is_entry;
        for _ in 0..=of.nodes.len() {
            if !is_first && self.cuts[process.index()][node.index()] {
                state.processes[process.index()].at = At::Ready(node);
                return;
            }
            is_first = false;
            let locals = &mut state.processes[process.index()].locals;
            let next = match &of.nodes[node.index()].kind {
                NodeKind::Assign(local, expr, next) => match evaluate::value(expr, locals) {
                    None => Err(Mistake::Arithmetic),
                    Some(value) if !fits(&of.locals[local.index()], value) => Err(Mistake::Range),
                    Some(value) => {
                        locals[local.index()] = value;
                        Ok(*next)
                    }
                },
                NodeKind::Branch(expr, yes, no) => match evaluate::value(expr, locals) {
                    None => Err(Mistake::Arithmetic),
                    Some(0) => Ok(*no),
                    Some(_) => Ok(*yes),
                },
                NodeKind::Assert(expr, next) => match evaluate::value(expr, locals) {
                    None => Err(Mistake::Arithmetic),
                    Some(0) => Err(Mistake::Assertion),
                    Some(_) => Ok(*next),
                },
                // An annotation that this view does not look at.
                NodeKind::Event(_, next) => Ok(*next),
                NodeKind::Access(_) | NodeKind::Work(..) | NodeKind::Choice(_) | NodeKind::End => {
                    unreachable!("zero-time code ends at what takes time")
                }
            };
            match next {
                Ok(next) => node = next,
                Err(mistake) => return self.fail(state, process, node, mistake),
            }
        }
        unreachable!("each loop of zero-time code has a head where it ends");
    }

    /// A process has made a mistake: nothing is under way any more, and its locals mean nothing.
    pub(super) fn fail(&self, state: &mut State, process: ProcessId, node: NodeId, mistake: Mistake) {
        let of = &mut state.processes[process.index()];
        of.at = At::Failed(node, mistake);
        of.transfer = None;
        for (value, local) in of.locals.iter_mut().zip(&self.system.processes[process.index()].locals) {
            *value = local.initial;
        }
    }
}

/// Whether a local takes a value.
pub(super) fn fits(local: &Local, value: i64) -> bool {
    (local.lo..=local.hi).contains(&value)
}
