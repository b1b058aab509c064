//! Experiments: ranges of constants give tables, CSV, JSON and charts, and each point is what a single run gives.

use crate::common::schema::problems;
use crate::common::{Folder, SLOW, WALK, command, root};
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A queue whose rates and room are open, with properties over an open time.
const QUEUE: &str = "ctmc
const int room;
const double arrive;
module queue
  n : [0..room] init 0;
  [] n<room -> arrive : (n'=n+1);
  [] n>0 -> 2 : (n'=n-1);
endmodule
rewards \"lost\"
  n=room : arrive;
endrewards
";

const PROPS: &str = "const double T;
const int K;
label \"many\" = n>=K;
\"soon\": P=? [ F<=T \"many\" ];
\"lost\": R{\"lost\"}=? [ C<=T ];
\"often\": S=? [ \"many\" ];
\"sure\": P>=0.5 [ F<=T \"many\" ];
";

fn folder() -> Folder {
    Folder::with_model(QUEUE).file("model.props", PROPS)
}

#[track_caller]
fn valid(document: &Value) {
    let text = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    let found = problems(&serde_json::from_str(&text).expect("the schema is JSON"), document);
    assert!(found.is_empty(), "{}\n{document:#}", found.join("\n"));
}

/// Cells of a table without quotation marks.
fn cells(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|e| panic!("{cell}: {e}"))
}

#[test]
fn tables_agree_with_single_runs() {
    let folder = folder();
    let sweep = ["check", "model.prism", "model.props", "--const", "room=3,4,arrive=0.5:0.5:1,T=0:2:6,K=2:3"];
    let table = folder.run(&[&sweep[..], &["--csv", "-"]].concat());
    // The last property is false at some points.
    let table = cells(&table.exits(1).out);
    assert_eq!(table[0][..4], ["room", "arrive", "T", "K"]);
    assert_eq!(table[0][4..7], ["soon", "soon lo", "soon hi"]);
    assert_eq!(table.len(), 1 + 2 * 2 * 4 * 2);
    let json = folder.run(&[&sweep[..], &["--json"]].concat()).exits(1).json();
    valid(&json);
    assert_eq!(json["experiment"]["points"], 32);
    assert_eq!(json["experiment"]["done"], 32);
    assert_eq!(json["models"].as_array().map(Vec::len), Some(4));
    let results = json["results"].as_array().expect("results");
    assert_eq!(results.len(), 32 * 4);
    for (i, row) in table[1..].iter().enumerate() {
        // The order of the grid, in the table and in JSON.
        let expected =
            [["3", "4"][i / 16], ["0.5", "1"][i / 8 % 2], ["0", "2", "4", "6"][i / 2 % 4], ["2", "3"][i % 2]];
        assert_eq!(row[..4], expected);
        let result = &results[4 * i];
        assert_eq!(result["constants"]["T"].as_f64(), Some(number(&row[2])));
        assert_eq!(result["constants"]["room"].as_f64(), Some(number(&row[0])));
        // Reading JSON in this test may cost the last bit.
        let value = result["value"].as_f64().expect("a number");
        assert!((value - number(&row[4])).abs() <= 1e-15 * value, "{value} but {row:?}");
        if i % 5 != 0 {
            continue;
        }
        let point = format!("room={},arrive={},T={},K={}", row[0], row[1], row[2], row[3]);
        let alone = folder.run(&["check", "model.prism", "model.props", "--const", &point, "--json"]).json();
        for (k, single) in alone["results"].as_array().expect("results").iter().enumerate() {
            let together = &results[4 * i + k];
            assert_eq!(together["property"], single["property"]);
            assert_eq!(together.get("verdict"), single.get("verdict"), "{point}");
            let end = |result: &Value, name: &str| {
                result.get(name).or(result.get("compared")).or(result.get("value")).and_then(Value::as_f64)
            };
            if let (Some(a), Some(b), Some(c), Some(d)) =
                (end(together, "lo"), end(together, "hi"), end(single, "lo"), end(single, "hi"))
            {
                assert!(a <= d && c <= b, "{point}: {together} but alone {single}");
            }
        }
    }
}

#[test]
fn tenths_have_eleven_points() {
    let folder = Folder::with_model(
        "dtmc\nconst double p;\nmodule m\n x : [0..2];\n [] x=0 -> p : (x'=1) + 1-p : (x'=2);\n [] x>0 -> true;\nendmodule\n",
    );
    let run = folder.run(&[
        "check",
        "model.prism",
        "--prop",
        "P=? [ X x=1 ]",
        "--const",
        "p=0:0.1:1",
        "--csv",
        "-",
    ]);
    let table = cells(&run.exits(0).out);
    assert_eq!(table.len(), 12);
    for (i, row) in table[1..].iter().enumerate() {
        assert_eq!(number(&row[1]), i as f64 / 10.0, "{row:?}");
    }
    assert_eq!(table[11][0], "1");
}

#[test]
fn a_point_that_fails_is_a_cell() {
    let folder = folder();
    let run = folder.run(&[
        "check",
        "model.prism",
        "model.props",
        "--prop",
        "soon",
        "--const",
        "room=0.5:1:2.5,2,arrive=1,T=1,K=1",
        "--csv",
        "-",
    ]);
    let run = run.exits(2);
    let table = cells(&run.out);
    let values: Vec<&str> = table[1..].iter().map(|row| row[1].as_str()).collect();
    assert_eq!(&values[..3], ["V0006"; 3]);
    assert!(number(values[3]) > 0.0);
    assert!(run.err.contains("V0006"), "{}", run.err);
    // A property that only some values break.
    let run = folder.run(&[
        "check",
        "model.prism",
        "--prop",
        "P=? [ F<=T n=1 ]",
        "--const",
        "room=2,arrive=1,T=-1:1",
        "--json",
    ]);
    let json = run.exits(2).json();
    valid(&json);
    assert!(json["results"][0]["error"]["code"].is_string(), "{json}");
    assert!(json["results"][2]["value"].as_f64().is_some(), "{json}");
}

#[test]
fn mistakes_are_said_once() {
    let folder = folder();
    for (arguments, words) in [
        (&["--const", "room=3,arrive=1:0:2"][..], "step is zero"),
        (&["--const", "room=1:1000,arrive=1:1000,T=1:1000,K=1"], "more than a million points"),
        (&["--const", "room=1:3,arrive=1,T=1,K=1,z=1"], "not an undefined constant"),
        (&["--const", "room=1:3,arrive=1,T=1,K=1", "--prop", "nosuch"], "there is no property"),
        (&["--const", "room=1:3,arrive=1,T=1,K=1", "--plot", "x.svg,x.gif"], "picture format"),
        (&["--const", "room=1:3,arrive=1,T=1,K=1", "--states"], "--states shows one model"),
        (&["--const", "room=1,arrive=1,T=1,K=1", "--plot", "x.svg"], "no constant takes several values"),
        (&["--const", "room=1:3,arrive=1,T=1,K=1", "--json", "--csv", "-"], "both write to standard output"),
    ] {
        let run = folder.run(&[&["check", "model.prism", "model.props"], arguments].concat());
        assert!(run.code == 2 && !run.err.contains("panicked"), "{arguments:?}: {run:?}");
        assert!(run.err.contains(words), "{arguments:?}: {}", run.err);
        assert_eq!(run.err.matches(words).count(), 1, "{}", run.err);
    }
    let run = folder.run(&["check", "model.prism", "model.props", "--const", "room=1:3"]).exits(2);
    assert!(run.err.contains("V0117") && run.err.contains("`arrive`"), "{}", run.err);
    for command in ["explore", "info"] {
        let run = folder.run(&[command, "model.prism", "--const", "room=1:3,arrive=1"]);
        assert!(run.err.contains("is given several values"), "{command}: {}", run.err);
    }
}

#[test]
fn charts() {
    let folder = folder();
    let arguments = ["check", "model.prism", "model.props", "--prop", "soon", "--prop", "often"];
    let constants = ["--const", "room=3,4,arrive=1,K=2,T=0:5:20"];
    let files = ["--plot", "a.svg,a.pdf,a.png", "--plot", "a.html"];
    let run = folder.run(&[&arguments[..], &constants, &files].concat()).exits(0);
    assert!(run.out.contains("written: a.svg, a.pdf, a.png, a.html"), "{}", run.out);
    for (name, start) in
        [("a.svg", &b"<?xml"[..]), ("a.pdf", b"%PDF-1."), ("a.png", b"\x89PNG"), ("a.html", b"<!DOCTYPE")]
    {
        let bytes = std::fs::read(folder.path().join(name)).expect("the chart");
        assert!(bytes.starts_with(start), "{name}");
    }
    let text = folder.read("a.svg");
    let document = roxmltree::Document::parse(&text).expect("XML");
    let texts: Vec<&str> = document.descendants().filter_map(|n| n.text()).map(str::trim).collect();
    for wanted in ["T", "soon, room=3", "soon, room=4", "often, room=3", "often, room=4"] {
        assert!(texts.contains(&wanted), "{wanted}: {texts:?}");
    }
    // Of several properties, the title says what their names stand for; what is the same for all is said once.
    assert!(texts.iter().any(|t| t.starts_with("soon: P=? [")), "{texts:?}");
    assert!(texts.contains(&"model.prism, arrive=1, K=2"), "{texts:?}");
    // A sign for each point, and one for each line in the legend.
    let signs = document.descendants().filter(|n| n.has_tag_name("g")).count();
    assert_eq!(signs, 4 * 5 + 4);
}

#[test]
fn charts_with_logarithmic_axes() {
    let folder = folder();
    let arguments = ["check", "model.prism", "model.props", "--prop", "soon", "--log-axes", "xy"];
    let constants = ["--const", "room=3,4,arrive=1,K=2,T=0,1,10,100"];
    folder.run(&[&arguments[..], &constants, &["--plot", "a.svg"]].concat()).exits(0);
    let text = folder.read("a.svg");
    let document = roxmltree::Document::parse(&text).expect("XML");
    let texts: Vec<&str> = document.descendants().filter_map(|n| n.text()).map(str::trim).collect();
    // Each line has one point at T=0, which has no place.
    for wanted in ["1", "10", "100", "probability", "room=3", "room=4"] {
        assert!(texts.contains(&wanted), "{wanted}: {texts:?}");
    }
    assert!(texts.iter().any(|t| t.starts_with("2 values ≤ 0 are left out")), "{texts:?}");
    let run = folder.run(&[&arguments[..], &constants].concat()).exits(2);
    assert!(run.err.contains("--plot"), "{}", run.err);
}

#[test]
fn time_ends_an_experiment() {
    let folder = Folder::with_model(SLOW);
    let start = Instant::now();
    let run = folder.run(&[
        "check",
        "model.prism",
        "--prop",
        "P=? [ F<=T x=K ]",
        "--const",
        "K=1,1000,T=1e-6,1e5",
        "--timeout",
        "1.5",
        "--json",
    ]);
    assert!(start.elapsed() < Duration::from_secs(30));
    let json = run.exits(3).json();
    valid(&json);
    let points = json["experiment"]["done"].as_u64().expect("a number");
    assert_eq!(json["experiment"]["points"], 4);
    assert!(points >= 1, "{json:#}");
    let results = json["results"].as_array().expect("results");
    assert!(results[0]["value"].as_f64().is_some_and(|v| v > 0.1), "{json:#}");
    // What is not finished has its bounds.
    let stopped = results.iter().find(|r| r["error"]["code"] == "V0005").expect("a stopped one");
    let (lo, hi) = (stopped["lo"].as_f64().expect("lo"), stopped["hi"].as_f64().expect("hi"));
    assert!((0.0..=1.0).contains(&lo) && lo <= hi && hi <= 1.0, "{stopped}");
}

#[test]
#[cfg(unix)]
fn a_signal_leaves_what_is_done() {
    use crate::common::signals::{ended_by_signals, send};

    let folder = Folder::with_model(SLOW);
    let mut command = command(folder.path());
    let words =
        ["check", "model.prism", "--prop", "P=? [ F<=T x=1000 ]", "--const", "T=1e-6,1e6", "--csv", "-"];
    let child = ended_by_signals(command.args(words))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_millis(1500));
    send("INT", &child);
    let output = child.wait_with_output().expect("it ends");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert!(out.contains("1e-6,"), "{out}");
    assert!(err.contains("V0009"), "{err}");
}

