//! Building and running the fuzzers of `fuzz/`, with a stable compiler and without cargo-fuzz.
//!
//! The coverage flags are those that cargo-fuzz passes for `--sanitizer none`. Only crates of this repository get them:
//! cargo calls this program in place of the compiler (`instrument`). Crates of others are those that the tests are built
//! with, in the same folder: they get the profile of the workspace, and `fuzz/Cargo.toml` asks for the same features of them
//! (and `fuzz/Cargo.lock` for the same versions). New inputs are kept in
//! `fuzz/corpus/<target>`, failures in `fuzz/artifacts/<target>`; neither is committed. What is committed are the seeds:
//! `fuzz/seeds/<target>` and the examples.

use crate::{metadata, this_program, tree};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A fuzzer: its name, words of its language, and folders with inputs to start from.
struct Target {
    name: &'static str,
    dictionary: &'static str,
    seeds: &'static [&'static str],
}

const PRISM: &str = "fuzz/prism.dict";

/// Fuzzers of a wing and of a face. What these stand on is half of the workspace: they are built for long runs, and where they are named;
/// short runs leave them to the tests `texts_near_the_language` and `attack_conversations`, which ask the same.
const LARGE: [&str; 2] = ["pipeline_text", "editor_messages"];

const TARGETS: &[Target] = &[
    Target { name: "prism_model", dictionary: PRISM, seeds: &["fuzz/seeds/prism_model", "examples/prism"] },
    Target {
        name: "prism_properties",
        dictionary: PRISM,
        seeds: &["fuzz/seeds/prism_properties", "examples/prism"],
    },
    Target { name: "grammar_text", dictionary: "fuzz/grammar.dict", seeds: &["examples/rules"] },
    Target {
        name: "n4js_text",
        dictionary: "fuzz/n4js.dict",
        seeds: &["fuzz/seeds/n4js_text", "crates/n4js/tests/programs"],
    },
    Target {
        name: "rules_text",
        dictionary: "fuzz/rules.dict",
        seeds: &["fuzz/seeds/rules_text", "examples/rules"],
    },
    Target { name: "promela_front", dictionary: "fuzz/promela.dict", seeds: &["fuzz/seeds/promela_front"] },
    Target { name: "lotos_front", dictionary: "fuzz/lotos.dict", seeds: &["fuzz/seeds/lotos_front"] },
    Target {
        name: "opencl_front",
        dictionary: "fuzz/opencl.dict",
        seeds: &["fuzz/seeds/opencl_front", "examples/kernels"],
    },
    Target {
        name: "kernel_text",
        dictionary: "fuzz/kernel.dict",
        seeds: &["fuzz/seeds/kernel_text", "crates/kernel/filetests"],
    },
    Target {
        name: "explore_differential",
        dictionary: PRISM,
        seeds: &["fuzz/seeds/explore_differential", "examples/prism"],
    },
    Target {
        name: "path_tiers",
        dictionary: PRISM,
        seeds: &["fuzz/seeds/explore_differential", "examples/prism"],
    },
    Target { name: "explicit_text", dictionary: "fuzz/explicit.dict", seeds: &["fuzz/seeds/explicit_text"] },
    Target {
        name: "explicit_archive",
        dictionary: "fuzz/explicit.dict",
        seeds: &["fuzz/seeds/explicit_text"],
    },
    Target {
        name: "explicit_round_trip",
        dictionary: "fuzz/explicit.dict",
        seeds: &["fuzz/seeds/explicit_text"],
    },
    Target { name: "tuning_text", dictionary: "fuzz/tuning.dict", seeds: &["fuzz/seeds/tuning_text"] },
    Target { name: "mcl", dictionary: "fuzz/mcl.dict", seeds: &["fuzz/seeds/mcl"] },
    Target { name: "labelled_text", dictionary: "fuzz/explicit.dict", seeds: &["fuzz/seeds/labelled_text"] },
    Target { name: "network_text", dictionary: "fuzz/network.dict", seeds: &["fuzz/seeds/network_text"] },
    Target { name: "campaign_part", dictionary: "fuzz/campaign.dict", seeds: &["fuzz/seeds/campaign_part"] },
    Target { name: "snapshot_text", dictionary: "fuzz/snapshot.dict", seeds: &["fuzz/seeds/snapshot_text"] },
    Target {
        name: "pipeline_text",
        dictionary: "fuzz/pipeline.dict",
        seeds: &["fuzz/seeds/pipeline_text", "examples/pipelines"],
    },
    Target {
        name: "protocol_text",
        dictionary: "fuzz/protocol.dict",
        seeds: &["crates/coherence/protocols"],
    },
    Target {
        name: "primitives_text",
        dictionary: "fuzz/primitives.dict",
        seeds: &["examples/mpi", "crates/mpi/tests/programs"],
    },
    Target {
        name: "study_text",
        dictionary: "fuzz/study.dict",
        seeds: &["examples/mpi", "crates/volvelle/tests/mpi/wrong"],
    },
    Target {
        name: "program_bytes",
        dictionary: "fuzz/multicore.dict",
        seeds: &["fuzz/seeds/program_bytes", "examples/multicore"],
    },
    Target {
        name: "instruction_words",
        dictionary: "fuzz/multicore.dict",
        seeds: &["fuzz/seeds/program_bytes", "examples/multicore"],
    },
    Target { name: "trace_bytes", dictionary: "fuzz/multicore.dict", seeds: &["fuzz/seeds/trace_bytes"] },
    Target {
        name: "stream_text",
        dictionary: "fuzz/multicore.dict",
        seeds: &["fuzz/seeds/stream_text", "examples/multicore"],
    },
    Target { name: "hoa_text", dictionary: "fuzz/hoa.dict", seeds: &["fuzz/seeds/hoa_text"] },
    Target {
        name: "weighted_text",
        dictionary: "fuzz/weighted.dict",
        seeds: &["fuzz/seeds/weighted_text", "examples/weighted"],
    },
    Target { name: "weighted_json", dictionary: "fuzz/weighted.dict", seeds: &["fuzz/seeds/weighted_json"] },
    Target { name: "wctl_text", dictionary: "fuzz/wctl.dict", seeds: &["fuzz/seeds/wctl_text"] },
    Target { name: "wccs_text", dictionary: "fuzz/wccs.dict", seeds: &["examples/weighted"] },
    Target { name: "promela_walk", dictionary: PRISM, seeds: &["fuzz/seeds/promela_walk"] },
    Target { name: "vector_levels", dictionary: PRISM, seeds: &["fuzz/seeds/vector_levels"] },
    Target {
        name: "message_frames",
        dictionary: "fuzz/messages.dict",
        seeds: &["fuzz/seeds/message_frames"],
    },
    Target {
        name: "editor_messages",
        dictionary: "fuzz/messages.dict",
        seeds: &["fuzz/seeds/editor_messages"],
    },
];

