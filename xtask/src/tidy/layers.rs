//! Which crate may depend on which: the direction in which `ARCHITECTURE.md` draws its arrows.
//!
//! Languages lower to the waist, analyses read only the waist, faces call analyses. A crate that is missing here is
//! a finding: a new crate needs a place in the table.

use super::Finding;
use crate::metadata::{Package, built_for_tests};
use std::collections::BTreeSet;

/// The role of a crate, and the crates of the workspace that it may depend on.
struct Layer {
    name: &'static str,
    role: Role,
    may_use: &'static [&'static str],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Types that others share.
    Waist,
    /// Text to program.
    FrontEnd,
    /// Kernel to machine code.
    BackEnd,
    /// Kernels on devices and processors, by all back ends.
    Devices,
    /// Program to states, states to numbers.
    Engine,
    /// A model with its properties, for all questions alike.
    Session,
    /// What commands have in common.
    Console,
    /// A family of questions: what is asked, how it is computed, what the answer contains. It may use everything below, and the other
    /// wings that it lists.
    Wing,
    /// Everything together.
    Face,
    /// Not part of the product.
    Tool,
}

const fn layer(name: &'static str, role: Role, may_use: &'static [&'static str]) -> Layer {
    Layer { name, role, may_use }
}

const LAYERS: &[Layer] = &[
    layer("volvelle-entity", Role::Waist, &[]),
    layer("volvelle-media", Role::Waist, &[]),
    layer("volvelle-decimals", Role::Waist, &[]),
    layer("volvelle-messages", Role::Waist, &[]),
    layer("volvelle-diagnostics", Role::Waist, &["volvelle-media"]),
    layer("volvelle-syntax", Role::Waist, &["volvelle-diagnostics"]),
    layer("volvelle-declarations", Role::Waist, &["volvelle-diagnostics"]),
    layer("volvelle-trees", Role::Waist, &["volvelle-diagnostics", "volvelle-entity", "volvelle-syntax"]),
    layer(
        "volvelle-rules",
        Role::FrontEnd,
        &["volvelle-diagnostics", "volvelle-entity", "volvelle-syntax", "volvelle-trees"],
    ),
    layer("volvelle-n4js", Role::FrontEnd, &["volvelle-diagnostics", "volvelle-rules", "volvelle-trees"]),
    layer("volvelle-coherence", Role::Waist, &["volvelle-declarations", "volvelle-diagnostics"]),
    layer("volvelle-control", Role::Waist, &[]),
    layer("volvelle-labels", Role::Waist, &[]),
    layer("volvelle-instructions", Role::Waist, &["volvelle-control", "volvelle-diagnostics"]),
    layer(
        "volvelle-riscv",
        Role::Waist,
        &["volvelle-control", "volvelle-diagnostics", "volvelle-instructions"],
    ),
    layer("volvelle-plot", Role::Waist, &["volvelle-media"]),
    layer(
        "volvelle-present",
        Role::Waist,
        &["volvelle-control", "volvelle-diagnostics", "volvelle-media", "volvelle-plot"],
    ),
    layer("volvelle-kernel", Role::Waist, &["volvelle-entity"]),
    layer("volvelle-store", Role::Waist, &[]),
    layer("volvelle-space", Role::Waist, &["volvelle-entity", "volvelle-store"]),
    layer("volvelle-logic", Role::Waist, &["volvelle-entity"]),
    layer("volvelle-model", Role::Waist, &["volvelle-kernel", "volvelle-store"]),
    layer(
        "volvelle-automata",
        Role::Waist,
        &["volvelle-diagnostics", "volvelle-entity", "volvelle-logic", "volvelle-space", "volvelle-syntax"],
    ),
    layer("volvelle-statistics", Role::Waist, &[]),
    layer(
        "volvelle-multicore",
        Role::Waist,
        &[
            "volvelle-coherence",
            "volvelle-control",
            "volvelle-declarations",
            "volvelle-diagnostics",
            "volvelle-instructions",
            "volvelle-statistics",
        ],
    ),
    layer("volvelle-streams", Role::Waist, &["volvelle-kernel"]),
    layer("volvelle-vector", Role::BackEnd, &["volvelle-kernel", "volvelle-store"]),
    layer("volvelle-source", Role::BackEnd, &["volvelle-kernel"]),
    layer("volvelle-runtime", Role::Waist, &["volvelle-diagnostics", "volvelle-kernel"]),
    layer(
        "volvelle-simulate",
        Role::Engine,
        &[
            "volvelle-automata",
            "volvelle-control",
            "volvelle-kernel",
            "volvelle-logic",
            "volvelle-model",
            "volvelle-runtime",
            "volvelle-space",
            "volvelle-statistics",
            "volvelle-store",
            "volvelle-streams",
        ],
    ),
    layer("volvelle-native", Role::BackEnd, &["volvelle-kernel"]),
    layer(
        "volvelle-technologies",
        Role::Devices,
        &[
            "volvelle-diagnostics",
            "volvelle-kernel",
            "volvelle-native",
            "volvelle-runtime",
            "volvelle-source",
            "volvelle-vector",
        ],
    ),
    layer(
        "volvelle-prism",
        Role::FrontEnd,
        &[
            "volvelle-diagnostics",
            "volvelle-entity",
            "volvelle-kernel",
            "volvelle-logic",
            "volvelle-model",
            "volvelle-syntax",
        ],
    ),
    layer(
        "volvelle-promela",
        Role::FrontEnd,
        &["volvelle-diagnostics", "volvelle-kernel", "volvelle-model", "volvelle-syntax"],
    ),
    layer(
        "volvelle-lotos",
        Role::FrontEnd,
        &["volvelle-diagnostics", "volvelle-kernel", "volvelle-model", "volvelle-syntax"],
    ),
    layer(
        "volvelle-metamodels",
        Role::FrontEnd,
        &[
            "volvelle-diagnostics",
            "volvelle-lotos",
            "volvelle-prism",
            "volvelle-promela",
            "volvelle-rules",
            "volvelle-trees",
        ],
    ),
    layer(
        "volvelle-mpi",
        Role::FrontEnd,
        &[
            "volvelle-coherence",
            "volvelle-declarations",
            "volvelle-diagnostics",
            "volvelle-kernel",
            "volvelle-model",
            "volvelle-statistics",
            "volvelle-streams",
            "volvelle-syntax",
        ],
    ),
    layer(
        "volvelle-wks",
        Role::FrontEnd,
        &["volvelle-diagnostics", "volvelle-logic", "volvelle-media", "volvelle-space", "volvelle-syntax"],
    ),
    layer("volvelle-weighted", Role::Engine, &["volvelle-control", "volvelle-logic", "volvelle-space"]),
    layer(
        "volvelle-explicit",
        Role::Waist,
        &[
            "volvelle-control",
            "volvelle-decimals",
            "volvelle-diagnostics",
            "volvelle-labels",
            "volvelle-space",
        ],
    ),
    layer("volvelle-search", Role::Engine, &["volvelle-control", "volvelle-store"]),
    layer(
        "volvelle-explore",
        Role::Engine,
        &[
            "volvelle-control",
            "volvelle-kernel",
            "volvelle-model",
            "volvelle-search",
            "volvelle-space",
            "volvelle-store",
        ],
    ),
    layer(
        "volvelle-solver",
        Role::Engine,
        &["volvelle-control", "volvelle-kernel", "volvelle-logic", "volvelle-runtime", "volvelle-space"],
    ),
    layer(
        "volvelle-transient",
        Role::Engine,
        &[
            "volvelle-control",
            "volvelle-kernel",
            "volvelle-logic",
            "volvelle-runtime",
            "volvelle-solver",
            "volvelle-space",
        ],
    ),
    layer(
        "volvelle-objectives",
        Role::Engine,
        &[
            "volvelle-automata",
            "volvelle-control",
            "volvelle-entity",
            "volvelle-logic",
            "volvelle-solver",
            "volvelle-space",
            "volvelle-transient",
        ],
    ),
    layer(
        "volvelle-exact",
        Role::Engine,
        &[
            "volvelle-control",
            "volvelle-entity",
            "volvelle-logic",
            "volvelle-objectives",
            "volvelle-solver",
            "volvelle-space",
            "volvelle-transient",
        ],
    ),
    layer(
        "volvelle-markov",
        Role::Engine,
        &[
            "volvelle-control",
            "volvelle-entity",
            "volvelle-exact",
            "volvelle-logic",
            "volvelle-objectives",
            "volvelle-solver",
            "volvelle-space",
            "volvelle-transient",
        ],
    ),
    layer(
        "volvelle-estimate",
        Role::Devices,
        &[
            "volvelle-control",
            "volvelle-explore",
            "volvelle-kernel",
            "volvelle-logic",
            "volvelle-markov",
            "volvelle-model",
            "volvelle-native",
            "volvelle-runtime",
            "volvelle-simulate",
            "volvelle-space",
            "volvelle-statistics",
            "volvelle-vector",
        ],
    ),
    layer(
        "volvelle-export",
        Role::Engine,
        &[
            "volvelle-control",
            "volvelle-decimals",
            "volvelle-explicit",
            "volvelle-explore",
            "volvelle-kernel",
            "volvelle-media",
            "volvelle-model",
            "volvelle-space",
        ],
    ),
    layer(
        "volvelle-lts",
        Role::Engine,
        &[
            "volvelle-control",
            "volvelle-decimals",
            "volvelle-diagnostics",
            "volvelle-explicit",
            "volvelle-explore",
            "volvelle-labels",
            "volvelle-logic",
            "volvelle-media",
            "volvelle-model",
            "volvelle-search",
            "volvelle-space",
            "volvelle-syntax",
        ],
    ),
    layer(
        "volvelle-mcl",
        Role::Engine,
        &["volvelle-control", "volvelle-diagnostics", "volvelle-labels", "volvelle-space", "volvelle-syntax"],
    ),
    layer(
        "volvelle-imc",
        Role::Engine,
        &["volvelle-control", "volvelle-labels", "volvelle-logic", "volvelle-markov", "volvelle-space"],
    ),
    layer("volvelle-determinacy", Role::Engine, &["volvelle-control", "volvelle-kernel", "volvelle-model"]),
    layer(
        "volvelle-tune",
        Role::Engine,
        &[
            "volvelle-control",
            "volvelle-determinacy",
            "volvelle-diagnostics",
            "volvelle-explore",
            "volvelle-kernel",
            "volvelle-media",
            "volvelle-model",
            "volvelle-search",
            "volvelle-syntax",
        ],
    ),
    layer(
        "volvelle-opencl",
        Role::FrontEnd,
        &["volvelle-control", "volvelle-declarations", "volvelle-diagnostics"],
    ),
    layer(
        "volvelle-campaign",
        Role::Engine,
        &["volvelle-diagnostics", "volvelle-simulate", "volvelle-statistics"],
    ),
    layer(
        "volvelle-nbody",
        Role::Engine,
        &[
            "volvelle-control",
            "volvelle-declarations",
            "volvelle-diagnostics",
            "volvelle-kernel",
            "volvelle-plot",
            "volvelle-runtime",
            "volvelle-streams",
        ],
    ),
    // Below `session`, so that editors may know the names of a language before it has a model.
    layer(
        "volvelle-symbols",
        Role::Session,
        &[
            "volvelle-coherence",
            "volvelle-declarations",
            "volvelle-diagnostics",
            "volvelle-kernel",
            "volvelle-lotos",
            "volvelle-lts",
            "volvelle-mcl",
            "volvelle-mpi",
            "volvelle-n4js",
            "volvelle-prism",
            "volvelle-promela",
            "volvelle-rules",
            "volvelle-syntax",
            "volvelle-trees",
            "volvelle-wks",
        ],
    ),
    layer(
        "volvelle-session",
        Role::Session,
        &[
            "volvelle-automata",
            "volvelle-campaign",
            "volvelle-coherence",
            "volvelle-control",
            "volvelle-diagnostics",
            "volvelle-estimate",
            "volvelle-explicit",
            "volvelle-explore",
            "volvelle-kernel",
            "volvelle-logic",
            "volvelle-lotos",
            "volvelle-lts",
            "volvelle-markov",
            "volvelle-media",
            "volvelle-model",
            "volvelle-mpi",
            "volvelle-native",
            "volvelle-prism",
            "volvelle-promela",
            "volvelle-runtime",
            "volvelle-simulate",
            "volvelle-space",
            "volvelle-statistics",
            "volvelle-technologies",
            "volvelle-wks",
        ],
    ),
    layer(
        "volvelle-reports",
        Role::Session,
        &[
            "volvelle-control",
            "volvelle-diagnostics",
            "volvelle-logic",
            "volvelle-present",
            "volvelle-session",
        ],
    ),
    layer(
        "volvelle-console",
        Role::Console,
        &[
            "volvelle-campaign",
            "volvelle-control",
            "volvelle-diagnostics",
            "volvelle-explicit",
            "volvelle-export",
            "volvelle-logic",
            "volvelle-media",
            "volvelle-plot",
            "volvelle-present",
            "volvelle-reports",
            "volvelle-runtime",
            "volvelle-session",
        ],
    ),
    // Walks through models: other wings know how to step.
    layer("volvelle-stepping", Role::Wing, &[]),
    layer("volvelle-paths", Role::Wing, &["volvelle-stepping"]),
    layer("volvelle-searches", Role::Wing, &["volvelle-stepping"]),
    layer("volvelle-systems", Role::Wing, &["volvelle-searches", "volvelle-stepping"]),
    layer("volvelle-weights", Role::Wing, &["volvelle-searches", "volvelle-stepping"]),
    layer("volvelle-rates", Role::Wing, &["volvelle-systems"]),
    layer("volvelle-studies", Role::Wing, &["volvelle-rates"]),
    layer("volvelle-particles", Role::Wing, &[]),
    layer("volvelle-typings", Role::Wing, &[]),
    layer("volvelle-tuning", Role::Wing, &["volvelle-searches"]),
    layer("volvelle-pipelines", Role::Wing, &["volvelle-rates", "volvelle-systems"]),
    layer("volvelle-numbers", Role::Wing, &["volvelle-paths"]),
    layer("volvelle-processors", Role::Wing, &["volvelle-numbers"]),
    // The wings under one name, for tests and for faces of others.
    layer(
        "volvelle-verify",
        Role::Face,
        &[
            "volvelle-control",
            "volvelle-estimate",
            "volvelle-logic",
            "volvelle-lts",
            "volvelle-markov",
            "volvelle-numbers",
            "volvelle-particles",
            "volvelle-paths",
            "volvelle-pipelines",
            "volvelle-promela",
            "volvelle-rates",
            "volvelle-runtime",
            "volvelle-searches",
            "volvelle-session",
            "volvelle-simulate",
            "volvelle-space",
            "volvelle-studies",
            "volvelle-systems",
            "volvelle-tuning",
            "volvelle-weights",
        ],
    ),
    // Editors: it computes nothing, and of the wings knows only the one that reads pipelines.
    layer(
        "volvelle-lsp",
        Role::Face,
        &[
            "volvelle-coherence",
            "volvelle-console",
            "volvelle-control",
            "volvelle-declarations",
            "volvelle-diagnostics",
            "volvelle-explicit",
            "volvelle-kernel",
            "volvelle-logic",
            "volvelle-media",
            "volvelle-messages",
            "volvelle-metamodels",
            "volvelle-mpi",
            "volvelle-multicore",
            "volvelle-n4js",
            "volvelle-nbody",
            "volvelle-opencl",
            "volvelle-pipelines",
            "volvelle-rules",
            "volvelle-session",
            "volvelle-symbols",
            "volvelle-trees",
        ],
    ),
    // The same for walks: it computes what these wings do.
    layer(
        "volvelle-debug-adapter",
        Role::Face,
        &[
            "volvelle-console",
            "volvelle-control",
            "volvelle-diagnostics",
            "volvelle-logic",
            "volvelle-messages",
            "volvelle-model",
            "volvelle-numbers",
            "volvelle-paths",
            "volvelle-present",
            "volvelle-searches",
            "volvelle-session",
            "volvelle-stepping",
            "volvelle-systems",
            "volvelle-weights",
        ],
    ),
    // The table of questions. It may use what wings may, and all of them.
    layer("volvelle", Role::Face, &["volvelle-debug-adapter", "volvelle-lsp"]),
    layer("xtask", Role::Tool, &[]),
    // Random cases; only tests depend on it.
    layer("volvelle-random", Role::Tool, &[]),
    // Second opinions about Markov models; only tests depend on it.
    layer(
        "volvelle-reference",
        Role::Tool,
        &[
            "volvelle-control",
            "volvelle-logic",
            "volvelle-random",
            "volvelle-runtime",
            "volvelle-space",
            "volvelle-technologies",
        ],
    ),
    // Random Promela programs; only tests and fuzzers depend on it.
    layer("volvelle-promela-testing", Role::Tool, &["volvelle-diagnostics", "volvelle-promela"]),
    // Clients of servers of editors; only tests depend on it.
    layer("volvelle-messages-testing", Role::Tool, &[]),
    // The example of how to add a language and a question; nothing depends on it.
    layer(
        "volvelle-toy",
        Role::Tool,
        &[
            "volvelle-console",
            "volvelle-control",
            "volvelle-diagnostics",
            "volvelle-kernel",
            "volvelle-logic",
            "volvelle-model",
            "volvelle-present",
            "volvelle-session",
            "volvelle-symbols",
            "volvelle-verify",
        ],
    ),
    // Properties that must hold for every input; only tests and fuzzers depend on it.
    layer(
        "volvelle-oracles",
        Role::Tool,
        &[
            "volvelle-automata",
            "volvelle-campaign",
            "volvelle-coherence",
            "volvelle-control",
            "volvelle-determinacy",
            "volvelle-diagnostics",
            "volvelle-explicit",
            "volvelle-explore",
            "volvelle-instructions",
            "volvelle-kernel",
            "volvelle-logic",
            "volvelle-lotos",
            "volvelle-lts",
            "volvelle-mcl",
            "volvelle-model",
            "volvelle-mpi",
            "volvelle-multicore",
            "volvelle-native",
            "volvelle-nbody",
            "volvelle-opencl",
            "volvelle-prism",
            "volvelle-promela",
            "volvelle-promela-testing",
            "volvelle-random",
            "volvelle-riscv",
            "volvelle-search",
            "volvelle-simulate",
            "volvelle-space",
            "volvelle-tune",
            "volvelle-vector",
            "volvelle-weighted",
            "volvelle-wks",
        ],
    ),
];

/// Packages from outside that only some crates may use: the start of their names, the crates, and why.
const RESERVED: &[(&str, &[&str], &str)] = &[
    ("cranelift", &["volvelle-native"], "only one crate knows Cranelift"),
    ("iced-x86", &["volvelle-vector"], "only one crate writes vector instructions"),
    ("cl3", &["volvelle-technologies"], "only one crate opens device libraries"),
    ("libloading", &["volvelle-technologies"], "only one crate opens device libraries"),
    ("clap", &[], "only the console, wings and the binary read a command line"),
    ("dap-types", &["volvelle-debug-adapter"], "only one crate knows the protocol of debuggers"),
    ("gen-lsp-types", &["volvelle-lsp"], "only one crate knows the protocol of editors"),
    ("indicatif", &["volvelle-console"], "only the console draws progress"),
    ("terminal_size", &["volvelle-console"], "only the console knows the terminal"),
    ("ctrlc", &["volvelle-console"], "only the console handles signals"),
];

/// The rules about dependencies between crates.
pub fn check(packages: &[Package]) -> Vec<Finding> {
    let members: Vec<&Package> = packages.iter().filter(|p| p.is_member).collect();
    let names: BTreeSet<&str> = members.iter().map(|p| p.name.as_str()).collect();
    let mut findings = Vec::new();
    for package in members {
        let mut report = |message: String| findings.push(Finding::new(&package.name, 0, message));
        let Some(layer) = LAYERS.iter().find(|layer| layer.name == package.name) else {
            report("this crate has no place in the layers: add it to xtask/src/tidy/layers.rs".to_owned());
            continue;
        };
        for dependency in package.dependencies.iter().filter(|d| names.contains(d.as_str())) {
            let is_below = match layer.name {
                "volvelle" => is_below_wings(dependency) || role_of(dependency) == Some(Role::Wing),
                _ => layer.role == Role::Wing && is_below_wings(dependency),
            };
            if !is_below && !layer.may_use.contains(&dependency.as_str()) {
                report(format!("must not depend on {dependency}: arrows run one way"));
            }
        }
        for (start, owners, why) in RESERVED {
            let used = package.dependencies.iter().chain(&package.dev_dependencies);
            for dependency in used.filter(|d| {
                d.starts_with(start) && !owners.contains(&&*package.name) && !is_asked(start, layer)
            }) {
                report(format!("must not depend on {dependency}: {why}"));
            }
        }
        if layer.role == Role::FrontEnd {
            let needed = built_for_tests(packages, &package.name);
            let heavy = |name: &&&str| name.starts_with("cranelift") || is_back_end_or_engine(name);
            for dependency in needed.iter().filter(heavy) {
                report(format!("its tests build {dependency}: front ends stay light and see no engine"));
            }
        }
    }
    findings
}

/// Whether a package is for reading command lines, which questions do.
fn is_asked(start: &str, layer: &Layer) -> bool {
    // The example has a question, too.
    let asks = matches!(layer.role, Role::Console | Role::Wing | Role::Face) || layer.name == "volvelle-toy";
    start == "clap" && asks
}

fn role_of(name: &str) -> Option<Role> {
    LAYERS.iter().find(|layer| layer.name == name).map(|layer| layer.role)
}

/// Whether every wing may use a crate.
fn is_below_wings(name: &str) -> bool {
    !matches!(role_of(name), None | Some(Role::Wing | Role::Face | Role::Tool))
}

fn is_back_end_or_engine(name: &str) -> bool {
    let is_light = matches!(role_of(name), None | Some(Role::Waist | Role::FrontEnd | Role::Tool));
    !is_light
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[&str], dev_dependencies: &[&str]) -> Package {
        let owned = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
        Package {
            name: name.to_owned(),
            is_member: !name.starts_with("cranelift") && name != "clap",
            dependencies: owned(dependencies),
            dev_dependencies: owned(dev_dependencies),
            ..Package::default()
        }
    }

    fn messages(packages: &[Package]) -> Vec<String> {
        check(packages).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_table_has_no_cycles_and_no_unknown_names() {
        for (i, layer) in LAYERS.iter().enumerate() {
            for used in layer.may_use {
                let at = LAYERS.iter().position(|l| l.name == *used).expect("a crate of the table");
                assert!(at < i, "{} may use {used}, which must stand before it", layer.name);
            }
        }
    }

    #[test]
    fn engines_and_front_ends_do_not_see_each_other() {
        for front in LAYERS.iter().filter(|l| l.role == Role::FrontEnd) {
            for used in front.may_use {
                assert!(!is_back_end_or_engine(used), "{} may use {used}", front.name);
            }
        }
        for engine in LAYERS.iter().filter(|l| matches!(l.role, Role::Engine | Role::BackEnd | Role::Waist)) {
            for used in engine.may_use {
                let role = LAYERS.iter().find(|l| l.name == *used).unwrap().role;
                assert!(
                    !matches!(role, Role::FrontEnd | Role::BackEnd | Role::Devices | Role::Face),
                    "{} {used}",
                    engine.name
                );
            }
        }
    }

    #[test]
    fn an_arrow_against_the_direction() {
        let packages =
            [package("volvelle-kernel", &["volvelle-model"], &[]), package("volvelle-model", &[], &[])];
        assert_eq!(
            messages(&packages),
            ["volvelle-kernel: must not depend on volvelle-model: arrows run one way"]
        );
    }

    #[test]
    fn a_crate_without_a_place() {
        assert_eq!(messages(&[package("volvelle-new", &[], &[])]).len(), 1);
    }

    #[test]
    fn packages_for_one_crate_only() {
        let packages = [package("volvelle-explore", &["clap"], &["cranelift-jit"])];
        assert_eq!(messages(&packages).len(), 2);
        assert!(messages(&[package("volvelle-native", &["cranelift-jit"], &[])]).is_empty());
    }

    #[test]
    fn tests_of_a_front_end_stay_light() {
        let packages = [
            package("volvelle-prism", &[], &["volvelle-native"]),
            package("volvelle-native", &["cranelift-jit"], &[]),
            package("cranelift-jit", &[], &[]),
        ];
        assert_eq!(messages(&packages).len(), 2, "{:?}", messages(&packages));
    }
}
