//! `volvelle multicore`: programs, traces, streams and studies on the command line.

use crate::common::schema::problems;
use crate::common::{Folder, root, run_in, skipped};
use crate::pages::{is_sound, parsed, section};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A folder with the examples.
pub fn examples() -> Folder {
    let mut folder = Folder::new();
    for entry in std::fs::read_dir(root().join("examples/multicore")).expect("the examples are there") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
            folder = folder.file(name, std::fs::read(&path).expect("a file"));
        }
    }
    folder
}

/// A part of the golden data.
fn corpus(part: &str) -> Option<PathBuf> {
    let beside = || root().join("../shared/corpus/multicore");
    let folder = std::env::var_os("VOLVELLE_MULTICORE_CORPUS").map_or_else(beside, PathBuf::from);
    let folder = folder.join(part);
    if !folder.is_dir() {
        skipped(&format!("there is no {}", folder.display()));
        return None;
    }
    Some(folder)
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn schema() -> Value {
    serde_json::from_str(&text(&root().join("docs/schema/answer-1.json"))).expect("JSON")
}

pub const TRACE: &str = "pc\tclass\trd\tsources\taddress\tsize\ttaken\n\
                     1000\talu\tx1\t-\t-\t-\t-\n\
                     1004\tload\tx2\tx1\t8000\t8\t-\n\
                     1008\tbranch\t-\tx2\t-\t-\t1\n\
                     1000\talu\tx1\t-\t-\t-\t-\n\
                     1004\tload\tx2\tx1\t8000\t8\t-\n\
                     1008\tbranch\t-\tx2\t-\t-\t0\n";

#[test]
fn programs_print_and_have_the_hashes_of_another_emulator() {
    let folder = examples();
    // Counts and hashes: QEMU 7.2 with a plugin that counts.
    let all = [
        ("queens.elf", "10", 16_401_920_u64),
        ("quicksort.elf", "", 2_738_443),
        ("matmul.elf", "", 1_208_240),
    ];
    for (program, argument, instructions) in all {
        let mut words = vec!["multicore", program, "--only", "program", "--json"];
        if !argument.is_empty() {
            words.extend(["--", argument]);
        }
        let found = folder.run(&words).exits(0).json();
        assert!(problems(&schema(), &found).is_empty(), "{:?}", problems(&schema(), &found));
        assert_eq!(found["results"][0]["instructions"], instructions, "{program}");
        assert_eq!(found["results"][0]["exit"], 0, "{program}");
    }
    let found = folder.run(&["multicore", "quicksort.elf", "--only", "program"]).exits(0);
    assert!(found.out.starts_with("sorted 20000\nwrong 0\nhash 80cc59957cde2f6e\n"), "{}", found.out);
    assert!(found.out.contains("pc 610da7987055cb07   memory 0929fe42561aee23"), "{}", found.out);
}

#[test]
fn golden_programs() {
    let Some(folder) = corpus("programs") else { return };
    for line in text(&folder.join("expected.tsv")).lines().skip(1).filter(|line| line.contains("\t-\t")) {
        let columns: Vec<&str> = line.split('\t').collect();
        let program = format!("{}.elf", columns[0]);
        let found = run_in(&folder, &["multicore", &program, "--only", "program", "--json"]).exits(0).json();
        let found = &found["results"][0];
        assert_eq!(found["instructions"].to_string(), columns[2], "{program}");
        for (key, expected) in ["pc_hash", "memory_hash"].iter().zip(&columns[3..5]) {
            assert_eq!(found[key], *expected, "{program}: {key}");
        }
        assert_eq!(found["output"], text(&folder.join(format!("{}.expected", columns[0]))), "{program}");
    }
}

/// All that the golden data say of traces, by way of the command line.
#[test]
fn golden_cycles() {
    let Some(folder) = corpus("timing") else { return };
    let cases: Value = serde_json::from_str(&text(&folder.join("expected.json"))).expect("JSON");
    for case in cases.as_array().expect("a list") {
        let name = case["case"].as_str().expect("a name");
        let mut words = vec!["multicore".to_owned(), format!("{name}.tsv"), "--json".to_owned()];
        let mut predictor = "oracle".to_owned();
        for (key, value) in case["machine"].as_object().expect("keys") {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            match key.as_str() {
                "predictor" => predictor = value,
                _ => words.extend(["--const".to_owned(), format!("{key}={value}")]),
            }
        }
        words.extend(["--predictor".to_owned(), predictor]);
        let found = run_in(&folder, &words).exits(0).json();
        let found = &found["results"][0];
        for key in ["cycles", "instructions", "tasks", "rounds", "mispredictions"] {
            assert_eq!(found[key], case[key], "{name}: {key}");
        }
        // All cycles of a core went somewhere.
        let parts = found["stack"].as_object().expect("parts");
        let sum: f64 = parts.values().map(|part| part.as_f64().expect("a number")).sum();
        assert!((sum - case["cycles"].as_f64().expect("a number")).abs() < 1e-6, "{name}: {parts:?}");
    }
}

#[test]
fn golden_streams() {
    if let Some(folder) = corpus("caches") {
        let cases: Value = serde_json::from_str(&text(&folder.join("expected.json"))).expect("JSON");
        for case in cases.as_array().expect("a list") {
            let name = case["case"].as_str().expect("a name");
            let set = format!(
                "cores={},l1d.size={},l1d.ways={},l1d.block={}",
                case["cores"], case["size"], case["ways"], case["block"]
            );
            let file = format!("{name}.tsv");
            let words = ["multicore", &file, "--only", "caches", "--const", &set, "--json"];
            let found = run_in(&folder, &words).exits(0).json();
            for (key, expected) in case["counts"].as_object().expect("counts") {
                assert_eq!(&found["results"][0]["caches"][key], expected, "{name}: {key}");
            }
        }
    }
    let Some(folder) = corpus("predictors") else { return };
    let expected = text(&folder.join("expected.tsv"));
    let rows: Vec<Vec<&str>> = expected.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    for of_stream in rows.chunk_by(|one, other| (one[0], one[2]) == (other[0], other[2])) {
        let names: Vec<&str> = of_stream.iter().map(|row| row[1]).collect();
        let (file, names) = (format!("{}.tsv", of_stream[0][0]), names.join(","));
        let set = format!("group={}", of_stream[0][2]);
        let found = run_in(&folder, &["multicore", &file, "--predictor", &names, "--const", &set, "--json"]);
        let found = found.exits(0).json();
        for (row, found) in of_stream.iter().zip(found["results"].as_array().expect("results")) {
            assert_eq!(found["predictor"], row[1]);
            for (key, expected) in ["predictions", "mispredictions", "bits"].iter().zip(&row[3..]) {
                assert_eq!(found[key].to_string(), *expected, "{row:?}: {key}");
            }
        }
    }
}

#[test]
fn bad_input_is_refused() {
    if let Some(folder) = corpus("bad") {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            let name = name.to_str().expect("a name");
            let run = run_in(&folder, &["multicore", name]).exits(2);
            assert!(run.err.contains("error[V20") && !run.err.contains("panicked"), "{name}\n{}", run.err);
            assert!(name.ends_with(".elf") || run.err.contains(&format!("{name}:")), "{name}\n{}", run.err);
        }
    }
    let folder =
        examples().file("t.tsv", TRACE).file("core3.tsv", "core\toperation\taddress\tsize\n3\tload\t80\t8\n");
    let folder =
        folder.file("outcomes.tsv", "address\toutcome\n1000\t1\n").file("empty.toml", "title = \"x\"\n");
    let folder = folder.file("wrong.toml", "machines = [\"paper-quad-9\"]\n[[program]]\nfile = \"t.tsv\"\n[[reading]]\nname = \"x\"\nset = { widht = 2 }\n");
    for (words, why) in [
        ("t.tsv --const width=0", "`width` is a whole number from 1 to 64"),
        ("t.tsv --const l1d.ways=3", "l1d"),
        ("t.tsv --const widht=2", "did you mean `width`?"),
        ("t.tsv --const cores=", "the constant `cores` has no value"),
        ("t.tsv --predictor gog-14", "did you mean `gag-14`?"),
        ("t.tsv --budget 4X", "is no number of bytes"),
        ("t.tsv --machine paper-quod-8", "did you mean `paper-quad-8`?"),
        ("t.tsv --only caches", "caches alone"),
        ("t.tsv --only program --plot x.svg", "--plot has no effect"),
        ("t.tsv -- 3", "only programs have arguments"),
        ("t.tsv --record x.bin", "does not say which form"),
        ("t.tsv --record x.vtr --html x.html", "cannot be used with"),
        ("t.tsv --html - --json", "--json and --html - both write to standard output"),
        ("t.tsv --csv-branches - --csv -", "--csv-branches - and --csv - both write to standard output"),
        ("t.tsv --html nothing/x.html", "no such folder"),
        ("core3.tsv", "take more cores: --const cores=4"),
        ("core3.tsv --only predictors", "say nothing of tasks"),
        ("outcomes.tsv --only program", "for predictors only"),
        ("empty.toml", "the study has no program"),
        ("wrong.toml", "there is no machine `paper-quad-9`"),
        ("small.toml -- 3", "a study names the arguments"),
        ("nothing.elf", "no such file"),
    ] {
        let words: Vec<&str> = std::iter::once("multicore").chain(words.split(' ')).collect();
        let run = folder.run(&words).exits(2);
        assert!(run.err.contains(why), "{words:?}\n{}", run.err);
    }
}

