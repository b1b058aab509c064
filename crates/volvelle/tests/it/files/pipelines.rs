//! Pipelines: what they write, and what they believe.

use super::{NETWORK, SYSTEM, contents};
use crate::common::Folder;
use std::os::unix::fs::{PermissionsExt, symlink};

fn folder(pipeline: &str) -> Folder {
    let folder = Folder::new().file("net.exp", NETWORK).file("a.aut", SYSTEM).file("b.aut", SYSTEM);
    folder.file("f.mcl", "<true*> <\"X\"> true\n").file("p.toml", pipeline)
}

/// No file that a step reads is written by another, also where only a model names it; two steps never write one file.
#[test]
fn lost_files_of_pipelines() {
    let both = "[step.a]\nmodel = \"a.aut\"\nwrite = \"FILE\"\n[step.n]\nmodel = \"net.exp\"\ncheck = \"f.mcl\"\ncsv = \"n.csv\"\n";
    for file in ["a.aut", "b.aut", "net.aut", "./sub/../b.aut", "p.aut", "f.aut"] {
        let folder = folder(&both.replace("csv = \"n.csv\"\n", "").replace("FILE", file));
        std::fs::create_dir(folder.path().join("sub")).expect("a folder");
        for (name, link) in [("net.exp", "net.aut"), ("p.toml", "p.aut"), ("f.mcl", "f.aut")] {
            std::fs::hard_link(folder.path().join(name), folder.path().join(link)).expect("a link");
        }
        let before = contents(&folder);
        let run = folder.run(&["run", "p.toml"]).exits(2);
        assert!(run.err.contains("would be overwritten"), "{file}\n{}", run.err);
        assert_eq!(contents(&folder), before, "{file}");
    }
    let twice =
        "[step.a]\nmodel = \"a.aut\"\nwrite = \"x.aut\"\n[step.b]\nmodel = \"b.aut\"\nwrite = \"x.aut\"\n";
    let run = folder(twice).run(&["run", "p.toml"]).exits(2);
    assert!(run.err.contains("would be written twice"), "{}", run.err);
    // What an earlier run wrote is written again.
    let folder = folder(&both.replace("csv = \"n.csv\"\n", "").replace("FILE", "x.aut"));
    folder.run(&["run", "p.toml"]).exits(0);
    folder.run(&["run", "p.toml"]).exits(0);
}

#[test]
fn pipelines_write_below_their_folder() {
    let text = "[step.a]\nmodel = \"a.aut\"\nwrite = \"FILE\"\n";
    let home = Folder::new();
    let outside = home.path().join("x.aut");
    for way in ["..", "absolute", "link", "link to nothing", "link to a folder"] {
        let file = match way {
            ".." => "sub/../../x.aut".to_owned(),
            "absolute" => outside.display().to_string(),
            "link to a folder" => "folder/x.aut".to_owned(),
            _ => "link.aut".to_owned(),
        };
        let folder = folder(&text.replace("FILE", &file));
        std::fs::create_dir(folder.path().join("sub")).expect("a folder");
        if way == "link" {
            std::fs::write(&outside, "old").expect("a file");
        }
        symlink(&outside, folder.path().join("link.aut")).expect("a link");
        symlink(home.path(), folder.path().join("folder")).expect("a link");
        let (before, others) = (contents(&folder), contents(&home));
        let run = folder.run(&["run", "p.toml"]).exits(2);
        assert!(run.err.contains("is outside the folder of the pipeline"), "{way}\n{}", run.err);
        assert!(run.err.contains("help: allow it") && run.err.contains("p.toml:"), "{way}\n{}", run.err);
        assert_eq!((contents(&folder), contents(&home)), (before, others), "{way}");
        if way == "absolute" {
            folder.run(&["run", "p.toml", "--allow-outside"]).exits(0);
            std::fs::remove_file(&outside).expect("it was written");
        }
    }
    // What is kept as well.
    let folder = folder(&text.replace("FILE", "y.aut"));
    symlink(home.path(), folder.path().join(".volvelle")).expect("a link");
    assert!(folder.run(&["run", "p.toml"]).exits(2).err.contains("is outside the folder"));
    folder.run(&["run", "p.toml", "--cache", "kept"]).exits(0);
}

