//! Labelled transition systems: generating them, reducing and comparing them, and writing them to files.
//!
//! [`reduce`] gives the smallest system that is equivalent to one, [`compare`] says whether two are equivalent and what tells them apart,
//! [`relabel`] renames and hides labels, [`of_space`] makes a system of an explored state space, [`compose`] makes one of a network of
//! systems, which [`parse_network`] reads.
//!
//! Of processes: a table of the states of processes ([`volvelle_explore::Tabulated`]), and a function that labels its steps, give the
//! labelled transition system, also as an explicit model and as a picture (`.dot`); the transitions that some run takes; the
//! locations of the processes of a state. Knows no language, opens no files, prints nothing.

mod compare;
mod coverage;
mod dice;
mod draw;
mod generate;
mod network;
mod of_space;
mod positions;
mod reduce;
mod relabel;
mod step;
mod system;
mod write;

pub use compare::{Comparison, DistinguishingTrace, Formula, compare};
pub use coverage::{Covered, coverage};
pub use dice::Dice;
pub use draw::draw;
pub use generate::{StepLabel, labelled};
pub use network::{
    Composed, Composition, Gate, IdleGate, Network, NetworkError, NetworkText, NetworkToken, Node, NodeId,
    Product, Strategy, SyncVector, Together, compose, parse_network,
};
pub use of_space::{NoSystem, of_space};
pub use positions::{live, position, positions};
pub use reduce::{BadWeight, ReduceError, ReduceOptions, Reduced, Relation, reduce};
pub use relabel::relabel;
pub use step::ProcessStep;
pub use system::LabelledStates;
pub use write::write_dot;
