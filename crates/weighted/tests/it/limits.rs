//! Limits of memory end relations and distances with the reason.

use dashu_ratio::RBig;
use volvelle_control::{Control, Limits, Stop};
use volvelle_random::Random;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};
use volvelle_weighted::bisimulation::{Options, bisimulation};
use volvelle_weighted::distance::{Kind, all_pairs, distance};
use volvelle_weighted::{Failure, Window, related, simulation};

/// A random structure, followed by a copy of it with other weights.
fn structure(states: usize, most: usize) -> WeightedStructure {
    let mut random = Random(3);
    let mut builder = WeightedBuilder::new();
    let all: Vec<(u32, Vec<(usize, usize)>)> = (0..states)
        .map(|_| {
            let steps = (0..3).map(|_| (random.below(most), random.below(states))).collect();
            (random.below(2) as u32, steps)
        })
        .collect();
    for copy in 0..2 {
        for (valuation, steps) in &all {
            let step = |&(weight, target): &(usize, usize)| WeightedStep {
                weight: (weight + copy * random.below(2)) as u64,
                target: (target + copy * states) as u32,
            };
            builder.state([(*valuation, 1)], steps.iter().map(step).collect::<Vec<_>>());
        }
    }
    builder.finish(0, RBig::ONE, vec!["p".to_owned(), "q".to_owned()])
}

fn limited(bytes: u64) -> Control<'static> {
    let limits = Limits { memory_bytes: Some(bytes), ..Limits::default() };
    Control { limits, ..Control::unlimited() }
}

const MEMORY: Failure = Failure::Stopped(Stop::Memory);

#[test]
fn relations_stop_where_memory_ends() {
    let structure = structure(4000, 8);
    let options = Options::default();
    for bytes in [10_000, 200_000] {
        let control = limited(bytes);
        for window in [Window::AtMost, Window::AtLeast, Window::Around(RBig::ONE)] {
            assert_eq!(simulation(&structure, &window, options, &control).err(), Some(MEMORY), "{window:?}");
            let found = related(&structure, (0, 4000), &window, options, &control);
            assert_eq!(found.err(), Some(MEMORY), "{window:?}");
        }
        assert_eq!(bisimulation(&structure, options, &control).err(), Some(MEMORY));
        for kind in [Kind::Ebd, Kind::Wbd] {
            assert_eq!(distance(&structure, 0, 4000, kind, &control).err(), Some(MEMORY));
            assert_eq!(all_pairs(&structure, kind, &control).err(), Some(MEMORY));
        }
    }
}

/// Whatever the limit is, the answer is the right one or none.
#[test]
fn limits_change_no_answer() {
    let structure = structure(300, 3);
    let options = Options::default();
    let unlimited = Control::unlimited();
    let windows = [Window::AtMost, Window::AtLeast];
    let right = windows.clone().map(|window| {
        let found = related(&structure, (0, 300), &window, options, &unlimited).expect("no limits");
        matches!(found, volvelle_weighted::Verdict::Related(_))
    });
    let distances = [Kind::Ebd, Kind::Wbd].map(|kind| distance(&structure, 0, 300, kind, &unlimited));
    let (mut stopped, mut answered) = (0, 0);
    for bytes in (10..26).map(|bits| 1u64 << bits) {
        let control = limited(bytes);
        for (window, right) in windows.iter().zip(right) {
            match related(&structure, (0, 300), window, options, &control) {
                Ok(found) => {
                    answered += 1;
                    assert_eq!(matches!(found, volvelle_weighted::Verdict::Related(_)), right);
                }
                Err(failure) => {
                    stopped += 1;
                    assert_eq!(failure, MEMORY);
                }
            }
        }
        for (kind, right) in [Kind::Ebd, Kind::Wbd].into_iter().zip(&distances) {
            match distance(&structure, 0, 300, kind, &control) {
                Ok(found) => {
                    answered += 1;
                    assert_eq!(Ok(&found), right.as_ref());
                }
                Err(failure) => {
                    stopped += 1;
                    assert_eq!(failure, MEMORY);
                }
            }
        }
    }
    assert!(stopped > 10 && answered > 10, "{stopped} {answered}");
}
