//! The best configuration: of a model of processes, proven by search (`proving`), or of a kernel, measured ([`measuring`]).

pub mod json;
pub mod measuring;
mod proving;

pub use proving::{TuneMethod, TuneQuestion, TuneReport, TuneSettings, tune};
