//! Random models: every value of every state against dense rational algebra, for MDPs over all policies.

use crate::check_exactly;
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{
    FilterOp, Formula, FormulaId, LabelId, Optimum, Query, Ratio, RewardId, RewardQuery, TimeBound, Value,
};
use volvelle_reference::*;
use volvelle_solver::{CheckError, Options};
use volvelle_space::{BitSet, Kind, Space};

/// The value of a formula in every state.
pub fn values(space: &Space, mut b: Builder, formula: FormulaId) -> Vec<Ratio> {
    let all = b.add(Formula::Filter { op: FilterOp::PrintAll, formula, states: None });
    let exact = numbers_of(space);
    let options = Options::default();
    let answer =
        check_exactly(space, &exact, &b.property(all), &options, &Control::unlimited()).expect("an answer");
    assert_eq!(answer.exact.len(), space.num_states());
    answer.exact
}

fn ratios(values: Vec<RBig>) -> Vec<Ratio> {
    values.into_iter().map(Ratio::Finite).collect()
}

fn optional(values: Vec<Option<RBig>>) -> Vec<Ratio> {
    values.into_iter().map(|v| v.map_or(Ratio::Infinity, Ratio::Finite)).collect()
}

struct Case {
    space: Space,
    left: BitSet,
    right: BitSet,
    reward: Vec<f64>,
}

const LEFT: LabelId = LabelId(0);
const RIGHT: LabelId = LabelId(1);
const REWARD: RewardId = RewardId(0);

fn case(random: &mut Random, kind: Kind, states: usize, choices: usize) -> Case {
    let rows = random_rows(random, states, choices);
    let mut space = space(kind, &rows);
    if kind == Kind::Ctmc {
        space.values = space.values.iter().map(|v| v * [1.0, 3.0, 0.25][random.below(3)]).collect();
    }
    let n = space.num_states();
    let right = random_set(random, n, 4);
    let left = random_set(random, n, 5).complement();
    let reward: Vec<f64> = (0..n).map(|_| random.below(4) as f64 * 0.5).collect();
    label(&mut space, "left", left.clone());
    label(&mut space, "right", right.clone());
    rewards(&mut space, reward.clone());
    Case { space, left, right, reward }
}

fn until(case: &Case, bound: TimeBound, optimum: Option<Optimum>) -> Vec<Ratio> {
    let mut b = Builder::default();
    let (left, right) = (b.label(LEFT), b.label(RIGHT));
    let path = b.add(Formula::Until(left, right, bound));
    let p = b.probability(path, optimum);
    values(&case.space, b, p)
}

fn reached(case: &Case, optimum: Option<Optimum>) -> Vec<Ratio> {
    let mut b = Builder::default();
    let right = b.label(RIGHT);
    let path = b.finally(right, TimeBound::NONE);
    let r = b.reward(REWARD, RewardQuery::Reach(path), optimum);
    values(&case.space, b, r)
}

fn rewarded(case: &Case, what: RewardQuery, optimum: Option<Optimum>) -> Vec<Ratio> {
    let mut b = Builder::default();
    let r = b.reward(REWARD, what, optimum);
    values(&case.space, b, r)
}

fn chain_of(space: &Space) -> Chain {
    (0..space.num_states()).map(|s| space.transitions(s).collect()).collect()
}

#[test]
fn chains() {
    let mut random = Random(1);
    for _ in 0..150 {
        let states = 2 + random.below(9);
        let case = case(&mut random, Kind::Dtmc, states, 1);
        let chain = chain_of(&case.space);
        assert_eq!(until(&case, TimeBound::NONE, None), ratios(exact_until(&chain, &case.left, &case.right)));
        assert_eq!(reached(&case, None), optional(exact_reward(&chain, &case.reward, &case.right)));
        assert_eq!(rewarded(&case, RewardQuery::Total, None), optional(exact_total(&chain, &case.reward)));
        assert_eq!(rewarded(&case, RewardQuery::LongRun, None), ratios(exact_long_run(&chain, &case.reward)));
    }
}

