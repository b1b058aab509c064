//! Weighted systems on the command line: formulas, relations, distances.

use crate::common::schema::problems;
use crate::common::{Folder, root};

/// Structures whose relations and distances are known by hand.
const PAIR: &str = "\
wks pair;
state s {p}: -51/10-> end;
state t {p}: -5-> end;
state u {p}: -3-> v;
state v {p}: -2-> end;
state end {q};
";

/// A lock that two processes share.
const LOCK: &str = "\
System := (Lock | P | P) \\ {lock, unlock};
Lock := <lock>.<unlock>.Lock;
P := <lock!, 2>.critical:<unlock!, 1>.P;
";

/// Steps that a designer has to choose: the best choice is x = 5, y = 3, at which both errors are 2/5.
const DESIGN: &str = "\
parameter x in [2, 10];
parameter y in [0, 3];
state wanted {p}: -10-> done, -5-> failed;
state built {p}: -(x + 1)-> done, -(2*x - y)-> failed;
state done {q};
state failed {r};
";

/// `s` can stay for ever, `t` cannot.
const LOOPS: &str = "state s {p}: -0-> s, -1-> u;\nstate t {p}: -1-> u;\nstate u {q}: -1-> u;\n";

fn folder() -> Folder {
    Folder::new().file("pair.wks", PAIR).file("lock.wccs", LOCK)
}

#[test]
fn answers_have_the_documented_shape() {
    let schema = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    let folder = folder();
    let folder = folder.file("design.wks", DESIGN).file("loops.wks", LOOPS);
    let commands: [(&[&str], i32); 19] = [
        (&["check", "pair.wks:s", "--wctl", "EF[<=?] q", "--wctl", "AF[<=?] p"], 0),
        (&["check", "pair.wks:s", "--global", "--wctl", "EF[<=?] q"], 0),
        (&["distance", "pair.wks"], 0),
        (&["distance", "pair.wks", "--within", "5%", "--csv", "out.csv", "-o", "out.dot"], 0),
        (&["distance", "design.wks:wanted", "design.wks:built", "--minimize"], 0),
        (&["distance", "design.wks:wanted", "design.wks:built", "--at-most", "1/2"], 0),
        (&["distance", "design.wks:wanted", "design.wks:built", "--at-most", "1/5"], 1),
        (&["compare", "loops.wks:s", "loops.wks:t", "--relation", "wbb", "--divergence"], 1),
        (&["compare", "loops.wks:s", "loops.wks:t", "--relation", "ubs", "--divergence"], 1),
        (&["compare", "loops.wks:s", "loops.wks:t", "--relation", "ebs", "--divergence"], 0),
        (&["reduce", "lock.wccs", "--relation", "wbb", "-o", "lock.wks"], 0),
        (&["compare", "pair.wks:u", "pair.wks:t", "--relation", "wbb"], 1),
        (&["distance", "pair.wks:s", "pair.wks:t"], 0),
        (&["distance", "pair.wks:s", "pair.wks:end"], 0),
        (&["compare", "pair.wks:t", "pair.wks:u", "--relation", "ebs"], 0),
        (&["compare", "pair.wks:u", "pair.wks:t", "--relation", "ebs"], 1),
        (&["check", "pair.wks:u", "--wctl", "E(p U[5,5] q)"], 0),
        (&["check", "pair.wks:u", "--wctl", "A(p U[<=4] q)", "--global"], 1),
        (&["check", "lock.wccs", "--wctl", "EF[<=2] critical > 1"], 1),
    ];
    for (command, code) in commands {
        let found = folder.run(&[command, &["--json"]].concat()).exits(code).json();
        let wrong = problems(&schema, &found);
        assert!(wrong.is_empty(), "{command:?}: {wrong:?}");
    }
}

