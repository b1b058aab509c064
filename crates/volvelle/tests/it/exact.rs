//! `check --exact`: fractions end to end.

use crate::common::{Folder, examples, root, run_in, schema};
use serde_json::Value;

/// The values of some properties of a model.
fn values(model: &str, properties: &[&str]) -> Vec<Value> {
    let folder = Folder::with_model(model);
    let mut arguments = vec!["check", "model.prism", "--exact", "--json"];
    properties.iter().for_each(|p| arguments.extend(["--prop", p]));
    let run = folder.run(&arguments);
    let json = run.json();
    let schema_text = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).unwrap();
    let problems = schema::problems(&serde_json::from_str(&schema_text).unwrap(), &json);
    assert!(problems.is_empty(), "{problems:?}\n{json}");
    let results = json["results"].as_array().unwrap();
    results
        .iter()
        .map(|r| if r["value"].is_null() { r["error"]["code"].clone() } else { r["value"].clone() })
        .collect()
}

/// The code of the error that a property gives.
fn refused(model: &str, property: &str) -> (String, String) {
    let folder = Folder::with_model(model);
    let run = folder.run(&["check", "model.prism", "--prop", property, "--exact", "--json"]).exits(2);
    let error = &run.json()["results"][0]["error"];
    (error["code"].as_str().unwrap().to_owned(), error["message"].as_str().unwrap().to_owned())
}

#[test]
fn the_die() {
    for face in 1..=6 {
        let face = format!("P=? [ F face={face} ]");
        let run = run_in(&examples(), &["check", "die.prism", "--exact", "--prop", &face]).exits(0);
        assert!(run.out.contains("= 1/6  (0.1666666667)      exact"), "{}", run.out);
    }
    let run = |property| run_in(&examples(), &["check", "die.prism", "--exact", "--prop", property]);
    assert!(run("P<=1/6 [ F face=1 ]").exits(0).out.contains("true  (1/6)"));
    assert!(run("P>=1/6 [ F face=1 ]").exits(0).out.contains("true  (1/6)"));
    assert!(run("P<1/6 [ F face=1 ]").exits(1).out.contains("false  (1/6)"));
    // The nearest double of a sixth is a little less than a sixth.
    assert!(run("P<=0.16666666666666666 [ F face=1 ]").exits(1).out.contains("false  (1/6)"));
    assert!(run("R{\"flips\"}=? [ F face>0 ]").exits(0).out.contains("= 11/3  (3.666666667)"));
}

/// Bounds that are met with equality are decided by fractions without `--exact`, if these do not take long.
#[test]
fn small_models_decide_bounds_that_are_met() {
    let walk = |last: usize| {
        format!(
            "dtmc\nconst int half = {};\nmodule m\n  x : [0..2*half] init half;\n  [] x>0 & x<2*half -> 1/2 : \
             (x'=x+1) + 1/2 : (x'=x-1);\n  [] x=0 | x=2*half -> true;\nendmodule\n",
            last / 2
        )
    };
    let found = |last: usize, property: &str| {
        let folder = Folder::with_model(&walk(last));
        let json = folder.run(&["check", "model.prism", "--prop", property, "--json"]).json();
        let result = &json["results"][0];
        if result["error"].is_null() { result["value"].clone() } else { result["error"]["code"].clone() }
    };
    assert_eq!(found(20, "P>=1/2 [ F x=0 ]"), true);
    assert_eq!(found(20, "P>1/2 [ F x=0 ]"), false);
    assert_eq!(found(20, "P=? [ F x=0 ] = P=? [ F x=2*half ]"), true);
    assert_eq!(found(20, "filter(count, P>=1/2 [ F x=0 ])"), 11.0);
    assert_eq!(found(20, "P>=1/2 [ (F x=0) & !(F x=20) ]"), true);
    assert_eq!(found(20, "P<=11/2 - 5 [ F<=400 x=0 ]"), true);
    // Too many states, and too many steps.
    assert_eq!(found(4000, "P>=1/2 [ F x=0 ]"), "V0601");
    assert_eq!(found(20, "P<1/2 [ F<=100000 x=0 ]"), "V0601");
}

