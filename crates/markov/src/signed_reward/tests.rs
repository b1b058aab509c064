//! Against linear equations over rationals, policy by policy.

#![allow(clippy::needless_range_loop, reason = "states are numbers in several tables")]

use super::*;
use crate::testing::{
    self, Random, exact, exact_long_run, exact_reward, exact_total, policies, random_rows, random_set,
};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{Property, Ratio, RewardQuery, Value};
use volvelle_space::{ExactRewards, ExactSpace, Kind, RewardVectors, Space};

fn with_rewards(random: &mut Random, space: &mut Space) -> Vec<f64> {
    let state: Vec<f64> = (0..space.num_states()).map(|_| random.below(7) as f64 / 2.0 - 1.5).collect();
    let choice: Vec<f64> = (0..space.num_choices()).map(|_| random.below(5) as f64 / 4.0 - 0.5).collect();
    let mut all = choice.clone();
    for s in 0..space.num_states() {
        for c in space.choices_of(s) {
            all[c] += state[s];
        }
    }
    space.rewards.push(RewardVectors {
        name: "r".to_string(),
        state: Some(state.into()),
        choice: Some(choice.into()),
        mixed: false,
        accuracy: Default::default(),
    });
    all
}

#[test]
fn optima_are_those_of_the_policies_that_arrive() {
    let mut random = Random(41);
    let (mut finite, mut infinite, mut refused, mut given_up) = (0, 0, 0, 0);
    let mut narrow = 0;
    for case in 0..150 {
        let rows = random_rows(&mut random, 5, 3);
        let mut space = testing::space(Kind::Mdp, &rows);
        let reward = with_rewards(&mut random, &mut space);
        let target = random_set(&mut random, 5, 3);
        let control = Control::unlimited();
        let context = Context::new(&space, Options { precision: 1e-9, ..Options::default() }, &control);
        for optimum in [Optimum::Min, Optimum::Max] {
            let found = match reachability(&context, RewardId(0), &reward, &target, optimum) {
                Ok(found) => found,
                Err(CheckError::EndlessLoss { .. }) => {
                    refused += 1;
                    continue;
                }
                // Ways of 10^13 steps.
                Err(CheckError::NotYetEvaluated { .. }) => {
                    given_up += 1;
                    continue;
                }
                Err(error) => panic!("{case}: {error}"),
            };
            let mut best: Vec<Option<Option<RBig>>> = vec![None; 5];
            for (chain, taken) in policies(&space) {
                let earned: Vec<f64> = taken.iter().map(|&choice| reward[choice]).collect();
                for (best, value) in best.iter_mut().zip(exact_reward(&chain, &earned, &target)) {
                    *best = Some(match best.take() {
                        None => value,
                        Some(best) => testing::pick(optimum, best, value),
                    });
                }
            }
            for s in 0..5 {
                let [lo, hi] = found.bounds[s];
                match best[s].clone().unwrap() {
                    None => {
                        assert_eq!([lo, hi], [f64::INFINITY; 2], "{case} {s} {optimum:?}");
                        infinite += 1;
                    }
                    Some(truth) => {
                        let inside = exact(lo) <= truth && truth <= exact(hi);
                        assert!(
                            inside,
                            "{case} {s} {optimum:?}: [{lo:e}, {hi:e}] {}",
                            truth.to_f64().value()
                        );
                        // Tiny probabilities make some ways long, on which much may be lost.
                        narrow += usize::from(hi - lo <= 1e-3);
                        finite += 1;
                    }
                }
            }
        }
    }
    assert!(narrow > 9 * finite / 10, "{narrow} of {finite}");
    assert!(
        finite > 300 && infinite > 100 && refused > 10 && given_up < 15,
        "{finite} {infinite} {refused} {given_up}"
    );
}

