//! Studies of programs on machines with coherent caches: what is true of them, how long messages take, and where the time goes.
//!
//! Every configuration of a study becomes two programs of the waist: one without time, in which everything is verified that may go
//! wrong (`functional`), and one with time, whose long run has the numbers (`timed`). Configurations that differ in latencies and distances
//! only have the same programs, which are explored once.

pub mod ask;
mod aut;
mod csv;
mod document;
mod explored;
mod functional;
pub mod json;
pub mod options;
mod performance;
mod problems;
mod report;
mod study;
mod timed;
mod wanted;

pub use aut::aut;
pub use csv::{accesses_csv, classes, configurations_csv};
pub use report::{
    AccessShare, ConfigurationReport, Influence, Performance, SimulatedTime, StudyReport, Sum, Verdict,
    VerdictStep, Verified, sums_by,
};
pub use study::Study;
pub use wanted::Wanted;
