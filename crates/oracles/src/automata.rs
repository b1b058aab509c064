//! Automata in files: any bytes in, no panic; what was read is deterministic, and its complement accepts the other words.

use std::sync::Arc;
use volvelle_automata::{Deterministic, Given, Verdict, hoa};

/// Letters that are tried.
const LETTERS: u64 = 8;

/// Reads bytes as a file with an automaton.
pub fn hoa_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let automaton = match hoa::parse(&text) {
        Ok(automaton) => automaton,
        Err(error) => {
            let place = error.at;
            assert!(place.start <= place.end && place.end <= text.len(), "{place:?}");
            assert!(text.is_char_boundary(place.start) && text.is_char_boundary(place.end), "{place:?}");
            assert!(!error.message.is_empty());
            return;
        }
    };
    let propositions = automaton.propositions.len();
    // Letters whose bits repeat the first three.
    let letters: Vec<Vec<bool>> =
        (0..LETTERS).map(|letter| (0..propositions).map(|p| letter >> (p % 3) & 1 == 1).collect()).collect();
    let word =
        |letter: usize| (0..propositions).fold(0u64, |word, p| word | u64::from(letters[letter][p]) << p);
    for state in 0..automaton.start.len() as u32 - 1 {
        for letter in 0..LETTERS as usize {
            let mut edges = automaton.edges_of(state).iter().filter(|e| e.letters.contains(word(letter)));
            let Some(first) = edges.next() else { continue };
            assert!(edges.all(|e| e.target == first.target && e.sets == first.sets), "not deterministic");
        }
    }
    let automaton = Arc::new(automaton);
    let [mut one, mut other] = [false, true]
        .map(|negated| Deterministic::Given(Box::new(Given::new(automaton.clone(), negated, &letters))));
    let (mut here, mut marks) = (one.initial(), Vec::new());
    assert_eq!(here, other.initial());
    for step in 0..64u32 {
        let letter = (step * step + bytes.len() as u32) % LETTERS as u32;
        let (Ok(a), Ok(b)) = (one.step(here, letter), other.step(here, letter)) else { panic!("a step") };
        assert_eq!(a, b);
        let opposite = match one.verdict(a.next) {
            Verdict::Open => Verdict::Open,
            Verdict::Accepts => Verdict::Rejects,
            Verdict::Rejects => Verdict::Accepts,
        };
        assert_eq!(other.verdict(a.next), opposite);
        here = a.next;
        marks.push(a.marks);
        // Whatever of it recurs, one of the two accepts, by its pairs as by its condition.
        let recurring = &marks[marks.len() / 2..];
        assert_ne!(one.accepts(recurring), other.accepts(recurring));
        for automaton in [&one, &other] {
            let Ok(pairs) = automaton.pairs() else { continue };
            let some = |mark: u32| recurring.iter().any(|&marks| automaton.has_mark(marks, mark));
            let met = pairs.iter().any(|pair| !some(pair.avoid) && pair.meet.iter().all(|&mark| some(mark)));
            assert_eq!(met, automaton.accepts(recurring));
        }
    }
}