const COVERAGE: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
    "--cfg=fuzzing",
];

/// Bytes that an input may have, and seconds that one may take.
const LIMITS: &[&str] = &["-max_len=4096", "-timeout=20", "-rss_limit_mb=4096"];

/// Seconds of each fuzzer that are worth a longer build.
const LONG: u32 = 10;

/// `cargo xtask fuzz`: builds all fuzzers, then runs those named (or all), as many at a time as there are processors.
pub fn run(arguments: &[String]) -> Result<bool, String> {
    let (targets, seconds) = choose(arguments)?;
    let root = tree::root();
    let has_wings = targets.iter().any(|target| LARGE.contains(&target.name));
    let Some(built) = build(&root, seconds, has_wings)? else {
        return Ok(false);
    };
    let (next, passed) = (AtomicUsize::new(0), AtomicBool::new(true));
    let work = || {
        while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
            if !run_one(&root, &built, target, seconds)? {
                passed.store(false, Ordering::Relaxed);
            }
        }
        Ok(())
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..processors.min(targets.len())).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })
    .map(|()| passed.into_inner())
}

fn choose(arguments: &[String]) -> Result<(Vec<&'static Target>, u32), String> {
    let mut seconds = 1;
    let mut targets = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--seconds" {
            let number = rest.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
            seconds = number.ok_or("--seconds needs a number of seconds")?;
        } else {
            let target = TARGETS.iter().find(|t| t.name == argument);
            let names = || TARGETS.iter().map(|t| t.name).collect::<Vec<_>>().join(", ");
            targets.push(target.ok_or_else(|| format!("there is no fuzzer `{argument}`: {}", names()))?);
        }
    }
    if targets.is_empty() {
        targets = TARGETS.iter().filter(|target| seconds >= LONG || !LARGE.contains(&target.name)).collect();
    }
    Ok((targets, seconds))
}

