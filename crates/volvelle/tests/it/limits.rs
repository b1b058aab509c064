//! Limits stop cleanly and say what was reached.

use crate::common::{Folder, command};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// About 10^24 states.
const HUGE: &str = "mdp
module a x1 : [0..9999]; x2 : [0..9999]; [] x1<9999 -> (x1'=x1+1); [] x2<9999 -> (x2'=x2+1); endmodule
module b = a [ x1=y1, x2=y2 ] endmodule
module c = a [ x1=z1, x2=z2 ] endmodule
";

#[test]
fn states() {
    let folder = Folder::with_model(HUGE);
    let run = folder.run(&["explore", "model.prism", "--max-states", "1e5"]).exits(3);
    assert!(run.err.contains("V0003") && run.err.contains("more than 100,000 states"), "{}", run.err);
    assert!(run.err.contains("were not expanded"), "{}", run.err);
    assert!(run.out.contains("stopped before all states were found"), "{}", run.out);
    let json = folder.run(&["explore", "model.prism", "--max-states", "1e5", "--json"]).exits(3).json();
    assert_eq!(json["model"]["complete"], false);
    assert!(json["model"]["states"].as_u64().unwrap() >= 90_000, "{json}");
    assert_eq!(json["diagnostics"][0]["code"], "V0003");
}

#[test]
fn memory() {
    let folder = Folder::with_model(HUGE);
    let run = folder.run(&["explore", "model.prism", "--max-memory", "24M"]).exits(3);
    assert!(run.err.contains("V0004") && run.err.contains("24.0 MiB"), "{}", run.err);
}

/// Steps of 24 modules that synchronise: two to the 24th, each of which leads to another state.
fn many_steps() -> String {
    let module = |i: usize| {
        format!(
            "module m{i} x{i} : [0..2]; [a] x{i}<2 -> (x{i}'=x{i}+1); [a] x{i}=0 -> (x{i}'=2); endmodule\n"
        )
    };
    (0..24).fold("mdp\n".to_owned(), |text, i| text + &module(i))
}

#[test]
fn memory_for_the_steps_of_one_state() {
    let folder = Folder::with_model(&many_steps());
    // Some of these limits are passed while a vector grows, wherever the size of the program puts them.
    for limit in ["27M", "28M", "29M", "30M", "32M"] {
        let run = folder.run(&["explore", "model.prism", "--max-memory", limit, "--threads", "1"]).exits(3);
        assert!(run.err.contains("V0004") && run.err.contains("1 state"), "{limit}: {}", run.err);
    }
}

/// An allocation that fails ends the run as a limit does.
#[test]
#[cfg(target_os = "linux")]
fn memory_that_the_system_refuses() {
    let folder = Folder::with_model(&many_steps());
    let program = command(folder.path()).get_program().to_owned();
    let script = "ulimit -v 200000; exec \"$0\" explore model.prism --threads 1";
    let run = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(program)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(3), "{text}");
    assert!(text.contains("V0004"), "{text}");
}

#[test]
fn memory_too_small_to_begin() {
    let folder = Folder::with_model(HUGE);
    let run = folder.run(&["explore", "model.prism", "--max-memory", "2M"]).exits(2);
    assert!(run.err.contains("less than the program needs") && run.err.contains("are needed"), "{}", run.err);
}

#[test]
fn time() {
    let folder = Folder::with_model(HUGE);
    let start = Instant::now();
    let run = folder.run(&["explore", "model.prism", "--timeout", "0.3", "--max-memory", "1G"]).exits(3);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert!(run.err.contains("V0005") && run.err.contains("0.3 s"), "{}", run.err);
}

/// Schedulers choose in every step, so steps are computed one by one, each of 4000 multiplications.
const CHOICES: &str = "mdp
module m
  x : [0..1000] init 0;
  [] x<1000 -> 0.5 : (x'=x+1) + 0.5 : (x'=max(x-1,0));
  [] x<1000 -> 0.49 : (x'=x+1) + 0.51 : (x'=max(x-1,0));
  [] x=1000 -> true;
endmodule
";