#[test]
fn distances_are_exact() {
    let folder = folder().file("copy.wks", format!("{PAIR}state other: -1/7-> other;\n"));
    for (from, to, kind, value) in [
        ("s", "t", "wbd", "1/51"),
        ("t", "s", "wbd", "1/50"),
        ("s", "t", "ebd", "0"),
        ("t", "u", "ebd", "0"),
        ("u", "t", "ebd", "3/2"),
        ("s", "end", "wbd", "inf"),
    ] {
        // One structure twice is one; it is two where weights have another unit.
        for other in ["pair.wks", "copy.wks"] {
            let (from, to) = (format!("pair.wks:{from}"), format!("{other}:{to}"));
            let found = folder.run(&["distance", &from, &to, "--kind", kind, "--json"]).exits(0).json();
            assert_eq!(found["distance"]["value"], value, "{from} {to} {kind}");
        }
    }
}

#[test]
fn formulas_have_verdicts_and_paths() {
    let folder = folder();
    for (formula, holds) in [
        ("E(p U[5,5] q)", true),
        ("E(p U[<5] q)", false),
        ("AX[3,3] EX[<=2] q", true),
        ("AG (p or q)", true),
        ("A(p U[<=4] q)", false),
    ] {
        for more in [&[][..], &["--global"], &["--blocking", "sink"]] {
            // A sink has no propositions.
            let holds = holds && !(formula.starts_with("AG") && more.contains(&"sink"));
            let command = [&["check", "pair.wks:u", "--wctl", formula, "--json"], more].concat();
            let found = folder.run(&command).exits(i32::from(!holds)).json();
            assert_eq!(found["wctl"][0]["verdict"], holds, "{formula} {more:?}");
        }
    }
    let found = folder.run(&["check", "pair.wks:u", "--wctl", "E(p U[5,5] q)", "--json"]).exits(0).json();
    let path = &found["wctl"][0]["explanation"][0]["path"];
    assert_eq!(path[0]["target"], "v", "{path}");
    assert_eq!(path[1]["target"], "end", "{path}");
}

/// The witness of a formula about some path is a lightest one, and `[<=?]` asks for its weight: in listed states, in terms, and in models of
/// other languages.
#[test]
fn least_costs_are_shown_and_asked_for() {
    let costs = "state a {p}: -9-> g, -1-> b;\nstate b {p}: -1-> c;\nstate c {p}: -1/2-> g, -1/2-> d;\nstate g {q};\nstate d {p}: -0-> d;\n";
    let modules = "mdp\nmodule m\n  x : [0..3] init 0;\n  [a] x=0 -> (x'=3);\n  [b] x<3 -> (x'=x+1);\nendmodule\n\
        rewards \"cost\"\n  [a] true : 9;\n  [b] true : 1;\nendrewards\n";
    let folder = folder().file("m.wks", costs).file("m.prism", modules);
    let value = |command: &[&str], formula: &str| {
        let command = [&["check"], command, &["--json", "--wctl", formula]].concat();
        let found = folder.run(&command).exits(0).json();
        let found = &found["wctl"][0];
        assert!(found.get("verdict").is_none(), "{found}");
        found["value"].as_str().expect("a value").to_owned()
    };
    for (model, formula, expected) in [
        ("m.wks", "EF[<=?] q", "5/2"),
        ("m.wks", "E(p U[<=?] q)", "5/2"),
        ("m.wks", "E(not p U[<=?] q)", "inf"),
        ("m.wks", "AF[<=?] q", "inf"),
        ("m.wks:g", "AF[<=?] q", "0"),
        ("m.wks", "AF[<=?] (q or EG p)", "0"),
        ("m.wks:c", "A(p U[<=?] (q or AG p))", "1/2"),
        ("m.wks", "A(p U[<=?] (q or AG p))", "9"),
        ("m.prism", "EF[<=?] x = 3", "3"),
        ("m.prism", "AF[<=?] x = 3", "9"),
        ("lock.wccs", "EF[<=?] critical", "2"),
        ("lock.wccs", "EF[<=?] critical > 1", "inf"),
    ] {
        for more in [&[][..], &["--global"], &["--blocking", "sink"]] {
            assert_eq!(value(&[&[model], more].concat(), formula), expected, "{model} {formula} {more:?}");
        }
    }
    for (model, formula, steps) in
        [("m.wks", "EF q", 3), ("m.wks", "E(p U q)", 3), ("m.prism", "EF x = 3", 3)]
    {
        let found = folder.run(&["check", model, "--json", "--wctl", formula]).exits(0).json();
        let path = found["wctl"][0]["explanation"][0]["path"].as_array().map(Vec::len);
        assert_eq!(path, Some(steps), "{model} {formula}");
    }
    let shown = folder.run(&["check", "m.wks", "--global", "--wctl", "EF[<=?] q"]).exits(0).out;
    assert!(shown.contains("\n  3/2 in b\n") && shown.contains("\n  inf in d\n"), "{shown}");
    let refused = folder.run(&["check", "m.wks", "--wctl", "EF[<=?] q and p"]).exits(2).err;
    assert!(refused.contains("V1821") && refused.contains("EF[<=?] (f and g)"), "{refused}");
}

