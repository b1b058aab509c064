//! Options that mean nothing for what is tuned: a model, a predicted kernel, or one that is measured.

use volvelle_console::given::GivenOptions;
use volvelle_diagnostics::Diagnostic;

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

/// Options of searches.
const OF_SEARCHES: &[(&str, &str)] = &[("seed", "--seed"), ("max_states", "--max-states")];

/// Refuses the options of kernels, where a model is tuned.
pub fn options_of_kernels(given: &GivenOptions) -> Vec<Diagnostic> {
    let why = "a model describes platform, sizes and constraints itself";
    let help = "leave it out, or give an OpenCL kernel: volvelle tune kernel.cl";
    let mut refusals = given.refuse(OF_KERNELS, "a Promela model", why, help);
    let why = "a model has no code that a device can run";
    refusals.extend(given.refuse(OF_MEASURING, "a Promela model", why, help));
    refusals
}

/// Refuses the options of models, where a kernel is tuned.
pub fn options_of_models(given: &GivenOptions) -> Vec<Diagnostic> {
    let why = "a kernel ends by itself, and what is minimised is its time";
    given.refuse(OF_MODELS, "a kernel", why, "leave it out")
}

/// Refuses the options of measuring, where nothing is measured.
pub fn options_of_measuring(given: &GivenOptions) -> Vec<Diagnostic> {
    let mut refusals = given.refuse(OF_MEASURING, "a predicted kernel", "no device runs it", "add --measure");
    let why = "its times are computed, without random choices or states";
    refusals.extend(given.refuse(OF_SEARCHES, "a predicted kernel", why, "leave it out"));
    refusals
}
