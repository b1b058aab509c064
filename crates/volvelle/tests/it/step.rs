//! `volvelle step`: the same commands lead through models of every language, and what a walk shows is in the state space.

use crate::common::schema::problems;
use crate::common::{Folder, Run, root, told};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const CHAIN: &str = "dtmc\nmodule m\n  x : [0..6] init 0;\n  b : bool init false;\n  \
                     [go] x<6 -> 0.25 : (x'=x+1) + 0.75 : (x'=max(x-1,0)) & (b'=!b);\n  [stay] x=6 -> true;\nendmodule\n";
const RACE: &str = "ctmc\nmodule left\n  x : [0..4] init 0;\n  [] x<4 -> 2 : (x'=x+1);\n  [back] x>0 -> 1 : (x'=x-1);\nendmodule\n\
                    module right\n  y : [0..2] init 0;\n  [] y<2 -> 0.5 : (y'=y+1);\n  [back] y>0 -> (y'=y-1);\nendmodule\n\
                    rewards \"waits\" true : x; endrewards\n";
const MDP: &str = "mdp\nmodule m\n  s : [0..3] init 0;\n  [a] s<3 -> 0.5 : (s'=s+1) + 0.5 : true;\n  [b] s>0 -> (s'=s-1);\nendmodule\n";
const PROCESSES: &str = "chan c = [1] of { byte };\nbyte n;\nactive proctype P() { byte i; do :: i < 9 -> i++; c!i :: i == 9 -> i = 0 od }\n\
                         active proctype Q() { byte m; do :: c?m -> n = n + m :: n > 20 -> n = 0 od }\n";
const DRN: &str = "@type: DTMC\n@parameters\n\n@reward_models\n\n@nr_states\n3\n@nr_choices\n3\n@model\n\
                   state 0 init\n\taction 0\n\t\t1 : 0.5\n\t\t2 : 0.5\nstate 1\n\taction 0\n\t\t0 : 1\nstate 2\n\taction 0\n\t\t2 : 0.5\n\t\t1 : 0.5\n";
const SYSTEM: &str = "des (0, 7, 4)\n(0, \"PUT !1\", 1)\n(0, \"PUT !2\", 2)\n(1, \"GET !1\", 0)\n(2, \"GET !2\", 0)\n(2, i, 1)\n(1, \"STOP\", 3)\n(3, \"RESET\", 0)\n";

const WEIGHTED: &str =
    "state a {p, q*2}: -1/2-> b, -3-> a;\nstate b {q}: -0-> c, -2-> a;\nstate c {p*3}: -1-> a;\n";
const TERMS: &str = "Pair := (Left | Right) \\ {go};\nLeft := ready:<work,2>.<go!,1>.Left;\nRight := <go>.done:<rest,3>.Right;\n";

/// A model of every language.
fn folder() -> Folder {
    Folder::new()
        .file("chain.prism", CHAIN)
        .file("race.prism", RACE)
        .file("mdp.prism", MDP)
        .file("processes.pml", PROCESSES)
        .file("chain.drn", DRN)
        .file("system.aut", SYSTEM)
        .file(
            "lock.lotos",
            std::fs::read_to_string(root().join("examples/lotos/lock.lotos")).expect("an example"),
        )
        .file("network.exp", "\"system.aut\" |[PUT]| \"system.aut\"\n")
        .file("system.wks", WEIGHTED)
        .file("terms.wccs", TERMS)
}

const MODELS: &[&str] = &[
    "chain.prism",
    "race.prism",
    "mdp.prism",
    "processes.pml",
    "chain.drn",
    "system.aut",
    "lock.lotos",
    "network.exp",
    "system.wks",
    "terms.wccs",
];

/// Runs `volvelle step` with lines to read.
fn led(folder: &Folder, words: &[&str], lines: &str) -> Run {
    told(folder, &[&["step"], words].concat(), lines)
}

/// The walk in an answer.
fn walk_of(answer: &Value) -> Value {
    let names = ["path", "run", "walk", "weighted_walk"];
    names.iter().find_map(|name| answer.get(*name)).expect("a walk").clone()
}

/// The walk of these lines, as JSON.
fn walk(folder: &Folder, model: &str, lines: &str) -> Value {
    walk_of(&led(folder, &[model, "--json"], lines).exits(0).json())
}

