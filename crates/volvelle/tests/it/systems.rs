//! Transition systems on the command line: reduction, comparison, formulas of the mu-calculus.

use crate::common::schema::problems;
use crate::common::{self, Folder, root};

const CYCLE: &str = "des (0, 4, 4)\n(0, i, 1)\n(1, \"A !1\", 2)\n(2, i, 3)\n(3, \"B\", 0)\n";
const SMALL: &str = "des (0, 2, 2)\n(0, \"A !1\", 1)\n(1, \"B\", 0)\n";
const RATES: &str = "des (0, 5, 4)\n(0, \"rate 0.1\", 1)\n(0, \"rate 0.2\", 2)\n(1, \"rate 3\", 3)\n(2, \"rate 3\", 3)\n\
                     (3, \"A; rate 1/3\", 0)\n";

fn folder() -> Folder {
    Folder::new().file("cycle.aut", CYCLE).file("small.aut", SMALL).file("rates.aut", RATES)
}

/// An answer as JSON, which has the documented shape.
fn answer(folder: &Folder, words: &[&str], code: i32) -> serde_json::Value {
    let words: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
    let answer = folder.run(&words).exits(code).json();
    let schema = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    let schema = serde_json::from_str(&schema).expect("the schema is JSON");
    assert_eq!(problems(&schema, &answer), Vec::<String>::new());
    answer
}

#[test]
fn quotients_are_counted_and_written() {
    let folder = folder();
    let found = answer(&folder, &["reduce", "cycle.aut", "-o", "out.aut"], 0);
    assert_eq!((&found["reduction"]["states"], &found["reduction"]["labels"]), (&2.into(), &2.into()));
    assert_eq!((&found["model"]["states"], &found["exports"][0]), (&4.into(), &"out.aut".into()));
    assert_eq!(folder.run(&["reduce", "cycle.aut", "-o", "-"]).exits(0).out, SMALL);
    for file in ["out.aut.gz", "out.aut.xz", "out.aut.zst"] {
        folder.run(&["reduce", "cycle.aut", "-o", file]).exits(0);
        folder.run(&["compare", file, "small.aut", "--relation", "strong"]).exits(0);
    }
    folder.run(&["reduce", "cycle.aut", "-o", "out.dot"]).exits(0);
    let strong = answer(&folder, &["reduce", "cycle.aut", "--relation", "strong"], 0);
    assert_eq!(strong["reduction"]["states"], 4);
}

#[test]
fn rates_add_up_exactly() {
    let folder = folder();
    let run = folder.run(&["reduce", "rates.aut", "--relation", "stochastic-strong", "-o", "-"]).exits(0);
    let expected = "des (0, 3, 3)\n(0, \"rate 0.3\", 1)\n(1, \"rate 3\", 2)\n(2, \"A; rate 1/3\", 0)\n";
    assert_eq!(run.out, expected);
    let plain = folder.run(&["reduce", "rates.aut", "--relation", "strong"]).exits(0);
    assert!(plain.err.contains("V1602"), "{}", plain.err);
}

#[test]
fn what_tells_systems_apart_is_shown() {
    let folder = folder().file("other.aut", "des (0, 2, 2)\n(0, \"A !1\", 1)\n(1, \"C\", 0)\n");
    let same = answer(&folder, &["compare", "cycle.aut", "small.aut"], 0);
    assert_eq!(same["comparison"]["equivalent"], true);
    let found = answer(&folder, &["compare", "cycle.aut", "other.aut", "--relation", "weak"], 1);
    assert_eq!(found["comparison"]["trace"]["labels"], serde_json::json!(["A !1", "B"]));
    // The formula is one that formulas are checked with.
    let formula = found["comparison"]["formula"].as_str().expect("a formula").to_owned();
    folder.run(&["check", "cycle.aut", "--mcl", &formula]).exits(0);
    folder.run(&["check", "other.aut", "--mcl", &formula]).exits(1);
    let renamed = ["compare", "cycle.aut", "other.aut", "--rename", "/[BC]/D/"];
    folder.run(&renamed).exits(0);
    folder.run(&["compare", "cycle.aut", "other.aut", "--hide", "B, C"]).exits(0);
}

