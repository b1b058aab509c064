//! The commands: arguments in, exit code out.

pub mod bench;
pub mod calibrate;
pub mod campaign;
pub mod check;
pub mod completions;
pub mod devices;
mod distribution;
mod experiment;
pub mod explain;
mod explicit;
pub mod explore;
mod export;
mod find;
mod found;
pub mod info;
pub mod lint;
mod lts;
pub mod man;
pub mod mpi;
pub mod multicore;
pub mod nbody;
mod page;
pub mod performance;
mod plot;
pub mod run;
mod scheduler;
mod search;
pub mod simulate;
pub mod systems;
pub mod trace;
pub mod tune;
pub mod weighted;

use volvelle_console::opening::{Opening, choices, control, open, settings};
pub use volvelle_console::refusal::refuse;
use volvelle_console::refusal::{code_of, finish, refuse_in, refused_targets};
