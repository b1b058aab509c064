//! Behaviours whose names are resolved.
//!
//! Variables and gates have a number for each place where they are bound; every node knows what is free in it.

use crate::data::{ExpressionId, SortId, VariableId};
use volvelle_diagnostics::Span;

/// Number of a gate: one for each place where one is bound.
pub type GateId = usize;
/// Number of a behaviour.
pub type NodeId = usize;
/// Number of a process.
pub type ProcessId = usize;

/// What an action offers.
#[derive(Clone, Copy, Debug)]
pub enum Offer {
    /// A value.
    Give(ExpressionId),
    /// Any value of the variable's sort.
    Take(VariableId),
}

/// A value of `exit`.
#[derive(Clone, Copy, Debug)]
pub enum Exit {
    /// A value.
    Value(ExpressionId),
    /// Any value of a sort.
    Any(SortId),
}

/// The gates that a parallel operator synchronises, besides successful ends.
#[derive(Clone, Debug)]
pub enum Sync {
    /// These.
    Gates(Vec<GateId>),
    /// All.
    All,
}

/// A behaviour.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its form.
    pub kind: NodeKind,
    /// Its place.
    pub span: Span,
    /// Free variables, in increasing order.
    pub variables: Vec<VariableId>,
    /// Free gates, in increasing order.
    pub gates: Vec<GateId>,
}

/// The form of a behaviour.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // operands are named by their role
pub enum NodeKind {
    Stop,
    Exit(Vec<Exit>),
    Prefix { gate: Option<GateId>, offers: Vec<Offer>, predicate: Option<ExpressionId>, then: NodeId },
    Choice(Vec<NodeId>),
    Guard(ExpressionId, NodeId),
    Parallel { sync: Sync, left: NodeId, right: NodeId },
    Enable { left: NodeId, accept: Vec<VariableId>, right: NodeId },
    Disable { left: NodeId, right: NodeId },
    Hide { gates: Vec<GateId>, body: NodeId },
    Let { bindings: Vec<(VariableId, ExpressionId)>, body: NodeId },
    ChoiceValue { variable: VariableId, body: NodeId },
    ChoiceGate { gate: GateId, among: Vec<GateId>, body: NodeId },
    ParGate { gate: GateId, among: Vec<GateId>, sync: Sync, body: NodeId },
    Call { process: ProcessId, gates: Vec<GateId>, arguments: Vec<ExpressionId> },
}

/// A process.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its name, in upper case.
    pub name: String,
    /// Formal gates.
    pub gates: Vec<GateId>,
    /// Formal values.
    pub parameters: Vec<VariableId>,
    /// Its behaviour.
    pub body: NodeId,
    /// Its name in the text.
    pub span: Span,
}

/// All behaviours of a specification.
#[derive(Clone, Debug, Default)]
pub struct Core {
    /// Behaviours; parts have smaller numbers than what they are parts of.
    pub nodes: Vec<Node>,
    /// Processes; the first is the specification.
    pub processes: Vec<Process>,
    /// Names of gates, in upper case.
    pub gates: Vec<String>,
}

impl Core {
    /// The process of each behaviour.
    pub(crate) fn owners(&self) -> Vec<ProcessId> {
        let mut owners = vec![0; self.nodes.len()];
        for (number, process) in self.processes.iter().enumerate() {
            let mut todo = vec![process.body];
            while let Some(node) = todo.pop() {
                owners[node] = number;
                todo.extend(self.parts(node));
            }
        }
        owners
    }

    /// The behaviours that are parts of a behaviour.
    pub fn parts(&self, node: NodeId) -> Vec<NodeId> {
        match &self.nodes[node].kind {
            NodeKind::Stop | NodeKind::Exit(_) | NodeKind::Call { .. } => Vec::new(),
            NodeKind::Choice(all) => all.clone(),
            NodeKind::Parallel { left, right, .. }
            | NodeKind::Enable { left, right, .. }
            | NodeKind::Disable { left, right } => vec![*left, *right],
            NodeKind::Prefix { then: body, .. }
            | NodeKind::Guard(_, body)
            | NodeKind::Hide { body, .. }
            | NodeKind::Let { body, .. }
            | NodeKind::ChoiceValue { body, .. }
            | NodeKind::ChoiceGate { body, .. }
            | NodeKind::ParGate { body, .. } => vec![*body],
        }
    }
}
