//! Models of processes.

use crate::applicable::GivenOptions;
use crate::args::Tune;
use crate::commands::refuse;
use crate::output::Output;
use volvelle_diagnostics::{Diagnostic, codes};

/// Tunes a model.
pub fn run(args: &'static Tune, _given: &GivenOptions, output: &Output) -> u8 {
    let diagnostic = Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, "models cannot be tuned yet");
    refuse(&[diagnostic], args.output.json, output)
}
