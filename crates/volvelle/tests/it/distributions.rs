//! Distributions over states: each share is what the property about it gives.

use crate::common::schema::problems;
use crate::common::{Folder, examples, root, run_in};
use serde_json::Value;

const QUEUE: &str = "ctmc
const int room = 6;
module queue
  n : [0..room] init 0;
  open : bool init true;
  [] open & n<room -> 0.8 : (n'=n+1);
  [] n>0 -> 1 : (n'=n-1);
  [] true -> 0.25 : (open'=!open);
endmodule
label \"full\" = n=room;
";

const WALK: &str = "dtmc
module walk
  x : [0..8] init 3;
  [] x>0 & x<8 -> 0.4 : (x'=x+1) + 0.35 : (x'=x-1) + 0.25 : true;
  [] x=0 | x=8 -> true;
endmodule
";

#[track_caller]
fn valid(document: &Value) {
    let text = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    let found = problems(&serde_json::from_str(&text).expect("the schema is JSON"), document);
    assert!(found.is_empty(), "{}\n{document:#}", found.join("\n"));
}

fn bounds(entry: &Value) -> [f64; 2] {
    ["lo", "hi"].map(|end| entry[end].as_f64().expect("a bound"))
}

/// Each entry against the property that asks for it.
#[track_caller]
fn agree(folder: &Folder, options: &[&str], property: impl Fn(&Value, &Value) -> String) -> usize {
    let json = folder.run(&[&["check", "model.prism", "--json"], options].concat()).exits(0).json();
    valid(&json);
    let mut compared = 0;
    for moment in json["distributions"].as_array().expect("distributions") {
        let entries = moment["entries"].as_array().expect("entries");
        let properties: Vec<String> = entries.iter().map(|entry| property(moment, entry)).collect();
        let mut arguments = vec!["check", "model.prism", "--json"];
        properties.iter().for_each(|text| arguments.extend(["--prop", text]));
        let single = folder.run(&arguments).exits(0).json();
        let (mut least, mut greatest) = (0.0, 0.0);
        for (entry, result) in entries.iter().zip(single["results"].as_array().expect("results")) {
            let [lo, hi] = bounds(entry);
            let value = result["value"].as_f64().expect("a number");
            let [from, to] = match result.get("lo") {
                Some(_) => bounds(result),
                None => [value, value],
            };
            assert!(lo <= to && from <= hi, "{entry:#}\n{result:#}");
            assert!(hi - lo <= 1e-9, "{entry:#}");
            least += lo;
            greatest += hi;
            compared += 1;
        }
        assert!(least <= 1.0 + 1e-12 && greatest >= 1.0 - 1e-12, "{least} {greatest}");
    }
    compared
}

/// `n=3 open=true` as a condition.
fn condition(entry: &Value) -> String {
    let text = entry["state"].as_str().expect("a state");
    text.split(' ').map(|part| format!("({part})")).collect::<Vec<_>>().join("&")
}

fn question(moment: &Value, condition: &str) -> String {
    match moment["time"].as_f64() {
        Some(time) => format!("P=? [ F[{time},{time}] {condition} ]"),
        None => format!("S=? [ {condition} ]"),
    }
}

#[test]
fn shares_are_what_properties_say() {
    let folder = Folder::with_model(QUEUE);
    let of_states = |moment: &Value, entry: &Value| question(moment, &condition(entry));
    assert_eq!(agree(&folder, &["--transient", "0,0.5,3,40", "--steady-state"], of_states), 5 * 14);
    let of_classes = |moment: &Value, entry: &Value| {
        let values = &entry["values"];
        question(moment, &format!("min(n,3)={} & open={}", values["min(n,3)"], values["open"]))
    };
    let by = ["--transient", "0:2:6", "--steady-state", "--by", "min(n,3), open"];
    assert_eq!(agree(&folder, &by, of_classes), 5 * 8);

    let folder = Folder::with_model(WALK);
    assert_eq!(agree(&folder, &["--transient", "0,1,7,100", "--steady-state"], of_states), 5 * 9);
}

/// Several initial states are equally likely, as for PRISM.
#[test]
fn several_initial_states_share_the_start() {
    let folder = Folder::with_model(
        "dtmc\nmodule m\n  x : [0..3];\n  [] x<3 -> (x'=x+1);\n  [] x=3 -> true;\nendmodule\ninit x<2 endinit\n",
    );
    let run = folder.run(&["check", "model.prism", "--transient", "2", "--by", "x", "--json"]).exits(0);
    let json = run.json();
    let entries = json["distributions"][0]["entries"].as_array().expect("entries");
    let value = |x: f64| {
        let entry = entries.iter().find(|e| e["values"]["x"] == x).expect("an entry");
        entry["value"].as_f64().expect("a value")
    };
    assert!((value(2.0) - 0.5).abs() < 1e-12 && (value(3.0) - 0.5).abs() < 1e-12);
    let run = folder.run(&["check", "model.prism", "--transient", "2"]).exits(0);
    assert!(run.out.contains("2 equally likely initial states"), "{}", run.out);
}

#[test]
fn tables_and_switches_of_prism() {
    let folder = Folder::with_model(QUEUE);
    let table =
        folder.run(&["check", "model.prism", "-tr", "1,2", "-ss", "--by", "open", "--csv", "-"]).exits(0);
    let header = table.out.lines().next().expect("a header");
    assert_eq!(header, "open,t=1,t=1 lo,t=1 hi,t=2,t=2 lo,t=2 hi,long run,long run lo,long run hi");
    assert_eq!(table.out.lines().count(), 3);
    let half = folder.run(&["check", "model.prism", "-steadystate", "--by", "open"]).exits(0);
    assert!(half.out.lines().any(|line| line.trim_start().starts_with("0.5 ")), "{}", half.out);
}

#[test]
fn refusals_have_a_way_out() {
    let run = run_in(&examples(), &["check", "mutex.prism", "--transient", "3"]).exits(2);
    assert!(run.err.contains("Pmax=?"), "{}", run.err);
    let folder = Folder::with_model(WALK);
    for (arguments, said) in [
        (&["--transient", "soon"][..], "--transient 2.5"),
        (&["--transient", "-1"][..], "negative"),
        (&["--transient", "1.5"][..], "number of steps"),
        (&["--by", "x"][..], "--steady-state"),
        (&["--transient", "3", "--by", "y"][..], "`y` is not"),
        (&["--transient", "3", "--by", "P=? [ F x=8 ]"][..], "--by 'min(q, 3), open'"),
        (&["--transient", "3", "--prop", "P=? [ F x=8 ]"][..], "--prop does not apply"),
    ] {
        let run = folder.run(&[&["check", "model.prism"], arguments].concat()).exits(2);
        assert!(run.err.contains(said), "{arguments:?}\n{}", run.err);
    }
}

/// More states than are eliminated in a matrix: each state is a class, and its share is what `S=?` gives.
#[test]
fn large_components_have_a_distribution_over_all_states() {
    let model = "ctmc\nmodule tandem\n a : [0..59] init 0;\n b : [0..59] init 0;\n\
                 [] a<59 -> 4 : (a'=a+1);\n [] a>0 & b<59 -> 5 : (a'=a-1) & (b'=b+1);\n [] b>0 -> 6 : (b'=b-1);\nendmodule\n";
    let folder = Folder::with_model(model);
    let json = folder.run(&["check", "model.prism", "--steady-state", "--json"]).exits(0).json();
    valid(&json);
    let entries = json["distributions"][0]["entries"].as_array().expect("entries");
    assert_eq!(entries.len(), 3600);
    let middle = |entry: &Value| bounds(entry).iter().sum::<f64>() / 2.0;
    let sum: f64 = entries.iter().map(middle).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{sum}");
    for state in ["a=0 b=0", "a=3 b=1", "a=20 b=5"] {
        let entry = entries.iter().find(|entry| entry["state"] == state).expect("a state");
        let property = format!("S=? [ {} ]", state.replace(' ', " & "));
        let words = ["check", "model.prism", "--prop", &property, "--json", "--precision", "1e-9"];
        let single = folder.run(&words).json()["results"][0].clone();
        let ([lo, hi], [from, to]) = (bounds(entry), bounds(&single));
        assert!(lo <= to && from <= hi && hi - lo < 1e-6 * hi, "{entry:#}\n{single:#}");
    }
}
