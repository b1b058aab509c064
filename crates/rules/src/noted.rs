//! What was noted while checks were made: results for nodes, what of a system was applied, derivations.

use crate::derived::Derivation;
use crate::machine::{Applied, Machine};
use crate::value::Value;
use crate::watch::Watched;
use std::cmp::Reverse;
use volvelle_diagnostics::Span;
use volvelle_trees::NodeId;

/// What was noted while checks were made.
#[derive(Clone, Debug, Default)]
pub struct Noted {
    /// Rules and alternatives that were applied.
    pub applied: Applied,
    /// Nodes with the results of the judgment that was watched, in the order of the text.
    pub types: Vec<Typed>,
    /// How what was asked came to hold.
    pub derivation: Option<Derivation>,
}

/// A node with a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The node.
    pub span: Span,
    /// The result.
    pub ty: String,
}

/// A rule, the body of a function, or a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Where that stands, or the alternative.
    pub span: Span,
    /// The number of an alternative of its `or`s, from 1.
    pub alternative: Option<usize>,
    /// Whether it was applied.
    pub is_applied: bool,
}

/// What was noted, with texts of results. Nodes in the order of the text, those around others first.
pub(crate) fn noted(machine: &mut Machine<'_>) -> Noted {
    let Some(watched) = machine.watched.take() else { return Noted::default() };
    let Watched { applied, noted, .. } = *watched;
    let mut nodes: Vec<(NodeId, Value)> = noted.into_iter().collect();
    let tree = machine.tree;
    nodes.sort_by_key(|&(node, _)| {
        let span = tree.span(node);
        (span.start, Reverse(span.end), node)
    });
    let types = nodes
        .into_iter()
        .map(|(node, value)| Typed { span: tree.span(node), ty: machine.show_value(value) })
        .collect();
    Noted { applied: applied.unwrap_or_default(), types, derivation: None }
}
