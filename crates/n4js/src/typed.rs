//! Which nodes of a program have types that are shown, and where.

use crate::classes::Kind;
use volvelle_diagnostics::Span;
use volvelle_rules::system::{Loaded, Program};
use volvelle_trees::{NodeId, Slot};

/// The judgment that gives their types.
pub const JUDGMENT: &str = "typed";

/// Expressions, by all of their text; declarations, by their names; functions and methods by all of their text, too. Nodes of the
/// library are left out.
pub fn nodes(loaded: &Loaded, program: &Program) -> Vec<(NodeId, Span)> {
    let (classes, tree) = (loaded.language.classes(), &program.tree);
    let Some(name) = classes.find_field("name") else { return Vec::new() };
    let mut all = Vec::new();
    for node in tree.nodes().skip(program.first.index()) {
        let class = tree.class(node);
        let is = |kind: Kind| classes.is_kind(class, kind.id());
        let is_declared = is(Kind::Declarable);
        if is_declared
            && tree.field(classes, node, name) != Slot::Nothing
            && let Some(place) = classes.place(class, name)
        {
            all.push((node, tree.slot_span(node, place)));
        }
        if is(Kind::Expression) || is_declared && is(Kind::FunctionLike) {
            all.push((node, tree.span(node)));
        }
    }
    all
}
