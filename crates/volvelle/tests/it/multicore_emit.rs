//! `volvelle multicore --export-model`: queueing models of programs, whose answers are those that `check` gives.

use crate::common::Folder;
use crate::common::schema::problems;
use crate::multicore::{examples, schema};
use serde_json::Value;

const PROPERTY: &str = "R{\"instructions\"}=? [ S ]";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// Writes `model.prism` for a program with options; its only result.
fn emitted(folder: &Folder, program: &str, options: &str, arguments: &[&str]) -> Value {
    let mut words = vec!["multicore", program, "--export-model", "model.prism", "--json"];
    words.extend(options.split_whitespace());
    words.push("--");
    words.extend(arguments);
    let found = folder.run(&words).exits(0).json();
    assert!(problems(&schema(), &found).is_empty(), "{:?}", problems(&schema(), &found));
    assert_eq!(found["exports"], serde_json::json!(["model.prism"]));
    found["results"][0].clone()
}

/// The answer of `check` to a question about the model.
fn checked(folder: &Folder, constants: &str, property: &str) -> f64 {
    let words = ["check", "model.prism", "--const", constants, "--prop", property, "--json"];
    number(&folder.run(&words).exits(0).json()["results"][0]["value"])
}

#[test]
fn answers_are_those_of_check_and_of_simulation() {
    let folder = examples();
    let machines = [
        "--machine paper-quad-8 --predictor perceptron-8",
        "--machine paper-quad-8 --predictor oracle --const caches=perfect",
        "--machine paper-dual-4 --predictor gag-14 --const squash=7,tasks_per_core=3",
        "--machine paper-octa-4 --predictor gag-14 --const mode=rolling",
        "--machine paper-quad-4 --predictor tage --const mode=optimistic,squash=7,tasks_per_core=2",
        "--machine paper-quad-4 --predictor tage --const mode=rolling,caches=perfect",
    ];
    for options in machines {
        let result = emitted(&folder, "queens.elf", options, &["6"]);
        let constants = result["model_constants"].as_str().expect("a text");
        let [ipc, lower, upper] =
            ["model_ipc", "model_ipc_lower", "model_ipc_upper"].map(|key| number(&result[key]));
        assert!(lower <= ipc && ipc <= upper && upper - lower < 1e-6, "{options}: {lower} {ipc} {upper}");
        assert_eq!(ipc, checked(&folder, constants, PROPERTY), "{options}");
        let simulated = number(&result["ipc"]);
        assert!((ipc / simulated - 1.0).abs() < 0.3, "{options}: {ipc}, simulated {simulated}");
        // No core does more work than it has shares.
        let at_work = checked(&folder, constants, "R{\"cores_at_work\"}=? [ S ]");
        let cores = number(&result["cores"]);
        assert!(at_work > 0.0 && at_work <= cores, "{options}: {at_work}");
        // Paths of the same model: their mean over a long time.
        let property = "R{\"instructions\"}=? [ C<=1000 ]";
        let within = checked(&folder, constants, property);
        assert!((within / 1000.0 / ipc - 1.0).abs() < 0.02, "{options}: {within}");
        let words =
            ["simulate", "model.prism", "--const", constants, "--prop", property, "--samples", "2000"];
        let found = folder.run(&[&words[..], &["--seed", "1", "--json"]].concat()).exits(0).json();
        let estimate = number(&found["results"][0]["value"]);
        assert!((estimate / within - 1.0).abs() < 0.02, "{options}: {estimate} for {within}");
    }
}

#[test]
fn one_core_is_exact() {
    let folder = examples();
    for set in
        ["caches=perfect", "caches=real", "caches=perfect,squash=9", "caches=perfect,mode=rolling,squash=3"]
    {
        let options = format!("--machine paper-single-8 --const {set} --predictor gag-14");
        let result = emitted(&folder, "sieve.elf", &options, &["500"]);
        let (ipc, simulated) = (number(&result["model_ipc"]), number(&result["ipc"]));
        // Numbers in the text have six digits. The last misprediction costs nothing.
        let most = if options.contains("squash") { 1e-3 } else { 1e-5 };
        assert!((ipc / simulated - 1.0).abs() < most, "{options}: {ipc}, simulated {simulated}");
    }
}

