//! Thresholds: `--find` gives what a look at all values gives, and says what it assumed.

use crate::common::schema::problems;
use crate::common::{Folder, root};
use serde_json::Value;

/// A queue: the larger the room, the smaller the probability that it is full.
const QUEUE: &str = "ctmc
const int room;
const double arrive;
module queue
  n : [0..room] init 0;
  [] n<room -> arrive : (n'=n+1);
  [] n>0 -> 1 : (n'=n-1);
endmodule
label \"full\" = n=room;
";

/// A number that rises and falls with the constant: the probability to be in the middle after some steps.
const HUMP: &str = "dtmc
const int N;
module line
  x : [0..20] init 0;
  [] x<20 -> 0.5 : (x'=x+1) + 0.5 : (x'=x);
  [] x=20 -> true;
endmodule
";

#[track_caller]
fn valid(document: &Value) {
    let text = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    let found = problems(&serde_json::from_str(&text).expect("the schema is JSON"), document);
    assert!(found.is_empty(), "{}\n{document:#}", found.join("\n"));
}

/// The truth at each value, by an experiment.
fn scan(folder: &Folder, property: &str, range: &str, others: &[&str]) -> Vec<(f64, bool)> {
    let arguments =
        [&["check", "model.prism", "--prop", property, "--const", range, "--json"], others].concat();
    let json = folder.run(&arguments).json();
    let name = range.split('=').next().expect("a name");
    let results = json["results"].as_array().expect("results");
    let one =
        |r: &Value| (r["constants"][name].as_f64().expect("a value"), r["value"].as_bool().expect("a truth"));
    results.iter().map(one).collect()
}

#[track_caller]
fn agrees(folder: &Folder, property: &str, range: &str, others: &[&str]) -> Vec<Value> {
    let all = scan(folder, property, range, others);
    let least = all.iter().find(|p| p.1).map(|p| p.0);
    let greatest = all.iter().rev().find(|p| p.1).map(|p| p.0);
    let mut found = Vec::new();
    for (options, expected) in [
        (&[][..], least),
        (&["--greatest"][..], greatest),
        (&["--every-value"][..], least),
        (&["--every-value", "--greatest"][..], greatest),
    ] {
        let find = ["check", "model.prism", "--find", range, "--such-that", property, "--json"];
        let run = folder.run(&[&find[..], options, others].concat());
        let json = run.exits(if expected.is_some() { 0 } else { 1 }).json();
        valid(&json);
        assert_eq!(json["find"]["value"].as_f64(), expected, "{property} {range} {options:?}\n{json:#}");
        found.push(json["find"].clone());
    }
    found
}

#[test]
fn monotone_properties_take_few_values() {
    let folder = Folder::with_model(QUEUE);
    for bound in ["0.3", "0.05", "0.01", "1e-3"] {
        let property = format!("S<{bound} [ \"full\" ]");
        let found = agrees(&folder, &property, "room=1:40", &["--const", "arrive=0.8"]);
        assert!(found[0]["evaluated"].as_u64() <= Some(12), "{:#}", found[0]);
        assert!(found[2]["evaluated"].as_u64() == Some(40) && found[2].get("assumed").is_none());
    }
    agrees(&folder, "P>=0.5 [ F<=T \"full\" ]", "T=0:5:100", &["--const", "room=4,arrive=0.9"]);
    agrees(&folder, "S>0.1 [ \"full\" ]", "arrive=0.1:0.05:2", &["--const", "room=6"]);
    // Nowhere, and everywhere.
    agrees(&folder, "S<1e-9 [ \"full\" ]", "room=1:10", &["--const", "arrive=0.8"]);
    let found = agrees(&folder, "S<=1 [ \"full\" ]", "room=1:10", &["--const", "arrive=0.8"]);
    assert_eq!(found[0]["evaluated"], 1);
    assert!(found[0].get("assumed").is_none());
}

#[test]
fn what_is_not_monotone_is_scanned() {
    let folder = Folder::with_model(HUMP);
    for bound in ["0.1", "0.15", "0.17", "0.3"] {
        let property = format!("P>={bound} [ F[N,N] x=10 ]");
        let found = agrees(&folder, &property, "N=0:60", &[]);
        assert!(found[0].get("assumed").is_none(), "{:#}", found[0]);
        if bound != "0.3" {
            assert!(found[0]["contradiction"].is_string(), "{:#}", found[0]);
        }
    }
}

/// The answer does not depend on the order or form of the values.
#[test]
fn lists_descending_ranges_and_names() {
    let folder = Folder::with_model(QUEUE).file("model.props", "\"rare\": S<0.01 [ \"full\" ];\n");
    for range in ["room=1:30", "room=30:-1:1", "room=30,14,1,13,15"] {
        let find = ["check", "model.prism", "model.props", "--find", range, "--such-that", "rare"];
        let run = folder.run(&[&find[..], &["--const", "arrive=0.8"]].concat()).exits(0);
        assert!(run.out.contains("room = 14 "), "{}", run.out);
    }
}

#[test]
fn limits_leave_a_bracket() {
    let folder = Folder::with_model(QUEUE);
    let find =
        ["check", "model.prism", "--find", "room=1:1000", "--const", "arrive=0.8", "--max-states", "30"];
    let run = folder.run(&[&find[..], &["--such-that", "S<1e-9 [ \"full\" ]", "--json"]].concat());
    let json = run.exits(3).json();
    valid(&json);
    assert_eq!(json["find"]["outcome"], "unknown");
    assert_eq!(json["find"]["fails"], 29);
    assert_eq!(json["find"]["too_large"], 30);
    // What is too large does no harm where it is not needed.
    let run = folder.run(&[&find[..], &["--such-that", "S<3e-3 [ \"full\" ]", "--json"]].concat());
    assert_eq!(run.exits(0).json()["find"]["value"], 19);
}

#[test]
fn refusals_have_a_way_out() {
    let folder = Folder::with_model(QUEUE);
    let rare = "S<0.01 [ \"full\" ]";
    for (arguments, said) in [
        (
            &["--find", "room=1:9", "--such-that", "S=? [ \"full\" ]", "--const", "arrive=1"][..],
            "S<0.01 [ \"full\" ]",
        ),
        (&["--find", "room=1:9,arrive=1", "--such-that", rare][..], "--const"),
        (&["--find", "room=4", "--such-that", rare, "--const", "arrive=1"][..], "--find N=1:1000"),
        (&["--find", "room=1:9", "--such-that", rare, "--const", "arrive=1:3"][..], "--const arrive=1"),
        (&["--find", "room=1:9", "--such-that", rare, "--const", "arrive=1,room=3"][..], "leave it out"),
        (
            &["--find", "rom=1:9", "--such-that", rare, "--const", "arrive=1,room=3"][..],
            "did you mean `room`",
        ),
        (&["--find", "room=1:9", "--const", "arrive=1"][..], "--such-that"),
    ] {
        let run = folder.run(&[&["check", "model.prism"], arguments].concat()).exits(2);
        assert!(run.err.contains(said), "{arguments:?}\n{}", run.err);
    }
}
