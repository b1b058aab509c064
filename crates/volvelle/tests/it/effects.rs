//! Options have effects: for every option and every kind of question, another value changes standard output, a file or the exit code,
//! or the value is refused; the pairs for which neither is so have a reason in [`REVIEWED`].
//!
//! The options are those of `--help`. `cargo xtask attack --times 60 attack_options` tries all pairs.

use crate::common::{Folder, Run, skipped};
use std::collections::BTreeMap;
use std::fs;
use volvelle_random::attack_cases;

/// Questions, by a name.
const QUESTIONS: &[(&str, &[&str])] = &[
    ("dtmc", &["check", "chain.prism", "--prop", "P=? [ F<=7 x=2 ]"]),
    ("ctmc", &["check", "queue.prism", "--prop", "P=? [ F<=30 x=3 ]"]),
    ("long run", &["check", "queue.prism", "--prop", "S=? [ x=3 ]"]),
    ("mdp", &["check", "mdp.prism", "--prop", "Pmax=? [ F x=2 & z=2 ]"]),
    ("rewards", &["check", "mdp.prism", "--prop", "R{\"c\"}max=? [ C<=5 ]"]),
    ("safety", &["check", "chain.prism", "--safety"]),
    ("ltl", &["check", "queue.prism", "--ltl", "F x=3"]),
    ("promela", &["check", "bad.pml"]),
    ("file", &["check", "chain.tra", "--prop", "P=? [ F<=7 x=2 ]"]),
    ("mcl", &["check", "cell.lotos", "--mcl", "<true*> <\"GET.*\"> true"]),
    ("wctl", &["check", "choices.wks", "--wctl", "EF[<=2] q"]),
    ("find", &["check", "chain.prism", "--find", "k=1:9", "--such-that", "P>0.4 [ F<=k x=2 ]"]),
    ("distribution", &["check", "queue.prism", "--transient", "1"]),
    ("sweep", &["check", "chain.prism", "--prop", "P=? [ F<=k x=2 ]", "--const", "k=1:3"]),
    ("simulate", &["simulate", "queue.prism", "--prop", "P=? [ F<=3 x=3 ]", "--samples", "2000"]),
    ("test", &["simulate", "queue.prism", "--prop", "P>=0.5 [ F<=3 x=3 ]", "--indifference", "0.05"]),
    ("run", &["simulate", "bad.pml"]),
    ("trace", &["trace", "queue.prism"]),
    ("explore", &["explore", "mdp.prism"]),
    ("explore file", &["explore", "chain.tra"]),
    ("explore promela", &["explore", "processes.pml"]),
    ("info", &["info", "chain.prism"]),
    ("lint", &["lint", "processes.pml"]),
    ("reduce", &["reduce", "rates.aut"]),
    ("reduce weighted", &["reduce", "choices.wks", "-r", "wbb"]),
    ("compare", &["compare", "rates.aut", "named.aut"]),
    ("steady", &["steady", "rates.aut"]),
    ("transient", &["transient", "rates.aut", "--times", "1"]),
    ("passage", &["transient", "rates.aut", "--first-passage", "LOSS"]),
    ("distances", &["distance", "choices.wks"]),
    ("distance", &["distance", "choices.wks", "choices.wks"]),
    ("tune", &["tune", "choice.pml", "--minimize", "time", "--goal", "done", "--parameters", "p"]),
    ("nbody", &["nbody", "bodies.toml"]),
    ("rules", &["rules", "check", "s.rules", "names.txt"]),
    ("rules ask", &["rules", "ask", "s.rules", "type", "names.txt"]),
    ("rules test", &["rules", "test", "cases.md"]),
    ("rules print", &["rules", "print", "s.rules"]),
    ("n4js", &["n4js", "check", "p.n4js"]),
];

