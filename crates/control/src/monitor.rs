//! A monitor: data under a lock, on which threads wait for a condition. It survives a panic: where a thread panics, the
//! others are released instead of waiting for ever.
//!
//! C. A. R. Hoare, *Monitors: an operating system structuring concept*, CACM 17(10), 1974, doi:10.1145/355620.361161.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Data that threads share, and wait for changes of.
#[derive(Debug, Default)]
pub struct Monitor<T> {
    data: Mutex<T>,
    changed: Condvar,
    is_broken: AtomicBool,
}

/// Breaks the monitor when it is dropped in a panic.
#[derive(Debug)]
#[must_use = "the monitor breaks only while the guard is held"]
pub struct MonitorGuard<'a, T>(&'a Monitor<T>);

impl<T> Monitor<T> {
    /// A monitor of `data`.
    pub fn new(data: T) -> Self {
        Monitor { data: Mutex::new(data), changed: Condvar::new(), is_broken: AtomicBool::new(false) }
    }

    /// The data, for one thread at a time. Those who change what others wait for call [`Monitor::notify`] afterwards.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `holds`. `None` if another thread panicked: it may never hold.
    pub fn wait_until(&self, holds: impl Fn(&T) -> bool) -> Option<MutexGuard<'_, T>> {
        let mut data = self.lock();
        loop {
            if self.is_broken() {
                return None;
            }
            if holds(&data) {
                return Some(data);
            }
            data = self.changed.wait(data).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes all who wait. Called without the lock.
    pub fn notify(&self) {
        self.changed.notify_all();
    }

    /// Whether a thread panicked while it held a guard.
    pub fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Acquire)
    }

    /// The guard that each thread holds while others may wait for it. It outlives every lock that the thread takes.
    pub fn guard(&self) -> MonitorGuard<'_, T> {
        MonitorGuard(self)
    }

    /// The data, when all threads are done.
    pub fn into_inner(self) -> T {
        self.data.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Drop for MonitorGuard<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_broken.store(true, Ordering::Release);
            // A thread that has just found the monitor unbroken holds the lock until it waits: taking the lock here makes
            // sure that it is notified.
            drop(self.0.lock());
            self.0.notify();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_taken_in_order() {
        let monitor = Monitor::new(Vec::new());
        std::thread::scope(|scope| {
            for own in (0..4usize).rev() {
                let monitor = &monitor;
                scope.spawn(move || {
                    for round in 0..50 {
                        let turn = 4 * round + own;
                        let mut taken =
                            monitor.wait_until(|taken| taken.len() == turn).expect("nobody panics");
                        taken.push(turn);
                        drop(taken);
                        monitor.notify();
                    }
                });
            }
        });
        assert_eq!(monitor.into_inner(), (0..200).collect::<Vec<_>>());
    }

    #[test]
    fn a_panic_releases_all_others() {
        let monitor = Monitor::new(());
        std::thread::scope(|scope| {
            let waiting: Vec<_> = (0..2)
                .map(|_| {
                    scope.spawn(|| {
                        let _guard = monitor.guard();
                        monitor.wait_until(|()| false).is_none()
                    })
                })
                .collect();
            let panics = scope.spawn(|| {
                let _guard = monitor.guard();
                let _lock = monitor.lock();
                panic!("a thread panics, as the test wants it to");
            });
            assert!(panics.join().is_err());
            assert!(waiting.into_iter().all(|thread| thread.join().expect("it returns")));
        });
        assert!(monitor.is_broken());
    }
}
