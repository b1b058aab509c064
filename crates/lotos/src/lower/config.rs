//! Behaviours under way: terms in environments, and what they are composed of.

use crate::core::{GateId, NodeId, ProcessId};
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

/// Gates inside of a composition with those that they are outside: where two gates of a process are the same gate of its caller,
/// they are told apart inside, since gates are renamed behind the composition (ISO 8807, 7.5.4: relabelling).
pub(super) type Renamed = Rc<[(Gate, Gate)]>;

/// The values of some variables, where they are constants.
pub(super) type Constants = Rc<[Option<i64>]>;

/// Whether a constant is another one: the second time that a process comes to the same place it is not the same again.
pub(super) fn differ(a: &[Option<i64>], b: &[Option<i64>]) -> bool {
    a.iter().zip(b).any(|(a, b)| a.is_some() && b.is_some() && a != b)
}

/// Processes that were replaced by their bodies, with their arguments.
pub(super) type Calls = Vec<(ProcessId, Constants)>;

/// A behaviour under way.
#[derive(Clone, Debug)]
pub(super) enum Config {
    Term(NodeId, Rc<Env>),
    Par {
        node: NodeId,
        /// What was constant where it began.
        constants: Constants,
        sync: Rc<SyncSet>,
        renamed: Renamed,
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

impl Config {
    /// Where it is in the text.
    pub fn node(&self) -> Option<NodeId> {
        match self {
            Config::Term(node, _)
            | Config::Par { node, .. }
            | Config::Enable { node, .. }
            | Config::Disable { node, .. } => Some(*node),
            Config::Ended => None,
        }
    }
}

/// The left side of an operator in which a component is.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The operator: `>>` or `[>`.
    pub node: NodeId,
    /// The environment of its right side.
    pub env: Rc<Env>,
    /// What is constant there.
    pub constants: Constants,
}

/// The parallel operators of a composition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Leaf,
    Par(NodeId, SyncSet, Renamed, Box<Shape>, Box<Shape>),
}
