//! Which statements end in front of what follows them.

use super::fields::Fields;
use crate::classes::Kind;
use rustc_hash::FxHashMap;
use volvelle_trees::{NodeId, Slot, Tree};

/// Of each statement, whether what stands behind it is reached.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    completes: Vec<bool>,
}

impl Ends {
    pub(crate) fn new(fields: &Fields, tree: &Tree) -> Self {
        let mut jumps: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
        for node in tree.nodes() {
            let is = |kind: Kind| tree.class(node) == kind.id();
            if (is(Kind::Break) || is(Kind::Continue))
                && let Some(mut target) = target(fields, tree, node)
            {
                while is(Kind::Continue)
                    && tree.class(target) == Kind::Labelled.id()
                    && let Slot::Node(body) = fields.field(tree, target, "body")
                {
                    target = body;
                }
                jumps.entry(target).or_default().push(node);
            }
        }
        let mut ends = Ends { completes: vec![true; tree.len()] };
        // Statements come behind those in them.
        for node in tree.nodes() {
            let all = jumps.get(&node).map_or(&[][..], Vec::as_slice);
            let arrives = |kind: Kind| {
                let mut own = all.iter().filter(|&&jump| tree.class(jump) == kind.id());
                own.any(|&jump| ends.arrives(fields, tree, jump, node))
            };
            let (is_broken, is_continued) = (arrives(Kind::Break), arrives(Kind::Continue));
            let completes = ends.completes(fields, tree, node, is_broken, is_continued);
            ends.completes[node.index()] = completes;
        }
        ends
    }

    /// Whether a jump arrives at its target: no `finally` between them ends otherwise.
    fn arrives(&self, fields: &Fields, tree: &Tree, jump: NodeId, target: NodeId) -> bool {
        let mut at = jump;
        while let Some(parent) = tree.parent(at)
            && at != target
        {
            if tree.class(parent) == Kind::Try.id()
                && let Slot::Node(finalizer) = fields.field(tree, parent, "finalizer")
                && finalizer != at
                && !self.completes[finalizer.index()]
            {
                return false;
            }
            at = parent;
        }
        true
    }

    /// Whether what stands behind a statement is reached.
    pub(crate) fn is_passed(&self, statement: NodeId) -> bool {
        self.completes[statement.index()]
    }

    fn completes(
        &self,
        fields: &Fields,
        tree: &Tree,
        node: NodeId,
        is_broken: bool,
        is_continued: bool,
    ) -> bool {
        let class = tree.class(node);
        let is = |kind: Kind| class == kind.id();
        let slot = |name: &str| fields.field(tree, node, name);
        let passes = |slot: Slot| match slot {
            Slot::Node(inner) => self.completes[inner.index()],
            _ => true,
        };
        let all = |slot: Slot| match slot {
            Slot::List(list) => tree.items(list).iter().all(|item| passes(item.slot)),
            _ => true,
        };
        if is(Kind::Return) || is(Kind::Throw) || is(Kind::Break) || is(Kind::Continue) {
            false
        } else if is(Kind::Block) || is(Kind::CaseClause) || is(Kind::DefaultClause) {
            all(slot("statements"))
        } else if is(Kind::If) {
            slot("otherwise") == Slot::Nothing || passes(slot("then")) || passes(slot("otherwise"))
        } else if is(Kind::While) {
            !is_true(fields, tree, slot("condition")) || is_broken
        } else if is(Kind::For) {
            !(slot("condition") == Slot::Nothing || is_true(fields, tree, slot("condition"))) || is_broken
        } else if is(Kind::Do) {
            (passes(slot("body")) || is_continued) && !is_true(fields, tree, slot("condition")) || is_broken
        } else if is(Kind::Switch) {
            let Slot::List(clauses) = slot("clauses") else { return true };
            let clauses = tree.items(clauses);
            let is_default = |item: &volvelle_trees::Placed| match item.slot {
                Slot::Node(clause) => tree.class(clause) == Kind::DefaultClause.id(),
                _ => false,
            };
            is_broken
                || !clauses.iter().any(is_default)
                || clauses.last().is_none_or(|last| passes(last.slot))
        } else if is(Kind::Try) {
            let handled = match slot("handler") {
                Slot::Node(handler) => passes(fields.field(tree, handler, "body")),
                _ => false,
            };
            (passes(slot("block")) || handled) && passes(slot("finalizer"))
        } else if is(Kind::Labelled) {
            is_broken || passes(slot("body"))
        } else if is(Kind::With) {
            passes(slot("body"))
        } else {
            true
        }
    }
}

fn is_true(fields: &Fields, tree: &Tree, slot: Slot) -> bool {
    match slot {
        Slot::Node(node) if tree.class(node) == Kind::BooleanLiteral.id() => {
            fields.field(tree, node, "value") == Slot::Flag(true)
        }
        Slot::Node(node) if tree.class(node) == Kind::Paren.id() => {
            is_true(fields, tree, fields.field(tree, node, "expression"))
        }
        _ => false,
    }
}

/// The statement that `break` leaves, or that `continue` goes on with: a loop, or what has its label.
pub(crate) fn target(fields: &Fields, tree: &Tree, node: NodeId) -> Option<NodeId> {
    let label = fields.field(tree, node, "label");
    let mut at = node;
    while let Some(parent) = tree.parent(at) {
        let is = |kind: Kind| fields.is(tree, parent, kind);
        if is(Kind::FunctionLike) {
            return None;
        }
        let found = match label {
            Slot::Nothing => is(Kind::Loop) || is(Kind::Switch) && tree.class(node) == Kind::Break.id(),
            label => is(Kind::Labelled) && fields.field(tree, parent, "label") == label,
        };
        if found {
            return Some(parent);
        }
        at = parent;
    }
    None
}