#[test]
fn systems_are_generated_as_far_as_verdicts_need_them() {
    let prism = "mdp\nmodule m\n x : [0..1000000000] init 0;\n y : [0..300] init 0;\n [up] x < 1000000000 -> (x'=x+1);\n \
                 [on] y < 300 -> (y'=y+1);\n [hit] x = 30 & y = 20 -> true;\nendmodule\n";
    let promela = "chan c = [2] of { int };\nactive proctype A() { int i; do :: c!i; i++ od }\n\
                   active proctype B() { int x; do :: c?x -> if :: x == 7 -> assert(x == 7) :: else fi od }\n";
    let folder = folder()
        .file("up.prism", prism)
        .file("up.pml", promela)
        .file("up.exp", "\"cycle.aut\" ||| \"cycle.aut\" ||| \"wide.aut\" ||| \"wide.aut\"\n")
        .file("wide.aut", wide());
    for (model, formula) in [
        ("up.prism", "<true* . \"hit\"> true"),
        ("up.pml", "<true* . '.*x == 7.*'> true"),
        ("up.exp", "<true* . \"FAR\"> true"),
    ] {
        let found = answer(&folder, &["check", model, "--mcl", formula, "--timeout", "60"], 0);
        assert_eq!(found["formulas"][0]["verdict"], true, "{model}");
        assert!(found["model"]["not_expanded"].as_u64() > Some(0), "{model}: {}", found["model"]);
    }
    // The whole is generated where a formula needs it, or the user wants it.
    let whole = ["check", "up.exp", "--mcl", "[true*] <true> true"];
    let found = answer(&folder, &whole, 0);
    assert_eq!(found["model"]["not_expanded"], serde_json::Value::Null);
    let asked = ["check", "up.exp", "--mcl", "<true> true", "--full-space"];
    assert_eq!(answer(&folder, &asked, 0)["model"]["states"], found["model"]["states"]);
    // A label that only the rest of the system has is not said to be absent.
    let absent = ["check", "up.exp", "--mcl", "<true> true", "--mcl", "<\"NEVER\"> true"];
    let found = folder.run(&absent).exits(1);
    assert!(!found.err.contains("NEVER"), "{}", found.err);
}

#[test]
fn networks_are_generated_and_written() {
    let folder = folder().file("two.exp", "\"cycle.aut\" |[B]| \"cycle.aut\"\n");
    let found = answer(&folder, &["explore", "two.exp", "--export", "two.aut", "--export", "two.dot"], 0);
    assert_eq!((&found["model"]["kind"], &found["model"]["states"]), (&"lts".into(), &16.into()));
    let text = folder.run(&["explore", "two.exp", "--export", "-"]).exits(0).out;
    assert!(text.starts_with("des (0, "), "{text}");
    assert!(text.ends_with(")\n"), "nothing but the system: {text}");
    folder.run(&["compare", "two.exp", "two.aut", "--relation", "strong"]).exits(0);
    folder.run(&["explore", "two.exp", "--symmetry"]).exits(2);
    folder.run(&["explore", "two.exp", "--export", "two.drn"]).exits(2);
    let sampled = folder.run(&["simulate", "two.exp"]).exits(2);
    assert!(sampled.err.contains("volvelle explore two.exp --export"), "{}", sampled.err);
}

/// A chain of 200 steps.
fn wide() -> String {
    let steps: String = (0..199).map(|n| format!("({n}, \"STEP\", {})\n", n + 1)).collect();
    format!("des (0, 200, 200)\n{steps}(3, \"FAR\", 0)\n")
}

