//! Against linear equations over rationals, policy by policy.

#![allow(clippy::needless_range_loop, reason = "states are numbers in several tables")]

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{Optimum, Property, Ratio, RewardId, RewardQuery, Value};
use volvelle_reference::{
    self as reference, Random, exact, exact_long_run, exact_reward, policies, random_rows, random_set,
    signed::{encloses, least_total, least_until},
};
use volvelle_solver::graph::end_components;
use volvelle_solver::signed_reward::*;
use volvelle_solver::{CheckError, Context, Options};
use volvelle_space::{BitSet, ExactRewards, ExactSpace, Kind, RewardVectors, Space};

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
fn attack_optima_are_those_of_the_policies_that_arrive() {
    let mut random = Random(41);
    let (mut finite, mut infinite, mut endless, mut refused, mut given_up) = (0, 0, 0, 0, 0);
    let mut narrow = 0;
    for case in volvelle_random::attack_cases(150) {
        let rows = random_rows(&mut random, 5, 3);
        let mut space = reference::space(Kind::Mdp, &rows);
        let reward = with_rewards(&mut random, &mut space);
        let target = random_set(&mut random, 5, 3);
        let control = Control::unlimited();
        let context = Context::new(&space, Options { precision: 1e-9, ..Options::default() }, &control);
        for optimum in [Optimum::Min, Optimum::Max] {
            let found = match reachability(&context, RewardId(0), &reward, &target, optimum) {
                Ok(found) => found,
                Err(CheckError::BalancedLoss { .. }) => {
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
            let truths = match optimum {
                Optimum::Min => least_until(&space, &reward, &target),
                Optimum::Max => largest(&space, &reward, &target),
            };
            for (s, (truth, &[lo, hi])) in truths.iter().zip(&found.bounds).enumerate() {
                let what = format!("{case} {s} {optimum:?}: [{lo:e}, {hi:e}] {truth:?}");
                assert!(encloses([lo, hi], truth), "{what}");
                match truth {
                    Ratio::Finite(_) => {
                        // Tiny probabilities make some ways long, on which much may be lost.
                        narrow += usize::from(hi - lo <= 1e-3);
                        finite += 1;
                    }
                    Ratio::Infinity => {
                        assert_eq!(lo, hi, "{what}");
                        infinite += 1;
                    }
                    Ratio::MinusInfinity => {
                        assert_eq!(lo, hi, "{what}");
                        endless += 1;
                    }
                }
            }
        }
    }
    assert!(narrow > 9 * finite / 10, "{narrow} of {finite}");
    assert!(
        finite > 300 && infinite > 100 && endless > 50 && refused < 60 && given_up < 15,
        "{finite} {infinite} {endless} {refused} {given_up}"
    );
}

/// Every policy arrives, or the largest reward is infinite.
fn largest(space: &Space, reward: &[f64], target: &BitSet) -> Vec<Ratio> {
    let mut best: Vec<Ratio> = vec![Ratio::MinusInfinity; space.num_states()];
    for (chain, taken) in policies(space) {
        let earned: Vec<f64> = taken.iter().map(|&choice| reward[choice]).collect();
        for (best, value) in best.iter_mut().zip(exact_reward(&chain, &earned, target)) {
            *best = best.clone().max(value.map_or(Ratio::Infinity, Ratio::Finite));
        }
    }
    best
}

#[test]
fn chains_have_the_difference_of_gains_and_losses() {
    let mut random = Random(42);
    let mut finite = 0;
    for case in 0..40 {
        let rows = random_rows(&mut random, 5, 1);
        let mut space = reference::space(Kind::Dtmc, &rows);
        let reward = with_rewards(&mut random, &mut space);
        let goal = reference::label(&mut space, "goal", random_set(&mut random, 5, 3));
        let mut builder = reference::Builder::default();
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
    let mut space = reference::parse(Kind::Dtmc, "0: 0.5:1 0.5:2\n1: 1:1\n2: 1:2");
    reference::rewards(&mut space, vec![0.0, 1.0, -1.0]);
    let mut builder = reference::Builder::default();
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
fn attack_totals_are_those_of_the_best_policies() {
    let mut random = Random(43);
    let (mut finite, mut infinite, mut endless, mut negative, mut refused, mut narrow) = (0, 0, 0, 0, 0, 0);
    let (mut asked, mut given_up) = (0, 0);
    for case in volvelle_random::attack_cases(200) {
        let rows = random_rows(&mut random, 5, 3);
        let space = reference::space(Kind::Mdp, &rows);
        let everywhere = BitSet::full(5);
        let components = end_components(&space, &everywhere, |_| true);
        let shape = random.below(4);
        let reward: Vec<f64> = (0..space.num_choices())
            .map(|choice| match (components.staying.contains(choice), shape) {
                (true, 0) if random.one_in(2) => random.below(9) as f64 / 4.0 - 1.0,
                (true, 1) if random.one_in(3) => 0.5,
                (true, 2) if random.one_in(3) => -1.0,
                (true, _) => 0.0,
                (false, _) => random.below(9) as f64 / 4.0 - 1.25,
            })
            .collect();
        let control = Control::unlimited();
        let context = Context::new(&space, Options { precision: 1e-9, ..Options::default() }, &control);
        for optimum in [Optimum::Min, Optimum::Max] {
            let found = match total(&context, RewardId(0), &reward, optimum) {
                Ok(Some(found)) => found,
                Ok(None) | Err(CheckError::BalancedLoss { .. }) => {
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
            asked += 1;
            let truths: Vec<Ratio> = match optimum {
                Optimum::Min => least_total(&space, &reward),
                Optimum::Max => {
                    let negated: Vec<f64> = reward.iter().map(|r| -r).collect();
                    least_total(&space, &negated).iter().map(reference::signed::negative).collect()
                }
            };
            for (s, (truth, &[lo, hi])) in truths.iter().zip(&found.bounds).enumerate() {
                let what = format!("{case} {s} {optimum:?}: [{lo:e}, {hi:e}] {truth:?} {reward:?}");
                assert!(encloses([lo, hi], truth), "{what}");
                match truth {
                    Ratio::Finite(_) => {
                        narrow += usize::from(hi - lo <= 1e-3);
                        finite += 1;
                        negative += usize::from(hi < 0.0);
                    }
                    Ratio::Infinity => infinite += 1,
                    Ratio::MinusInfinity => endless += 1,
                }
            }
        }
    }
    let counts = format!("{finite} {infinite} {endless} {negative} {refused} {narrow}");
    assert!(narrow > 9 * finite / 10, "{counts}");
    assert!(given_up <= asked / 50, "{given_up} of {asked}");
    assert!(finite > 300 && infinite > 50 && endless > 50 && negative > 50 && refused > 2, "{counts}");
}

/// What is left when the endless states are set aside may lose nothing at all, and have no loss to compare rewards with.
#[test]
fn totals_without_a_loss_that_is_left() {
    let space =
        reference::parse(Kind::Mdp, "0: 0.9:1 0.1:2\n0: 1:3\n1: 0.9:0 0.1:2\n2: 1:2\n3: 1:0\n4: 0.5:4 0.5:2");
    let control = Control::unlimited();
    let context = Context::new(&space, Options::default(), &control);
    for (gain, of_last) in [(0.0, 0.0), (3.0, 6.0)] {
        let reward = [-10.0, 3.0, -10.0, 0.0, -1.0, gain];
        let found = total(&context, RewardId(0), &reward, Optimum::Max).unwrap().unwrap();
        assert_eq!(found.bounds[0], [f64::INFINITY; 2]);
        for (s, truth) in [(2, 0.0), (4, of_last)] {
            assert!(encloses(found.bounds[s], &Ratio::Finite(exact(truth))), "{:?}", found.bounds);
            assert!(found.bounds[s][1] - found.bounds[s][0] < 1e-6, "{:?}", found.bounds);
        }
    }
}

#[test]
fn steps_and_averages_are_those_of_rational_arithmetic() {
    let mut random = Random(44);
    let (mut negative, mut different, mut wide) = (0, 0, 0);
    for case in 0..60 {
        let rows = random_rows(&mut random, 5, 3);
        let mut space = reference::space(Kind::Mdp, &rows);
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
                let mut builder = reference::Builder::default();
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

/// From each of four states of a cycle there is a way out; what the cycle earns decides.
#[test]
fn cycles_with_gains_and_losses_are_left_or_not() {
    let space = reference::parse(Kind::Mdp, "0: 0.9:1 0.1:2\n0: 1:3\n1: 0.9:0 0.1:2\n2: 1:2\n3: 1:0");
    let control = Control::unlimited();
    let context = Context::new(&space, Options::default(), &control);
    let target = BitSet::of(4, [2]);
    let ask = |reward: [f64; 5]| {
        reachability(&context, RewardId(0), &reward, &target, Optimum::Min).map(|found| found.bounds[0])
    };
    let [lo, hi] = ask([-10.0, 3.0, -10.0, 0.0, -1.0]).unwrap();
    assert!(lo <= -100.0 && -100.0 <= hi && hi - lo < 1e-3, "{lo} {hi}");
    assert_eq!(ask([-10.0, 3.0, -10.0, 0.0, -3.5]).unwrap(), [f64::NEG_INFINITY; 2]);
    assert!(matches!(ask([-10.0, 3.0, -10.0, 0.0, -3.0]), Err(CheckError::BalancedLoss { .. })));
}