/// Pólya's urn: after n draws from an urn with one ball of each colour, every number of red balls is as likely.
#[test]
fn weights_that_depend_on_the_state() {
    let urn = "dtmc
const int n = 12;
module urn
  red : [1..n+1] init 1;
  blue : [1..n+1] init 1;
  [] red+blue<n+2 -> red/(red+blue) : (red'=red+1) + blue/(red+blue) : (blue'=blue+1);
  [] red+blue=n+2 -> true;
endmodule
rewards true : red/(red+blue) + 0.1; endrewards
";
    let all: Vec<String> = (1..=13).map(|red| format!("P=? [ F red={red} & red+blue=14 ]")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    assert_eq!(values(urn, &all), vec![Value::from("1/13"); 13]);
    // The share is a martingale: a half in every step.
    let sums = ["R=? [ C<=5 ]", "R=? [ I=7 ]", "R=? [ F red+blue=14 ]", "R=? [ S ]"];
    assert_eq!(values(urn, &sums), [Value::from(3.0), "3/5".into(), "36/5".into(), "3/5".into()]);
}

#[test]
fn decimals_are_what_was_written() {
    let model = "dtmc
const double p = 0.1;
module m
  s : [0..3] init 0;
  [] s=0 -> p : (s'=1) + 2*p : (s'=2) + 0.7 : (s'=3);
  [] s>0 -> true;
endmodule
rewards s=2 : 0.1*s + 1e-3; endrewards
";
    let found =
        values(model, &["P=? [ F s=2 ]", "R=? [ I=1 ]", "P=? [ F s=1 ] + P=? [ F s=2 ]", "P=? [ F s=1 ]^3"]);
    assert_eq!(found, ["1/5", "201/5000", "3/10", "1/1000"].map(Value::from));
    // In doubles 0.1 + 0.2 is more than 0.3.
    assert_eq!(values(model, &["P=? [ F s=1 ] + P=? [ F s=2 ] <= 0.3"]), [Value::from(true)]);
}

#[test]
fn constants_from_the_command_line() {
    let model = "dtmc
const double p;
module m s : [0..1]; [] s=0 -> p : (s'=1) + 1-p : true; endmodule
";
    let folder = Folder::with_model(model);
    let run =
        folder.run(&["check", "model.prism", "--exact", "--const", "p=0.3", "--prop", "P=? [ F<=2 s=1 ]"]);
    assert!(run.exits(0).out.contains("= 51/100  (0.51)"));
}

#[test]
fn synchronised_modules_and_merged_targets() {
    // The product of two thirds; two of the outcomes lead to one state; both commands are as likely.
    let model = "dtmc
module a x : [0..1]; [go] x=0 -> 1/3 : (x'=1) + 2/3 : true; [] x=1 -> true; endmodule
module b y : [0..1]; [go] y=0 -> 1/3 : (y'=1) + 1/3 : (y'=0) + 1/3 : true; [go] y=0 -> (y'=1); [] y=1 -> true; endmodule
";
    let found = values(model, &["P=? [ X x=1&y=1 ]", "P=? [ X x=0&y=0 ]"]);
    // 1/2 (1/3 1/3) + 1/2 (1/3 1); 1/2 (2/3 2/3).
    assert_eq!(found, ["2/9", "2/9"].map(Value::from));
}

#[test]
fn an_mdp_with_ties() {
    let model = "mdp
module m
  s : [0..3] init 0;
  [a] s=0 -> 1/3 : (s'=2) + 2/3 : (s'=3);
  [b] s=0 -> (s'=1);
  [a] s=1 -> (s'=0);
  [b] s=1 -> 1/3 : (s'=2) + 2/3 : (s'=3);
  [] s>1 -> true;
endmodule
rewards s<2 : 0.3; endrewards
";
    let found = values(
        model,
        &[
            "Pmax=? [ F s=2 ]",
            "Pmin=? [ F s=2 ]",
            "Rmin=? [ F s>1 ]",
            "Rmax=? [ F s>1 ]",
            "Pmax>=1/3 [ F s=2 ]",
        ],
    );
    assert_eq!(found, [Value::from("1/3"), 0.0.into(), "3/10".into(), "inf".into(), true.into()]);
}

#[test]
fn lists_and_ranges() {
    let model = "dtmc
module m s : [0..2]; [] s=0 -> 1/3 : (s'=1) + 2/3 : (s'=2); [] s>0 -> true; endmodule
";
    let folder = Folder::with_model(model);
    let ask = |property| folder.run(&["check", "model.prism", "--exact", "--prop", property]).exits(0).out;
    let list = ask("filter(print, P=? [ X s=1 ])");
    assert!(list.contains("\n           1/3   s=0\n") && list.contains("\n           1     s=1\n"), "{list}");
    assert!(ask("filter(range, P=? [ X s=1 ])").contains("= [0, 1]"), "{list}");
    assert_eq!(values(model, &["filter(avg, P=? [ X s=1 ])"]), [Value::from("4/9")]);
}

#[test]
fn what_has_no_exact_answer() {
    let ctmc = "ctmc
module m s : [0..2]; [] s=0 -> 1/3 : (s'=1); [] s=1 -> 2 : (s'=2); [] s=2 -> 0.25 : (s'=0); endmodule
rewards s=1 : 1; endrewards
";
    for property in [
        "P=? [ F<=2 s=1 ]",
        "R=? [ C<=2 ]",
        "R=? [ I=2 ]",
        "(1 + P=? [ F s=1 ])^0.5",
        "log(P=? [ F s=1 ], 2)",
    ] {
        let (code, message) = refused(ctmc, property);
        assert_eq!(code, "V0611", "{property}: {message}");
    }
    // 3, 1/2 and 4 units of time a round.
    let found =
        values(ctmc, &["S=? [ s=1 ]", "T=? [ F s=2 ]", "R=? [ S ]", "P=? [ X s=1 ]", "P<=1/15 [ F<=2 s=1 ]"]);
    assert_eq!(found, [Value::from("1/15"), "7/2".into(), "1/15".into(), 1.0.into(), "V0611".into()]);
    let log = "dtmc
module m s : [0..2] init 2; [] s>0 -> log(s,4) : (s'=s-1) + 1-log(s,4) : (s'=0); [] s=0 -> true; endmodule
";
    let (code, message) = refused(log, "P=? [ F<=1 s=0 ]");
    assert!(code == "V0611" && message.contains("a logarithm"), "{message}");
    // States that nobody asks for may have no value.
    assert_eq!(values(ctmc, &["1 / S=? [ s=1 ]", "1 / P=? [ X s=1 ]"]), [Value::from(15.0), 1.0.into()]);
}

#[test]
fn rounding_decides_nothing() {
    let sum = "dtmc
module m s : [0..3]; [] s=0 -> 0.333333 : (s'=1) + 0.333333 : (s'=2) + 0.333333 : (s'=3); [] s>0 -> true; endmodule
";
    assert_eq!(values(sum, &["P=? [ F s=1 ]", "P=? [ X s=1 ]"]), ["1/3", "1/3"], "shares");
    let guard = "dtmc
module m s : [0..5]; [] 0.1*s<=0.3 -> (s'=s+1); [] 0.1*s>0.3 -> true; endmodule
";
    // In doubles 0.1*3 is more than 0.3.
    assert_eq!(values(guard, &["P=? [ F s=4 ]", "P=? [ F s=5 ]"]), [1.0, 0.0]);
    let weight = "dtmc
module m s : [0..2] init 1; [] s=1 -> (0.1+0.2)*s-0.3*s : (s'=0) + 1-((0.1+0.2)*s-0.3*s) : (s'=2); [] s!=1 -> true; endmodule
";
    assert_eq!(values(weight, &["P>=1 [ F s=2 ]", "P=? [ F s=0 ]"]), [Value::from(true), 0.0.into()]);
    let label = "dtmc
module m s : [0..5]; [] s<5 -> (s'=s+1); [] s=5 -> true; endmodule
";
    assert_eq!(values(label, &["P=? [ F 0.1*s>0.3 & s<4 ]", "P=? [ F 0.1*s>0.3 & s<5 ]"]), [0.0, 1.0]);
    let constant = "dtmc
const int c = ceil(0.1*3*10);
module m s : [0..5]; [] s<c -> (s'=s+1); [] s>=c -> true; endmodule
";
    // In doubles 0.1*3*10 is more than 3.
    assert_eq!(values(constant, &["P=? [ F s=3 ]", "P=? [ F s=4 ]"]), [1.0, 0.0]);
    let bounds = "dtmc
module m s : [3..5]; [] 0.1*s>0.3 -> (s'=min(s+1,5)); [] 0.1*s<=0.3 -> true; endmodule
";
    assert_eq!(values(bounds, &["P=? [ F s=5 ]"]), [0.0]);
    let start = "dtmc
module m s : [0..5]; [] s<5 -> (s'=s+1); [] s=5 -> true; endmodule
init 0.1*s>=0.3 & s<5 endinit
";
    // 3 and 4; in doubles the same, as 0.1*3 is rounded up.
    assert_eq!(values(start, &["filter(count, \"init\")"]), [2.0]);
    let update = "mdp
module m s : [0..9]; [a] s=0 -> 0.1*s+0.5 : (s'=floor((0.1*(s+1)+0.7)*10)) + 0.5 : (s'=1); [] s>0 -> true; endmodule
";
    assert_eq!(values(update, &["Pmax=? [ F s=8 ]"]), [Value::from("1/2")]);
    assert_eq!(values(label, &["P=? [ F 10*s>35 & s<5 ]"]), [Value::from(1.0)]);
}

#[test]
fn options_that_do_not_go_together() {
    let run =
        run_in(&examples(), &["check", "die.prism", "die.props", "--exact", "--precision", "1e-3"]).exits(2);
    assert!(run.err.contains("--exact"), "{}", run.err);
}

/// Constants on the command line stay what was written.
#[test]
fn constants_are_fractions() {
    let model = "dtmc
const double p;
module m s : [0..2]; [] s=0 -> p : (s'=1) + 1-p : (s'=2); [] s>0 -> true; endmodule
";
    let folder = Folder::with_model(model);
    let value = |constant: &str| {
        let run = folder.run(&[
            "check",
            "model.prism",
            "--const",
            constant,
            "--prop",
            "P=? [ F s=1 ]",
            "--exact",
            "--json",
        ]);
        run.json()["results"].as_array().unwrap().iter().map(|r| r["value"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(value("p=1/3"), ["\"1/3\""]);
    assert_eq!(value("p=2*0.1"), ["\"1/5\""]);
    assert_eq!(value("p=1-(1/3)^2"), ["\"8/9\""]);
    assert_eq!(value("p=1e-1"), ["\"1/10\""]);
    let run = folder.run(&["check", "model.prism", "--const", "p=1/0", "--prop", "P=? [ F s=1 ]"]).exits(2);
    assert!(run.err.contains("`1/0` is not a value"), "{}", run.err);
    let arguments =
        ["check", "model.prism", "--const", "p=0:1/3:1", "--prop", "P=? [ F s=1 ]", "--exact", "--csv", "-"];
    let run = folder.run(&arguments).exits(0);
    assert!(run.out.contains("1/3") && run.out.contains("2/3"), "{}", run.out);
}

#[test]
fn values_in_all_states() {
    let model = "dtmc
module m s : [0..4] init 2; [] s>0 & s<4 -> 1/3 : (s'=s+1) + 2/3 : (s'=s-1); [] s=0 | s=4 -> true; endmodule
";
    let folder = Folder::with_model(model);
    let run =
        folder.run(&["check", "model.prism", "--prop", "P=? [ F s=4 ]", "--exact", "--states", "--json"]);
    let json = run.exits(0).json();
    let values = json["results"][0]["all_states"].as_array().unwrap();
    let mut found: Vec<String> =
        values.iter().map(|v| format!("{} {}", v["state"].as_str().unwrap(), v["value"])).collect();
    found.sort();
    assert_eq!(found, ["s=0 0.0", "s=1 \"1/15\"", "s=2 \"1/5\"", "s=3 \"7/15\"", "s=4 1.0"]);
    let run =
        folder.run(&["check", "model.prism", "--prop", "P=? [ F s=4 ]", "--exact", "--states"]).exits(0);
    assert!(run.out.contains("7/15") && run.out.contains("s=3"), "{}", run.out);
}

/// Whether a time-bounded probability is one, or positive, is decided by the graph.
#[test]
fn bounds_on_time_by_the_graph() {
    let model = "ctmc
module m s : [0..3]; [] s<2 -> 1e-9 : (s'=s+1) + 1e9 : (s'=0); [] s>=2 -> true; endmodule
";
    let folder = Folder::with_model(model);
    let verdict = |property: &str| {
        let run = folder.run(&["check", "model.prism", "--prop", property, "--json"]);
        run.json()["results"][0]["value"].clone()
    };
    for (property, truth) in [
        ("P>0 [ F<=1e-9 s=2 ]", true),
        ("P<=0 [ F<=10 s=3 ]", true),
        ("P>=1 [ F<=1e9 s=2 ]", false),
        ("P>=1 [ F<=10 s<2 ]", true),
        ("P<1 [ F<=10 s=2 ]", true),
        ("P>=1 [ G<=10 s<2 ]", false),
        ("P>=1 [ G<=10 s<3 ]", true),
        ("P>0 [ G<=1000 s<1 ]", true),
    ] {
        assert_eq!(verdict(property), truth, "{property}");
    }
}

/// Corners of a curve, bounds on its border, and the value that strict bounds let schedulers approach.
#[test]
fn several_objectives() {
    let model = "mdp
        module m
          s : [0..3] init 0;
          [] s=0 -> 1/3 : (s'=1) + 2/3 : (s'=2);
          [] s=0 -> 1/7 : (s'=1) + 5/7 : (s'=3) + 1/7 : (s'=2);
          [] s=0 -> (s'=3);
          [] s>0 -> true;
        endmodule
        rewards \"cost\" s=3 & false : 1; s=0 : 1/3; endrewards";
    let found = values(
        model,
        &[
            "multi(Pmax=? [ F s=1 ], Pmax=? [ F s=3 ])",
            "multi(P>=5/21 [ F s=1 ], P>=5/14 [ F s=3 ])",
            "multi(P>5/21 [ F s=1 ], P>=5/14 [ F s=3 ])",
            "multi(Pmax=? [ F s=1 ], P>5/14 [ F s=3 ], R{\"cost\"}<=1/3 [ C ])",
        ],
    );
    let curve = serde_json::json!([[0.0, 1.0], ["1/7", "5/7"], ["1/3", 0.0]]);
    assert_eq!(found, [curve, true.into(), false.into(), "5/21".into()]);
}
