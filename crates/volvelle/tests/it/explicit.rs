//! Explicit models: a model in the PRISM language and what is exported of it have the same values, in every format and through
//! every conversion; files that belong together are found; what has no analysis is refused.

use crate::common::{Folder, Run};

const RETRY: &str = "dtmc
module m
  s : [0..3] init 0;
  ok : bool init false;
  [send] s=0 -> 1/3 : (s'=1) + 2/3 : (s'=2);
  [again] s=2 -> 1/2 : (s'=0) + 1/2 : (s'=3);
  [] s=1 -> (s'=1) & (ok'=true);
  [] s=3 -> (s'=3);
endmodule
label \"lost\" = s=3;
rewards \"tries\" [send] true : 1; endrewards
";

const PROPERTIES: &str = "\"a\": P=? [ F ok ];
\"b\": P=? [ !\"lost\" U s=1 & ok ];
\"c\": R{\"tries\"}=? [ F \"lost\" | ok ];
\"d\": P=? [ G (s=0 => X s!=2) ];
\"e\": P>=0.6 [ F \"lost\" ];
";

fn folder() -> Folder {
    Folder::with_model(RETRY).file("model.props", PROPERTIES)
}

/// The values of a check, by property.
#[track_caller]
fn values(run: &Run) -> Vec<serde_json::Value> {
    let json = run.json();
    let results = json["results"].as_array().unwrap_or_else(|| panic!("no results:\n{}", run.out));
    results.iter().map(|result| result["value"].clone()).collect()
}

#[track_caller]
fn assert_near(found: &[serde_json::Value], expected: &[serde_json::Value]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        match (found.as_f64(), expected.as_f64()) {
            (Some(found), Some(expected)) => assert!((found - expected).abs() < 1e-9, "{found} {expected}"),
            _ => assert_eq!(found, expected),
        }
    }
}

#[test]
fn exported_models_have_the_same_values() {
    let folder = folder();
    let expected = values(&folder.run(&["check", "model.prism", "model.props", "--json"]).exits(1));
    let files = "m.umb,m.umb.gz,m.pexp,t.tra,t.lab,t.sta,t.trew";
    folder.run(&["explore", "model.prism", "--export", files]).exits(0);
    for file in ["m.umb", "m.umb.gz", "m.pexp", "t.tra"] {
        let run = folder.run(&["check", file, "model.props", "--json"]).exits(1);
        assert_near(&values(&run), &expected);
    }
}

#[test]
fn conversions_keep_the_values() {
    let folder = folder();
    let expected =
        values(&folder.run(&["check", "model.prism", "model.props", "--prop", "e", "--json"]).exits(1));
    folder.run(&["explore", "model.prism", "--export", "a.umb"]).exits(0);
    for (from, to) in [("a.umb", "b.pexp"), ("b.pexp", "c.umb"), ("c.umb", "d.drn")] {
        folder.run(&["explore", from, "--export", to]).exits(0);
    }
    // DRN has no variables.
    let asked = ["check", "d.drn", "--prop", "P>=0.6 [ F \"lost\" ]", "--json"];
    assert_eq!(values(&folder.run(&asked).exits(1)), expected);
}

#[test]
fn fractions_stay_exact() {
    let model = "@type: DTMC\n@value_type: rational\n@parameters\n\n@reward_models\n\n@nr_states\n3\n@nr_choices\n3\n@model\n\
                 state 0 init\n\taction 0\n\t\t1 : 1/3\n\t\t2 : 2/3\nstate 1 done\n\taction 0\n\t\t1 : 1\nstate 2\n\taction 0\n\t\t2 : 1\n";
    let folder = Folder::new().file("thirds.drn", model);
    let run = folder.run(&["check", "thirds.drn", "--prop", "P=? [ F \"done\" ]", "--exact"]).exits(0);
    assert!(run.out.contains("1/3"), "{}", run.out);
}