#[test]
fn values_of_all_states() {
    let folder = Folder::with_model(WALK);
    let base = ["check", "model.prism", "--const", "N=30", "--prop", "P=? [ F<=2 x=2 ]", "--states"];
    let run = folder.run(&base).exits(0);
    assert!(run.out.contains("x=0") && run.out.contains("and 11 more"), "{}", run.out);
    let table = cells(&folder.run(&[&base[..], &["--csv", "-"]].concat()).exits(0).out);
    assert_eq!(table[0][..2], ["number", "state"]);
    assert_eq!(table.len(), 32);
    let json = folder.run(&[&base[..], &["--json"]].concat()).exits(0).json();
    valid(&json);
    let all = json["results"][0]["all_states"].as_array().expect("values");
    assert_eq!(all.len(), 31);
    for (state, truth) in [(0, 0.25), (1, 0.5), (2, 1.0), (3, 0.5), (4, 0.25), (5, 0.0)] {
        let (lo, hi) = (all[state]["lo"].as_f64().unwrap(), all[state]["hi"].as_f64().unwrap());
        assert!(lo <= truth && truth <= hi && hi - lo < 1e-6, "{state}: {}", all[state]);
        let difference = number(&table[state + 1][2]) - all[state]["value"].as_f64().unwrap();
        assert!(difference.abs() <= 1e-15, "{state}");
        assert_eq!(all[state]["state"], format!("x={state}"));
    }
    let truths =
        folder.run(&["check", "model.prism", "--const", "N=3", "--prop", "x<2", "--states", "--json"]);
    let json = truths.json();
    valid(&json);
    assert_eq!(json["results"][0]["all_states"][3]["value"], false);
}

