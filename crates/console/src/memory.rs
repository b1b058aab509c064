//! The memory of the process: what counts is what it holds, not what engines say they hold.
//!
//! Engines account for their large arrays and stop before these pass the limit. Beside these there are code, stacks, copies for a
//! moment, and everything small. A thread looks at the resident size of the process, the more often the closer it is to the limit. Above the
//! limit it raises a flag that stops engines cleanly, with what they have reached; if the process still grows, or an
//! allocation fails, it ends the process, and the results that are finished are shown ([`crate::unfinished`]).

use crate::watchdog;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use volvelle_control::Cancel;

/// The allocator of the system, but that a failed allocation ends the run and does not abort the process.
struct Guarded;

#[global_allocator]
static ALLOCATOR: Guarded = Guarded;

/// An allocation has failed.
static FAILED: AtomicBool = AtomicBool::new(false);

/// Whether a thread waits for that.
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

/// Bytes that no single allocation may exceed, unless it is of zeros, which take no memory before they are written.
static LARGEST: AtomicU64 = AtomicU64::new(u64::MAX);

/// Shortest time between two looks at the size; longest time close to the limit, and far from it. A look takes some tens of microseconds.
const POLL: [Duration; 3] = [Duration::from_micros(200), Duration::from_millis(4), Duration::from_millis(20)];

/// In the time between two looks, a process may fill at most this part of the room that it has left.
const PART: u64 = 32;

/// Bytes that a process may fill in a microsecond, about.
const FILLED: u64 = 1000;

/// Room above the limit for what engines do not stop in time: this part of it, and for small limits as many bytes as a
/// vector may need to grow once between two looks of an engine.
const GRACE: (u64, u64) = (16, 8 << 20);

// SAFETY: everything is passed on to the allocator of the system. What is different never returns, or returns null, as
// allocators may.
unsafe impl GlobalAlloc for Guarded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_hopeless(layout.size()) {
            return failed();
        }
        counted::allocated(layout.size());
        // SAFETY: the caller keeps the contract of the trait.
        let block = unsafe { System.alloc(layout) };
        if block.is_null() { failed() } else { block }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        counted::freed(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        counted::allocated(layout.size());
        // SAFETY: as above.
        let block = unsafe { System.alloc_zeroed(layout) };
        if block.is_null() { failed() } else { block }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_hopeless(size) {
            return failed();
        }
        counted::freed(layout.size());
        counted::allocated(size);
        // SAFETY: as above.
        let block = unsafe { System.realloc(block, layout, size) };
        if block.is_null() { failed() } else { block }
    }
}

/// What was asked of the allocator, in builds with debug assertions: tests of scaling count it, since a clock tells little on a busy
/// machine.
#[cfg(debug_assertions)]
pub mod counted {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    static BYTES: AtomicU64 = AtomicU64::new(0);
    static HELD: AtomicU64 = AtomicU64::new(0);
    static MOST_HELD: AtomicU64 = AtomicU64::new(0);

    pub(super) fn allocated(size: usize) {
        BYTES.fetch_add(size as u64, Relaxed);
        let held = HELD.fetch_add(size as u64, Relaxed) + size as u64;
        if held > MOST_HELD.load(Relaxed) {
            MOST_HELD.fetch_max(held, Relaxed);
        }
    }

    pub(super) fn freed(size: usize) {
        HELD.fetch_sub(size as u64, Relaxed);
    }

    /// Says on standard error, where the environment asks for it, how many bytes were allocated, and how many were held at most.
    pub fn tell() {
        if std::env::var_os("VOLVELLE_COUNTED").is_some() {
            let (bytes, held) = (BYTES.load(Relaxed), MOST_HELD.load(Relaxed));
            crate::output::say(&format!("counted: {bytes} bytes allocated, {held} held at most"));
        }
    }
}

/// Nothing is counted.
#[cfg(not(debug_assertions))]
pub mod counted {
    pub(super) fn allocated(_: usize) {}

    pub(super) fn freed(_: usize) {}

    /// Nothing was counted.
    pub fn tell() {}
}

