//! Random small models, as text: for differential tests and fuzzers (feature `testing`).
//!
//! Every sequence of choices gives a model that parses and lowers without errors (warnings may occur). Its
//! guards, probabilities and rewards do not fail; assignments mostly stay in range, now and then they leave it
//! or overflow, so that failures are compared too. Seen: all kinds, constants that depend on each other,
//! formulas that use formulas, globals, synchronisation, copies of modules (and copies of copies) with renamed
//! actions and constants, compositions with hiding and renaming, mixed int and double expressions, labels,
//! rewards, several initial states.

mod choices;
mod expression;
mod model;
mod symmetric;

pub use choices::Choices;
pub use model::random_model;
pub use symmetric::symmetric_model;
