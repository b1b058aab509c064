//! What a run of the program costs: as counted by its allocator, and by the system.

use crate::common::Folder;
use std::fs::File;
use std::process::{Command, Stdio};

/// The cost of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Seconds of all processors, in the program and in the system for it.
    pub cpu_s: f64,
    /// Bytes that were allocated, in all.
    pub allocated_bytes: u64,
    /// Bytes that were held at the same time, at most.
    pub held_bytes: u64,
    pub code: i32,
}

/// Runs a program whose results nobody reads; an error says that it did not end by itself.
pub fn run(command: &mut Command, folder: &Folder) -> Result<Cost, String> {
    let errors = File::create(folder.path().join("errors.txt")).map_err(|error| error.to_string())?;
    command.env("VOLVELLE_COUNTED", "1").stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
    let child = command.spawn().map_err(|error| error.to_string())?;
    let id = i32::try_from(child.id()).map_err(|error| error.to_string())?;
    let mut status = 0;
    // SAFETY: zeros are a value of this structure of numbers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are those of values of this function; the process is a child that nobody else waits for.
    let waited = unsafe { libc::wait4(id, &mut status, 0, &mut usage) };
    if waited != id || !libc::WIFEXITED(status) {
        return Err(format!("ended by signal {}", libc::WTERMSIG(status)));
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let text = folder.read("errors.txt");
    let counted = text.lines().rev().find_map(|line| line.strip_prefix("counted: "));
    let counted = counted.ok_or_else(|| format!("the program has not counted:\n{text}"))?;
    let mut numbers = counted.split(' ').filter_map(|word| word.parse::<u64>().ok());
    Ok(Cost {
        cpu_s: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        allocated_bytes: numbers.next().unwrap_or(0),
        held_bytes: numbers.next().unwrap_or(0),
        code: libc::WEXITSTATUS(status),
    })
}
