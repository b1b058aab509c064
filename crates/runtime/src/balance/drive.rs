//! Runs work on threads, one for each worker: chunks come from a [`Balance`], results are delivered in the
//! order of the work.

use super::{Balance, Chunks, Progress};
use crate::error::Error;
use crate::launch::Clock;
use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, PoisonError};

/// Parameters of [`drive`].
pub struct Drive<'a> {
    /// How chunks are cut.
    pub chunks: Chunks,
    /// Measures the speeds.
    pub clock: &'a Clock,
    /// Called before each chunk: whether to stop.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// The outcome of [`drive`].
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The work of each worker, in their order.
    pub shares: Vec<Share>,
    /// Failed workers, in the order of their failures.
    pub failures: Vec<Failure>,
    /// Whether it was cancelled before all was done.
    pub cancelled: bool,
}

/// The work of one worker.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Work that it finished.
    pub work: u64,
    /// Chunks that it finished.
    pub chunks: u64,
    /// Seconds that these took.
    pub seconds: f64,
}

/// A worker that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its number.
    pub worker: usize,
    /// Its chunk, which other workers repeated; `None` if it failed while preparing.
    pub chunk: Option<Range<u64>>,
    /// Why.
    pub error: Error,
}

/// All workers failed before all was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Stranded {
    /// The amount of unfinished work.
    pub left: u64,
    /// The work done so far.
    pub report: Report,
}

impl std::fmt::Display for Stranded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.report.failures.last() {
            Some(last) => write!(f, "no working device is left; the last error: {}", last.error),
            None => f.write_str("there is no device to work on"),
        }
    }
}

impl std::error::Error for Stranded {}

/// The state that the threads share.
struct State<'c, R> {
    balance: Balance,
    report: Report,
    /// Results that wait for earlier ones.
    waiting: BTreeMap<u64, (Range<u64>, R)>,
    /// The first number whose result was not delivered yet.
    next: u64,
    collect: &'c mut (dyn FnMut(Range<u64>, R) + Send),
}

impl<R> State<'_, R> {
    fn deliver(&mut self, chunk: Range<u64>, result: R) {
        self.waiting.insert(chunk.start, (chunk, result));
        while let Some((chunk, result)) = self.waiting.remove(&self.next) {
            self.next = chunk.end;
            (self.collect)(chunk, result);
        }
    }
}

/// Runs work on all workers, each on its own thread.
///
/// On the worker's thread, `prepare` makes what its chunks need, and `run` processes a chunk. `collect` gets
/// the results in the order of the work. A worker that fails (or panics) gets no more work, and others repeat
/// its chunk. The bounds of chunks depend on measured times: the collected results must not depend on them.
///
/// # Errors
/// All workers failed before the end of the work. The collected results are its beginning.
pub fn drive<W: Sync, S, R: Send>(
    work: Range<u64>,
    workers: &[W],
    how: &Drive<'_>,
    prepare: impl Fn(&W) -> Result<S, Error> + Sync,
    run: impl Fn(&W, &mut S, Range<u64>) -> Result<R, Error> + Sync,
    mut collect: impl FnMut(Range<u64>, R) + Send,
) -> Result<Report, Stranded> {
    let state = Mutex::new(State {
        next: work.start,
        balance: Balance::new(work, workers.len(), how.chunks),
        report: Report {
            shares: vec![Share::default(); workers.len()],
            failures: Vec::new(),
            cancelled: false,
        },
        waiting: BTreeMap::new(),
        collect: &mut collect,
    });
    let changed = Condvar::new();
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let fail = |number: usize, error: Error| {
        let mut state = lock();
        let chunk = state.balance.workers[number].has.clone();
        state.balance.fail(number);
        state.report.failures.push(Failure { worker: number, chunk, error });
        changed.notify_all();
    };
    // Waits for a chunk; `None` if no more will come.
    let next = |number: usize| {
        let mut state = lock();
        loop {
            if state.report.cancelled || state.balance.progress() != Progress::Working {
                return None;
            }
            if (how.cancelled)() {
                state.report.cancelled = true;
                changed.notify_all();
                return None;
            }
            if let Some(chunk) = state.balance.take(number) {
                return Some(chunk);
            }
            state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    };
    let worker = |number: usize, worker: &W| {
        let mut prepared = match caught(|| prepare(worker)) {
            Ok(prepared) => prepared,
            Err(error) => return fail(number, error),
        };
        while let Some(chunk) = next(number) {
            let before = (how.clock)();
            let result = match caught(|| run(worker, &mut prepared, chunk)) {
                Ok(result) => result,
                Err(error) => return fail(number, error),
            };
            let seconds = (how.clock)().saturating_sub(before).as_secs_f64();
            let mut state = lock();
            let chunk = state.balance.finish(number, seconds);
            let share = &mut state.report.shares[number];
            share.work += chunk.end - chunk.start;
            share.chunks += 1;
            share.seconds += seconds;
            // Notified before `collect`, which may panic: otherwise the other threads could wait forever.
            changed.notify_all();
            state.deliver(chunk, result);
        }
    };
    std::thread::scope(|scope| {
        for (number, it) in workers.iter().enumerate().skip(1) {
            let spawned = std::thread::Builder::new().spawn_scoped(scope, move || worker(number, it));
            if let Err(error) = spawned {
                fail(number, Error::Launch(format!("there is no thread for it: {error}")));
            }
        }
        // The first works on the thread that called.
        if let Some(first) = workers.first() {
            worker(0, first);
        }
    });
    let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.balance.progress() {
        Progress::Stranded(left) if !state.report.cancelled => Err(Stranded { left, report: state.report }),
        _ => Ok(state.report),
    }
}

/// A panic as an error.
pub(crate) fn caught<T>(f: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| Err(Error::Launch(panicked(&*panic))))
}