#[test]
fn what_was_done_is_explained() {
    let folder = folder();
    let constants = ["--const", "room=3,arrive=1,K=2,T=1:5"];
    let base = [&["check", "model.prism", "model.props", "--explain"][..], &constants].concat();
    let run = folder.run(&base);
    for wanted in ["state space", "visited set", "uniformisation rate", "horizons in one pass"] {
        assert!(run.out.contains(wanted), "{wanted}: {}", run.out);
    }
    let json = folder.run(&[&base[..], &["--json"]].concat()).json();
    valid(&json);
    let explain = &json["results"][0]["explain"];
    assert_eq!(explain["horizons in one pass"][0]["value"], 5, "{explain:#}");
    // The largest exit rate is 3, and the rate lies a little above.
    let rate = explain["uniformisation rate"][0]["value"].as_f64().expect("a rate");
    assert!((1.0..=3.2).contains(&rate), "{rate}");
    let interpreted = folder.run(&[&base[..], &["--json", "--interpreter"]].concat()).json();
    assert_eq!(interpreted["model"]["explain"]["evaluated by"][0]["value"], "interpreter");
    assert_eq!(interpreted["model"]["explain"]["evaluated by"][0]["why"], "requested");
    // Without the option nothing is said.
    let silent =
        folder.run(&[&["check", "model.prism", "model.props", "--json"][..], &constants].concat()).json();
    assert!(silent["results"][0].get("explain").is_none());
}

