//! Kernels that are compiled and run.

use crate::applicable::GivenOptions;
use crate::args::Tune;
use crate::commands::refuse;
use crate::output::Output;
use volvelle_diagnostics::{Diagnostic, codes};

/// Tunes a kernel.
pub fn run(args: &'static Tune, _given: &GivenOptions, output: &Output) -> u8 {
    let diagnostic = Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, "kernels cannot be tuned yet");
    refuse(&[diagnostic], args.output.json, output)
}
