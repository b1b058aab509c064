//! `volvelle step --scheduler`: random steps are those of the scheduler that `check` computes.

use crate::common::{Folder, told};
use serde_json::Value;
use std::collections::BTreeMap;

const MODEL: &str = "mdp\nmodule link\n  tries : [0..6] init 0;\n  lost : [0..3] init 0;\n  done : bool init false;\n  \
                     [fast] !done & tries<6 -> 0.6 : (done'=true) + 0.4 : (tries'=tries+1) & (lost'=min(lost+1,3));\n  \
                     [slow] !done & tries<5 -> 0.9 : (done'=true) + 0.1 : (tries'=tries+2);\n  \
                     [wait] !done & tries<6 & lost>0 -> (tries'=tries+1) & (lost'=lost-1);\nendmodule\n";

/// The decisions of a scheduler in a table: values of variables, and the action.
fn decisions(text: &str) -> BTreeMap<Vec<String>, String> {
    let mut rows =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect::<Vec<_>>());
    let heads = rows.next().expect("heads");
    let choice = heads.iter().position(|head| *head == "choice").expect("a column");
    rows.map(|row| {
        (row[1..choice].iter().map(|&value| value.to_owned()).collect(), row[choice + 1].to_owned())
    })
    .collect()
}

/// The states of a path, with the actions that lead to them.
fn path(run: &Value) -> Vec<(Vec<String>, String)> {
    let mut values: Vec<(String, String)> = Vec::new();
    let step = |step: &Value| {
        for change in step["changes"].as_array().expect("changes") {
            let (name, after) = (change["name"].as_str().expect("a name"), change["after"].to_string());
            match values.iter_mut().find(|(known, _)| known == name) {
                Some(known) => known.1 = after,
                None => values.push((name.to_owned(), after)),
            }
        }
        let action = step["action"].as_str().unwrap_or_default().to_owned();
        (values.iter().map(|(_, value)| value.clone()).collect(), action)
    };
    run["path"]["steps"].as_array().expect("steps").iter().map(step).collect()
}

#[test]
fn random_steps_are_those_of_the_scheduler() {
    let folder = Folder::new().file("m.prism", MODEL);
    let mut taken = BTreeMap::<String, usize>::new();
    for property in ["Pmax=? [ F done ]", "Pmin=? [ F done ]", "Pmax=? [ F lost=2 ]"] {
        folder.run(&["check", "m.prism", "--prop", property, "--export-scheduler", "s.txt"]).exits(0);
        let decisions = decisions(&folder.read("s.txt"));
        for seed in 0..12 {
            let seed = seed.to_string();
            let words = ["step", "m.prism", "--scheduler", "s.txt", "--json", "--seed", &seed];
            let states = path(&told(&folder, &words, "u done | tries=6\n").exits(0).json());
            assert!(states.len() > 1);
            for pair in states.windows(2) {
                assert_eq!(pair[1].1, decisions[&pair[0].0], "{property}: {pair:?}");
                *taken.entry(pair[1].1.clone()).or_default() += 1;
            }
        }
    }
    assert!(taken.len() == 3 && taken.values().all(|&count| count > 3), "{taken:?}");
}

#[test]
fn steps_of_the_scheduler_are_marked() {
    let folder = Folder::new()
        .file("m.prism", MODEL)
        .file("chain.prism", "dtmc\nmodule m\n x : bool;\n [] true -> (x'=!x);\nendmodule\n");
    folder.run(&["check", "m.prism", "--prop", "Pmax=? [ F done ]", "--export-scheduler", "s.txt"]).exits(0);
    let action = &decisions(&folder.read("s.txt"))[&["0", "0", "false"].map(str::to_owned).to_vec()];
    let run = told(&folder, &["step", "m.prism", "--scheduler", "s.txt"], "q\n").exits(0);
    assert!(run.out.contains("choices of s.txt"), "{}", run.out);
    let marked: Vec<&str> = run.out.lines().filter(|line| line.contains("takes it")).collect();
    assert!(
        marked.len() == 2 && marked.iter().all(|line| line.contains(&format!("[{action}]"))),
        "{}",
        run.out
    );
    // Another step may be taken, and is in the trail.
    let run =
        told(&folder, &["step", "m.prism", "--scheduler", "s.txt"], "1\nb\n4\nsave w.json\nr\n").exits(0);
    assert!(run.out.contains("written: w.json (1 step)"), "{}", run.out);
    // A state of which it says nothing: `r` says so, and the steps are there to choose.
    let part: String = folder
        .read("s.txt")
        .lines()
        .filter(|line| !line.starts_with("0\t"))
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(folder.path().join("part.txt"), part).expect("a file");
    let run = told(&folder, &["step", "m.prism", "--scheduler", "part.txt"], "r\n1\n").exits(0);
    assert!(run.err.contains("the scheduler has no decision for a state"), "{}", run.err);
    assert!(run.out.contains("1 step; more") || run.out.contains("1 step, then"), "{}", run.out);
    // With memory it makes a chain, whose steps are all there are.
    folder
        .run(&["check", "m.prism", "--prop", "Pmax=? [ F<=3 done ]", "--export-scheduler", "memory.txt"])
        .exits(0);
    let run = told(&folder, &["step", "m.prism", "--scheduler", "memory.txt"], "r 9\n").exits(0);
    assert!(run.out.contains("choices of memory.txt") && !run.out.contains("takes it"), "{}", run.out);
    let run = told(&folder, &["step", "chain.prism", "--scheduler", "s.txt"], "").exits(2);
    assert!(run.err.contains("--scheduler applies to mdps only"), "{}", run.err);
    told(&folder, &["step", "m.prism", "--scheduler", "m.prism"], "").exits(2);
}
