//! The machine: cores, memory, and the signal to stop.

use crate::amounts;
use crate::door;
use crate::memory;
use crate::options::LimitArgs;
use crate::output::{EXIT_LIMIT, Output, is_json_wanted};
use crate::unfinished::{self, End};
use crate::watchdog;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::sync::{Once, OnceLock};
use std::time::{Duration, Instant};
use volvelle_control::{Cancel, Stop};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_session::json;
use volvelle_session::limits;
use volvelle_session::limits::Allowance;

static CANCEL: Cancel = Cancel::new();

/// The least memory that any work takes: buffers, and the code generator.
const SMALLEST_WORK: u64 = 4 << 20;

/// Asks the allocator of the C library to map every large block on its own, as it does at first.
///
/// When a mapped block is freed, glibc takes it as a hint and allocates the next ones of that size from its heap
/// instead (`mallopt(3)`, dynamic threshold). There the arrays of a state space are copied when they grow, and leave
/// holes that nothing fits into: a fifth to a third more memory. Elsewhere nothing happens.
pub fn map_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const LARGE: libc::c_int = 1 << 20;
        // SAFETY: called before any other thread exists; sets a number of the allocator.
        unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
    }
}

/// Has a file that becomes larger than the system allows (`ulimit -f`) fail to be written, rather than end the process in the midst of it.
pub fn outlive_large_files() {
    #[cfg(unix)]
    {
        // SAFETY: called before any other thread exists; the signal is ignored from now on.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    }
}

/// Limits that hold from now on for whatever is read, those of the options as far as they are some: a command refuses others.
pub fn begin(args: &LimitArgs) {
    if let Ok((allowance, _)) = limits(args) {
        door::hold_to(allowance, cancel_on_signal());
    }
}

/// The flag that Ctrl-C raises. A second Ctrl-C ends the process at once.
pub fn cancel_on_signal() -> &'static Cancel {
    static HANDLER: Once = Once::new();
    let handler = || {
        if CANCEL.is_cancelled() {
            door::abandon();
            // The conventional code of a process that SIGINT has ended.
            std::process::exit(130);
        }
        CANCEL.cancel();
        let end = End { stop: Stop::Cancelled, allowance: Allowance::default() };
        watchdog::arm_after_cancellation(processor_time, is_cancelled, move || end_process(&end));
    };
    HANDLER.call_once(|| {
        let ignored = signals::ignored();
        // Without a handler Ctrl-C ends the process without partial results: no reason not to start.
        let _ = ctrlc::set_handler(handler);
        signals::ignore(&ignored);
    });
    &CANCEL
}

/// Signals that the program was started to ignore: SIGHUP by `nohup`, SIGINT by a shell that starts it in the background. That stays.
#[cfg(unix)]
mod signals {
    /// Those that stop a run.
    const STOPPING: [libc::c_int; 3] = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM];

    /// Those that are ignored.
    pub fn ignored() -> Vec<libc::c_int> {
        let is_ignored = |signal: &libc::c_int| {
            let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
            // SAFETY: asks for the action of a signal; the pointer is to a local of the type that is written.
            let code = unsafe { libc::sigaction(*signal, std::ptr::null(), action.as_mut_ptr()) };
            // SAFETY: all bytes are zero, which is a value of the type, or were written by the call.
            code == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
        };
        STOPPING.into_iter().filter(is_ignored).collect()
    }

    /// Ignores signals.
    pub fn ignore(signals: &[libc::c_int]) {
        for signal in signals {
            // SAFETY: no handler is installed; what is pending is dropped.
            unsafe { libc::signal(*signal, libc::SIG_IGN) };
        }
    }
}

#[cfg(not(unix))]
mod signals {
    pub fn ignored() {}

    pub fn ignore(_: &()) {}
}

/// Ends the process whose client is gone, at once: nothing half written is left.
pub fn leave() -> ! {
    door::abandon();
    std::process::exit(1)
}

/// Whether the run was interrupted.
pub fn is_cancelled() -> bool {
    CANCEL.is_cancelled()
}

/// Goes on after Ctrl-C: it ended a part of the work, and the user may ask for more. Whether there was one.
pub fn resume() -> bool {
    let was_cancelled = CANCEL.is_cancelled();
    CANCEL.resume();
    was_cancelled
}

