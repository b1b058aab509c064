//! The sets against maps: one thread, and several at once.

use std::collections::HashMap;
use std::sync::RwLock;
use volvelle_control::{Limits, Stop};
use volvelle_random::Random;
use volvelle_search::{Growth, Interning, KeySet, Sources, StateSet};

/// Keys as they occur: few bits, pairs of numbers, anything.
fn key(random: &mut Random, range: usize) -> u64 {
    match random.below(3) {
        0 => random.below(range) as u64,
        1 => (random.below(range) as u64) << 32 | random.below(50) as u64,
        _ => (random.below(range) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
    }
}

#[test]
fn keys_keep_their_numbers() {
    for case in 0..60 {
        let mut random = Random(case);
        let mut set = KeySet::new(1 + random.below(4));
        let mut known: HashMap<u64, u32> = HashMap::new();
        let range = 1 + random.below(5000);
        for _ in 0..random.below(200) {
            let keys: Vec<u64> = (0..random.below(300)).map(|_| key(&mut random, range)).collect();
            let mut numbers = Vec::new();
            while set.find_or_insert(0, &keys, &mut numbers).is_err() {
                assert!(set.is_full());
                assert!(set.grow(1));
            }
            for (&key, &number) in keys.iter().zip(&numbers) {
                assert_eq!(*known.entry(key).or_insert(number), number, "case {case}");
            }
        }
        assert_eq!(set.len(), known.len() as u64);
        assert_eq!(set.is_empty(), known.is_empty());
        for (&key, &number) in &known {
            assert_eq!(set.get(number), Some(key));
        }
        let given = (0..set.allotted() as u32).filter(|&number| set.get(number).is_some()).count();
        assert_eq!(given, known.len(), "numbers are dense but for the holes");
    }
}

#[test]
fn several_threads_agree_on_numbers() {
    for (case, threads) in [(1, 2), (2, 4), (3, 4), (4, 7)] {
        let set = RwLock::new(KeySet::new(threads));
        let per_thread: Vec<HashMap<u64, u32>> = std::thread::scope(|scope| {
            let work = |lane: usize| {
                let set = &set;
                move || {
                    let mut random = Random(case * 100 + lane as u64 / 2);
                    let mut known = HashMap::new();
                    for _ in 0..300 {
                        let keys: Vec<u64> = (0..256).map(|_| key(&mut random, 30_000)).collect();
                        let mut numbers = Vec::new();
                        while set.read().unwrap().find_or_insert(lane, &keys, &mut numbers).is_err() {
                            let mut set = set.write().unwrap();
                            if set.is_full() {
                                assert!(set.grow(2));
                            }
                        }
                        for (key, number) in keys.into_iter().zip(numbers) {
                            assert_eq!(*known.entry(key).or_insert(number), number);
                        }
                    }
                    known
                }
            };
            let handles: Vec<_> = (0..threads).map(|lane| scope.spawn(work(lane))).collect();
            handles.into_iter().map(|handle| handle.join().unwrap()).collect()
        });
        let set = set.into_inner().unwrap();
        let mut all: HashMap<u64, u32> = HashMap::new();
        for (key, number) in per_thread.into_iter().flatten() {
            assert_eq!(*all.entry(key).or_insert(number), number, "two threads got two numbers");
        }
        assert_eq!(set.len(), all.len() as u64, "no number was given twice, none was lost");
        let mut numbers: Vec<u32> = all.values().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), all.len());
        for (key, number) in all {
            assert_eq!(set.get(number), Some(key));
        }
        let holes: u64 = set.holes().map(|hole| hole.len() as u64).sum();
        assert!(holes * 8 <= set.allotted(), "{holes} holes in {}", set.allotted());
    }
}

#[test]
fn a_large_table_is_filled_by_several_threads() {
    let mut set = KeySet::new(3);
    let mut numbers = Vec::new();
    let keys: Vec<u64> = (0..3_300_000u64).map(|i| i.wrapping_mul(0x1234_5678_9abc_def1)).collect();
    for (at, chunk) in keys.chunks(1 << 16).enumerate() {
        let lane = at / 7 % 3;
        let mut these = Vec::new();
        while set.find_or_insert(lane, chunk, &mut these).is_err() {
            assert!(set.grow(4));
        }
        numbers.append(&mut these);
    }
    let mut again = Vec::new();
    assert_eq!(set.find_or_insert(0, &keys, &mut again), Ok(()));
    assert_eq!(again, numbers, "everything is found again");
    assert_eq!(set.len(), keys.len() as u64);
}

/// Interns everything; grows where there is no room.
fn intern(
    set: &mut StateSet,
    lane: usize,
    mut sources: Option<&mut Sources>,
    states: &[u64],
    of: &[u32],
) -> Vec<u32> {
    let words = set.words();
    let mut batch = Interning::default();
    let mut at = 0;
    while at * words < states.len() {
        let rest = &states[at * words..];
        let interned = match &mut sources {
            Some(sources) => {
                set.refresh(sources);
                set.intern(lane, sources, rest, &of[at..], &mut batch)
            }
            None => set.intern_alone(lane, rest, &mut batch),
        };
        match interned {
            Ok(count) => at += count,
            Err(_) => assert_eq!(set.grow(&Limits::default(), 1), Growth::Done),
        }
    }
    batch.numbers
}

