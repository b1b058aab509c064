//! The seeds of the fuzzers, and mutations of them, through the functions that the fuzzers call.

use std::path::{Path, PathBuf};
use volvelle_oracles::mutations::each;
use volvelle_oracles::{
    explore_differential, instruction_words, kernel_text, labelled_text, lotos_front, mcl, network_text,
    opencl_front, prism_model, prism_properties, program_bytes, promela_front, snapshot_text, stream_text,
    trace_bytes, wctl_text, weighted_json, weighted_text,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below folders, by name, with those of some endings.
fn texts(folders: &[&str], endings: &[&str]) -> Vec<String> {
    let mut waiting: Vec<PathBuf> = folders.iter().map(|f| root().join(f)).collect();
    let mut files = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("a readable folder").path();
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                waiting.push(path);
            } else if endings.contains(&ending.as_str()) {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(!files.is_empty(), "no seeds in {folders:?}");
    files.iter().map(|path| std::fs::read_to_string(path).expect("seeds are texts")).collect()
}

const MODELS: &[&str] = &["prism", "sm", "pm", "nm"];

#[test]
fn models() {
    each(&texts(&["fuzz/seeds/prism_model", "examples/prism"], MODELS), 120, prism_model);
}

#[test]
fn properties() {
    each(
        &texts(&["fuzz/seeds/prism_properties", "examples/prism"], &["props", "pctl", "csl"]),
        120,
        prism_properties,
    );
}

#[test]
fn lotos() {
    each(&texts(&["fuzz/seeds/lotos_front", "crates/oracles/tests/lotos"], &["lotos"]), 100, lotos_front);
}

#[test]
fn promela() {
    each(&texts(&["fuzz/seeds/promela_front"], &["pml"]), 120, promela_front);
}

#[test]
fn formulas() {
    each(&texts(&["fuzz/seeds/mcl"], &["mcl"]), 300, mcl);
}

#[test]
fn labelled() {
    each(&texts(&["fuzz/seeds/labelled_text"], &["aut"]), 40, |text| labelled_text(text.as_bytes()));
}

#[test]
fn programs_and_traces() {
    let mut random = volvelle_random::Random(48);
    let program = std::fs::read(root().join("examples/multicore/queens.elf")).expect("an example");
    program_bytes(&program);
    for _ in 0..100 {
        let mut bytes = program.clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
        program_bytes(&bytes);
        // Code of the program from anywhere on, with a few other bytes.
        let from = random.below(bytes.len());
        instruction_words(&bytes[from..]);
        trace_bytes(&bytes[from..]);
    }
    each(&texts(&["fuzz/seeds/stream_text", "examples/multicore"], &["tsv", "toml"]), 300, stream_text);
}

#[test]
fn snapshots() {
    each(&texts(&["fuzz/seeds/snapshot_text"], &["csv", "nemo"]), 1000, |text| {
        snapshot_text(text.as_bytes())
    });
}

#[test]
fn networks() {
    each(&texts(&["fuzz/seeds/network_text"], &["exp"]), 200, network_text);
}

#[test]
fn kernels() {
    each(&texts(&["fuzz/seeds/kernel_text", "crates/kernel/filetests"], &["vk"]), 30, kernel_text);
}

#[test]
fn opencl() {
    each(&texts(&["fuzz/seeds/opencl_front", "examples/kernels"], &["cl"]), 60, opencl_front);
}

#[test]
fn explorations() {
    let texts = texts(&["fuzz/seeds/explore_differential"], MODELS);
    for text in &texts {
        assert!(explore_differential(text).is_some(), "a seed is no model:\n{text}");
    }
    each(&texts, 20, |text| {
        explore_differential(text);
    });
}

#[test]
fn weighted_structures() {
    each(&texts(&["fuzz/seeds/weighted_text", "examples/weighted"], &["wks"]), 300, weighted_text);
    each(&texts(&["fuzz/seeds/weighted_json"], &["json"]), 500, weighted_json);
}

#[test]
fn weighted_formulas() {
    each(&texts(&["fuzz/seeds/wctl_text"], &["wctl"]), 1_000, wctl_text);
}