/// Builds all fuzzers; gives the folder with the programs. Without `--locked`: a crate of the workspace that gets a new
/// dependency adds it to `fuzz/Cargo.lock` here.
fn build(root: &Path, seconds: u32, has_wings: bool) -> Result<Option<PathBuf>, String> {
    let output = metadata::target_folder(root)?;
    let this = this_program::path()?;
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root.join("fuzz")).args(["build", "--bins", "--target-dir"]).arg(&output);
    command.arg("--config").arg(root.join("Cargo.toml"));
    if has_wings {
        command.args(["--features", "wings"]);
    }
    // For the profile of the workspace they are crates of others. Optimised they take three times as long to build, and try
    // three times as many inputs.
    let level = u32::from(seconds >= LONG);
    for name in metadata::member_names(root)? {
        command.args(["--config", &format!("profile.dev.package.{name}.opt-level={level}")]);
    }
    // Flags from outside would build all crates of others once more.
    command.env("RUSTC_WRAPPER", this).env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    let status = command.status().map_err(|e| format!("cargo: {e}"))?;
    Ok(status.success().then(|| output.join("debug")))
}

/// The wrapper that cargo calls in place of the compiler: adds coverage flags where a crate of this repository is built.
/// Gives whether it succeeded.
pub fn instrument(compiler: &str, arguments: &[String]) -> Result<bool, String> {
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    let mut command = Command::new(compiler);
    command.args(arguments).args(flags(&package));
    Ok(command.status().map_err(|e| format!("{compiler}: {e}"))?.success())
}

fn flags(package: &str) -> &'static [&'static str] {
    if package.starts_with("volvelle-") { COVERAGE } else { &[] }
}

/// Runs one fuzzer. What it says goes to `fuzz/artifacts/<target>.log`; shown are its statistics, or how it failed.
fn run_one(root: &Path, built: &Path, target: &Target, seconds: u32) -> Result<bool, String> {
    let (corpus, artifacts) = (folder(root, "fuzz/corpus", target)?, folder(root, "fuzz/artifacts", target)?);
    let log = artifacts.with_extension("log");
    let failed = |e: std::io::Error| format!("{}: {e}", log.display());
    let mut command = Command::new(built.join(target.name));
    command.current_dir(root).stderr(File::create(&log).map_err(failed)?);
    command
        .arg(format!("-max_total_time={seconds}"))
        .args(LIMITS)
        .args(["-print_final_stats=1", "-verbosity=0"]);
    command.arg(format!("-dict={}", target.dictionary));
    command.arg(format!("-artifact_prefix={}/", artifacts.display())).arg(corpus);
    command.args(target.seeds.iter().filter(|seeds| root.join(seeds).is_dir()));
    let status = command.status().map_err(|e| format!("{}: {e}", target.name))?;
    let said = String::from_utf8_lossy(&std::fs::read(&log).map_err(failed)?).into_owned();
    if status.success() {
        println!("fuzzer {}: {seconds} s, {}", target.name, statistics(&said));
    } else {
        let lines: Vec<&str> = said.lines().collect();
        let shown = lines[lines.len().saturating_sub(SHOWN)..].join("\n");
        println!("{shown}\nfuzzer {}: failed; the input is in {}", target.name, artifacts.display());
    }
    Ok(status.success())
}