/// Weak until is what until and staying for ever make; release is its dual.
#[test]
fn weak_until_and_release() {
    let mut random = Random(2);
    for round in 0..60 {
        let kind = if round % 2 == 0 { Kind::Dtmc } else { Kind::Mdp };
        let case = case(&mut random, kind, 6, if kind == Kind::Mdp { 3 } else { 1 });
        for optimum in [Optimum::Min, Optimum::Max] {
            let ask = |make: &dyn Fn(FormulaId, FormulaId) -> Formula, negated: bool| {
                let mut b = Builder::default();
                let (left, right) = (b.label(LEFT), b.label(RIGHT));
                let (not_left, not_right) = (b.add(Formula::Not(left)), b.add(Formula::Not(right)));
                let path = if negated { b.add(make(not_left, not_right)) } else { b.add(make(left, right)) };
                let p = b.probability(path, Some(optimum));
                values(&case.space, b, p)
            };
            let opposite = if optimum == Optimum::Min { Optimum::Max } else { Optimum::Min };
            for bound in [TimeBound::NONE, within(0.0, Some(3.0)), within(2.0, None), within(1.0, Some(4.0))]
            {
                // l R r is the complement of !l U !r under the opposite scheduler.
                let release = ask(&|l, r| Formula::Release(l, r, bound), false);
                let mut b = Builder::default();
                let (left, right) = (b.label(LEFT), b.label(RIGHT));
                let (l, r) = (b.add(Formula::Not(left)), b.add(Formula::Not(right)));
                let path = b.add(Formula::Until(l, r, bound));
                let p = b.probability(path, Some(opposite));
                for (x, y) in release.iter().zip(values(&case.space, b, p)) {
                    assert_eq!(x.finite().unwrap() + y.finite().unwrap(), RBig::ONE);
                }
                // l W r = r R (l | r): the complement of !r U (!l & !r).
                let weak = ask(&|l, r| Formula::WeakUntil(l, r, bound), false);
                let mut b = Builder::default();
                let (left, right) = (b.label(LEFT), b.label(RIGHT));
                let (l, r) = (b.add(Formula::Not(left)), b.add(Formula::Not(right)));
                let neither = b.add(Formula::And(l, r));
                let path = b.add(Formula::Until(r, neither, bound));
                let p = b.probability(path, Some(opposite));
                for (x, y) in weak.iter().zip(values(&case.space, b, p)) {
                    assert_eq!(x.finite().unwrap() + y.finite().unwrap(), RBig::ONE);
                }
            }
        }
    }
}

/// Dense equations with rates: `exit x = r + R x` outside of the target.
#[test]
fn rates() {
    let mut random = Random(3);
    for _ in 0..100 {
        let states = 2 + random.below(8);
        let case = case(&mut random, Kind::Ctmc, states, 1);
        let rates = chain_of(&case.space);
        assert_eq!(rewarded(&case, RewardQuery::LongRun, None), ratios(exact_long_run(&rates, &case.reward)));
        let n = rates.len();
        let exit = |s: usize| rates[s].iter().fold(RBig::ZERO, |sum, &(_, v)| sum + exact(v));
        let positive = can_reach(&rates, &BitSet::full(n), &case.right);
        let (mut a, mut b) = (vec![vec![RBig::ZERO; n]; n], vec![RBig::ZERO; n]);
        for s in 0..n {
            a[s][s] = RBig::ONE;
            if case.right.contains(s) {
                b[s] = RBig::ONE;
            } else if positive.contains(s) {
                a[s][s] = exit(s);
                rates[s].iter().for_each(|&(t, v)| a[s][t] = &a[s][t] - exact(v));
            }
        }
        let probability = solve_exactly(a.clone(), b).unwrap();
        let mut plain = Builder::default();
        let right = plain.label(RIGHT);
        let path = plain.finally(right, TimeBound::NONE);
        let p = plain.probability(path, None);
        assert_eq!(values(&case.space, plain, p), ratios(probability.clone()));
        let (mut a, mut b) = (vec![vec![RBig::ZERO; n]; n], vec![RBig::ZERO; n]);
        for s in 0..n {
            a[s][s] = RBig::ONE;
            if !case.right.contains(s) && probability[s].is_one() {
                a[s][s] = exit(s);
                b[s] = exact(case.reward[s]);
                rates[s].iter().for_each(|&(t, v)| a[s][t] = &a[s][t] - exact(v));
            }
        }
        let sums = solve_exactly(a, b).unwrap();
        let expected = sums.into_iter().zip(&probability).map(|(x, p)| p.is_one().then_some(x)).collect();
        assert_eq!(reached(&case, None), optional(expected));
    }
}

