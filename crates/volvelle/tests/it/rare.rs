//! Rare events on the command line: `volvelle simulate --rare`.

use crate::common::Folder;

/// A gambler, who is broke but for one chance in millions; and a dial beside him.
const GAMBLER: &str = "dtmc
module gambler
  x : [0..20] init 1;
  [] x>0 & x<20 -> 0.3 : (x'=x+1) + 0.7 : (x'=x-1);
endmodule
module dial
  t : [0..9] init 0;
  [] true -> (t'=mod(t+1,10));
endmodule
rewards true : 1; endrewards
";

/// `(r - 1) / (r^20 - 1)` for `r = 7/3`.
fn ruin() -> f64 {
    let ratio: f64 = 7.0 / 3.0;
    (ratio - 1.0) / (ratio.powi(20) - 1.0)
}

#[test]
fn an_estimate_with_its_interval() {
    let folder = Folder::with_model(GAMBLER);
    let arguments =
        ["simulate", "model.prism", "--prop", "P=? [ F x=20 ]", "--rare", "--samples", "1e5", "--json"];
    let run = folder.run(&arguments).exits(0);
    let result = run.json()["results"][0].clone();
    let interval = &result["statistics"]["interval"];
    let (lo, hi) = (interval[0].as_f64().expect("a number"), interval[1].as_f64().expect("a number"));
    assert!(lo <= ruin() && ruin() <= hi, "{} is not in {lo}..{hi}", ruin());
    assert!(hi - lo < ruin(), "{lo}..{hi} is wide");
    assert_eq!(result["guarantee"], "statistical");
    let rare = &result["statistics"]["rare"];
    let levels: Vec<i64> =
        rare["levels"].as_array().expect("levels").iter().map(|l| l.as_i64().expect("a number")).collect();
    assert!(levels.len() > 4 && levels.windows(2).all(|pair| pair[0] < pair[1]), "{levels:?}");
    assert_eq!(rare["paths"].as_array().expect("stages").len(), levels.len() + 1);
    assert_eq!(rare["replications"], 64);
    // The same on any number of threads.
    let again = folder.run(&[&arguments[..], &["--threads", "3"]].concat()).exits(0);
    assert_eq!(again.json()["results"][0]["value"], result["value"]);
    let other = folder.run(&[&arguments[..], &["--seed", "2"]].concat()).exits(0);
    assert_ne!(other.json()["results"][0]["value"], result["value"]);
}

#[test]
fn the_complement_of_a_rare_event() {
    let folder = Folder::with_model(GAMBLER);
    let arguments =
        ["simulate", "model.prism", "--prop", "P=? [ G x<20 ]", "--rare", "--samples", "1e5", "--json"];
    let result = folder.run(&arguments).exits(0).json()["results"][0].clone();
    let (lo, hi) = (result["lo"].as_f64().expect("a number"), result["hi"].as_f64().expect("a number"));
    assert!(lo <= 1.0 - ruin() && 1.0 - ruin() <= hi, "{lo}..{hi}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = Folder::with_model(GAMBLER);
    let cases: [(&[&str], &str, &str); 7] = [
        (&["P<0.1 [ F x=20 ]"], "V0012", "cannot decide a bound"),
        (&["R=? [ C<=5 ]"], "V0901", "applies to probabilities only"),
        (&["P=? [ F>=3 x=20 ]"], "V0901", "without a lower end"),
        (&["P=? [ X x=2 ]"], "V0901", "many steps away"),
        (&["P=? [ (F x=2) & (G x<20) ]"], "V0901", "a single until"),
        (&["P=? [ F x=20 ]", "--width", "0.1"], "V0012", "not a width"),
        (&["P=? [ F x=20 ]", "--method", "massart"], "V0012", "its own method"),
    ];
    for (rest, code, text) in cases {
        let run = folder.run(&[&["simulate", "model.prism", "--rare", "--prop"], rest].concat()).exits(2);
        assert!(run.err.contains(code) && run.err.contains(text), "{rest:?}: {}", run.err);
    }
}

#[test]
fn a_target_out_of_reach_is_no_zero() {
    let folder = Folder::with_model(GAMBLER);
    let run = folder.run(&["simulate", "model.prism", "--rare", "--prop", "P=? [ F x=2 & x=5 ]"]).exits(2);
    assert!(run.err.contains("V0904"), "{}", run.err);
}