#[test]
fn formulas_have_verdicts_and_evidence() {
    let folder = folder().file("safe.mcl", "[ true* . \"B\" . (not \"A !1\")* . \"B\" ] false\n");
    let words = ["check", "cycle.aut", "--mcl", "safe.mcl", "--mcl", "[true*] <\"A !1\"> true"];
    let found = answer(&folder, &words, 1);
    assert_eq!(
        (&found["formulas"][0]["verdict"], &found["formulas"][1]["verdict"]),
        (&true.into(), &false.into())
    );
    assert_eq!(found["formulas"][1]["evidence"]["shape"], "trace");
    let lasso = answer(&folder, &["check", "cycle.aut", "--mcl", "@ (true)"], 0);
    assert_eq!(lasso["formulas"][0]["evidence"]["cycle_start"], 0);
    // Labels are hidden before formulas are checked.
    folder.run(&["check", "cycle.aut", "--mcl", "NEVER (\"B\")", "--hide", "B"]).exits(0);
    let wrong = folder.run(&["check", "cycle.aut", "--mcl", "[true*] <true"]).exits(2);
    assert!(wrong.err.contains("--mcl:1:"), "{}", wrong.err);
    let absent = folder.run(&["check", "cycle.aut", "--mcl", "NEVER (\"A\")"]).exits(0);
    assert!(absent.err.contains("V1405"), "{}", absent.err);
    folder.run(&["check", "cycle.aut", "--mcl", "missing.mcl"]).exits(2);
}

#[test]
fn models_of_all_languages_are_systems() {
    let folder = folder()
        .file("p.pml", "active proctype P() { byte x; do :: x < 2 -> x++ :: else -> x = 0 od }\n")
        .file(
            "m.prism",
            "mdp\nmodule m x : [0..2] init 0; [go] x<2 -> 1/2:(x'=x+1) + 1/2:(x'=0); endmodule\n",
        )
        .file("c.lotos", "specification C [A, B] : noexit behaviour A; B; stop endspec\n");
    let promela = answer(&folder, &["reduce", "p.pml", "--relation", "strong"], 0);
    assert!(promela["reduction"]["states"].as_u64().expect("a number") > 2);
    let prism = folder.run(&["reduce", "m.prism", "--relation", "stochastic-strong", "-o", "-"]).exits(0);
    assert!(prism.out.contains("prob 0.5") && prism.out.contains("\"go\""), "{}", prism.out);
    folder.run(&["check", "m.prism", "--mcl", "[ true* . \"go\" ] < 'prob .*' > true"]).exits(0);
    folder.run(&["compare", "c.lotos", "small.aut"]).exits(1);
}

#[test]
fn a_protocol_and_its_service() {
    let folder = Folder::new();
    let [protocol, service] = ["abp", "service"]
        .map(|name| root().join(format!("examples/lotos/{name}.lotos")).display().to_string());
    for relation in ["branching", "weak"] {
        folder.run(&["compare", &protocol, &service, "--relation", relation]).exits(0);
    }
    // Messages may be lost for ever.
    let found = answer(&folder, &["compare", &protocol, &service, "--relation", "divbranching"], 1);
    assert!(found["comparison"]["formula"].as_str().expect("a formula").contains("@"));
    folder.run(&["check", &protocol, "--mcl", "RESPONSE (\"PUT !1\", \"GET !1\")"]).exits(1);
    folder.run(&["check", &protocol, "--mcl", "FAIR_RESPONSE (\"PUT !1\", \"GET !1\")"]).exits(0);
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = folder();
    for (words, code) in [
        (&["reduce", "cycle.aut", "-o", "out.bcg"][..], "V0010"),
        (&["reduce", "cycle.aut", "-o", "cycle.aut"], "V0012"),
        (&["reduce", "cycle.aut", "--hide", "a("], "V1601"),
        (&["reduce", "cycle.aut", "--rename", "/a/\\1/"], "V1601"),
        (&["reduce", "cycle.aut", "--rounding", "0.1"], "V0012"),
        (&["reduce", "missing.aut"], "V0001"),
        (&["compare", "cycle.aut", "missing.aut"], "V0001"),
        (&["reduce", "cycle.aut", "--const", "N=1"], "V0006"),
    ] {
        let run = folder.run(words).exits(2);
        assert!(run.err.contains(&format!("error[{code}]")), "{words:?} {code}: {}", run.err);
    }
    let limited = folder.run(&["reduce", "cycle.aut", "--max-states", "3"]).exits(3);
    assert!(limited.err.contains("state limit"), "{}", limited.err);
}

