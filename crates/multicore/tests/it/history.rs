//! Folds of histories of branches.

use volvelle_multicore::History;
use volvelle_random::Random;

/// Bit by bit.
fn slow(outcomes: &[bool], length: u32, width: u32) -> u64 {
    let newest = outcomes.iter().rev().take(length as usize).enumerate();
    newest.fold(0, |folded, (at, taken)| folded ^ u64::from(*taken) << (at as u32 % width))
}

#[test]
fn folds_are_those_bit_by_bit() {
    let mut random = Random(1);
    let mut outcomes = Vec::new();
    let mut history = History::default();
    for _ in 0..600 {
        outcomes.push(random.one_in(2));
        history.push(outcomes[outcomes.len() - 1]);
        let (length, width) = (random.below(257) as u32, 1 + random.below(14) as u32);
        assert_eq!(history.fold(length, width), slow(&outcomes, length, width), "{length} {width}");
    }
}
