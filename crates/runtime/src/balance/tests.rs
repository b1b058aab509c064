//! Properties of [`Balance`], on simulated workers: an event at a time, in the order of simulated time.

use super::*;
use volvelle_random::Random;

/// A simulated worker: seconds per unit of work and per chunk, and the number of its chunk on which it fails, if any.
#[derive(Clone, Copy)]
struct Simulated {
    seconds_per_unit: f64,
    seconds_per_chunk: f64,
    fails_at: Option<usize>,
}

struct Ended {
    /// Chunks in the order in which they were finished, with their workers.
    finished: Vec<(usize, Range<u64>)>,
    /// Lengths of all chunks handed out, in order, with what was open before.
    handed_out: Vec<(u64, u64)>,
    progress: Progress,
    seconds: f64,
}

/// Runs all workers to the end. A worker takes a chunk when it has none; workers that found none ask again
/// when another one fails.
fn simulate(work: Range<u64>, workers: &[Simulated], chunks: Chunks) -> Ended {
    let mut balance = Balance::new(work, workers.len(), chunks);
    let mut ended =
        Ended { finished: Vec::new(), handed_out: Vec::new(), progress: Progress::Done, seconds: 0.0 };
    let mut taken = vec![0; workers.len()];
    // When each worker is ready, and how long it works on what it has then.
    let mut busy: Vec<Option<(f64, f64)>> = vec![None; workers.len()];
    let mut now = 0.0;
    while balance.progress() == Progress::Working {
        for (w, worker) in workers.iter().enumerate() {
            if busy[w].is_none() && !balance.has_failed(w) {
                let open = balance.open.iter().map(|range| range.end - range.start).sum();
                let Some(chunk) = balance.take(w) else { continue };
                let length = chunk.end - chunk.start;
                ended.handed_out.push((length, open));
                let seconds = worker.seconds_per_chunk + length as f64 * worker.seconds_per_unit;
                busy[w] = Some((now + seconds, seconds));
                taken[w] += 1;
            }
        }
        let next = (0..workers.len()).filter(|&w| busy[w].is_some());
        let next = next.min_by(|&a, &b| busy[a].unwrap().0.total_cmp(&busy[b].unwrap().0)).unwrap();
        let (at, seconds) = busy[next].take().unwrap();
        now = at;
        if workers[next].fails_at == Some(taken[next]) {
            balance.fail(next);
        } else {
            ended.finished.push((next, balance.finish(next, seconds)));
        }
    }
    ended.progress = balance.progress();
    ended.seconds = now;
    ended
}

fn worker(seconds_per_unit: f64) -> Simulated {
    Simulated { seconds_per_unit, seconds_per_chunk: 0.0, fails_at: None }
}

fn random_worker(random: &mut Random) -> Simulated {
    Simulated {
        seconds_per_unit: [0.0, 1e-3, 1.0, 7.0][random.below(4)] * (1 + random.below(10)) as f64,
        seconds_per_chunk: [0.0, 0.5, 100.0][random.below(3)],
        fails_at: random.chance(40).then(|| 1 + random.below(6)),
    }
}

fn random_chunks(random: &mut Random) -> Chunks {
    Chunks {
        grain: 1 + random.below(40) as u64,
        smallest: random.below(100) as u64,
        first: [u64::MAX, 0, 50][random.below(3)],
        largest: [u64::MAX, 1, 1000][random.below(3)],
    }
}

#[test]
fn every_number_is_finished_exactly_once_whatever_fails() {
    let (mut done, mut stranded) = (0, 0);
    for seed in 0..3000 {
        let mut random = Random(seed);
        let workers: Vec<Simulated> = (0..1 + random.below(6)).map(|_| random_worker(&mut random)).collect();
        let start = if random.one_in(4) { u64::MAX - 3000 } else { random.below(1000) as u64 };
        let work = start..start + [0, 1, 2, 300, 3000][random.below(5)];
        let chunks = random_chunks(&mut random);
        let ended = simulate(work.clone(), &workers, chunks);
        let mut count = vec![0; (work.end - work.start) as usize];
        for (_, chunk) in &ended.finished {
            assert!(!chunk.is_empty());
            assert_eq!((chunk.start - work.start) % chunks.grain, 0, "seed {seed}: chunks start at grains");
            chunk.clone().for_each(|n| count[(n - work.start) as usize] += 1);
        }
        match ended.progress {
            Progress::Done => {
                assert!(count.iter().all(|&n| n == 1), "seed {seed}");
                done += 1;
            }
            Progress::Stranded(left) => {
                assert!(count.iter().all(|&n| n <= 1), "seed {seed}");
                assert_eq!(count.iter().filter(|&&n| n == 0).count() as u64, left, "seed {seed}");
                let failing = |w: &Simulated| w.fails_at.is_some();
                assert!(workers.iter().all(failing), "seed {seed}: a worker was left");
                stranded += 1;
            }
            Progress::Working => unreachable!("the simulation runs to the end"),
        }
    }
    assert!(done > 1000 && stranded > 100, "{done} done, {stranded} stranded");
}

