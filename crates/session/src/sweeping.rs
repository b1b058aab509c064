//! Which device makes the sweeps of numerical analyses, and what is said where one fails.

use crate::devices::complaint;
use std::sync::Arc;
use std::time::Instant;
use volvelle_diagnostics::Diagnostic;
use volvelle_markov::Sweeps;
use volvelle_runtime::{Devices, Technology};
use volvelle_technologies::Interpreter;

/// The first device, if there is one: for all sweeps where the user requested it without threads, else for those in which
/// measurements show it to be faster.
pub fn sweeps(devices: &Devices) -> Option<Sweeps> {
    let begin = Instant::now();
    let clock = Arc::new(move || begin.elapsed());
    if devices.are_interpreted() {
        return Some(Sweeps::asked(Interpreter.open(0).ok()?, clock));
    }
    let member = Arc::clone(devices.members().first()?);
    if member.is_requested && devices.are_without_threads() {
        return Some(Sweeps::asked(Arc::clone(member.executor().ok()?), clock));
    }
    Some(Sweeps::where_they_pay(move || member.executor().cloned(), clock))
}

/// Diagnostics about failures since the last call. Failures of a device that the user did not request are not reported.
pub fn troubles(sweeps: Option<&Sweeps>, devices: &Devices) -> Vec<Diagnostic> {
    let Some(sweeps) = sweeps else { return Vec::new() };
    let is_named = devices.are_interpreted() || devices.members().iter().any(|member| member.is_requested);
    let troubles = sweeps.take_failures();
    let told = troubles.iter().filter(|_| is_named);
    told.map(|error| complaint(sweeps.name(), "stopped sweeping", "threads took over", error)).collect()
}
