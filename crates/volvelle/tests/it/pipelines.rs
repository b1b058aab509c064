//! `volvelle run`: pipelines.

use crate::common::schema::problems;
use crate::common::{Folder, root};

/// A queue with one server and room for four; customers who find it full are lost.
const QUEUE: &str = "des (0, 10, 6)
(0, \"ARRIVE\", 1)
(1, \"ARRIVE\", 2)
(1, \"SERVE\", 0)
(2, \"ARRIVE\", 3)
(2, \"SERVE\", 1)
(3, \"ARRIVE\", 4)
(3, \"SERVE\", 2)
(4, \"ARRIVE\", 5)
(4, \"SERVE\", 3)
(5, \"LOSS\", 4)
";

const PIPELINE: &str = r#"
[constants]
LAMBDA = "1:1:4"
MU = 3

[step.queue]
model = "queue.aut"

[step.loses]
from = "queue"
check = "<true* . \"LOSS\"> true"
expect = "TRUE"

[step.timed]
from = "queue"
rename = ["/ARRIVE/ARRIVE; rate LAMBDA/", "/SERVE/SERVE; rate MU/"]
reduce = "stochastic-branching"
write = "timed.aut"

[step.loss]
from = "timed"
steady = { throughput = true, actions = ["LOSS", "SERVE"] }
csv = "loss.csv"
"#;

/// A model whose states depend on a constant.
const PRISM: &str = "ctmc\nconst int N;\nmodule queue\n  q : [0..N] init 0;\n  [arrive] q<N -> 2 : (q'=q+1);\n  [serve] q>0 -> 3 : (q'=q-1);\nendmodule\n";

/// The systems of the steps of a run, by name.
fn systems(found: &serde_json::Value) -> Vec<(String, String)> {
    let steps = found["steps"].as_array().expect("steps");
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    steps.iter().map(|step| (text(&step["name"]), text(&step["points"][0]["system"]))).collect()
}

fn made(found: &serde_json::Value, name: &str) -> String {
    systems(found).into_iter().find(|(step, _)| step == name).expect("the step").1
}

/// Throughputs of customers lost and served in a queue M/M/1/4.
fn expected(lambda: f64, mu: f64) -> [f64; 2] {
    let rho = lambda / mu;
    let total: f64 = (0..=4).map(|k| rho.powi(k)).sum();
    let full = rho.powi(4) / total;
    [lambda * full, lambda * (1.0 - full)]
}

#[test]
fn one_state_space_serves_a_sweep_over_rates() {
    let folder = Folder::new().file("queue.aut", QUEUE).file("p.toml", PIPELINE);
    let found = folder.run(&["run", "p.toml", "--json"]).exits(0).json();
    let schema = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    let problems = problems(&serde_json::from_str(&schema).expect("the schema is JSON"), &found);
    assert!(problems.is_empty(), "{problems:?}");
    assert!(systems(&found).iter().all(|(_, made)| made == "built"), "{found}");
    let table = std::fs::read_to_string(folder.path().join("loss.csv")).expect("the table");
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0], ["LAMBDA", "MU", "SERVE", "SERVE lo", "SERVE hi", "LOSS", "LOSS lo", "LOSS hi"]);
    assert_eq!(lines.len(), 5);
    for line in &lines[1..] {
        let numbers: Vec<f64> = line.iter().map(|cell| cell.parse().expect("a number")).collect();
        let [loss, serve] = expected(numbers[0], numbers[1]);
        for (value, lo, hi) in [(serve, numbers[3], numbers[4]), (loss, numbers[6], numbers[7])] {
            assert!(lo <= value * (1.0 + 1e-12) && value * (1.0 - 1e-12) <= hi, "{line:?}: {value}");
        }
    }
    assert!(folder.path().join("timed.aut").is_file());
}

#[test]
fn only_what_depends_on_a_change_is_made_anew() {
    let folder = Folder::new().file("queue.aut", QUEUE).file("p.toml", PIPELINE);
    folder.run(&["run", "p.toml"]).exits(0);
    let again = folder.run(&["run", "p.toml", "--json"]).exits(0).json();
    assert!(systems(&again).iter().all(|(_, made)| made == "up to date"), "{again}");
    let listed = folder.run(&["run", "p.toml", "--list", "--json"]).exits(0).json();
    assert_eq!(made(&listed, "timed"), "up to date");
    let forced = folder.run(&["run", "p.toml", "--force", "--json"]).exits(0).json();
    assert_eq!(made(&forced, "timed"), "built");
    // The renaming changes: the model is not read again.
    let text = PIPELINE.replace("rate MU", "rate 2*MU");
    let folder = folder.file("p.toml", &text);
    let listed = folder.run(&["run", "p.toml", "--list", "--json"]).exits(0).json();
    assert_eq!((made(&listed, "queue"), made(&listed, "timed")), ("up to date".into(), "to be built".into()));
    let found = folder.run(&["run", "p.toml", "--json"]).exits(0).json();
    assert_eq!((made(&found, "queue"), made(&found, "timed")), ("up to date".into(), "built".into()));
    // The model changes in what matters not: what is made from it stays.
    let folder = folder.file("queue.aut", QUEUE.replace("\"ARRIVE\"", "ARRIVE"));
    let found = folder.run(&["run", "p.toml", "--json"]).exits(0).json();
    assert_eq!((made(&found, "queue"), made(&found, "timed")), ("built".into(), "up to date".into()));
    // And in what does.
    let folder = folder.file("queue.aut", QUEUE.replace("LOSS", "LOST"));
    let found = folder.run(&["run", "p.toml", "--json"]);
    assert_eq!(made(&found.json(), "timed"), "built");
    // A system that was damaged is made anew.
    let folder = Folder::new().file("queue.aut", QUEUE).file("p.toml", PIPELINE);
    folder.run(&["run", "p.toml", "--cache", "kept"]).exits(0);
    for entry in std::fs::read_dir(folder.path().join("kept")).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "aut") {
            std::fs::write(path, "des (0, 0, 1)\n").expect("it can be written");
        }
    }
    let found = folder.run(&["run", "p.toml", "--cache", "kept", "--json"]).exits(0).json();
    assert!(systems(&found).iter().all(|(_, made)| made == "built"), "{found}");
}

#[test]
fn constants_of_a_model_ask_for_systems_of_their_own() {
    let text = "[constants]\nN = [4, 6]\n[step.queue]\nmodel = \"queue.prism\"\nconstants = [\"N\"]\nwrite = \"queue-{N}.aut\"\n\
                [step.flow]\nfrom = \"queue\"\nrename = \"/rate 3/serve; rate 3/\"\nsteady = { actions = [\"serve\"] }\ncsv = \"flow.csv\"\n";
    let folder = Folder::new().file("queue.prism", PRISM).file("p.toml", text);
    let found = folder.run(&["run", "p.toml", "--json"]).exits(0).json();
    let states: Vec<_> = found["steps"][0]["points"]
        .as_array()
        .expect("points")
        .iter()
        .map(|p| p["states"].as_u64())
        .collect();
    assert_eq!(states, [Some(5), Some(7)]);
    let table = std::fs::read_to_string(folder.path().join("flow.csv")).expect("the table");
    let rows: Vec<Vec<f64>> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|c| c.parse().expect("a number")).collect())
        .collect();
    assert_eq!(table.lines().next(), Some("N,serve,serve lo,serve hi"));
    for (row, room) in rows.iter().zip([4, 6]) {
        let rho: f64 = 2.0 / 3.0;
        let full = rho.powi(room) / (0..=room).map(|k| rho.powi(k)).sum::<f64>();
        assert_eq!(row[0], f64::from(room));
        assert!((row[1] - 2.0 * (1.0 - full)).abs() < 1e-5, "{row:?}");
    }
    assert!(folder.path().join("queue-6.aut").is_file());
}

#[test]
fn a_verdict_that_is_not_expected_is_exit_code_1() {
    let folder = Folder::new().file("queue.aut", QUEUE).file("p.toml", PIPELINE.replace("TRUE", "FALSE"));
    let found = folder.run(&["run", "p.toml"]).exits(1);
    assert!(found.out.contains("NOT as expected"), "{}", found.out);
    let text = "[step.queue]\nmodel = \"queue.aut\"\n[step.same]\nfrom = \"queue\"\ncompare = \"lost.aut\"\nexpect = true\n";
    let folder = folder.file("lost.aut", QUEUE.replace("LOSS", "LOST")).file("p.toml", text);
    assert!(folder.run(&["run", "p.toml"]).exits(1).out.contains("not equivalent"));
    folder.file("lost.aut", QUEUE).run(&["run", "p.toml"]).exits(0);
}

#[test]
fn limits_and_bad_files() {
    let folder = Folder::new().file("queue.prism", PRISM);
    let text = "[step.queue]\nmodel = \"queue.prism\"\nconstants = [\"N=100000\"]\n[step.small]\nfrom = \"queue\"\nreduce = \"strong\"\n";
    let folder = folder.file("p.toml", text);
    let found = folder.run(&["run", "p.toml", "--max-states", "100"]).exits(3);
    assert!(found.out.contains("skipped"), "{}", found.out);
    folder.run(&["run", "absent.toml"]).exits(2);
    let folder = folder.file("p.toml", "[step.queue]\nmodel = \"absent.aut\"\n");
    assert!(folder.run(&["run", "p.toml"]).exits(2).err.contains("p.toml:2:9"));
    let folder = folder.file("bad.aut", "no system\n").file("p.toml", "[step.queue]\nmodel = \"bad.aut\"\n");
    folder.run(&["run", "p.toml"]).exits(2);
    let folder = folder
        .file("p.toml", "[constants]\nL = 2\n[step.queue]\nmodel = \"queue.prism\"\nconstants = [\"N=3\"]\n");
    assert!(folder.run(&["run", "p.toml"]).exits(0).err.contains("nothing uses the constant `L`"));
}

/// Steps stand in any order; with work for each step that grows with all of them, this would take minutes.
#[test]
fn many_steps_take_work_that_follows_their_number() {
    let count = 3_000;
    let step = |n: usize| format!("[step.s{n}]\nfrom = \"s{}\"\nreduce = \"strong\"\n", n - 1);
    let steps: String = (1..count).rev().map(step).collect();
    let folder = Folder::new()
        .file("queue.aut", QUEUE)
        .file("p.toml", format!("{steps}[step.s0]\nmodel = \"queue.aut\"\n"));
    let found = folder.run(&["run", "p.toml", "--json"]).exits(0).json();
    assert_eq!(systems(&found).len(), count);
}
