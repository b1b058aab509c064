//! Estimation by simulation: paths are run until every property of a model has enough of them.
//!
//! In: a program, measures over its paths, and settings ([`Sampling`]). Out: for every property, the
//! statistics of its paths ([`PathStatistics`]), and the code that ran them.
//!
//! | module | subject |
//! |---|---|
//! | `settings` | methods, tiers and limits of an estimation |
//! | `stopping` | when a property has enough paths |
//! | `task` | the estimation of one property |
//! | `planner` | the code of the paths, for the measures that are wanted |
//! | `estimation` | all properties of a model, from the same paths |
//! | `course` | which paths are run, and which are read from a record |
//! | `validation` | a numerical value against paths |
//! | `splitting` | rare events: repetitions of importance splitting |
//! | `tiers` | code variants, and the adaptive selection among them |
//! | `devices` | the device pool: devices that run paths beside the threads |
//! | `ranks` | processes of a network that run the paths of one estimation together |
//! | `qualitative` | states that decide a measure almost surely, for the early termination of paths |
//!
//! Path `n` of a seed is the same whatever code runs it, and the paths of a property do not depend on what
//! else is estimated. This crate knows neither languages nor texts: it returns values and typed errors.

pub mod course;
pub mod devices;
pub mod estimation;
mod planner;
pub mod qualitative;
pub mod ranks;
pub mod settings;
pub mod splitting;
mod start;
pub mod stopping;
pub mod task;
pub mod tiers;
pub mod validation;

pub use course::Course;
pub use devices::DeviceFailure;
pub use estimation::{Estimation, EstimationOutcome};
pub use ranks::Ranks;
pub use settings::{DEFAULT_RARE_PATHS, DEFAULT_SAMPLES, DEFAULT_STEPS, PathTier, Sampling, SamplingMethod};
pub use start::with_initial_state;
pub use stopping::{StoppingRule, UnfitMethod};
pub use task::{EstimationTask, PathStatistics, PropertyStatus};