/// The limits that the options set, and the number of threads.
pub fn limits(args: &LimitArgs) -> Result<(Allowance, usize), Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut keep = |d: Diagnostic| diagnostics.push(d);
    let states =
        args.max_states.as_deref().map(|v| amounts::count(v, "a number of states", "--max-states 1e7"));
    let states = states.transpose().map_err(&mut keep).unwrap_or_default();
    let memory_limit =
        args.max_memory.as_deref().map(amounts::memory).transpose().map_err(&mut keep).unwrap_or_default();
    let timeout = args.timeout.as_deref().map(|text| amounts::time(text, "--timeout 10")).transpose();
    let timeout = timeout.map_err(&mut keep).unwrap_or_default();
    let threads = args.threads.as_deref().map(|v| amounts::count(v, "a number of threads", "--threads 2"));
    let threads = threads.transpose().map_err(&mut keep).unwrap_or_default();
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    static HELD_AT_START: OnceLock<u64> = OnceLock::new();
    let held_at_start = *HELD_AT_START.get_or_init(|| memory::resident_bytes().unwrap_or(0));
    if let Some(limit) = memory_limit.filter(|&limit| limit < held_at_start + SMALLEST_WORK) {
        let needed = limits::bytes(held_at_start + SMALLEST_WORK);
        let message = format!("--max-memory {} is less than the program needs", limits::bytes(limit));
        let help = "the limit is for all memory of the process, its code included: --max-memory 100M";
        return Err(vec![
            Diagnostic::error(codes::BAD_LIMIT, message)
                .note(format!("about {needed} are needed before the first state is stored"))
                .help(help),
        ]);
    }
    // What the machine has free does not include what this process holds already.
    let memory = memory_limit.or_else(|| available_memory_bytes().map(|free| free + held_at_start));
    let allowance = Allowance {
        states,
        memory_bytes: memory,
        memory_is_default: memory_limit.is_none(),
        held_at_start,
        timeout,
    };
    if let Some(limit) = memory {
        let end = End { stop: Stop::Memory, allowance };
        memory::watch(limit, &CANCEL, move || end_process(&end));
    }
    if let Some(deadline) = timeout.and_then(|timeout| Instant::now().checked_add(timeout)) {
        let end = End { stop: Stop::Timeout, allowance };
        watchdog::arm(deadline, processor_time, move || end_process(&end));
    }
    // More threads than this do not help on any machine, and would take stacks.
    Ok((allowance, threads.map_or_else(cores, |n| n.min(1024) as usize)))
}

/// Ends the process whose work did not stop in time, with the results that are finished.
fn end_process(end: &End) {
    let (output, sources) = (Output::of_watchdog(), Sources::new());
    let shown = unfinished::show(end, &output);
    door::abandon();
    if let Some(code) = shown {
        std::process::exit(i32::from(output.checked(code)));
    }
    let diagnostic = limits::stopped(end.stop, &end.allowance);
    let diagnostic = diagnostic.note(match watchdog::has_told() {
        true => "the work did not stop in time; what was printed before is what is known",
        false => "the work did not stop in time, and nothing had finished by then",
    });
    if is_json_wanted() {
        output.print(&json::Document::new([&diagnostic], &sources).to_text());
    }
    output.print_diagnostics(&[diagnostic], &sources);
    std::process::exit(i32::from(EXIT_LIMIT));
}

/// The time that processors have spent on this process, where the system reports it.
#[cfg(unix)]
fn processor_time() -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local of the type that is written.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    (code == 0).then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

#[cfg(not(unix))]
fn processor_time() -> Option<Duration> {
    None
}

/// Threads that run at once on this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// Nine tenths of the memory that is free. `None` where the system does not report it.
#[cfg(not(target_os = "linux"))]
fn available_memory_bytes() -> Option<u64> {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    Some(system.available_memory()).filter(|&bytes| bytes > 0).map(|bytes| bytes / 10 * 9)
}

/// Nine tenths of the memory that is free, within the limit of the control group where there is one. `None` where
/// the system does not report it.
#[cfg(target_os = "linux")]
fn available_memory_bytes() -> Option<u64> {
    let available = meminfo_available(&door::small(Path::new("/proc/meminfo"))?)?;
    let group = control_group_bytes().unwrap_or(u64::MAX);
    Some(available.min(group) / 10 * 9)
}

#[cfg(target_os = "linux")]
/// The line `MemAvailable:  1234 kB`.
fn meminfo_available(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(target_os = "linux")]
/// Bytes that a container may still take: the limit of control groups, version 2, as a process in it sees it.
fn control_group_bytes() -> Option<u64> {
    let read = |name: &str| door::small(&Path::new("/sys/fs/cgroup").join(name))?.trim().parse::<u64>().ok();
    Some(read("memory.max")?.saturating_sub(read("memory.current").unwrap_or(0)))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::meminfo_available;

    #[test]
    fn memory_that_is_free() {
        assert_eq!(meminfo_available("MemTotal: 9 kB\nMemAvailable:    2048 kB\n"), Some(2 << 20));
        assert_eq!(meminfo_available("MemTotal: 9 kB\n"), None);
        assert_eq!(meminfo_available("MemAvailable: much\n"), None);
    }
}