#[test]
fn processes_exclude_each_other() {
    let folder = folder();
    let formulas = ["--wctl", "AG critical <= 1", "--wctl", "EF[<=2] critical", "--wctl", "EF[<2] critical"];
    let found = folder.run(&[&["check", "lock.wccs", "--json"], &formulas[..]].concat()).exits(1).json();
    let verdicts: Vec<bool> =
        (0..3).map(|i| found["wctl"][i]["verdict"].as_bool().expect("a verdict")).collect();
    assert_eq!(verdicts, [true, true, false]);
}

#[test]
fn quotients_are_bisimilar_and_small() {
    let folder = folder();
    // `u` and `v` take the way of `t` in two steps; the copies of them are the same.
    let doubled = format!("{PAIR}state w {{p}}: -3-> x, -3-> v;\nstate x {{p}}: -2-> end;\n");
    let folder = folder.file("doubled.wks", doubled);
    for (model, states) in [("doubled.wks:w", 5), ("pair.wks:u", 5), ("lock.wccs", 2)] {
        let command = ["reduce", model, "--relation", "wbb", "-o", "small.wks", "--json"];
        let found = folder.run(&command).exits(0).json();
        assert_eq!(found["reduction"]["states"], states, "{model}");
        folder.run(&["compare", model, "small.wks", "--relation", "wbb"]).exits(0);
        // What is reduced stays as it is.
        let again = folder.run(&["reduce", "small.wks", "--relation", "wbb", "--json"]).exits(0).json();
        assert_eq!(again["reduction"]["states"], states, "{model}");
    }
    let refused = folder.run(&["reduce", "pair.wks", "--relation", "ebs"]).exits(2);
    assert!(refused.err.contains("reduce by --relation wbb"), "{}", refused.err);
}

#[test]
fn names_that_are_wrong() {
    let folder = folder();
    for (command, message) in [
        (&["distance", "pair.wks:x", "pair.wks:t"][..], "has no state `x`"),
        (&["check", "pair.wks", "--wctl", "EF r"], "no state has the proposition `r`"),
        (&["check", "pair.wks", "--wctl", "E(p U q"], "V1821"),
        (&["reduce", "pair.wks"], "is a weighted system"),
        (&["check", "lock.wccs:Lok", "--wctl", "true"], "did you mean `Lock`?"),
        (&["compare", "pair.wks", "missing.wks", "--relation", "ubs"], "missing.wks"),
    ] {
        let found = folder.run(command).exits(2);
        assert!(found.err.contains(message), "{command:?}: {}", found.err);
    }
}

#[test]
fn all_distances_are_those_of_pairs() {
    let folder = folder();
    for kind in ["wbd", "ebd"] {
        let found = folder
            .run(&["distance", "pair.wks", "--kind", kind, "--json", "--csv", "all.csv"])
            .exits(0)
            .json();
        let states = found["distances"]["states"].as_array().expect("states");
        let csv = folder.read("all.csv");
        assert_eq!(csv.lines().count(), 1 + states.len() * states.len());
        for (i, s) in states.iter().enumerate() {
            for (j, t) in states.iter().enumerate() {
                let (s, t) = (s.as_str().expect("a name"), t.as_str().expect("a name"));
                let (from, to) = (format!("pair.wks:{s}"), format!("pair.wks:{t}"));
                let one = folder.run(&["distance", &from, &to, "--kind", kind, "--json"]).exits(0).json();
                let value = &one["distance"]["value"];
                assert_eq!(found["distances"]["matrix"][i][j], *value, "{kind} {s} {t}");
                let line = format!("{s},{t},{},", value.as_str().expect("a text"));
                assert!(csv.lines().any(|known| known.starts_with(&line)), "{line}");
            }
        }
    }
}

