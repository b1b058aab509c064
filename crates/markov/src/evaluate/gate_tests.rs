//! Numbers that are none, infinite or denormal in the arrays of a space: whatever an engine makes of them, nothing leaves it that is
//! narrow and cannot be true.

use volvelle_control::{Control, Limits};
use volvelle_logic::{Formula, Guarantee, Optimum, Property, Query, RewardQuery, TimeBound};
use volvelle_reference::*;
use volvelle_solver::{Method, Options};
use volvelle_space::{BitSet, Kind, Space};
use volvelle_transient::{Classes, long_run_distribution, timed_reachability, transient_distributions};

use crate::{StateValues, check, check_states};

const SPECIAL: [f64; 9] = [f64::NAN, f64::INFINITY, f64::MAX, 1e300, 1e-300, 1e-310, 5e-324, 0.0, 0.5];

/// A property of each engine, with the range of its values.
fn properties(space: &mut Space, reward: Vec<f64>) -> Vec<(Property, [f64; 2])> {
    let n = space.num_states();
    let end = label(space, "end", BitSet::of(n, [n - 1]));
    let rewards = rewards(space, reward);
    let optimum = (space.kind == Kind::Mdp).then_some(Optimum::Max);
    let endless = [0.0, f64::INFINITY];
    let of = |make: &dyn Fn(&mut Builder, volvelle_logic::FormulaId) -> volvelle_logic::FormulaId, range| {
        let mut builder = Builder::default();
        let goal = builder.label(end);
        let root = make(&mut builder, goal);
        (builder.property(root), range)
    };
    let finally = |bound: TimeBound| {
        of(
            &move |b: &mut Builder, goal| {
                let path = b.finally(goal, bound);
                b.probability(path, optimum)
            },
            [0.0, 1.0],
        )
    };
    let reward = |what: RewardQuery| of(&move |b: &mut Builder, _| b.reward(rewards, what, optimum), endless);
    vec![
        finally(TimeBound::NONE),
        finally(within(0.0, Some(2.0))),
        finally(within(1.0, Some(3.0))),
        of(&|b, goal| b.add(Formula::Steady { optimum, query: Query::Value, states: goal }), [0.0, 1.0]),
        of(
            &|b, goal| {
                let path = b.finally(goal, TimeBound::NONE);
                b.reward(rewards, RewardQuery::Reach(path), optimum)
            },
            endless,
        ),
        reward(RewardQuery::LongRun),
        reward(RewardQuery::Cumulative(2.0)),
        reward(RewardQuery::Instantaneous(2.0)),
        reward(RewardQuery::Total),
    ]
}

fn is_sane([lo, hi]: [f64; 2], range: [f64; 2]) -> bool {
    lo <= hi && range[0] <= lo && hi <= range[1]
}

#[test]
fn special_numbers_in_arrays_give_nothing_narrow_and_wrong() {
    let (mut answered, mut refused) = (0, 0);
    for kind in [Kind::Dtmc, Kind::Ctmc, Kind::Mdp] {
        for special in SPECIAL {
            for place in 0..4 {
                let put = |at: usize, usual: f64| if at == place { special } else { usual };
                let second = vec![(2, put(1, 0.25)), (0, 0.75)];
                let mut rows: Rows = vec![
                    vec![vec![(1, put(0, 0.5)), (0, 0.5)]],
                    vec![second.clone()],
                    vec![vec![(1, put(2, 0.125)), (3, 0.875)]],
                    vec![vec![(0, 1.0)]],
                ];
                if kind == Kind::Mdp {
                    rows[1].push(vec![(3, 1.0)]);
                }
                let mut space = space(kind, &rows);
                let reward = vec![put(3, 1.0), 0.0, 2.0, 1.0];
                let largest = reward.iter().copied().fold(0.0, f64::max);
                for (number, (property, range)) in properties(&mut space, reward).iter().enumerate() {
                    let methods = [Method::Auto, Method::Iteration, Method::Elimination];
                    for &method in &methods[..if place == 1 { 3 } else { 1 }] {
                        let options = Options { method, max_iterations: 200, ..Options::default() };
                        let control = Control::unlimited();
                        let what = format!("{kind:?} {special:e} at {place}, property {number}, {method:?}");
                        match check(&space, property, &[], &options, &control) {
                            Ok(answer) => {
                                answered += 1;
                                if let Guarantee::Sound { lo, hi, .. } = answer.guarantee {
                                    assert!(is_sane([lo, hi], *range), "{what}: [{lo:e}, {hi:e}]");
                                    assert!(number != 5 || hi <= largest, "{what}: an average of {hi:e}");
                                }
                            }
                            Err(_) => refused += 1,
                        }
                        if let Ok(StateValues::Number(numbers)) =
                            check_states(&space, property, &[], &options, None, &control)
                        {
                            let all = numbers.bounds.iter().all(|&bounds| is_sane(bounds, *range));
                            assert!(all, "{what}: {:?}", numbers.bounds);
                        }
                    }
                }
                let control = Control { limits: Limits::default(), ..Control::unlimited() };
                let classes = Classes::single(4);
                if let Ok(found) = long_run_distribution(&space, &classes, &Options::default(), &control) {
                    let sums = found.bounds.iter().fold([0.0; 2], |sum, b| [sum[0] + b[0], sum[1] + b[1]]);
                    assert!(sums[0] <= 1.0 + 1e-12 && sums[1] >= 1.0 - 1e-12, "{special:e}: {found:?}");
                    assert!(found.bounds.iter().all(|&bounds| is_sane(bounds, [0.0, 1.0])));
                }
                let times = [0.0, 2.0];
                let found = transient_distributions(&space, &classes, &times, &Options::default(), &control);
                for found in found.into_iter().flatten() {
                    let all = found.bounds.iter().all(|&bounds| is_sane(bounds, [0.0, 1.0]));
                    assert!(all, "{kind:?} {special:e} at {place}: {found:?}");
                }
                if kind == Kind::Mdp {
                    for pace in SPECIAL {
                        let of_choices = vec![0.0, 0.0, 0.5, special, 1.0].into();
                        space.rewards[0].choice = Some(of_choices);
                        let found = timed_reachability(&space, pace, &[0.0, 1.0], Optimum::Max, &control);
                        for bounds in found.into_iter().flatten() {
                            assert!(is_sane(bounds, [0.0, 1.0]), "{special:e}, pace {pace:e}: {bounds:?}");
                        }
                    }
                }
            }
        }
    }
    assert!(answered > 500 && refused > 50, "{answered} answered, {refused} refused");
}
