//! `volvelle tune`: the best configuration, of a model or of a kernel.
//!
//! The file decides: `.cl` is a kernel, whose time is predicted (`kernel`) or measured (`measured`); everything else is a model
//! (`model`).

mod chart;
mod kernel;
mod measured;
mod model;
pub mod outputs;

use crate::applicable::GivenOptions;
use crate::args::Tune;
use crate::output::Output;

/// Finds the best configuration.
pub fn run(args: &'static Tune, given: &GivenOptions, output: &Output) -> u8 {
    let is_kernel = args.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("cl"));
    if !is_kernel && !args.measure.measure && args.measure.t1.is_none() {
        return model::run(args, given, output);
    }
    match args.measure.measure || args.measure.t1.is_some() {
        true => measured::run(args, given, output),
        false => kernel::run(args, given, output),
    }
}
