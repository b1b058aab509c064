//! Paths that can no longer decide a property: found where the model is small, told where it is not, and no matter for
//! the other properties of the same run.

use crate::common::Folder;
use serde_json::Value;

/// Half of the paths go round for ever where the goal is out of reach.
const FORK: &str = "ctmc
module m
  s : [0..3] init 0;
  x : [0..9] init 0;
  [] s=0 -> 1 : (s'=1) + 1 : (s'=2);
  [] s=1 -> 3 : (x'=mod(x+1,10));
  [] s=2 -> 2 : (s'=3) + 1 : (x'=mod(x+1,10));
endmodule
rewards true : 1; endrewards
";

/// One path in 5,000 goes round for ever: the first few do not show it.
const SELDOM: &str = "dtmc
module m
  s : [0..2] init 0;
  x : bool init false;
  [] s=0 -> 0.9998 : (s'=1) + 0.0002 : (s'=2);
  [] s>0 -> (x'=!x);
endmodule
";

/// Half of the paths count for ever: there is no end of states.
const ENDLESS: &str = "dtmc
module m
  s : [0..3] init 0;
  x : int init 0;
  [] s=0 -> 0.5 : (s'=1) + 0.5 : (s'=2);
  [] s=1 & x<1000000000 -> (x'=x+1);
  [] s=1 & x=1000000000 -> true;
  [] s=2 -> 0.5 : (s'=3) + 0.5 : true;
endmodule
";

fn results(text: &str) -> Vec<Value> {
    let mut document: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let results = document["results"].as_array_mut().expect("results");
    for result in results.iter_mut() {
        let result = result.as_object_mut().expect("a result");
        result.remove("seconds");
        if let Some(statistics) = result.get_mut("statistics").and_then(Value::as_object_mut) {
            statistics.remove("seconds");
            statistics.remove("tier");
        }
    }
    std::mem::take(results)
}

const OF_FORK: [&str; 5] =
    ["P=? [ F s=3 ]", "P=? [ G s<3 ]", "R=? [ F s=3 ]", "P=? [ s<2 | x=0 U s=3 ]", "P=? [ F<=2 s=3 ]"];

#[test]
fn what_is_out_of_reach_is_decided() {
    let folder = Folder::new().file("fork.prism", FORK);
    let run = |properties: &[&str], more: &[&str]| {
        let mut all = vec!["simulate", "fork.prism", "--samples", "20000", "--json"];
        properties.iter().for_each(|p| all.extend(["--prop", *p]));
        all.extend(more);
        let run = folder.run(&all);
        assert_eq!(run.code, 0, "{}", run.err);
        results(&run.out)
    };
    let together = run(&OF_FORK, &["--threads", "1"]);
    // s=2 is left for s=3 with probability 2/3 in each step; x is 0 at first.
    let exact = [0.5, 0.5, f64::INFINITY, 1.0 / 3.0, 0.45];
    for (result, exact) in together.iter().zip(exact) {
        let value = &result["value"];
        if exact.is_infinite() {
            assert_eq!(value, "inf", "{result}");
            continue;
        }
        let value = value.as_f64().expect("a number");
        // The last one depends on time: about that much.
        let far = if exact == 0.45 { 0.1 } else { 0.015 };
        assert!((value - exact).abs() < far, "{value} instead of {exact}: {result}");
    }
    for more in
        [&["--threads", "2"][..], &["--tier", "scalar"], &["--tier", "vector"], &["--tier", "interpreter"]]
    {
        assert_eq!(run(&OF_FORK, more), together, "{more:?}");
    }
}

/// Formulas that no beginning of a path decides, but the part of the model that it ends up in.
#[test]
fn formulas_about_all_time() {
    let folder = Folder::new().file("fork.prism", FORK);
    // s=1 goes through all x for ever; s=3 stays.
    let formulas = [
        ("P=? [ G F x=3 ]", None),
        ("P=? [ F G s=1 ]", Some(0.5)),
        ("P=? [ (G F x=3) & (F s=2) ]", None),
        ("P=? [ F (s=3 & X x=9) ]", None),
        ("P=? [ F (s=1 & X x=9) ]", Some(0.5)),
        ("P=? [ !(G F x=3) ]", None),
    ];
    let run = |command: &str, more: &[&str]| {
        let mut all = vec![command, "fork.prism", "--json"];
        formulas.iter().for_each(|(formula, _)| all.extend(["--prop", formula]));
        all.extend(more);
        let run = folder.run(&all);
        assert_eq!(run.code, 0, "{}", run.err);
        results(&run.out)
    };
    let sampled = run("simulate", &["--samples", "20000", "--threads", "1"]);
    let checked = run("check", &["--verify", "never"]);
    for ((sampled, checked), (formula, exact)) in sampled.iter().zip(&checked).zip(formulas) {
        let [sampled, checked] = [sampled, checked].map(|r| r["value"].as_f64().expect("a number"));
        assert!((sampled - checked).abs() < 0.015, "{formula}: {sampled} instead of {checked}");
        assert!(exact.is_none_or(|exact| (checked - exact).abs() < 1e-9), "{formula}: {checked}");
    }
    for more in [["--tier", "vector"], ["--tier", "scalar"], ["--threads", "2"]] {
        assert_eq!(run("simulate", &[&["--samples", "20000"], &more[..]].concat()), sampled, "{more:?}");
    }
}

#[test]
fn a_path_that_seldom_happens_is_met_on_the_way() {
    let folder = Folder::new().file("seldom.prism", SELDOM);
    let ask = |more: &[&str]| {
        let fixed = [
            "simulate",
            "seldom.prism",
            "--prop",
            "P=? [ F s=1 ]",
            "--max-path-length",
            "200000",
            "--samples",
            "50000",
            "--json",
        ];
        let run = folder.run(&[&fixed[..], more].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        results(&run.out)
    };
    let one = ask(&["--threads", "1"]);
    let value = one[0]["value"].as_f64().expect("a number");
    assert!((0.9994..1.0).contains(&value), "{value}");
    for more in [&["--threads", "2"][..], &["--tier", "vector"], &["--tier", "scalar", "--threads", "2"]] {
        assert_eq!(ask(more), one, "{more:?}");
    }
}

#[test]
fn whoever_is_not_decided_is_alone_in_that() {
    let folder = Folder::new().file("endless.prism", ENDLESS);
    let properties = ["P=? [ F s=3 ]", "P=? [ F<=4 s=3 ]", "P=? [ F (s=1|s=2) ]"];
    let ask = |properties: &[&str], more: &[&str]| {
        let mut all =
            vec!["simulate", "endless.prism", "--samples", "2000", "--max-path-length", "100000", "--json"];
        properties.iter().for_each(|p| all.extend(["--prop", *p]));
        all.extend(more);
        let run = folder.run(&all);
        (run.code, results(&run.out), run.err)
    };
    let (code, together, err) = ask(&properties, &[]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("V0902") && err.matches("error[").count() == 1, "{err}");
    assert!(together[0]["value"].is_null(), "{}", together[0]);
    for (i, property) in properties.iter().enumerate().skip(1) {
        let (code, alone, err) = ask(&[property], &[]);
        assert_eq!(code, 0, "{err}");
        for key in ["value", "lo", "hi"] {
            assert_eq!(alone[0][key], together[i][key], "{property}");
        }
        assert_eq!(alone[0]["statistics"]["samples"], together[i]["statistics"]["samples"]);
    }
    assert_eq!(ask(&properties, &["--threads", "1", "--tier", "vector"]).1, together);
}

/// Fields without bounds have no bounds, whatever exploration would take for a beginning.
#[test]
fn fields_without_bounds() {
    let model = "dtmc
module m
  x : int init 0;
  y : [0..5] init 0;
  [] x<10 -> (x'=x+1) & (y'=x);
  [] x=10 -> (x'=max(10,min(20,3)));
endmodule
";
    let folder = Folder::new().file("m.prism", model).file("fine.prism", model.replace("0..5", "0..50"));
    for tier in ["interpreter", "scalar", "vector"] {
        let ask = |file: &str| {
            folder.run(&["simulate", file, "--prop", "P=? [ F y>9 ]", "--tier", tier, "--samples", "10"])
        };
        let run = ask("m.prism");
        assert_eq!(run.code, 2, "{}", run.out);
        assert!(run.err.contains("V0406"), "{}", run.err);
        // The last state leads to itself, which ends the path.
        let run = ask("fine.prism");
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.contains("= 0 "), "{}", run.out);
    }
}
