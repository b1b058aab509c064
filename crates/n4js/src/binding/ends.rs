//! Which statements end in front of what follows them.

use super::Fields;
use crate::classes::Kind;
use volvelle_trees::{NodeId, Slot, Tree};

/// Of each statement, whether what stands behind it is reached.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    completes: Vec<bool>,
}

impl Ends {
    pub(crate) fn new(fields: &Fields, tree: &Tree) -> Self {
        let mut broken = vec![false; tree.len()];
        for node in tree.nodes() {
            if tree.class(node) == Kind::Break.id()
                && let Some(target) = target(fields, tree, node)
            {
                broken[target.index()] = true;
            }
        }
        let mut ends = Ends { completes: vec![true; tree.len()] };
        // Statements come behind those in them.
        for node in tree.nodes() {
            let completes = ends.completes(fields, tree, node, broken[node.index()]);
            ends.completes[node.index()] = completes;
        }
        ends
    }

    /// Whether what stands behind a statement is reached.
    pub(crate) fn is_passed(&self, statement: NodeId) -> bool {
        self.completes[statement.index()]
    }

    fn completes(&self, fields: &Fields, tree: &Tree, node: NodeId, is_broken: bool) -> bool {
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
            passes(slot("body")) && !is_true(fields, tree, slot("condition")) || is_broken
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

/// The statement that `break` leaves.
pub(crate) fn target(fields: &Fields, tree: &Tree, node: NodeId) -> Option<NodeId> {
    let label = fields.field(tree, node, "label");
    let mut at = node;
    while let Some(parent) = tree.parent(at) {
        let is = |kind: Kind| fields.is(tree, parent, kind);
        if is(Kind::FunctionLike) {
            return None;
        }
        let found = match label {
            Slot::Nothing => is(Kind::Loop) || is(Kind::Switch),
            label => is(Kind::Labelled) && fields.field(tree, parent, "label") == label,
        };
        if found {
            return Some(parent);
        }
        at = parent;
    }
    None
}
