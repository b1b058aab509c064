//! The game for one pair: verdicts against the definitions, strategies by a checker that knows only their rules.

use super::{naive, structure};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_space::{WeightedStep, WeightedStructure};
use volvelle_weighted::bisimulation::Options;
use volvelle_weighted::{Attack, Defence, Reason, Verdict, Window, related};

/// Every answer is a path of the structure, in the window, through pairs of the strategy.
fn check_defence(structure: &WeightedStructure, window: &Window, defence: &Defence) {
    let is_pair = |s: u32, t: u32| s == t || defence.pairs.iter().any(|pair| (pair.s, pair.t) == (s, t));
    for pair in &defence.pairs {
        assert_eq!(structure.valuation_of(pair.s), structure.valuation_of(pair.t));
        let steps = structure.outgoing(pair.s);
        assert_eq!(pair.answers.len(), steps.len());
        for (step, path) in steps.iter().zip(&pair.answers) {
            let (mut at, mut weight) = (path.start, 0);
            assert_eq!(at, pair.t);
            for next in path.steps() {
                assert!(is_pair(pair.s, at), "paths pass related states");
                assert!(structure.outgoing(at).contains(&next), "paths have steps of the structure");
                weight += next.weight;
                at = next.target;
            }
            assert!(is_pair(step.target, at), "paths end in related states");
            assert!(
                naive::answers(window, step.weight, weight),
                "{weight} for {} in {window:?}",
                step.weight
            );
        }
    }
}

/// Every step is unanswered once the pairs after it are refuted.
pub(super) fn check_attack(
    structure: &WeightedStructure,
    window: &Window,
    options: Options,
    attack: &Attack,
) {
    let states = structure.num_states();
    let equal = |s: usize, t: usize| structure.valuation_of(s as u32) == structure.valuation_of(t as u32);
    // Refuted pairs rest on others; there is no circle.
    let mut is_sound = vec![false; attack.pairs.len()];
    for _ in 0..attack.pairs.len() {
        for (index, pair) in attack.pairs.iter().enumerate() {
            is_sound[index] |= match &pair.reason {
                Reason::Valuations => !equal(pair.s as usize, pair.t as usize),
                Reason::Step { step, passing, ending } => {
                    assert!(structure.outgoing(pair.s).contains(step));
                    let mut left: Vec<Vec<bool>> =
                        (0..states).map(|s| (0..states).map(|t| equal(s, t)).collect()).collect();
                    for &other in passing.iter().chain(ending) {
                        let below = &attack.pairs[other];
                        left[below.s as usize][below.t as usize] = false;
                    }
                    assert!(passing.iter().all(|&other| attack.pairs[other].s == pair.s));
                    assert!(ending.iter().all(|&other| attack.pairs[other].s == step.target));
                    let sound = passing.iter().chain(ending).all(|&other| is_sound[other]);
                    let step = (pair.s, step.weight, step.target);
                    sound && !naive::answered(structure, window, &left, step, pair.t)
                }
                Reason::Stays { path, back_to, following } => {
                    assert!(options.divergence && path[0] == pair.s);
                    let zero = |from: u32, to: u32| {
                        structure.outgoing(from).contains(&WeightedStep { weight: 0, target: to })
                    };
                    assert!(path.windows(2).all(|two| zero(two[0], two[1])));
                    let last = path[path.len() - 1];
                    let blocks = |x: u32| options.blocking_diverges && structure.outgoing(x).is_empty();
                    assert!(zero(last, path[*back_to]) || (blocks(last) && *back_to == path.len() - 1));
                    let mut successors: Vec<u32> =
                        structure.outgoing(pair.t).iter().map(|step| step.target).collect();
                    successors.extend(blocks(pair.t).then_some(pair.t));
                    let refuted = |x: u32, y: u32| {
                        let is =
                            |other: &&usize| (attack.pairs[**other].s, attack.pairs[**other].t) == (x, y);
                        !equal(x as usize, y as usize)
                            || following.iter().find(is).is_some_and(|&other| is_sound[other])
                    };
                    path.iter().all(|&x| successors.iter().all(|&y| refuted(x, y)))
                }
            };
        }
    }
    assert!(is_sound.iter().all(|&sound| sound), "{window:?}: {attack:?} in {structure:?}");
}

#[test]
fn strategies_win() {
    let mut random = Random(3);
    let ratio = |text: &str| text.parse::<RBig>().expect("a fraction");
    let mut windows = vec![Window::AtMost, Window::AtLeast];
    for e in ["0", "1/2", "2"] {
        windows.push(Window::Around(ratio(e)));
        windows.push(Window::AtMostWidened(ratio(e)));
    }
    let mut deepest = 0;
    for _ in 0..400 {
        let structure = structure(&mut random);
        let states = structure.num_states() as u32;
        for window in &windows {
            let expected = naive::simulation(&structure, window);
            for s in 0..states {
                for t in 0..states {
                    let verdict =
                        related(&structure, (s, t), window, Options::default(), &Control::unlimited());
                    match verdict.expect("no limits") {
                        Verdict::Related(defence) => {
                            assert!(
                                expected[s as usize][t as usize],
                                "{window:?}: {s}, {t} of {structure:?}"
                            );
                            let first = defence.pairs.first().map(|pair| (pair.s, pair.t));
                            assert_eq!(first, (s != t).then_some((s, t)));
                            check_defence(&structure, window, &defence);
                        }
                        Verdict::Unrelated(attack) => {
                            assert!(
                                !expected[s as usize][t as usize],
                                "{window:?}: {s}, {t} of {structure:?}"
                            );
                            assert_eq!((attack.pairs[0].s, attack.pairs[0].t), (s, t));
                            check_attack(&structure, window, Options::default(), &attack);
                            deepest = deepest.max(attack.pairs.len());
                        }
                    }
                }
            }
        }
    }
    assert!(deepest > 5, "strategies have several moves: {deepest}");
}
