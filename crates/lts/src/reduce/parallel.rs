//! Loops on several threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Items that a thread should have at least: below, starting it costs more than it saves. Tests take the paths of several threads on
/// small systems.
pub(super) const LEAST: usize = if cfg!(test) { 2 } else { 1 << 14 };

/// States whose signatures of branching bisimulation a thread should find at least. That takes much longer than what other loops do for
/// a state.
pub(super) const STATES: usize = LEAST / 8 + 1;

/// Threads for a loop over so many items.
pub(super) fn threads_for(threads: usize, items: usize) -> usize {
    threads_with(threads, items, LEAST)
}

/// Threads for a loop of which each should have so many items at least.
pub(super) fn threads_with(threads: usize, items: usize, least: usize) -> usize {
    threads.clamp(1, (items / least).max(1))
}

/// Calls `work` with consecutive parts of an array and the place where each begins; results in the order of the parts.
pub(super) fn parts_mut<T: Send, R: Send>(
    threads: usize,
    array: &mut [T],
    work: impl Fn(usize, &mut [T]) -> R + Sync,
) -> Vec<R> {
    let threads = threads_for(threads, array.len());
    if threads == 1 {
        return vec![work(0, array)];
    }
    let size = array.len().div_ceil(threads);
    let parts = array.chunks_mut(size).enumerate().map(|(k, part)| (k * size, part));
    in_parallel(parts.map(|(start, part)| {
        let work = &work;
        move || work(start, part)
    }))
}

/// Calls `work` with consecutive ranges of numbers below `count`; results in the order of the ranges.
pub(super) fn ranges<R: Send>(
    threads: usize,
    count: usize,
    work: impl Fn(Range<usize>) -> R + Sync,
) -> Vec<R> {
    equal_ranges(threads_for(threads, count), count, work)
}

/// Calls `work` with so many consecutive ranges of numbers below `count`; results in the order of the ranges.
pub(super) fn equal_ranges<R: Send>(
    threads: usize,
    count: usize,
    work: impl Fn(Range<usize>) -> R + Sync,
) -> Vec<R> {
    if threads == 1 {
        return vec![work(0..count)];
    }
    let size = count.div_ceil(threads);
    in_parallel((0..threads).map(|k| {
        let (work, range) = (&work, (k * size).min(count)..((k + 1) * size).min(count));
        move || work(range)
    }))
}

/// Calls `work` with every number below `count`: a thread takes the next one when it has done one. Results in the order of the
/// numbers.
pub(super) fn tasks<R: Send>(threads: usize, count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let threads = threads.clamp(1, count.max(1));
    if threads == 1 {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let found = in_parallel((0..threads).map(|_| {
        let (next, work) = (&next, &work);
        move || {
            let mut found = Vec::new();
            loop {
                match next.fetch_add(1, Ordering::Relaxed) {
                    task if task < count => found.push((task, work(task))),
                    _ => return found,
                }
            }
        }
    }));
    let mut found: Vec<(usize, R)> = found.into_iter().flatten().collect();
    found.sort_unstable_by_key(|&(task, _)| task);
    found.into_iter().map(|(_, result)| result).collect()
}

/// Calls `work` with every item, each on a thread of its own; results in the order of the items.
pub(super) fn each<T: Send, R: Send>(mut items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    match items.len() {
        1 => items.drain(..).map(work).collect(),
        _ => in_parallel(items.into_iter().map(|item| {
            let work = &work;
            move || work(item)
        })),
    }
}

/// Several lists as one.
pub(super) fn joined<T: Copy>(mut parts: Vec<Vec<T>>) -> Vec<T> {
    match parts.len() {
        1 => parts.swap_remove(0),
        _ => parts.concat(),
    }
}

fn in_parallel<R: Send, F: FnOnce() -> R + Send>(tasks: impl Iterator<Item = F>) -> Vec<R> {
    std::thread::scope(|scope| {
        let mut tasks: Vec<F> = tasks.collect();
        let own = tasks.pop();
        let handles: Vec<_> = tasks.into_iter().map(|task| scope.spawn(task)).collect();
        let last = own.map(|task| task());
        let joined = handles.into_iter().map(|handle| match handle.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.chain(last).collect()
    })
}