#[test]
fn policies_by_brute_force() {
    let mut random = Random(4);
    for _ in 0..120 {
        let states = 2 + random.below(4);
        let case = case(&mut random, Kind::Mdp, states, 3);
        for optimum in [Optimum::Min, Optimum::Max] {
            let n = case.space.num_states();
            let mut probability: Vec<Option<RBig>> = vec![None; n];
            let mut first = true;
            let (mut sums, mut totals, mut averages) = (vec![None; n], vec![None; n], vec![None; n]);
            for (chain, _) in policies(&case.space) {
                let found = exact_until(&chain, &case.left, &case.right);
                let paid = exact_reward(&chain, &case.reward, &case.right);
                let total = exact_total(&chain, &case.reward);
                let average = exact_long_run(&chain, &case.reward);
                for s in 0..n {
                    let better = |old: &Option<RBig>, new: Option<RBig>| {
                        if first { new } else { pick(optimum, old.clone(), new) }
                    };
                    probability[s] = better(&probability[s], Some(found[s].clone()));
                    sums[s] = better(&sums[s], paid[s].clone());
                    totals[s] = better(&totals[s], total[s].clone());
                    averages[s] = better(&averages[s], Some(average[s].clone()));
                }
                first = false;
            }
            assert_eq!(until(&case, TimeBound::NONE, Some(optimum)), optional(probability));
            assert_eq!(reached(&case, Some(optimum)), optional(sums));
            assert_eq!(rewarded(&case, RewardQuery::Total, Some(optimum)), optional(totals));
            assert_eq!(rewarded(&case, RewardQuery::LongRun, Some(optimum)), optional(averages));
        }
    }
}

/// Step bounds, by the recursion that defines them.
#[test]
fn steps() {
    let mut random = Random(5);
    for round in 0..120 {
        let kind = if round % 2 == 0 { Kind::Dtmc } else { Kind::Mdp };
        let states = 2 + random.below(5);
        let case = case(&mut random, kind, states, if kind == Kind::Mdp { 3 } else { 1 });
        let space = &case.space;
        let n = space.num_states();
        for optimum in [Optimum::Min, Optimum::Max] {
            let best = |s: usize, x: &[RBig], earned: bool| {
                let of = |choice: usize| {
                    let own = if earned { exact(case.reward[s]) } else { RBig::ZERO };
                    space.transitions(choice).fold(own, |sum, (t, p)| sum + exact(p) * &x[t])
                };
                let all = space.choices_of(s).map(of);
                if optimum == Optimum::Max { all.max().unwrap() } else { all.min().unwrap() }
            };
            let (lower, width) = (random.below(3) as u64, random.below(4) as u64);
            let mut x: Vec<RBig> = vec![RBig::ZERO; n];
            for k in (0..=lower + width).rev() {
                // x: the probability with k more steps gone.
                x = (0..n)
                    .map(|s| {
                        let goal = case.right.contains(s) && k >= lower;
                        if goal {
                            RBig::ONE
                        } else if case.left.contains(s) && k < lower + width {
                            best(s, &x, false)
                        } else {
                            RBig::ZERO
                        }
                    })
                    .collect();
            }
            let bound = within(lower as f64, Some((lower + width) as f64));
            assert_eq!(until(&case, bound, Some(optimum)), ratios(x), "{lower} {width}");
            let steps = random.below(5);
            let (mut sum, mut then) =
                (vec![RBig::ZERO; n], case.reward.iter().map(|&r| exact(r)).collect::<Vec<_>>());
            for _ in 0..steps {
                sum = (0..n).map(|s| best(s, &sum, true)).collect();
                then = (0..n).map(|s| best(s, &then, false)).collect();
            }
            let steps = steps as f64;
            assert_eq!(rewarded(&case, RewardQuery::Cumulative(steps), Some(optimum)), ratios(sum));
            assert_eq!(rewarded(&case, RewardQuery::Instantaneous(steps), Some(optimum)), ratios(then));
        }
    }
}

