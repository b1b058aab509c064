//! Every option of every command, with every kind of model: it applies, or it is refused with a way out, and never ignored.
//!
//! The options are those of `--help`; an option without a sample value here fails the test. What applies where is compared with the
//! table in `docs/options.md`, which `BLESS=1 cargo test -p volvelle --test it options::` writes.

use crate::common::{Folder, root};
use std::collections::BTreeMap;

const CHAIN: &str = "dtmc
const int N = 2;
module m
  x : [0..2] init 0;
  [go] x<N -> 1/2 : (x'=x+1) + 1/2 : (x'=0);
  [] x=N -> true;
endmodule
rewards \"steps\" true : 1; endrewards
";

const DECISIONS: &str = "mdp
module m
  x : [0..2] init 0;
  [a] x=0 -> 1/2 : (x'=1) + 1/2 : (x'=2);
  [b] x=0 -> (x'=2);
  [] x>0 -> true;
endmodule
";

const PROCESSES: &str = "byte n;
active [2] proctype P() { n < 4; n++ }
";

const CHOICE: &str = "byte p, time;
bool done;
active proctype P() { select(p : 1 .. 2); time = time + p; done = true }
";

const CHOICES: &str = "parameter x in [0, 2];
state s {p}: -(x + 1)-> t, -0-> s;
state t {q};
";

const RATES: &str = "des (0, 5, 3)
(0, \"ARRIVE; rate 2\", 1)
(1, \"ARRIVE; rate 2\", 2)
(1, \"SERVE; rate 3\", 0)
(2, \"LOSS\", 1)
(0, \"SERVE; rate 1/2\", 0)
";

/// What is done: a column of the table, and the words of the command line behind the option.
const CONTEXTS: &[(&str, &str, &[&str])] = &[
    ("check", "PRISM", &["chain.prism", "--prop", "P=? [ F x=2 ]"]),
    ("check", "PRISM, search", &["chain.prism", "--safety"]),
    ("check", "Promela", &["processes.pml"]),
    ("check", "explicit", &["chain.tra", "--prop", "P=? [ F x=2 ]"]),
    ("check", "LOTOS", &["cell.lotos", "--mcl", "DEADLOCK_FREE"]),
    ("check", "weighted", &["choices.wks", "--wctl", "true"]),
    ("simulate", "PRISM", &["chain.prism", "--prop", "P=? [ F x=2 ]"]),
    ("simulate", "Promela", &["processes.pml"]),
    ("simulate", "explicit", &["chain.tra", "--prop", "P=? [ F x=2 ]"]),
    ("trace", "PRISM", &["chain.prism"]),
    ("trace", "explicit", &["chain.tra"]),
    ("step", "PRISM", &["chain.prism"]),
    ("step", "Promela", &["processes.pml"]),
    ("step", "explicit", &["chain.tra"]),
    ("step", "LOTOS", &["cell.lotos"]),
    ("step", "ALDEBARAN", &["rates.aut"]),
    ("step", "weighted", &["choices.wks"]),
    ("explore", "PRISM", &["chain.prism"]),
    ("explore", "Promela", &["processes.pml"]),
    ("explore", "explicit", &["chain.tra"]),
    ("explore", "weighted", &["choices.wks"]),
    ("info", "PRISM", &["chain.prism"]),
    ("info", "Promela", &["processes.pml"]),
    ("info", "explicit", &["chain.tra"]),
    ("lint", "Promela", &["processes.pml"]),
    ("reduce", "PRISM of systems", &["chain.prism"]),
    ("reduce", "Promela of systems", &["processes.pml"]),
    ("reduce", "LOTOS", &["cell.lotos"]),
    ("reduce", "ALDEBARAN", &["rates.aut"]),
    ("reduce", "weighted", &["choices.wks", "--relation", "wbb"]),
    ("compare", "PRISM of systems", &["chain.prism", "chain.prism"]),
    ("compare", "Promela of systems", &["processes.pml", "processes.pml"]),
    ("compare", "ALDEBARAN", &["rates.aut", "rates.aut"]),
    ("compare", "weighted", &["choices.wks", "choices.wks", "--relation", "wbb"]),
    ("steady", "ALDEBARAN", &["rates.aut"]),
    ("transient", "ALDEBARAN", &["rates.aut", "--times", "1"]),
    ("transient", "ALDEBARAN, passage", &["rates.aut", "--first-passage", "LOSS"]),
    ("distance", "weighted", &["choices.wks"]),
    ("distance", "weighted, two", &["choices.wks", "choices.wks"]),
    ("distance", "PRISM of weights", &["chain.prism", "chain.prism"]),
    ("tune", "Promela", &["choice.pml", "--minimize", "time", "--goal", "done", "--parameters", "p"]),
];

const CELL: &str = "specification CELL [PUT, GET] : noexit
behaviour
  CELL [PUT, GET]
where
  process CELL [PUT, GET] : noexit := PUT ?X : BOOL; GET !X; CELL [PUT, GET] endproc
endspec
";

/// Contexts of commands that compare the states of weighted systems.
const RELATED: &[(&str, &str)] = &[
    ("reduce", "weighted"),
    ("compare", "weighted"),
    ("reduce", "PRISM of systems"),
    ("compare", "PRISM of systems"),
    ("reduce", "Promela of systems"),
    ("compare", "Promela of systems"),
];

/// Words by which a model becomes a weighted structure, with a question about it.
fn weighing(mut words: Vec<&'static str>, command: &str, kind: &str) -> Vec<&'static str> {
    if !words.contains(&"--weights") {
        words.extend(["--weights", "steps"]);
    }
    if RELATED.contains(&(command, kind)) {
        words.extend(["--relation", "wbb"]);
    }
    if command == "check" {
        words.extend(["--wctl", "true"]);
    }
    words
}

/// Words for an option in a context, where it may have an effect.
#[expect(clippy::too_many_lines, reason = "a list of cases")]
fn sample(option: &str, command: &str, kind: &str) -> Vec<&'static str> {
    match option {
        "--const" if kind.starts_with("weighted") => vec!["--const", "x=1"],
        "--const" if kind.starts_with("Promela") => vec!["--const", "N=2"],
        "--const" if kind.ends_with("of systems") => vec!["--const", "N=1"],
        // The constant of a property.
        "--const" if kind == "explicit" => vec!["--const", "k=2", "--prop", "P=? [ F x=k ]"],
        "--const" if kind == "PRISM, search" => vec!["--const", "k=2", "--ltl", "G (x<k+5)"],
        "--const" if kind.starts_with("ALDEBARAN") => vec!["--const", "LAMBDA=3/2"],
        "--const" => vec!["--const", "k=2", "--prop", "P=? [ F x=k ]"],
        "--prop" if kind == "Promela" => vec!["--prop", "[] (n < 9)"],
        "--prop" => vec!["--prop", "P=? [ F x=1 ]"],
        "--plot" if kind == "PRISM, search" || kind == "Promela" => vec!["--plot", "out.svg"],
        "--plot" if kind.starts_with("ALDEBARAN") => vec!["--plot", "out.svg", "--const", "LAMBDA=1:3"],
        "--log-axes" if kind.starts_with("ALDEBARAN") => {
            vec!["--log-axes", "y", "--plot", "out.svg", "--const", "LAMBDA=1:3"]
        }
        "--plot" => vec!["--plot", "out.svg", "--const", "k=0:2", "--prop", "P=? [ F<=k x=1 ]"],
        "--log-axes" if kind == "PRISM, search" || kind == "Promela" => vec!["--log-axes", "y"],
        "--log-axes" => {
            vec!["--log-axes", "y", "--plot", "out.svg", "--const", "k=1:3", "--prop", "P=? [ F<=k x=1 ]"]
        }
        "--search" if command == "tune" => vec!["--search", "bisection"],
        "--minimize" if command == "distance" => vec!["--minimize"],
        "--minimize" => vec!["--minimize", "time"],
        "--goal" => vec!["--goal", "done"],
        "--parameters" => vec!["--parameters", "p"],
        "--platform" => vec!["--platform", "platform.toml"],
        "--size" => vec!["--size", "64"],
        "--constraint" => vec!["--constraint", "p < 2"],
        "--kernel" => vec!["--kernel", "sum"],
        "--strategy" => vec!["--strategy", "random"],
        "--measurements" => vec!["--measurements", "times.json"],
        "--t1" => vec!["--t1", "problem.json"],
        "--t4" => vec!["--t4", "results.json"],
        "--evaluations" | "--repetitions" | "--kernel-timeout" => vec![leak(option), "3"],
        "--find" | "--such-that" | "--greatest" | "--every-value" => {
            let find = ["--find", "k=1:3", "--such-that", "P>0.1 [ F<=k x=1 ]"];
            find.into_iter().chain((!find.contains(&option)).then(|| leak(option))).collect()
        }
        "--shard" | "--output" if command == "check" => {
            let part = leak(&format!("{}-{}.vvs", &option[2..], kind.len()));
            vec!["--shard", "1/2", "--output", part, "--const", "k=0:2", "--prop", "P=? [ F<=k x=1 ]"]
        }
        "--checkpoint" if command == "check" => {
            vec![
                "--checkpoint",
                leak(&format!("{}.vvs", kind.len())),
                "--const",
                "k=0:2",
                "--prop",
                "P=? [ F<=k x=1 ]",
            ]
        }
        "--shard" | "--output" if command == "simulate" || option == "--shard" => {
            vec!["--shard", "1/2", "--output", leak(&format!("{}-s{}.vvs", &option[2..], kind.len()))]
        }
        "--checkpoint" => vec!["--checkpoint", leak(&format!("s{}.vvs", kind.len()))],
        "--round" => {
            let part = leak(&format!("r{}.vvs", kind.len()));
            let round = if kind == "PRISM" { "round.json" } else { "round-explicit.json" };
            vec!["--round", round, "--shard", "1/2", "--output", part]
        }
        "--transient" => vec!["--transient", "2"],
        "--by" => vec!["--by", "x", "--steady-state"],
        "--csv" => vec!["--csv", "out.csv"],
        "--html" => vec!["--html", "out.html"],
        "--trail" if command == "step" && kind != "Promela" => vec!["--trail", "walk.json"],
        "--trail" => vec!["--trail", "trail.json"],
        "--export-scheduler" if kind == "PRISM, search" || kind == "Promela" => {
            vec!["--export-scheduler", "out.txt"]
        }
        "--export-scheduler" => vec!["--export-scheduler", "out.txt", "--prop", "Pmax=? [ F x=2 ]"],
        "--export-induced" if kind == "PRISM, search" || kind == "Promela" => {
            vec!["--export-induced", "out.umb"]
        }
        "--export-induced" => vec!["--export-induced", "out.umb", "--prop", "Pmax=? [ F x=2 ]"],
        "--export" => vec!["--export", "out.dot"],
        "--method" => vec!["--method", "auto"],
        "--language" if kind.starts_with("Promela") => vec!["--language", "promela"],
        "--language" if kind.starts_with("weighted") => vec!["--language", "wks"],
        "--language" if kind == "LOTOS" => vec!["--language", "lotos"],
        "--language" if kind.starts_with("ALDEBARAN") || kind == "explicit" => vec!["--language", "explicit"],
        "--language" => vec!["--language", "prism"],
        "--labels" => vec!["--labels", "chain.lab"],
        "--state-values" => vec!["--state-values", "chain.sta"],
        "--observations" => vec!["--observations", "seen.obs"],
        "--state-rewards" => vec!["--state-rewards", "chain.srew"],
        "--transition-rewards" => vec!["--transition-rewards", "other.trew"],
        "--device" => vec!["--device", "threads"],
        "--device-config" => vec!["--device-config", "devices.toml"],
        "--rounding" => vec!["--rounding", "1e-6", "--relation", "stochastic-strong"],
        "--epsilon" => vec!["--epsilon", "1e-6", "--method", "power"],
        "--as" => vec!["--as", "mdp"],
        "--omega" => vec!["--omega", "0.9", "--method", "sor"],
        "--scheduler" if kind == "PRISM" => vec!["--scheduler", "uniform", "--prop", "Pmax=? [ F x=2 ]"],
        "--scheduler" => vec!["--scheduler", "uniform"],
        "--relative" => vec!["--relative", "--width", "0.1"],
        "--width" => vec!["--width", "0.1"],
        "--indifference" => vec!["--indifference", "0.01", "--prop", "P>=0.5 [ F x=1 ]"],
        "--rare" => vec!["--rare", "--samples", "1000"],
        "--first-passage" => vec!["--first-passage", "LOSS"],
        "--times" => vec!["--times", "1"],
        "--actions" => vec!["--actions", "LOSS"],
        "--until" => vec!["--until", "x=1"],
        "--ltl" if kind == "Promela" => vec!["--ltl", "[] (n < 9)"],
        "--ltl" => vec!["--ltl", "G (x<3)"],
        "--search" => vec!["--search", "dfs"],
        "--define" => vec!["--define", "N=2"],
        "--max-memory" => vec!["--max-memory", "1G"],
        "--timeout" => vec!["--timeout", "100"],
        "--tier" => vec!["--tier", "interpreter"],
        "--mcl" => vec!["--mcl", "[true*] <true> true"],
        "--wctl" => vec!["--wctl", "true"],
        "--blocking" if RELATED.contains(&(command, kind)) => {
            vec!["--blocking", "sink", "--divergence", "--relation", "wbb"]
        }
        "--blocking" => vec!["--blocking", "sink", "--wctl", "true"],
        "--weights" => weighing(vec!["--weights", "steps"], command, kind),
        "--observe" if kind.starts_with("Promela") => weighing(vec!["--observe", "n"], command, kind),
        "--observe" => weighing(vec!["--observe", "x"], command, kind),
        "--divergence" => vec!["--divergence", "--relation", "wbb"],
        "--within" => vec!["--within", "5%"],
        "--at-most" => vec!["--at-most", "1"],
        "--tolerance" => vec!["--tolerance", "1e-3", "--minimize"],
        "--boxes" => vec!["--boxes", "100", "--minimize"],
        "--kind" => vec!["--kind", "ebd"],
        "--global" => vec!["--global", "--wctl", "true"],
        "--rename" => vec!["--rename", "/go/went/"],
        "--hide" => vec!["--hide", "go"],
        "--relation" if kind == "weighted" => vec!["--relation", "wbb"],
        "--relation" => vec!["--relation", "strong"],
        "--output" if command == "distance" => vec!["--output", "out.dot", "--within", "5%"],
        "--output" if kind == "weighted" => vec!["--output", "out.wks"],
        "--output" => vec!["--output", "out.aut"],
        "--rng" => vec!["--rng", "philox"],
        "--print-code" => vec!["--print-code", "kernel.vk"],
        "--export-model" => vec!["--export-model", "k.pml"],
        "--precision" => vec!["--precision", "1e-3"],
        "--alpha" | "--beta" => {
            vec![leak(option), "1e-3", "--indifference", "0.01", "--prop", "P>=0.5 [ F x=1 ]"]
        }
        "--confidence" => vec!["--confidence", "0.9"],
        "--bisimulation" => vec!["--bisimulation", "strong"],
        "--steady-state-detection" => vec!["--steady-state-detection", "off", "--as", "ctmc"],
        "--verify-width" | "--verify-time" => vec![leak(option), "0.1", "--verify", "always"],
        "--verify-samples" => vec!["--verify-samples", "1000", "--verify", "always"],
        "--verify-repair" => vec!["--verify-repair", "--verify", "always"],
        "--verify-seed" => vec!["--verify-seed", "1", "--verify", "always"],
        "--reduce" if kind == "PRISM" => vec!["--reduce", "--prop", "Pmax=? [ F x=2 ]"],
        "--seed" if command == "tune" => vec!["--seed", "1", "--search", "swarm", "--max-states", "1000"],
        "--max-iterations" | "--max-states" | "--max-depth" | "--max-path-length" | "--samples"
        | "--steps" => {
            vec![leak(option), "1000"]
        }
        "--simulate" => vec!["--simulate", "1000"],
        "--seed" | "--path" | "--threads" => vec![leak(option), "1"],
        "--all"
        | "--log"
        | "--throughput"
        | "--bounds"
        | "--counts"
        | "--no-confluence"
        | "--sensitivity"
        | "--no-warps"
        | "--measure"
        | "--exact"
        | "--steady-state"
        | "--absolute"
        | "--strict-precision"
        | "--states"
        | "--explain"
        | "--witness"
        | "--full-space"
        | "--reduce"
        | "--no-fix-deadlocks"
        | "--no-probability-check"
        | "--fix"
        | "--interpreter"
        | "--verify"
        | "--safety"
        | "--acceptance"
        | "--progress"
        | "--fair"
        | "--all-errors"
        | "--no-reduction"
        | "--shorten"
        | "--symmetry"
        | "--quiet"
        | "--json"
        | "--verbose" => vec![leak(option)],
        _ => panic!("{option} has no sample: add one, so that it is tested in every context"),
    }
}

fn leak(option: &str) -> &'static str {
    Box::leak(option.to_owned().into_boxed_str())
}

/// The long options that the help of a command lists.
fn options(folder: &Folder, command: &str) -> Vec<String> {
    let help = folder.run(&[command, "--help"]).exits(0).out;
    let mut found = Vec::new();
    for line in help.lines() {
        let line = line.trim_start();
        let long =
            if line.starts_with("--") { line } else { line.split_once(", ").map_or("", |(_, long)| long) };
        if let Some(name) = long.strip_prefix("--").filter(|_| line.starts_with('-')) {
            let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(name.len());
            found.push(format!("--{}", &name[..end]));
        }
    }
    found.retain(|option| option != "--help");
    found
}

/// A round of the paths that the contexts of `simulate` have.
fn round(model: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let arguments = format!(r#"["simulate", "{model}", "--prop=P=? [ F x=2 ]"]"#);
    format!(r#"{{ "volvelle": "{version}", "round": 2, "arguments": {arguments}, "paths": [[256, 512]] }}"#)
}

#[test]
fn options_apply_or_are_refused() {
    let folder = Folder::new()
        .file("chain.prism", CHAIN)
        .file("decisions.prism", DECISIONS)
        .file("processes.pml", PROCESSES)
        .file("choice.pml", CHOICE)
        .file("cell.lotos", CELL)
        .file("choices.wks", CHOICES)
        .file("rates.aut", RATES)
        .file("names.aut", RATES.replace("rate 2", "rate LAMBDA"))
        .file("seen.tra", "2 2 2 2\n0 0 1 1 0\n1 0 0 1 1\n")
        .file("seen.lab", "0=\"init\" 1=\"deadlock\"\n0: 0\n")
        .file("seen.obs", "(seen)\n0:(true)\n1:(false)\n")
        .file("other.trew", "3 1\n0 0 1\n")
        .file("devices.toml", "[context]\nCPU = \"threads\"\n")
        .file("round.json", round("chain.prism"))
        .file("round-explicit.json", round("chain.tra"));
    folder.run(&["explore", "chain.prism", "--export", "chain.tra,chain.sta,chain.lab,chain.srew"]).exits(0);
    folder
        .run(&["explore", "decisions.prism", "--export", "decisions.tra,decisions.sta,decisions.lab"])
        .exits(0);
    folder.run(&["check", "processes.pml", "--ltl", "[] (n < 1)", "--trail", "trail.json"]).exits(1);
    let walk = "{\"walk\": 1, \"model\": \"chain.prism\", \"seed\": 1, \"steps\": []}";
    std::fs::write(folder.path().join("walk.json"), walk).expect("a file");
    let mut commands: Vec<&str> = CONTEXTS.iter().map(|(command, ..)| *command).collect();
    commands.dedup();
    let mut page = String::from(BEGINNING);
    let mut silent = Vec::new();
    for command in commands {
        let contexts: Vec<_> = CONTEXTS.iter().filter(|context| context.0 == command).collect();
        page.push_str(&format!("\n## `{command}`\n\n| option |"));
        for (_, kind, _) in &contexts {
            page.push_str(&format!(
                " {} |",
                kind.trim_end_matches(" of systems").trim_end_matches(" of weights")
            ));
        }
        page.push_str(&format!("\n|---|{}\n", "---|".repeat(contexts.len())));
        // Rows with the same marks are one.
        let mut rows: BTreeMap<usize, (Vec<&str>, Vec<String>)> = BTreeMap::new();
        for option in options(&folder, command) {
            let mut marks = Vec::new();
            for (_, kind, rest) in &contexts {
                let words = sample(&option, command, kind);
                // Only an mdp has a scheduler, only a pomdp observations, and an option that is there is not given twice.
                let file = match (option.as_str(), *kind) {
                    ("--scheduler" | "--export-scheduler" | "--export-induced" | "--reduce", "PRISM") => {
                        "decisions.prism"
                    }
                    ("--export-scheduler" | "--export-induced", "explicit") => "decisions.tra",
                    ("--observations", "explicit") => "seen.tra",
                    ("--const" | "--plot" | "--log-axes", "ALDEBARAN" | "ALDEBARAN, passage") => "names.aut",
                    _ => rest[0],
                };
                let words =
                    if rest.contains(&option.as_str()) && option != "--prop" { Vec::new() } else { words };
                let mut line = vec![command, file];
                // The sample may bring a property of its own.
                let own = ["--prop", "--find", "--transient", "--steady-state", "--wctl"]
                    .iter()
                    .any(|own| words.contains(own));
                let rest = if own && rest.contains(&"--prop") { &[][..] } else { &rest[1..] };
                let skips_question = !["check", "simulate", "trace", "step"].contains(&command);
                let words = if skips_question && option == "--const" { &words[..2] } else { &words[..] };
                line.extend_from_slice(rest);
                line.extend_from_slice(words);
                let run = folder.run(&line);
                let refused = run.code == 2;
                if refused && !run.err.contains("help:") && !run.err.contains("For more information") {
                    silent.push(format!("{line:?}: {}", run.err));
                }
                marks.push(if refused { "" } else { "yes" });
            }
            match rows.values_mut().find(|(known, _)| *known == marks) {
                Some((_, names)) => names.push(format!("`{option}`")),
                None => {
                    rows.insert(rows.len(), (marks, vec![format!("`{option}`")]));
                }
            }
        }
        for (marks, names) in rows.values() {
            page.push_str(&format!("| {} |", names.join(", ")));
            marks.iter().for_each(|mark| page.push_str(&format!(" {mark} |").replace("  ", " ")));
            page.push('\n');
        }
    }
    assert!(silent.is_empty(), "errors without a way out:\n{}", silent.join("\n"));
    let path = root().join("docs/options.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &page).expect("write the page");
    }
    let written = std::fs::read_to_string(&path).expect("docs/options.md");
    assert!(written == page, "docs/options.md differs; BLESS=1 rewrites it:\n{page}");
}

const BEGINNING: &str = "# Which option applies where

An option that does not apply to a model, or to what is done with it, is refused with the reason and a way out; none is ignored. So is an
option that acts only beside another one (`--verify-samples` without `--verify`, `--plane` without a picture), and a value that cannot be
read, whether or not the command would have used it.
The column *PRISM, search* stands for `--safety` and `--ltl`. This page is written by a test that tries every option with every kind of model.
";
