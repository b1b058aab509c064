//! Rational arithmetic and floating point agree.

use volvelle_control::Control;
use volvelle_logic::{LabelId, Ratio, RewardId};
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
        for which in 0..Builder::KINDS_OF_VALUES {
            let mut b = Builder::default();
            let formula = b.kind_of_value(which, kind, [LEFT, RIGHT], REWARD);
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
