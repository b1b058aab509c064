//! Monitors against the definition of LTL.

use crate::words::*;
use volvelle_automata::Formulas;
use volvelle_automata::buchi::{Monitor, Position, buchi};

/// A monitor of a formula, with or without the automaton of the words that satisfy it.
fn monitor(raw: &Raw, is_complete: bool) -> Option<Monitor> {
    let mut formulas = Formulas::new();
    let id = build(&mut formulas, raw);
    let not = formulas.not(id);
    let violations = buchi(&mut formulas, not).ok()?;
    let others = if is_complete { Some(buchi(&mut formulas, id).ok()?) } else { None };
    Some(Monitor::new(violations, others))
}

/// The positions of a monitor along a word.
fn positions(monitor: &Monitor, word: &Word) -> Vec<Position> {
    let mut all = vec![monitor.beginning()];
    for &letter in &word.letters {
        all.push(monitor.read(&all[all.len() - 1], u64::from(letter)));
    }
    all
}

#[test]
fn beginnings_decide_only_what_is_true() {
    let mut random = volvelle_random::Random(11);
    let mut counts = [0; 3];
    for _ in 0..400 {
        let size = 1 + random.below(7);
        let raw = random.formula(size, 2, false);
        let (Some(whole), Some(half)) = (monitor(&raw, true), monitor(&raw, false)) else { continue };
        for _ in 0..20 {
            let word = random.word(2);
            let truth = holds(&raw, &word)[0];
            let (mut before, all) = (None, positions(&whole, &word));
            for (at, less) in all.iter().zip(positions(&half, &word)) {
                let verdict = whole.verdict(at);
                assert!(verdict.is_none_or(|verdict| verdict == truth), "{raw:?} on {word:?}");
                assert!(before.is_none() || before == verdict, "{raw:?} on {word:?}: it stays decided");
                let less = half.verdict(&less);
                assert!(less.is_none() || less == verdict, "{raw:?} on {word:?}: half of it knows no more");
                counts[verdict.map_or(2, usize::from)] += 1;
                before = verdict;
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 2000), "{counts:?}");
}

/// A verdict that is missing is missing for a reason: some word goes on one way, and some word the other way.
#[test]
fn open_beginnings_go_on_both_ways() {
    let mut random = volvelle_random::Random(12);
    let mut open = 0;
    for _ in 0..600 {
        let size = 1 + random.below(4);
        let raw = random.formula(size, 1, false);
        let Some(monitor) = monitor(&raw, true) else { continue };
        let mut word = random.word(1);
        word.letters.truncate(1 + random.below(2));
        if monitor.verdict(&positions(&monitor, &word)[word.letters.len()]).is_some() {
            continue;
        }
        let mut met = [false; 2];
        for length in 1..=4u32 {
            for code in 0..1u32 << length {
                for back in 0..length as usize {
                    let more = (0..length).map(|i| code >> i & 1);
                    let letters: Vec<u32> = word.letters.iter().copied().chain(more).collect();
                    let back = word.letters.len() + back;
                    met[usize::from(holds(&raw, &Word { letters, back })[0])] = true;
                }
            }
        }
        assert_eq!(met, [true; 2], "{raw:?} behind {word:?}");
        open += 1;
    }
    assert!(open > 20, "{open}");
}

#[test]
fn a_letter_that_stays_decides() {
    let mut random = volvelle_random::Random(13);
    let mut counts = [0; 2];
    for _ in 0..400 {
        let size = 1 + random.below(8);
        let raw = random.formula(size, 2, false);
        let Some(monitor) = monitor(&raw, false) else { continue };
        let word = random.word(2);
        let back = word.letters.len() - 1;
        let (last, all) = (u64::from(word.letters[back]), positions(&monitor, &word));
        let found = monitor.verdict_if_repeated(&all[all.len() - 1], last);
        assert_eq!(found, holds(&raw, &Word { back, ..word.clone() })[0], "{raw:?} on {word:?}");
        counts[usize::from(found)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 80), "{counts:?}");
}