/// A sweep over rates keeps the states of the first point as long as it can, and nobody can tell from the answers.
#[test]
fn rates_share_a_state_space() {
    let model = QUEUE
        .replace("n>0 -> 2", "n>0 -> arrive*n-least")
        .replace("int room;", "int room;\nconst double least;");
    let folder = Folder::with_model(&model);
    let run = |constants: &str, options: &[&str]| {
        let properties = ["--prop", "P=? [ F<=2 n=room ]", "--prop", "R{\"lost\"}=? [ C<=3 ]"];
        folder.run(&[&["check", "model.prism", "--const", constants], &properties[..], options].concat())
    };
    // Of the rates, that of the last but one point is negative, and that of the last zero where n=1.
    let points = ["0.5", "0.75", "1", "2", "0.125", "0.25"];
    let explain = ["--json", "--explain"];
    let sweep = run(&format!("room=4,least=0.25,arrive={}", points.join(",")), &explain);
    let json = sweep.json();
    valid(&json);
    let facts = |json: &Value| -> Vec<String> {
        let models = json["models"].as_array().expect("models").iter();
        models.map(|m| m["explain"]["states"][0]["value"].as_str().unwrap_or("new").to_owned()).collect()
    };
    let shared = "reused from the previous point";
    // After an error there is no space to take over.
    assert_eq!(facts(&json), ["new", shared, shared, shared, "new"]);
    for (i, point) in points.into_iter().enumerate() {
        let alone = run(&format!("room=4,least=0.25,arrive={point}"), &["--json"]).json();
        for k in 0..2 {
            let (mut together, single) = (json["results"][2 * i + k].clone(), &alone["results"][k]);
            // What only one point has is told with it.
            if let Some(notes) = together.pointer_mut("/error/notes").and_then(Value::as_array_mut) {
                assert_eq!(notes.pop(), Some(format!("at arrive={point}").into()));
            }
            for part in ["value", "lo", "hi", "error", "method", "stop"] {
                assert_eq!(together.get(part), single.get(part), "{part} of property {k} at {point}");
            }
            assert_eq!(single.get("error").is_some(), point == "0.125", "{single:#}");
        }
    }
    // Points that differ in rates follow each other, whatever the order of the constants; results keep that of the grid.
    let json = run("least=0.25,arrive=0.5,0.75,room=4,5", &explain).json();
    assert_eq!(facts(&json), ["new", shared, "explored", shared]);
    let grid: Vec<String> = (json["results"].as_array().expect("results").iter().step_by(2))
        .map(|result| format!("{} {}", result["constants"]["arrive"], result["constants"]["room"]))
        .collect();
    assert_eq!(grid, ["0.5 4", "0.5 5", "0.75 4", "0.75 5"]);
    // Where a rate turns zero, and where the model becomes another one, that is said.
    for (constants, why) in [
        ("room=4,least=0.25,arrive=0.5,0.25", "zero at only one of the points"),
        ("room=4,least=0.25,arrive=0.5,0", "other commands or updates are possible"),
        ("room=4,5,least=0.25,arrive=0.5", "the variables or actions differ"),
    ] {
        let out = run(constants, &["--explain"]).out;
        assert!(out.contains(why), "{constants}: {out}");
    }
    let out = run("room=4,least=0.25,arrive=0.5,0.75", &["--explain"]).exits(0).out;
    assert!(out.contains(shared), "{out}");
}
