//! CUDA on machines without a device of it: the kernels of the examples are compiled by NVIDIA's compiler, and run on a
//! stand-in for driver and compiler, in which a processor takes the place of the device. Where such a compiler is missing, a
//! test says that it is skipped.

use crate::common::{Folder, Run, command, examples, root, skipped};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use volvelle_technologies::testing::nvrtc;

/// Examples that can be simulated, with values of their constants.
const EXAMPLES: [(&str, &[&str]); 7] = [
    ("client_server", &["--const", "T=3"]),
    ("die", &[]),
    ("fork", &[]),
    ("gambler", &["--const", "start=5"]),
    ("penney", &[]),
    ("queue", &[]),
    ("retransmission", &[]),
];

/// Simulates an example, with libraries looked for in a folder first.
fn simulate(example: &str, libraries: Option<&Path>, arguments: &[&str]) -> Run {
    let file = |ending: &str| examples().join(format!("{example}.{ending}"));
    let mut command = command(&root());
    if let Some(folder) = libraries {
        command.env("LD_LIBRARY_PATH", folder);
    }
    command.arg("simulate").args([file("prism"), file("props")]).args(arguments);
    let output = command.output().expect("the program starts");
    Run {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("standard output is text"),
        err: String::from_utf8(output.stderr).expect("standard error is text"),
    }
}

#[test]
fn kernels_of_examples_are_compiled() {
    let Some(compiler) = nvrtc() else { return };
    for (example, constants) in EXAMPLES {
        let run = simulate(example, None, &[constants, &["--print-code", "kernel.cu"]].concat());
        assert!(run.out.contains("__global__"), "{example}: {}", run.err);
        for architecture in ["sm_80", "sm_90"] {
            let compiled = compiler.compile(&run.out, architecture);
            let compiled = compiled.unwrap_or_else(|error| panic!("{example}: {error}\n{}", run.out));
            assert!(compiled.binary.starts_with(b"\x7fELF"), "{example}: {}", compiled.log);
        }
    }
}

/// A stand-in for driver and compiler in a folder; none where there is no C++ compiler.
fn stand_in(folder: &Folder) -> Option<()> {
    let source = root().join("crates/technologies/tests/it/devices/stand_in");
    let path = |name: &str| folder.path().join(name);
    std::fs::copy(source.join("device.h"), path("device.h")).expect("a file of the repository");
    let compiled = Command::new("c++")
        .args(["-std=c++17", "-O1", "-fPIC", "-shared", "-o"])
        .args([path("libcuda.so.1"), source.join("cuda.cpp")])
        .arg("-ldl")
        .output();
    let compiled = compiled.map_err(|why| skipped(&format!("no C++ compiler: {why}"))).ok()?;
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    for name in ["libnvrtc.so.13", "libnvrtc.so.12"] {
        std::fs::copy(path("libcuda.so.1"), path(name)).expect("a library");
    }
    Some(())
}

#[test]
fn a_stand_in_gives_the_same_bits() {
    let folder = Folder::new();
    if stand_in(&folder).is_none() {
        return;
    }
    let mut on_device = 0;
    for (example, constants) in EXAMPLES {
        let simulate = |device: &str| {
            let arguments = [constants, &["--samples", "1500", "--json", "--device", device]].concat();
            let run = simulate(example, Some(folder.path()), &arguments);
            let results = run.json()["results"].as_array().expect("results").clone();
            let told = |result: &Value| {
                let statistics = &result["statistics"];
                [&result["value"], &result["lo"], &result["hi"], &statistics["steps"], &result["error"]]
                    .map(Value::clone)
            };
            let tiers: Vec<Value> =
                results.iter().map(|result| result["statistics"]["tier"].clone()).collect();
            (run.code, results.iter().map(told).collect::<Vec<_>>(), tiers)
        };
        let (code, expected, _) = simulate("threads");
        let (found_code, found, tiers) = simulate("cuda:0");
        assert_eq!((found_code, found), (code, expected), "{example}");
        on_device += usize::from(tiers.contains(&Value::from("cuda:0")));
    }
    // Paths that end only where somebody foresees it are run by the processor, whatever device is named.
    assert!(on_device >= 4, "{on_device} of {} examples", EXAMPLES.len());
}