#[test]
fn states_of_any_width_come_back() {
    for case in 0..80 {
        let mut random = Random(case);
        let words = if case % 10 == 9 { 20 + random.below(300) } else { 1 + case as usize % 17 };
        let lanes = 1 + random.below(3);
        let mut set = StateSet::new(words, lanes);
        let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
        let mut runs = Vec::new();
        let values = 1 + random.below(6);
        let initial: Vec<u64> = (0..words * 5).map(|_| random.below(values) as u64).collect();
        let before = set.mark();
        let mut first = intern(&mut set, 0, None, &initial, &[]);
        for (state, &number) in initial.chunks_exact(words).zip(&first) {
            assert_eq!(*known.entry(state.to_vec()).or_insert(number), number);
        }
        let mut mark = set.mark();
        runs.extend(StateSet::between(&before, &mark));
        for _ in 0..12 {
            let mut sources = Sources::default();
            for &number in &first {
                set.load(number..number + 1, &mut sources);
            }
            let mut states = Vec::new();
            let mut of = Vec::new();
            for (source, state) in sources.words.chunks_exact(words).enumerate() {
                assert_eq!(known[state], first[source], "case {case}: what was loaded is what was interned");
                for _ in 0..random.below(4) {
                    let mut state = state.to_vec();
                    for _ in 0..random.below(3) {
                        let value = random.below(values) as u64;
                        state[random.below(words)] = if random.one_in(9) { random.bits() } else { value };
                    }
                    states.extend(state);
                    of.push(source as u32);
                }
            }
            let numbers = intern(&mut set, random.below(lanes), Some(&mut sources), &states, &of);
            assert_eq!(numbers.len(), of.len());
            for (state, &number) in states.chunks_exact(words).zip(&numbers) {
                assert_eq!(*known.entry(state.to_vec()).or_insert(number), number, "case {case}");
            }
            if !numbers.is_empty() {
                first = numbers.into_iter().take(40).collect();
            }
            let now = set.mark();
            runs.extend(StateSet::between(&mark, &now));
            mark = now;
        }
        assert_eq!(set.len(), known.len() as u64, "case {case}");
        for (state, &number) in &known {
            assert_eq!(set.get(number).as_ref(), Some(state));
        }
        let mut listed: Vec<u32> = runs.into_iter().flatten().collect();
        listed.sort_unstable();
        let mut numbers: Vec<u32> = known.values().copied().collect();
        numbers.sort_unstable();
        assert_eq!(listed, numbers, "the runs between marks are the numbers, each once");
        assert_eq!(set.get(set.numbers() as u32), None);
    }
}

#[test]
fn memory_has_a_limit() {
    let mut set = StateSet::new(4, 1);
    let states: Vec<u64> = (0..4 * 1000).collect();
    let mut batch = Interning::default();
    let limits = Limits { memory_bytes: Some(set.bytes() + 10), ..Limits::default() };
    assert!(set.intern_alone(0, &states, &mut batch).is_err(), "a small set has no room for all");
    assert_eq!(set.grow(&limits, 1), Growth::Stopped(Stop::Memory));
    assert!(batch.numbers.is_empty());
    let numbers = intern(&mut set, 0, None, &states, &[]);
    assert_eq!(numbers.len(), 1000);
    assert_eq!(set.len(), 1000);
}

/// Words with ever more values, so that the tree must change its shape while it holds many keys. Several
/// threads insert relative to sources that were loaded from an earlier shape.
#[test]
fn the_tree_takes_other_shapes() {
    for (words, threads, variety) in [(3, 1, 900), (5, 3, 3000), (9, 2, 700), (40, 2, 40), (130, 2, 5)] {
        let set = RwLock::new(StateSet::new(words, threads));
        let state_of = |value: usize| -> Vec<u64> {
            let mut random = Random(value as u64);
            // Few values at first, more later: trees are flat until they cannot be.
            let range = 1 + variety.min(value / 8);
            (0..words).map(|_| (random.below(range) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect()
        };
        const STATES: usize = 20_000;
        let work = |lane: usize| {
            let set = &set;
            move || {
                let mut batch = Interning::default();
                let mut sources = Sources::default();
                let mut numbers = Vec::new();
                let mut value = lane;
                while value < STATES {
                    let end = (value + 700).min(STATES);
                    let states: Vec<u64> = (value..end).flat_map(state_of).collect();
                    let of = vec![0; end - value];
                    batch.clear();
                    let mut at = 0;
                    while at < end - value {
                        let shared = set.read().unwrap();
                        let rest = &states[at * words..];
                        let interned = if sources.words.is_empty() {
                            shared.intern_alone(lane, rest, &mut batch)
                        } else {
                            shared.refresh(&mut sources);
                            shared.intern(lane, &sources, rest, &of[at..], &mut batch)
                        };
                        drop(shared);
                        match interned {
                            Ok(count) => at += count,
                            Err(_) => {
                                let grown = set.write().unwrap().grow(&Limits::default(), 2);
                                assert_eq!(grown, Growth::Done);
                            }
                        }
                    }
                    numbers.extend((value..end).zip(batch.numbers.iter().copied()));
                    if value % 3 == lane % 3 || sources.words.is_empty() {
                        sources.clear();
                        let number = batch.numbers[0];
                        set.read().unwrap().load(number..number + 1, &mut sources);
                        assert_eq!(sources.words, state_of(value));
                    }
                    value = end;
                }
                numbers
            }
        };
        let found: Vec<(usize, u32)> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|lane| scope.spawn(work(lane))).collect();
            handles.into_iter().flat_map(|handle| handle.join().unwrap()).collect()
        });
        let set = set.into_inner().unwrap();
        let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
        for (value, number) in found {
            assert_eq!(
                *known.entry(state_of(value)).or_insert(number),
                number,
                "{words} words, state {value}"
            );
        }
        assert_eq!(set.len(), known.len() as u64);
        for (state, number) in known {
            assert_eq!(set.get(number), Some(state));
        }
    }
}
