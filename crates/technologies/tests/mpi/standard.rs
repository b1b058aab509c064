//! The standard ABI of MPI 5, by a library that translates it to MPICH's (`standard.cpp`), and libraries that fail.

use crate::launchers::{Ended, Launched};
use std::path::PathBuf;
use std::process::Command;
use volvelle_technologies::mpi::LIBRARY_VARIABLE;
use volvelle_technologies::testing::skipped;

/// The library, if there is a C++ compiler.
fn library(check: &str) -> Option<String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(check);
    std::fs::create_dir_all(&folder).unwrap();
    let (source, library) = (folder.join("standard.cpp"), folder.join("libmpi_abi.so.1"));
    std::fs::write(&source, include_str!("standard.cpp")).unwrap();
    let compiled = Command::new("c++")
        .args(["-std=c++17", "-O1", "-fPIC", "-shared", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .output();
    match compiled {
        Ok(output) if output.status.success() => Some(library.to_string_lossy().into_owned()),
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        Err(why) => {
            skipped("the standard ABI of MPI", &format!("no C++ compiler: {why}"));
            None
        }
    }
}

/// All that other libraries do, also where calls are allowed to one thread at a time, or to one thread alone.
pub fn standard_abi(launcher: &Launched) {
    let Some(library) = library("standard_abi") else { return };
    for (case, ranks, level) in [
        ("messages", 3, "4096"),
        ("operations", 4, "4096"),
        ("pieces", 3, "2048"),
        ("threads", 2, "2048"),
        ("gone", 3, "1024"),
        ("one thread", 2, "1024"),
    ] {
        let variables = [(LIBRARY_VARIABLE, library.as_str()), ("STAND_IN_LEVEL", level)];
        let Ended { succeeded, out, err } = launcher.run_with(case, ranks, &variables);
        assert!(
            succeeded && out.matches("all is well\n").count() == ranks,
            "{case}, level {level}: {out}{err}"
        );
    }
}

/// Whatever function fails on a rank: the run ends, and says which one it was.
pub fn every_function_fails(launcher: &Launched) {
    let Some(library) = library("every_function_fails") else { return };
    let check = &|case: &str, function: &str| {
        let variables = [(LIBRARY_VARIABLE, library.as_str()), ("STAND_IN_FAIL", function)];
        // Which functions a rank calls depends on what has arrived by then: it may do without one, or call it first when it closes.
        for left in (0..ATTEMPTS).rev() {
            let Ended { succeeded, out, err } = launcher.run_with(case, 2, &variables);
            assert!(!err.contains("hangs") && !err.contains("signal 11"), "{function}: {out}{err}");
            // The others are called when something else has gone wrong.
            if case != "short" || (!succeeded && err.contains(function)) {
                return;
            }
            assert!(succeeded && left > 0, "{function}: {out}{err}");
        }
    };
    // Runs wait for one another most of the time.
    std::thread::scope(|scope| {
        for functions in FUNCTIONS.chunks(4) {
            scope.spawn(move || functions.iter().for_each(|(case, function)| check(case, function)));
        }
    });
}

/// Runs in which a function has to fail once.
const ATTEMPTS: usize = 5;

/// Functions with the case in which they fail.
const FUNCTIONS: [(&str, &str); 19] = [
    ("short", "MPI_Initialized"),
    ("short", "MPI_Init_thread"),
    ("short", "MPI_Comm_set_errhandler"),
    ("short", "MPI_Comm_dup"),
    ("short", "MPI_Comm_rank"),
    ("short", "MPI_Comm_size"),
    ("short", "MPI_Isend"),
    ("short", "MPI_Irecv"),
    ("short", "MPI_Improbe"),
    ("short", "MPI_Imrecv"),
    ("short", "MPI_Iallgatherv"),
    ("short", "MPI_Ibarrier"),
    ("short", "MPI_Test"),
    ("short", "MPI_Test_cancelled"),
    ("short", "MPI_Get_count"),
    ("short", "MPI_Finalize"),
    ("gone", "MPI_Cancel"),
    ("error", "MPI_Abort"),
    ("messages", "MPI_Error_string"),
];
