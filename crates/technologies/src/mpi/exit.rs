//! Processes that end without closing the network, as by `std::process::exit` in the middle of a program.
//!
//! Others may wait for such a rank; and MPICH's launcher may take its end, with a code of success, for that of the run.

use std::ffi::c_int;
use std::sync::{Arc, OnceLock};
use volvelle_runtime::Network;

/// The network that is open, or was: there is one in a process.
static OPENED: OnceLock<Arc<dyn Network>> = OnceLock::new();

unsafe extern "C" {
    /// Of the C library (ISO C, section 7.22.4.2): a function to be called when the process ends normally.
    fn atexit(callback: extern "C" fn()) -> c_int;
}

extern "C" fn end() {
    // One that is closed has nothing to end.
    if let Some(network) = OPENED.get().filter(|network| network.size() > 1) {
        network.abort("its process ends without closing the network");
    }
}

/// Ends the run on all ranks if this process ends before the network is closed.
pub(super) fn guard(network: &Arc<dyn Network>) {
    if OPENED.set(network.clone()).is_ok() {
        // SAFETY: the function lives as long as the program, which contains it, and does not unwind. It is called before those that the
        // library has registered, since that was before.
        let _ = unsafe { atexit(end) };
    }
}
