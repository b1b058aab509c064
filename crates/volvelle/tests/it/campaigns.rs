//! Runs in parts: shards, rounds, checkpoints, and `merge`.

use crate::common::{self, Folder, Run, root, skipped};
use serde_json::Value;
use std::process::Command;

pub const QUEUE: &str = "ctmc
const double T;
module queue
  waiting : [0..5] init 0;
  [arrive] waiting<5 -> 2 : (waiting'=waiting+1);
  [serve]  waiting>0 -> 3 : (waiting'=waiting-1);
endmodule
rewards \"length\" true : waiting; endrewards
";

/// One path in a few hundred goes on for ever without deciding anything, through more states than are explored.
const LOST: &str = "dtmc
module m
  s : [0..3] init 0;
  far : [0..4000000] init 0;
  [] s=0 -> 0.997 : (s'=1) + 0.003 : (s'=2);
  [] s=2 & far<4000000 -> 0.5 : (far'=far+1) + 0.5 : (far'=max(far-1,0));
  [] s=2 & far=4000000 -> (s'=3);
  [] s=1 | s=3 -> true;
endmodule
";

/// One path in a few hundred leaves the range of a variable.
const BROKEN: &str = "dtmc
module m
  s : [0..2] init 0;
  x : [0..4] init 0;
  [] s=0 -> 0.997 : (s'=1) + 0.003 : (x'=x+7);
  [] s>0 -> true;
endmodule
";

/// The result of a run, without what differs from run to run.
pub fn plain(run: &Run) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| name != "seconds" && name != "tier");
                fields.values_mut().for_each(strip);
            }
            Value::Array(all) => all.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut document = run.json();
    strip(&mut document);
    document
}

/// Runs a command in some shards and puts them together; gives the same as the command alone.
#[track_caller]
fn in_shards(folder: &Folder, command: &[&str], shards: u64) {
    let alone = folder.run(&[command, &["--json"]].concat());
    let mut merge = vec!["merge".to_owned(), "--json".to_owned()];
    for number in 1..=shards {
        let (shard, name) = (format!("{number}/{shards}"), format!("part-{number}-{shards}.vvs"));
        folder.run(&[command, &["--shard", &shard, "-o", &name]].concat()).exits(0);
        merge.push(name);
    }
    let merge: Vec<&str> = merge.iter().map(String::as_str).collect();
    let together = folder.run(&merge).exits(alone.code);
    assert_eq!(plain(&together), plain(&alone));
    for file in &merge[2..] {
        std::fs::remove_file(folder.path().join(file)).unwrap();
    }
}

const ASKED: &[&str] =
    &["--prop", "P=? [ F<=T waiting=5 ]", "--prop", "R=? [ C<=T ]", "--prop", "P>=0.2 [ F<=T waiting=4 ]"];

#[test]
fn shards_are_one_run() {
    let folder = Folder::new()
        .file("queue.prism", QUEUE)
        .file("chain.tra", "3 5\n0 1 0.5\n0 2 0.25\n0 0 0.25\n1 0 1\n2 2 1\n")
        .file("choice.prism", "mdp\nmodule m\n  x : [0..3] init 0;\n  [a] x=0 -> 0.5:(x'=1) + 0.5:(x'=2);\n  [b] x=0 -> (x'=3);\n  [] x>0 -> true;\nendmodule\n");
    let fixed = [&["simulate", "queue.prism", "--const", "T=2", "--samples", "3000"], ASKED].concat();
    for shards in [1, 2, 7, 40] {
        in_shards(&folder, &fixed, shards);
    }
    let grid = ["simulate", "queue.prism", "--const", "T=1:3", "--samples", "1000"];
    in_shards(&folder, &[&grid, ASKED].concat(), 3);
    in_shards(&folder, &["simulate", "chain.tra", "--prop", "P=? [ F<=9 x=2 ]", "--samples", "2000"], 3);
    let scheduled = ["simulate", "choice.prism", "--scheduler", "uniform", "--prop", "Pmax=? [ F x=2 ]"];
    in_shards(&folder, &[&scheduled, &["--samples", "2000", "--seed", "4"][..]].concat(), 3);
}

