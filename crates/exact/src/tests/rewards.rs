//! Rewards of both signs, discounted rewards, and rewards under a condition, policy by policy.

#![allow(clippy::needless_range_loop, reason = "states are numbers in several tables")]

use crate::Values;
use crate::check_states_exactly;
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{LabelId, Optimum, Ratio, RewardId, RewardQuery, TimeBound};
use volvelle_reference::signed::{least_total, least_until, negative};
use volvelle_reference::*;
use volvelle_solver::{CheckError, Options};
use volvelle_space::{BitSet, Kind, Space};

const STATES: usize = 4;

/// The values of a reward in all states.
fn asked(
    space: &Space,
    optimum: Option<Optimum>,
    factor: Option<(f64, RBig)>,
    what: impl Fn(&mut Builder) -> RewardQuery,
) -> Result<Vec<Ratio>, CheckError> {
    let mut b = Builder::default();
    let what = what(&mut b);
    let reward = b.reward(RewardId(0), what, optimum);
    if let Some((double, factor)) = factor {
        b.0.set_exact_discount(double, Some(factor));
    }
    let (exact, options) = (numbers_of(space), Options::default());
    match check_states_exactly(space, &exact, &b.property(reward), &options, &Control::unlimited())? {
        Values::Number(values) => Ok(values),
        other => panic!("{other:?}"),
    }
}

/// The best of the policies, state by state; `None` is infinite.
fn best(space: &Space, optimum: Optimum, of: impl Fn(&Chain) -> Vec<Option<RBig>>) -> Vec<Ratio> {
    let value = |v: Option<RBig>| v.map_or(Ratio::Infinity, Ratio::Finite);
    let mut best: Option<Vec<Ratio>> = None;
    for (chain, _) in policies(space) {
        let found: Vec<Ratio> = of(&chain).into_iter().map(value).collect();
        let better =
            |(old, new): (Ratio, Ratio)| if optimum == Optimum::Max { old.max(new) } else { old.min(new) };
        best = Some(match best {
            None => found,
            Some(best) => best.into_iter().zip(found).map(better).collect(),
        });
    }
    best.expect("a policy")
}

fn model(random: &mut Random, kind: Kind) -> (Space, BitSet, Vec<f64>) {
    let rows = random_rows(random, STATES, if kind == Kind::Mdp { 3 } else { 1 });
    let mut space = space(kind, &rows);
    let target = random_set(random, STATES, 3);
    let reward: Vec<f64> = (0..STATES).map(|_| random.below(9) as f64 / 4.0 - 1.0).collect();
    label(&mut space, "target", target.clone());
    rewards(&mut space, reward.clone());
    (space, target, reward)
}

#[test]
fn attack_gains_and_losses() {
    let mut random = Random(91);
    let (mut reached, mut earned, mut endless) = (0, 0, 0);
    for case in volvelle_random::attack_cases(200) {
        let case = case as usize;
        let (space, target, reward) = model(&mut random, Kind::Mdp);
        let optimum = [Optimum::Min, Optimum::Max][case % 2];
        let query = |b: &mut Builder| {
            let target = b.label(LabelId(0));
            RewardQuery::Reach(b.finally(target, TimeBound::NONE))
        };
        let of_choice = |sign: f64| -> Vec<f64> {
            (0..STATES).flat_map(|s| space.choices_of(s).map(move |_| s)).map(|s| sign * reward[s]).collect()
        };
        let found =
            asked(&space, Some(optimum), None, query).unwrap_or_else(|error| panic!("{case} {error:?}"));
        let truth = match optimum {
            Optimum::Min => least_until(&space, &of_choice(1.0), &target),
            Optimum::Max => best(&space, optimum, |chain| exact_reward(chain, &reward, &target)),
        };
        assert_eq!(found, truth, "{case}");
        reached += 1;
        endless += usize::from(found.contains(&Ratio::MinusInfinity));
        match asked(&space, Some(optimum), None, |_| RewardQuery::Total) {
            Ok(found) => {
                let truth: Vec<Ratio> = match optimum {
                    Optimum::Min => least_total(&space, &of_choice(1.0)),
                    Optimum::Max => least_total(&space, &of_choice(-1.0)).iter().map(negative).collect(),
                };
                assert_eq!(found, truth, "{case}");
                earned += 1;
            }
            Err(error) => assert!(matches!(error, CheckError::NegativeReward { .. }), "{case} {error:?}"),
        }
    }
    assert!(reached > 100 && earned > 40 && endless > 20, "{reached} {earned} {endless}");
}

