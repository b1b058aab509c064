//! Simulation, and numerical values verified by it, from the command line.

use crate::common::{Folder, root};
use serde_json::Value;

const QUEUE: &str = "ctmc
const double T;
module queue
  waiting : [0..5] init 0;
  [arrive] waiting<5 -> 2 : (waiting'=waiting+1);
  [serve]  waiting>0 -> 3 : (waiting'=waiting-1);
endmodule
rewards \"length\" true : waiting; endrewards
";

/// Changes little in a step, and much in a day.
const SLOW: &str = "ctmc
module m
  on : bool init true;
  x : [0..1] init 0;
  [] x=0 -> 500 : (x'=1);
  [] x=1 -> 500 : (x'=0);
  [] on -> 0.05 : (on'=false);
endmodule
rewards on : 1; endrewards
";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The result of a run, without what differs from run to run.
fn plain(text: &str) -> Value {
    let mut document = json(text);
    for result in document["results"].as_array_mut().expect("results") {
        let result = result.as_object_mut().expect("a result");
        result.remove("seconds");
        let statistics = result.get_mut("statistics").and_then(Value::as_object_mut).expect("statistics");
        statistics.remove("seconds");
        statistics.remove("tier");
    }
    document
}

#[test]
fn threads_and_tiers_do_not_matter() {
    let folder = Folder::new().file("queue.prism", QUEUE);
    let ask = |more: &[&str]| {
        let fixed =
            ["simulate", "queue.prism", "--const", "T=2", "--samples", "3000", "--seed", "5", "--json"];
        let properties =
            ["--prop", "P=? [ F<=T waiting=5 ]", "--prop", "R=? [ C<=T ]", "--prop", "R=? [ I=T ]"];
        let run = folder.run(&[&fixed[..], &properties[..], more].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        plain(&run.out)
    };
    let one = ask(&["--threads", "1"]);
    for more in [
        &["--threads", "2"][..],
        &["--tier", "interpreter"],
        &["--tier", "scalar"],
        &["--tier", "vector"],
        &["--tier", "vector", "--threads", "2"],
    ] {
        assert_eq!(ask(more), one, "{more:?}");
    }
    let other = ask(&["--rng", "philox"]);
    assert_ne!(other["results"][1]["value"], one["results"][1]["value"]);
}

#[test]
fn intervals_hold_what_check_computes() {
    let folder = Folder::new().file("queue.prism", QUEUE);
    for property in [
        "P=? [ F<=T waiting=5 ]",
        "P=? [ G[0.5,T] waiting>0 ]",
        "R=? [ C<=T ]",
        "R=? [ I=T ]",
        "R=? [ F waiting=5 ]",
        "P=? [ waiting<3 U waiting=3 ]",
        "P=? [ waiting<5 U (waiting=3 & (X waiting=2)) ]",
    ] {
        let ask = |command: &str, more: &[&str]| {
            let run = folder.run(
                &[&[command, "queue.prism", "--const", "T=2", "--prop", property, "--json"], more].concat(),
            );
            assert_eq!(run.code, 0, "{}", run.err);
            json(&run.out)["results"][0].clone()
        };
        let exact = ask("check", &[])["value"].as_f64().expect("a number");
        let simulated = ask("simulate", &["--samples", "20000", "--confidence", "0.9999", "--seed", "3"]);
        let bound = |name: &str| simulated[name].as_f64().expect("a bound");
        assert!(bound("lo") <= exact && exact <= bound("hi"), "{property}: {exact} in {simulated}");
        assert_eq!(simulated["guarantee"], "statistical");
    }
}

#[test]
fn points_of_a_range_share_their_paths() {
    let folder = Folder::new().file("queue.prism", QUEUE);
    let run = folder.run(&[
        "simulate",
        "queue.prism",
        "--prop",
        "R=? [ I=t ]",
        "--const",
        "T=1,t=0:1:4",
        "--samples",
        "2000",
        "--csv",
        "-",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.out.lines().count(), 6, "{}", run.out);
    let alone = folder.run(&[
        "simulate",
        "queue.prism",
        "--prop",
        "R=? [ I=t ]",
        "--const",
        "T=1,t=0:4:4",
        "--samples",
        "2000",
        "--csv",
        "-",
    ]);
    assert_eq!(run.out.lines().last(), alone.out.lines().last());
}

#[test]
fn bounds_are_decided_or_not() {
    let folder = Folder::new().file("queue.prism", QUEUE);
    let ask = |property: &str, more: &[&str]| {
        folder.run(&[&["simulate", "queue.prism", "--const", "T=2", "--prop", property], more].concat())
    };
    assert_eq!(ask("P<0.9 [ F<=T waiting=5 ]", &[]).code, 0);
    assert_eq!(ask("P>0.9 [ F<=T waiting=5 ]", &["--method", "sprt", "--indifference", "0.01"]).code, 1);
    assert_eq!(ask("P>0.9 [ F<=T waiting=5 ]", &["--method", "bayes"]).code, 1);
    let near = ask("P>=0.5 [ X[0,0.34657359] waiting=1 ]", &["--samples", "2000"]);
    assert_eq!(near.code, 2);
    assert!(near.err.contains("V0903"), "{}", near.err);
}

#[test]
fn bad_questions_are_refused() {
    let folder = Folder::new().file("queue.prism", QUEUE).file("m.pml", "active proctype P() { skip }").file(
        "choice.prism",
        "mdp\nmodule m\n  x : [0..2] init 0;\n  [a] x=0 -> (x'=1);\n  [b] x=0 -> (x'=2);\nendmodule\n",
    );
    for (words, told) in [
        (&["simulate", "queue.prism", "--const", "T=1", "--prop", "S=? [ waiting=0 ]"][..], "V0901"),
        (&["simulate", "queue.prism", "--const", "T=1", "--prop", "P=? [ F P>=1 [ F waiting=5 ] ]"], "V0901"),
        (&["simulate", "choice.prism", "--prop", "Pmax=? [ F x=1 ]"], "--scheduler uniform"),
        (
            &[
                "simulate",
                "queue.prism",
                "--const",
                "T=1",
                "--prop",
                "P=? [ F waiting=5 ]",
                "--samples",
                "none",
            ],
            "number of paths",
        ),
        (
            &["simulate", "queue.prism", "--const", "T=1", "--prop", "P=? [ F waiting=5 ]", "--rng", "dice"],
            "no random number generator",
        ),
        (
            &[
                "simulate",
                "queue.prism",
                "--const",
                "T=1",
                "--prop",
                "P=? [ F waiting=5 ]",
                "--method",
                "sprt",
            ],
            "a bound",
        ),
        (
            &[
                "simulate",
                "queue.prism",
                "--const",
                "T=1",
                "--prop",
                "R=? [ C<=1 ]",
                "--method",
                "apmc",
                "--width",
                "0.1",
            ],
            "probabilities",
        ),
        (
            &["simulate", "queue.prism", "--const", "T=1", "--prop", "P=? [ F waiting=5 ]", "--steps", "5"],
            "--steps does not apply to sampled paths",
        ),
        (
            &[
                "simulate",
                "queue.prism",
                "--const",
                "T=1",
                "--prop",
                "P=? [ F waiting=5 ]",
                "--confidence",
                "1",
            ],
            "probability",
        ),
        (
            &[
                "check",
                "queue.prism",
                "--const",
                "T=1",
                "--prop",
                "P=? [ F waiting=5 ]",
                "--verify-time",
                "never",
            ],
            "a time",
        ),
    ] {
        let run = folder.run(words);
        assert_eq!(run.code, 2, "{words:?}\n{}{}", run.out, run.err);
        assert!(run.err.contains(told), "{words:?}\n{}", run.err);
    }
}

#[test]
fn a_range_that_is_left_is_shown_with_its_path() {
    let model =
        "dtmc\nmodule m\n  x : [0..3] init 0;\n  [up] true -> 0.5 : (x'=x+1) + 0.5 : (x'=0);\nendmodule\n";
    let folder = Folder::new().file("m.prism", model);
    let ask = |threads: &str| {
        folder.run(&["simulate", "m.prism", "--prop", "P=? [ F x<0 ]", "--seed", "3", "--threads", threads])
    };
    let run = ask("1");
    assert_eq!(run.code, 2);
    assert!(
        run.err.contains("V0406") && run.err.contains("x=3") && run.err.contains("volvelle trace"),
        "{}",
        run.err
    );
    assert_eq!(ask("2").err, run.err);
}

#[test]
fn wrong_numerical_values_are_found() {
    let folder = Folder::new().file("slow.prism", SLOW);
    let ask = |more: &[&str]| {
        let fixed = ["check", "slow.prism", "--prop", "R=? [ I=10 ]", "--json"];
        let classical = ["--steady-state-detection", "prism", "--epsilon", "1e-3", "--bisimulation", "off"];
        let paths: &[&str] = match more {
            ["--verify", "never", ..] => &[],
            _ => &["--verify-time", "100", "--verify-samples", "20000"],
        };
        let run = folder.run(&[&fixed[..], &classical, paths, more].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        (json(&run.out), run.err)
    };
    let (found, messages) = ask(&[]);
    let verification = &found["results"][0]["verification"];
    assert_eq!(verification["agrees"], false, "{found}");
    assert_eq!(verification["outside"], "0.99");
    assert!(messages.contains("V0905"), "{messages}");
    let exact = (-0.5f64).exp();
    let interval = &verification["intervals"]["0.99"];
    let (lo, hi) = (interval[0].as_f64().expect("a number"), interval[1].as_f64().expect("a number"));
    assert!(lo < exact + 0.1 && exact - 0.1 < hi, "{interval}");

    let (repaired, messages) = ask(&["--verify-repair"]);
    let result = &repaired["results"][0];
    assert!((result["value"].as_f64().expect("a number") - exact).abs() < 1e-2, "{result}");
    assert_eq!(result["verification"]["agrees"], true, "{result}");
    assert!(result["verification"]["repaired"].is_string(), "{result}");
    assert!(!messages.contains("V0905"), "{messages}");

    assert_eq!(ask(&["--verify", "never"]).0["results"][0]["verification"], Value::Null);
}

#[test]
fn right_numerical_values_agree() {
    let folder = Folder::new().file("queue.prism", QUEUE);
    let run = folder.run(&[
        "check",
        "queue.prism",
        "--const",
        "T=1:1:3",
        "--prop",
        "R=? [ I=T ]",
        // Alone: all of them.
        "--verify",
        "--verify-time",
        "100",
        "--verify-samples",
        "20000",
        "--json",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    let document = json(&run.out);
    for result in document["results"].as_array().expect("results") {
        assert_eq!(result["verification"]["agrees"], true, "{result}");
    }
}

#[test]
fn the_case_study_is_an_example() {
    let model = root().join("examples/prism/client_server.prism");
    let properties = root().join("examples/prism/client_server.props");
    let folder = Folder::new();
    let (model, properties) =
        (model.to_string_lossy().into_owned(), properties.to_string_lossy().into_owned());
    let run = folder.run(&[
        "simulate",
        &model,
        &properties,
        "--prop",
        "waiting",
        "--const",
        "T=100",
        "--samples",
        "2000",
        "--confidence",
        "0.999",
        "--json",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    let result = &json(&run.out)["results"][0];
    let bound = |name: &str| result[name].as_f64().expect("a bound");
    // By a dense matrix exponential.
    assert!(bound("lo") < 241.259125 && 241.259125 < bound("hi"), "{result}");
}

/// Initial states that a condition gives: one is as good as a value for every variable.
#[test]
fn a_condition_for_the_initial_state() {
    let model = "dtmc
module m
  x : [0..10];
  y : bool;
  [] x<10 -> 0.5 : (x'=x+1) + 0.5 : (x'=10);
endmodule
init x=3 & !y endinit
";
    let folder = Folder::new().file("one.prism", model).file("two.prism", model.replace(" & !y", ""));
    let run = folder.run(&["simulate", "one.prism", "--prop", "P=? [ F x=5 ]", "--samples", "4000"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("= 0.2"), "{}", run.out);
    let run = folder.run(&["simulate", "two.prism", "--prop", "P=? [ F x=5 ]"]);
    assert_eq!(run.code, 2, "{}", run.out);
    assert!(
        run.err.contains("V0901") && run.err.contains("several states satisfy the initial condition"),
        "{}",
        run.err
    );
}

#[test]
fn the_path_that_fails_does_not_depend_on_what_ran_it() {
    let model = "dtmc
module m
  x : [0..4000] init 0;
  [] x<2000 -> 0.9998 : (x'=x+1000) + 0.0002 : (x'=x+1);
  [] x=2000 -> true;
  [] x=1001 -> (x'=x*4);
endmodule
";
    let folder = Folder::new().file("m.prism", model);
    let ask = |more: &[&str]| {
        let fixed = ["simulate", "m.prism", "--prop", "P=? [ F x=2000 ]", "--samples", "1e6", "--seed", "5"];
        let run = folder.run(&[&fixed[..], more].concat());
        assert_eq!(run.code, 2, "{}", run.err);
        run.err
    };
    let alone = ask(&["--tier", "interpreter", "--threads", "1"]);
    assert!(alone.contains("V0406") && alone.contains("of seed 5, after"), "{alone}");
    for threads in ["1", "2"] {
        for tier in [&[][..], &["--tier", "scalar"], &["--tier", "vector"]] {
            assert_eq!(ask(&[&["--threads", threads], tier].concat()), alone, "{tier:?}");
        }
    }
}
