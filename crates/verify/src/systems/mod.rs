//! Models as labelled transition systems: reduced, compared, and checked.

mod build;
mod compare;
mod formulas;
mod labels;
mod network;
mod part;
mod reduce;

pub use compare::{CompareReport, compare_systems};
pub use formulas::{AskedFormula, FormulaReport, FormulaVerdict, FormulasReport, SystemPart};
pub use labels::Relabelling;
pub use reduce::{ReduceReport, SystemSize, reduce_system};