/// States and transitions of a LOTOS behaviour.
fn size(behaviour: &str) -> [u64; 2] {
    let text = format!("specification S [A, B] : noexit\n{behaviour}\nendspec\n");
    let found = answer(&Folder::new().file("s.lotos", text), &["explore", "s.lotos"], 0);
    ["states", "transitions"].map(|what| found["model"][what].as_u64().expect("a number"))
}

/// By the standard, gates are renamed behind a composition: the parts meet at X, not at Y, although both are A outside.
#[test]
fn parts_meet_as_if_gates_that_are_the_same_outside_were_different() {
    for (body, expected) in [
        ("(X; stop) |[X]| (Y; X; stop)", [3, 2]),
        ("(X; stop) |[X]| (Y; stop)", [2, 1]),
        ("(X; Y; stop) |[X, Y]| (Y; X; stop)", [1, 0]),
        ("(X; Y; stop) |[X, Y]| (X; Y; stop)", [3, 2]),
        ("(X; stop) || (Y; stop)", [1, 0]),
        ("(X; stop) ||| (Y; stop)", [4, 4]),
        ("B; ((X; stop) |[X]| (Y; X; stop))", [4, 3]),
    ] {
        let process = |gates, own| {
            format!("behaviour P [{gates}] where process P [X, Y{own}] : noexit := {body} endproc")
        };
        let text = if body.contains('B') { process("A, A, B", ", B") } else { process("A, A", "") };
        assert_eq!(size(&text), expected, "{body}");
    }
}

#[test]
fn an_operation_between_its_operands_is_another_than_the_one_before_them() {
    let kind = "library BOOLEAN endlib type SHADE is BOOLEAN sorts SHADE opns DARK, LIGHT : -> SHADE \
        _eq_ : SHADE, SHADE -> BOOL eq : SHADE, SHADE -> BOOL eqns forall X, Y : SHADE ofsort BOOL \
        X eq X = TRUE; X eq Y = FALSE; eq (X, X) = FALSE; eq (X, Y) = TRUE; endtype behaviour ";
    for (guard, expected) in
        [("eq (S, DARK)", "A !LIGHT"), ("S eq DARK", "A !DARK"), ("not (S eq LIGHT)", "A !DARK")]
    {
        let text = format!("specification S [A] : noexit {kind} A ?S : SHADE [{guard}]; stop endspec");
        let folder = Folder::new().file("s.lotos", text);
        let run = folder.run(&["reduce", "s.lotos", "--relation", "strong", "-o", "-"]).exits(0);
        assert_eq!(run.out, format!("des (0, 1, 2)\n(0, \"{expected}\", 1)\n"), "{guard}");
    }
}

/// With work for each state that grows with the text, this would take minutes and gigabytes.
#[test]
fn a_long_sequence_of_actions_takes_work_that_follows_its_length() {
    let text = format!("behaviour {}stop", "A; ".repeat(20_000));
    assert_eq!(size(&text), [20_001, 20_000]);
}

/// With tests of all commands in each state, this would take minutes.
#[test]
fn commands_of_many_locations_take_work_that_follows_their_number() {
    let count = 20_000;
    let commands: String = (0..count)
        .map(|n| format!("[] s={n} -> 1/2:(s'={}) + 1/2:(s'={});\n", (n + 1) % count, 7 * n % count))
        .collect();
    let folder = Folder::with_model(&format!("dtmc module m s:[0..{}];\n{commands}endmodule", count - 1));
    let found = answer(&folder, &["explore", "model.prism"], 0);
    assert_eq!(
        (&found["model"]["states"], &found["model"]["transitions"]),
        (&count.into(), &(2 * count).into())
    );
}

