//! The end of a run whose work does not stop in time.
//!
//! Engines ask between steps whether they are to stop. Some steps take long (one sweep over a hundred million transitions, the
//! release of ten gigabytes), and a limit of five seconds is not meant as seven. The watchdog waits a little longer than the
//! limit. If results are not being printed by then, it ends the process, and the results that are finished are shown
//! ([`crate::unfinished`]).

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// The time that engines have to stop by themselves. Builds without optimisation need more of it.
const GRACE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 5000 } else { 800 });

/// The longest time that they get on a machine that is busy with something else.
const PATIENCE: Duration = Duration::from_secs(20);

/// Time between two looks at the clock.
const POLL: Duration = Duration::from_millis(20);

/// The work goes on.
const WORKING: u8 = 0;
/// Results are being printed: nothing is to end the process any more.
const PRINTING: u8 = 1;
/// The process is being ended.
const EXPIRED: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(WORKING);
static IS_ARMED: AtomicBool = AtomicBool::new(false);

/// The time that processors have spent on this process, where the system reports it.
pub type ProcessorTime = fn() -> Option<Duration>;

/// Calls `expire`, which ends the process, a little after a deadline, unless results are printed before. Only the first call has
/// an effect.
pub fn arm(deadline: Instant, processor_time: ProcessorTime, expire: impl FnOnce() + Send + 'static) {
    if !IS_ARMED.swap(true, Ordering::Relaxed) {
        expire_after(deadline, processor_time, || true, expire);
    }
}

/// Calls `expire` a little after the process was asked to stop, if it still is by then (`is_asked`).
pub fn arm_after_cancellation(
    processor_time: ProcessorTime,
    is_asked: impl Fn() -> bool + Send + 'static,
    expire: impl FnOnce() + Send + 'static,
) {
    expire_after(Instant::now(), processor_time, is_asked, expire);
}

/// Some results were printed while the work went on.
static HAS_TOLD: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread ends the process: it may print and write when no other may.
    static ENDS: Cell<bool> = const { Cell::new(false) };
}

/// Says that results are being printed or written. If the process is being ended already, this does not return.
pub fn results_begin() {
    if !ENDS.get()
        && STATE.compare_exchange(WORKING, PRINTING, Ordering::AcqRel, Ordering::Acquire) == Err(EXPIRED)
    {
        loop {
            std::thread::park();
        }
    }
}

/// Says that the work goes on although results were printed: it may be ended again.
pub fn work_goes_on() {
    HAS_TOLD.store(true, Ordering::Release);
    let _ = STATE.compare_exchange(PRINTING, WORKING, Ordering::AcqRel, Ordering::Acquire);
}

/// Whether results were printed while the work went on.
pub fn has_told() -> bool {
    HAS_TOLD.load(Ordering::Acquire)
}

/// Whether the process is being ended.
pub fn is_ending() -> bool {
    STATE.load(Ordering::Acquire) == EXPIRED
}

/// Calls `expire`, which ends the process; while results are being printed it waits, perhaps until the process has ended by itself.
pub fn expire_now(expire: impl FnOnce()) {
    while STATE.compare_exchange(WORKING, EXPIRED, Ordering::AcqRel, Ordering::Acquire).is_err() {
        if is_ending() {
            return;
        }
        std::thread::sleep(POLL);
    }
    ENDS.set(true);
    expire();
}

fn expire_after(
    deadline: Instant,
    processor_time: ProcessorTime,
    is_wanted: impl Fn() -> bool + Send + 'static,
    expire: impl FnOnce() + Send + 'static,
) {
    std::thread::spawn(move || {
        while let Some(rest) = deadline.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero())
        {
            std::thread::sleep(rest);
        }
        // On a busy machine engines get less than all of the time: what counts is what they were given. Work that waits for something, and
        // not for a processor, gets next to nothing, and will not stop.
        let before = processor_time();
        let given = || processor_time().zip(before).map(|(now, before)| now.saturating_sub(before));
        let is_slow = || given().is_some_and(|given| (GRACE / 40..GRACE).contains(&given));
        while deadline.elapsed() < GRACE || is_slow() && deadline.elapsed() < PATIENCE {
            std::thread::sleep(POLL);
        }
        if is_wanted() {
            expire_now(expire);
        }
    });
}
