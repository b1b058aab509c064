//! Automata against the definition of LTL, on random formulas and random words that repeat for ever.

use crate::words::*;

struct Tally {
    words: usize,
    accepted: usize,
    too_large: usize,
    largest: usize,
}

fn compare(seed: u64, formulas: usize, size: usize, propositions: u32, bounded: bool) -> Tally {
    let mut random = volvelle_random::Random(seed);
    let mut tally = Tally { words: 0, accepted: 0, too_large: 0, largest: 0 };
    for _ in 0..formulas {
        let size = 1 + random.below(size);
        let raw = random.formula(size, propositions, bounded);
        let opposite = Raw::Not(Box::new(raw.clone()));
        let (Ok(mut yes), Ok(mut no)) = (automaton(&raw, propositions), automaton(&opposite, propositions))
        else {
            tally.too_large += 1;
            continue;
        };
        for _ in 0..40 {
            let word = random.word(propositions);
            let truth = holds(&raw, &word)[0];
            match (accepts(&mut yes, &word), accepts(&mut no, &word)) {
                (Ok(a), Ok(b)) => {
                    assert_eq!(a, truth, "{raw:?} on {word:?}");
                    assert_eq!(b, !truth, "not {raw:?} on {word:?}");
                    tally.words += 1;
                    tally.accepted += usize::from(truth);
                }
                _ => tally.too_large += 1,
            }
        }
        tally.largest = tally.largest.max(yes.num_states()).max(no.num_states());
    }
    tally
}

#[test]
fn automata_accept_what_satisfies_the_formula() {
    for (seed, formulas, size, propositions, bounded) in [
        (1, 3000, 4, 2, false),
        (2, 3000, 7, 2, false),
        (3, 1500, 10, 3, false),
        (4, 2000, 5, 2, true),
        (5, 1000, 9, 2, true),
    ] {
        let tally = compare(seed, formulas, size, propositions, bounded);
        // Words of both kinds, and nearly all formulas within the limits.
        assert!(tally.words >= 39 * formulas, "{} words, {} too large", tally.words, tally.too_large);
        assert!(tally.accepted * 5 > tally.words && tally.accepted * 5 < 4 * tally.words);
        assert!(tally.largest > 4);
    }
}

/// `F (X X X G F[2,3] a & X X F X X F a)`: a conjunction with a bounded until was once left out for one with an
/// unbounded until in its place, again and again.
#[test]
fn a_bounded_until_is_not_left_out_for_an_unbounded_one() {
    use Raw::*;
    use volvelle_automata::UNBOUNDED;
    let eventually = |a, lower, upper| Until(Box::new(Bool(true)), Box::new(a), lower, upper);
    let always = Release(Box::new(Bool(false)), Box::new(eventually(Is(0), 2, 3)), 3, UNBOUNDED);
    let later = Next(Box::new(eventually(eventually(Is(0), 2, UNBOUNDED), 1, UNBOUNDED)));
    let raw = eventually(And(Box::new(always), Box::new(later)), 0, UNBOUNDED);
    let word = Word { letters: vec![0, 0, 0, 1, 1], back: 4 };
    assert!(holds(&raw, &word)[0]);
    assert_eq!(accepts(&mut automaton(&raw, 1).unwrap(), &word), Ok(true));
}
