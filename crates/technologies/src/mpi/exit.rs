//! Processes that end without closing the network, for example by `std::process::exit` in the middle of a
//! program.
//!
//! Others may wait for such a rank, and MPICH's launcher may take its exit code of success for that of the
//! run.

use std::ffi::c_int;
use std::sync::{Arc, OnceLock};
use volvelle_runtime::Network;

/// The network that is open, or was: there is one in a process.
static OPENED: OnceLock<Arc<dyn Network>> = OnceLock::new();

unsafe extern "C" {
    /// From the C library (ISO C, section 7.22.4.2): registers a function that is called when the process
    /// ends normally.
    fn atexit(callback: extern "C" fn()) -> c_int;
}

extern "C" fn end() {
    // A closed network needs nothing.
    if let Some(network) = OPENED.get().filter(|network| network.size() > 1) {
        network.abort("its process ends without closing the network");
    }
}

/// Ends the run on all ranks if this process ends before the network is closed.
pub(super) fn guard(network: &Arc<dyn Network>) {
    if OPENED.set(network.clone()).is_ok() {
        // SAFETY: the function is part of the program and does not unwind. It runs before functions that the
        // library registered, since those were registered earlier.
        let _ = unsafe { atexit(end) };
    }
}
