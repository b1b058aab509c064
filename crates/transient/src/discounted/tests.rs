//! Against linear equations over rationals, policy by policy.

#![allow(clippy::needless_range_loop, reason = "states are numbers in several tables")]

use super::*;
use dashu_ratio::RBig;
use volvelle_reference::{Random, assert_encloses, exact, policies, random_rows, solve_exactly};
use volvelle_solver::Options;
use volvelle_space::Kind;

fn tenth(n: u64) -> RBig {
    RBig::from(n) / RBig::from(10u8)
}

fn random_rewards(random: &mut Random, count: usize, signed: bool) -> Vec<f64> {
    (0..count).map(|_| random.below(9) as f64 / 4.0 - if signed { 1.0 } else { 0.0 }).collect()
}

#[test]
fn values_for_ever_are_those_of_the_best_policy() {
    let mut random = Random(31);
    for case in 0..40 {
        let kind = if case % 3 == 0 { Kind::Dtmc } else { Kind::Mdp };
        let rows = random_rows(&mut random, 4, if kind == Kind::Mdp { 3 } else { 1 });
        let space = volvelle_reference::space(kind, &rows);
        let signed = random.one_in(2);
        let reward = random_rewards(&mut random, space.num_choices(), signed);
        let tenths = 1 + random.below(9) as u64;
        let factor = tenth(tenths);
        let (double, rest) = (tenths as f64 / 10.0, tenth(10 - tenths).to_f64().value());
        let optimum = if random.one_in(2) { Optimum::Min } else { Optimum::Max };
        let mut best: Vec<Option<RBig>> = vec![None; 4];
        for (chain, taken) in policies(&space) {
            let mut a = vec![vec![RBig::ZERO; 4]; 4];
            for (s, row) in chain.iter().enumerate() {
                a[s][s] = RBig::ONE;
                for &(t, v) in row {
                    a[s][t] = &a[s][t] - &factor * exact(v);
                }
            }
            let b = taken.iter().map(|&choice| exact(reward[choice])).collect();
            for (best, value) in best.iter_mut().zip(solve_exactly(a, b).unwrap()) {
                *best = Some(match (best.take(), optimum) {
                    (None, _) => value,
                    (Some(best), Optimum::Min) => best.min(value),
                    (Some(best), Optimum::Max) => best.max(value),
                });
            }
        }
        let control = Control::unlimited();
        let context = Context::new(&space, Options::default(), &control);
        let discount = Discount { factor: double, rest, upto: None };
        let found = discounted(&context, &reward, optimum, discount).unwrap();
        for s in 0..4 {
            let truth = best[s].clone().unwrap();
            let [lo, hi] = found.bounds[s];
            assert!(exact(lo) <= truth && truth <= exact(hi), "{case} {s}: [{lo:e}, {hi:e}]");
            assert!(hi - lo <= 1e-5 * (1.0 + hi.abs()) / rest, "{case} {s}: [{lo:e}, {hi:e}] is wide");
        }
    }
}

#[test]
fn values_of_some_steps_are_those_of_backward_induction() {
    let mut random = Random(32);
    for case in 0..40 {
        let kind = if case % 3 == 0 { Kind::Dtmc } else { Kind::Mdp };
        let rows = random_rows(&mut random, 5, if kind == Kind::Mdp { 3 } else { 1 });
        let space = volvelle_reference::space(kind, &rows);
        let signed = random.one_in(2);
        let reward = random_rewards(&mut random, space.num_choices(), signed);
        let steps = random.below(12);
        let factor = tenth(9);
        let mut values = vec![RBig::ZERO; 5];
        for _ in 0..steps {
            values = (0..5)
                .map(|s| {
                    let of_choice = |choice: usize| {
                        let after = space.transitions(choice).map(|(t, v)| exact(v) * &values[t]);
                        exact(reward[choice]) + &factor * after.fold(RBig::ZERO, |sum, x| sum + x)
                    };
                    space.choices_of(s).map(of_choice).max().unwrap()
                })
                .collect();
        }
        let control = Control::unlimited();
        let context = Context::new(&space, Options::default(), &control);
        let discount = Discount { factor: 0.9, rest: 0.1, upto: Some(steps as f64) };
        let found = discounted(&context, &reward, Optimum::Max, discount).unwrap();
        for s in 0..5 {
            let [lo, hi] = found.bounds[s];
            let truth = values[s].clone();
            if signed {
                assert!(
                    exact(lo) <= truth && truth <= exact(hi) && hi - lo < 1e-9,
                    "{case} {s}: [{lo:e}, {hi:e}]"
                );
            } else {
                assert_encloses([lo, hi], &Some(truth), 1e-12, found.stop, &format!("{case} {s}"));
            }
        }
    }
}