/// Values of options that have some.
const VALUES: &[(&str, &[&str])] = &[
    ("--language", &["prism", "promela", "explicit", "wks", "lotos"]),
    ("--const", &["k=2", "LAMBDA=2"]),
    ("--as", &["mdp", "ctmc"]),
    ("--prop", &["P=? [ F x=1 ]"]),
    ("--csv", &["o.csv", "-"]),
    ("--plot", &["o.svg", "o.png"]),
    ("--syntax", &["2016"]),
    ("--log-axes", &["x", "y"]),
    ("--transient", &["2", "3"]),
    ("--by", &["x", "min(x,1)"]),
    ("--witness", &["1", "3"]),
    ("--export-scheduler", &["o.txt", "o.json"]),
    ("--export-induced", &["o.umb", "o.dot"]),
    ("--scheduler", &["uniform"]),
    ("--ltl", &["F x=2", "[] (n<9)"]),
    ("--trail", &["o.json", "o.trail"]),
    ("--search", &["dfs", "bitstate", "swarm"]),
    ("--max-depth", &["1", "1000"]),
    ("--define", &["N=2", "X"]),
    ("--mcl", &["<true>true", "[true]false"]),
    ("--rename", &["/GET.*/PUT/", "/LOSS/x/"]),
    ("--hide", &["GET.*", "LOSS"]),
    ("--wctl", &["EF q", "EF[<=1] q"]),
    ("--blocking", &["sink", "loop"]),
    ("--weights", &["steps", "r"]),
    ("--observe", &["x", "n"]),
    ("--precision", &["1e-2", "1e-9"]),
    (
        "--method",
        &["verified", "elimination", "power", "gauss-seidel", "sprt", "bayes", "bisection", "swarm"],
    ),
    ("--max-iterations", &["1", "100"]),
    ("--epsilon", &["1e-2", "1e-9"]),
    ("--rounding", &["1e-2"]),
    ("--omega", &["0.5", "1.2"]),
    ("--steady-state-detection", &["prism", "off"]),
    ("--bisimulation", &["strong", "off"]),
    ("--verify", &["always", "never"]),
    ("--verify-time", &["0.1", "0.2"]),
    ("--verify-samples", &["10", "100"]),
    ("--verify-width", &["0.1", "0.5"]),
    ("--verify-seed", &["5", "6"]),
    ("--device", &["threads", "interpreter"]),
    ("--checkpoint", &["c.vvs"]),
    ("--max-memory", &["100M", "300M"]),
    ("--timeout", &["50", "0.001ms"]),
    ("--max-states", &["1", "1000"]),
    ("--threads", &["1", "2"]),
    ("--html", &["o.html", "-"]),
    ("--labels", &["chain.lab", "other.lab"]),
    ("--state-values", &["chain.sta"]),
    ("--state-rewards", &["chain.srew"]),
    ("--seed", &["5", "6"]),
    ("--samples", &["100", "1000"]),
    ("--confidence", &["0.9", "0.5"]),
    ("--width", &["0.1", "0.01"]),
    ("--alpha", &["0.1", "1e-6"]),
    ("--beta", &["0.1", "1e-6"]),
    ("--indifference", &["0.1", "0.01"]),
    ("--max-path-length", &["1", "100"]),
    ("--rng", &["philox", "xoshiro128++"]),
    ("--tier", &["interpreter", "scalar"]),
    ("--print-code", &["kernel.vk", "kernel.cl"]),
    ("--steps", &["1", "5"]),
    ("--path", &["3", "4"]),
    ("--until", &["x=1"]),
    ("--first-passage", &["SERVE"]),
    ("--export", &["o.dot", "o.aut", "o.umb"]),
    ("--relation", &["strong", "lumping"]),
    ("--output", &["o.aut", "o.dot", "o.wks", "o.vvs"]),
    ("--actions", &["LOSS", "SERVE"]),
    ("--simulate", &["100", "200"]),
    ("--times", &["1", "2"]),
    ("--kind", &["ebd", "wbd"]),
    ("--within", &["5%", "50%"]),
    ("--at-most", &["1", "0"]),
    ("--tolerance", &["0", "1"]),
    ("--boxes", &["1", "100"]),
    ("--minimize", &["time * 2"]),
    ("--t4", &["o.t4"]),
    ("--plot-energy", &["o.svg"]),
    ("--movie", &["frames"]),
    ("--plane", &["xz", "yz"]),
    ("--half-width", &["3", "9"]),
    ("--types", &["type"]),
    ("--latex", &["o.tex", "-"]),
];

