//! Sweeps on a device: multiplications of vectors by sparse matrices, many in a row.
//!
//! A device of the runtime does what threads do, row by row and in the same order, so that the vectors have the same bits
//! independent of their origin. [`Sweeps`] is the device, whether it was requested, how it failed, and its kernels, which are built
//! once. `solve::jacobi` and `longrun::average_reward` use it for value iteration, and so does `volvelle-transient` (`step_bounded`), which
//! also sums power series over chains with it (`transient::vectors`).

pub mod reduction;
pub mod regions;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use volvelle_kernel::text;
pub use volvelle_runtime::Clock;
use volvelle_runtime::{Deferred, Error, Executable, Executor, Function, Place};

/// Entries of a matrix below which no device is tried unless requested: threads are done before it has begun.
const SMALL: usize = 100_000;

/// A device for sweeps, opened when it is first needed. Threads may share it.
pub struct Sweeps {
    device: Deferred,
    asked: bool,
    clock: Arc<Clock>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    built: BTreeMap<String, Arc<dyn Executable>>,
    failures: Vec<Error>,
    /// Whether it has failed; then it is not used again.
    failed: bool,
}

impl Sweeps {
    /// The requested device: it gets all sweeps that it can do. `clock` measures their speed.
    pub fn asked(executor: Arc<dyn Executor>, clock: Arc<Clock>) -> Self {
        Self::new(executor.into(), true, clock)
    }

    /// A device that is opened and used where it is measured to be faster than threads.
    pub fn where_they_pay(
        open: impl Fn() -> Result<Arc<dyn Executor>, Error> + Send + Sync + 'static,
        clock: Arc<Clock>,
    ) -> Self {
        Self::new(Deferred::new(open), false, clock)
    }

    fn new(device: Deferred, asked: bool, clock: Arc<Clock>) -> Self {
        Sweeps { device, asked, clock, state: Mutex::default() }
    }

    /// The device.
    pub fn executor(&self) -> Result<&Arc<dyn Executor>, Error> {
        self.device.executor()
    }

    /// The name of the device for users, once it is open.
    pub fn name(&self) -> &str {
        self.executor().map_or("the device", |executor| executor.name())
    }

    /// Whether it was requested.
    pub fn is_asked(&self) -> bool {
        self.asked
    }

    /// Takes the failures since the last call. The work that failed was done on threads instead.
    pub fn take_failures(&self) -> Vec<Error> {
        std::mem::take(&mut self.lock().failures)
    }

    /// Whether it has failed, and is not used any more.
    pub fn has_failed(&self) -> bool {
        self.lock().failed
    }

    /// The time, by the clock of the device.
    pub(crate) fn now(&self) -> Duration {
        (self.clock)()
    }

    /// Keeps a failure. The device is not used again.
    pub(crate) fn give_up(&self, error: Error) {
        let mut state = self.lock();
        state.failed = true;
        state.failures.push(error);
    }

    /// Whether lanes read memory of their own each, as processors do, rather than one row of it together.
    pub(crate) fn lanes_are_apart(&self) -> bool {
        self.executor().is_ok_and(|executor| executor.offer().device.place == Place::Host)
    }

    /// Whether a device that was not requested may be faster, for a matrix with that many entries.
    pub(crate) fn may_pay(&self, entries: usize) -> bool {
        !self.asked && entries >= SMALL && !self.has_failed()
    }

    /// The kernel of a text, built; once for each text.
    ///
    /// # Errors
    /// The device cannot run it.
    pub fn executable(&self, text: &str) -> Result<Arc<dyn Executable>, Error> {
        if let Some(built) = self.lock().built.get(text) {
            return Ok(Arc::clone(built));
        }
        let executor = self.executor()?;
        if !executor.offer().has_f64 {
            return Err(Error::Refused("it has no double precision".to_owned()));
        }
        let kernel = text::parse(text).unwrap_or_default().into_iter().next();
        let kernel = kernel.expect("the texts of this crate are kernels");
        let built = executor.build(&Function::of(kernel))?;
        self.lock().built.insert(text.to_owned(), Arc::clone(&built));
        Ok(built)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change is complete in itself.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
