//! Expressions of conditions as nodes of an arena, equal ones only once, children before parents.

use super::operation::{Interval, Op};
use super::value::Scalar;
use rustc_hash::FxHashMap;

/// A node, by its place in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(crate) u32);

/// An expression.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    Constant(Scalar),
    /// A parameter, by its number.
    Parameter(u16),
    /// An operation; one operand is given twice.
    Apply(Op, NodeId, NodeId),
    /// The second if the first is true, else the third.
    Select(NodeId, NodeId, NodeId),
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Int(i64),
    Float(u64),
    Text(u32),
    Undefined,
    Parameter(u16),
    Apply(Op, NodeId, NodeId),
    Select(NodeId, NodeId, NodeId),
}

/// All expressions of a space.
#[derive(Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    known: FxHashMap<Key, NodeId>,
}

impl Tree {
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(crate) fn node(&self, id: NodeId) -> Node {
        self.nodes[id.0 as usize]
    }

    fn add(&mut self, key: Key, node: Node) -> NodeId {
        *self.known.entry(key).or_insert_with(|| {
            self.nodes.push(node);
            NodeId(self.nodes.len() as u32 - 1)
        })
    }

    pub(crate) fn constant(&mut self, value: Scalar) -> NodeId {
        let key = match value {
            Scalar::Int(value) => Key::Int(value),
            Scalar::Float(value) => Key::Float(value.to_bits()),
            Scalar::Text(text) => Key::Text(text),
            Scalar::Undefined => Key::Undefined,
        };
        self.add(key, Node::Constant(value))
    }

    pub(crate) fn parameter(&mut self, parameter: u16) -> NodeId {
        self.add(Key::Parameter(parameter), Node::Parameter(parameter))
    }

    pub(crate) fn apply(&mut self, op: Op, a: NodeId, b: NodeId) -> NodeId {
        if let (Node::Constant(a), Node::Constant(b)) = (self.node(a), self.node(b)) {
            return self.constant(op.apply(a, b));
        }
        self.add(Key::Apply(op, a, b), Node::Apply(op, a, b))
    }

    pub(crate) fn one(&mut self, op: Op, a: NodeId) -> NodeId {
        self.apply(op, a, a)
    }

    pub(crate) fn select(&mut self, condition: NodeId, yes: NodeId, no: NodeId) -> NodeId {
        // Constant conditions must become constants here, since plans evaluate nothing before the first
        // parameter.
        if let Node::Constant(value) = self.node(condition) {
            return match value {
                Scalar::Undefined => condition,
                value if value.is_true() => yes,
                _ => no,
            };
        }
        self.add(Key::Select(condition, yes, no), Node::Select(condition, yes, no))
    }

    /// The conjuncts of a condition.
    pub(crate) fn conjuncts(&self, root: NodeId) -> Vec<NodeId> {
        let (mut left, mut found) = (vec![root], Vec::new());
        while let Some(id) = left.pop() {
            match self.node(id) {
                Node::Apply(Op::And, a, b) => left.extend([b, a]),
                _ => found.push(id),
            }
        }
        found
    }

    /// The nodes of an expression, children before parents.
    pub(crate) fn within(&self, roots: &[NodeId]) -> Vec<NodeId> {
        let mut is_inside = vec![false; self.nodes.len()];
        let mut left = roots.to_vec();
        while let Some(id) = left.pop() {
            if std::mem::replace(&mut is_inside[id.0 as usize], true) {
                continue;
            }
            match self.node(id) {
                Node::Constant(_) | Node::Parameter(_) => {}
                Node::Apply(_, a, b) => left.extend([a, b]),
                Node::Select(c, a, b) => left.extend([c, a, b]),
            }
        }
        (0..self.nodes.len()).filter(|i| is_inside[*i]).map(|i| NodeId(i as u32)).collect()
    }

    /// The parameters of an expression, in the order of their numbers.
    pub(crate) fn parameters(&self, root: NodeId) -> Vec<u16> {
        let nodes = self.within(&[root]);
        let mut found: Vec<u16> = nodes
            .into_iter()
            .filter_map(|id| match self.node(id) {
                Node::Parameter(parameter) => Some(parameter),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// The value of a node whose operands are in `values`.
    pub(crate) fn value(node: Node, values: &[Scalar], parameter: impl Fn(u16) -> Scalar) -> Scalar {
        let get = |id: NodeId| values[id.0 as usize];
        match node {
            Node::Constant(value) => value,
            Node::Parameter(number) => parameter(number),
            Node::Apply(op, a, b) => op.apply(get(a), get(b)),
            Node::Select(condition, yes, no) => match get(condition) {
                Scalar::Undefined => Scalar::Undefined,
                condition if condition.is_true() => get(yes),
                _ => get(no),
            },
        }
    }

    /// The bounds of an operation whose operands are bounded by `bounds`.
    pub(crate) fn bounds(node: Node, bounds: impl Fn(NodeId) -> Interval) -> Interval {
        match node {
            Node::Constant(value) => Interval::of(value),
            Node::Parameter(_) => Interval::ANYTHING,
            Node::Apply(op, a, b) => Interval::apply(op, bounds(a), bounds(b)),
            Node::Select(condition, yes, no) => match bounds(condition) {
                condition if condition.is_false() => bounds(no),
                _ => bounds(yes).hull(bounds(no)),
            },
        }
    }
}