/// Pairs whose values change nothing that is seen here: the option, the questions (all if there are none), and why that is right.
const REVIEWED: &[(&str, &[&str], &str)] = &[
    ("--language", &[], "it names the language that the file has; another one is refused"),
    ("--fix", &[], "these models have nothing that could be fixed: `fixing.rs` has some"),
    ("--interpreter", &[], "the reference interpreter gives the same answers by definition"),
    ("--device", &[], "every device gives the same bits"),
    ("--tier", &[], "every tier gives the same bits; -v names it"),
    ("--threads", &[], "any number of threads gives the same answer"),
    ("--max-memory", &[], "a limit acts where it is reached"),
    ("--max-states", &[], "a limit acts where it is reached; what a file has or paths visit is not explored"),
    ("--timeout", &[], "a limit acts where it is reached, and short work has ended by then"),
    ("--max-iterations", &[], "a limit acts where it is reached"),
    ("--max-path-length", &[], "a limit acts where it is reached"),
    ("--verbose", &[], "all details are shown already"),
    ("--no-probability-check", &[], "it acts on models whose probabilities do not sum to one"),
    ("--no-fix-deadlocks", &[], "it acts on models with deadlocks"),
    ("--as", &[], "the model is of that kind, or the question does not depend on it"),
    ("--labels", &[], "the file that is read by itself, or labels that no property names"),
    ("--state-values", &[], "the file that is read by itself"),
    ("--state-rewards", &[], "the file that is read by itself"),
    ("--precision", &[], "the bounds are narrower than any precision that is asked for"),
    ("--absolute", &[], "the bounds are narrower than the precision in both senses"),
    ("--strict-precision", &[], "it acts on the exit code where the precision is not reached"),
    ("--bisimulation", &[], "merged states give the same answer; --explain tells of them"),
    ("--full-space", &[], "all states were explored already, or the answer does not show their number"),
    ("--exact", &[], "the value is exact in doubles, too"),
    ("--steady-state-detection", &["ctmc", "long run", "distribution"], "it acts on long times"),
    ("--method", &[], "the answer is the same where no equations are solved; V0315 says so"),
    ("--symmetry", &[], "no modules are interchangeable; a warning says so"),
    ("--reduce", &[], "a property notices repeated states; a warning says so"),
    ("--witness", &[], "there is no path to show; a warning says so"),
    ("--define", &[], "the macro does not occur; a warning says so"),
    (
        "--const",
        &["wctl", "reduce weighted", "distances", "distance"],
        "the middle of the range, which is taken without it",
    ),
    ("--fair", &["promela"], "it acts on runs without an end"),
    ("--all-errors", &[], "there is one error at most"),
    ("--shorten", &["promela"], "what is found is shortest already"),
    ("--no-reduction", &[], "all orders give the same answer"),
    ("--safety", &["safety", "promela"], "what is asked already"),
    ("--trail", &["safety", "ltl"], "nothing was found that could be replayed"),
    ("--explain", &["simulate", "test"], "code is chosen in longer runs only"),
    ("--blocking", &["wctl"], "the formula does not look at states without steps"),
    ("--global", &["wctl"], "all states give the same verdict"),
    ("--actions", &["passage"], "it acts where the order of immediate steps matters"),
    ("--hide", &["compare", "reduce", "passage"], "no label matches; but for `compare` a warning says so"),
    (
        "--rename",
        &["compare", "reduce", "passage", "transient", "steady"],
        "no label matches; but for `compare` a warning says so",
    ),
    (
        "--search",
        &["ltl", "safety"],
        "the verdict is the same in any order, and formulas are searched for in one",
    ),
    ("--throughput", &["steady"], "what is computed unless --states is given"),
    ("--minimize", &[], "the distance is least already"),
    ("--all", &["tune"], "every configuration is proven already"),
    ("--alpha", &["test"], "the test decides after its first block of paths"),
    ("--beta", &["test"], "the test decides after its first block of paths"),
    ("--width", &["test"], "a bound on the width of the interval that a property without a bound would have"),
    ("--samples", &["test"], "the most paths, and the test needs fewer"),
    ("--confidence", &["test"], "the confidence of the interval that a property without a bound would have"),
    ("--seed", &["run"], "the model has one run"),
    ("--bless", &["rules test"], "all cases are as expected"),
];