/// Systems that were put there by something else than a run of this user in this place are made anew.
#[test]
fn kept_systems_from_elsewhere_are_not_believed() {
    let text = "[step.a]\nmodel = \"a.aut\"\ncheck = \"<true*> <\\\"X\\\"> true\"\nexpect = true\n";
    let first = folder(text);
    first.run(&["run", "p.toml"]).exits(0);
    let again = first.run(&["run", "p.toml", "--json"]).exits(0).json();
    assert_eq!(again["steps"][0]["points"][0]["system"], "up to date");
    // An archive: the files of another place, with the same bytes and times, but one of which says something else.
    let second = folder(text);
    let copied = std::process::Command::new("cp")
        .args(["-a", "--"])
        .args([first.path().join(".volvelle"), second.path().join(".volvelle")])
        .status();
    assert!(copied.expect("there is cp").success());
    let run = second.run(&["run", "p.toml", "--json"]).exits(0);
    assert_eq!(run.json()["steps"][0]["points"][0]["system"], "built");
    assert!(run.err.contains("V0016"), "{}", run.err);
    // Once made here, they are believed.
    let run = second.run(&["run", "p.toml", "--json"]).exits(0);
    assert!(run.json()["steps"][0]["points"][0]["system"] == "up to date" && !run.err.contains("V0016"));
    // A folder in which all may write.
    let kept = second.path().join(".volvelle");
    std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o777)).expect("a mode");
    let before = contents(&second);
    let run = second.run(&["run", "p.toml", "--json"]).exits(0);
    assert_eq!(run.json()["steps"][0]["points"][0]["system"], "built");
    assert!(run.err.contains("V0016") && run.err.contains("every user may write"), "{}", run.err);
    assert_eq!(contents(&second), before, "nothing is kept there");
}

/// A limit ends a pipeline of many steps, and the steps that were done are shown.
#[test]
fn limits_end_long_pipelines() {
    let steps: String = (0..300)
        .map(|i| format!("[step.s{i}]\nmodel = \"large.prism\"\nconstants = [\"N={}\"]\n", 20_000 + i))
        .collect();
    let model = "ctmc\nconst int N;\nmodule q\n q : [0..N] init 0;\n [a] q<N -> 2 : (q'=q+1);\n [b] q>0 -> 3 : (q'=q-1);\nendmodule\n";
    let folder = Folder::new().file("large.prism", model).file("p.toml", steps);
    let run = folder.run(&["run", "p.toml", "--timeout", "0.5"]).exits(3);
    assert!(run.err.contains("V0005"), "{}", run.err);
    assert!(run.out.contains("skipped"), "{}", run.out);
    // No system is half kept.
    let kept = contents(&folder);
    let count = |ending: &str| kept.keys().filter(|name| name.ends_with(ending)).count();
    assert_eq!(count(".aut"), count(".txt"), "{:?}", kept.keys());
    assert!(kept.keys().all(|name| !name.contains(".volvelle-")), "{:?}", kept.keys());
}

/// Runs that write the same files at once: each has its results, whole, and systems that are kept are those of one of them.
#[test]
fn lost_results_of_pipelines_at_once() {
    let text = "[constants]\nN = \"1:1:12\"\n[step.q]\nmodel = \"q.prism\"\nconstants = [\"N\"]\nwrite = \"q-{N}.aut\"\n";
    let model = "ctmc\nconst int N;\nmodule q\n q : [0..N*9] init 0;\n [a] q<N*9 -> 2 : (q'=q+1);\n [b] q>0 -> 3 : (q'=q-1);\nendmodule\n";
    let folder = Folder::new().file("q.prism", model).file("p.toml", text);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| folder.run(&["run", "p.toml", "--force"]).exits(0));
        }
    });
    let files = contents(&folder);
    for n in 1..=12 {
        let system = String::from_utf8(files[&format!("q-{n}.aut")].clone()).expect("text");
        assert_eq!(system.lines().count(), 1 + 18 * n, "{system}");
    }
    assert!(files.keys().all(|name| !name.contains("/.volvelle-") && !name.starts_with(".volvelle-")));
    let again = folder.run(&["run", "p.toml", "--json"]).exits(0);
    let again = again.json();
    let points = again["steps"][0]["points"].as_array().expect("points");
    assert!(points.iter().all(|point| point["system"] == "up to date"), "{again}");
}
