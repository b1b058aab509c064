//! The front end of weighted systems: weighted Kripke structures and weighted CCS as texts, and formulas of weighted CTL.
//!
//! Text goes in; a structure ([`volvelle_space::WeightedStructure`]), an unfolding of terms, or a formula
//! ([`volvelle_logic::WctlFormula`]) and diagnostics with places come out. No engine is visible here.

pub mod lexical;
pub mod structure;
pub mod wccs;
pub mod wctl;