fn folder() -> Folder {
    let folder = Folder::new()
        .file("chain.prism", "dtmc\nconst int N = 2;\nmodule m\n x : [0..2] init 0;\n [go] x<N -> 1/2 : (x'=x+1) + 1/2 : (x'=0);\n [] x=N -> true;\nendmodule\nrewards \"steps\" true : 1; endrewards\n")
        .file("queue.prism", "ctmc\nmodule m\n x : [0..3] init 0;\n [up] x<3 -> 2 : (x'=x+1);\n [down] x>0 -> 1 : (x'=x-1);\nendmodule\nrewards \"r\" true : x; endrewards\n")
        .file("mdp.prism", "mdp\nmodule m\n x : [0..4] init 0;\n [a] x=0 -> 1/2 : (x'=1) + 1/2 : (x'=2);\n [b] x=0 -> (x'=3);\n [] x=1 -> 0.3 : (x'=0) + 0.7 : (x'=2);\n [] x=3 -> 0.9 : (x'=0) + 0.1 : (x'=2);\n [c] x=2 -> true;\nendmodule\nmodule n z : [0..2] init 0; [] z<2 -> (z'=z+1); endmodule\nrewards \"c\" true : 1; endrewards\n")
        .file("bad.pml", "byte n;\nactive [2] proctype P() { do :: n < 4 -> n++; printf(\"n %d\\n\", n) :: n > 0 -> n-- :: assert(n < 3) od }\n")
        .file("processes.pml", "byte n;\nactive [2] proctype P() { n < 4; n++ }\n")
        .file("choice.pml", "byte p, time;\nbool done;\nactive proctype P() { select(p : 1 .. 3); time = time + p; done = true }\n")
        .file("choices.wks", "parameter x in [0, 2];\nstate s {p}: -(x + 1)-> t, -0-> s;\nstate t {q};\n")
        .file("rates.aut", RATES)
        .file("named.aut", RATES.replace("rate 3", "rate LAMBDA"))
        .file("cell.lotos", "specification CELL [PUT, GET] : noexit\nbehaviour CELL [PUT, GET]\nwhere process CELL [PUT, GET] : noexit := PUT ?X : BOOL; GET !X; CELL [PUT, GET] endproc\nendspec\n")
        .file("s.rules", "system s\nlanguage \"s.grammar\"\njudgments { type |- Program program : output String }\naxiom Whole G |- Program program : \"whole\"\n")
        .file("s.grammar", "grammar s\nterminal NAME /[a-z]+/\nhidden SPACE /[ \\n]+/\nentry Program : names+=NAME* ;\n")
        .file("names.txt", "a b")
        .file("cases.md", "system: s.rules\n\n## All\n\n```\na b\n```\n\n```expect\n1:1 type = whole\n```\n")
        .file("p.n4js", "var x: int = \"a\";\nvar int y;\n")
        .file("bodies.toml", "[initial]\nmodel = \"plummer\"\nbodies = 8\n[run]\nend = 0.1\n")
        .file("other.lab", "0=\"init\" 1=\"deadlock\" 2=\"w\"\n0: 0\n1: 2\n");
    folder.run(&["explore", "chain.prism", "--export", "chain.tra,chain.sta,chain.lab,chain.srew"]).exits(0);
    folder
}

const RATES: &str = "des (0, 5, 3)\n(0, \"ARRIVE; rate 2\", 1)\n(1, \"ARRIVE; rate 2\", 2)\n(1, \"SERVE; rate 3\", 0)\n(2, \"LOSS\", 1)\n(0, \"SERVE; rate 1/2\", 0)\n";

