//! Single paths: what is told, and what is refused.

use crate::common::{Folder, WALK, root};

/// Lines of the table that begin with a number.
fn rows(out: &str) -> Vec<Vec<&str>> {
    let words = out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let is_row = |words: &Vec<&str>| {
        words.first().is_some_and(|w| w.parse::<u32>().is_ok()) && !words[1].starts_with("step")
    };
    words.filter(is_row).collect()
}

const RACE: &str = "ctmc
module left
  x : [0..3] init 0;
  [] x<3 -> 2 : (x'=x+1);
  [meet] x=3 -> 1 : (x'=0);
endmodule
module right
  y : bool init false;
  [meet] !y -> 4 : (y'=true);
endmodule
rewards \"place\" true : x; [meet] true : 10; endrewards
";

#[test]
fn a_path_is_told_to_its_end() {
    let folder = Folder::with_model(RACE);
    let run = folder.run(&["trace", "model.prism", "--seed", "7", "--path", "123456"]).exits(0);
    let rows = rows(&run.out);
    assert_eq!(rows[0], ["0", "0", "0", "x=0", "y=false"], "{}", run.out);
    assert_eq!(&rows[1][2..5], ["[]", "left,", "line"]);
    let met = rows.iter().find(|row| row.contains(&"[meet]")).expect("it comes to that");
    assert_eq!(met.last(), Some(&"y=true"));
    assert!(run.out.contains("7 steps, then no transition is enabled"), "{}", run.out);
    // Times go on, and the path is the same again.
    let times: Vec<f64> = rows.iter().map(|row| row[1].parse().expect("a time")).collect();
    assert!(times.windows(2).all(|w| w[0] < w[1]), "{times:?}");
    let again = folder.run(&["trace", "model.prism", "--seed", "7", "--path", "123456"]).exits(0);
    assert_eq!(run.out, again.out);
    let other = folder.run(&["trace", "model.prism", "--seed", "7", "--path", "123457"]).exits(0);
    assert_ne!(run.out, other.out);
}

#[test]
fn the_path_is_the_one_that_was_simulated() {
    let folder = Folder::with_model(RACE);
    // One sample is path 0.
    for property in ["R=? [ C<=2 ]", "R=? [ I=1.5 ]", "R=? [ F y ]", "P=? [ F<=2.5 y ]"] {
        for seed in ["1", "2", "3"] {
            let of = |name: &str, rest: &[&str]| {
                let options = ["model.prism", "--prop", property, "--seed", seed, "--json"];
                folder.run(&[&[name], &options[..], rest].concat()).exits(0).json()
            };
            let simulated = of("simulate", &["--samples", "1"]);
            let told = of("trace", &[]);
            let steps = told["path"]["steps"].as_array().expect("steps");
            let value = &steps.last().expect("one")["decided"][0]["value"];
            let value =
                value.as_bool().map_or_else(|| value.as_f64().expect("a number"), |b| f64::from(u8::from(b)));
            let result = &simulated["results"][0];
            assert_eq!(result["value"].as_f64(), Some(value), "{property}, seed {seed}\n{told:#}");
            assert_eq!(result["statistics"]["steps"].as_u64(), Some(steps.len() as u64 - 1), "{property}");
        }
    }
}

#[test]
fn times_are_left_out_where_no_property_needs_them() {
    let folder = Folder::with_model(RACE);
    let run = folder.run(&["trace", "model.prism", "--prop", "P=? [ F x=2 ]"]).exits(0);
    assert!(run.out.contains("no property depends on time") && !run.out.contains("time  "), "{}", run.out);
    assert!(run.out.contains("P=? [ F x=2 ]: true"), "{}", run.out);
    assert!(run.out.contains("2 steps, then every property is decided"), "{}", run.out);
}

#[test]
fn limits_and_conditions() {
    let folder = Folder::with_model(WALK);
    let trace =
        |rest: &[&str]| folder.run(&[&["trace", "model.prism", "--const", "N=1000000"], rest].concat());
    let run = trace(&[]).exits(0);
    assert!(run.out.contains("1,000 steps; more are possible (--steps)"), "{}", run.out);
    assert!(trace(&["--steps", "5"]).exits(0).out.contains("  5 steps; more"));
    let run = trace(&["--until", "x=3", "--path", "4"]).exits(0);
    assert!(run.out.contains("then the condition holds") && run.out.contains("x=3\n"), "{}", run.out);
    let run = trace(&["--prop", "P=? [ F x=900000 ]", "--steps", "3"]).exits(0);
    assert!(run.out.contains("not decided: P=? [ F x=900000 ]"), "{}", run.out);
    for (bad, words) in [
        (&["--until", "x="][..], "V0102"),
        (&["--until", "z>2"], "`z`"),
        (&["--until", "P>=1 [ F x=1 ]"], "V0901"),
        (&["--steps", "0"], "V0"),
        (&["--steps", "1e12"], "too many"),
        (&["--rng", "dice"], "generator"),
        (&["--prop", "S=? [ x=1 ]"], "V0901"),
        (&["--prop", "P=? [ F z ]"], "`z`"),
        (&["--json", "--csv", "-"], "standard output"),
        (&["--interactive"], "volvelle step model.prism"),
        (&["--path", "x"], "--path"),
        (&["--csv", "nowhere/path.csv"], "V0008"),
    ] {
        let run = trace(bad).exits(2);
        assert!(run.err.contains(words), "{bad:?}: {}", run.err);
    }
}

#[test]
fn properties_that_single_paths_do_not_answer_cost_only_themselves() {
    let folder = Folder::with_model(RACE);
    let run =
        folder.run(&["trace", "model.prism", "--prop", "S=? [ y ]", "--prop", "P=? [ F<=9 y ]"]).exits(2);
    assert!(run.err.contains("V0901") && run.out.contains("P=? [ F<=9 y ]: "), "{}{}", run.out, run.err);
}

#[test]
fn what_fails_on_a_path_stands_behind_it() {
    let model =
        "dtmc\nmodule m\n  x : [0..3] init 0;\n  [] true -> 0.5 : (x'=x+1) + 0.5 : true;\nendmodule\n";
    let folder = Folder::with_model(model);
    let run = folder.run(&["trace", "model.prism", "--seed", "3", "--path", "8"]).exits(2);
    assert!(run.out.contains("x=3\n") && run.out.contains(", then an error"), "{}", run.out);
    assert!(run.err.contains("x would become 4") && run.err.contains("on path 8 of seed 3"), "{}", run.err);
    // As the simulation says it, that is.
    let simulated =
        folder.run(&["simulate", "model.prism", "--prop", "P=? [ F x>3 ]", "--seed", "3"]).exits(2);
    assert!(simulated.err.contains("x would become 4"), "{}", simulated.err);
    let json = folder.run(&["trace", "model.prism", "--json"]).exits(2).json();
    assert_eq!(json["path"]["end"], "error");
    assert_eq!(json["diagnostics"][0]["severity"], "error");
}

#[test]
fn failing_rewards_are_found_where_they_are() {
    let model = "dtmc\nmodule m\n  x : [0..9] init 0;\n  [] x<9 -> (x'=x+1);\n  [] x=9 -> (x'=0);\nendmodule\n\
                 rewards x>=4 : 1/(x-4); endrewards\n";
    let folder = Folder::with_model(model);
    for name in ["simulate", "trace"] {
        let run = folder.run(&[name, "model.prism", "--prop", "R=? [ C<=100 ]"]).exits(2);
        assert!(run.err.contains("in state x=4") && run.err.contains("after 4 steps"), "{name}: {}", run.err);
    }
    // The reward is not requested.
    let run = folder.run(&["trace", "model.prism", "--steps", "20"]).exits(0);
    assert!(run.out.contains("?"), "{}", run.out);
}

#[test]
fn tables() {
    let folder = Folder::with_model(RACE);
    let run = folder.run(&["trace", "model.prism", "--csv", "-", "--prop", "P=? [ F<=1 x=1 ]"]).exits(0);
    let mut lines = run.out.lines();
    assert_eq!(lines.next(), Some("step,time,action,modules,x,y,reward place,P=? [ F<=1 x=1 ]"));
    assert_eq!(lines.next(), Some("0,0.0,,,0,false,0.0,"));
    assert!(
        lines.last().is_some_and(|line| line.ends_with("true") || line.ends_with("false")),
        "{}",
        run.out
    );
    let run = folder.run(&["trace", "model.prism", "--csv", "path.csv"]).exits(0);
    assert!(run.out.contains("written: path.csv"), "{}", run.out);
    assert!(folder.read("path.csv").lines().nth(2).expect("a step").contains(",,left,1,false,"));
}

#[test]
fn paths_begin_in_one_state() {
    let module = "module m\n  x : [0..2];\n  [] true -> (x'=0);\nendmodule\n";
    let folder = Folder::with_model(&format!("dtmc\n{module}init x>0 endinit\n"));
    for command in [&["trace", "model.prism"][..], &["simulate", "model.prism", "--prop", "P=? [ F x=0 ]"]] {
        let run = folder.run(command).exits(2);
        assert!(run.err.contains("several states satisfy the initial condition"), "{}", run.err);
    }
}

#[test]
fn processes_are_run_elsewhere() {
    let folder = Folder::new().file("m.pml", "active proctype P() { skip }\n");
    let run = folder.run(&["trace", "m.pml"]).exits(2);
    assert!(run.err.contains("volvelle simulate m.pml"), "{}", run.err);
}

#[test]
fn every_example_has_paths() {
    for entry in std::fs::read_dir(root().join("examples/prism")).expect("the examples") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        if path.extension().is_none_or(|e| e != "prism") || text.contains("\nmdp") {
            continue;
        }
        let folder = Folder::with_model(&text);
        let constants: &[&str] =
            if text.contains("const int start;") { &["--const", "start=4"] } else { &[] };
        let options = ["trace", "model.prism", "--steps", "50"];
        let run = folder.run(&[&options[..], constants].concat()).exits(0);
        assert!(rows(&run.out).len() > 1, "{}", run.out);
    }
}