/// The steps of a walk.
fn steps(walk: &Value) -> Vec<Value> {
    let steps = walk.get("steps").or_else(|| walk.get("transitions"));
    steps.and_then(Value::as_array).expect("steps").clone()
}

#[test]
fn every_language_is_walked() {
    let folder = folder();
    for model in MODELS {
        let run = led(&folder, &[model], "1\nr 5\nb 2\nv\nl\n?\nq\n").exits(0);
        for words in ["seed 1", "enabled", "back to step 4", "4 steps; more are possible", "random [N]"] {
            assert!(run.out.contains(words), "{model}: no `{words}`\n{}", run.out);
        }
        // The end of the input is an end, too, and empty lines repeat what moved.
        let run = led(&folder, &[model], "\nr 2\n\n").exits(0);
        assert!(
            run.out.contains("there is none yet") && run.out.contains("4 steps; more"),
            "{model}\n{}",
            run.out
        );
    }
}

#[test]
fn ways_back_and_forward_lead_through_the_same_states() {
    let folder = folder();
    for model in MODELS {
        let there = walk(&folder, model, "r 40\n");
        for lines in ["r 40\nb 40\nj 40\n", "r 40\nj 3\nj 38\nb 1\nj 40\n", "r 20\nr 20\n"] {
            assert_eq!(walk(&folder, model, lines), there, "{model}: {lines}");
        }
        let part = steps(&walk(&folder, model, "r 40\nj 7\n"));
        assert_eq!(part[..], steps(&there)[..part.len()], "{model}");
        // Another choice forgets what was taken back; the same one does not.
        let run = led(&folder, &[model], "1\nr 8\nb 9\n1\nj 9\n").exits(0);
        assert!(!run.out.contains("so far") && run.out.contains("9 steps; more"), "{model}\n{}", run.out);
    }
}

#[test]
fn saved_walks_are_walked_again() {
    let folder = folder();
    for (number, model) in MODELS.iter().enumerate() {
        let file = format!("walk{number}.json");
        let there = walk(&folder, model, &format!("r 30\nsave {file}\n"));
        assert_eq!(walk(&folder, model, &format!("r 3\nload {file}\n")), there, "{model}");
        let begun = led(&folder, &[model, "--json", "--trail", &file], "").exits(0).json();
        assert_eq!(walk_of(&begun), there, "{model}");
    }
}

#[test]
fn trails_of_other_models_are_refused() {
    let folder = folder();
    for (model, text, old, new, words) in [
        ("chain.prism", CHAIN, "[go] x<6", "[gone] x<6", "step 1 of `w.json` does not fit the model"),
        ("system.aut", SYSTEM, "GET", "TAKE", "step 2 of `w.json` does not fit the model"),
        ("processes.pml", PROCESSES, "i < 9", "i < 8", "a different version of `processes.pml`"),
        ("system.wks", WEIGHTED, "-1/2->", "-1/4->", "step 1 of `w.json` does not fit the model"),
    ] {
        led(&folder, &[model], "1\n1\nr 4\nsave w.json\n").exits(0);
        let changed = Folder::new()
            .file(model, text.replace(old, new))
            .file("w.json", folder.read("w.json"))
            .file("none.json", "{}");
        let run = led(&changed, &[model, "--trail", "w.json"], "").exits(2);
        assert!(run.err.contains(words) && run.err.contains("help:"), "{model}: {}", run.err);
        // In the dialogue, the walk stays where it is.
        let run = led(&changed, &[model], "r 2\nload w.json\nload none.json\nload nothing.json\n").exits(0);
        assert!(run.err.contains(words) && run.err.contains("is not a trail"), "{model}: {}", run.err);
        assert!(
            run.err.contains("no such file") && run.out.contains("2 steps; more"),
            "{model}: {}{}",
            run.out,
            run.err
        );
    }
    // Inputs are not overwritten.
    let run = led(&folder, &["chain.prism"], "r\nsave chain.prism\n").exits(0);
    assert!(run.err.contains("chain.prism") && folder.read("chain.prism") == CHAIN, "{}", run.err);
}

/// Edges of an ALDEBARAN file: source, label, target.
fn edges(text: &str) -> BTreeSet<(u64, String, u64)> {
    let edge = |line: &str| {
        let (from, rest) = line.trim_matches(['(', ')']).split_once(',').expect("a source");
        let (label, to) = rest.rsplit_once(',').expect("a target");
        (
            from.parse().expect("a number"),
            label.trim().trim_matches('"').to_owned(),
            to.trim().parse().expect("a number"),
        )
    };
    text.lines().skip(1).map(edge).collect()
}

