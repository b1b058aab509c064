//! Tasks of a stream of instructions: their prediction, caches, and the cycles that a multicore takes.

mod predictors;
mod text;
mod machine { pub const MOST_CORES: usize = 64; }

pub use predictors::{
    CorrectedShape, HashedShape, Kind, PerceptronShape, Predictor, Specification, TageShape, TargetKind,
    TargetPredictor, read as read_predictor,
};
pub use text::{Access, Form, Outcome, TextTrace, accesses, outcomes, unknown_form};
