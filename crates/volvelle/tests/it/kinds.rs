//! Models that are read as another kind, probabilities whose sum is not checked, and mdps with one value for all schedulers.

use crate::common::{Folder, Run};

/// In state 0 a coin, or a jump to state 2.
const CHOICE: &str = "mdp
module m
  s : [0..2];
  [flip] s=0 -> 0.5 : (s'=1) + 0.5 : (s'=2);
  [jump] s=0 -> (s'=2);
  [] s>0 -> true;
endmodule
rewards \"flips\" [flip] true : 1; endrewards
";

fn value(run: &Run) -> serde_json::Value {
    run.json()["results"][0]["value"].clone()
}

fn near(found: &serde_json::Value, wanted: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found}"));
    assert!((found - wanted).abs() < 1e-9, "{found} instead of {wanted}");
}

#[test]
fn a_model_as_another_kind() {
    let folder = Folder::new().file("m.prism", CHOICE).file("c.tra", "3 4\n0 1 0.5\n0 2 0.5\n1 1 1\n2 2 1\n");
    let ask = |words: &[&str]| folder.run(&[&["check", "m.prism", "--json"], words].concat()).exits(0);
    // A chain chooses each of two commands half of the time.
    near(&value(&ask(&["--as", "dtmc", "--prop", "P=? [ F s=1 ]"])), 0.25);
    near(&value(&ask(&["-dtmc", "--prop", "P=? [ F s=1 ]"])), 0.25);
    // As rates, 0.5 against 0.5 + 1, and a time with the rate 2.
    near(&value(&ask(&["--as", "ctmc", "--prop", "P=? [ F s=1 ]"])), 0.25);
    near(&value(&ask(&["--as", "ctmc", "--prop", "T=? [ F s>0 ]"])), 0.5);
    near(&value(&ask(&["--as", "mdp", "--prop", "Pmax=? [ F s=1 ]"])), 0.5);
    let sampled = folder
        .run(&["simulate", "m.prism", "--as", "dtmc", "--prop", "R=? [ F s>0 ]", "--seed", "3", "--json"])
        .exits(0);
    assert!((value(&sampled).as_f64().expect("a mean") - 0.5).abs() < 0.02);
    let tra = |kind: &str| {
        let run = folder.run(&["check", "c.tra", "--as", kind, "--prop", "P=? [ F<=1 x=1 ]", "--json"]);
        value(&run.exits(0))
    };
    near(&tra("dtmc"), 0.5);
    near(&tra("ctmc"), 0.5 * (1.0 - (-1.0f64).exp()));
    let info = folder.run(&["info", "m.prism", "--as", "ctmc"]).exits(0);
    assert!(info.out.contains("CTMC"), "{}", info.out);
    let explored = folder.run(&["explore", "m.prism", "--as", "dtmc"]).exits(0);
    assert!(explored.out.contains("DTMC"), "{}", explored.out);
    folder.run(&["check", "m.prism", "--as", "pta"]).exits(2);
}

#[test]
fn sums_of_probabilities_on_request() {
    let model = "dtmc
module m
  s : [0..2];
  [] s=0 -> 0.3 : (s'=1) + 0.6 : (s'=2);
  [] s=1 -> s/4 : (s'=1) + 1/4 : (s'=2);
  [] s=2 -> true;
endmodule
";
    let folder = Folder::with_model(model);
    let words = ["check", "model.prism", "--prop", "P=? [ X s=1 ]", "--prop", "P=? [ X X s=1 ]", "--json"];
    let run = folder.run(&words).exits(2);
    assert!(run.out.contains("V0316"), "{}", run.out);
    for switch in ["--no-probability-check", "-noprobchecks"] {
        let json = folder.run(&[&words[..], &[switch]].concat()).exits(0).json();
        // Shares: 1 to 2, then 1 to 1.
        near(&json["results"][0]["value"], 1.0 / 3.0);
        near(&json["results"][1]["value"], 1.0 / 6.0);
        let said: Vec<&str> =
            json["diagnostics"].as_array().into_iter().flatten().filter_map(|d| d["code"].as_str()).collect();
        assert_eq!(said, ["V0316", "V0401"], "the static and the explored sum");
    }
    let sampled = folder.run(&[&["simulate"], &words[1..4], &["--no-probability-check", "--json"]].concat());
    assert!((value(&sampled.exits(0)).as_f64().expect("a mean") - 1.0 / 3.0).abs() < 0.01);
    let exact = folder.run(&[&words[..], &["--no-probability-check", "--exact"]].concat()).exits(0).json();
    assert_eq!([&exact["results"][0]["value"], &exact["results"][1]["value"]], ["1/3", "1/6"]);
}

#[test]
fn an_mdp_without_choices_needs_no_optimum() {
    let folder = Folder::new()
        .file("choice.prism", CHOICE)
        .file("none.prism", CHOICE.replace("[jump] s=0 -> (s'=2);", ""))
        .file("late.prism", "mdp\nmodule m\n s : [0..5000];\n [] s<5000 -> (s'=s+1);\n [] s=4999 -> true;\n [] s=5000 -> true;\nendmodule\nrewards true : 1; endrewards\n")
        .file("endless.prism", "mdp\nmodule m\n s : int;\n [] true -> (s'=s+1);\n [] s>0 -> (s'=0);\nendmodule\n");
    for (property, wanted) in
        [("P=? [ F s=1 ]", 0.5), ("R=? [ F s>0 ]", 1.0), ("S=? [ s=2 ]", 0.5), ("T=? [ F s>0 ]", 1.0)]
    {
        let run = folder.run(&["check", "none.prism", "--prop", property, "--json"]).exits(0);
        near(&value(&run), wanted);
        assert!(run.out.contains("has no choices"), "{property}: {}", run.out);
        let refused = folder.run(&["check", "choice.prism", "--prop", property, "--json"]).exits(2);
        assert_eq!(refused.json()["results"][0]["error"]["code"], "V0505", "{property}");
    }
    let exact = folder.run(&["check", "none.prism", "--prop", "P=? [ F s=1 ]", "--exact", "--json"]).exits(0);
    assert_eq!(value(&exact), "1/2");
    // A choice that only the whole space shows, and one that is seen before there is a whole space.
    for model in ["late.prism", "endless.prism"] {
        let run =
            folder.run(&["check", model, "--prop", "P=? [ F s=4000 ]", "--full-space", "--json"]).exits(2);
        assert_eq!(run.json()["results"][0]["error"]["code"], "V0505", "{model}");
    }
}