#[test]
fn chains_have_the_difference_of_gains_and_losses() {
    let mut random = Random(42);
    let mut finite = 0;
    for case in 0..40 {
        let rows = random_rows(&mut random, 5, 1);
        let mut space = testing::space(Kind::Dtmc, &rows);
        let reward = with_rewards(&mut random, &mut space);
        let goal = testing::label(&mut space, "goal", random_set(&mut random, 5, 3));
        let mut builder = testing::Builder::default();
        let goal_id = builder.label(goal);
        let path = builder.finally(goal_id, volvelle_logic::TimeBound::NONE);
        let root = builder.reward(RewardId(0), RewardQuery::Reach(path), None);
        let property: Property = builder.property(root);
        let control = Control::unlimited();
        let answer = crate::check(&space, &property, &[], &Options::default(), &control).unwrap();
        let chain = (0..5).map(|s| space.transitions(s).collect()).collect();
        let truth = exact_reward(&chain, &reward, &space.labels[0].1).swap_remove(0);
        match (truth, answer.value) {
            (None, value) => assert_eq!(value, Value::Number(f64::INFINITY), "{case}"),
            (Some(truth), Value::Number(value)) => {
                let [lo, hi] = answer.guarantee.interval().unwrap_or([value; 2]);
                assert!(exact(lo) <= truth && truth <= exact(hi), "{case}: [{lo:e}, {hi:e}]");
                finite += 1;
            }
            other => panic!("{case}: {other:?}"),
        }
    }
    assert!(finite > 15, "{finite}");
}

#[test]
fn infinite_gains_with_infinite_losses_are_refused() {
    let mut space = testing::parse(Kind::Dtmc, "0: 0.5:1 0.5:2\n1: 1:1\n2: 1:2");
    testing::rewards(&mut space, vec![0.0, 1.0, -1.0]);
    let mut builder = testing::Builder::default();
    let root = builder.reward(RewardId(0), RewardQuery::Total, None);
    let property = builder.property(root);
    let control = Control::unlimited();
    let answer = crate::check(&space, &property, &[], &Options::default(), &control);
    assert!(matches!(answer, Err(CheckError::Undefined { .. })), "{answer:?}");
    space.rewards[0].state = Some(vec![3.0, 0.0, -1.0].into());
    let answer = crate::check(&space, &property, &[], &Options::default(), &control);
    assert_eq!(answer.unwrap().value, Value::Number(f64::NEG_INFINITY));
}

#[test]
fn totals_are_those_of_the_best_policies() {
    let mut random = Random(43);
    let (mut finite, mut infinite, mut negative, mut refused, mut narrow) = (0, 0, 0, 0, 0);
    for case in 0..150 {
        let rows = random_rows(&mut random, 5, 3);
        let space = testing::space(Kind::Mdp, &rows);
        let everywhere = BitSet::full(5);
        let components = end_components(&space, &everywhere, |_| true);
        let pays = random.one_in(3);
        let reward: Vec<f64> = (0..space.num_choices())
            .map(|choice| match components.staying.contains(choice) {
                true if random.one_in(20) => -1.0,
                true if pays && random.one_in(3) => 0.5,
                true => 0.0,
                false => random.below(9) as f64 / 4.0 - 1.25,
            })
            .collect();
        let control = Control::unlimited();
        let context = Context::new(&space, Options { precision: 1e-9, ..Options::default() }, &control);
        for optimum in [Optimum::Min, Optimum::Max] {
            let found = match total(&context, RewardId(0), &reward, optimum) {
                Ok(Some(found)) => found,
                Ok(None) => {
                    refused += 1;
                    continue;
                }
                // Ways of 10^13 steps.
                Err(CheckError::NotYetEvaluated { .. }) => continue,
                Err(error) => panic!("{case}: {error}"),
            };
            let mut best: Vec<Option<Option<RBig>>> = vec![None; 5];
            for (chain, taken) in policies(&space) {
                let part = |sign: f64| -> Vec<f64> {
                    taken.iter().map(|&choice| (sign * reward[choice]).max(0.0)).collect()
                };
                let [gains, losses] = [1.0, -1.0].map(|sign| exact_total(&chain, &part(sign)));
                for ((best, gain), loss) in best.iter_mut().zip(gains).zip(losses) {
                    let value = gain.map(|gain| gain - loss.unwrap());
                    *best = Some(match best.take() {
                        None => value,
                        Some(best) => testing::pick(optimum, best, value),
                    });
                }
            }
            for (s, (best, &[lo, hi])) in best.into_iter().zip(&found.bounds).enumerate() {
                let Some(truth) = best.unwrap() else {
                    assert_eq!([lo, hi], [f64::INFINITY; 2], "{case} {s} {optimum:?}");
                    infinite += 1;
                    continue;
                };
                let inside = exact(lo) <= truth && truth <= exact(hi);
                let what = format!("{case} {s} {optimum:?}: [{lo:e}, {hi:e}] {}", truth.to_f64().value());
                assert!(inside, "{what}");
                narrow += usize::from(hi - lo <= 1e-3);
                finite += 1;
                negative += usize::from(hi < 0.0);
            }
        }
    }
    let counts = format!("{finite} {infinite} {negative} {refused} {narrow}");
    assert!(narrow > 9 * finite / 10, "{counts}");
    assert!(finite > 300 && infinite > 50 && negative > 50 && refused > 10, "{counts}");
}