/// The answer in the initial state is the one that all states get.
#[test]
fn one_state_has_the_value_of_all() {
    let mut random = Random(6);
    for round in 0..80 {
        let kind = [Kind::Dtmc, Kind::Ctmc, Kind::Mdp][round % 3];
        let case = case(&mut random, kind, 7, if kind == Kind::Mdp { 3 } else { 1 });
        for which in 0..Builder::KINDS_OF_VALUES {
            let mut b = Builder::default();
            let formula = b.kind_of_value(which, kind, [LEFT, RIGHT], REWARD);
            let all = values(&case.space, b, formula);
            let mut b = Builder::default();
            let formula = b.kind_of_value(which, kind, [LEFT, RIGHT], REWARD);
            let property = b.property(formula);
            let (options, control) = (Options::default(), Control::unlimited());
            let exact = numbers_of(&case.space);
            let one = check_exactly(&case.space, &exact, &property, &options, &control).unwrap();
            match one.value {
                Value::Bool(holds) => assert_eq!(all[0], Ratio::from(RBig::from(u8::from(holds)))),
                _ => assert_eq!(one.exact, [all[0].clone()]),
            }
        }
    }
}

/// A conditional probability is what its definition says.
#[test]
fn conditions() {
    let mut random = Random(7);
    let mut possible = 0;
    for round in 0..80 {
        let kind = [Kind::Dtmc, Kind::Ctmc][round % 2];
        let case = case(&mut random, kind, 6, 1);
        let ask = |which: usize| {
            let mut b = Builder::default();
            let (left, right) = (b.label(LEFT), b.label(RIGHT));
            let path = b.finally(right, TimeBound::NONE);
            let given = b.add(Formula::Next(left, TimeBound::NONE));
            let both = b.add(Formula::And(path, given));
            let formula = match which {
                0 => b.probability(both, None),
                1 => b.probability(given, None),
                _ => b.add(Formula::Conditional { optimum: None, query: Query::Value, path, given }),
            };
            (b, formula)
        };
        let of = |which: usize| {
            let (b, formula) = ask(which);
            values(&case.space, b, formula)
        };
        let (both, given) = (of(0), of(1));
        if given.contains(&Ratio::ZERO) {
            let (mut b, formula) = ask(2);
            let all = b.add(Formula::Filter { op: FilterOp::PrintAll, formula, states: None });
            let exact = numbers_of(&case.space);
            let (options, control) = (Options::default(), Control::unlimited());
            let found = check_exactly(&case.space, &exact, &b.property(all), &options, &control);
            assert!(matches!(found, Err(CheckError::ImpossibleCondition { .. })), "{found:?}");
            continue;
        }
        possible += 1;
        for ((both, given), share) in both.iter().zip(&given).zip(of(2)) {
            assert_eq!(share.finite().unwrap() * given.finite().unwrap(), *both.finite().unwrap());
        }
    }
    assert!(possible > 10, "{possible} conditions were possible everywhere");
}
