//! Devices for tests of sweeps.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use volvelle_control::{Fact, FactValue};
use volvelle_runtime::{Clock, Executor, Technology};
use volvelle_technologies::testing::first_device;
use volvelle_technologies::{Cache, Interpreter, OpenCl, Threads};

/// The device that made the sweeps, by the facts of an answer, and why; at most one.
pub fn who(facts: &[Fact]) -> Option<(&str, &str)> {
    let fact = facts.iter().rfind(|fact| fact.what == "sweeps")?;
    match &fact.value {
        FactValue::Text(name) => Some((name, &fact.why)),
        _ => None,
    }
}

/// A clock that stands still.
pub fn still() -> Arc<Clock> {
    Arc::new(|| Duration::ZERO)
}

/// The interpreter of kernels.
pub fn interpreter() -> Arc<dyn Executor> {
    Interpreter.open(0).unwrap()
}

/// Two threads.
pub fn threads() -> Arc<dyn Executor> {
    Threads::new(NonZeroUsize::new(2).unwrap()).open(0).unwrap()
}

/// A clock that shows given times one after the other, and then always the last.
pub fn clock(moments_ms: &[u64]) -> Arc<Clock> {
    let moments = moments_ms.to_vec();
    let next = AtomicUsize::new(0);
    Arc::new(move || {
        let at = next.fetch_add(1, Ordering::Relaxed).min(moments.len() - 1);
        Duration::from_millis(moments[at])
    })
}

/// All of them; the first of OpenCL where there is one.
pub fn devices() -> impl Iterator<Item = Arc<dyn Executor>> {
    [interpreter(), threads()].into_iter().chain(first_device(&OpenCl::new(Cache::none())))
}
