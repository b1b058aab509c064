//! Analyses of weighted Kripke structures: weighted CTL, weighted branching relations, and distances.
//!
//! In: a structure ([`volvelle_space::WeightedStructure`]), or a system that is generated on the fly
//! ([`System`]); with a formula ([`volvelle_logic::WctlFormula`]) or two states. Out: a verdict, a partition,
//! a preorder or a rational number; with a path, a formula or a strategy that explains it. Weights are
//! integers, as multiples of the structure's unit. No language is visible here.

pub mod bisimulation;
pub mod distance;
mod game;
pub mod parametric;
pub mod paths;
mod simulation;
mod system;
pub mod wctl;
mod window;

pub use simulation::{
    Attack, Defence, Defended, Preorder, Reason, Refuted, Verdict, refuted, related, simulation,
    simulation_within,
};
pub use system::{Failure, System, Valued};
pub use window::Window;
