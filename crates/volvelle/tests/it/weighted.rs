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

fn folder() -> Folder {
    Folder::new().file("pair.wks", PAIR).file("lock.wccs", LOCK)
}

#[test]
fn answers_have_the_documented_shape() {
    let schema = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    let folder = folder();
    let commands: [(&[&str], i32); 9] = [
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
    let folder = folder();
    for (from, to, kind, value) in [
        ("s", "t", "wbd", "1/51"),
        ("t", "s", "wbd", "1/50"),
        ("s", "t", "ebd", "0"),
        ("t", "u", "ebd", "0"),
        ("u", "t", "ebd", "3/2"),
        ("s", "end", "wbd", "inf"),
    ] {
        let (from, to) = (format!("pair.wks:{from}"), format!("pair.wks:{to}"));
        let found = folder.run(&["distance", &from, &to, "--kind", kind, "--json"]).exits(0).json();
        assert_eq!(found["distance"]["value"], value, "{from} {to} {kind}");
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
