//! The commands: arguments in, exit code out.

pub mod campaign;
pub mod check;
pub mod completions;
pub mod devices;
mod distribution;
mod experiment;
pub mod explain;
mod explicit;
pub mod explore;
mod find;
mod found;
pub mod info;
mod lts;
pub mod man;
mod scheduler;
mod search;
pub mod simulate;
pub mod systems;
pub mod weighted;

use volvelle_console::opening::control;
use volvelle_console::refusal::code_of;
pub use volvelle_console::refusal::refuse;