fn panicked(panic: &(dyn Any + Send)) -> String {
    let text = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text.as_str(),
        _ => "no message",
    };
    format!("it panicked: {text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::time::Duration;
    use volvelle_random::Random;

    /// A clock that advances by a second with every look.
    fn clock() -> impl Fn() -> Duration + Send + Sync {
        let ticks = AtomicU64::new(0);
        move || Duration::from_secs(ticks.fetch_add(1, Ordering::Relaxed))
    }

    fn error(why: &str) -> Error {
        Error::Launch(why.to_owned())
    }

    /// A worker that fails in its chunk of this number, the first being one; zero for preparing.
    type FailsAt = Option<usize>;

    /// Squares of all numbers, as far as they were computed, in the order of delivery.
    fn squares(
        work: Range<u64>,
        workers: &[FailsAt],
        chunks: Chunks,
    ) -> (Vec<u64>, Result<Report, Stranded>) {
        let mut found = Vec::new();
        let clock = clock();
        let how = Drive { chunks, clock: &clock, cancelled: &|| false };
        let result = drive(
            work,
            workers,
            &how,
            |fails| if *fails == Some(0) { Err(error("nothing works")) } else { Ok(0) },
            |fails, done, chunk| {
                *done += 1;
                match *fails {
                    Some(at) if at == *done && at % 2 == 0 => panic!("chunk {at}"),
                    Some(at) if at == *done => Err(error("a chunk")),
                    _ => Ok(chunk.map(|n| n * n).collect::<Vec<u64>>()),
                }
            },
            |chunk, squares| {
                assert_eq!(chunk.end - chunk.start, squares.len() as u64);
                found.extend(squares);
            },
        );
        (found, result)
    }

    #[test]
    fn results_come_in_order_and_do_not_depend_on_workers_or_failures() {
        for seed in 0..300 {
            let mut random = Random(seed);
            let count = 1 + random.below(5);
            let workers: Vec<FailsAt> =
                (0..count).map(|_| random.one_in(2).then(|| random.below(4))).collect();
            let chunks = Chunks {
                grain: 1 + random.below(5) as u64,
                largest: [u64::MAX, 10][random.below(2)],
                ..Chunks::default()
            };
            let expected: Vec<u64> = (10..200).map(|n| n * n).collect();
            let (found, result) = squares(10..200, &workers, chunks);
            match result {
                Ok(report) => {
                    assert_eq!(found, expected, "seed {seed}");
                    assert!(!report.cancelled);
                    assert_eq!(report.shares.iter().map(|share| share.work).sum::<u64>(), 190);
                    for failure in &report.failures {
                        assert!(workers[failure.worker].is_some(), "seed {seed}");
                        assert_eq!(
                            failure.chunk.is_none(),
                            workers[failure.worker] == Some(0),
                            "seed {seed}"
                        );
                    }
                }
                Err(stranded) => {
                    assert!(workers.iter().all(Option::is_some), "seed {seed}: a worker was left");
                    assert_eq!(stranded.report.failures.len(), workers.len());
                    assert!(expected.starts_with(&found) && stranded.left > 0, "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn panics_are_failures() {
        let (found, result) =
            squares(0..50, &[Some(2)], Chunks { grain: 10, largest: 10, ..Chunks::default() });
        let stranded = result.unwrap_err();
        assert_eq!((found.len(), stranded.left), (10, 40));
        assert_eq!(stranded.report.failures[0].error, error("it panicked: chunk 2"));
        assert!(stranded.to_string().contains("chunk 2"), "{stranded}");
    }

    #[test]
    fn no_workers_and_no_work() {
        assert_eq!(squares(0..5, &[], Chunks::default()).1.unwrap_err().left, 5);
        assert!(squares(5..5, &[None], Chunks::default()).1.is_ok());
        assert!(squares(5..5, &[], Chunks::default()).1.is_ok(), "no work needs no workers");
    }

    #[test]
    fn cancelling_ends_it_between_chunks() {
        let asked = AtomicUsize::new(0);
        let clock = clock();
        let how = Drive {
            chunks: Chunks { largest: 1, ..Chunks::default() },
            clock: &clock,
            cancelled: &|| asked.fetch_add(1, Ordering::Relaxed) >= 3,
        };
        let mut collected = Vec::new();
        let report = drive(
            0..100,
            &[()],
            &how,
            |()| Ok(()),
            |(), (), chunk| Ok(chunk.start),
            |_, n| collected.push(n),
        );
        assert!(report.unwrap().cancelled);
        assert_eq!(collected, [0, 1, 2]);
    }
}