/// What a path does not decide, and where a path fails, is told as by a single run.
#[test]
fn paths_without_a_value() {
    let folder = Folder::new().file("lost.prism", LOST).file("broken.prism", BROKEN);
    for seed in ["1", "3"] {
        let lost =
            ["simulate", "lost.prism", "--max-path-length", "2000", "--samples", "2000", "--seed", seed];
        let asked = ["--prop", "P=? [ F s=1 ]", "--prop", "P=? [ F<=1 s=1 ]"];
        let lost = [&lost[..], &asked].concat();
        assert!(folder.run(&lost).exits(2).err.contains("V0902"));
        in_shards(&folder, &lost, 3);
        let broken = ["simulate", "broken.prism", "--samples", "2000", "--seed", seed];
        let command = [&broken[..], &["--prop", "P=? [ F s=1 ]"]].concat();
        let alone = folder.run(&[&command[..], &["--json"]].concat()).exits(2);
        for number in 1..=4 {
            let (shard, name) = (format!("{number}/4"), format!("b{seed}-{number}.vvs"));
            // A shard with the failure says so, and has its part all the same.
            folder.run(&[&command[..], &["--shard", &shard, "-o", &name]].concat());
        }
        let names: Vec<String> = (1..=4).map(|number| format!("b{seed}-{number}.vvs")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let together = folder.run(&[&["merge", "--json"], &names[..]].concat()).exits(2);
        assert_eq!(plain(&together), plain(&alone));
    }
}

#[test]
fn stopping_rules_take_rounds() {
    let folder = Folder::new().file("queue.prism", QUEUE);
    let rules: [&[&str]; 3] = [
        &["--prop", "P=? [ F<=T waiting=5 ]", "--width", "1e-3"],
        &["--prop", "P>=0.0501 [ F<=T waiting=5 ]", "--method", "sprt", "--indifference", "5e-4"],
        &["--prop", "P=? [ F<=T waiting=5 ]", "--prop", "R=? [ C<=T ]", "--width", "2e-3"],
    ];
    for (number, rule) in rules.iter().enumerate() {
        let command = [&["simulate", "queue.prism", "--const", "T=2"], *rule].concat();
        let alone = folder.run(&[&command[..], &["--json"]].concat());
        let mut parts: Vec<String> = Vec::new();
        let mut round = 1;
        loop {
            let (next, now) = (format!("{number}-{}.json", round + 1), format!("{number}-{round}.json"));
            // Rounds need not have the same number of shards.
            for shard in 1..=round + 1 {
                let name = format!("{number}-{round}-{shard}.vvs");
                let shard = format!("{shard}/{}", round + 1);
                let given: &[&str] = if round > 1 { &["--round", &now] } else { &[] };
                folder.run(&[&command[..], &["--shard", &shard, "-o", &name], given].concat()).exits(0);
                parts.push(name);
            }
            let names: Vec<&str> = parts.iter().map(String::as_str).collect();
            let merged = folder.run(&[&["merge", "--json", "--next", &next], &names[..]].concat());
            if merged.code != 3 {
                assert_eq!(plain(&merged), plain(&alone));
                assert!(!folder.path().join(&next).exists());
                break;
            }
            assert!(merged.out.contains("V1905"));
            round += 1;
            assert!(round < 20);
        }
        // A round is of its run alone.
        if round > 1 {
            let last = format!("{number}-{round}.json");
            let other =
                [&command[..], &["--seed", "9", "--shard", "1/2", "--round", &last, "-o", "x.vvs"]].concat();
            assert!(folder.run(&other).exits(2).err.contains("V1904"));
        }
    }
}

/// Parts have the model with them: they are put together where there is nothing else.
#[test]
fn parts_are_enough() {
    let folder = Folder::new().file("queue.prism", QUEUE).file("asked.props", "P=? [ F<=T waiting=5 ]\n");
    let command = ["simulate", "queue.prism", "asked.props", "--const", "T=2", "--samples", "1000"];
    let alone = folder.run(&[&command[..], &["--json"]].concat()).exits(0);
    let elsewhere = Folder::new();
    for number in ["1", "2"] {
        let name = format!("part-{number}.vvs");
        let shard = format!("{number}/2");
        folder.run(&[&command[..], &["--shard", &shard, "-o", &name]].concat()).exits(0);
        std::fs::rename(folder.path().join(&name), elsewhere.path().join(&name)).unwrap();
    }
    let merged = elsewhere.run(&["merge", "part-2.vvs", "part-1.vvs", "--json"]).exits(0);
    assert_eq!(plain(&merged), plain(&alone));
    assert!(
        elsewhere
            .run(&["merge", "part-2.vvs", "part-1.vvs", "--csv", "-"])
            .exits(0)
            .out
            .contains("waiting=5")
    );
}

/// A shard that is stopped again and again comes to the same end.
#[test]
fn stopped_shards_and_runs_continue() {
    let folder = Folder::new().file("queue.prism", QUEUE);
    let command = [&["simulate", "queue.prism", "--const", "T=400", "--samples", "60000"], ASKED].concat();
    let alone = folder.run(&[&command[..], &["--json"]].concat());
    let stopped = |parts: &[&str]| {
        let words = [&command[..], parts].concat();
        let mut stops = 0;
        while stops < 6 && folder.run(&[&words[..], &["--timeout", "0.15"]].concat()).code == 3 {
            stops += 1;
        }
        // The rest at once, on machines that are slow.
        folder.run(&[&words[..], &["--json"]].concat())
    };
    stopped(&["--shard", "1/2", "-o", "a.vvs"]).exits(0);
    stopped(&["--shard", "2/2", "-o", "b.vvs"]).exits(0);
    let merged = folder.run(&["merge", "b.vvs", "a.vvs", "--json"]).exits(alone.code);
    assert_eq!(plain(&merged), plain(&alone));
    let continued = stopped(&["--checkpoint", "c.vvs"]).exits(alone.code);
    assert_eq!(plain(&continued), plain(&alone));
    // A checkpoint of a run that is done is the run.
    assert_eq!(plain(&folder.run(&["merge", "c.vvs", "--json"]).exits(alone.code)), plain(&alone));
}

#[test]
fn files_of_other_runs_are_kept() {
    let folder = Folder::new().file("queue.prism", QUEUE).file("notes.txt", "not a part");
    let command =
        ["simulate", "queue.prism", "--const", "T=2", "--samples", "1000", "--prop", "R=? [ C<=T ]"];
    let with = |more: &[&str]| folder.run(&[&command[..], more].concat());
    with(&["--shard", "1/2", "-o", "part.vvs"]).exits(0);
    let before = std::fs::read(folder.path().join("part.vvs")).unwrap();
    for other in [&["--shard", "2/2"][..], &["--shard", "1/2", "--seed", "2"]] {
        let run = with(&[other, &["-o", "part.vvs"]].concat()).exits(2);
        assert!(run.err.contains("V1902") && run.err.contains("another run"), "{}", run.err);
    }
    assert_eq!(std::fs::read(folder.path().join("part.vvs")).unwrap(), before);
    assert!(with(&["--shard", "1/2", "-o", "notes.txt"]).exits(2).err.contains("V1901"));
    assert_eq!(folder.read("notes.txt"), "not a part");
    // A part that is there already is not computed again.
    with(&["--shard", "1/2", "-o", "part.vvs"]).exits(0);
    assert!(with(&["--shard", "3/2", "-o", "x.vvs"]).exits(2).err.contains("there is no shard 3 of 2"));
    assert!(with(&["--shard", "1/2", "-o", "no/x.vvs"]).exits(2).err.contains("V0008"));
    assert!(with(&["--shard", "1/2", "-o", "x.vvs", "--csv", "a.csv"]).exits(2).err.contains("merge"));
    assert!(with(&["--shard", "1/2", "-o", "x.vvs", "--rare"]).exits(2).err.contains("--rare"));
}

#[test]
fn grids_of_check_have_parts() {
    let model = "dtmc\nconst int N;\nconst double p;\nmodule m\n  x : [0..N] init 0;\n  [] x<N -> p : (x'=x+1) + 1-p : (x'=0);\n  [] x=N -> true;\nendmodule\nrewards x<N : 1; endrewards\n";
    let folder = Folder::new().file("walk.prism", model);
    let asked = ["--prop", "P=? [ F<=k x=N ]", "--prop", "R=? [ F x=N ]", "--prop", "P>=0.1 [ F<=9 x=N ]"];
    let grid =
        [&["check", "walk.prism"][..], &["--const", "N=1:4,p=0.25:0.25:0.75,k=2:3:8"], &asked].concat();
    for shards in [1, 3, 20] {
        in_shards(&folder, &grid, shards);
    }
    let alone = folder.run(&[&grid[..], &["--json"]].concat());
    for _ in 0..2 {
        let run = folder.run(&[&grid[..], &["--json", "--checkpoint", "c.vvs"]].concat()).exits(alone.code);
        assert_eq!(plain(&run), plain(&alone));
    }
    let one = ["check", "walk.prism", "--const", "N=3,p=0.5,k=2", "--prop", "P=? [ F<=k x=N ]"];
    assert!(
        folder.run(&[&one[..], &["--shard", "1/2", "-o", "x.vvs"]].concat()).exits(2).err.contains("grid")
    );
}

/// A part says as JSON what it has.
#[test]
fn parts_as_json() {
    let folder = Folder::new().file("queue.prism", QUEUE);
    let command =
        ["simulate", "queue.prism", "--const", "T=2", "--samples", "1000", "--prop", "R=? [ C<=T ]"];
    let run = folder.run(&[&command[..], &["--shard", "2/3", "-o", "part.vvs", "--json"]].concat()).exits(0);
    let part = &run.json()["part"];
    assert_eq!(
        (part["shard"].as_u64(), part["shards"].as_u64(), part["round"].as_u64()),
        (Some(2), Some(3), Some(1))
    );
    // Four blocks, dealt to three shards.
    assert_eq!((part["paths"].as_u64(), part["complete"].as_bool()), (Some(256), Some(true)));
}

/// The script for Ray, with four workers on this machine, one of which is killed.
#[test]
fn a_campaign_on_ray() {
    let has_ray = Command::new("python3").args(["-c", "import ray"]).output();
    if !has_ray.is_ok_and(|run| run.status.success()) {
        return skipped("there is no Ray for Python");
    }
    let folder = Folder::new().file("queue.prism", QUEUE);
    let command = ["simulate", "queue.prism", "--const", "T=2", "--prop", "P=? [ F<=T waiting=5 ]"];
    let command = [&command[..], &["--width", "8e-4"]].concat();
    let alone = folder.run(&[&command[..], &["--json"]].concat()).exits(0);
    let program = common::command(folder.path());
    let run = Command::new("python3")
        .arg(root().join("examples/campaigns/ray_campaign.py"))
        .arg("--program")
        .arg(program.get_program())
        .args(["--shards", "6", "--workers", "4", "--kill-one", "--folder", "parts", "--"])
        .args(&command)
        .current_dir(folder.path())
        .env("RAY_DISABLE_IMPORT_WARNING", "1")
        .output()
        .expect("python3 runs");
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{out}\n{err}");
    assert!(err.contains("killed the worker"), "{err}");
    let start = out.find("\n{").map_or(0, |start| start + 1);
    let found = Run { code: 0, out: out[start..].to_owned(), err: err.into_owned() };
    assert_eq!(plain(&found), plain(&alone));
    // The width was not reached in the first round.
    assert!(folder.path().join("parts/part-2-1.vvs").exists());
}
