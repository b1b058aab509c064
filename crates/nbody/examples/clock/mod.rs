//! CPU time, for the examples that measure.

use std::time::Instant;

/// CPU seconds of all threads of this process that have not ended, by the clock of Linux's scheduler, in nanoseconds; elsewhere the time
/// that passed.
pub fn cpu_seconds() -> f64 {
    thread_local!(static START: Instant = Instant::now());
    let of_thread = |entry: std::fs::DirEntry| {
        let text = std::fs::read_to_string(entry.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let times: Vec<f64> = threads.filter_map(of_thread).collect();
    match times.is_empty() {
        true => START.with(|start| start.elapsed().as_secs_f64()),
        false => times.iter().sum::<f64>() / 1e9,
    }
}
