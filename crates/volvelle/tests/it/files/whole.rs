//! A result has its name only when it is whole; nothing is left beside it.

use super::{MDP, contents};
use crate::common::signals::{ended_by_signals, send};
use crate::common::{Folder, command};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A grid whose first point is quick and whose second takes for ever: schedulers choose in every step, so steps are computed one by one.
fn grid() -> Folder {
    let model = "mdp\nconst int K;\nmodule m\n  x : [0..1000] init 0;\n  [] x<1000 -> 0.5 : (x'=x+1) + 0.5 : (x'=max(x-1,0));\n  [] x<1000 -> 0.49 : (x'=x+1) + 0.51 : (x'=max(x-1,0));\n  [] x=1000 -> true;\nendmodule\n";
    Folder::with_model(model)
        .file("table.csv", "of an earlier run\n")
        .file("page.html", "of an earlier run\n")
}

const GRID: [&str; 6] =
    ["check", "model.prism", "--prop", "Pmin=? [ F<=T x=1000 ]", "--const", "K=1,T=1,2000000000"];

#[test]
fn lost_results_of_earlier_runs_when_a_limit_ends_this_one() {
    let folder = grid();
    let words = ["--timeout", "1.5", "--csv", "table.csv", "--html", "page.html", "--plot", "plot.svg"];
    let run = folder.run(&[&GRID[..], &words].concat()).exits(3);
    assert_eq!(folder.read("table.csv"), "of an earlier run\n");
    assert_eq!(folder.read("page.html"), "of an earlier run\n");
    assert!(run.err.contains("V0015") && run.err.contains("table.partial.csv"), "{}", run.err);
    let files: Vec<String> = contents(&folder).into_keys().collect();
    let expected = [
        "model.prism",
        "page.html",
        "page.partial.html",
        "plot.partial.svg",
        "table.csv",
        "table.partial.csv",
    ];
    assert_eq!(files, expected);
    // A part is no input.
    let run = folder.run(&["check", "model.prism", "table.partial.csv", "--const", "K=1"]).exits(2);
    assert!(run.err.contains("V0015"), "{}", run.err);
    let renamed = Folder::new().file("m.partial.prism", MDP).file("m.partial", MDP);
    renamed.run(&["info", "m.partial.prism"]).exits(2);
    renamed.run(&["info", "m.partial"]).exits(2);
}

/// A run that a limit cuts short is no whole one, whether it is of a model of probabilities or of processes.
#[test]
fn lost_paths_of_earlier_runs_when_a_limit_ends_this_one() {
    let folder = Folder::with_model("dtmc\nmodule m\n  x : bool;\n  [] true -> (x'=!x);\nendmodule\n")
        .file("steps.pml", "active proctype P() { byte n; do :: n = 1 - n od }\n");
    for words in ["trace model.prism --steps 1e9", "simulate steps.pml --steps 1e9"] {
        for file in ["run.csv", "run.html"] {
            std::fs::write(folder.path().join(file), "of an earlier run\n").expect("a file");
        }
        let outputs = ["-q", "--timeout", "0.3", "--csv", "run.csv", "--html", "run.html"];
        let words: Vec<&str> = words.split(' ').chain(outputs).collect();
        let run = folder.run(&words).exits(3);
        assert!(run.err.contains("V0015"), "{words:?}: {}", run.err);
        for (file, part) in [("run.csv", "run.partial.csv"), ("run.html", "run.partial.html")] {
            assert_eq!(folder.read(file), "of an earlier run\n", "{words:?}");
            assert!(folder.read(part).lines().count() > 1, "{words:?}");
            std::fs::remove_file(folder.path().join(part)).expect("a file");
        }
    }
}

/// Whatever is not written to its end is not there: the size that a file may have is a limit of the system.
#[test]
fn lost_files_that_grow_too_large() {
    let lines: String = (0..20_000).map(|i| format!("(0, \"label {i}\", 0)\n")).collect();
    let folder =
        Folder::new().file("large.aut", format!("des (0, 20000, 1)\n{lines}")).file("out.aut", "old");
    let before = contents(&folder);
    let program = command(folder.path()).get_program().to_owned();
    let script = "ulimit -f 100; exec \"$0\" reduce large.aut --relation strong -o out.aut";
    let run = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(program)
        .current_dir(folder.path())
        .output()
        .expect("there is a shell");
    let text = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.code() == Some(2) && text.contains("V0008"), "{:?} {text}", run.status);
    assert_eq!(contents(&folder), before);
}

#[test]
fn permissions_and_links_stay() {
    let folder = Folder::with_model(MDP).file("out.csv", "old");
    let path = folder.path().join("out.csv");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    std::os::unix::fs::symlink("out.csv", folder.path().join("link.csv")).expect("a link");
    let words = ["check", "model.prism", "--const", "N=1", "--prop", "Pmax=? [ F s=2 ]", "--csv", "link.csv"];
    folder.run(&words).exits(0);
    assert!(folder.read("out.csv").contains('1'));
    assert_eq!(std::fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o640);
    assert!(std::fs::symlink_metadata(folder.path().join("link.csv")).expect("a link").is_symlink());
    folder.run(&[&words[..7], &["/dev/null"]].concat()).exits(0);
    let long = format!("{}.csv", "x".repeat(251));
    folder.run(&[&words[..7], &[&long]].concat()).exits(0);
    assert_eq!(folder.read(&long), folder.read("out.csv"));
}

fn fifo(folder: &Folder, name: &str) {
    let made = std::process::Command::new("mkfifo").arg(folder.path().join(name)).status();
    assert!(made.expect("there is mkfifo").success());
}

/// A reader of a pipe gets the table, and no end of file before it.
#[test]
fn a_pipe_is_written_once() {
    let folder = Folder::with_model(MDP);
    fifo(&folder, "pipe.csv");
    let path = folder.path().join("pipe.csv");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        std::fs::File::open(path).expect("the pipe").read_to_string(&mut text).expect("text");
        text
    });
    let words = ["check", "model.prism", "--const", "N=1", "--prop", "Pmax=? [ F s=2 ]", "--csv", "pipe.csv"];
    folder.run(&words).exits(0);
    assert!(reader.join().expect("it ends").contains('1'));
}

fn wait(mut child: Child) -> (Option<i32>, String) {
    let start = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().expect("it has ended");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// A run that was started to ignore a signal goes on; another one ends with what it has.
#[test]
fn ignored_signals_stay_ignored() {
    let folder = grid();
    let ended = |(signal, name): (u8, &str), is_ignored: bool| {
        let mut command = command(folder.path());
        command.args(GRID).args(["--timeout", "1.2"]);
        if is_ignored {
            let ignore = format!("trap '' {signal}; exec \"$@\"");
            let program = command.get_program().to_owned();
            let words: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
            command = std::process::Command::new("sh");
            command.args(["-c", &ignore, "sh"]).arg(program).args(words).current_dir(folder.path());
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        let child = ended_by_signals(&mut command).spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(500));
        send(name, &child);
        let (code, err) = wait(child);
        assert_eq!(code, Some(3), "{err}");
        let expected = if is_ignored { "V0005" } else { "V0009" };
        assert!(err.contains(expected), "{name} {is_ignored}: {err}");
    };
    std::thread::scope(|scope| {
        for signal in [(1, "HUP"), (2, "INT")] {
            for is_ignored in [true, false] {
                let ended = &ended;
                scope.spawn(move || ended(signal, is_ignored));
            }
        }
    });
}
