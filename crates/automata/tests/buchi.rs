//! Büchi automata against the definition of LTL.

mod words;

use volvelle_automata::Formulas;
use volvelle_automata::buchi::{Buchi, buchi};
use words::*;

/// Whether an automaton accepts a word: a search for a cycle through an accepting state in its product with the word.
fn accepted(automaton: &Buchi, word: &Word) -> bool {
    let n = word.letters.len();
    let next = |i: usize| if i + 1 < n { i + 1 } else { word.back };
    let successors = |&(s, i): &(u32, usize)| -> Vec<(u32, usize)> {
        let letter = u64::from(word.letters[i]);
        let edges = automaton.states[s as usize].edges.iter();
        let enabled = edges.filter(|e| letter & e.must == e.must && letter & e.must_not == 0);
        enabled.map(|e| (e.target, next(i))).collect()
    };
    let reachable = |from: Vec<(u32, usize)>| {
        let mut seen = std::collections::BTreeSet::new();
        let mut work = from;
        while let Some(pair) = work.pop() {
            if seen.insert(pair) {
                work.extend(successors(&pair));
            }
        }
        seen
    };
    reachable(vec![(automaton.initial, 0)])
        .iter()
        .filter(|&&(s, _)| automaton.states[s as usize].accepting)
        .any(|pair| reachable(successors(pair)).contains(pair))
}

fn both(raw: &Raw) -> Option<[Buchi; 2]> {
    let mut formulas = Formulas::new();
    let id = build(&mut formulas, raw);
    let not = formulas.not(id);
    Some([buchi(&mut formulas, id).ok()?, buchi(&mut formulas, not).ok()?])
}

/// All words whose prefix and cycle have at most two letters, over two propositions.
fn short_words() -> Vec<Word> {
    let mut result = Vec::new();
    for (back, length) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4)] {
        for code in 0..1u32 << (2 * length) {
            result.push(Word { letters: (0..length).map(|i| code >> (2 * i) & 3).collect(), back });
        }
    }
    result
}

#[test]
fn automata_accept_what_satisfies_the_formula() {
    let short = short_words();
    for (seed, formulas, size, propositions) in [(1, 400, 4, 2), (2, 300, 8, 2), (3, 100, 10, 3)] {
        let mut random = volvelle_random::Random(seed);
        let (mut words, mut held, mut largest) = (0, 0, 0);
        for _ in 0..formulas {
            let size = 1 + random.below(size);
            let raw = random.formula(size, propositions, seed == 2);
            let Some([yes, no]) = both(&raw) else { panic!("{raw:?} is too large") };
            let mut drawn: Vec<Word> = (0..60).map(|_| random.word(propositions)).collect();
            if propositions == 2 {
                drawn.extend((0..40).map(|_| short[random.below(short.len())].clone()));
            }
            for word in drawn {
                let truth = holds(&raw, &word)[0];
                assert_eq!(accepted(&yes, &word), truth, "{raw:?} on {word:?}: {yes:?}");
                assert_eq!(accepted(&no, &word), !truth, "not {raw:?} on {word:?}: {no:?}");
                words += 1;
                held += usize::from(truth);
            }
            largest = largest.max(yes.states.len()).max(no.states.len());
        }
        assert!(held * 5 > words && held * 5 < 4 * words && largest > 3);
    }
}