#[test]
fn parts_are_found_or_given() {
    let folder = Folder::new()
        .file("chain.tra", "3 4\n0 1 0.25\n0 2 0.75\n1 1 1\n2 2 1\n")
        .file("chain.lab", "0=\"init\" 1=\"goal\"\n0: 0\n1: 1\n")
        .file("other.lab", "0=\"init\" 1=\"goal\"\n0: 0\n2: 1\n");
    let asked = ["check", "chain.tra", "--prop", "P=? [ F \"goal\" ]", "--json"];
    assert_near(&values(&folder.run(&asked).exits(0)), &[0.25.into()]);
    let given = ["check", "chain.tra", "--labels", "other.lab", "--prop", "P=? [ F \"goal\" ]", "--json"];
    assert_near(&values(&folder.run(&given).exits(0)), &[0.75.into()]);
    // Without variables the number of a state goes by the name that PRISM gives it.
    let numbered = ["check", "chain.tra", "--prop", "P=? [ F x=2 ]", "--json"];
    assert_near(&values(&folder.run(&numbered).exits(0)), &[0.75.into()]);
}

#[test]
fn schedulers_and_witnesses_name_variables() {
    let folder = Folder::with_model(
        "mdp\nmodule m\n x : [0..2];\n [a] x=0 -> 0.9:(x'=1)+0.1:(x'=0);\n [b] x=0 -> (x'=2);\n [] x>0 -> true;\nendmodule\n\
         label \"goal\" = x=1;\n",
    );
    folder.run(&["explore", "model.prism", "--export", "m.umb"]).exits(0);
    let property = "Pmax=? [ F \"goal\" ]";
    let asked = ["check", "m.umb", "--prop", property, "--witness", "--export-scheduler", "s.txt"];
    let run = folder.run(&asked).exits(0);
    assert!(run.out.contains("x=1"), "{}", run.out);
    let scheduler = folder.read("s.txt");
    assert!(
        scheduler.contains("state\tx\tchoice\taction\tplace\tcommand\n0\t0\t0\ta\t-\t-\n"),
        "{scheduler}"
    );
}

#[test]
fn kinds_without_an_engine_are_shown_and_refused_by_name() {
    let model = "@type: Markov Automaton\n@parameters\n\n@reward_models\n\n@nr_states\n2\n@nr_choices\n3\n@model\n\
                 state 0 !0 init\n\taction a\n\t\t1 : 1\n\taction b\n\t\t0 : 0.5\n\t\t1 : 0.5\nstate 1 !2\n\taction 0\n\t\t0 : 1\n";
    let folder = Folder::new().file("ma.drn", model);
    let info = folder.run(&["info", "ma.drn"]).exits(0);
    assert!(info.out.contains("Markov automaton") && info.out.contains("2 states"), "{}", info.out);
    let refused = folder.run(&["check", "ma.drn", "--prop", "Pmax=? [ F x=1 ]"]).exits(2);
    assert!(refused.err.contains("Markov automaton"), "{}", refused.err);
    folder.run(&["explore", "ma.drn", "--export", "ma.umb"]).exits(0);
    folder.run(&["info", "ma.umb"]).exits(0);
    for command in ["lint", "trace", "simulate"] {
        folder.run(&[command, "ma.drn"]).exits(2);
    }
}

#[test]
fn malformed_files_are_refused_with_the_place() {
    let folder = Folder::new()
        .file("sum.tra", "2 2\n0 1 0.4\n1 1 1\n")
        .file("nan.tra", "2 3\n0 1 nan\n0 0 1\n1 1 1\n")
        .file("target.tra", "2 2\n0 7 1\n1 1 1\n");
    for file in ["sum.tra", "nan.tra", "target.tra"] {
        let run = folder.run(&["info", file]).exits(2);
        assert!(run.err.contains(file), "{}", run.err);
    }
    let run = folder.run(&["info", "target.tra"]).exits(2);
    assert!(run.err.contains("target.tra:2"), "{}", run.err);
}
