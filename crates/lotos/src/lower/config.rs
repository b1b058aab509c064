//! Behaviours under way: terms in environments, and what they are composed of.

use crate::core::{GateId, NodeId};
use crate::data::VariableId;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use volvelle_kernel::ExprId;

/// An actual gate.
pub(super) type Gate = u32;

/// What gates and variables stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Env {
    pub gates: FxHashMap<GateId, Gate>,
    pub values: FxHashMap<VariableId, ExprId>,
}

/// The gates that a parallel operator synchronises, in increasing order.
pub(super) type SyncSet = Vec<Gate>;

/// A behaviour under way.
#[derive(Clone, Debug)]
pub(super) enum Config {
    Term(NodeId, Rc<Env>),
    Par {
        node: NodeId,
        sync: Rc<SyncSet>,
        left: Rc<Config>,
        right: Rc<Config>,
    },
    /// The left side of `>>`; the environment is that of the right side.
    Enable {
        node: NodeId,
        left: Rc<Config>,
        env: Rc<Env>,
    },
    /// The left side of `[>`; the environment is that of the right side.
    Disable {
        node: NodeId,
        left: Rc<Config>,
        env: Rc<Env>,
    },
    /// It has ended.
    Ended,
}

/// The left side of an operator in which a component is.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The operator: `>>` or `[>`.
    pub node: NodeId,
    /// The environment of its right side.
    pub env: Rc<Env>,
}

/// The parallel operators of a composition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Leaf,
    Par(NodeId, SyncSet, Box<Shape>, Box<Shape>),
}

impl Shape {
    /// The operators, in the order of the text.
    pub fn nodes(&self) -> Vec<NodeId> {
        let (mut nodes, mut todo) = (Vec::new(), vec![self]);
        while let Some(shape) = todo.pop() {
            if let Shape::Par(node, _, left, right) = shape {
                nodes.push(*node);
                todo.extend([&**right, &**left]);
            }
        }
        nodes
    }
}