/// The same execution, live, recorded, and through the forms of others.
#[test]
fn recordings_give_the_same_answers() {
    let folder = examples();
    let machine = ["--machine", "paper-quad-8", "--predictor", "gag-14,tage", "--json"];
    let live = folder.run(&[&["multicore", "matmul.elf"], &machine[..]].concat()).exits(0).json();
    for trace in ["m.vtr", "m.vtr.xz"] {
        folder.run(&["multicore", "matmul.elf", "--record", trace]).exits(0);
        let again = folder.run(&[&["multicore", trace], &machine[..]].concat()).exits(0).json();
        for (one, other) in [0, 1].map(|i| (&live["results"][i], &again["results"][i])) {
            for key in ["instructions", "cycles", "tasks", "mispredictions", "stack", "caches", "bounds"] {
                assert_eq!(one[key], other[key], "{trace}: {key}");
            }
        }
        let executed = folder.run(&["multicore", trace, "--only", "program", "--json"]).exits(0).json();
        let direct = folder.run(&["multicore", "matmul.elf", "--only", "program", "--json"]).exits(0).json();
        for key in ["pc_hash", "memory_hash", "mix", "taken"] {
            assert_eq!(executed["results"][0][key], direct["results"][0][key], "{trace}: {key}");
        }
    }
    // Of this one the first bytes do not decompress by themselves.
    let mut random = volvelle_random::Random(7);
    let mut text = TRACE.lines().next().expect("a line").to_owned();
    for _ in 0..20_000 {
        text += &format!("\n1000\tload\tx1\tx1\t{:x}\t8\t-", random.below(1 << 40));
    }
    std::fs::write(folder.path().join("l.tsv"), text).expect("a file");
    folder.run(&["multicore", "l.tsv", "--record", "l.champsim.xz"]).exits(0);
    let whole = std::fs::read(folder.path().join("l.champsim.xz")).expect("a trace");
    folder.run(&["multicore", "l.champsim.xz", "--only", "program"]).exits(0);
    for (name, bytes) in
        [("few.champsim.xz", &whole[..100]), ("cut.champsim.xz", &whole[..whole.len() - 100])]
    {
        std::fs::write(folder.path().join(name), bytes).expect("a file");
        let run = folder.run(&["multicore", name]).exits(2);
        assert!(run.err.contains("V2009"), "{}", run.err);
    }
    let mut other = whole.clone();
    let middle = other.len() / 2;
    other[middle..middle + 8].fill(0x55);
    std::fs::write(folder.path().join("other.champsim.xz"), other).expect("a file");
    let run = folder.run(&["multicore", "other.champsim.xz"]).exits(2);
    assert!(run.err.contains("V2009") && run.err.contains("damaged"), "{}", run.err);
    // ChampSim's records have neither classes of units nor sizes of accesses; tasks and predictions are the same.
    folder.run(&["multicore", "matmul.elf", "--record", "m.champsim.xz"]).exits(0);
    let again = folder.run(&[&["multicore", "m.champsim.xz"], &machine[..]].concat()).exits(0).json();
    for key in ["instructions", "tasks", "predictions", "mispredictions"] {
        assert_eq!(live["results"][0][key], again["results"][0][key], "{key}");
    }
}

