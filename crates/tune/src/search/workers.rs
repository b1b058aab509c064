//! Independent searches on all threads.

use super::unfolding::Unfolder;
use super::{Halt, Shared, Subject};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a piece of work found, `None` if it was not begun, and how it ended.
pub(super) type Piece<T> = (Option<T>, Result<(), Halt>);

/// Does the pieces of work with the numbers below `count`, and gives their results in this order, with the sites at which steps
/// failed. Where a piece ends with anything but success, the rest is not begun: its results are [`Halt::Elsewhere`].
pub(super) fn each<T: Send>(
    subject: &Subject<'_>,
    shared: &Shared<'_>,
    count: usize,
    work: impl Fn(&mut Unfolder<'_>, usize) -> (T, Result<(), Halt>) + Sync,
) -> (Vec<Piece<T>>, BTreeSet<u32>) {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Piece<T>>> =
        (0..count).map(|_| Mutex::new((None, Err(Halt::Elsewhere)))).collect();
    let failures = Mutex::new(BTreeSet::new());
    let worker = || {
        let mut unfolder = Unfolder::new(subject, shared);
        while !shared.halted.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(result) = results.get(number) else { break };
            let (found, outcome) = work(&mut unfolder, number);
            if outcome.is_err() {
                shared.halted.store(true, Ordering::Relaxed);
            }
            *result.lock().unwrap_or_else(PoisonError::into_inner) = (Some(found), outcome);
        }
        failures.lock().unwrap_or_else(PoisonError::into_inner).append(&mut unfolder.failures);
    };
    let threads = shared.control.threads.min(count);
    if threads <= 1 {
        worker();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(worker);
            }
        });
    }
    let into = |mutex: Mutex<_>| mutex.into_inner().unwrap_or_else(PoisonError::into_inner);
    let failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    (results.into_iter().map(into).collect(), failures)
}

/// The reason why some work ended: one that is an answer by itself before a limit, whichever thread it was on.
pub(super) fn first_halt<'h>(outcomes: impl Iterator<Item = &'h Result<(), Halt>>) -> Option<Halt> {
    let halts: Vec<&Halt> = outcomes.filter_map(|outcome| outcome.as_ref().err()).collect();
    let weight = |halt: &Halt| match halt {
        Halt::LayoutOverflow(_) | Halt::NoMargin => 0,
        Halt::Decrease(_) | Halt::Undefined(_) => 1,
        Halt::Stopped(_) => 2,
        Halt::Elsewhere => 3,
    };
    halts.into_iter().min_by_key(|halt| weight(halt)).cloned()
}
