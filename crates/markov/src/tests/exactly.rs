//! Rational arithmetic and floating point agree.

use volvelle_control::Control;
use volvelle_logic::{Formula, LabelId, Optimum, Query, Ratio, RewardId, RewardQuery, TimeBound};
use volvelle_reference::{Builder, Random, label, numbers_of, random_rows, random_set, rewards, space};
use volvelle_solver::Options;
use volvelle_space::Kind;

use crate::{ExactValues, StateValues, check_states, check_states_exactly};

const LEFT: LabelId = LabelId(0);
const RIGHT: LabelId = LabelId(1);
const REWARD: RewardId = RewardId(0);

#[test]
fn exact_values_lie_within_the_bounds_of_floating_point() {
    let mut random = Random(6);
    for round in 0..80 {
        let kind = [Kind::Dtmc, Kind::Ctmc, Kind::Mdp][round % 3];
        let rows = random_rows(&mut random, 7, if kind == Kind::Mdp { 3 } else { 1 });
        let mut space = space(kind, &rows);
        if kind == Kind::Ctmc {
            space.values = space.values.iter().map(|v| v * [1.0, 3.0, 0.25][random.below(3)]).collect();
        }
        let n = space.num_states();
        let right = random_set(&mut random, n, 4);
        label(&mut space, "left", random_set(&mut random, n, 5).complement());
        label(&mut space, "right", right);
        rewards(&mut space, (0..n).map(|_| random.below(4) as f64 * 0.5).collect());
        let ask = |b: &mut Builder, which: usize| {
            let right = b.label(RIGHT);
            let path = b.finally(right, TimeBound::NONE);
            let optimum = Some(Optimum::Max);
            match which {
                0 => b.probability(path, optimum),
                1 => b.reward(REWARD, RewardQuery::Reach(path), optimum),
                2 => b.add(Formula::Time { optimum, query: Query::Value, path }),
                3 => {
                    // One after the other, by way of an automaton.
                    let left = b.label(LEFT);
                    let then = b.finally(left, TimeBound::NONE);
                    let first = b.add(Formula::And(right, then));
                    let path = b.finally(first, TimeBound::NONE);
                    b.reward(REWARD, RewardQuery::Reach(path), optimum)
                }
                4 => b.add(Formula::Exists(path)),
                _ if kind == Kind::Mdp => b.probability(path, Some(Optimum::Min)),
                _ => b.add(Formula::Steady { optimum, query: Query::Value, states: right }),
            }
        };
        for which in 0..6 {
            let mut b = Builder::default();
            let formula = ask(&mut b, which);
            let property = b.property(formula);
            let (options, control) = (Options::default(), Control::unlimited());
            let all =
                check_states_exactly(&space, &numbers_of(&space), &property, &options, &control).unwrap();
            let rough = check_states(&space, &property, &[], &options, None, &control).unwrap();
            match (all, rough) {
                (ExactValues::Bool(all), StateValues::Bool(rough)) => assert_eq!(all, rough),
                (ExactValues::Number(all), StateValues::Number(rough)) => {
                    for (s, (value, [lo, hi])) in all.iter().zip(rough.bounds).enumerate() {
                        let (lo, hi) = (Ratio::of_double(lo).unwrap(), Ratio::of_double(hi).unwrap());
                        assert!(lo <= *value && *value <= hi, "state {s}: {value} in {lo}..{hi}");
                    }
                }
                (all, rough) => panic!("{all:?} {rough:?}"),
            }
        }
    }
}
