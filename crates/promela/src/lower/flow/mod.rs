//! The control flow of a process: statements as nodes, before code is made of them.
//!
//! Control locations are the same as in SPIN, so that both count the same states: `goto`, `break` and the end of `if` and
//! `do` are followed immediately, except as the first statement of an alternative or block, or under a label with a
//! meaning (`end`, `accept`, `progress`, or one that a remote reference names).

mod doubts;
mod escapes;
mod making;

pub(super) use escapes::First;
pub(super) use making::flow;

use super::symbols::{Scope, VarId};
use crate::ast::{self, ExprKind, Place, Sequence, Statement};
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;
use std::rc::Rc;
use volvelle_kernel::{EntityMap, EntityVec, entity};

entity!(
    /// A node of the control flow.
    pub(super) NodeId
);

/// The action of a node.
#[derive(Clone, Debug)]
pub(super) enum Work<'a> {
    Statement(&'a Statement),
    /// A step that does nothing: a `goto` that is one.
    Skip,
    Else,
    /// `variable = value`
    Assign(ast::ExprId, ast::ExprId),
    /// `variable = constant`
    AssignConstant(ast::ExprId, i64),
    /// `variable = variable + 1`
    Increment(ast::ExprId),
    /// `variable <= value`
    AtMost(ast::ExprId, ast::ExprId),
    /// `variable <= constant`
    AtMostConstant(ast::ExprId, i64),
    /// `variable < value`
    Below(ast::ExprId, ast::ExprId),
    /// The initial value of a variable that is declared after a statement.
    Declare(VarId),
    /// The loop over a channel: begin, test, receive the first message, send it again behind the others, count.
    ChannelBegin(Place),
    ChannelTest(Place, ast::ExprId),
    ChannelReceive(ast::ExprId, ast::ExprId),
    ChannelSend(ast::ExprId, ast::ExprId),
    ChannelNext(Place),
    /// `d_step`: from its first node to the node after it.
    DStep(NodeId),
}

#[derive(Clone, Debug)]
pub(super) enum Kind<'a> {
    Basic {
        work: Work<'a>,
        scope: Rc<Scope>,
        next: NodeId,
    },
    Choice(Vec<NodeId>),
    /// Followed immediately.
    Jump(NodeId),
    /// A block, entered at its first statement. A process that comes here stays here.
    Into(NodeId),
    /// The main sequence of `unless`: the same, but a process that comes here is at its first statement.
    Guarded(NodeId),
    /// The end of the process.
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    pub kind: Kind<'a>,
    pub is_end: bool,
    pub is_accepting: bool,
    pub is_progress: bool,
    /// Some expression observes whether a process is here.
    pub is_observed: bool,
    /// Inside an `atomic`.
    pub atomic: bool,
    /// Inside this `d_step`.
    pub d_step: Option<u32>,
    /// Escapes, outermost first.
    pub escapes: Rc<Vec<NodeId>>,
    /// It is the whole of the main side of an `unless`, without a block: SPIN numbers it behind the escape.
    pub is_behind_its_escape: bool,
    pub place: Place,
}

impl Node<'_> {
    /// Whether it has a label that makes it a location.
    pub fn is_labelled(&self) -> bool {
        self.is_end || self.is_accepting || self.is_progress || self.is_observed
    }
}

/// The control flow of one process.
#[derive(Clone, Debug)]
pub(super) struct Flow<'a> {
    pub nodes: EntityVec<NodeId, Node<'a>>,
    pub entry: NodeId,
    /// The node of each label; of one that an inline brings with every call, the first.
    pub labels: FxHashMap<String, NodeId>,
}

/// Choices of a `select` from which on SPIN counts instead, so that a state has two successors at a time.
const MANY_CHOICES: i64 = 33;

/// The choices of a `select` that are a step each. SPIN makes them where the bounds are numbers, not other expressions, and
/// not in an `inline`.
pub(super) fn constant_choices(
    model: &ast::Model,
    place: Place,
    from: ast::ExprId,
    to: ast::ExprId,
) -> Option<RangeInclusive<i64>> {
    let (a, b) = (number(model, from)?, number(model, to)?);
    (a <= b && b - a < MANY_CHOICES && !in_inline(model, place)).then_some(a..=b)
}

fn number(model: &ast::Model, e: ast::ExprId) -> Option<i64> {
    match model.exprs.get(e).kind {
        ExprKind::Number(n) => Some(i64::from(n as i32)),
        _ => None,
    }
}

fn in_inline(model: &ast::Model, place: Place) -> bool {
    model.definitions.inlines.contain(model.places.span(place))
}

/// The statement that is the main side of an `unless`, where no block is around it.
pub(super) fn bare_main<'a>(
    model: &ast::Model,
    whole: &Statement,
    main: &'a Sequence,
) -> Option<&'a Statement> {
    // A block begins before its first statement, which begins where the construct does if there is no block.
    let begin = |place: Place| {
        let info = model.places.get(place);
        (info.through, info.span.file, info.span.start)
    };
    match main.statements.as_slice() {
        [only] if begin(only.place) == begin(whole.place) => Some(only),
        _ => None,
    }
}

impl Flow<'_> {
    /// Places of the statements that are not reachable from the entry.
    pub fn unreachable(&self) -> Vec<Place> {
        let mut reached: EntityMap<NodeId, bool> = EntityMap::default();
        let mut stack = vec![self.entry];
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut reached[node], true) {
                continue;
            }
            let node = self.get(node);
            stack.extend(node.escapes.iter().copied());
            match &node.kind {
                Kind::Basic { work: Work::DStep(first), next, .. } => stack.extend([*first, *next]),
                Kind::Basic { next, .. } | Kind::Jump(next) => stack.push(*next),
                Kind::Choice(options) => stack.extend(options.iter().copied()),
                Kind::Into(first) | Kind::Guarded(first) => stack.push(*first),
                Kind::End => {}
            }
        }
        let statements = self.nodes.iter().filter(|(id, node)| {
            let is_statement = !matches!(node.kind, Kind::Basic { work: Work::Skip | Work::Else, .. });
            !reached[*id] && is_statement && matches!(node.kind, Kind::Basic { .. })
        });
        statements.map(|(_, node)| node.place).collect()
    }

    pub fn get(&self, node: NodeId) -> &Node<'_> {
        &self.nodes[node]
    }

    /// The location of a process that moves on to `node`: jumps are followed.
    pub fn resolve(&self, node: NodeId) -> NodeId {
        let mut at = node;
        // A chain of jumps longer than the number of nodes is a cycle: `L: goto L`.
        for _ in 0..=self.nodes.len() {
            let node = self.get(at);
            match node.kind {
                Kind::Jump(target) | Kind::Guarded(target) if !node.is_labelled() => at = target,
                _ => return at,
            }
        }
        at
    }
}
