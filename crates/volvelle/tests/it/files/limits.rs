//! Reading has the limits of the command, whatever is read.

use super::{KERNEL, MDP, PLATFORM, SYSTEM};
use crate::common::{Folder, Run, command};
use std::process::Stdio;
use std::time::{Duration, Instant};

fn fifo(folder: &Folder, name: &str) {
    let made = std::process::Command::new("mkfifo").arg(folder.path().join(name)).status();
    assert!(made.expect("there is mkfifo").success());
}

/// Runs a command whose standard input never ends.
fn waiting(folder: &Folder, words: &[&str]) -> Run {
    let mut child = command(folder.path())
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let input = child.stdin.take();
    let id = child.id().to_string();
    let (ended, end) = std::sync::mpsc::channel::<()>();
    let guard = std::thread::spawn(move || {
        if end.recv_timeout(Duration::from_secs(60)).is_err() {
            let _ = std::process::Command::new("kill").args(["-9", &id]).status();
        }
    });
    let output = child.wait_with_output().expect("it ends");
    ended.send(()).expect("the guard waits");
    guard.join().expect("it ends");
    drop(input);
    Run {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Every command that reads, with a pipe in each place of a file, also of one that another file names: nobody writes to the pipes.
#[test]
fn hanging_readers_of_pipes() {
    let folder = Folder::with_model(MDP)
        .file("net.exp", "\"a.aut\" |[X]| \"pipe.aut\"\n")
        .file("a.aut", SYSTEM)
        .file("inc.pml", "#include \"pipe.pml\"\ninit { skip }\n")
        .file("l.lotos", "specification S[A] : exit\nlibrary PIPE endlib\nbehaviour A; exit\nendspec\n")
        .file("chain.tra", "dtmc\n2 2\n0 1 1\n1 1 1\n")
        .file("study.toml", "program = \"pipe.mpi\"\nprotocol = \"A\"\n")
        .file("p.toml", "[step.s]\nmodel = \"net.exp\"\n")
        .file("f.toml", "[step.s]\nmodel = \"a.aut\"\ncheck = \"pipe.mcl\"\n")
        .file("b.toml", "[initial]\nfile = \"pipe.csv\"\n[run]\nend = 1\n")
        .file("k.cl", KERNEL)
        .file("platform.toml", PLATFORM)
        .file("s.rules", "system s\nlanguage \"pipe\"\n");
    for name in [
        "pipe.aut",
        "pipe.pml",
        "pipe.lib",
        "pipe.mpi",
        "pipe.mcl",
        "pipe.csv",
        "chain.lab",
        "pipe",
        "pipe.toml",
        "pipe.cl",
    ] {
        fifo(&folder, name);
    }
    let commands = [
        "check pipe",
        "check -",
        "check model.prism pipe --const N=1",
        "check model.prism --const N=1 --prop P=?[Fs=1] --scheduler pipe",
        "check a.aut --mcl pipe.mcl",
        "check inc.pml",
        "check chain.tra --prop P=?[Fx=1]",
        "info net.exp",
        "info -",
        "explore net.exp",
        "explore l.lotos",
        "explore inc.pml",
        "reduce net.exp",
        "compare a.aut pipe.aut",
        "compare a.aut -",
        "distance pipe pipe",
        "simulate pipe",
        "simulate inc.pml",
        "simulate model.prism --const N=1 --scheduler uniform --prop P=?[Fs=1] --device-config pipe.toml",
        "merge pipe",
        "trace pipe",
        "step pipe",
        "tune pipe.pml --minimize n --goal n==1 --parameters n",
        "tune pipe.cl --platform platform.toml",
        "tune k.cl --platform pipe.toml --size 64 --parameters WG",
        "steady net.exp",
        "transient net.exp --times 1",
        "run pipe.toml",
        "run p.toml",
        "run f.toml",
        "mpi study.toml",
        "mpi pipe.toml",
        "multicore pipe.toml",
        "multicore pipe",
        "nbody b.toml",
        "nbody pipe.toml",
        "rules check pipe",
        "rules check s.rules",
        "n4js check pipe",
        "lint inc.pml",
        "lint -",
    ];
    let start = Instant::now();
    // They wait: all at once they take no longer than one.
    std::thread::scope(|scope| {
        let folder = &folder;
        for words in commands {
            scope.spawn(move || {
                let words: Vec<&str> = words.split(' ').chain(["--timeout", "0.2"]).collect();
                let run = waiting(folder, &words);
                assert_eq!(run.code, 3, "{words:?}\n{}{}", run.out, run.err);
                assert!(run.err.contains("V0005"), "{words:?}\n{}", run.err);
            });
        }
    });
    assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());
}

/// A pipe that nobody reads ends a run as well.
#[test]
fn hanging_writers_of_pipes() {
    let folder = Folder::with_model(MDP);
    fifo(&folder, "pipe.csv");
    let words = ["check", "model.prism", "--const", "N=1", "--prop", "Pmax=? [ F s=2 ]", "--csv", "pipe.csv"];
    let run = folder.run(&[&words[..], &["--timeout", "0.3"]].concat()).exits(3);
    assert!(run.err.contains("V0005"), "{}", run.err);
}

/// A model or a user that waits for input, and a run without end.
#[test]
fn hanging_runs_of_processes() {
    let folder = Folder::with_model(
        "dtmc\nmodule m\n s : [0..1];\n [] s=0 -> 0.5 : (s'=0) + 0.5 : (s'=1);\nendmodule\n",
    )
    .file("reads.pml", "int c; active proctype P() { do :: STDIN?c -> printf(\"%d\\n\", c) od }\n")
    .file("chooses.pml", "byte n; active proctype P() { do :: n = 1 :: n = 2 od }\n");
    for words in [
        "simulate reads.pml",
        "step chooses.pml",
        "simulate chooses.pml --steps 1e12",
        "simulate chooses.pml --steps 1e12 --quiet",
        "check reads.pml",
        "step model.prism",
    ] {
        let words: Vec<&str> = words.split(' ').chain(["--timeout", "0.2"]).collect();
        let run = waiting(&folder, &words);
        assert_eq!(run.code, 3, "{words:?}\n{}", run.err);
        assert!(run.err.contains("V0005"), "{words:?}\n{}", run.err);
    }
}

/// Devices and pipes that never end, also where another file names them.
#[test]
fn hanging_readers_of_what_never_ends() {
    let folder = Folder::with_model(MDP)
        .file("net.exp", "\"/dev/zero\" |[X]| \"/dev/zero\"\n")
        .file("inc.pml", "#include \"/dev/zero\"\ninit { skip }\n")
        .file("study.toml", "program = \"/dev/zero\"\nprotocol = \"A\"\n")
        .file("p.toml", "[step.s]\nmodel = \"/dev/zero\"\n");
    for words in [
        "explore net.exp",
        "check inc.pml",
        "mpi study.toml",
        "run p.toml",
        "info /dev/zero",
        "merge /dev/zero",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let run = folder.run(&words);
        assert!(run.code == 2 && !run.err.contains("panicked"), "{words:?}\n{}", run.err);
    }
    fifo(&folder, "pipe.prism");
    let path = folder.path().join("pipe.prism");
    let writer = std::thread::spawn(move || {
        use std::io::Write;
        let mut pipe = std::fs::OpenOptions::new().write(true).open(path).expect("the pipe");
        while pipe.write_all(&[b' '; 1 << 16]).is_ok() {}
    });
    let run = folder.run(&["check", "pipe.prism", "--max-memory", "100M", "--timeout", "60"]).exits(3);
    assert!(run.err.contains("V0004"), "{}", run.err);
    writer.join().expect("it ends");
    // A file that says that it is larger than any memory.
    let large = std::fs::File::create(folder.path().join("large.prism")).expect("a file");
    large.set_len(1 << 40).expect("a sparse file");
    let run = folder.run(&["check", "large.prism", "--max-memory", "100M"]).exits(3);
    assert!(run.err.contains("V0004"), "{}", run.err);
}

/// A path without end, bodies that move for ever, kernels with very many configurations: what is known by then is shown.
#[test]
fn limits_of_commands_that_had_none() {
    let kernel = KERNEL
        .replace("WG = 1, 2, 4", "WG = 1, 2, 4; parameter A = powers(1, 2^20); parameter B = powers(1, 2^20); parameter C = powers(1, 2^20); parameter D = powers(1, 2^20)")
        .replace("data[get_global_id(0)] *= 2;", "for (int i = 0; i < A * B * C * D; i++) data[get_global_id(0)] *= i;");
    let folder = Folder::with_model(
        "dtmc\nmodule m\n s : [0..1];\n [] true -> 0.5 : (s'=0) + 0.5 : (s'=1);\nendmodule\n",
    )
    .file("k.cl", kernel)
    .file("platform.toml", PLATFORM)
    .file(
        "b.toml",
        "[initial]\nmodel = \"plummer\"\nbodies = 50\n[physics]\nstep = 1e-5\n[run]\nend = 1e3\nreport = 1e-4\n",
    );
    let run = folder
        .run(&["trace", "model.prism", "--until", "s=2", "--steps", "4e9", "--timeout", "0.3"])
        .exits(3);
    assert!(run.err.contains("V0005"), "{}", run.err);
    let run = folder.run(&["nbody", "b.toml", "--timeout", "0.7", "--csv", "e.csv"]).exits(3);
    assert!(run.err.contains("V0005") && !folder.path().join("e.csv").exists(), "{}", run.err);
    // On a slow machine the limit may be reached before the first report.
    if run.err.contains("V0015") {
        assert!(folder.read("e.partial.csv").lines().count() > 1);
    }
    for command in ["nbody b.toml", "trace model.prism", "info model.prism"] {
        let words: Vec<&str> = command.split(' ').chain(["--max-memory", "1M"]).collect();
        let run = folder.run(&words).exits(2);
        assert!(run.err.contains("V0002"), "{words:?}\n{}", run.err);
    }
    let words = ["tune", "k.cl", "--platform", "platform.toml", "--size", "64", "--parameters", "WG,A,B,C,D"];
    let run = folder.run(&[&words[..], &["--timeout", "0.3", "--csv", "t.csv"]].concat()).exits(3);
    assert!(run.err.contains("V0005") && !folder.path().join("t.csv").exists(), "{}", run.err);
    if run.err.contains("are computed") {
        assert!(run.out.contains("not proven"), "{}", run.out);
        assert!(folder.path().join("t.partial.csv").exists());
    }
}