#[test]
fn time_for_numbers() {
    let folder = Folder::with_model(CHOICES).file(
        "model.props",
        "\"quick\": Pmax=? [ F x=0 ]; \"slow\": Pmin=? [ F<=2000000000 x=1000 ]; \"after\": Pmin=? [ G F x=7 ]; \"short\": Pmax=? [ F x=1 ];",
    );
    let run = folder.run(&["check", "model.prism", "model.props", "--timeout", "1", "--json"]).exits(3);
    let json = run.json();
    assert_eq!(json["model"]["states"], 1001);
    // What was computed before is there.
    assert_eq!(json["results"][0]["value"], 1.0);
    assert_eq!(json["results"][1]["error"]["code"], "V0005");
    assert_eq!(json["results"].as_array().unwrap().len(), 4);
    // It comes first although it is listed behind the slow one.
    assert_eq!(json["results"][3]["value"], 1.0);
    let message = json["results"][2]["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("not started"), "{message}");
    // On the screen, in a page and in a table of values, too.
    let words = ["check", "model.prism", "model.props", "--timeout", "1"];
    let run = folder.run(&[&words[..], &["--html", "page.html"]].concat()).exits(3);
    let line = |name: &str| run.out.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    assert!(line("quick").contains("exact") || line("quick").contains("sound"), "{}", run.out);
    assert!(line("slow").contains("V0005 time limit"), "{}", run.out);
    assert!(line("after").contains("V0005 not started"), "{}", run.out);
    // It is not whole, and its name says so.
    assert!(folder.read("page.partial.html").contains("V0005 not started"));
    let run = folder.run(&[&words[..], &["--csv", "-"]].concat()).exits(3);
    assert!(run.out.lines().nth(1).is_some_and(|line| line.starts_with('1')), "{}", run.out);
}

/// A counter that fails when it reaches 60.
const COUNTER: &str = "byte n;\nactive proctype P() { do :: n < 100 -> n++ :: else -> break od; assert(n != 60) }\nltl few { [] (n < 200) }\n";

#[test]
fn a_search_that_was_cut_is_no_proof() {
    let folder = Folder::new().file("model.pml", COUNTER).file(
        "chain.prism",
        "dtmc\nmodule m\n x : [0..100] init 0;\n [] x<50 -> (x'=x+1);\n [] x=50 -> true;\nendmodule\n",
    );
    for (model, asked) in [
        ("model.pml", &["--safety"][..]),
        ("model.pml", &["--safety", "--search", "dfs"]),
        ("model.pml", &["--safety", "--search", "bitstate"]),
        ("model.pml", &["--safety", "--search", "hash-compact"]),
        ("model.pml", &["--safety", "--search", "swarm"]),
        ("model.pml", &["--ltl", "[] (n < 200)"]),
        ("model.pml", &["--ltl", "<> [] (n < 200)"]),
        ("chain.prism", &["--safety"]),
        ("chain.prism", &["--safety", "--search", "dfs"]),
        ("chain.prism", &["--ltl", "G x<60"]),
        ("chain.prism", &["--ltl", "G F x<60"]),
    ] {
        let cut = [&["check", model], asked, &["--max-depth", "20"]].concat();
        let run = folder.run(&cut).exits(3);
        assert!(run.out.contains("no error found"), "{cut:?}: {}", run.out);
        assert!(run.out.contains("incomplete: states deeper than 20 steps"), "{cut:?}: {}", run.out);
        assert!(run.err.contains("V0014"), "{cut:?}: {}", run.err);
        let json = folder.run(&[&cut[..], &["--json"]].concat()).exits(3).json();
        assert_eq!(json["results"][0]["stop"], "depth-limit", "{json}");
        assert!(json["results"][0].get("verdict").is_none(), "{json}");
        // A limit that is deep enough is none.
        let deep = [&["check", model], asked, &["--max-depth", "5000"]].concat();
        let run = folder.run(&deep);
        assert_eq!(run.code, 0, "{deep:?}: {}{}", run.out, run.err);
        assert!(!run.err.contains("V0014"), "{}", run.err);
    }
    // An error that is found stands, and so does one of the two.
    let wrong = folder.file("wrong.pml", COUNTER.replace("n != 60", "n != 100"));
    wrong.run(&["check", "wrong.pml", "--safety"]).exits(1);
    wrong.run(&["check", "wrong.pml", "--ltl", "[] (n < 5)", "--max-depth", "20"]).exits(1);
    // Limits on states and memory leave no verdict either.
    let run = wrong.run(&["check", "wrong.pml", "--safety", "--max-states", "10"]).exits(3);
    assert!(run.out.contains("not decided") && run.err.contains("no error was found in the "), "{}", run.err);
}

#[test]
fn a_limit_on_states_leaves_no_answer() {
    let folder = Folder::with_model(HUGE);
    let run =
        folder.run(&["check", "model.prism", "--prop", "Pmax=? [ F x1=5 ]", "--max-states", "100", "--json"]);
    let json = run.exits(3).json();
    assert_eq!(json["results"][0]["error"]["code"], "V0003");
    assert!(json["results"][0].get("value").is_none());
    // Said once, although both the run and the property have it.
    assert_eq!(json["diagnostics"].as_array().unwrap().len(), 1);
}

#[test]
fn a_range_without_bounds_is_named() {
    let model =
        "dtmc\nmodule m\n  x : int init 0;\n  [] true -> 0.5 : (x'=x+1) + 0.5 : (x'=x+2);\nendmodule\n";
    let folder = Folder::with_model(model);
    let run =
        folder.run(&["check", "model.prism", "--prop", "P=? [ F x=10000 ]", "--max-states", "100"]).exits(3);
    for part in ["the range of `x` is unbounded", "volvelle simulate", "x : [0..100]"] {
        assert!(run.err.contains(part), "{part:?} is missing:\n{}", run.err);
    }
}

#[test]
#[cfg(unix)]
fn a_signal_stops_cleanly() {
    use crate::common::signals::{ended_by_signals, send};

    let folder = Folder::with_model(HUGE);
    for signal in ["INT", "TERM"] {
        let mut command = command(folder.path());
        let child =
            ended_by_signals(command.args(["explore", "model.prism", "--max-memory", "2G", "--json"]))
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the program starts");
        std::thread::sleep(Duration::from_millis(500));
        send(signal, &child);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(json["diagnostics"][0]["code"], "V0009");
        assert!(json["model"]["states"].as_u64().unwrap() > 0);
    }
}