#[test]
fn no_chunk_is_more_than_half_of_what_is_left_and_the_last_are_small() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let workers: Vec<Simulated> =
            (0..2 + random.below(5)).map(|_| worker(0.01 * (1 + random.below(50)) as f64)).collect();
        let chunks = Chunks { grain: 4, smallest: 8, ..Chunks::default() };
        let ended = simulate(0..100_000, &workers, chunks);
        for &(length, open) in &ended.handed_out {
            assert!(length <= 8.max(open / 2), "seed {seed}: {length} of {open}");
            assert!(length % 4 == 0 && length >= 8.min(open), "seed {seed}: {length} of {open}");
        }
        let last = ended.handed_out.last().unwrap();
        assert_eq!(last.0, last.1, "the last takes what is left");
        assert!(last.0 <= 8, "seed {seed}: {}", last.0);
    }
}

#[test]
fn who_is_twice_as_fast_gets_about_twice_as_much() {
    for factor in [1.0, 2.0, 10.0] {
        let ended = simulate(
            0..1_000_000,
            &[worker(2e-6 * factor), worker(2e-6)],
            Chunks { smallest: 100, first: 10_000, ..Chunks::default() },
        );
        let done = |w: usize| -> u64 {
            ended.finished.iter().filter(|(by, _)| *by == w).map(|(_, chunk)| chunk.end - chunk.start).sum()
        };
        let ratio = done(1) as f64 / done(0) as f64;
        assert!((ratio / factor - 1.0).abs() < 0.02, "{ratio} instead of {factor}");
    }
}

#[test]
fn all_come_to_their_end_together() {
    for seed in 0..100 {
        let mut random = Random(seed);
        let workers: Vec<Simulated> =
            (0..1 + random.below(8)).map(|_| worker(1e-6 * (1 + random.below(100)) as f64)).collect();
        let ended =
            simulate(0..1_000_000, &workers, Chunks { smallest: 50, first: 5000, ..Chunks::default() });
        let best = 1e6 / workers.iter().map(|w| 1.0 / w.seconds_per_unit).sum::<f64>();
        // A worker that is slower than all others together by far may be late by its first chunk.
        let late = 5000.0 * 100e-6;
        assert!(ended.seconds <= 1.05 * best + late, "seed {seed}: {} instead of {best}", ended.seconds);
    }
}

#[test]
fn workers_do_not_wait_long_for_one_that_turns_out_to_be_slow() {
    for slower in [10.0, 100.0] {
        let ended = simulate(0..1_000_000, &[worker(1e-6 * slower), worker(1e-6)], Chunks::default());
        let best = 1.0 / (1.0 + 1.0 / slower);
        // Its first chunk is a sixty-fourth of the work.
        let late = 1e6 / 64.0 * 1e-6 * slower;
        assert!(ended.seconds <= late.max(1.05 * best), "{} instead of {best}", ended.seconds);
    }
}

#[test]
fn a_worker_that_slows_down_gets_less() {
    let mut balance = Balance::new(0..1_000_000, 2, Chunks { first: 1000, ..Chunks::default() });
    for worker in [0, 1] {
        balance.take(worker).unwrap();
        balance.finish(worker, 1.0);
    }
    let before = balance.take(0).unwrap();
    balance.finish(0, 1e4 * (before.end - before.start) as f64 / 1000.0);
    assert!(balance.speed(0).unwrap() < balance.speed(1).unwrap() / 100.0);
    let after = balance.take(0).unwrap();
    assert!(after.end - after.start < (before.end - before.start) / 100);
}

#[test]
fn times_that_make_no_sense_do_no_harm() {
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut balance = Balance::new(0..1000, 2, Chunks::default());
        while let Some(chunk) = balance.take(0) {
            assert!(!chunk.is_empty());
            balance.finish(0, seconds);
        }
        assert_eq!(balance.progress(), Progress::Done);
    }
}
