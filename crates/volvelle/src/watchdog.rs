//! The end of a run whose work does not stop in time.
//!
//! Engines ask between steps whether they are to stop. Some steps take long (one sweep over a hundred million transitions, the
//! release of ten gigabytes), and a limit of five seconds is not meant as seven. The watchdog waits a little longer than the
//! limit. If results are not being printed by then, it says so and ends the process; what was known is lost, which is why
//! engines are asked first.

use crate::output::{EXIT_LIMIT, Output, is_json_wanted};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_verify::json;

/// The time that engines have to stop by themselves.
const GRACE: Duration = Duration::from_millis(800);

/// The work goes on.
const WORKING: u8 = 0;
/// Results are being printed: nothing is to end the process any more.
const PRINTING: u8 = 1;
/// The process is being ended.
const EXPIRED: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(WORKING);
static IS_ARMED: AtomicBool = AtomicBool::new(false);

/// Ends the process a little after a deadline, with this diagnostic, unless results are printed before. Only the first call has an
/// effect.
pub fn arm(deadline: Instant, diagnostic: Diagnostic) {
    if !IS_ARMED.swap(true, Ordering::Relaxed) {
        expire_at(deadline + GRACE, diagnostic);
    }
}

/// Ends the process a little after it was asked to stop.
pub fn arm_after_cancellation(diagnostic: Diagnostic) {
    expire_at(Instant::now() + GRACE, diagnostic);
}

/// Says that results are being printed or written. If the process is being ended already, this does not return.
pub fn results_begin() {
    if STATE.compare_exchange(WORKING, PRINTING, Ordering::AcqRel, Ordering::Acquire) == Err(EXPIRED) {
        loop {
            std::thread::park();
        }
    }
}

fn expire_at(moment: Instant, diagnostic: Diagnostic) {
    std::thread::spawn(move || {
        while let Some(rest) = moment.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero()) {
            std::thread::sleep(rest);
        }
        if STATE.compare_exchange(WORKING, EXPIRED, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            let diagnostic = diagnostic.note("the work did not stop in time: its results so far are lost");
            let (output, sources) = (Output::of_watchdog(), Sources::new());
            if is_json_wanted() {
                output.print(&json::Document::new([&diagnostic], &sources).to_text());
            }
            output.print_diagnostics(&[diagnostic], &sources);
            std::process::exit(i32::from(EXIT_LIMIT));
        }
    });
}
