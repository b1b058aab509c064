//! Small models with known fractions, ties, large components, and refusals.

use super::against_dense::values;
use crate::check_exactly;
use dashu_ratio::RBig;
use volvelle_control::{Cancel, Control};
use volvelle_logic::{
    Answer, Bound, Comparison, Formula, Optimum, Property, Query, Ratio, RewardQuery, TimeBound, Value, gate,
};
use volvelle_reference::*;
use volvelle_solver::{CheckError, Options};
use volvelle_space::{BitSet, ExactSpace, Kind, Space};

fn ratio(numerator: i64, denominator: u64) -> RBig {
    RBig::from_parts(numerator.into(), denominator.into())
}

fn ask(space: &Space, exact: &ExactSpace, property: &Property) -> Result<Answer, CheckError> {
    check_exactly(space, exact, property, &Options::default(), &Control::unlimited())
}

fn set(len: usize, members: &[usize]) -> BitSet {
    BitSet::of(len, members.iter().copied())
}

/// A third each way, which no double is.
fn thirds() -> (Space, ExactSpace) {
    let third = 1.0 / 3.0;
    let mut space = space(
        Kind::Dtmc,
        &vec![vec![vec![(0, third), (1, third), (2, third)]], vec![vec![(1, 1.0)]], vec![vec![(2, 1.0)]]],
    );
    label(&mut space, "one", set(3, &[1]));
    let mut exact = numbers_of(&space);
    exact.values = [ratio(1, 3), ratio(1, 3), ratio(1, 3), RBig::ONE, RBig::ONE].into_iter().collect();
    (space, exact)
}

fn bounded(comparison: Comparison, exact: Option<RBig>) -> Property {
    let mut b = Builder::default();
    let one = b.label(volvelle_logic::LabelId(0));
    let path = b.finally(one, TimeBound::NONE);
    let bound = Bound { comparison, threshold: exact.as_ref().map_or(0.5, |e| e.to_f64().value()) };
    let p = b.add(Formula::Prob { optimum: None, query: Query::Bound(bound), path });
    b.0.set_exact(p, exact);
    b.property(p)
}

#[test]
fn a_threshold_that_is_met_is_decided() {
    let (space, exact) = thirds();
    let half = Some(ratio(1, 2));
    for (comparison, holds) in
        [(Comparison::Le, true), (Comparison::Ge, true), (Comparison::Lt, false), (Comparison::Gt, false)]
    {
        let answer = ask(&space, &exact, &bounded(comparison, half.clone())).unwrap();
        assert_eq!(answer.value, Value::Bool(holds));
        assert_eq!((answer.guarantee, answer.exact), (gate::exact(), vec![ratio(1, 2).into()]));
    }
    // A threshold without a rational value, such as log(3, 2).
    let refused = ask(&space, &exact, &bounded(Comparison::Le, None));
    assert!(matches!(refused, Err(CheckError::NotRational { .. })), "{refused:?}");
}

#[test]
fn ties_between_choices() {
    // Both choices of state 0 have the value 1/3, one of them with a detour; doubles cannot tell.
    let third = 1.0 / 3.0;
    let mut space = space(
        Kind::Mdp,
        &vec![
            vec![vec![(2, third), (3, 2.0 * third)], vec![(1, 1.0)], vec![(0, 1.0)]],
            vec![vec![(0, 1.0)], vec![(1, third), (2, 2.0 / 9.0), (3, 4.0 / 9.0)]],
            vec![vec![(2, 1.0)]],
            vec![vec![(3, 1.0)]],
        ],
    );
    label(&mut space, "one", set(4, &[2]));
    let mut exact = numbers_of(&space);
    exact.values = [(1, 3), (2, 3), (1, 1), (1, 1), (1, 1), (1, 3), (2, 9), (4, 9), (1, 1), (1, 1)]
        .map(|(a, b)| ratio(a, b))
        .into_iter()
        .collect();
    for (optimum, value) in [(Optimum::Max, ratio(1, 3)), (Optimum::Min, RBig::ZERO)] {
        let mut b = Builder::default();
        let one = b.label(volvelle_logic::LabelId(0));
        let path = b.finally(one, TimeBound::NONE);
        let p = b.probability(path, Some(optimum));
        assert_eq!(ask(&space, &exact, &b.property(p)).unwrap().exact, [value.into()]);
    }
}

#[test]
fn a_large_component_with_a_closed_form() {
    // A gambler with fair coins: from k of n, the probability of n is k/n and the duration k (n - k).
    let n = 600;
    let rows = (0..=n)
        .map(|k| vec![if k == 0 || k == n { vec![(k, 1.0)] } else { vec![(k - 1, 0.5), (k + 1, 0.5)] }])
        .collect();
    let mut space = space(Kind::Dtmc, &rows);
    let won = label(&mut space, "won", set(n + 1, &[n]));
    let over = label(&mut space, "over", set(n + 1, &[0, n]));
    let ones = rewards(&mut space, vec![1.0; n + 1]);
    let mut b = Builder::default();
    let goal = b.label(won);
    let path = b.finally(goal, TimeBound::NONE);
    let p = b.probability(path, None);
    for (k, value) in values(&space, b, p).into_iter().enumerate() {
        assert_eq!(value, ratio(k as i64, n as u64).into());
    }
    let mut b = Builder::default();
    let goal = b.label(over);
    let path = b.finally(goal, TimeBound::NONE);
    let r = b.reward(ones, RewardQuery::Reach(path), None);
    for (k, value) in values(&space, b, r).into_iter().enumerate() {
        assert_eq!(value, ratio((k * (n - k)) as i64, 1).into());
    }
}

