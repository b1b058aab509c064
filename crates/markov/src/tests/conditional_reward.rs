//! Against the conditioned chain over rationals: transitions are weighted by the probability of the condition until it is met.

#![allow(clippy::needless_range_loop, reason = "states are numbers in several tables")]

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_exact::check_exactly;
use volvelle_logic::{Formula, LabelId, Ratio, RewardId, RewardQuery, TimeBound};
use volvelle_reference::{
    Builder, Chain, Random, can_reach, exact, exact_until, label, numbers_of, random_rows, random_set,
    rewards, solve_exactly,
};
use volvelle_solver::conditional_reward::until_given;
use volvelle_solver::{Context, Options};
use volvelle_space::{BitSet, Kind, Space, StateId};

#[test]
fn values_are_those_of_the_conditioned_chain() {
    let mut random = Random(51);
    let (mut finite, mut infinite) = (0, 0);
    for case in 0..150 {
        let rows = random_rows(&mut random, 5, 1);
        let mut space = volvelle_reference::space(Kind::Dtmc, &rows);
        let chain: Chain = (0..5).map(|s| space.transitions(s).collect()).collect();
        let reward: Vec<f64> = (0..5).map(|_| random.below(5) as f64 / 2.0).collect();
        let target = random_set(&mut random, 5, 3);
        let (left, right) = (random_set(&mut random, 5, 4).complement(), random_set(&mut random, 5, 3));
        for (name, set) in [("target", &target), ("left", &left), ("right", &right)] {
            label(&mut space, name, set.clone());
        }
        rewards(&mut space, reward.clone());
        let control = Control::unlimited();
        let context = Context::new(&space, Options::default(), &control);
        let weight = exact_until(&chain, &left, &right);
        for s in (0..5).filter(|&s| weight[s] != RBig::ZERO) {
            let needed = BitSet::of(5, [s]);
            let found = until_given(&context, &reward, &target, (&left, &right), Some(&needed)).unwrap();
            let truth = conditioned(&chain, &weight, &right, &reward, &target, s);
            assert_eq!(
                exactly(&space, s),
                truth.clone().map_or(Ratio::Infinity, Ratio::Finite),
                "{case} {s}"
            );
            let [lo, hi] = found.bounds[s];
            match truth {
                None => {
                    assert_eq!([lo, hi], [f64::INFINITY; 2], "{case} {s}");
                    infinite += 1;
                }
                Some(truth) => {
                    let inside = exact(lo) <= truth && truth <= exact(hi);
                    assert!(inside, "{case} {s}: [{lo:e}, {hi:e}] {}", truth.to_f64().value());
                    assert!(hi - lo <= 1e-5 * hi + 1e-280, "{case} {s}: [{lo:e}, {hi:e}] is wide");
                    finite += 1;
                }
            }
        }
    }
    assert!(finite > 100 && infinite > 50, "{finite} {infinite}");
}

/// The answer in rational arithmetic, for the target, left and right side that are labels.
fn exactly(space: &Space, state: usize) -> Ratio {
    let mut space = space.clone();
    space.initial = vec![StateId(state as u32)];
    let mut b = Builder::default();
    let [target, left, right] = [0, 1, 2].map(|label| b.label(LabelId(label)));
    let path = b.finally(target, TimeBound::NONE);
    let given = b.add(Formula::Until(left, right, TimeBound::NONE));
    let reward = b.reward(RewardId(0), RewardQuery::ReachGiven(path, given), None);
    let (exact, options) = (numbers_of(&space), Options::default());
    let answer = check_exactly(&space, &exact, &b.property(reward), &options, &Control::unlimited());
    answer.unwrap().exact.pop().unwrap()
}

/// The expectation by the conditioned chain: states before the condition is met, then copies after it.
fn conditioned(
    chain: &Chain,
    weight: &[RBig],
    right: &BitSet,
    reward: &[f64],
    target: &BitSet,
    start: usize,
) -> Option<RBig> {
    let n = chain.len();
    let place = |s: usize, met: bool| s + if met || right.contains(s) { n } else { 0 };
    let rows: Vec<Vec<(usize, RBig)>> = (0..2 * n)
        .map(|i| {
            let (s, met) = (i % n, i >= n);
            let row = chain[s].iter().map(|&(t, v)| {
                let share = if met || weight[s] == RBig::ZERO { RBig::ONE } else { &weight[t] / &weight[s] };
                (place(t, met), exact(v) * share)
            });
            row.filter(|(_, v)| *v != RBig::ZERO).collect()
        })
        .collect();
    let shape: Chain = rows.iter().map(|row| row.iter().map(|(t, _)| (*t, 1.0)).collect()).collect();
    let reached = BitSet::of(2 * n, (0..2 * n).filter(|&i| target.contains(i % n)));
    let never = can_reach(&shape, &reached.complement(), &reached).complement();
    let unsure = can_reach(&shape, &reached.complement(), &never);
    if unsure.contains(place(start, false)) {
        return None;
    }
    let mut a = vec![vec![RBig::ZERO; 2 * n]; 2 * n];
    let mut b = vec![RBig::ZERO; 2 * n];
    for i in 0..2 * n {
        a[i][i] = RBig::ONE;
        if !reached.contains(i) && !unsure.contains(i) {
            b[i] = exact(reward[i % n]);
            for (t, v) in &rows[i] {
                a[i][*t] = &a[i][*t] - v;
            }
        }
    }
    solve_exactly(a, b).map(|x| x[place(start, false)].clone())
}