/// Lines of a log that a failure shows.
const SHOWN: usize = 60;

/// The numbers worth showing: `17047 inputs, 415 a second, 1712 kept, 44 MB`.
fn statistics(log: &str) -> String {
    let stat = |name: &str| {
        let line = log.lines().find_map(|line| line.strip_prefix(&format!("stat::{name}:")));
        line.map_or("?", str::trim)
    };
    format!(
        "{} inputs, {} a second, {} kept, {} MB",
        stat("number_of_executed_units"),
        stat("average_exec_per_sec"),
        stat("new_units_added"),
        stat("peak_rss_mb")
    )
}

fn folder(root: &Path, parent: &str, target: &Target) -> Result<PathBuf, String> {
    let folder = root.join(parent).join(target.name);
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        let owned = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let (all, seconds) = choose(&[]).unwrap();
        assert_eq!((all.len(), seconds), (TARGETS.len() - LARGE.len(), 1));
        assert_eq!(choose(&owned(&["--seconds", "60"])).unwrap().0.len(), TARGETS.len());
        let (one, seconds) = choose(&owned(&["--seconds", "5", "kernel_text"])).unwrap();
        assert_eq!((one.len(), one[0].name, seconds), (1, "kernel_text", 5));
        assert!(choose(&owned(&["--seconds", "0"])).is_err());
        assert!(choose(&owned(&["nonsense"])).is_err());
    }

    #[test]
    fn only_crates_of_this_repository_are_instrumented() {
        assert_eq!(flags("volvelle-kernel"), COVERAGE);
        assert!(flags("cranelift-codegen").is_empty());
    }

    /// Another version of a crate is built once more.
    #[test]
    fn fuzzers_have_the_versions_of_the_workspace() {
        let versions = |lock: &str| {
            let text = std::fs::read_to_string(tree::root().join(lock)).unwrap();
            let of = |package: &str| {
                let value = |key: &str| {
                    let line = package.lines().find_map(|line| line.strip_prefix(key));
                    line.map(|value| value.trim_matches('"').to_owned())
                };
                Some((value("name = ")?, value("version = ")?))
            };
            text.split("[[package]]").filter_map(of).collect::<Vec<_>>()
        };
        let workspace = versions("Cargo.lock");
        let differs = |(name, version): &(String, String)| {
            let mut known = workspace.iter().filter(|(other, _)| other == name).peekable();
            known.peek().is_some() && !known.any(|(_, other)| other == version)
        };
        let fuzzers = versions("fuzz/Cargo.lock");
        assert!(fuzzers.len() > 100);
        assert_eq!(fuzzers.into_iter().filter(differs).collect::<Vec<_>>(), []);
    }

    #[test]
    fn statistics_of_a_log() {
        let log = "noise\nstat::number_of_executed_units: 17047\nstat::average_exec_per_sec:     415\n";
        assert_eq!(statistics(log), "17047 inputs, 415 a second, ? kept, ? MB");
    }

    #[test]
    fn targets_are_those_of_the_manifest() {
        let manifest = std::fs::read_to_string(tree::root().join("fuzz/Cargo.toml")).unwrap();
        let mut named: Vec<&str> =
            manifest.lines().filter_map(|line| line.strip_prefix("path = \"fuzz_targets/")).collect();
        named.sort_unstable();
        let mut listed: Vec<String> = TARGETS.iter().map(|t| format!("{}.rs\"", t.name)).collect();
        listed.sort_unstable();
        assert_eq!(named, listed);
    }
}
