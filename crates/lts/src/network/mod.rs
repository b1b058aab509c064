//! Networks of labelled transition systems: composed in parallel, hidden, renamed, and reduced on the way.
//!
//! A network is a tree of operators over systems. It is flattened into synchronisation vectors over its members (Lang, *EXP.OPEN 2.0*,
//! IFM 2005, doi:10.1007/11589976_6): a vector says which members take which labels together, and the label of the step. Composition and
//! reduction of some of the members then is an operation on vectors, whatever the tree was.

mod composed;
mod flat;
mod parse;
mod product;
mod smart;
mod states;
mod tree;
mod work;

pub use composed::{Composed, IdleGate, NetworkError, Product};

pub use tree::{Gate, Network, Node, NodeId, Strategy, SyncVector, Together};

pub use parse::{NetworkText, NetworkToken, parse_network};

use flat::Flat;
use volvelle_control::Control;
use volvelle_labels::Renaming;
use volvelle_space::{Labels, Lts};

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
