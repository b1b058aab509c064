//! Judgments whose outcome is a node, about many nodes.

use super::{Loaded, Program};
use crate::ir::JudgmentId;
use crate::machine::{Ended, Limits, Watch};
use crate::value::Value;
use volvelle_diagnostics::{Sources, Span};
use volvelle_trees::{Interner, NodeId};

impl Program {
    /// The texts of its nodes.
    pub fn texts(&self) -> &Interner {
        &self.texts
    }
}

impl Loaded {
    /// The nodes that a judgment of one input and one output gives for some nodes; where it fails, or gives something else, there is
    /// none. Behind a limit there are none either.
    pub fn nodes_of(
        &self,
        sources: &Sources,
        program: &Program,
        judgment: JudgmentId,
        nodes: &[NodeId],
        limits: Limits<'_>,
    ) -> Vec<Option<NodeId>> {
        let source = |span: Span| sources.text(span);
        let mut machine = self.machine(&source, program, limits, true, Watch::default());
        let mut found = vec![None; nodes.len()];
        for (&node, found) in nodes.iter().zip(&mut found) {
            match machine.ask(judgment, &[Value::Node(node)]) {
                Ended::Holds(values) => {
                    if let [Value::Node(given)] = values[..] {
                        *found = Some(given);
                    }
                }
                Ended::Stopped(_) => break,
                Ended::Fails(_) | Ended::Broke(_) => {}
            }
        }
        found
    }
}