#[test]
fn states_that_are_close_are_groups() {
    let folder = folder();
    // 51/10 and 5 are within 1/50 of one another.
    for (within, groups) in [("0", 5), ("1/51", 5), ("2%", 4), ("0.02", 4), ("10", 2)] {
        let found = folder.run(&["distance", "pair.wks", "--within", within, "--json"]).exits(0).json();
        assert_eq!(found["distances"]["groups"].as_array().expect("groups").len(), groups, "{within}");
    }
    let found = folder.run(&["distance", "pair.wks", "--within", "2%", "-o", "groups.dot"]).exits(0);
    assert!(found.out.contains("at most 1/50 apart"), "{}", found.out);
    assert!(folder.read("groups.dot").contains("[label=\"[5, 51/10]\"]"), "{}", folder.read("groups.dot"));
    let refused = folder.run(&["distance", "pair.wks", "--within", "5%", "-o", "groups.wks"]).exits(2);
    assert!(refused.err.contains("the format is .dot"), "{}", refused.err);
    for within in ["near", "-5%", "nan"] {
        let refused = folder.run(&["distance", "pair.wks", "--within", within]).exits(2);
        assert!(refused.err.contains("5%, 1/20 or 0.05"), "{}", refused.err);
    }
    let many = (0..66_000).map(|state| format!("state s{state};")).collect::<String>();
    let folder = folder.file("many.wks", many);
    let refused = folder.run(&["distance", "many.wks"]).exits(2);
    assert!(refused.err.contains("66,000 states, too many"), "{}", refused.err);
    let refused = folder.run(&["distance", "pair.wks:s"]).exits(2);
    assert!(refused.err.contains("name another one"), "{}", refused.err);
}

#[test]
fn parameters_have_values_or_the_best_ones() {
    let folder = folder().file("design.wks", DESIGN);
    let pair = ["distance", "design.wks:wanted", "design.wks:built", "--json"];
    let run = |more: &[&str], code| folder.run(&[&pair[..], more].concat()).exits(code);
    let best = run(&["--minimize"], 0).json();
    assert_eq!((&best["optimum"]["distance"], &best["optimum"]["lower"]), (&"2/5".into(), &"2/5".into()));
    assert_eq!(best["optimum"]["parameters"][0]["value"], "5");
    // At these values the distance is the same one.
    assert_eq!(run(&["--const", "x=5,y=3"], 0).json()["distance"]["value"], "2/5");
    assert_eq!(run(&["--const", "x=6"], 0).json()["distance"]["value"], "11/10");
    assert_eq!(run(&["--at-most", "2/5"], 0).json()["optimum"]["exists"], true);
    assert_eq!(run(&["--at-most", "0.399"], 1).json()["optimum"]["exists"], false);
    let open = run(&["--minimize", "--boxes", "3"], 3);
    assert!(open.err.contains("--boxes N"), "{}", open.err);
    for (more, message) in [
        (&["--const", "x=11"][..], "it is from 2 to 10"),
        (&["--const", "z=1"], "has no parameter `z`"),
        (&["--minimize", "--const", "x=5,y=3"], "neither of the models has parameters"),
    ] {
        let found = folder.run(&[&pair[..3], more].concat());
        assert!(found.err.contains(message), "{more:?}: {}", found.err);
    }
    // Values that would be without effect are told of, wherever they are given.
    for (command, message) in [
        (&["explore", "design.wks", "--const", "z=1"][..], "`design.wks` has no parameter `z`"),
        (
            &["reduce", "design.wks", "--relation", "wbb", "--const", "z=1"],
            "`design.wks` has no parameter `z`",
        ),
        (&["check", "lock.wccs", "--const", "z=1", "--wctl", "true"], "`lock.wccs` has no parameters"),
        (&["explore", "lock.wccs", "--const", "z=1"], "`lock.wccs` has no parameters"),
    ] {
        let found = folder.run(command).exits(2);
        assert!(found.err.contains(message), "{command:?}: {}", found.err);
    }
    for command in [
        &["check", "design.wks:built", "--wctl", "EF q"][..],
        &["check", "lock.wccs", "--wctl", "true"],
        &["explore", "design.wks"],
        &["distance", "design.wks:wanted", "design.wks:built"],
    ] {
        let found = folder.run(&[command, &["--const", "x=3:1:5"]].concat()).exits(2);
        assert!(found.err.contains("the constant `x` is given several values"), "{command:?}: {}", found.err);
    }
    let found = folder.run(&["check", "design.wks:built", "--wctl", "EF[=7] q"]).exits(0);
    assert!(found.err.contains("x = 6, y = 3/2"), "{}", found.err);
}

