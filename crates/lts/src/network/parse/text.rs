//! The text of a network with its places.

use super::super::{Network, NodeId};
use volvelle_diagnostics::Span;

/// A network with the places of its parts in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkText {
    /// The network. Its leaves are `files`, by their places.
    pub network: Network,
    /// The files that it names, each once, with the first place where it does.
    pub files: Vec<(String, Span)>,
    /// Where the nodes begin.
    pub(super) places: Vec<Span>,
    /// Where parallel compositions name gates and labels.
    pub(super) gates: Vec<(NodeId, String, Span)>,
}
