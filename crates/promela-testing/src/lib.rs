//! Random models, as trees, and comparison of trees: for tests and fuzzers.
//!
//! Every sequence of choices gives a tree that the printer turns into text which parses to an equal tree. Names are
//! not declared and types do not fit: these are models for the parser only.

mod choices;
mod contests;
mod expression;
mod model;
mod program;
mod shape;
mod statement;

pub use choices::Choices;
pub use contests::{Contest, random_contest};
pub use model::random_tree;
pub use program::{Features, random_program, random_program_with};
pub use shape::shape;