#[test]
fn staying_for_ever_counts_where_it_is_asked_for() {
    let folder = folder().file("loops.wks", LOOPS);
    for relation in ["wbb", "ubs"] {
        let command = ["compare", "loops.wks:s", "loops.wks:t", "--relation", relation];
        let literal = folder.run(&command).exits(0);
        assert!(literal.err.contains("--divergence relates states only"), "{}", literal.err);
        let found = folder.run(&[&command[..], &["--divergence"]].concat()).exits(1);
        assert!(found.out.contains("for ever") && found.err.is_empty(), "{} {}", found.out, found.err);
        // The other way, only what is symmetric fails.
        let back = ["compare", "loops.wks:t", "loops.wks:s", "--relation", relation, "--divergence"];
        folder.run(&back).exits(i32::from(relation == "wbb"));
    }
    let reduce = ["reduce", "loops.wks", "--relation", "wbb", "--json"];
    assert_eq!(folder.run(&reduce).exits(0).json()["reduction"]["states"], 2);
    let kept = folder.run(&[&reduce[..], &["--divergence"]].concat()).exits(0).json();
    assert_eq!(kept["reduction"]["states"], 2 + 1);
    let refused =
        folder.run(&["compare", "loops.wks", "loops.wks", "--relation", "wbb", "--blocking", "sink"]);
    assert!(refused.code == 2 && refused.err.contains("--divergence"), "{}", refused.err);
}

/// A model that counts, and one with rewards: the same graph.
#[test]
fn other_models_have_weights() {
    let modules = "mdp\nmodule m\n  x : [0..2] init 0;\n  [a] x=0 -> 1/2:(x'=1) + 1/2:(x'=2);\n  [b] x>0 -> (x'=0);\nendmodule\n\
        rewards \"cost\"\n  [a] true : 3/2;\n  [b] x=1 : 1;\nendrewards\nlabel \"far\" = x=2;\n";
    let process = "int cost;\nbyte x;\nactive proctype P() {\n  do\n  :: d_step { x == 0 -> x = 1; cost = cost + 3 }\n  \
        :: d_step { x == 0 -> x = 2; cost = cost + 3 }\n  :: d_step { x == 1 -> x = 0; cost = cost + 2 }\n  :: d_step { x == 2 -> x = 0 }\n  od\n}\n";
    let folder = Folder::new().file("m.prism", modules).file("m.pml", process);
    folder.run(&["check", "m.prism", "--wctl", "EF[<=3/2] far"]).exits(0);
    folder.run(&["check", "m.prism", "--wctl", "EF[<3/2] x >= 2"]).exits(1);
    folder.run(&["check", "m.prism:x=1", "--wctl", "EF[=5/2] far"]).exits(0);
    folder.run(&["check", "m.pml", "--weights", "cost", "--wctl", "EF[=3] x == 2"]).exits(0);
    folder.run(&["explore", "m.prism", "--weights", "cost", "--observe", "x", "-e", "m.wks"]).exits(0);
    assert!(folder.read("m.wks").contains("state \"x=1\" {x}: -1-> \"x=0\";"), "{}", folder.read("m.wks"));
    // Weights are twice as large in the process.
    let pair = ["m.wks", "m.pml", "--weights", "cost", "--observe", "x"];
    folder.run(&[&["compare"][..], &pair, &["--relation", "ubs"]].concat()).exits(0);
    folder.run(&[&["compare"][..], &pair, &["--relation", "wbb"]].concat()).exits(1);
    let found = folder.run(&[&["distance"][..], &pair, &["--json"]].concat()).exits(0).json();
    assert_eq!(found["distance"]["value"], "1");
    folder.run(&["reduce", "m.prism", "--relation", "wbb", "-o", "small.wks"]).exits(0);
    for (command, message) in [
        (&["check", "m.prism", "--weights", "price", "--wctl", "EF far"][..], "no reward structure `price`"),
        (&["check", "m.pml", "--wctl", "EF x"], "--weights cost"),
        (&["check", "m.pml", "--weights", "cost", "--wctl", "EF y"], "no state has the proposition `y`"),
        (&["check", "m.prism:x=7", "--wctl", "EF far"], "no state of `m.prism` has the values x=7"),
        (&["explore", "m.prism", "--observe", "x"], "--wctl"),
    ] {
        let found = folder.run(command).exits(2);
        assert!(found.err.contains(message), "{command:?}: {}", found.err);
    }
}