#[test]
fn constants_say_what_if() {
    let folder = examples();
    let result = emitted(&folder, "quicksort.elf", "--machine paper-quad-8 --predictor gag-14", &["300"]);
    let ask = |constants: &str| checked(&folder, constants, PROPERTY);
    let measured = ask("cores=4,misses=1,mispredictions=1");
    assert_eq!(measured, number(&result["model_ipc"]));
    assert!(ask("cores=8,misses=1,mispredictions=1") > measured);
    assert!(ask("cores=4,misses=0.5,mispredictions=1") > measured);
    assert!(ask("cores=4,misses=1,mispredictions=0") > measured);
    assert!(ask("cores=4,misses=1,mispredictions=100") < measured);
    // As many instructions as a share has in the cycles of a share, if each task is mispredicted.
    let alone = ask("cores=1,misses=1,mispredictions=1");
    assert!((ask("cores=4,misses=1,mispredictions=100") / alone - 1.0).abs() < 1e-6);
    let words = ["check", "model.prism", "--prop", PROPERTY, "--const", "cores=9,misses=1,mispredictions=1"];
    let run = folder.run(&words).exits(2);
    assert!(run.err.contains("more than 8 are not provided for"), "{}", run.err);
}

#[test]
fn the_model_stands_beside_the_simulation() {
    let folder = examples();
    let words = "multicore queens.elf --machine paper-dual-4 --predictor gag-14 --export-model";
    let behind = ["--", "5"];
    let run = |target: &str| {
        let words: Vec<&str> = words.split(' ').chain([target]).chain(behind).collect();
        folder.run(&words).exits(0).out
    };
    let out = run("m.prism");
    assert!(out.contains("queueing model  IPC ") && out.contains("(sound), "), "{out}");
    assert!(out.contains("volvelle check m.prism --const cores=2,misses=1,mispredictions=1"), "{out}");
    assert!(out.ends_with("written: m.prism\n"), "{out}");
    assert_eq!(run("-"), folder.read("m.prism"));
    // The same again: files do not depend on what was there.
    assert_eq!(run("m.prism"), out);
}

#[test]
fn what_is_no_model_of_one_answer_is_refused() {
    const TWICE: &str = "both write to standard output";
    let study = "machines = [\"paper\"]\npredictors = [\"oracle\"]\n[[program]]\nfile = \"queens.elf\"\n\
                 [[program]]\nfile = \"sieve.elf\"\n";
    let folder = examples().file("own.toml", study);
    let refused = [
        ("queens.elf", "one answer, and 2 are asked for"),
        ("queens.elf --predictor oracle --machine paper,paper-dual-4", "one answer, and 2 are asked for"),
        ("queens.elf --predictor oracle --const cores=1,2,4", "one answer, and 3 are asked for"),
        ("own.toml", "one answer, and 2 are asked for"),
        ("queens.elf --predictor oracle --only program", "--export-model has no effect"),
        ("queens.elf --predictor oracle --only predictors", "--export-model has no effect"),
        ("queens.elf --predictor oracle --windows 5", "measures the whole program"),
        ("queens.elf --record x.vtr", "cannot be used with"),
        ("queens.elf --predictor oracle --csv -", TWICE),
    ];
    for (words, message) in refused {
        let target = if message == TWICE { "-" } else { "m.prism" };
        let words: Vec<&str> =
            ["multicore"].into_iter().chain(words.split(' ')).chain(["--export-model", target]).collect();
        let run = folder.run(&words).exits(2);
        assert!(run.err.contains(message), "{words:?}: {}", run.err);
        assert!(!folder.path().join("m.prism").exists(), "{words:?}");
    }
    let run =
        folder.run(&["multicore", "queens.elf", "--predictor", "oracle", "--export-model", "m.pml"]).exits(2);
    assert!(run.err.contains("another language"), "{}", run.err);
    // What is read is never written.
    let run = folder
        .run(&["multicore", "queens.elf", "--predictor", "oracle", "--export-model", "queens.elf"])
        .exits(2);
    assert!(run.err.contains("V0012"), "{}", run.err);
    // Names end no comment.
    let text = "pc\tclass\trd\tsources\taddress\tsize\ttaken\n1000\talu\tx1\t-\t-\t-\t-\n";
    let folder =
        folder.file("odd\nname.tsv", text).file("none.tsv", "pc\tclass\trd\tsources\taddress\tsize\ttaken\n");
    folder
        .run(&["multicore", "odd\nname.tsv", "--predictor", "oracle", "--export-model", "m.prism"])
        .exits(0);
    assert!(folder.read("m.prism").starts_with("// odd\\nname.tsv on paper"), "{}", folder.read("m.prism"));
    let run =
        folder.run(&["multicore", "none.tsv", "--predictor", "oracle", "--export-model", "n.prism"]).exits(2);
    assert!(!folder.path().join("n.prism").exists(), "{}", run.err);
}