#[test]
fn walks_through_systems_take_their_transitions() {
    // The last one is larger than the part of it that is made at first.
    let ring = "des (0, 3, 3)\n(0, \"A\", 1)\n(1, \"B\", 2)\n(2, \"C\", 0)\n";
    let large = ["\"ring.aut\""; 9].join(" ||| ");
    let folder = folder().file("ring.aut", ring).file("large.exp", large);
    for model in ["system.aut", "lock.lotos", "network.exp", "large.exp"] {
        folder.run(&["explore", model, "--export", "all.aut"]).exits(0);
        let all = edges(&folder.read("all.aut"));
        for seed in ["1", "2", "3"] {
            let json = led(&folder, &[model, "--json", "--seed", seed], "r 50\n").exits(0).json();
            for step in steps(&json["walk"]) {
                let number = |name: &str| step[name].as_u64().expect("a state");
                let label = step["label"].as_str().expect("a label").to_owned();
                let edge = (number("source"), label, number("target"));
                assert!(all.contains(&edge), "{model}: {edge:?}");
            }
        }
    }
}

#[test]
fn walks_through_processes_are_runs() {
    let folder = folder();
    folder.run(&["explore", "processes.pml", "--export", "all.aut"]).exits(0);
    let all = edges(&folder.read("all.aut"));
    let run = walk(&folder, "processes.pml", "r 60\n");
    let mut states = BTreeSet::from([0]);
    for step in steps(&run) {
        let text = |name: &str| step[name].as_str().unwrap_or_default();
        let label = format!("{}({}): {}", text("name"), step["process"], text("statement"));
        let next =
            all.iter().filter(|(from, by, _)| states.contains(from) && *by == label).map(|(.., to)| *to);
        states = next.collect();
        assert!(!states.is_empty(), "{label}: {step}");
    }
    assert_eq!(steps(&run).len(), 60);
}

/// The states of a model by their values: numbers of successors, with which all steps of walks are compared.
#[test]
fn walks_through_modules_take_their_transitions() {
    let folder = folder();
    for model in ["chain.prism", "race.prism", "mdp.prism"] {
        folder.run(&["explore", model, "--export", "all.tra,all.sta"]).exits(0);
        let sta = folder.read("all.sta");
        let of_values: BTreeMap<&str, &str> = sta
            .lines()
            .skip(1)
            .map(|line| line.split_once(':').expect("a number and values"))
            .map(|(number, values)| (values.trim_matches(['(', ')']), number))
            .collect();
        let names: Vec<&str> =
            sta.lines().next().expect("names").trim_matches(['(', ')']).split(',').collect();
        let tra = folder.read("all.tra");
        let pairs: BTreeSet<(&str, &str)> = tra
            .lines()
            .skip(1)
            .map(|line| {
                let words: Vec<&str> = line.split(' ').collect();
                (words[0], words[if model.starts_with("mdp") { 2 } else { 1 }])
            })
            .collect();
        let mut values = vec![String::new(); names.len()];
        let mut before: Option<String> = None;
        let path = walk(&folder, model, "r 80\n");
        assert!(steps(&path).len() > 20, "{model}");
        for step in steps(&path) {
            for change in step["changes"].as_array().expect("changes") {
                let at = names.iter().position(|name| *name == change["name"]).expect("a variable");
                values[at] = change["after"].to_string();
            }
            let here = (*of_values.get(values.join(",").as_str()).unwrap_or_else(|| panic!("{values:?}")))
                .to_owned();
            if let Some(before) = before {
                assert!(pairs.contains(&(&before, &here)), "{model}: {before} -> {here}");
            }
            before = Some(here);
        }
    }
}

