//! Labelled transition systems: generating them from processes, and writing them to files.
//!
//! In: a table of the states of processes ([`volvelle_explore::Tabulated`]), and a function that labels its steps. Out: the
//! labelled transition system, also as an explicit model and as a picture (`.dot`); the transitions that some run takes; the
//! locations of the processes of a state. Knows no language, opens no files, prints nothing.

mod coverage;
mod dice;
mod generate;
mod positions;
mod reduce;
mod step;
mod system;
mod write;

pub use coverage::{Covered, coverage};
pub use dice::Dice;
pub use generate::{StepLabel, labelled};
pub use positions::{live, position, positions};
pub use reduce::{Reduced, Relation, reduce};
pub use step::ProcessStep;
pub use system::LabelledStates;
pub use write::write_dot;