/// Threads, and what else is asked in the same pass, change nothing.
#[test]
fn the_same_bits_every_time() {
    let folder = examples();
    let ask = |more: &[&str]| {
        let words = [&["multicore", "queens.elf", "--json", "--branches", "3"], more].concat();
        folder.run(&words).exits(0).json()["results"].clone()
    };
    let all = ["--machine", "paper-dual-4,paper-octa-16", "--predictor", "gag-14,perceptron-8,oracle"];
    let one = ask(&[&all[..], &["--threads", "1"]].concat());
    assert_eq!(one, ask(&[&all[..], &["--threads", "4"]].concat()));
    let windows =
        [&all[..], &["--precision", "20%", "--window", "1000", "--warm-up", "100", "--threads"]].concat();
    let sampled = ask(&[&windows[..], &["1"]].concat());
    assert!(sampled[0]["windows"].is_array());
    assert_eq!(sampled, ask(&[&windows[..], &["3"]].concat()));
    let alone = ask(&["--machine", "paper-octa-16", "--predictor", "perceptron-8"]);
    // What it gains over another predictor, it can only have beside that one.
    let mut beside = one[4].clone();
    assert!(beside["gain"]["value"].is_number());
    beside.as_object_mut().expect("an object").remove("gain");
    assert_eq!(beside, alone[0]);
    let swept = ask(&["--const", "cores=1,2", "--predictor", "gag-14"]);
    assert_eq!(swept[1], {
        let mut two = ask(&["--const", "cores=2", "--predictor", "gag-14"])[0].clone();
        two["machine"] = "paper cores=2".into();
        two
    });
}