#[test]
fn walks_go_on_until_something_holds() {
    let folder = folder();
    for (model, goal, line) in [
        ("chain.prism", "x=2 & b", "reached in step"),
        ("chain.prism", "[go]", "reached in step 1"),
        ("race.prism", "x+y>3", "reached in step"),
        ("race.prism", "[back]", "reached in step"),
        ("processes.pml", "n > m", "V0"),
        ("processes.pml", "n > 5", "reached in step"),
        ("processes.pml", "[Q]", "reached in step"),
        ("processes.pml", "[c?m]", "reached in step"),
        ("chain.drn", "s=2", "V0"),
        ("system.aut", "[GET]", "reached in step"),
        ("system.aut", "state=2", "reached in step"),
        ("system.aut", "x=2", "have numbers only"),
        ("lock.lotos", "[LEAVE !1]", "reached in step"),
        ("system.wks", "p > 2", "reached in step"),
        ("system.wks", "p & !q", "reached in step"),
        ("system.wks", "EF[<=0] p > 2", "reached in step"),
        ("system.wks", "[1/2]", "reached in step"),
        ("system.wks", "[c]", "reached in step"),
        ("system.wks", "r", "no state has the proposition `r`"),
        ("system.wks", "EF[<=?] p", "holds in a state or does not"),
        ("system.wks", "p &", "V1821"),
        ("terms.wccs", "done", "reached in step"),
        ("terms.wccs", "done > 1", "not reached in 10,000 steps"),
        ("chain.prism", "P>0.5 [ F x=1 ]", "no condition on a single state"),
        ("chain.prism", "x=", "V0102"),
        ("mdp.prism", "s=9", "not reached in 10,000 steps"),
    ] {
        let run = led(&folder, &[model], &format!("u {goal}\nq\n")).exits(0);
        assert!(run.out.contains(line) || run.err.contains(line), "{model}: {goal}\n{}{}", run.out, run.err);
    }
    // The state has the value afterwards.
    let run = led(&folder, &["chain.prism"], "u x=3\nv\n").exits(0);
    assert!(run.out.contains("    x  3\n"), "{}", run.out);
}

#[test]
fn wrong_lines_say_what_is_possible() {
    let folder = folder();
    let run = led(&folder, &["chain.prism"], "7\nx\nb\nj 3\nr 0\nsave\n\nq\n").exits(0);
    for words in [
        "`7` is no step: they have the numbers 1 to 2",
        "`x` is no command",
        "there is no earlier state",
        "there are only 0 steps so far: r 3 goes on",
        "write r or random [N]",
        "write save FILE",
        "0 steps; more are possible",
    ] {
        assert!(run.out.contains(words), "no `{words}`\n{}", run.out);
    }
    // Where nobody sees the answer, they are errors.
    let run = led(&folder, &["chain.prism", "--json"], "r\n7\n").exits(2);
    assert!(run.err.contains("line 2 of the commands: `7` is no step"), "{}", run.err);
    let run = led(&folder, &["chain.prism", "--steps", "3"], "r 9\nr\nb\nr\n").exits(0);
    assert!(run.out.contains("may have no more: --steps"), "{}", run.out);
}

#[test]
fn ends_and_errors() {
    let folder = folder()
        .file("ends.prism", "dtmc\nmodule m\n  x : [0..1] init 0;\n  [] x=0 -> (x'=1);\nendmodule\n")
        .file(
            "fails.prism",
            "dtmc\nmodule m\n  x : [0..1] init 0;\n  [] true -> 0.5 : (x'=x+1) + 0.5 : true;\nendmodule\n",
        )
        .file("asserts.pml", "byte n; active [2] proctype P() { n++; assert(n < 2) }\n")
        .file("ends.pml", "active proctype P() { skip }\n");
    let run = led(&folder, &["ends.prism"], "1\n1\nr\nb\n1\nq\n").exits(0);
    assert!(run.out.contains("the walk ends here: no transition is enabled"), "{}", run.out);
    assert!(
        run.out.contains("`1` is no step: the walk ends here") && run.out.contains("1 step, then"),
        "{}",
        run.out
    );
    // A step that fails is listed as such; the walk stays before it.
    let run = led(&folder, &["fails.prism"], "1\n1\n2\n").exits(0);
    assert!(run.out.contains("(fails)") && run.out.contains("the walk stays where it is"), "{}", run.out);
    assert!(
        run.err.contains("x would become 2") && run.out.contains("2 steps; more"),
        "{}{}",
        run.out,
        run.err
    );
    let run = led(&folder, &["asserts.pml"], "1\n2\n1\nb\nq\n").exits(0);
    assert!(run.err.contains("V04") && run.out.contains("back to step 2"), "{}{}", run.out, run.err);
    let run = led(&folder, &["asserts.pml", "--json"], "1\n2\n1\n").exits(1);
    assert_eq!(run.json()["run"]["steps"].as_array().map(Vec::len), Some(3));
    let run = led(&folder, &["ends.pml"], "r 9\n").exits(0);
    assert!(run.out.contains("all processes are in valid end states"), "{}", run.out);
}