fn is_hopeless(size: usize) -> bool {
    // Twice the limit: vectors reserve up to twice what they hold.
    size as u64 / 2 > LARGEST.load(Ordering::Relaxed)
}

/// Waits until the process is ended, if a thread does that; else null, after which the process aborts.
#[cold]
fn failed() -> *mut u8 {
    if IS_WATCHED.load(Ordering::Acquire) && !watchdog::is_ending() {
        FAILED.store(true, Ordering::Release);
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
    std::ptr::null_mut()
}

/// Watches the size of the process: above `limit` bytes, `cancel` tells engines to stop. `expire` ends the process if that does not
/// help.
pub fn watch(limit: u64, cancel: &'static Cancel, expire: impl FnOnce() + Send + 'static) {
    if IS_WATCHED.swap(true, Ordering::AcqRel) {
        return;
    }
    LARGEST.store(limit, Ordering::Relaxed);
    std::thread::spawn(move || {
        let mut size = ResidentSize::new();
        loop {
            if FAILED.load(Ordering::Acquire) {
                break;
            }
            let held = size.bytes().unwrap_or(0);
            cancel.set_exhausted(held > limit);
            if held > limit.saturating_add((limit / GRACE.0).max(GRACE.1)) {
                break;
            }
            std::thread::sleep(time_between_looks(limit, held));
        }
        watchdog::expire_now(expire);
    });
}

/// Often enough that small limits are not passed by much between two looks.
fn time_between_looks(limit: u64, held: u64) -> Duration {
    let least = Duration::from_micros(limit / 50 / FILLED).clamp(POLL[0], POLL[1]);
    let room = limit.saturating_sub(held);
    Duration::from_micros(room / PART / FILLED).clamp(least, POLL[2])
}

/// Bytes that the process holds at present, where the system reports it.
pub fn resident_bytes() -> Option<u64> {
    ResidentSize::new().bytes()
}

/// Reads the resident size again and again, without allocating.
struct ResidentSize {
    #[cfg(target_os = "linux")]
    file: Option<std::fs::File>,
}

impl ResidentSize {
    #[cfg(target_os = "linux")]
    #[expect(clippy::disallowed_methods, reason = "what the system says of this process is no file of a run")]
    fn new() -> Self {
        ResidentSize { file: std::fs::File::open("/proc/self/statm").ok() }
    }

    /// The second number of `statm`: pages.
    #[cfg(target_os = "linux")]
    fn bytes(&mut self) -> Option<u64> {
        use std::os::unix::fs::FileExt;
        let mut text = [0u8; 128];
        let length = self.file.as_ref()?.read_at(&mut text, 0).ok()?;
        let pages = std::str::from_utf8(&text[..length]).ok()?.split_ascii_whitespace().nth(1)?;
        // SAFETY: asks for a constant of the system.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        pages.parse::<u64>().ok()?.checked_mul(u64::try_from(page).ok()?)
    }

    #[cfg(not(target_os = "linux"))]
    fn new() -> Self {
        ResidentSize {}
    }

    #[cfg(not(target_os = "linux"))]
    fn bytes(&mut self) -> Option<u64> {
        let id = sysinfo::get_current_pid().ok()?;
        let mut system = sysinfo::System::new();
        system.refresh_processes(sysinfo::ProcessesToUpdate::Some(&[id]), false);
        Some(system.process(id)?.memory())
    }
}

#[cfg(test)]
mod tests {
    use super::{FILLED, time_between_looks};
    use std::time::Duration;

    #[test]
    fn the_closer_to_the_limit_the_more_often() {
        let ms = Duration::from_millis;
        let limit = 8 << 30;
        assert_eq!(time_between_looks(limit, 1 << 28), ms(20));
        assert_eq!(time_between_looks(limit, limit), ms(4));
        assert!(time_between_looks(limit, limit - (1 << 28)) < ms(10));
        // What is filled between two looks is a small part of any limit.
        for limit in [50 << 20, 1 << 30, 1 << 40] {
            for held in [0, limit / 2, limit / 4 * 3, limit, limit + 1] {
                let filled = time_between_looks(limit, held).as_micros() as u64 * FILLED;
                assert!(filled <= limit / 32, "{filled} of {limit}");
            }
        }
    }
}
