//! Kernels that are compiled and run, where there is an OpenCL device.

use crate::common::{Folder, Run, skipped};

const KERNEL: &str = "// volvelle: size = 256
// volvelle: parameter WG = powers(1, 16)
// volvelle: parameter PER = 1, 2, 4
// volvelle: global = size / PER, local = WG
// volvelle: argument from = random int[size]
// volvelle: argument to = zero int[size / PER] -> sum
// volvelle: reference WG = 1; reference PER = 1
__kernel void add(__global const int *from, __global int *to)
{
    int sum = 0;
    for (int i = 0; i < PER; i++)
        sum += from[get_global_id(0) * PER + i];
    to[get_global_id(0)] = sum;
}
";

const PLATFORM: &str =
    "name = \"tiny\"\n[device]\ndevices = 1\nunits = 2\nelements = 1\n[time]\nglobal = 4\n";

/// A run with the kernel, unless there is no device.
fn run(folder: &Folder, words: &[&str]) -> Option<Run> {
    let run = folder.run(&[&["tune", "add.cl", "--measure"][..], words].concat());
    if run.err.contains("no OpenCL") {
        skipped("there is no OpenCL device");
        return None;
    }
    Some(run)
}

#[test]
fn every_configuration_is_measured_and_kept() {
    let folder = Folder::new().file("add.cl", KERNEL).file("tiny.toml", PLATFORM);
    let words = ["--measurements", "times.json", "--t4", "results.json", "--json", "--repetitions", "2"];
    let Some(first) = run(&folder, &words) else { return };
    let first = first.exits(0).json();
    let table = first["tuning"]["table"].as_array().expect("a table").clone();
    assert_eq!(table.len(), 15, "{first:#}");
    assert_eq!(first["tuning"]["proven"], false);
    let results: serde_json::Value = serde_json::from_str(&folder.read("results.json")).expect("JSON");
    let results = results["results"].as_array().expect("results");
    assert!(results.iter().all(|result| result["invalidity"] == "correct"), "{results:?}");
    assert!(
        results.iter().all(|result| result["times"]["runtimes"].as_array().is_some_and(|r| !r.is_empty()))
    );
    // The second run measures nothing, and has the same times.
    let again = run(&folder, &words).expect("a device").exits(0).json();
    assert_eq!(again["tuning"]["table"].as_array(), Some(&table));
    assert!(again["tuning"]["method"].as_str().is_some_and(|m| m.contains("15 known from the cache")));
    // With a prediction, the two are compared.
    let both = run(&folder, &["--measurements", "times.json", "--platform", "tiny.toml"])
        .expect("a device")
        .exits(0);
    assert!(both.out.contains("Spearman") && both.out.contains("over 15 configurations"), "{}", both.out);
    // A cache of another size is refused.
    let other = run(&folder, &["--measurements", "times.json", "--size", "512"]).expect("a device").exits(2);
    assert!(
        other.err.contains("V1252") && other.err.contains("it has the size `256`, not `512`"),
        "{}",
        other.err
    );
}

#[test]
fn failures_are_rows_and_the_run_goes_on() {
    let wrong = KERNEL
        .replace("i < PER; i++", "i < (WG == 2 ? 0 : PER); i++")
        .replace("    int sum = 0;", "#if WG == 4\n#error four\n#endif\n    int sum = 0;\n    if (WG == 8) *(volatile __global int *)0 = 1;");
    let folder = Folder::new().file("add.cl", &wrong);
    let Some(run) = run(&folder, &["--parameters", "WG", "--json", "--repetitions", "1"]) else { return };
    let run = run.exits(0);
    assert!(run.err.contains("3 of 5 configurations failed"), "{}", run.err);
    assert!(run.err.contains("wrong result: 1, compile: 1, launch: 1"), "{}", run.err);
    let document = run.json();
    let table = document["tuning"]["table"].as_array().expect("a table");
    for kind in ["wrong result", "compile", "launch"] {
        assert!(table.iter().any(|row| row["reason"] == kind), "{kind}: {document:#}");
    }
}

/// A kernel that never ends is a row as well.
#[test]
fn a_kernel_that_takes_too_long_is_stopped() {
    let endless = KERNEL.replace(
        "    int sum = 0;",
        "    int sum = 0;\n    while (WG == 2 && *(volatile __global const int *)from != 1 << 30) {}",
    );
    let folder = Folder::new().file("add.cl", &endless);
    let words = ["--parameters", "WG=1,2", "--json", "--repetitions", "1", "--kernel-timeout", "5s"];
    let Some(run) = run(&folder, &words) else { return };
    let document = run.exits(0).json();
    let table = document["tuning"]["table"].as_array().expect("a table");
    assert!(table.iter().any(|row| row["reason"] == "timeout"), "{document:#}");
    assert_eq!(document["tuning"]["best"][0]["WG"], 1, "{document:#}");
    let mistake = folder.run(&["tune", "add.cl", "--measure", "--kernel-timeout", "soon"]).exits(2);
    assert!(mistake.err.contains("`soon` is not a time"), "{}", mistake.err);
}