#[test]
fn properties_are_decided_on_the_way() {
    let folder = folder();
    let property = "P=? [ F<=2 x=2 ]";
    let run = led(&folder, &["chain.prism", "--prop", property], "1\n1\nr\n").exits(0);
    assert!(run.out.contains("P=? [ F<=2 x=2 ]: true"), "{}", run.out);
    let run = led(&folder, &["chain.prism", "--prop", property], "q\n").exits(0);
    assert!(run.out.contains("not decided: P=? [ F<=2 x=2 ]"), "{}", run.out);
    let bad = led(&folder, &["chain.prism", "--prop", "P=? [ F z=2 ]"], "q\n").exits(2);
    assert!(bad.err.contains("`z`"), "{}", bad.err);
}

#[test]
fn walks_are_tables_and_pages() {
    let folder = folder();
    for model in MODELS {
        let run = led(&folder, &[model, "--csv", "t.csv", "--html", "p.html"], "r 4\nb\n").exits(0);
        assert!(run.out.contains("written: t.csv, p.html"), "{model}: {}", run.out);
        let (table, page) = (folder.read("t.csv"), folder.read("p.html"));
        assert!(table.lines().count() >= 4 && page.trim_end().ends_with("</html>"), "{model}: {table}");
        assert_eq!(led(&folder, &[model, "--csv", "-"], "r 4\nb\n").exits(0).out, table, "{model}");
        assert_eq!(led(&folder, &[model, "--quiet"], "r 4\nb\n").exits(0).out, "", "{model}");
    }
}

#[test]
fn answers_have_the_documented_shape() {
    let folder = folder();
    let schema = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    let schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    for model in MODELS {
        let json = led(&folder, &[model, "--json"], "r 9\n").exits(0).json();
        let found = problems(&schema, &json);
        assert!(found.is_empty(), "{model}: {}\n{json:#}", found.join("\n"));
    }
}

#[test]
fn what_is_refused() {
    let folder = folder().file("reads.pml", "int c; active proctype P() { STDIN?c }\n");
    let run = led(&folder, &["reads.pml"], "1\n").exits(2);
    assert!(run.err.contains("the model reads `STDIN`"), "{}", run.err);
    let run = led(&folder, &["-", "--language", "prism"], CHAIN).exits(2);
    assert!(run.err.contains("commands are read from standard input"), "{}", run.err);
    let run = led(&folder, &["lock.lotos", "--prop", "x"], "").exits(2);
    assert!(run.err.contains("--prop does not apply"), "{}", run.err);
    let run = led(&folder, &["chain.prism", "--define", "N=1"], "").exits(2);
    assert!(run.err.contains("--define"), "{}", run.err);
    led(&folder, &["chain.prism", "--steps", "0"], "").exits(2);
    let run = led(&folder, &["lock.lotos", "--weights", "steps"], "").exits(2);
    assert!(run.err.contains("--weights does not apply"), "{}", run.err);
    let run = led(&folder, &["chain.prism", "--weights", "steps", "--prop", "P=? [ F x=2 ]"], "").exits(2);
    assert!(run.err.contains("--prop does not apply to a walk through a weighted system"), "{}", run.err);
    let kinds = Folder::new()
        .file("several.drn", DRN.replace("state 1\n", "state 1 init\n"))
        .file("ring.mpi", "process A { }\n")
        .file("chance.aut", "des (0 1/2 1, 1, 2)\n(0, \"a\", 1)\n");
    for (model, part) in [
        ("several.drn", "let the file name one of them"),
        ("ring.mpi", "a file STUDY.toml with `program = \"ring.mpi\"`"),
        ("chance.aut", "add a first state whose only transition has this distribution"),
    ] {
        let run = led(&kinds, &[model], "").exits(2);
        assert!(run.err.contains(part), "{model}: {}", run.err);
    }
    // The modes of other commands that it replaces.
    for words in [["trace", "chain.prism", "--interactive"], ["simulate", "processes.pml", "-i"]] {
        let run = folder.run(&words).exits(2);
        assert!(run.err.contains(&format!("volvelle step {}", words[1])), "{}", run.err);
    }
}
