//! Threads that wait for work, since starting threads for each launch would take longer than many launches.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Threads that help callers of [`Pool::run`].
pub(super) struct Pool {
    shared: Arc<Shared>,
    /// The threads, started when they are needed for the first time.
    threads: Mutex<Vec<JoinHandle<()>>>,
    most: usize,
}

struct Shared {
    state: Mutex<State>,
    /// There is a job, or it is time to leave.
    job: Condvar,
    /// No thread works on the job any more.
    idle: Condvar,
}

struct State {
    job: Option<Job>,
    /// Whether a call of [`Pool::run`] has the threads for itself.
    taken: bool,
    /// Helpers that the job still wants.
    wanted: usize,
    /// Helpers that work on it.
    working: usize,
    leave: bool,
}

/// The job as helpers call it.
#[derive(Clone, Copy)]
struct Job(*const (dyn Fn() + Sync));

// SAFETY: what it points to may be called by several threads (`Sync`), and is there for as long as they do (`Pool::run`).
unsafe impl Send for Job {}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The body of each thread.
    fn help(&self) {
        let mut state = self.lock();
        loop {
            if state.leave {
                return;
            }
            let Some(Job(job)) = state.job.filter(|_| state.wanted > 0) else {
                state = self.job.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.wanted -= 1;
            state.working += 1;
            drop(state);
            // SAFETY: while a thread counts as working, `Pool::run` does not return, so what it borrowed
            // stays valid. This thread was counted under the same lock under which it found the job.
            let job = unsafe { &*job };
            // Jobs catch and forward their own panics; another panic must not end this thread.
            let _ = catch_unwind(AssertUnwindSafe(job));
            state = self.lock();
            state.working -= 1;
            if state.working == 0 {
                self.idle.notify_all();
            }
        }
    }
}

/// When dropped, at any end of [`Pool::run`], waits until no thread works on its job.
struct Wait<'a>(&'a Shared);

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        // Threads that have not begun the job need not begin it.
        state.wanted = 0;
        while state.working > 0 {
            state = self.0.idle.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.job = None;
        state.taken = false;
    }
}

impl Pool {
    /// Creates a pool of at most `most` threads.
    pub(super) fn new(most: usize) -> Self {
        let state = State { job: None, taken: false, wanted: 0, working: 0, leave: false };
        let shared = Shared { state: Mutex::new(state), job: Condvar::new(), idle: Condvar::new() };
        Pool { shared: Arc::new(shared), threads: Mutex::default(), most }
    }

    /// Calls a job on this thread and at the same time on at most `helpers` others. It may be fewer: if the
    /// pool has fewer, or if the call on this thread ends before they begin. Returns when all calls have
    /// ended.
    pub(super) fn run(&self, helpers: usize, job: &(dyn Fn() + Sync)) {
        let helpers = helpers.min(self.most);
        if helpers == 0 {
            return job();
        }
        self.start(helpers);
        let mut state = self.shared.lock();
        if state.taken {
            // Another call has the threads: as many threads work as the pool allows.
            drop(state);
            return job();
        }
        // SAFETY: only the lifetime is left out. Helpers call it while they count as working, or are wanted; `Wait` waits
        // until no thread is either, before `job` ends.
        let lent = unsafe { std::mem::transmute::<*const (dyn Fn() + Sync), *const (dyn Fn() + Sync)>(job) };
        (state.job, state.taken, state.wanted) = (Some(Job(lent)), true, helpers);
        drop(state);
        let wait = Wait(&self.shared);
        match helpers {
            1 => self.shared.job.notify_one(),
            _ => self.shared.job.notify_all(),
        }
        job();
        drop(wait);
    }

    /// Starts threads, up to `count`; fewer if the system refuses.
    fn start(&self, count: usize) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        while threads.len() < count {
            let shared = self.shared.clone();
            match std::thread::Builder::new().name("volvelle lanes".to_owned()).spawn(move || shared.help()) {
                Ok(thread) => threads.push(thread),
                Err(_) => return,
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().leave = true;
        self.shared.job.notify_all();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // It catches panics.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn jobs_are_called_by_helpers_and_are_over_when_run_returns() {
        let pool = Pool::new(3);
        for round in 0..500 {
            let helpers = round % 5;
            let (begun, over) = (AtomicUsize::new(0), AtomicUsize::new(0));
            pool.run(helpers, &|| {
                begun.fetch_add(1, Ordering::SeqCst);
                over.fetch_add(1, Ordering::SeqCst);
            });
            let count = begun.into_inner();
            assert!((1..=1 + helpers.min(3)).contains(&count), "{count} of {helpers}");
            assert_eq!(over.into_inner(), count);
        }
    }

    #[test]
    fn helpers_work_at_the_same_time() {
        let pool = Pool::new(2);
        for _ in 0..20 {
            // No thread gets past it alone.
            let barrier = Barrier::new(3);
            pool.run(2, &|| {
                barrier.wait();
            });
        }
    }

    #[test]
    fn many_callers_share_the_threads() {
        let pool = Pool::new(2);
        let calls = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let own = AtomicUsize::new(0);
                        pool.run(2, &|| {
                            own.fetch_add(1, Ordering::SeqCst);
                        });
                        assert!((1..=3).contains(&own.into_inner()));
                        calls.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(calls.into_inner(), 800);
        // Calls within calls do not wait for each other.
        let inner = AtomicUsize::new(0);
        pool.run(2, &|| {
            pool.run(2, &|| {
                inner.fetch_add(1, Ordering::SeqCst);
            });
        });
        assert!(inner.into_inner() >= 1);
    }

    #[test]
    fn panics_do_no_harm() {
        let pool = Pool::new(1);
        let caller = std::thread::current().id();
        for _ in 0..5 {
            let barrier = Barrier::new(2);
            pool.run(1, &|| {
                barrier.wait();
                assert_eq!(std::thread::current().id(), caller, "a helper panics");
            });
            let panic = catch_unwind(AssertUnwindSafe(|| pool.run(1, &|| panic!("all panic"))));
            assert!(panic.is_err(), "the caller hears of its own");
        }
    }
}
