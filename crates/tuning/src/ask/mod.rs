//! `volvelle tune`: the best configuration, of a model or of a kernel.
//!
//! The file decides: `.cl` is a kernel, whose time is predicted (`kernel`) or measured (`measured`); everything else is a model
//! (`model`).

mod chart;
mod kernel;
pub mod measured;
mod model;
pub mod outputs;

use crate::options::Tune;
use volvelle_console::given::GivenOptions;
use volvelle_console::output::Output;
use volvelle_console::question::{Ask, FileUse, Need};
use volvelle_diagnostics::Diagnostic;

/// Refuses the options of kernels, where a model is tuned.
fn refuse_options_of_kernels(given: &GivenOptions) -> Vec<Diagnostic> {
    let why = "a model describes platform, sizes and constraints itself";
    let help = "leave it out, or give an OpenCL kernel: volvelle tune kernel.cl";
    let mut refusals = given.refuse(OF_KERNELS, "a Promela model", why, help);
    let why = "a model has no code that a device can run";
    refusals.extend(given.refuse(OF_MEASURING, "a Promela model", why, help));
    refusals
}

impl Ask for Tune {
    const NAME: &'static str = "tune";
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

/// Options of kernels.
const OF_KERNELS: &[(&str, &str)] = &[
    ("platform", "--platform"),
    ("size", "--size"),
    ("constraint", "--constraint"),
    ("kernel", "--kernel"),
    ("export_model", "--export-model"),
    ("no_warps", "--no-warps"),
];

/// Options of measuring.
const OF_MEASURING: &[(&str, &str)] = &[
    ("measure", "--measure"),
    ("device", "--device"),
    ("evaluations", "--evaluations"),
    ("strategy", "--strategy"),
    ("measurements", "--measurements"),
    ("t1", "--t1"),
    ("repetitions", "--repetitions"),
    ("kernel_timeout", "--kernel-timeout"),
];

/// Options of models.
const OF_MODELS: &[(&str, &str)] = &[
    ("minimize", "--minimize"),
    ("goal", "--goal"),
    ("search", "--search"),
    ("all", "--all"),
    ("no_confluence", "--no-confluence"),
    ("no_reduction", "--no-reduction"),
    ("interpreter", "--interpreter"),
];

/// Refuses the options of models, where a kernel is tuned.
fn refuse_options_of_models(given: &GivenOptions) -> Vec<Diagnostic> {
    let why = "a kernel ends by itself, and what is minimised is its time";
    given.refuse(OF_MODELS, "a kernel", why, "leave it out")
}

/// Refuses the options of measuring, where nothing is measured.
fn refuse_options_of_measuring(given: &GivenOptions) -> Vec<Diagnostic> {
    let mut refusals = given.refuse(OF_MEASURING, "a predicted kernel", "no device runs it", "add --measure");
    let why = "its times are computed, without random choices or states";
    refusals.extend(given.refuse(OF_SEARCHES, "a predicted kernel", why, "leave it out"));
    refusals
}

/// Options of searches.
const OF_SEARCHES: &[(&str, &str)] = &[("seed", "--seed"), ("max_states", "--max-states")];
