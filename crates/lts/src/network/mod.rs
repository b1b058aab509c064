//! Networks of labelled transition systems: composed in parallel, hidden, renamed, and reduced on the way.
//!
//! A network is a tree of operators over systems. It is flattened into synchronisation vectors over its members (Lang, *EXP.OPEN 2.0*,
//! IFM 2005, doi:10.1007/11589976_6): a vector says which members take which labels together, and the label of the step. Composition and
//! reduction of some of the members then is an operation on vectors, whatever the tree was.

mod flat;
mod parse;
mod product;
mod smart;
mod states;
mod work;

pub use parse::{NetworkText, parse_network};

use crate::reduce::{ReduceError, ReduceOptions};
use flat::Flat;
use volvelle_control::{Control, Stop};
use volvelle_labels::{Hiding, Renaming};
use volvelle_space::{Labels, Lts};

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

/// The system of a network.
#[derive(Clone, Debug)]
pub struct Composed {
    /// The system.
    pub lts: Lts,
    /// How many of its states are expanded: the others, which have greater numbers, are known and have no transitions here.
    pub expanded: usize,
    /// Products in the order in which they were generated; those of a single member are left out.
    pub products: Vec<Product>,
    /// Gates on which an operand never acts.
    pub idle: Vec<IdleGate>,
}

/// A product on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// How many systems were put together.
    pub members: usize,
    /// States of the product.
    pub states: usize,
    /// Transitions of the product.
    pub transitions: usize,
    /// States after reduction; the same where there was none.
    pub reduced: usize,
}

/// A gate on which an operand never acts, although it has to take part in what happens there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleGate {
    /// The parallel composition.
    pub node: NodeId,
    /// The gate, or the label of a vector.
    pub gate: String,
    /// The operand, by its place.
    pub operand: usize,
    /// Whether all others that have to take part do act on it: it is blocked, and not only unknown.
    pub blocks: bool,
}

/// Why a network has no system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// A limit was reached, or the user stopped; or a rate or probability cannot be used.
    Reduce(ReduceError),
    /// A label with a rate or probability would be synchronised, for which there is no meaning that all agree on.
    Weighted {
        /// The parallel composition.
        node: NodeId,
        /// The gate or label of it that matches, empty for all.
        gate: String,
        /// The label.
        label: String,
    },
    /// There are more states, transitions or vectors than 32-bit numbers count.
    TooLarge,
}

impl From<Stop> for NetworkError {
    fn from(stop: Stop) -> Self {
        NetworkError::Reduce(stop.into())
    }
}

/// Makes the system of a network out of the systems of its leaves.
///
/// # Errors
/// See [`NetworkError`].
///
/// # Panics
/// The network is not a tree as [`Network`] describes it, or names a leaf that is not there.
pub fn compose(network: &Network, leaves: &[Lts], control: &Control<'_>) -> Result<Composed, NetworkError> {
    Composition::new(network, leaves, control)?.generate(usize::MAX, control)
}

/// A network before its last product: what its text reduces is reduced.
#[derive(Clone, Debug)]
pub struct Composition {
    whole: Flat,
    results: Labels,
    products: Vec<Product>,
    idle: Vec<IdleGate>,
}

impl Composition {
    /// Does everything but the last product.
    ///
    /// # Errors
    /// See [`NetworkError`].
    ///
    /// # Panics
    /// The network is not a tree as [`Network`] describes it, or names a leaf that is not there.
    pub fn new(network: &Network, leaves: &[Lts], control: &Control<'_>) -> Result<Self, NetworkError> {
        let mut results = Labels::new();
        let (mut products, mut idle) = (Vec::new(), Vec::new());
        let mut done: Vec<Option<Flat>> = Vec::with_capacity(network.nodes.len());
        for (id, node) in network.nodes.iter().enumerate() {
            control.check()?;
            let mut take = |of: NodeId| done[of].take().expect("operands come first, and have one operator");
            let flat = match node {
                Node::Leaf(leaf) => Flat::of(leaves[*leaf].clone(), &mut results),
                Node::Parallel { operands, together } => {
                    let operands = operands.iter().map(|&operand| take(operand)).collect();
                    flat::parallel(id, operands, together, &mut results, &mut idle)?
                }
                Node::Hide { of, hiding } => take(*of).relabelled(&mut results, |text| hiding.apply(text)),
                Node::Rename { of, rules } => {
                    take(*of).relabelled(&mut results, |text| Renaming::first(rules, text))
                }
                Node::Reduce { of, options, strategy } => {
                    let flat = take(*of);
                    let lts = work::reduced(flat, *options, *strategy, &mut results, &mut products, control)?;
                    Flat::of(lts, &mut results)
                }
            };
            done.push(Some(flat));
        }
        let whole = done.pop().flatten().expect("a network has a root");
        Ok(Composition { whole, results, products, idle })
    }

    /// Generates the system breadth first. Once more states than `enough` are known, no more of them are expanded.
    ///
    /// # Errors
    /// See [`NetworkError`].
    pub fn generate(self, enough: usize, control: &Control<'_>) -> Result<Composed, NetworkError> {
        let Composition { whole, mut results, mut products, idle } = self;
        let (lts, expanded) = work::generated(whole, enough, &mut results, &mut products, control)?;
        Ok(Composed { lts, expanded, products, idle })
    }
}