/// The condition has a billion valuations and 20 solutions.
#[test]
fn initial_states_of_a_condition_on_wide_fields_are_found_by_their_number() {
    let text =
        "dtmc module m x:[0..999]; y:[0..999]; z:[0..999]; [] true -> true; endmodule init x+y+z<=3 endinit";
    let found = answer(&Folder::with_model(text), &["explore", "model.prism"], 0);
    assert_eq!(found["model"]["states"], 20);
}

#[test]
fn formulas_are_read_from_files_of_any_extension_and_in_the_notation_of_mcrl2() {
    let folder = folder()
        .file("deadlock.mcf", "[true*]<true>true\n")
        .file("ever.mcf", "% for ever\nnu X: [true]X && <tau || val(true)>true\n")
        .file("plain.txt", "[ true* . \"B\" ] <true> true")
        .file("one.aut", "des (0, 1, 1)\n(0, \"a\", 0)\n");
    for formula in ["deadlock.mcf", "ever.mcf", "plain.txt", "!([a]false)", "mu X: <a>X || <a>true"] {
        folder.run(&["check", "one.aut", "--mcl", formula]).exits(0);
    }
    folder.run(&["check", "one.aut", "--mcl", "[a]false && <a>true"]).exits(1);
    let data = folder.run(&["check", "one.aut", "--mcl", "forall n: Nat . val(n > 0)"]).exits(2);
    assert!(data.err.contains("V1401"), "{}", data.err);
    let missing = folder.run(&["check", "one.aut", "--mcl", "missing.mcf"]).exits(2);
    assert!(missing.err.contains("V0001"), "{}", missing.err);
}

/// The conformance set that `VOLVELLE_LOTOS_CORPUS` names: sizes of graphs and quotients, graphs, verdicts of formulas.
#[test]
fn lotos_corpus() {
    let Some(corpus) = std::env::var_os("VOLVELLE_LOTOS_CORPUS").map(std::path::PathBuf::from) else {
        return common::skipped("VOLVELLE_LOTOS_CORPUS is not set");
    };
    let folder = Folder::new();
    let table = |name: &str| -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(corpus.join(name)).expect("a table");
        text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
    };
    let file = |name: &str| corpus.join(name).display().to_string();
    for row in table("counts.tsv") {
        let (model, graph) = (file(&format!("{}.lotos", row[0])), file(&format!("{}.aut", row[0])));
        for (relation, counts) in [("strong", &row[3..5]), ("branching", &row[5..7])] {
            let found = answer(&folder, &["reduce", &model, "--relation", relation], 0);
            let sizes = [&found["reduction"]["states"], &found["reduction"]["transitions"]];
            assert_eq!(sizes.map(ToString::to_string)[..], *counts, "{} {relation}", row[0]);
            folder.run(&["compare", &model, &graph, "--relation", relation]).exits(0);
        }
    }
    let formulas = table("props.tsv");
    for row in &formulas {
        let code = i32::from(row[3] != "TRUE");
        folder.run(&["check", &file(&format!("{}.lotos", row[0])), "--mcl", &row[2]]).exits(code);
    }
    assert!(formulas.len() >= 15);
    let words = ["steady", &file("t12_mm1k.lotos"), "--rename", "/ARRIVE/ARRIVE; rate 2/"];
    let words: Vec<&str> = words.into_iter().chain(["--rename", "/SERVE/SERVE; rate 3/"]).collect();
    let found = answer(&folder, &words, 0);
    let throughputs = &found["performance"]["points"][0]["throughputs"];
    for (action, expected) in [("ARRIVE", 2.0), ("SERVE", 390.0 / 211.0), ("LOSS", 32.0 / 211.0)] {
        let [lo, hi] = ["lo", "hi"].map(|bound| throughputs[action][bound].as_f64().expect("a number"));
        assert!(lo <= expected && expected <= hi && hi - lo < 1e-9, "{action} {lo} {hi}");
    }
}
