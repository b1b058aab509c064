//! Against linear equations over rationals, policy by policy.

#![allow(clippy::needless_range_loop, reason = "states are numbers in several tables")]

use super::*;
use crate::testing::{self, Random, exact, exact_reward, policies, random_rows, random_set};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{Property, RewardQuery, Value};
use volvelle_space::{Kind, RewardVectors, Space};

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
