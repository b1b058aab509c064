//! Numbered tasks that threads compute, and perhaps other processes as well.
//!
//! Work that can be shared is written as a worker: a loop that takes the next task of a [`TaskQueue`] and delivers its result, as bytes.
//! [`compute_all`] runs workers on all threads of this process and, where [`Control::sharing`] has other processes, on theirs; all processes
//! get all results, so that they go on alike. The processes make the same calls in the same order.

use crate::handle::Control;
pub use crate::handle::{TaskQueue, TaskSharing};
use crate::stop::Stop;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A message between processes.
pub fn encoded<T: Serialize>(value: &T) -> Option<Vec<u8>> {
    postcard::to_allocvec(value).ok()
}

/// What a message says.
pub fn decoded<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

/// Tasks with the numbers below a count.
pub struct Tasks<'a, T> {
    /// How many there are.
    pub count: usize,
    /// Is told of each result on the process that leads; where it holds, no further tasks are begun.
    pub ends: Option<&'a (dyn Fn(&T) -> bool + Sync)>,
    /// Whether tasks that have begun are completed whatever limit is reached.
    pub completes: bool,
}

/// Has tasks computed, and gives their results in their order. A task without a result was not begun, or was ended by a limit.
///
/// # Errors
/// The process that leads is gone.
pub fn compute_all<T: Serialize + DeserializeOwned>(
    &Tasks { count, ends, completes }: &Tasks<'_, T>,
    control: &Control<'_>,
    worker: &(dyn Fn(&dyn TaskQueue) + Sync),
) -> Result<Vec<Option<T>>, Stop> {
    let numbered = Numbered {
        count: count as u64,
        next: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
        ends: &|bytes| ends.is_some_and(|ends| decoded(bytes).is_some_and(|result| ends(&result))),
        completes,
        results: Mutex::new((0..count).map(|_| None).collect()),
    };
    let threads = control.threads.min(count).max(1);
    let results = || {
        let mut results = numbered.results.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *results)
    };
    let results: Vec<Option<Vec<u8>>> = match control.sharing {
        None => {
            on_threads(threads, &|| worker(&numbered));
            results()
        }
        Some(sharing) => {
            sharing.share(&numbered, threads, control, worker);
            let own = encoded(&results()).unwrap_or_default();
            sharing.announce(own).and_then(|bytes| decoded(&bytes)).ok_or(Stop::Cancelled)?
        }
    };
    Ok(results.into_iter().map(|result| decoded(&result?)).collect())
}

/// Runs a worker on some threads, one of which is this one.
pub fn on_threads(threads: usize, worker: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
}

/// The queue of numbered tasks.
struct Numbered<'a> {
    count: u64,
    next: AtomicU64,
    is_over: AtomicBool,
    ends: &'a (dyn Fn(&[u8]) -> bool + Sync),
    completes: bool,
    results: Mutex<Vec<Option<Vec<u8>>>>,
}

impl TaskQueue for Numbered<'_> {
    fn next(&self) -> Option<u64> {
        if self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        Some(self.next.fetch_add(1, Ordering::Relaxed)).filter(|&task| task < self.count)
    }

    fn deliver(&self, task: u64, result: Option<Vec<u8>>) {
        if result.as_ref().is_some_and(|result| (self.ends)(result)) {
            self.is_over.store(true, Ordering::Relaxed);
        }
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = results.get_mut(task as usize) {
            *place = result;
        }
    }

    fn completes(&self) -> bool {
        self.completes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(control: &Control<'_>, ends: Option<&(dyn Fn(&u64) -> bool + Sync)>) -> Vec<Option<u64>> {
        let worker = |queue: &dyn TaskQueue| {
            while let Some(task) = queue.next() {
                queue.deliver(task, encoded(&(task * task)));
            }
        };
        compute_all(&Tasks { count: 100, ends, completes: false }, control, &worker)
            .expect("there is one process")
    }

    #[test]
    fn results_are_in_the_order_of_the_tasks() {
        for threads in [1, 3] {
            let control = Control { threads, ..Control::unlimited() };
            let wanted: Vec<Option<u64>> = (0..100).map(|n| Some(n * n)).collect();
            assert_eq!(squares(&control, None), wanted);
        }
    }

    #[test]
    fn a_result_may_end_the_work() {
        let found = squares(&Control::unlimited(), Some(&|&square| square == 49));
        assert_eq!(found.iter().flatten().count(), 8);
    }
}
