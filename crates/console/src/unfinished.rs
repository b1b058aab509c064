//! A run that ends before its work does: its finished results are shown by another thread.
//!
//! A command says here how its results so far are shown, with [`on_end`]. The thread of the watchdog calls that when the work does
//! not stop in time; the thread of the command never gets to print then.

use crate::output::Output;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use volvelle_control::Stop;
use volvelle_session::limits::Allowance;

/// Why and under which limits a run ends.
#[derive(Clone, Copy)]
pub struct End {
    /// The reason.
    pub stop: Stop,
    /// The limits that the user set.
    pub allowance: Allowance,
}

/// Shows results and returns the exit code; `None` if nothing is known.
type Show = Box<dyn FnOnce(&End, &Output) -> Option<u8> + Send>;

static SHOW: Mutex<Option<Show>> = Mutex::new(None);

/// Says how the results of the work that begins now are shown if it does not stop in time.
pub fn on_end(show: impl FnOnce(&End, &Output) -> Option<u8> + Send + 'static) {
    *SHOW.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(show));
}

/// Shows the results so far, and returns the exit code; `None` if there are none.
pub fn show(end: &End, output: &Output) -> Option<u8> {
    let show = SHOW.lock().unwrap_or_else(PoisonError::into_inner).take()?;
    // Whatever goes wrong, the process has to end: the command waits for ever.
    catch_unwind(AssertUnwindSafe(|| show(end, output))).ok().flatten()
}
