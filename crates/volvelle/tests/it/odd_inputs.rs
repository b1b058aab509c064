//! Odd files and options: each is refused with exit code 2, a message that says what is wrong, and a way out.

use crate::common::{Folder, WALK};

const PROCESS: &str = "byte x; init { x = 1; x = 2 }";

fn folder() -> Folder {
    let folder = Folder::with_model(WALK).file("model.pml", PROCESS).file("small.prism", SMALL);
    folder.run(&["explore", "small.prism", "--export", "model.umb,model.tra,model.lab"]).exits(0);
    folder
}

const SMALL: &str = "dtmc\nmodule m\n  x : [0..1];\n  [] true -> 0.5 : (x'=0) + 0.5 : (x'=1);\nendmodule\n";

#[track_caller]
fn refused(folder: &Folder, arguments: &[&str], parts: &[&str]) {
    let run = folder.run(arguments).exits(2);
    for part in parts {
        assert!(run.err.contains(part), "{part:?} is missing:\n{}", run.err);
    }
}

#[test]
fn empty_files() {
    let folder = folder();
    for name in ["empty.prism", "empty.pml", "empty.umb", "empty.drn", "empty.tra", "empty.aut", "empty"] {
        let folder = Folder::new().file(name, " \n");
        for command in ["check", "explore", "info", "simulate"] {
            let message = format!("`{name}` is empty");
            refused(&folder, &[command, name], &[&message, "help: give a file that contains a model"]);
        }
    }
    refused(&folder, &["info", "-"], &["standard input is empty", "help: pipe"]);
}

#[test]
fn folders() {
    let folder = folder();
    for name in ["d.prism", "d.pml", "d.umb", "d"] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
        refused(&folder, &["info", name], &["it is a folder", "help: give a file in it"]);
    }
    refused(&folder, &["check", "model.umb", "d"], &["it is a folder", "help: give a file in it"]);
    refused(
        &folder,
        &["check", "model.tra", "--labels", "d"],
        &["it is a folder", "help: give a file in it"],
    );
}

#[cfg(unix)]
#[test]
fn devices_without_an_end() {
    let folder = folder();
    for arguments in [["check", "/dev/zero", ""], ["check", "small.prism", "/dev/zero"]] {
        let arguments: Vec<&str> = arguments.into_iter().filter(|a| !a.is_empty()).collect();
        refused(&folder, &arguments, &["cannot read `/dev/zero`: the device never ends"]);
    }
    refused(&folder, &["check", "small.prism", "/dev/null"], &["there is nothing to check"]);
}

#[test]
fn files_that_are_written_twice() {
    let folder = folder();
    for model in ["small.prism", "model.pml", "model.umb"] {
        for files in ["a.tra,a.tra", "a.umb,b.umb,./a.umb"] {
            refused(
                &folder,
                &["explore", model, "--export", files],
                &["would be written twice", "help: give"],
            );
        }
    }
    assert!(!folder.path().join("a.tra").exists());
    let itself = &["would be overwritten, and the run reads it", "help: give each file its own name"];
    refused(&folder, &["explore", "model.umb", "--export", "./model.umb"], itself);
}

#[test]
fn unknown_files_to_write() {
    let folder = folder();
    for model in ["small.prism", "model.pml", "model.umb"] {
        refused(&folder, &["explore", model, "--export", "x.foo"], &["V0010", "formats are"]);
        refused(&folder, &["explore", model, "--export", "x"], &["V0010", "formats are"]);
    }
    refused(&folder, &["explore", "model.pml", "--export", "x.srew"], &["no rewards", "help: leave it out"]);
}

#[test]
fn expressions_without_end() {
    let long = |begin: &str, part: &str, end: &str| format!("{begin}{}1{end}", part.repeat(100_000));
    let folder = Folder::new()
        .file("sum.pml", long("init { int x; x = ", "1 + ", " }"))
        .file("not.pml", long("init { int x; x = ", "!", " }"))
        .file("field.pml", long("init { x", ".y", " = 2 }"))
        .file("claim.pml", long("byte x; init { x = 1 } ltl p { ", "x == 1 && ", " }"));
    for name in ["sum.pml", "not.pml", "field.pml", "claim.pml"] {
        for command in ["check", "explore", "info", "simulate"] {
            refused(&folder, &[command, name], &["V0105", "nested operators", "help: store parts"]);
        }
    }
}

#[test]
fn properties_without_end() {
    let folder = folder();
    let text = format!("P=? [ {} true ]", "!".repeat(1_000_000));
    let folder = folder.file("long.props", text);
    for model in ["small.prism", "model.umb"] {
        let run = folder.run(&["check", model, "long.props"]).exits(2);
        assert!(run.err.contains("V0105") && run.err.len() < 2_000, "{}", run.err);
        assert!(run.out.len() < 3_000, "the text of the property fills the screen: {}", run.out.len());
    }
}

#[test]
fn many_actions_are_listed_in_lines() {
    let lines: String = (0..500).map(|i| format!("({i}, \"action {i}\", {})\n", i + 1)).collect();
    let folder = Folder::new().file("long.aut", format!("des (0, 500, 501)\n{lines}"));
    let run = folder.run(&["info", "long.aut"]).exits(0);
    assert!(run.out.lines().all(|line| line.chars().count() <= 100), "{}", run.out);
    assert!(run.out.contains("and 440 more; --json lists all"), "{}", run.out);
    let json = folder.run(&["info", "long.aut", "--json"]).exits(0).json();
    assert!(json.to_string().contains("action 499"), "{json}");
}
