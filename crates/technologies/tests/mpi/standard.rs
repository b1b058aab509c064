//! The standard ABI of MPI 5, by a library that translates it to MPICH's (`standard.cpp`), and libraries that fail.

use crate::launchers::{Ended, Launched};
use std::path::PathBuf;
use std::process::Command;
use volvelle_technologies::mpi::LIBRARY_VARIABLE;
use volvelle_technologies::testing::skipped;

/// The library, if this is MPICH's launcher and there is a C++ compiler.
fn library(launcher: &Launched) -> Option<String> {
    if launcher.name != "MPICH" {
        return None;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
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
    let Some(library) = library(launcher) else { return };
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
    let Some(library) = library(launcher) else { return };
    for function in [
        "MPI_Initialized",
        "MPI_Init_thread",
        "MPI_Comm_set_errhandler",
        "MPI_Comm_dup",
        "MPI_Comm_rank",
        "MPI_Comm_size",
        "MPI_Isend",
        "MPI_Irecv",
        "MPI_Improbe",
        "MPI_Imrecv",
        "MPI_Iallgatherv",
        "MPI_Ibarrier",
        "MPI_Test",
        "MPI_Test_cancelled",
        "MPI_Get_count",
        "MPI_Finalize",
    ] {
        let variables = [(LIBRARY_VARIABLE, library.as_str()), ("STAND_IN_FAIL", function)];
        let Ended { succeeded, out, err } = launcher.run_with("short", 2, &variables);
        assert!(!succeeded && err.contains(function), "{function}: {out}{err}");
        assert!(!err.contains("hangs") && !err.contains("signal 11"), "{function}: {out}{err}");
    }
    // Those that are called when something else has gone wrong.
    for (function, case) in [("MPI_Cancel", "gone"), ("MPI_Abort", "panic"), ("MPI_Error_string", "messages")]
    {
        let variables = [(LIBRARY_VARIABLE, library.as_str()), ("STAND_IN_FAIL", function)];
        let Ended { out, err, .. } = launcher.run_with(case, 3, &variables);
        assert!(!err.contains("hangs") && !err.contains("signal 11"), "{function}: {out}{err}");
    }
}
