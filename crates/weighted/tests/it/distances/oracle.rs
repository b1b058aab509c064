//! Both algorithms against the definition.

use super::{naive, random_structure};
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_weighted::distance::{Distance, Kind, all_pairs, distance};

#[test]
fn distances_are_those_of_the_definition() {
    let mut random = Random(1);
    let (mut finite, mut between) = (0, 0);
    for case in 0..6000 {
        let (states, weight) = (2 + random.below(5), 1 + random.below(6));
        let structure = random_structure(&mut random, states, weight);
        for kind in [Kind::Ebd, Kind::Wbd] {
            let expected = naive::distances(&structure, kind);
            let matrix = all_pairs(&structure, kind, &Control::unlimited()).expect("no limits");
            for (s, t) in (0..states as u32).flat_map(|s| (0..states as u32).map(move |t| (s, t))) {
                let expected = &expected[s as usize][t as usize];
                assert_eq!(matrix.distance(s, t), *expected, "{case}: all, {kind:?} {s} {t} {structure:?}");
                let found = distance(&structure, s, t, kind, &Control::unlimited()).expect("no limits");
                assert_eq!(found, *expected, "{case}: {kind:?} {s} {t} {structure:?}");
                if s != t && *expected != Distance::Infinite {
                    finite += 1;
                    between += usize::from(*expected > super::finite("0") && *expected < super::finite("1"));
                }
            }
        }
    }
    assert!(finite > 5000 && between > 300, "{finite} {between}");
}

/// Larger structures, and weights too large to list candidates: one pair at a time against all at once.
#[test]
fn pairs_and_all_pairs_agree() {
    let mut random = Random(2);
    for case in 0..60 {
        let weight = random.pick(&[9, 1000, 1_000_000_000]);
        let states = 8 + random.below(12);
        let structure = random_structure(&mut random, states, weight);
        for kind in [Kind::Ebd, Kind::Wbd] {
            let matrix = all_pairs(&structure, kind, &Control::unlimited()).expect("no limits");
            for (s, t) in (0..states as u32).flat_map(|s| (0..states as u32).map(move |t| (s, t))) {
                let found = distance(&structure, s, t, kind, &Control::unlimited()).expect("no limits");
                assert_eq!(matrix.distance(s, t), found, "{case}: {kind:?} {s} {t}");
            }
        }
    }
}
