//! Models as labelled transition systems: reduced, compared, and checked.

mod ask;
mod build;
mod compare;
pub mod document;
mod formulas;
pub mod json;
mod labels;
mod lts;
mod movers;
mod network;
pub mod options;
mod part;
mod reduce;
pub mod stepping;
pub mod written;

pub use build::transition_system;
pub use compare::{CompareReport, compare_systems};
pub use formulas::{AskedFormula, FormulaReport, FormulaVerdict, FormulasReport, SystemPart, check_formulas};
pub use labels::Relabelling;
pub use lts::explore_processes;
pub use reduce::{ReduceReport, SystemSize, reduce_system};