/// What the comments of the examples claim.
#[test]
fn examples_hold() {
    let folder = Folder::new();
    let examples = root().join("examples/weighted");
    let sensor: &[&str] = &["--weights", "energy"];
    for (model, more, formula, holds) in [
        ("vending.wks", &[][..], "EF[<=3/2] tea", true),
        ("vending.wks", &[], "EF[<=2] coffee", false),
        ("vending.wks", &[], "EF coin > 1", true),
        ("vending.wks", &[], "AF coffee", false),
        ("courier.wks", &[], "EF[<=13/2] delivered", true),
        ("courier.wks", &[], "EF[<=6] delivered", false),
        ("courier.wks", &["--const", "fare=2"], "EF[<=6] delivered", true),
        ("election.wccs", &[], "EF[<=4] leader", true),
        ("election.wccs", &[], "EF leader > 1", false),
        ("election.wccs", &[], "AF leader", false),
        ("semaphore.wccs", &[], "EF critical > 2", false),
        ("semaphore.wccs", &[], "EF[<=4] critical == 2", true),
        ("sensor.prism", sensor, "EF[<=3/2] delivered", true),
        ("sensor.prism", sensor, "EF[<3/2] delivered", false),
        ("sensor.prism", sensor, "AF[<=5] (delivered | lost)", true),
        ("sensor.prism", sensor, "AF[<5] (delivered | lost)", false),
        ("bridge.pml", &["--weights", "minutes"], "EF[<=60] crossed == 4", true),
        ("bridge.pml", &["--weights", "minutes"], "EF[<60] crossed == 4", false),
    ] {
        let path = examples.join(model).display().to_string();
        let command = [&["check", &path, "--wctl", formula][..], more].concat();
        folder.run(&command).exits(i32::from(!holds));
    }
    let (spec, design) = (examples.join("spec.wks"), examples.join("impl.wks"));
    let (spec, design) = (spec.display().to_string(), design.display().to_string());
    for (from, to, value) in [(&spec, &design, "1/50"), (&design, &spec, "1/49")] {
        let found = folder.run(&["distance", from, to, "--json"]).exits(0).json();
        assert_eq!(found["distance"]["value"], value);
    }
}

/// A file that was written is read again, however long its list of states is.
#[test]
fn large_structures_are_read_again() {
    let states = (0..20_000).map(|state| format!("state s{state} {{p}}: -1-> s{};\n", (state + 1) % 20_000));
    let folder = Folder::new().file("ring.wks", states.collect::<String>());
    folder.run(&["explore", "ring.wks", "-e", "ring.json"]).exits(0);
    for model in ["ring.wks:s1", "ring.json:s1"] {
        folder.run(&["check", model, "--wctl", "EF[=19999] p"]).exits(0);
    }
    folder.run(&["compare", "ring.wks:s3", "ring.json:s7", "--relation", "wbb"]).exits(0);
}
