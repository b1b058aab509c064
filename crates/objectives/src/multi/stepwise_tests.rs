//! Directions by value iteration over steps against the product with a counter.

use volvelle_control::Control;
use volvelle_logic::{Answer, Goal, Guarantee, RewardId, Value};
use volvelle_reference::{Random, random_rows, space};
use volvelle_solver::reward::Rewards;
use volvelle_solver::{CheckError, Context, Options};
use volvelle_space::{Accuracy, Kind, RewardVectors};

use super::{Asked, Measure, Objective, multi, prepare, query};

/// What is known of an answer: bounds, or a verdict as 0 or 1.
fn known(answer: &Answer) -> [f64; 2] {
    match (&answer.value, &answer.guarantee) {
        (Value::Bool(met), _) => [f64::from(u8::from(*met)) + 1e9; 2],
        (_, Guarantee::Sound { lo, hi, .. }) => [*lo, *hi],
        (Value::Number(value), _) => [*value; 2],
        (other, _) => panic!("{other:?}"),
    }
}

#[test]
fn steps_without_a_product_agree_with_those_of_the_product() {
    let mut random = Random(91);
    let (mut numbers, mut verdicts, mut curves) = (0, 0, 0);
    for case in 0..150 {
        let states = 2 + random.below(5);
        let mut space = space(Kind::Mdp, &random_rows(&mut random, states, 3));
        for name in ["x", "y"] {
            let mut some = |count: usize| {
                (0..count).map(|_| [0.0, 1.0, 0.25, 3.0][random.below(4)]).collect::<Vec<f64>>()
            };
            space.rewards.push(RewardVectors {
                name: name.to_string(),
                state: Some(some(states).into()),
                choice: Some(some(space.num_choices()).into()),
                accuracy: Accuracy::Exact,
                mixed: false,
            });
        }
        let steps = [random.below(7) as u64, random.below(7) as u64];
        let bound = [0.5, 2.0, 5.0][random.below(3)];
        let goals = match random.below(5) {
            0 => [Goal::Maximise, Goal::AtMost(bound)],
            1 => [Goal::Minimise, Goal::AtLeast(bound)],
            2 => [Goal::AtLeast(bound), Goal::LessThan(bound)],
            3 => [Goal::MoreThan(bound), Goal::AtLeast(bound)],
            _ => [Goal::Maximise, Goal::Minimise],
        };
        let objectives = || -> Vec<Objective> {
            let each = goals.into_iter().zip(steps).enumerate();
            each.map(|(id, (goal, steps))| Objective {
                measure: Measure::Reward(RewardId(id as u32), Some(steps)),
                goal,
                bound: [bound; 2],
            })
            .collect()
        };
        let control = Control::unlimited();
        let context = Context::new(&space, Options::default(), &control);
        let found = multi(&context, 0, objectives());
        let all: Vec<Asked> = (0..2).map(Asked::value).collect();
        let prepared =
            prepare(&context, 0, (&objectives(), &all, &[]), |id| Rewards::of_choices(&context, id)).unwrap();
        let inner = context.inner(&space, prepared.options, &control);
        let expected =
            query::answer(&inner, prepared.quotient.as_ref(), &prepared.cost, &prepared.targets, "product");
        let what = format!("case {case}: {goals:?} {steps:?}");
        let (found, expected) = match (found, expected) {
            (Ok(found), Ok(expected)) => (found, expected),
            (Err(CheckError::OnTheEdge { .. }), _) | (_, Err(CheckError::OnTheEdge { .. })) => continue,
            (found, expected) => panic!("{what}: {found:?} {expected:?}"),
        };
        if let (Value::Pareto(found), Value::Pareto(expected)) = (&found.value, &expected.value) {
            curves += 1;
            let ends = |points: &[Vec<f64>]| [points[0].clone(), points[points.len() - 1].clone()];
            for (a, b) in ends(found).iter().flatten().zip(ends(expected).iter().flatten()) {
                assert!((a - b).abs() < 1e-3, "{what}: {found:?} {expected:?}");
            }
            continue;
        }
        let ([lo, hi], [low, high]) = (known(&found), known(&expected));
        assert!(lo <= high + 1e-9 && low <= hi + 1e-9, "{what}: {found:?} {expected:?}");
        numbers += usize::from(matches!(found.value, Value::Number(_)));
        verdicts += usize::from(matches!(found.value, Value::Bool(_)));
    }
    assert!(numbers > 25 && verdicts > 30 && curves > 15, "{numbers} {verdicts} {curves}");
}
