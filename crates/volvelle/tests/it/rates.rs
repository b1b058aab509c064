//! `volvelle steady` and `volvelle transient` on transition systems with rates.

use crate::common::schema::problems;
use crate::common::{Folder, root};

/// A queue with one server and room for four; customers who find it full are lost.
const QUEUE: &str = "des (0, 10, 6)
(0, \"ARRIVE; rate LAMBDA\", 1)
(1, \"ARRIVE; rate LAMBDA\", 2)
(1, \"SERVE; rate 3\", 0)
(2, \"ARRIVE; rate LAMBDA\", 3)
(2, \"SERVE; rate 3\", 1)
(3, \"ARRIVE; rate LAMBDA\", 4)
(3, \"SERVE; rate 3\", 2)
(4, \"ARRIVE; rate LAMBDA\", 5)
(4, \"SERVE; rate 3\", 3)
(5, \"LOSS\", 4)
";

const CHOICE: &str = "des (0, 5, 4)
(0, \"START; rate 1\", 1)
(1, i, 2)
(1, i, 3)
(2, \"SLOW; rate 2\", 0)
(3, \"FAST; rate 5\", 0)
";

/// The JSON of a run, which fits the schema.
fn answer(folder: &Folder, words: &[&str]) -> serde_json::Value {
    let found = folder.run(&[words, &["--json"]].concat()).exits(0).json();
    let schema = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    let problems = problems(&serde_json::from_str(&schema).expect("the schema is JSON"), &found);
    assert!(problems.is_empty(), "{problems:?}");
    found
}

fn near(value: &serde_json::Value, expected: f64) -> bool {
    let [lo, hi] = ["lo", "hi"].map(|end| value[end].as_f64().expect("a number"));
    lo <= expected * (1.0 + 1e-12) && expected * (1.0 - 1e-12) <= hi && hi - lo <= 1e-5 * expected
}

#[test]
fn throughputs_in_the_long_run() {
    let folder = Folder::new().file("queue.aut", QUEUE);
    let found = answer(&folder, &["steady", "queue.aut", "--const", "LAMBDA=2", "--sensitivity"]);
    let performance = &found["performance"];
    assert_eq!(performance["system"]["tangible"], 5);
    let point = &performance["points"][0];
    for (action, value) in [("ARRIVE", 2.0), ("SERVE", 390.0 / 211.0), ("LOSS", 32.0 / 211.0)] {
        assert!(near(&point["throughputs"][action], value), "{action}: {point}");
    }
    assert!(near(&point["states"][0], 81.0 / 211.0), "{point}");
    let derivatives = point["derivatives"].as_array().expect("a list");
    let of_arrive = |one: &&serde_json::Value| one["of"] == "ARRIVE" && one["with_respect_to"] == "LAMBDA";
    assert!(near(derivatives.iter().find(of_arrive).expect("a derivative"), 1.0));
    // One structure for several rates.
    let words = ["steady", "queue.aut", "--const", "LAMBDA=1:1:3", "--actions", "LOSS", "--csv", "-"];
    let table = folder.run(&words).exits(0).out;
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "LAMBDA,LOSS,LOSS lo,LOSS hi");
    assert_eq!(lines.len(), 4);
    let value: f64 = lines[3].split(',').nth(1).expect("a value").parse().expect("a number");
    assert!((value - 0.6).abs() < 1e-6, "3 of which a fifth finds it full: {value}");
    let screen = folder.run(&["steady", "queue.aut", "--const", "LAMBDA=2"]).exits(0).out;
    assert!(screen.contains("LOSS") && screen.contains("0.1516587"), "{screen}");
}

#[test]
fn limits_and_files() {
    let folder = Folder::new().file("queue.aut", QUEUE);
    let few = folder.run(&["steady", "queue.aut", "--const", "LAMBDA=1", "--max-states", "3"]);
    assert!(few.err.contains("state limit"), "{}", few.err);
    let damaged =
        folder.file("bad.aut", "des (0, 1, 2)\n(0, \"a\", 7)\n").run(&["steady", "bad.aut"]).exits(2);
    assert!(damaged.err.contains("bad.aut"), "{}", damaged.err);
}

#[test]
fn behaviour_over_time() {
    let folder = Folder::new().file("queue.aut", QUEUE);
    let words = ["transient", "queue.aut", "--const", "LAMBDA=3", "--times", "0,50", "--counts"];
    let found = answer(&folder, &words);
    let moments = &found["performance"]["points"][0]["moments"];
    assert_eq!(moments[0]["states"][0]["value"], 1.0);
    assert!(near(&moments[1]["counts"]["ARRIVE"], 150.0), "{moments}");
    let loss = moments[1]["throughputs"]["LOSS"]["value"].as_f64().expect("a number");
    assert!((loss - 0.6).abs() < 1e-4, "{loss}");
    // From k customers to k + 1 it takes (k + 1) / 3 where both rates are 3.
    let words = ["transient", "queue.aut", "--const", "LAMBDA=3", "--first-passage", "LOSS", "--times", "5"];
    let found = answer(&folder, &words);
    let passage = &found["performance"]["points"][0]["passage"];
    assert!(near(&passage["mean"], 5.0), "{passage}");
    assert_eq!(passage["ever"]["value"], 1.0);
}

#[test]
fn choices_that_matter() {
    let folder = Folder::new().file("choice.aut", CHOICE);
    let refused = folder.run(&["steady", "choice.aut"]).exits(2);
    assert!(refused.err.contains("V1505") && refused.err.contains("START; rate 1"), "{}", refused.err);
    let found = answer(&folder, &["steady", "choice.aut", "--bounds"]);
    let extremes = &found["performance"]["points"][0]["extremes"]["START"];
    assert!(near(&extremes["min"], 2.0 / 3.0) && near(&extremes["max"], 5.0 / 6.0), "{extremes}");
    let found = answer(&folder, &["transient", "choice.aut", "--first-passage", "SLOW;FAST", "--bounds"]);
    let mean = &found["performance"]["points"][0]["passage_extremes"]["mean"];
    assert!(near(&mean["min"], 1.2) && near(&mean["max"], 1.5), "{mean}");
    let words = ["transient", "choice.aut", "--first-passage", "SLOW;FAST", "--times", "1", "--bounds"];
    let found = answer(&folder, &words);
    let within = &found["performance"]["points"][0]["passage_extremes"]["within"][0];
    // One after the other: 1 - (b exp(-a) - a exp(-b)) / (b - a).
    let hypo = |b: f64| 1.0 - (b * (-1.0f64).exp() - (-b).exp()) / (b - 1.0);
    assert!(near(&within["min"], hypo(2.0)) && near(&within["max"], hypo(5.0)), "{within}");
}

#[test]
fn estimates_by_simulation() {
    let folder = Folder::new().file("queue.aut", QUEUE).file("choice.aut", CHOICE);
    let estimates = |words: &[&str]| -> Vec<(String, f64, f64)> {
        let all = [words, &["--const", "LAMBDA=2", "--simulate", "20000"]].concat();
        let found = answer(&folder, &all);
        let simulated = found["performance"]["points"][0]["simulated"].as_array().expect("a list").clone();
        let read = |one: &serde_json::Value| {
            let name = one["action"].as_str().or(one["quantity"].as_str()).expect("a name").to_owned();
            let end = |i: usize| one["interval"][i].as_f64().expect("a number");
            (name, end(0), end(1))
        };
        simulated.iter().map(read).collect()
    };
    // Closed forms of the queue; the seed is fixed.
    let holds = |found: &[(String, f64, f64)], name: &str, value: f64, width: f64| {
        let (_, lo, hi) = found.iter().find(|one| one.0 == name).expect(name);
        assert!(lo <= &value && &value <= hi && hi - lo <= width, "{name}: {lo} {hi}");
    };
    let found = estimates(&["steady", "queue.aut"]);
    holds(&found, "ARRIVE", 2.0, 0.2);
    holds(&found, "SERVE", 390.0 / 211.0, 0.2);
    holds(&found, "LOSS", 32.0 / 211.0, 0.05);
    holds(&estimates(&["transient", "queue.aut", "--times", "5"]), "ARRIVE", 10.0, 0.2);
    let found = estimates(&["transient", "queue.aut", "--first-passage", "LOSS", "--times", "10"]);
    holds(&found, "mean", 14.78125, 1.0);
    holds(&found, "ever", 1.0, 0.01);
    holds(&found, "within", 0.47755467, 0.03);
    let screen = folder.run(&["steady", "queue.aut", "--const", "LAMBDA=2", "--simulate"]).exits(0).out;
    assert!(screen.contains("agrees") && !screen.contains("differs"), "{screen}");
    let refused = folder.run(&["steady", "choice.aut", "--simulate"]).exits(2);
    assert!(refused.err.contains("V1505"), "{}", refused.err);
}

#[test]
fn values_are_drawn_over_times_and_constants() {
    let folder = Folder::new().file("queue.aut", QUEUE);
    let draw = |words: &[&str]| {
        let words = [words, &["--plot", "drawn.svg", "--html", "page.html"]].concat();
        let run = folder.run(&words).exits(0);
        assert!(run.out.contains("written: drawn.svg, page.html"), "{}", run.out);
        assert!(folder.read("page.html").contains("<svg"), "{words:?}");
        folder.read("drawn.svg")
    };
    let queue = ["queue.aut", "--const", "LAMBDA=2"];
    let course = draw(&[&["transient"], &queue[..], &["--times", "0:1:5"]].concat());
    assert!(course.contains("time") && course.contains("LOSS"), "{course}");
    let swept = draw(&["steady", "queue.aut", "--const", "LAMBDA=1:4"]);
    assert!(swept.contains("LAMBDA") && swept.contains("LOSS"), "{swept}");
    let logarithmic = draw(&["steady", "queue.aut", "--const", "LAMBDA=1:4", "--log-axes", "xy"]);
    assert_ne!(swept, logarithmic);
    let none = folder.run(&[&["steady"], &queue[..], &["--plot", "none.svg"]].concat()).exits(2);
    assert!(none.err.contains("there is nothing to draw") && none.err.contains("help: "), "{}", none.err);
    assert!(!folder.path().join("none.svg").exists());
}