#[test]
fn numbers_that_grow() {
    // (2/3)^k after k steps; and the chance to climb 200 steps with 1/3 against 2/3: 1 / (2^200 - 1).
    let (space, exact) = thirds();
    let mut b = Builder::default();
    let one = b.label(volvelle_logic::LabelId(0));
    let path = b.finally(one, within(0.0, Some(300.0)));
    let p = b.probability(path, None);
    let power = RBig::from(dashu_int::IBig::from(3).pow(300));
    let expected = (RBig::ONE - RBig::ONE / power) * ratio(1, 2);
    assert_eq!(ask(&space, &exact, &b.property(p)).unwrap().exact, [expected.into()]);

    let n = 200;
    let rows = (0..=n)
        .map(|k| {
            vec![if k == 0 || k == n { vec![(k, 1.0)] } else { vec![(k - 1, 2.0 / 3.0), (k + 1, 1.0 / 3.0)] }]
        })
        .collect();
    let mut space = space_from(1, rows);
    let won = label(&mut space, "won", set(n + 1, &[n]));
    let mut exact = numbers_of(&space);
    exact.values =
        space.values.iter().map(|v| RBig::from((v * 3.0).round() as i64) / RBig::from(3)).collect();
    let mut b = Builder::default();
    let goal = b.label(won);
    let path = b.finally(goal, TimeBound::NONE);
    let p = b.probability(path, None);
    let expected = RBig::ONE / (RBig::from(dashu_int::IBig::ONE << n) - RBig::ONE);
    assert_eq!(ask(&space, &exact, &b.property(p)).unwrap().exact, [expected.into()]);
}

/// A chain with this initial state.
fn space_from(initial: u32, rows: Rows) -> Space {
    let mut space = space(Kind::Dtmc, &rows);
    space.initial = vec![volvelle_space::StateId(initial)];
    space
}

#[test]
fn refusals() {
    let mut rates = parse(Kind::Ctmc, "0: 2:1\n1: 3:0");
    label(&mut rates, "one", set(2, &[1]));
    rewards(&mut rates, vec![1.0, 0.0]);
    let exact = numbers_of(&rates);
    let refused = |make: &dyn Fn(&mut Builder) -> volvelle_logic::FormulaId| {
        let mut b = Builder::default();
        let root = make(&mut b);
        ask(&rates, &exact, &b.property(root)).unwrap_err()
    };
    let soon = refused(&|b| {
        let one = b.label(volvelle_logic::LabelId(0));
        let path = b.finally(one, within(0.0, Some(2.0)));
        b.probability(path, None)
    });
    assert!(matches!(soon, CheckError::NotRational { .. }), "{soon:?}");
    let earned = refused(&|b| b.reward(volvelle_logic::RewardId(0), RewardQuery::Cumulative(1.0), None));
    assert!(matches!(earned, CheckError::NotRational { .. }), "{earned:?}");
    let root = refused(&|b| {
        let (two, half) = (b.add(Formula::Number(2.0)), b.add(Formula::Number(0.5)));
        b.add(Formula::Pow(two, half))
    });
    assert!(matches!(root, CheckError::NotRational { .. }), "{root:?}");
    let huge = refused(&|b| {
        let (two, many) = (b.add(Formula::Number(2.0)), b.add(Formula::Number(1e12)));
        b.add(Formula::Pow(two, many))
    });
    assert!(matches!(huge, CheckError::TooLargeExactly { .. }), "{huge:?}");
    let divided = refused(&|b| {
        let (two, zero) = (b.add(Formula::Number(2.0)), b.add(Formula::Number(0.0)));
        b.add(Formula::Div(two, zero))
    });
    assert!(matches!(divided, CheckError::NotRational { .. }), "{divided:?}");
}

#[test]
fn cancelling() {
    let (space, exact) = thirds();
    let mut b = Builder::default();
    let one = b.label(volvelle_logic::LabelId(0));
    let path = b.finally(one, within(0.0, Some(300.0)));
    let p = b.probability(path, None);
    let cancel = Cancel::new();
    cancel.cancel();
    let control = Control { cancel: &cancel, ..Control::unlimited() };
    let result = check_exactly(&space, &exact, &b.property(p), &Options::default(), &control);
    assert!(matches!(result, Err(CheckError::Limit(_))), "{result:?}");
}

#[test]
fn infinite_rewards() {
    let (mut space, _) = thirds();
    let r = rewards(&mut space, vec![1.0; 3]);
    let mut exact = numbers_of(&space);
    exact.values = [ratio(1, 3), ratio(1, 3), ratio(1, 3), RBig::ONE, RBig::ONE].into_iter().collect();
    let mut b = Builder::default();
    let one = b.label(volvelle_logic::LabelId(0));
    let path = b.finally(one, TimeBound::NONE);
    let reward = b.reward(r, RewardQuery::Reach(path), None);
    let answer = ask(&space, &exact, &b.property(reward)).unwrap();
    assert_eq!((answer.value, answer.exact), (Value::Number(f64::INFINITY), vec![Ratio::Infinity]));
}
