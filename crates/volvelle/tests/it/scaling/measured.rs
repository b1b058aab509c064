//! What a run of the program costs: as counted by its allocator, or by the system.

use std::process::{Command, Stdio};

/// The cost of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Seconds of all processors, in the program and in the system for it.
    pub cpu_s: f64,
    /// The largest resident size, in bytes.
    pub peak_bytes: u64,
    pub code: i32,
}

/// Runs a program whose output nobody reads; an error says that it did not end by itself.
#[expect(clippy::zombie_processes, reason = "it is waited for by number, since only that tells what it used")]
pub fn run(command: &mut Command) -> Result<Cost, String> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let child = child.map_err(|error| error.to_string())?;
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
    Ok(Cost {
        cpu_s: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        peak_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
        code: libc::WEXITSTATUS(status),
    })
}
