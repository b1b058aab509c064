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
    layer("volvelle-diagnostics", Role::Waist, &["volvelle-media"]),
    layer("volvelle-syntax", Role::Waist, &["volvelle-diagnostics"]),
    layer("volvelle-declarations", Role::Waist, &["volvelle-diagnostics"]),
    layer("volvelle-coherence", Role::Waist, &["volvelle-declarations", "volvelle-diagnostics"]),
    layer("volvelle-control", Role::Waist, &[]),
    layer("volvelle-labels", Role::Waist, &[]),
    layer("volvelle-instructions", Role::Waist, &["volvelle-control", "volvelle-diagnostics"]),
    layer(
        "volvelle-riscv",
        Role::Waist,
        &["volvelle-control", "volvelle-diagnostics", "volvelle-instructions"],
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
        &["volvelle-control", "volvelle-diagnostics", "volvelle-labels", "volvelle-space"],
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
        "volvelle-markov",
        Role::Engine,
        &[
            "volvelle-automata",
            "volvelle-control",
            "volvelle-entity",
            "volvelle-kernel",
            "volvelle-logic",
            "volvelle-runtime",
            "volvelle-space",
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
    layer("volvelle-plot", Role::Face, &["volvelle-media"]),
    layer(
        "volvelle-nbody",
        Role::Face,
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
    layer(
        "volvelle-verify",
        Role::Face,
        &[
            "volvelle-automata",
            "volvelle-campaign",
            "volvelle-coherence",
            "volvelle-control",
            "volvelle-declarations",
            "volvelle-determinacy",
            "volvelle-diagnostics",
            "volvelle-estimate",
            "volvelle-explicit",
            "volvelle-explore",
            "volvelle-imc",
            "volvelle-kernel",
            "volvelle-labels",
            "volvelle-logic",
            "volvelle-lotos",
            "volvelle-lts",
            "volvelle-markov",
            "volvelle-mcl",
            "volvelle-media",
            "volvelle-model",
            "volvelle-mpi",
            "volvelle-native",
            "volvelle-nbody",
            "volvelle-opencl",
            "volvelle-prism",
            "volvelle-promela",
            "volvelle-runtime",
            "volvelle-search",
            "volvelle-simulate",
            "volvelle-source",
            "volvelle-space",
            "volvelle-statistics",
            "volvelle-technologies",
            "volvelle-tune",
            "volvelle-weighted",
            "volvelle-wks",
        ],
    ),
    layer(
        "volvelle",
        Role::Face,
        &[
            "volvelle-campaign",
            "volvelle-control",
            "volvelle-diagnostics",
            "volvelle-explicit",
            "volvelle-export",
            "volvelle-instructions",
            "volvelle-lts",
            "volvelle-media",
            "volvelle-multicore",
            "volvelle-nbody",
            "volvelle-opencl",
            "volvelle-plot",
            "volvelle-riscv",
            "volvelle-tune",
            "volvelle-verify",
        ],
    ),
    layer("xtask", Role::Tool, &[]),
    // Random cases; only tests depend on it.
    layer("volvelle-random", Role::Tool, &[]),
    // The example of how to add a language; it stands where a language is plugged in, and nothing depends on it.
    layer(
        "volvelle-toy",
        Role::Tool,
        &["volvelle-diagnostics", "volvelle-kernel", "volvelle-logic", "volvelle-model", "volvelle-verify"],
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

/// Packages from outside that only one crate may use: the start of their names, the crate, and why.
const RESERVED: &[(&str, &str, &str)] = &[
    ("cranelift", "volvelle-native", "only one crate knows Cranelift"),
    ("iced-x86", "volvelle-vector", "only one crate writes vector instructions"),
    ("cl3", "volvelle-technologies", "only one crate opens device libraries"),
    ("libloading", "volvelle-technologies", "only one crate opens device libraries"),
    ("clap", "volvelle", "only the binary reads a command line"),
    ("indicatif", "volvelle", "only the binary draws progress"),
    ("terminal_size", "volvelle", "only the binary knows the terminal"),
    ("ctrlc", "volvelle", "only the binary handles signals"),
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
            if !layer.may_use.contains(&dependency.as_str()) {
                report(format!("must not depend on {dependency}: arrows run one way"));
            }
        }
        for (start, owner, why) in RESERVED {
            let used = package.dependencies.iter().chain(&package.dev_dependencies);
            for dependency in used.filter(|d| d.starts_with(start) && package.name != *owner) {
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

fn is_back_end_or_engine(name: &str) -> bool {
    let role = LAYERS.iter().find(|layer| layer.name == name).map(|layer| layer.role);
    matches!(role, Some(Role::BackEnd | Role::Devices | Role::Engine | Role::Face))
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