#[test]
fn answers_have_the_documented_shape() {
    let folder = examples().file("t.tsv", TRACE).file(
        "a.tsv",
        "core\toperation\taddress\tsize\n0\tstore\t80\t8\n1\tload\t80\t8\n0\tstore\t84\t4\n1\tload\t80\t4\n",
    );
    let folder = folder.file("o.tsv", "address\toutcome\n1000\t1\n");
    for words in [
        "t.tsv --timeline 9 --branches 2 --const cores=2,caches=real",
        "t.tsv --only predictors",
        "t.tsv --record t.vtr",
        "a.tsv --const cores=2",
        "o.tsv",
        "small.toml",
        "t.tsv --const width=0",
    ] {
        let words: Vec<&str> =
            std::iter::once("multicore").chain(words.split(' ')).chain(["--json"]).collect();
        let found = folder.run(&words).json();
        let wrong = problems(&schema(), &found);
        assert!(wrong.is_empty(), "{words:?}: {wrong:?}");
    }
}

#[test]
fn studies_have_means_tables_and_figures() {
    let folder = examples();
    let files =
        ["--csv", "t.csv", "--csv-branches", "b.csv", "--plot", "i.svg", "--plot-stack", "s.svg,s.png"];
    let run = folder.run(&[&["multicore", "small.toml"], &files[..]].concat()).exits(0);
    for what in ["geometric means", "gain of perceptron-8 over gag-14, by program", "under each reading"] {
        assert!(run.out.contains(what), "{}", run.out);
    }
    // Two programs, two machines, three predictors, as it is and under a reading.
    assert_eq!(folder.read("t.csv").lines().count(), 1 + 24);
    assert!(folder.read("b.csv").lines().count() > 24);
    assert!(folder.read("i.svg").contains("perceptron-8") && folder.read("s.svg").contains("imbalance"));
    let found = folder.run(&["multicore", "small.toml", "--json"]).exits(0).json();
    let results = found["results"].as_array().expect("results");
    let ipc = |at: usize| results[at]["ipc"].as_f64().expect("a number");
    let mean = (ipc(0) * ipc(12)).sqrt();
    assert!((found["means"][0]["ipc"].as_f64().expect("a number") - mean).abs() < 1e-12);
}

