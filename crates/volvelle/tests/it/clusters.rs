//! Several processes that a launcher of MPI starts: the same answers, and what happens when one of them dies.

use crate::campaigns::{QUEUE, plain};
use crate::common::{Folder, Run, command, root, skipped};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Options of Open MPI's `mpirun`: there are more ranks than processors, and containers run them as root; memory of other processes is
/// out of reach in some.
const OPEN_MPI: &[&str] =
    &["--allow-run-as-root", "--oversubscribe", "--mca", "btl_vader_single_copy_mechanism", "none"];

/// Launchers: programs, what they say of themselves, and what they need.
const LAUNCHERS: [(&str, &str, &[&str]); 4] = [
    ("mpirun.openmpi", "Open MPI", OPEN_MPI),
    ("mpirun.mpich", "HYDRA", &[]),
    ("mpirun", "Open MPI", OPEN_MPI),
    ("mpirun", "HYDRA", &[]),
];

/// One launcher of each implementation that is there.
fn launchers() -> Vec<(&'static str, &'static [&'static str])> {
    let mut words: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for (program, word, options) in LAUNCHERS {
        let version = Command::new(program).arg("--version").output();
        let is_there = version.is_ok_and(|version| String::from_utf8_lossy(&version.stdout).contains(word));
        if is_there && !words.contains(&word) {
            words.push(word);
            found.push((program, options));
        }
    }
    if found.is_empty() {
        skipped("there is no launcher of MPI");
    }
    found
}

/// The program on some ranks.
fn launch(folder: &Folder, launcher: (&str, &[&str]), ranks: usize, arguments: &[&str]) -> Command {
    let program = command(folder.path());
    let mut launched = Command::new(launcher.0);
    launched
        .args(launcher.1)
        .args(["-n", &ranks.to_string()])
        .arg(program.get_program())
        .args(arguments)
        .current_dir(folder.path())
        .env("VOLVELLE_CACHE", "off")
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .stdin(Stdio::null());
    launched
}

fn run(folder: &Folder, launcher: (&str, &[&str]), ranks: usize, arguments: &[&str]) -> Run {
    let output = launch(folder, launcher, ranks, arguments).output().expect("the launcher starts");
    Run {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn ranks_are_one_run() {
    let folder = Folder::new().file("queue.prism", QUEUE);
    let asked = ["--prop", "P=? [ F<=T waiting=5 ]", "--prop", "R=? [ C<=T ]"];
    let commands: [&[&str]; 4] = [
        &["simulate", "queue.prism", "--const", "T=2", "--samples", "40000"],
        &["simulate", "queue.prism", "--const", "T=1:3", "--samples", "5000"],
        &["simulate", "queue.prism", "--const", "T=2", "--width", "2e-3"],
        &["check", "queue.prism", "--const", "T=1:0.5:6"],
    ];
    for launcher in launchers() {
        for command in commands {
            let command = [command, &asked, &["--json"]].concat();
            let alone = folder.run(&command).exits(0);
            for ranks in [2, 4] {
                let together = run(&folder, launcher, ranks, &command).exits(0);
                assert_eq!(plain(&together), plain(&alone), "{launcher:?} {ranks}");
            }
        }
        // Repetitions of importance splitting are shared too.
        let rare = ["simulate", "queue.prism", "--const", "T=2", "--rare", "--samples", "20000", "--json"];
        let rare = [&rare[..], &asked[..2]].concat();
        let (one, three) = (folder.run(&rare).exits(0), run(&folder, launcher, 3, &rare).exits(0));
        assert_eq!(plain(&three), plain(&one));
        // A threshold is found by one process; the others have nothing to do, and none waits for them.
        let find = ["check", "queue.prism", "--find", "T=1:0.5:6", "--every-value"];
        let find = [&find[..], &["--such-that", "P>0.1 [ F<=T waiting=5 ]", "--json"]].concat();
        let (one, three) = (folder.run(&find), run(&folder, launcher, 3, &find));
        assert_eq!((three.code, plain(&three)), (one.code, plain(&one)));
        // What is false for one is false for all; one process says so.
        let truth = ["simulate", "queue.prism", "--const", "T=2", "--prop", "P>=0.9 [ F<=T waiting=5 ]"];
        let found = run(&folder, launcher, 3, &truth);
        assert_eq!((found.code, found.out.matches("false").count()), (1, 1), "{}", found.out);
        let missing = run(&folder, launcher, 3, &["simulate", "queues.prism"]);
        assert_eq!((missing.code, missing.err.matches("error[V0001]").count()), (2, 1), "{}", missing.err);
    }
}

/// Configurations of models and kernels are shared, and every search comes to the same end on any number of ranks.
#[test]
fn ranks_share_configurations() {
    let folder = Folder::new();
    let path = |name: &str| root().join(name).display().to_string();
    let (model, kernel) = (path("examples/tuning/platform.pml"), path("examples/kernels/abstract.cl"));
    let platform = path("platforms/abstract.toml");
    let model = ["tune", &model, "--minimize", "time", "--goal", "finished", "--parameters", "WG,TS"];
    let kernel =
        ["tune", &kernel, "--platform", &platform, "--size", "2^20", "--parameters", "WG=1:1:40,TS=1:1:40"];
    let (swarm, kernel_file) = (["--search", "swarm", "--seed", "7"], path("examples/kernels/abstract.cl"));
    let runs = [
        model.to_vec(),
        [&model[..], &["--no-confluence"]].concat(),
        [&model[..], &["--no-confluence", "--all"]].concat(),
        [&model[..], &["--search", "bisection"]].concat(),
        [&model[..], &swarm].concat(),
        kernel.to_vec(),
    ];
    for (number, launcher) in launchers().into_iter().enumerate() {
        // All of them under one launcher, and some under the next.
        for command in runs.iter().step_by(1 + 2 * number) {
            let command = [&command[..], &["--json"]].concat();
            let alone = folder.run(&command).exits(0);
            let together = run(&folder, launcher, 3, &command).exits(0);
            assert_eq!(plain(&together), plain(&alone), "{launcher:?} {command:?}");
        }
        let measured = run(&folder, launcher, 2, &["tune", &kernel_file, "--measure", "--size", "64"]);
        assert_eq!(measured.code, 2, "{}", measured.err);
        assert_eq!(measured.err.matches("error[V0012]").count(), 1, "{}", measured.err);
    }
}

/// Members of a swarm are spread; one process tells what all have found.
#[test]
fn ranks_share_a_swarm() {
    // Bits that are set in any order; the error is reached where all of them are.
    let model = |wrong: &str| {
        format!(
            "bool bits[8]; byte set;\nactive [8] proctype setter() {{\n  bits[_pid] = true; set++;\n  assert({wrong})\n}}\n"
        )
    };
    let folder = Folder::new().file("right.pml", model("set <= 8")).file("wrong.pml", model("set < 8"));
    let check = |file, rest: &[&'static str]| {
        [&["check", file, "--search", "swarm", "--no-reduction", "--json"], rest].concat()
    };
    let alone = folder.run(&check("right.pml", &[])).exits(0);
    for launcher in launchers() {
        for ranks in [2, 3] {
            let right = run(&folder, launcher, ranks, &check("right.pml", &[])).exits(0);
            // It is so small that the searches visit all of it.
            assert_eq!(right.json()["model"]["states"], alone.json()["model"]["states"]);
            assert_eq!(right.json()["results"][0]["omission"], 0.0);
            let wrong = run(&folder, launcher, ranks, &check("wrong.pml", &[]));
            assert_eq!(wrong.code, 1, "{}", wrong.err);
            assert!(wrong.json()["results"][0]["counterexample"].is_object(), "{}", wrong.out);
        }
        // Other searches are those of one process.
        let bfs = run(&folder, launcher, 2, &["check", "wrong.pml"]);
        assert_eq!((bfs.code, bfs.out.matches("safety").count()), (1, 1), "{}", bfs.out);
    }
}

/// Processes with other options are not of this run.
#[test]
fn ranks_that_differ() {
    let folder = Folder::new().file("queue.prism", QUEUE);
    let asked = ["simulate", "queue.prism", "--const", "T=2", "--prop", "R=? [ C<=T ]", "--samples", "9000"];
    for launcher in launchers() {
        let mut launched = launch(&folder, launcher, 1, &asked);
        let program = command(folder.path());
        launched.args([":", "-n", "1"]).arg(program.get_program()).args(asked).args(["--seed", "7"]);
        let output = launched.output().expect("the launcher starts");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && err.contains("error[V1912]"), "{err}");
    }
}

/// Shards of a campaign may have several processes each.
#[test]
fn ranks_compute_shards() {
    let folder = Folder::new().file("queue.prism", QUEUE);
    let command =
        ["simulate", "queue.prism", "--const", "T=2", "--samples", "20000", "--prop", "R=? [ C<=T ]"];
    let alone = folder.run(&[&command[..], &["--json"]].concat()).exits(0);
    for launcher in launchers() {
        for shard in ["1", "2"] {
            let (number, name) = (format!("{shard}/2"), format!("{shard}.vvs"));
            let part = [&command[..], &["--shard", &number, "-o", &name]].concat();
            run(&folder, launcher, 2, &part).exits(0);
        }
        let merged = folder.run(&["merge", "1.vvs", "2.vvs", "--json"]).exits(0);
        assert_eq!(plain(&merged), plain(&alone));
        std::fs::remove_file(folder.path().join("1.vvs")).unwrap();
        std::fs::remove_file(folder.path().join("2.vvs")).unwrap();
    }
}

/// A rank is killed in the middle: the run ends, and continues from its checkpoint to the same bits, on another number of ranks.
#[cfg(target_os = "linux")]
#[test]
fn a_dead_rank() {
    let folder = Folder::new().file("queue.prism", QUEUE);
    // Long enough to be killed in the middle; the rest need not be run.
    let long = ["simulate", "queue.prism", "--const", "T=400", "--samples", "1e8", "--prop", "R=? [ C<=T ]"];
    let short = [&long[..4], &["--samples", "30000"], &long[6..]].concat();
    let alone = folder.run(&[&short[..], &["--json"]].concat()).exits(0);
    for launcher in launchers() {
        let long = [&long[..], &["--checkpoint", "run.vvs"]].concat();
        let mut child = launch(&folder, launcher, 3, &long)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the launcher starts");
        let start = Instant::now();
        let file = folder.path().join("run.vvs");
        // Not a measurement: a run that never saves anything must not hold up the others.
        while !file.exists() && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(file.exists(), "nothing is saved");
        let victim = ranks_of(child.id()).pop().expect("a rank");
        Command::new("kill").args(["-9", &victim.to_string()]).status().expect("kill");
        let ended = loop {
            if let Some(status) = child.try_wait().expect("a child") {
                break status;
            }
            assert!(start.elapsed() < Duration::from_secs(120), "it hangs");
            std::thread::sleep(Duration::from_millis(20));
        };
        assert!(!ended.success());
        // What was saved is whole. Of another number of paths it is another run.
        let other = [&short[..], &["--checkpoint", "run.vvs"]].concat();
        assert!(folder.run(&other).exits(2).err.contains("V1902"));
        std::fs::remove_file(&file).unwrap();
        // A run that is stopped and continued, by different numbers of ranks.
        let short = [&short[..], &["--checkpoint", "short.vvs", "--json"]].concat();
        let stopped = [&short[..], &["--timeout", "0.3"]].concat();
        for ranks in [2, 3] {
            run(&folder, launcher, ranks, &stopped);
        }
        let ended = run(&folder, launcher, 2, &short).exits(0);
        assert_eq!(plain(&ended), plain(&alone));
        std::fs::remove_file(folder.path().join("short.vvs")).unwrap();
    }
}

/// The processes of the program below a process.
#[cfg(target_os = "linux")]
fn ranks_of(launcher: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut below = vec![launcher];
    while let Some(process) = below.pop() {
        let children = Command::new("ps").args(["-o", "pid=,comm=", "--ppid", &process.to_string()]).output();
        for line in String::from_utf8_lossy(&children.expect("ps").stdout).lines() {
            let Some((pid, name)) = line.trim().split_once(' ') else { continue };
            let pid = pid.parse().expect("a number");
            below.push(pid);
            if name.trim() == "volvelle" {
                found.push(pid);
            }
        }
    }
    found
}
