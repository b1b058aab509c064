//! Rounds of several threads over a pair of vectors: in each round all read one of them and write the other.

use std::ops::Range;

use crate::Barrier;

/// A vector that threads share during rounds.
struct Shared<T> {
    first: *mut T,
    len: usize,
}

// SAFETY: the pointer is used only as `run` describes: between two barriers a vector is either read by all threads, or
// written by each of them in a range of its own.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

/// A part of the work of a round: the rows that a thread writes, and what it keeps between rounds.
#[derive(Debug)]
pub struct Part<P> {
    /// Its rows.
    pub rows: Range<usize>,
    /// Its own data.
    pub own: P,
}

/// Makes `count` rounds, one thread for each part. In round k, `work` gets k, the vector `pair[k % 2]` as it is after the round
/// before, and the rows of its part in the other vector.
///
/// Ends early where `work` panics, with that panic.
///
/// # Panics
/// If the rows of parts do not follow each other within vectors of the same length.
pub fn alternate<T: Copy + Send + Sync, P: Send>(
    pair: &mut [Vec<T>; 2],
    parts: &mut [Part<P>],
    count: u64,
    work: impl Fn(u64, &[T], &mut [T], &mut Part<P>) + Sync,
) {
    let len = pair[0].len();
    assert!(pair[1].len() == len, "vectors of the same length");
    let mut end = 0;
    for part in &*parts {
        assert!(part.rows.start >= end && part.rows.end >= part.rows.start, "rows that follow each other");
        end = part.rows.end;
    }
    assert!(end <= len, "rows of the vectors");
    let [first, second] = pair;
    if let [part] = parts {
        for k in 0..count {
            let (from, to) = if k % 2 == 0 { (&*first, &mut *second) } else { (&*second, &mut *first) };
            work(k, from, &mut to[part.rows.clone()], part);
        }
        return;
    }
    let shared = [Shared { first: first.as_mut_ptr(), len }, Shared { first: second.as_mut_ptr(), len }];
    let barrier = Barrier::new(parts.len());
    let run = |part: &mut Part<P>| {
        let _guard = barrier.guard();
        for k in 0..count {
            let (from, to) = (&shared[(k % 2) as usize], &shared[((k + 1) % 2) as usize]);
            // SAFETY: the vectors are borrowed exclusively until all threads are joined. In this round every thread reads only
            // `from`, and writes `to` only in the rows of its part, which share none with those of others and lie within the
            // vector. The barrier orders a round after all accesses of the one before; a thread that
            // does not get past it touches nothing any more.
            let (from, to) = unsafe {
                (
                    std::slice::from_raw_parts(from.first.cast_const(), from.len),
                    std::slice::from_raw_parts_mut(to.first.add(part.rows.start), part.rows.len()),
                )
            };
            work(k, from, to, part);
            if !barrier.wait() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for part in parts {
            let run = &run;
            scope.spawn(move || run(part));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every entry becomes the sum of all, modulo something.
    fn sums(threads: usize, len: usize, rounds: u64) -> ([Vec<u64>; 2], u64) {
        let mut pair = [(0..len as u64).collect::<Vec<_>>(), vec![0; len]];
        let mut parts: Vec<Part<u64>> =
            (0..threads).map(|t| Part { rows: len * t / threads..len * (t + 1) / threads, own: 0 }).collect();
        alternate(&mut pair, &mut parts, rounds, |k, from, to, part| {
            let sum = from.iter().sum::<u64>() % 1_000_003;
            to.iter_mut().zip(part.rows.clone()).for_each(|(to, row)| *to = sum + k + row as u64);
            part.own += to.iter().sum::<u64>();
        });
        (pair, parts.iter().map(|part| part.own).sum())
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        for len in [1, 7, 40] {
            for rounds in [0, 1, 2, 9] {
                let alone = sums(1, len, rounds);
                for threads in [2, 3, 5] {
                    assert_eq!(sums(threads, len, rounds), alone);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "scoped thread panicked")]
    fn a_panic_ends_the_rounds() {
        let mut pair = [vec![0u8; 4], vec![0; 4]];
        let mut parts: Vec<Part<()>> = (0..2).map(|t| Part { rows: 2 * t..2 * t + 2, own: () }).collect();
        alternate(&mut pair, &mut parts, 5, |k, _, _, part| {
            assert!(k < 2 || part.rows.start == 0, "it panics, as the test wants it to");
        });
    }

    #[test]
    #[should_panic(expected = "rows that follow each other")]
    fn rows_of_two_parts_are_refused() {
        let mut pair = [vec![0u8; 4], vec![0; 4]];
        let mut parts = [Part { rows: 0..3, own: () }, Part { rows: 2..4, own: () }];
        alternate(&mut pair, &mut parts, 1, |_, _, _, _| {});
    }
}
