//! Explanations are checked by the definition: the moves exist, and the step at the end deviates by the distance.

use super::{naive, random_structure};
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_space::WeightedStructure;
use volvelle_weighted::distance::{Distance, Kind, Reason, Round, distance, explain};

/// The states along a path, and its weight.
fn walk(structure: &WeightedStructure, from: u32, path: &[u32]) -> (Vec<u32>, u64) {
    let (mut states, mut weight) = (vec![from], 0);
    for &step in path {
        let at = *states.last().expect("a state");
        assert!(structure.range(at).contains(&(step as usize)), "{step} does not leave {at}");
        states.push(structure.steps()[step as usize].target);
        weight += structure.steps()[step as usize].weight;
    }
    (states, weight)
}

/// Follows a play to the pair at its end.
fn follow(structure: &WeightedStructure, from: (u32, u32), play: &[Round]) -> (u32, u32) {
    let mut at = from;
    for round in play {
        assert_eq!(round.pair, at);
        assert!(structure.range(at.0).contains(&(round.step as usize)));
        let (states, _) = walk(structure, at.1, &round.answer);
        let end = (structure.steps()[round.step as usize].target, *states.last().expect("a state"));
        let on_the_way = round.next.0 == at.0 && states[1..].contains(&round.next.1);
        assert!(round.next == end || on_the_way, "{round:?}");
        at = round.next;
    }
    at
}

#[test]
fn plays_lead_to_the_distance() {
    let mut random = Random(3);
    let (mut realised, mut unanswered, mut long) = (0, 0, 0);
    for _ in 0..600 {
        let (states, weight) = (2 + random.below(5), 1 + random.below(7));
        let structure = random_structure(&mut random, states, weight);
        for kind in [Kind::Ebd, Kind::Wbd] {
            for (s, t) in (0..states as u32).flat_map(|s| (0..states as u32).map(move |t| (s, t))) {
                let control = Control::unlimited();
                let found = distance(&structure, s, t, kind, &control).expect("no limits");
                let same = structure.valuation_of(s) == structure.valuation_of(t);
                match explain(&structure, s, t, kind, &found, &control).expect("no limits") {
                    Reason::Propositions => assert!(!same),
                    Reason::Related => assert_eq!(found, super::finite("0")),
                    Reason::Realised(end) => {
                        realised += 1;
                        long += usize::from(!end.play.is_empty());
                        let pair = follow(&structure, (s, t), &end.play);
                        assert_eq!(pair, end.pair);
                        let step = structure.steps()[end.step as usize];
                        assert!(structure.range(pair.0).contains(&(end.step as usize)));
                        let (path, total) = walk(&structure, pair.1, &end.answer);
                        assert_eq!(total, end.weight);
                        let apart = if kind == Kind::Wbd {
                            total.abs_diff(step.weight)
                        } else {
                            total.saturating_sub(step.weight)
                        };
                        let deviation = dashu_ratio::RBig::from_parts(apart.into(), step.weight.into());
                        assert_eq!(Distance::Finite(deviation), found);
                        assert_eq!(Distance::Finite(end.deviation.clone()), found);
                        // The answer is one at the distance.
                        let e = (apart, step.weight);
                        let related = naive::relation(&structure, kind, e);
                        let (&last, before) = path.split_last().expect("a state");
                        assert!(before.iter().all(|&x| related[pair.0 as usize][x as usize]));
                        assert!(related[step.target as usize][last as usize]);
                    }
                    Reason::Unanswered { play, pair, step } => {
                        unanswered += 1;
                        assert_eq!(found, Distance::Infinite);
                        assert_eq!(follow(&structure, (s, t), &play), pair);
                        assert!(structure.range(pair.0).contains(&(step as usize)));
                    }
                }
            }
        }
    }
    assert!(realised > 500 && unanswered > 500 && long > 50, "{realised} {unanswered} {long}");
}