/// A program that does not come to its end leaves no table under its final name; names act in no table.
#[test]
fn lost_rows_of_studies() {
    let cut =
        TRACE.replace("\n1004\tload\tx2\tx1\t8000\t8\t-\n1008\tbranch\t-\tx2\t-\t-\t0\n", "\nnothing\n");
    assert_ne!(cut, TRACE);
    let study = "[[program]]\nfile = \"t.tsv\"\nname = \"=1+1\"\n[[program]]\nfile = \"cut.tsv\"\n";
    let study = format!("{study}[[reading]]\nname = \"two\"\nset = {{ cores = 2 }}\n");
    let folder = Folder::new().file("t.tsv", TRACE).file("cut.tsv", cut).file("s.toml", study);
    let run = folder.run(&["multicore", "s.toml", "--csv", "t.csv", "--html", "p.html"]).exits(2);
    assert!(run.err.contains("cut.tsv:6") && run.err.contains("`t.csv` is not written"), "{}", run.err);
    assert!(!folder.path().join("t.csv").exists());
    assert!(!folder.path().join("p.html").exists());
    let page = folder.read("p.partial.html");
    is_sound(&page);
    let of = |id| section(&parsed(&page), id).unwrap_or_default();
    assert!(of("answers").contains("not all answers are here"), "{page}");
    assert!(of("diagnostics").contains("cut.tsv:6"), "{page}");
    let table = folder.read("t.partial.csv");
    assert_eq!(table.lines().count(), 5, "{table}");
    for (line, start) in
        table.lines().skip(1).zip(["\"'=1+1\",,", "\"'=1+1\",,", "\"'=1+1\",two,", "\"'=1+1\",two,"])
    {
        assert!(line.starts_with(start), "{table}");
    }
}

#[test]
fn programs_write_files_only_if_they_may() {
    let folder = examples().file("t.tsv", TRACE);
    let before = std::fs::read_dir(folder.path()).expect("a folder").count();
    folder.run(&["multicore", "queens.elf", "--write"]).exits(0);
    folder.run(&["multicore", "queens.elf", "--timeout", "0.01", "--record", "q.vtr", "--", "11"]).exits(3);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), before, "nothing is left");
}

#[test]
fn limits_end_runs() {
    let folder = examples();
    for more in [&["--only", "program"][..], &["--only", "predictors"], &[]] {
        let words = [&["multicore", "queens.elf", "--timeout", "0.2"], more, &["--", "14"]].concat();
        let run = folder.run(&words).exits(3);
        assert!(run.err.contains("V0005"), "{}", run.err);
    }
    let run = folder.run(&["multicore", "pchase.elf", "--max-memory", "30M", "--", "200000"]).exits(3);
    assert!(run.err.contains("memory"), "{}", run.err);
}
