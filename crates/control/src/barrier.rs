//! A barrier that survives a panic: where a participant panics, the others are released instead of waiting for ever.
//!
//! For meetings that follow each other quickly, such as the multiplications of a numerical method, waiting in the operating
//! system would take longer than the work in between. A participant therefore spins first, then yields, and is parked only when
//! the others take long.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Polls before a participant yields: some microseconds.
const SPINS: u32 = 2000;
/// Polls with a yield after each, before a participant is parked.
const YIELDS: u32 = 500;

/// A barrier for a fixed number of threads.
#[derive(Debug)]
pub struct Barrier {
    participants: usize,
    arrived: AtomicUsize,
    /// How often all participants have met.
    meetings: AtomicU64,
    is_broken: AtomicBool,
    /// Participants that are parked, or are about to be.
    parked: AtomicUsize,
    lock: Mutex<()>,
    released: Condvar,
}

/// Breaks the barrier when it is dropped in a panic.
#[derive(Debug)]
#[must_use = "the barrier breaks only while the guard is held"]
pub struct BarrierGuard<'a>(&'a Barrier);

impl Barrier {
    /// A barrier for `participants` threads.
    pub fn new(participants: usize) -> Self {
        Barrier {
            participants,
            arrived: AtomicUsize::new(0),
            meetings: AtomicU64::new(0),
            is_broken: AtomicBool::new(false),
            parked: AtomicUsize::new(0),
            lock: Mutex::new(()),
            released: Condvar::new(),
        }
    }

    /// Waits for all other participants. Gives `false` if one of them panicked, and will not come.
    #[must_use]
    pub fn wait(&self) -> bool {
        if self.is_broken() {
            return false;
        }
        let meeting = self.meetings.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 >= self.participants {
            self.arrived.store(0, Ordering::Relaxed);
            // Sequentially consistent, as are the accesses of those who park: either they see the new number, or this thread
            // sees that they park.
            self.meetings.store(meeting + 1, Ordering::SeqCst);
            self.release();
            return true;
        }
        for poll in 0..SPINS + YIELDS {
            if self.meetings.load(Ordering::Acquire) != meeting {
                return true;
            }
            if self.is_broken() {
                return false;
            }
            if poll < SPINS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        self.park(meeting)
    }

    /// Whether a participant has panicked.
    pub fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Acquire)
    }

    /// The guard that each participant holds while others may wait for it.
    pub fn guard(&self) -> BarrierGuard<'_> {
        BarrierGuard(self)
    }

    /// Waits in the operating system for the end of a meeting.
    fn park(&self, meeting: u64) -> bool {
        self.parked.fetch_add(1, Ordering::SeqCst);
        let mut lock = self.lock();
        let met = loop {
            if self.meetings.load(Ordering::SeqCst) != meeting {
                break true;
            }
            if self.is_broken.load(Ordering::SeqCst) {
                break false;
            }
            lock = self.released.wait(lock).unwrap_or_else(PoisonError::into_inner);
        };
        drop(lock);
        self.parked.fetch_sub(1, Ordering::SeqCst);
        met
    }

    /// Wakes those who are parked.
    fn release(&self) {
        if self.parked.load(Ordering::SeqCst) > 0 {
            // A thread that is about to wait holds the lock until it waits.
            drop(self.lock());
            self.released.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for BarrierGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_broken.store(true, Ordering::SeqCst);
            self.0.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Duration;

    #[test]
    fn participants_meet_again_and_again() {
        for threads in 1..5 {
            let barrier = Barrier::new(threads);
            let counts: Vec<AtomicU64> = (0..threads).map(|_| AtomicU64::new(0)).collect();
            std::thread::scope(|scope| {
                for own in 0..threads {
                    let (barrier, counts) = (&barrier, &counts);
                    scope.spawn(move || {
                        for round in 1..=300u64 {
                            counts[own].store(round, Ordering::Relaxed);
                            assert!(barrier.wait());
                            assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) >= round));
                            assert!(barrier.wait());
                        }
                    });
                }
            });
        }
    }

    #[test]
    fn participants_that_are_late_are_waited_for() {
        let barrier = Barrier::new(3);
        let late = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for round in 1..=3 {
                        assert!(barrier.wait());
                        assert_eq!(late.load(Ordering::Relaxed), round);
                        assert!(barrier.wait());
                    }
                });
            }
            for round in 1..=3 {
                // Long enough that the others are parked.
                std::thread::sleep(Duration::from_millis(20));
                late.store(round, Ordering::Relaxed);
                assert!(barrier.wait() && barrier.wait());
            }
        });
    }

    #[test]
    fn a_panic_releases_all_others() {
        for delay in [0, 30] {
            let barrier = Barrier::new(3);
            let released: Vec<bool> = std::thread::scope(|scope| {
                let waiting: Vec<_> = (0..2)
                    .map(|_| {
                        scope.spawn(|| {
                            let _guard = barrier.guard();
                            barrier.wait()
                        })
                    })
                    .collect();
                let panics = scope.spawn(|| {
                    catch_unwind(AssertUnwindSafe(|| {
                        let _guard = barrier.guard();
                        std::thread::sleep(Duration::from_millis(delay));
                        panic!("a participant panics, as the test wants it to");
                    }))
                });
                assert!(panics.join().is_ok_and(|outcome| outcome.is_err()));
                waiting.into_iter().map(|thread| thread.join().expect("it returns")).collect()
            });
            assert_eq!(released, [false, false]);
            assert!(barrier.is_broken() && !barrier.wait());
        }
    }
}