#[test]
fn steps_and_averages_are_those_of_rational_arithmetic() {
    let mut random = Random(44);
    let (mut negative, mut different, mut wide) = (0, 0, 0);
    for case in 0..60 {
        let rows = random_rows(&mut random, 5, 3);
        let mut space = testing::space(Kind::Mdp, &rows);
        let reward = with_rewards(&mut random, &mut space);
        let of_states = space.rewards[0].state.as_ref().unwrap().to_vec();
        let numbers = ExactSpace {
            values: space.values.iter().map(exact).collect(),
            rewards: vec![ExactRewards {
                state: Some(of_states.iter().map(|&r| exact(r)).collect()),
                choice: space.rewards[0].choice.as_ref().map(|v| v.iter().map(exact).collect()),
            }],
            numbers: vec![],
        };
        for optimum in [Optimum::Min, Optimum::Max] {
            let better = |a: RBig, b: RBig| if optimum == Optimum::Min { a.min(b) } else { a.max(b) };
            // By backward induction, and policy by policy.
            let back = |start: Vec<RBig>, steps: usize, gains: bool| {
                (0..steps).fold(start, |after, _| {
                    let of_choice = |choice: usize| {
                        let gain = if gains { exact(reward[choice]) } else { RBig::ZERO };
                        space.transitions(choice).fold(gain, |sum, (t, v)| sum + exact(v) * &after[t])
                    };
                    (0..5).map(|s| space.choices_of(s).map(of_choice).reduce(better).unwrap()).collect()
                })
            };
            let averages = policies(&space).map(|(chain, taken)| {
                let earned: Vec<f64> = taken.iter().map(|&choice| reward[choice]).collect();
                exact_long_run(&chain, &earned)
            });
            let averages = averages.reduce(|a, b| a.into_iter().zip(b).map(|(a, b)| better(a, b)).collect());
            let initially = of_states.iter().map(|&r| exact(r)).collect();
            let truths = [
                (RewardQuery::Cumulative(4.0), back(vec![RBig::ZERO; 5], 4, true)),
                (RewardQuery::Instantaneous(3.0), back(initially, 3, false)),
                (RewardQuery::LongRun, averages.unwrap()),
            ];
            for (what, truth) in truths {
                let mut builder = testing::Builder::default();
                let root = builder.reward(RewardId(0), what, Some(optimum));
                let property: Property = builder.property(root);
                let (options, control) = (Options::default(), Control::unlimited());
                let states = crate::check_states(&space, &property, &[], &options, None, &control).unwrap();
                let rational =
                    crate::check_states_exactly(&space, &numbers, &property, &options, &control).unwrap();
                let (crate::StateValues::Number(found), crate::ExactValues::Number(rational)) =
                    (states, rational)
                else {
                    panic!("numbers are expected")
                };
                for s in 0..5 {
                    let [lo, hi] = found.bounds[s];
                    assert!(
                        exact(lo) <= truth[s] && truth[s] <= exact(hi),
                        "{case} {s} {what:?} {optimum:?}"
                    );
                    // Tiny probabilities make some averages take long.
                    wide += usize::from(hi - lo > 1e-4);
                    assert_eq!(rational[s], Ratio::Finite(truth[s].clone()), "{case} {s} {what:?}");
                    negative += usize::from(hi < 0.0);
                    different += usize::from(lo != hi);
                }
            }
        }
    }
    assert!(negative > 200 && different > 200 && wide < 50, "{negative} {different} {wide}");
}