/// What a run shows, without times and sizes, and the files that it leaves.
#[derive(Debug, PartialEq)]
struct Seen {
    code: i32,
    out: String,
    files: BTreeMap<String, String>,
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).expect("the folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

/// Without numbers in front of units of time and size.
fn steady(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_unit = |word: &str| {
        let word = word.trim_end_matches([')', ',', ';', '.']);
        ["ns", "us", "ms", "s", "min", "B", "KiB", "MiB", "GiB"].contains(&word)
    };
    let is_amount = |i: usize| words.get(i + 1).is_some_and(|next| is_unit(next));
    (0..words.len()).filter(|&i| !is_amount(i)).map(|i| words[i]).collect::<Vec<_>>().join(" ")
}

fn seen(folder: &Folder, words: &[String], own: &[String]) -> (Seen, String) {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Run { code, out, err } = folder.run(&words);
    assert!(!err.contains("panicked"), "{words:?}: {err}");
    let mut files = BTreeMap::new();
    for name in names(folder).into_iter().filter(|name| !own.contains(name)) {
        let path = folder.path().join(&name);
        if path.is_dir() {
            fs::remove_dir_all(&path).expect("it can be removed");
            files.insert(name, String::new());
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).expect("a file")).into_owned();
            fs::remove_file(&path).expect("it can be removed");
            files.insert(name, steady(&text));
        }
    }
    (Seen { code, out: steady(&out), files }, err)
}

/// The long options of a command, and whether they have a value.
fn options(folder: &Folder, command: &str) -> Vec<(String, bool)> {
    let help = folder.run(&[command, "--help"]).exits(0).out;
    let of_line = |line: &str| {
        let line = line.trim_start();
        let long = if line.starts_with("--") { line } else { line.strip_prefix('-')?.split_once(", ")?.1 };
        let name = long.strip_prefix("--")?;
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(name.len());
        Some((format!("--{}", &name[..end]), name[end..].contains('<')))
    };
    let found = help.lines().filter_map(of_line);
    found.filter(|(option, _)| option != "--help").collect()
}

/// What is wrong with an option at a question.
fn complaint(
    folder: &Folder,
    own: &[String],
    question: &str,
    base: &[&str],
    (option, has_value): &(String, bool),
) -> Option<String> {
    let usual: Vec<String> = base.iter().map(|&word| word.to_owned()).collect();
    let (before, _) = seen(folder, &usual, own);
    assert_ne!(before.code, 2, "{base:?}");
    let given = VALUES.iter().find(|(name, _)| name == option).map(|(_, values)| *values);
    let values: Vec<Option<&str>> = match given {
        Some(values) => values.iter().copied().map(Some).collect(),
        None if *has_value => return None,
        None => vec![None],
    };
    let mut accepted = Vec::new();
    for value in values {
        // An option that is there gets another value.
        let at = usual.iter().position(|word| word == option);
        let mut words = usual.clone();
        match (at, value) {
            (Some(at), Some(value)) => words[at + 1] = value.to_owned(),
            (Some(_), None) => return None,
            (None, Some(value)) => words.push(format!("{option}={value}")),
            (None, None) => words.push(option.clone()),
        }
        let (after, err) = seen(folder, &words, own);
        if after.code == 2 {
            // An error in a text has its place.
            let is_usage = err.contains("V0012") || err.contains("V0002");
            if is_usage && !err.contains("help:") {
                return Some(format!("{words:?} is refused without a way out: {err}"));
            }
            continue;
        }
        if after != before {
            return None;
        }
        accepted.push(words);
    }
    let is_reviewed = REVIEWED.iter().any(|(name, questions, _)| {
        name == option && (questions.is_empty() || questions.contains(&question))
    });
    let words = accepted.first()?;
    (!is_reviewed).then(|| format!("{words:?} shows what {base:?} does"))
}

