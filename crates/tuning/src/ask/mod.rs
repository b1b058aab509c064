//! `volvelle tune`: the best configuration, of a model or of a kernel.
//!
//! The file decides: `.cl` is a kernel, whose time is predicted (`kernel`) or measured (`measured`); everything else is a model
//! (`model`).

mod chart;
mod kernel;
pub mod measured;
mod model;
pub mod outputs;
mod refused;
mod suggested;

use crate::options::Tune;
use volvelle_console::given::GivenOptions;
use volvelle_console::output::Output;
use volvelle_console::question::{Ask, FileUse, Need};
use volvelle_console::suggestions::{Head, Subject, Suggestion};

impl Ask for Tune {
    const NAME: &'static str = "tune";
    const READS: fn(&Head) -> Option<&'static str> = |head| match head.ending == "cl" {
        true => Some("kernel in OpenCL C"),
        false => head.has_table(&["device"]).then_some("platform for kernels"),
    };
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = suggested::commands;
    const FILES: &'static [(&'static str, FileUse)] = &[
        ("file", FileUse::Read),
        ("platform", FileUse::Read),
        ("t1", FileUse::Read),
        ("t4", FileUse::Written),
        ("export_model", FileUse::Written),
        ("measurements", FileUse::Kept),
    ];
    const NEEDS: &'static [Need] = &[Need {
        options: &[("seed", "--seed")],
        acts: |given| given.has("measure") || given.value("search") == Some("swarm"),
        why: "nothing is random: the search ends with a proof, or kernels are predicted",
        help: "search by random runs: --search swarm; or measure a kernel: --measure",
    }];

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        run(self, given, output)
    }
}

/// Finds the best configuration.
pub fn run(args: &'static Tune, given: &GivenOptions, output: &Output) -> u8 {
    let is_kernel = args.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("cl"));
    if !is_kernel {
        return model::run(args, given, output);
    }
    match args.measure.measure || args.measure.t1.is_some() {
        true => measured::run(args, given, output),
        false => kernel::run(args, given, output),
    }
}
