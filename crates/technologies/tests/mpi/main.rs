//! The network `mpi` under real launchers: this program starts itself with `mpirun` of each implementation that the machine has.
//! Where there is none, it says what is skipped.
//!
//! `cargo test -p volvelle-technologies --test mpi mpich::` runs the checks whose names contain some words; `large`, which needs 20 GB of
//! memory, is left out without `--ignored`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own, whose ranks report")]

mod cases;
mod launchers;
mod programs;
mod standard;

use launchers::{Ended, Launched, launchers};
use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;
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
    let mut arguments = Arguments::from_args();
    // Runs wait for one another most of the time.
    arguments.test_threads.get_or_insert(4);
    let launchers: &'static [Launched] = launchers().leak();
    for name in launchers::NAMES {
        if !launchers.iter().any(|launcher| launcher.name == name) {
            skipped(name, "its launcher is not there");
        }
    }
    let mut trials = vec![Trial::test("without_a_library", || {
        without_a_library();
        Ok(())
    })];
    for launcher in launchers {
        // What the library of the standard ABI is made of.
        let translated = if launcher.name == "MPICH" { TRANSLATED } else { &[] };
        for &(name, check) in translated.iter().chain(CHECKS) {
            let is_large = name == "large";
            let run = move || {
                check(launcher);
                Ok(())
            };
            trials
                .push(Trial::test(format!("{}::{name}", launcher.module()), run).with_ignored_flag(is_large));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

type Check = fn(&Launched);

/// What is checked with a library over MPICH's, what takes longest first.
const TRANSLATED: &[(&str, Check)] =
    &[("every_function_fails", standard::every_function_fails), ("standard_abi", standard::standard_abi)];

/// What is checked with each launcher.
const CHECKS: &[(&str, Check)] = &[
    ("programs", same_bits),
    ("messages", |launcher| all_well(launcher, "messages", &[1, 2, 4])),
    ("operations", |launcher| all_well(launcher, "operations", &[1, 2, 4])),
    ("pieces", |launcher| all_well(launcher, "pieces", &[2, 3])),
    ("threads", |launcher| all_well(launcher, "threads", &[2])),
    ("posts", |launcher| all_well(launcher, "posts", &[2, 4])),
    ("work", |launcher| all_well(launcher, "work", &[2, 4])),
    ("gone", |launcher| all_well(launcher, "gone", &[2, 3])),
    ("large", |launcher| all_well(launcher, "large", &[2])),
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
    ("exit", |launcher| ends(launcher, "exit", UNCLOSED)),
    ("exit_with_success", |launcher| ends(launcher, "exit with success", UNCLOSED)),
    ("strangers", strangers),
];

const UNCLOSED: &str = "rank 1 of 3 ended the run: its process ends without closing the network";

/// A rank fails while others wait for it: the run ends, fails too, and says why.
fn ends(launcher: &Launched, case: &str, why: &str) {
    let Ended { succeeded, out, err } = launcher.run(case, 3);
    let name = launcher.name;
    assert!(!succeeded && err.contains(why), "{case} under {name}: {out}{err}");
    assert!(!out.contains("all is well") && !err.contains("hangs"), "{case} under {name}: {out}{err}");
    // Once, and by one rank: the others have nothing to add.
    let reasons = err.matches("ended the run").count();
    assert_eq!(reasons, usize::from(!why.is_empty()), "{case} under {name}: {out}{err}");
}

/// The library of another implementation does not know the other processes; this is reported.
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