#[test]
fn attack_options_have_effects() {
    let folder = folder();
    let own = names(&folder);
    let mut pairs = Vec::new();
    let mut known: BTreeMap<&str, Vec<(String, bool)>> = BTreeMap::new();
    for (question, base) in QUESTIONS {
        let options = known.entry(base[0]).or_insert_with(|| options(&folder, base[0]));
        pairs.extend(options.iter().map(|option| (*question, *base, option.clone())));
    }
    let cases = attack_cases(36);
    let complaints: Vec<String> = cases
        .filter_map(|case| {
            // Neighbours differ in both; a run that is long enough comes by all pairs.
            let place = usize::try_from(case).ok().filter(|case| *case < pairs.len())?.wrapping_mul(617)
                % pairs.len();
            let (question, base, option) = &pairs[place];
            complaint(&folder, &own, question, base, option)
        })
        .collect();
    assert!(pairs.len() % 617 != 0, "the step has to come by all pairs");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    if pairs.is_empty() {
        skipped("there are no options");
    }
}

/// The option, or the value, is refused, with a way out.
#[track_caller]
fn refused(words: &[&str], says: &str) {
    let run = folder().run(words).exits(2);
    assert!(run.err.contains(says) && run.err.contains("help:"), "{words:?}: {}", run.err);
}

#[test]
fn options_without_effect_are_refused() {
    let reach = &["--prop", "P=? [ F x=2 ]"];
    let chain =
        |command: &'static str, rest: &[&'static str]| [&[command, "chain.prism"], &reach[..], rest].concat();
    refused(&chain("check", &["--such-that", "((( nonsense"]), "--such-that does not apply");
    refused(&chain("check", &["--greatest"]), "--greatest does not apply");
    refused(&chain("check", &["--epsilon", "1e-9"]), "--epsilon has no effect");
    refused(
        &chain("check", &["--verify", "never", "--verify-samples", "5"]),
        "--verify-samples has no effect",
    );
    refused(&chain("check", &["--verify-width", "0.1"]), "--verify-width has no effect");
    refused(&chain("check", &["--reduce"]), "--reduce has no effect");
    refused(
        &chain("check", &["--steady-state-detection", "prism"]),
        "--steady-state-detection has no effect",
    );
    refused(&chain("check", &["--exact", "--max-iterations", "5"]), "--max-iterations has no effect");
    refused(&chain("simulate", &["--alpha", "0.1"]), "--alpha has no effect");
    refused(&chain("simulate", &["--indifference", "0.1"]), "needs a property with a bound");
    refused(&chain("simulate", &["--print-code", "kernel.vk", "--width", "0.1"]), "--width has no effect");
    refused(&["check", "queue.prism", "--prop", "P=? [ F x=2 ]", "--reduce"], "--reduce has no effect");
    refused(&["check", "queue.prism", "--transient", "1", "--verify", "always"], "--verify does not apply");
    refused(&["distance", "choices.wks", "choices.wks", "-o", "out.wks"], "--output has no effect");
    refused(&["nbody", "bodies.toml", "--plane", "xz"], "--plane has no effect");
    refused(
        &["check", "cell.lotos", "--mcl", "<true> true", "--epsilon", "1e-9"],
        "--epsilon does not apply",
    );
}

#[test]
fn values_are_read_wherever_options_are_accepted() {
    refused(
        &["check", "cell.lotos", "--mcl", "<true> true", "--epsilon", "banana"],
        "`banana` is not a precision",
    );
    refused(&["check", "chain.prism", "--prop", "P=? [ F x=2 ]", "--epsilon", "nan"], "--epsilon 1e-6");
    refused(
        &["check", "queue.prism", "--ltl", "F x=3", "--const", "nosuch=3"],
        "`nosuch` is not an undefined constant",
    );
    refused(
        &["check", "queue.prism", "--safety", "--const", "nosuch=3"],
        "`nosuch` is not an undefined constant",
    );
    refused(&["check", "choices.wks", "--wctl", "EF q", "--const", "nosuch=3"], "has no parameter `nosuch`");
    refused(
        &["distance", "choices.wks", "choices.wks", "--minimize", "--const", "nosuch=3"],
        "has no parameter `nosuch`",
    );
    refused(
        &["check", "chain.tra", "--prop", "P=? [ F x=2 ]", "--const", "x=1"],
        "it is a variable of the model",
    );
    refused(
        &["check", "cell.lotos", "--mcl", "<true> true", "--verify-time", "soon"],
        "`soon` is not a time",
    );
}