#[test]
fn discounts() {
    let mut random = Random(92);
    for case in 0..120 {
        let kind = if case % 3 == 0 { Kind::Dtmc } else { Kind::Mdp };
        let (space, _, reward) = model(&mut random, kind);
        // A factor that no double is.
        let thirds = 1 + random.below(2) as u64;
        let factor = RBig::from_parts(thirds.into(), 3u8.into());
        let (double, rest) = (factor.to_f64().value(), (RBig::ONE - &factor).to_f64().value());
        let optimum = [Optimum::Min, Optimum::Max][case % 2];
        let steps = random.below(5);
        let ask = |upto: Option<f64>| {
            let query = |_: &mut Builder| RewardQuery::Discounted { factor: double, rest, upto };
            let optimum = (kind == Kind::Mdp).then_some(optimum);
            asked(&space, optimum, Some((double, factor.clone())), query).unwrap()
        };
        let for_ever = best(&space, optimum, |chain| {
            let mut a = vec![vec![RBig::ZERO; STATES]; STATES];
            for s in 0..STATES {
                a[s][s] = RBig::ONE;
                for &(t, v) in &chain[s] {
                    a[s][t] = &a[s][t] - &factor * exact(v);
                }
            }
            let b = reward.iter().map(|&r| exact(r)).collect();
            solve_exactly(a, b).unwrap().into_iter().map(Some).collect()
        });
        assert_eq!(ask(None), for_ever, "{case}");
        let mut values = vec![RBig::ZERO; STATES];
        for _ in 0..steps {
            let of = |s: usize, choice: usize| {
                let later = space.transitions(choice).map(|(t, v)| &factor * exact(v) * &values[t]);
                later.fold(exact(reward[s]), |sum, value| sum + value)
            };
            values = (0..STATES)
                .map(|s| {
                    let all = space.choices_of(s).map(|choice| of(s, choice));
                    if optimum == Optimum::Max { all.max() } else { all.min() }.unwrap()
                })
                .collect();
        }
        let found = ask(Some(steps as f64));
        assert_eq!(found, values.into_iter().map(Ratio::Finite).collect::<Vec<_>>(), "{case}");
    }
}

/// A scheduler that tosses a fair coin for the same stake, as often as it likes, waits until it has lost as much as it likes.
#[test]
fn fair_games_have_no_least_value() {
    let mut space = parse(Kind::Mdp, "0: 0.5:1 0.5:2\n0: 1:3\n1: 1:0\n2: 1:0\n3: 1:3");
    label(&mut space, "target", BitSet::of(4, [3]));
    rewards(&mut space, vec![0.0, 1.0, -1.0, 0.0]);
    let ask = |space: &Space| {
        asked(space, Some(Optimum::Min), None, |b: &mut Builder| {
            let target = b.label(LabelId(0));
            RewardQuery::Reach(b.finally(target, TimeBound::NONE))
        })
        .unwrap()[0]
            .clone()
    };
    assert_eq!(ask(&space), Ratio::MinusInfinity);
    // What one step pays, the other gives back: there is nothing to be had.
    space.rewards[0].state = Some(vec![-1.0, 1.0, 1.0, 0.0].into());
    assert_eq!(ask(&space), Ratio::Finite(RBig::from(-1)));
}