#[test]
fn strategies_and_budgets() {
    let folder = Folder::new().file("add.cl", KERNEL).file("tiny.toml", PLATFORM);
    for strategy in ["random", "local", "guided"] {
        let words = [
            "--strategy",
            strategy,
            "--evaluations",
            "4",
            "--json",
            "--repetitions",
            "1",
            "--platform",
            "tiny.toml",
        ];
        let Some(found) = run(&folder, &words) else { return };
        let found = found.exits(0).json();
        assert_eq!(found["tuning"]["table"].as_array().map(Vec::len), Some(4), "{strategy}");
    }
}

#[test]
fn mistakes() {
    let folder = Folder::new()
        .file("add.cl", KERNEL)
        .file("none.cl", "int x;\n")
        .file("two.cl", "__kernel void a() {}\n__kernel void b() {}\n");
    let cases: [(&[&str], &str); 9] = [
        (&["add.cl", "--measure", "--constraint", "WG = 4"], "V1251"),
        (&["add.cl", "--measure", "--constraint", "WG > 16"], "alone this one excludes all: `WG > 16`"),
        (&["add.cl", "--measure", "--parameters", "TS"], "the parameter `TS` occurs nowhere in the kernel"),
        (&["add.cl", "--measure", "--device", "cuda:0"], "kernels cannot be measured on `cuda:0`"),
        (&["add.cl", "--measure", "--strategy", "lucky"], "there is no strategy `lucky`"),
        (&["add.cl", "--measure", "--size", "0"], "this is no size"),
        (&["add.cl", "--measure", "--goal", "done"], "--goal"),
        (&["none.cl", "--measure"], "the text has no kernel"),
        (&["two.cl", "--measure"], "the text has several kernels"),
    ];
    for (words, message) in cases {
        let run = folder.run(&[&["tune"][..], words].concat());
        if run.err.contains("no OpenCL") {
            skipped("there is no OpenCL device");
            continue;
        }
        let run = run.exits(2);
        assert!(run.err.contains(message), "{words:?}\n{}", run.err);
    }
}

#[test]
fn problems_of_other_tuners() {
    let problem = r#"{
      "ConfigurationSpace": { "TuningParameters": [
        { "Name": "WG", "Type": "int", "Values": "[1, 2, 64]" } ],
        "Conditions": [ { "Parameters": ["WG"], "Expression": "WG <= 16" } ] },
      "KernelSpecification": { "Language": "OpenCL", "KernelName": "fill", "KernelFile": "fill.cl",
        "GlobalSize": { "X": "64" }, "LocalSize": { "X": "WG" },
        "Arguments": [
          { "Name": "a", "Type": "float", "MemoryType": "Vector", "Size": 64, "FillType": "Constant", "FillValue": 0 },
          { "Name": "by", "Type": "float", "MemoryType": "Scalar", "FillValue": 2.5 } ] } }"#;
    let kernel = "__kernel void fill(__global float *a, float by) { a[get_global_id(0)] = by * WG; }\n";
    let folder = Folder::new().file("fill.cl", kernel).file("fill.json", problem);
    let run = folder.run(&["tune", "fill.cl", "--t1", "fill.json", "--json", "--repetitions", "1"]);
    if run.err.contains("no OpenCL") {
        return skipped("there is no OpenCL device");
    }
    let run = run.exits(0);
    assert_eq!(run.json()["tuning"]["table"].as_array().map(Vec::len), Some(2));
    assert!(run.err.contains("V1253"), "{}", run.err);
    // The problem says how the kernel is launched, so that a prediction needs no annotations; what it takes depends on numbers of
    // the problem.
    let kernel = "__kernel void fill(__global float *a, int by, int n) {
      for (int i = get_global_id(0); i < n; i += get_global_size(0)) a[i] = by * WG;
    }\n";
    let problem = problem
        .replace("[1, 2, 64]", "[1, 2, 4, 8, 64]")
        .replace("\"GlobalSize\"", "\"ProblemSize\": 64, \"GridDivX\": [\"WG\"], \"GlobalSize\"")
        .replace("\"Size\": 64", "\"Size\": \"ProblemSize[0]\"")
        .replace(
            "\"float\", \"MemoryType\": \"Scalar\", \"FillValue\": 2.5 }",
            "\"int32\", \"MemoryType\": \"Scalar\", \"FillValue\": 2 },
          { \"Name\": \"size\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillValue\": 64 }",
        );
    let folder =
        Folder::new().file("fill.cl", kernel).file("fill.json", &problem).file("tiny.toml", PLATFORM);
    let words =
        ["tune", "fill.cl", "--t1", "fill.json", "--json", "--repetitions", "1", "--platform", "tiny.toml"];
    let run = folder.run(&words).exits(0);
    assert!(run.json()["tuning"]["steps"].to_string().contains("best by prediction"), "{}", run.out);
}

/// Calibration itself is tested with an ideal device (`verify::measuring`): here it takes too long.
#[test]
fn calibration_can_be_stopped() {
    let folder = Folder::new();
    let run = folder.run(&["calibrate", "-o", "this.toml", "--timeout", "1ms"]);
    if run.err.contains("no OpenCL") {
        return skipped("there is no OpenCL device");
    }
    let run = run.exits(3);
    assert!(run.err.contains("V0005"), "{}", run.err);
    folder.run(&["calibrate", "--device", "opencl:99"]).exits(2);
}
