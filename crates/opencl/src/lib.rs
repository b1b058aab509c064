//! OpenCL C kernels as abstract models of their execution: text and a platform in, a model and its time out.
//!
//! [`problem()`] reads the text of a kernel with its launch description ([`launch`]) and makes it a [`Kernel`]: loops, conditions,
//! barriers and the work between them, as expressions over parameters and ids of work-items ([`expression`]). [`Model::new`] puts
//! it on a [`Platform`]. [`compose::time`] gives the exact time of a configuration, [`emit::promela`] the same model as text for
//! model checkers, [`features::features`] and [`tally::tally`] the counts from which nanoseconds are predicted ([`nanoseconds`]).
//!
//! tree-sitter parses the text with its grammar of C, after the additions of OpenCL to C were blanked out.
//! The crate depends on `volvelle-diagnostics` only: it knows neither Promela nor engines, and does no input
//! or output. It rejects what it cannot abstract, with the place and a way out.
//!
//! After N. Garanina, S. Staroletov and S. Gorlatch, *Auto-Tuning High-Performance Programs Using Model Checking in Promela*.

mod classes;
pub mod compose;
mod difference;
pub mod emit;
pub mod expression;
pub mod features;
pub mod kernel;
pub mod launch;
mod lower;
pub mod model;
pub mod platform;
pub mod problem;
pub mod processor;
pub mod shape;
pub mod table;
pub mod tally;
mod text;

pub use features::nanoseconds;
pub use kernel::Kernel;
pub use lower::{Launched, Request, read};
pub use model::Model;

pub use platform::Platform;
pub use problem::{Problem, Question, problem};
