//! The best configuration: of a model of processes, proven by search (`proving`), or of a kernel, measured ([`measuring`]).

pub mod ask;
pub mod bench;
pub mod calibrate;
mod document;
pub mod json;
pub mod measuring;
pub mod options;
mod proving;

pub use proving::{TuneMethod, TuneQuestion, TuneReport, TuneSettings, tune};
