//! Windows that stand for programs, and the choice among machines.

use crate::common::schema::problems;
use crate::multicore::{TRACE, examples, schema};
use serde_json::Value;

fn number(of: &Value, key: &str) -> f64 {
    of[key].as_f64().unwrap_or_else(|| panic!("{key} in {of}"))
}

fn results(words: &[&str]) -> Vec<Value> {
    let found = examples().run(&[&["multicore"], words, &["--json"]].concat()).exits(0).json();
    let wrong = problems(&schema(), &found);
    assert!(wrong.is_empty(), "{words:?}: {wrong:?}");
    found["results"].as_array().expect("results").clone()
}

/// Windows have what the whole program has, but for cycles, which lie near.
#[test]
fn windows_stand_for_programs() {
    let words = ["queens.elf", "--machine", "paper-quad-8", "--predictor", "gag-14,perceptron-8,gag-14"];
    let windows = ["--windows", "20", "--window", "2000", "--warm-up", "500"];
    let arguments = ["--", "8"];
    // The names of options come before the arguments of the program.
    let run = |options: &[&str]| {
        let all = [&["multicore"], &words[..], options, &["--json"], &arguments[..]].concat();
        examples().run(&all).exits(0).json()["results"].as_array().expect("results").clone()
    };
    let (whole, sampled) = (run(&[]), run(&windows));
    for (whole, sampled) in whole.iter().zip(&sampled) {
        for key in ["instructions", "tasks", "predictions", "mispredictions", "rounds", "target_misses"] {
            assert_eq!(whole[key], sampled[key], "{key}");
        }
        assert_eq!(sampled["windows"].as_array().map(Vec::len), Some(20));
        let (lower, ipc, upper) =
            (number(sampled, "ipc_lower"), number(sampled, "ipc"), number(sampled, "ipc_upper"));
        assert!(lower < ipc && ipc < upper, "{sampled}");
        assert!((ipc / number(whole, "ipc") - 1.0).abs() < 0.05, "{ipc} {whole}");
        let stack = sampled["stack"].as_object().expect("parts").values();
        let total: f64 = stack.map(|part| part.as_f64().expect("a number")).sum();
        assert!((total - number(sampled, "cycles")).abs() < 1e-6 * total);
    }
    // A gain is told with its interval; over the same predictor it is nothing.
    assert!(sampled[0]["gain"].is_null() && sampled[1]["gain"]["lower"].is_number());
    let same = &sampled[2]["gain"];
    assert_eq!((number(same, "value"), same["is_significant"].as_bool()), (0.0, Some(false)), "{same}");
    // More windows make it more precise; where they cover the program, all of it is simulated.
    let precise = run(&["--window", "1000", "--warm-up", "0", "--precision", "3%"]);
    for row in &precise {
        let (lower, upper) = (number(row, "ipc_lower"), number(row, "ipc_upper"));
        let half = (1.0 / lower - 1.0 / upper) / 2.0 * number(row, "ipc");
        assert!(half <= 0.03, "{half}");
    }
    let covered = run(&["--windows", "1000", "--window", "10000"]);
    assert_eq!(covered[0]["cycles"], whole[0]["cycles"]);
    assert!(covered[0]["windows"].is_null());
}

#[test]
fn lost_sense_of_windows() {
    let folder = examples().file("t.tsv", TRACE);
    for (words, what) in [
        ("t.tsv --windows 1", "at least 2"),
        ("t.tsv --windows x", "a number of windows"),
        ("t.tsv --precision 0", "precision"),
        ("t.tsv --precision 200%", "precision"),
        ("t.tsv --windows 3 --only predictors", "--windows has no effect"),
        ("t.tsv --window 3 --only program", "--window has no effect"),
        ("queens.elf --window 3 --const cores=8", "shorter than the tasks of all cores"),
    ] {
        let words: Vec<&str> = std::iter::once("multicore").chain(words.split(' ')).collect();
        let run = folder.run(&words).exits(2);
        assert!(run.err.contains(what), "{words:?}: {}", run.err);
    }
}

/// The choice is that of a look at all answers; a strategy that may try all of them finds the same.
#[test]
fn the_best_machine_is_chosen() {
    let words = [
        "queens.elf",
        "--machine",
        "paper-quad-8",
        "--const",
        "cores=1,4",
        "--const",
        "alus=1,4",
        "--predictor",
        "gag-14,tage,oracle",
        "--minimize",
        "units * bits",
        "--constraint",
        "ipc >= 1.1 && bits > 0",
    ];
    let all = results(&words);
    assert_eq!(all.len(), 12);
    let is_met = |row: &&Value| number(row, "ipc") >= 1.1 && number(row, "bits") > 0.0;
    let value = |row: &Value| number(&row["choice"], "units") * number(row, "bits");
    let expected = all.iter().filter(is_met).map(value).fold(f64::INFINITY, f64::min);
    let best: Vec<&Value> = all.iter().filter(|row| row["choice"]["is_best"] == true).collect();
    assert_eq!(best.len(), 1);
    assert_eq!(number(&best[0]["choice"], "value"), expected);
    // The front, pair by pair.
    let three = |row: &Value| (number(row, "bits"), number(&row["choice"], "units"), number(row, "ipc"));
    for row in &all {
        let own = three(row);
        let surpassed = all
            .iter()
            .map(three)
            .any(|other| other.0 <= own.0 && other.1 <= own.1 && other.2 >= own.2 && other != own);
        assert_eq!(row["choice"]["is_on_front"].as_bool(), Some(!surpassed), "{row}");
    }
    for strategy in ["exhaustive", "random", "local", "guided"] {
        let tried = results(&[&words[..], &["--strategy", strategy]].concat());
        assert_eq!(tried.len(), 12, "{strategy}");
        let of = tried.iter().find(|row| row["choice"]["is_best"] == true).expect("a best one");
        assert_eq!((&of["machine"], &of["predictor"]), (&best[0]["machine"], &best[0]["predictor"]));
    }
    let some = results(&[&words[..], &["--strategy", "guided", "--evaluations", "5"]].concat());
    assert_eq!(some.len(), 5);
}

#[test]
fn lost_choices() {
    let folder = examples().file("t.tsv", TRACE);
    let run = folder.run(&["multicore", "t.tsv", "--constraint", "ipc > 99"]).exits(1);
    assert!(run.out.contains("none of 2 has it"), "{}", run.out);
    for (words, what) in [
        ("t.tsv --minimize bitz", "`bitz` is no quantity"),
        ("t.tsv --minimize bits --maximize ipc", "cannot be used with"),
        ("t.tsv --constraint ipc>", "a value is missing"),
        ("t.tsv --evaluations 3", "--strategy"),
        ("t.tsv --strategy best", "guided"),
        ("t.tsv --maximize ipc --only predictors", "--maximize has no effect"),
        ("small.toml --strategy guided", "nothing of readings"),
    ] {
        let words: Vec<&str> = std::iter::once("multicore").chain(words.split(' ')).collect();
        let run = folder.run(&words).exits(2);
        assert!(run.err.contains(what), "{words:?}: {}", run.err);
    }
}
