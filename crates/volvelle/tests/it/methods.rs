//! `--method` with every kind of property of every kind of model: the method is used and named, or a diagnostic says that it was
//! not. A method is never ignored in silence.

use crate::common::Folder;
use serde_json::Value;

/// Circles everywhere, so that equations are there to be solved.
const BODY: &str = "
module walk
  x : [0..6] init 3;
  [] x>0 & x<6 -> UP : (x'=x+1) + DOWN : (x'=x-1);
  [skip] x>1 & x<5 -> UP : (x'=x+2) + DOWN : (x'=x-1);
  [] x=0 -> ONE : (x'=1);
  [stay] x=6 -> ONE : (x'=5);
endmodule
rewards \"steps\" true : 1; [skip] true : 2; x=2 : 3; endrewards
label \"top\" = x=6;
";

const METHODS: [(&str, &[&str]); 9] = [
    // "policy iteration in some directions": its policies are evaluated by verified iteration.
    (
        "verified",
        &["verified iteration", "Poisson", "value iteration in end components", "policy iteration in"],
    ),
    ("elimination", &["elimination", "policy iteration"]),
    ("value-iteration", &["classical iteration by Jacobi"]),
    ("power", &["classical iteration by Jacobi"]),
    ("jacobi", &["classical iteration by Jacobi"]),
    ("jor", &["classical iteration by JOR"]),
    ("gauss-seidel", &["classical iteration by Gauss-Seidel"]),
    ("sor", &["classical iteration by SOR"]),
    ("policy-iteration", &["classical iteration by policies"]),
];

/// Properties; `min` and `max` are put in for models with choices.
const PROPERTIES: [&str; 21] = [
    "P*=? [ F \"top\" ]",
    "P*=? [ x>0 U \"top\" ]",
    "P*=? [ G x<6 ]",
    "P*=? [ x>0 W \"top\" ]",
    "P*=? [ X x=4 ]",
    "P*=? [ F<=5 \"top\" ]",
    "P*=? [ F>=5 \"top\" ]",
    "P*=? [ x>0 U[2,4] \"top\" ]",
    "P*=? [ G F x=6 ]",
    "P*=? [ (F x=6) & (F x=1) ]",
    "P*>=0.01 [ x>0 U \"top\" ]",
    "R*=? [ F \"top\" ]",
    "R*=? [ C<=5 ]",
    "R*=? [ I=5 ]",
    "R*=? [ S ]",
    "R*=? [ (F x=6) & (F x=1) ]",
    "T*=? [ F \"top\" ]",
    "S*=? [ \"top\" ]",
    "filter(max, P*=? [ x>0 U \"top\" ], x<3)",
    "A [ F \"top\" ]",
    "P*=? [ X (P*>0.5 [ x>0 U \"top\" ]) ]",
];

fn model(kind: &str) -> String {
    let [up, down, one] = if kind == "ctmc" { ["3", "2", "1"] } else { ["0.6", "0.4", "1"] };
    format!("{kind}{}", BODY.replace("UP", up).replace("DOWN", down).replace("ONE", one))
}

/// Checks that each result names the method, or has a diagnostic about it.
fn judge(document: &Value, method: &str, names: &[&str], what: &str) {
    let diagnostics = document["diagnostics"].as_array().expect("diagnostics");
    let about = |code: &str| diagnostics.iter().filter(|d| d["code"] == code).count();
    let results = document["results"].as_array().expect("results");
    let mut unnamed = 0;
    for result in results {
        assert!(result.get("error").is_none(), "{what}: {result}");
        let found = result["method"].as_str().expect("a method");
        unnamed += usize::from(!names.iter().any(|name| found.contains(name)));
    }
    assert!(about("V0615") >= unnamed, "--method {method}, {what}: {unnamed} unnamed\n{document:#}");
}

#[test]
fn a_method_is_used_or_the_reason_is_told() {
    for kind in ["dtmc", "ctmc", "mdp"] {
        let folder = Folder::with_model(&model(kind));
        for (method, names) in METHODS {
            // One by one, so that a diagnostic is that of the property.
            for property in PROPERTIES {
                for optimum in if kind == "mdp" { &["min", "max"][..] } else { &[""] } {
                    let property = property.replace('*', optimum);
                    let words = ["check", "model.prism", "--prop", &property, "--method", method, "--json"];
                    let run = folder.run(&[&words[..], &["--verify", "never"]].concat());
                    assert!(run.code < 2, "{kind} {method} {property}: {}", run.err);
                    judge(&run.json(), method, names, &format!("{kind}, {property}"));
                }
            }
        }
    }
}

#[test]
fn several_objectives_and_conditions_too() {
    let folder = Folder::with_model(&model("mdp"));
    for (method, names) in METHODS {
        for property in ["multi(Pmax=? [ F x=0 ], P>=0.1 [ F \"top\" ])", "Pmax=? [ F x=0 || F x=2 ]"] {
            let words = ["check", "model.prism", "--prop", property, "--method", method, "--json"];
            let run = folder.run(&[&words[..], &["--verify", "never"]].concat());
            assert!(run.code < 2, "{method} {property}: {}", run.err);
            judge(&run.json(), method, names, property);
        }
    }
}

#[test]
fn distributions_say_so_too() {
    let folder = Folder::with_model(&model("ctmc"));
    for (method, _) in METHODS {
        for moment in [&["--transient", "2"][..], &["--steady-state"]] {
            let words = [&["check", "model.prism", "--method", method], moment].concat();
            let run = folder.run(&words).exits(0);
            let is_used = method == "elimination" && moment == ["--steady-state"];
            assert_eq!(run.err.contains("V0615"), !is_used, "{words:?}: {}", run.err);
        }
    }
    // Without the option there is nothing to say.
    let run = folder.run(&["check", "model.prism", "--steady-state", "--transient", "2"]).exits(0);
    assert!(!run.err.contains("V0615"), "{}", run.err);
}
