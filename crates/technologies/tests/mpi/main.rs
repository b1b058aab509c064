//! The network `mpi` under real launchers: this program starts itself with `mpirun` of each implementation that the machine has.
//! Where there is none, it says what is skipped.
//!
//! `cargo test -p volvelle-technologies --test mpi orbits` runs the cases whose names contain a word.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own, whose ranks report")]

mod cases;
mod launchers;
mod programs;
mod standard;

use launchers::{Ended, Launched, launchers};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use volvelle_runtime::Network;
use volvelle_runtime::network::{Single, ThreadsAsRanks};
use volvelle_technologies::mpi::LIBRARY_VARIABLE;
use volvelle_technologies::testing::skipped;

/// The variable that tells a rank which case it is part of.
const CASE: &str = "VOLVELLE_MPI_TEST";

fn main() -> ExitCode {
    if let Ok(case) = std::env::var(CASE) {
        return cases::rank(&case);
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Runners of tests ask for a list.
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let words: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let launchers = launchers();
    if launchers.is_empty() {
        skipped("MPI", "there is no mpirun");
    }
    let checks: Vec<(&Launched, &str, Check)> = launchers
        .iter()
        .flat_map(|launcher| CHECKS.iter().map(move |&(name, check)| (launcher, name, check)))
        .filter(|(_, name, _)| is_wanted(name))
        .collect();
    // Runs wait for one another most of the time.
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((launcher, name, check)) = checks.get(next.fetch_add(1, Ordering::Relaxed)) {
            check(launcher);
            println!("test {}: {name} ... ok", launcher.name);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
    if is_wanted("without_a_library") {
        without_a_library();
    }
    ExitCode::SUCCESS
}

type Check = fn(&Launched);

/// What is checked with each launcher, what takes longest first.
const CHECKS: &[(&str, Check)] = &[
    ("every_function_fails", standard::every_function_fails),
    ("standard_abi", standard::standard_abi),
    ("programs", same_bits),
    ("messages", |launcher| all_well(launcher, "messages", &[1, 2, 4])),
    ("operations", |launcher| all_well(launcher, "operations", &[1, 2, 4])),
    ("pieces", |launcher| all_well(launcher, "pieces", &[2, 3])),
    ("threads", |launcher| all_well(launcher, "threads", &[2])),
    ("posts", |launcher| all_well(launcher, "posts", &[2, 4])),
    ("work", |launcher| all_well(launcher, "work", &[2, 4])),
    ("gone", |launcher| all_well(launcher, "gone", &[2, 3])),
    ("configured", |launcher| all_well(launcher, "configured", &[1, 3])),
    ("panic", |launcher| ends(launcher, "panic", "rank 1 of 3 ended the run: a panic: the tank is empty")),
    ("error", |launcher| {
        ends(launcher, "error", "rank 1 of 3 ended the run: a transfer failed: the pipe is broken")
    }),
    ("dropped", |launcher| ends(launcher, "dropped", "rank 1 of 3 ended the run: a panic")),
    ("abandoned", |launcher| {
        ends(launcher, "abandoned", "rank 1 of 3 ended the run: a transfer failed: rank 0 is gone")
    }),
    ("killed", |launcher| ends(launcher, "killed", "")),
    ("exit", |launcher| ends(launcher, "exit", "")),
    ("strangers", strangers),
];

/// A rank fails while others wait for it: the run ends, fails too, and says why.
fn ends(launcher: &Launched, case: &str, why: &str) {
    let Ended { succeeded, out, err } = launcher.run(case, 3);
    let name = launcher.name;
    assert!(!succeeded && err.contains(why), "{case} under {name}: {out}{err}");
    assert!(!out.contains("all is well") && !err.contains("hangs"), "{case} under {name}: {out}{err}");
}

/// The library of another implementation does not know the other processes, which is told.
fn strangers(launcher: &Launched) {
    let other = match launcher.name {
        "MPICH" if launchers().iter().any(|other| other.name == "Open MPI") => "libmpi.so.40",
        "Open MPI" if launchers().iter().any(|other| other.name == "MPICH") => "libmpich.so.12",
        _ => return skipped("a library of another launcher", "there is only one"),
    };
    let Ended { succeeded, out, err } = launcher.run_with("messages", 2, &[(LIBRARY_VARIABLE, other)]);
    assert!(!succeeded && !out.contains("all is well"), "{out}{err}");
    let (started, knows) = ("the launcher started 2 processes", format!("{other} ("));
    assert!(err.contains(started) && err.contains(&knows) && err.contains(LIBRARY_VARIABLE), "{out}{err}");
}

/// Programs on contents give the same bits on one process, on several, and on threads that behave like processes.
fn same_bits(launcher: &Launched) {
    let alone = programs::all(std::sync::Arc::new(Single));
    for found in ThreadsAsRanks::run(3, programs::all) {
        assert_eq!(found, alone);
    }
    for ranks in [1, 2, 4] {
        let Ended { succeeded, out, err } = launcher.run("programs", ranks);
        assert!(succeeded, "{} ranks of {}: {out}{err}", ranks, launcher.name);
        // Every rank has all values.
        assert_eq!(out.matches(&format!("{alone}\n")).count(), ranks, "{out}{err}");
    }
}

/// A case that checks itself: each rank says that all is well.
fn all_well(launcher: &Launched, case: &str, ranks: &[usize]) {
    for &ranks in ranks {
        let Ended { succeeded, out, err } = launcher.run(case, ranks);
        assert!(
            succeeded && out.matches("all is well\n").count() == ranks,
            "{case} on {ranks} ranks of {}: {out}{err}",
            launcher.name
        );
    }
}

/// What is tried is in the message.
fn without_a_library() {
    use volvelle_technologies::mpi::{Launcher, Mpi, Settings};
    let launcher = Launcher::of(|_| None).with_library("no-such-folder/libmpi.so");
    let error = Mpi::open(&launcher, Settings::default()).err().unwrap().to_string();
    assert!(error.starts_with("no MPI: ") && error.contains("no-such-folder/libmpi.so"), "{error}");
    assert!(!error.contains('\n'), "{error}");
    // A library that is there, and is another one.
    let launcher = Launcher::of(|_| None).with_library("libc.so.6");
    let error = Mpi::open(&launcher, Settings::default()).err().unwrap().to_string();
    assert!(error.contains("libc.so.6"), "{error}");
    assert_eq!(Single.name(), "single");
}
