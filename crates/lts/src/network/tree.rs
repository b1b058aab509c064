//! Networks: trees of operators over systems.

use crate::reduce::ReduceOptions;
use volvelle_labels::{Hiding, Renaming};

/// A network: operators, operands before them; the last one is the whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// The nodes of the tree. None but the last may lack an operator above it, and none may have two.
    pub nodes: Vec<Node>,
}

/// The number of a node of a [`Network`].
pub type NodeId = usize;

/// An operator of a network, or a system.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A system, by its number among those that are given.
    Leaf(usize),
    /// Parallel composition. The internal action of an operand is always a step of its own, and so are rates and probabilities without
    /// an action.
    Parallel {
        /// What runs in parallel; at least one.
        operands: Vec<NodeId>,
        /// What they do together.
        together: Together,
    },
    /// Labels become internal. Rates stay, without their actions.
    Hide {
        /// The operand.
        of: NodeId,
        /// Which labels.
        hiding: Hiding,
    },
    /// Labels become others, by the first rule that matches.
    Rename {
        /// The operand.
        of: NodeId,
        /// The rules.
        rules: Vec<Renaming>,
    },
    /// The operand is reduced.
    Reduce {
        /// The operand.
        of: NodeId,
        /// The equivalence.
        options: ReduceOptions,
        /// What is reduced before the whole.
        strategy: Strategy,
    },
}

/// What operands of a parallel composition do together.
#[derive(Clone, Debug, PartialEq)]
pub enum Together {
    /// Every label (`||` of LOTOS).
    All,
    /// Labels of these gates, and those of gate `exit` (ISO 8807: operands end together). Labels have to agree, values included.
    Gates(Vec<Gate>),
    /// What the vectors say, and nothing else.
    Vectors {
        /// The vectors.
        vectors: Vec<SyncVector>,
        /// Whether their labels are gates, whose values have to agree and stay in the result.
        by_gate: bool,
    },
}

/// A gate on which operands synchronise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// A gate, or a whole label.
    pub text: String,
    /// The operands that take part, by their places, in ascending order.
    pub operands: Vec<usize>,
}

/// A vector: what each operand does, and the label of it all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncVector {
    /// A label or gate for each operand; `None`: it takes no part.
    pub parts: Vec<Option<String>>,
    /// The label or gate of the step; `i` is the internal action.
    pub result: String,
}

/// What is reduced before the whole is.
///
/// The relations are congruences for networks in which the internal action is always a step of its own: strong, branching, divergence-preserving
/// branching and weak bisimulation by Crouzen and Lang (*Smart Reduction*, FASE 2011, doi:10.1007/978-3-642-19811-3_9), stochastic ones by
/// Hermanns (2002, doi:10.1007/3-540-45804-2) for rates, which are never synchronised (parts with endless internal activity, which that
/// proof leaves out, are reduced by strong bisimulation). So all strategies give equivalent systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// Nothing: the whole is generated, then reduced.
    Root,
    /// Every system; then the whole is generated.
    Leaf,
    /// Every system and every parallel composition, as the text has them.
    Node,
    /// Every system, then pairs of them, those first of whose product most can be hidden.
    Smart,
}

impl Strategy {
    /// Its name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Root => "root",
            Strategy::Leaf => "leaf",
            Strategy::Node => "node",
            Strategy::Smart => "smart",
        }
    }
}
