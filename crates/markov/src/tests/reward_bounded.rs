//! Against the unfolded product: counters of what was spent beside the states, solved as ordinary reachability.

#![allow(clippy::needless_range_loop, reason = "states are numbers in several tables")]

mod fractions;

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{
    Answer, Bound, Comparison, CostBound, Counted, Formula, Limit, Optimum, Property, Quantile, RewardId,
    Value,
};
use volvelle_objectives::reward_bounded::{self, Costs, certain, probability};
use volvelle_reference::{
    self as reference, Builder, Random, Rows, assert_encloses, exact_until, random_rows, random_set,
};
use volvelle_solver::{CheckError, Context, Numbers, Options, reach};
use volvelle_space::{BitSet, Kind, RewardVectors, Space};

use crate::policies::Bounded;
use crate::strategy::induced;

/// A reward structure on states and choices; amounts in units of `1 / parts`.
fn costs(random: &mut Random, space: &mut Space, parts: f64) -> (RewardId, Vec<u64>) {
    let free = random.below(4) + 1;
    let mut amount = || if random.below(free + 1) > 0 { 0 } else { random.below(4) as u64 };
    let state: Vec<u64> = (0..space.num_states()).map(|_| amount() / 2).collect();
    let choice: Vec<u64> = (0..space.num_choices()).map(|_| amount()).collect();
    let as_number = |amounts: &[u64]| amounts.iter().map(|&a| a as f64 / parts).collect::<Vec<f64>>().into();
    space.rewards.push(RewardVectors {
        name: "cost".to_string(),
        state: Some(as_number(&state)),
        choice: Some(as_number(&choice)),
        mixed: false,
        accuracy: Default::default(),
    });
    let mut all = choice;
    for s in 0..space.num_states() {
        for c in space.choices_of(s) {
            all[c] += state[s];
        }
    }
    (RewardId(space.rewards.len() as u32 - 1), all)
}

/// One bound with what choices spend, in units of which the ends are multiples.
struct Counter {
    spent: Vec<u64>,
    lower: Option<(u64, bool)>,
    upper: Option<(u64, bool)>,
}

impl Counter {
    fn admits(&self, spent: u64) -> bool {
        self.lower.is_none_or(|(end, strict)| if strict { spent > end } else { spent >= end })
            && self.upper.is_none_or(|(end, strict)| if strict { spent < end } else { spent <= end })
    }

    /// From here on, spending more makes no difference.
    fn most(&self) -> u64 {
        let end = |end: Option<(u64, bool)>| end.map_or(0, |(end, _)| end);
        end(self.lower).max(end(self.upper)) + 1
    }
}

/// A condition on a state and what was spent.
type Test<'t> = &'t dyn Fn(&(usize, Vec<u64>)) -> bool;

/// The states of the product.
fn unfolded_states(space: &Space, counters: &[Counter]) -> Vec<(usize, Vec<u64>)> {
    let n = space.num_states();
    let mut states: Vec<(usize, Vec<u64>)> = (0..n).map(|s| (s, vec![0; counters.len()])).collect();
    let mut next = 0;
    while let Some((s, spent)) = states.get(next).cloned() {
        next += 1;
        for c in space.choices_of(s) {
            let after: Vec<u64> =
                spent.iter().zip(counters).map(|(spent, k)| (spent + k.spent[c]).min(k.most())).collect();
            for (t, _) in space.transitions(c) {
                let target = (t, after.clone());
                if !states.contains(&target) {
                    states.push(target);
                }
            }
        }
    }
    states
}

/// The product, the place of every state at its beginning, and the sets.
fn unfolded(space: &Space, counters: &[Counter], left: &BitSet, right: &BitSet) -> (Space, BitSet, BitSet) {
    let n = space.num_states();
    let mut states: Vec<(usize, Vec<u64>)> = (0..n).map(|s| (s, vec![0; counters.len()])).collect();
    let mut rows: Rows = vec![];
    while let Some((s, spent)) = states.get(rows.len()).cloned() {
        let mut choices = vec![];
        for c in space.choices_of(s) {
            let after: Vec<u64> =
                spent.iter().zip(counters).map(|(spent, k)| (spent + k.spent[c]).min(k.most())).collect();
            let mut row = vec![];
            for (t, v) in space.transitions(c) {
                let target = (t, after.clone());
                let place = states.iter().position(|known| *known == target).unwrap_or_else(|| {
                    states.push(target);
                    states.len() - 1
                });
                row.push((place, v));
            }
            choices.push(row);
        }
        rows.push(choices);
    }
    let all = states.len();
    let admitted = |spent: &[u64]| spent.iter().zip(counters).all(|(&spent, k)| k.admits(spent));
    let of = |f: Test| BitSet::of(all, (0..all).filter(|&i| f(&states[i])));
    let to_pass = of(&|(s, _)| left.contains(*s));
    let to_reach = of(&|(s, spent)| right.contains(*s) && admitted(spent));
    (reference::space(space.kind, &rows), to_pass, to_reach)
}

fn ratio(amount: u64, parts: f64) -> RBig {
    RBig::from(amount) / RBig::from(parts as u64)
}

fn limit(end: Option<(u64, bool)>, parts: f64) -> Option<Limit> {
    end.map(|(amount, strict)| Limit { amount: ratio(amount, parts), strict })
}

/// A random bound on a random reward structure or on steps.
fn random_bound(random: &mut Random, space: &mut Space) -> (CostBound, Counter) {
    random_bound_of(random, space, &[1.0, 1.0, 2.0, 10.0])
}

/// The same; units are one over one of `parts`.
fn random_bound_of(random: &mut Random, space: &mut Space, parts: &[f64]) -> (CostBound, Counter) {
    let parts = parts[random.below(parts.len())];
    let (counted, spent, parts) = if random.one_in(4) {
        (Counted::Steps, vec![1; space.num_choices()], 1.0)
    } else {
        let (id, spent) = costs(random, space, parts);
        (Counted::Reward(id), spent, parts)
    };
    let mut end = |chance| random.chance(chance).then(|| (random.below(5) as u64, random.one_in(4)));
    let (lower, upper) = (end(40), end(80));
    let bound = CostBound { counted, lower: limit(lower, parts), upper: limit(upper, parts) };
    (bound, Counter { spent, lower, upper })
}

fn evaluate(
    space: &Space,
    bounds: &[CostBound],
    left: &BitSet,
    right: &BitSet,
    optimum: Optimum,
) -> Result<Numbers, CheckError> {
    let control = Control::unlimited();
    let context = Context::new(space, Options::default(), &control);
    probability(&context, left, right, bounds, optimum, None)
}

#[test]
fn chains_agree_with_exact_unfolding() {
    let mut random = Random(20);
    let mut between = 0;
    for case in 0..200 {
        let rows = random_rows(&mut random, 5, 1);
        let mut space = reference::space(Kind::Dtmc, &rows);
        let (left, right) = (random_set(&mut random, 5, 5).complement(), random_set(&mut random, 5, 4));
        let (bound, counter) = random_bound(&mut random, &mut space);
        let (product, to_pass, to_reach) = unfolded(&space, &[counter], &left, &right);
        let chain = (0..product.num_states()).map(|s| product.transitions(s).collect()).collect();
        let truth = exact_until(&chain, &to_pass, &to_reach);
        let found = evaluate(&space, &[bound], &left, &right, Optimum::Max).unwrap();
        for s in 0..5 {
            between += usize::from(truth[s] != RBig::ZERO && truth[s] != RBig::ONE);
            assert_encloses(
                found.bounds[s],
                &Some(truth[s].clone()),
                1e-6,
                found.stop,
                &format!("{case} {s}"),
            );
        }
    }
    assert!(between > 40, "{between}");
}

#[test]
fn several_bounds_agree_with_unfolding() {
    let mut random = Random(21);
    let (mut between, mut different, mut surely) = (0, 0, 0);
    for case in 0..150 {
        let rows = random_rows(&mut random, 7, 3);
        let mut space = reference::space(Kind::Mdp, &rows);
        let (left, right) = (random_set(&mut random, 7, 3).complement(), random_set(&mut random, 7, 4));
        let several: Vec<(CostBound, Counter)> =
            (0..1 + random.below(3)).map(|_| random_bound(&mut random, &mut space)).collect();
        let (bounds, counters): (Vec<_>, Vec<_>) = several.into_iter().unzip();
        let (product, to_pass, to_reach) = unfolded(&space, &counters, &left, &right);
        let control = Control::unlimited();
        let context = Context::new(&product, Options::default(), &control);
        let plain = Context::new(&space, Options::default(), &control);
        let mut both = vec![];
        for optimum in [Optimum::Min, Optimum::Max] {
            let truth = reach::until(&context, &to_pass, &to_reach, optimum).unwrap();
            let found = evaluate(&space, &bounds, &left, &right, optimum).unwrap();
            for s in 0..7 {
                let ([a, b], [c, d]) = (found.bounds[s], truth.bounds[s]);
                assert!(a <= d && c <= b, "{case} {s} {optimum:?}: [{a:e}, {b:e}] but [{c:e}, {d:e}]");
                assert!(b - a <= 1e-6 * b + 1e-280, "{case} {s} {optimum:?}: [{a:e}, {b:e}] is wide");
                between += usize::from(a > 0.0 && b < 0.99);
            }
            let sure = certain(&plain, &left, &right, &bounds, optimum).unwrap();
            let certain = volvelle_solver::reach::prob01_until(&context, &to_pass, &to_reach, optimum).one;
            assert!((0..7).all(|s| sure.contains(s) == certain.contains(s)), "{case} {optimum:?}");
            surely += (0..7).filter(|&s| sure.contains(s)).count();
            // A scheduler, and the chain that it makes, from one of the states.
            let first = BitSet::of(7, [case % 7]);
            let bounded =
                Bounded { left: left.clone(), right: right.clone(), bounds: bounds.clone(), optimum };
            let (strategy, values) = bounded.strategy(&plain, &first).unwrap();
            let chain = induced(&space, &strategy, std::iter::once((case % 7) as u32), &control).unwrap();
            let [left, right] = [&left, &right].map(|set| chain.set_of(set));
            let [c, d] = truth.bounds[case % 7];
            let follows = evaluate(&chain.space, &bounds, &left, &right, optimum).unwrap().bounds[0];
            for [a, b] in [values[0], follows] {
                let apart = (a - d).max(c - b);
                assert!(
                    apart <= 4e-6 * d.max(1e-3),
                    "{case} {optimum:?}: {strategy:?} [{a:e}, {b:e}] [{c:e}, {d:e}]"
                );
            }
            both.push(found.bounds);
        }
        different += usize::from(both[0] != both[1]);
    }
    assert!(between > 100 && different > 40 && surely > 100, "{between} {different} {surely}");
}

#[test]
fn amounts_of_a_range_share_a_run() {
    let mut random = Random(22);
    let rows = random_rows(&mut random, 30, 2);
    let mut space = reference::space(Kind::Mdp, &rows);
    let goal = reference::label(&mut space, "goal", BitSet::of(30, [29, 17]));
    let (id, _) = costs(&mut random, &mut space, 1.0);
    let property = |amount: u64| -> Property {
        let mut builder = Builder::default();
        let (all, goal) = (builder.add(Formula::Bool(true)), builder.label(goal));
        let upper = limit(Some((amount, false)), 1.0);
        let bound = CostBound { counted: Counted::Reward(id), lower: None, upper };
        let path = builder.add(Formula::BoundedUntil(all, goal, vec![bound]));
        let root = builder.probability(path, Some(Optimum::Max));
        builder.property(root)
    };
    let properties: Vec<Property> = (0..12).map(property).collect();
    let listed: Vec<&Property> = properties.iter().collect();
    assert_eq!(crate::families(&listed).len(), 1);
    let control = Control::unlimited();
    let together = crate::check_many(&space, &listed, &[], &Options::default(), None, &control);
    let mut distinct = vec![];
    for (property, checked) in properties.iter().zip(&together) {
        let alone = crate::check(&space, property, &[], &Options::default(), &control).unwrap();
        let answer = checked.outcome.as_ref().unwrap();
        let bounds = |answer: &Answer| answer.guarantee.interval().unwrap_or([0.0, 1.0]);
        let ([a, b], [c, d]) = (bounds(answer), bounds(&alone));
        assert!(a <= d && c <= b, "[{a:e}, {b:e}] [{c:e}, {d:e}]");
        let Value::Number(value) = answer.value else { panic!("{answer:?}") };
        distinct.push(value);
    }
    assert!(distinct.is_sorted());
    distinct.dedup();
    assert!(distinct.len() > 2, "{distinct:?}");
}

/// Values of the probability for amounts from 0 on, by the unfolded product.
fn curve(
    space: &Space,
    spent: &[u64],
    upper: bool,
    left: &BitSet,
    right: &BitSet,
    optimum: Optimum,
    amounts: u64,
) -> Vec<Vec<[f64; 2]>> {
    (0..amounts)
        .map(|amount| {
            let end = Some((amount, false));
            let (lower, upper) = if upper { (None, end) } else { (end, None) };
            let counter = Counter { spent: spent.to_vec(), lower, upper };
            let (product, to_pass, to_reach) = unfolded(space, &[counter], left, right);
            let control = Control::unlimited();
            let options = Options { precision: 1e-10, ..Options::default() };
            let context = Context::new(&product, options, &control);
            reach::until(&context, &to_pass, &to_reach, optimum).unwrap().bounds[..space.num_states()]
                .to_vec()
        })
        .collect()
}

#[test]
fn quantiles_agree_with_unfolding() {
    const AMOUNTS: u64 = 14;
    let mut random = Random(23);
    let (mut finite, mut infinite, mut never) = (0, 0, 0);
    for case in 0..120 {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Mdp][case % 3];
        let rows = random_rows(&mut random, 6, if kind == Kind::Mdp { 3 } else { 1 });
        let mut space = reference::space(kind, &rows);
        let (left, right) = (random_set(&mut random, 6, 6).complement(), random_set(&mut random, 6, 3));
        let (id, spent) = costs(&mut random, &mut space, 2.0);
        let upper = random.chance(60);
        let optimum = if random.one_in(2) { Optimum::Min } else { Optimum::Max };
        // Whether these are positive is the subject of the next test.
        let is_demand = kind == Kind::Mdp && optimum == Optimum::Min && !upper;
        let threshold = [0.0, 0.03, 0.2, 0.37, 0.61, 0.9, 1.0]
            [usize::from(is_demand) + random.below(7 - usize::from(is_demand))];
        let comparison = [Comparison::Ge, Comparison::Gt, Comparison::Le, Comparison::Lt][random.below(4)];
        let end = Some(Limit { amount: RBig::ZERO, strict: false });
        let (lower_end, upper_end) = if upper { (None, end) } else { (end, None) };
        let mut builder = Builder::default();
        let (left_id, right_id) = (builder.add(Formula::Bool(true)), builder.add(Formula::Bool(true)));
        let quantile = Quantile {
            optimum: Some(optimum),
            bound: Bound { comparison, threshold },
            left: left_id,
            right: right_id,
            bounds: vec![CostBound { counted: Counted::Reward(id), lower: lower_end, upper: upper_end }],
            open: 0,
            upper,
        };
        let at_least = matches!(comparison, Comparison::Ge | Comparison::Gt);
        let from = at_least == upper;
        let truth = curve(&space, &spent, upper, &left, &right, optimum, AMOUNTS);
        let control = Control::unlimited();
        let context = Context::new(&space, Options::default(), &control);
        for s in 0..6 {
            let needed = BitSet::of(6, [s]);
            let found =
                reward_bounded::quantile(&context, (&left, &right), &quantile, optimum, Some(&needed));
            let holds = |amount: usize| {
                volvelle_solver::interval::decide(comparison, truth[amount][s], [threshold; 2])
            };
            let verdicts: Option<Vec<bool>> = (0..AMOUNTS as usize).map(holds).collect();
            let what = format!("{case} {s}: {found:?} {verdicts:?}");
            let Some(verdicts) = verdicts else { continue };
            let units = match found {
                Ok(numbers) => numbers.bounds[s][0] * 2.0,
                Err(CheckError::NoAmount { .. }) => f64::NEG_INFINITY,
                Err(CheckError::CannotDecide { .. }) => continue,
                Err(error) => panic!("{what}: {error}"),
            };
            // Amounts are multiples of the unit; the curve has one value for each half.
            let mut relevant = left.clone();
            relevant.subtract(&volvelle_solver::reach::prob01_until(&context, &left, &right, optimum).zero);
            let costs = Costs::new(&context, &[&quantile.bounds], &relevant, None).unwrap();
            let unit = 2.0 * costs.dimensions[0].unit.to_f64().value();
            let multiples: Vec<bool> = verdicts.iter().copied().step_by(unit as usize).collect();
            let truth = match (multiples.iter().position(|&holds| holds == from), from) {
                (Some(first), true) => first as f64,
                _ if from => f64::INFINITY,
                _ => match multiples.iter().position(|&holds| !holds) {
                    Some(first) => first as f64 - 1.0,
                    None => f64::INFINITY,
                },
            };
            if truth.is_finite() {
                finite += 1;
                never += usize::from(truth < 0.0);
                assert_eq!(units.max(-unit), (truth * unit).max(-unit), "{what}");
            } else {
                infinite += 1;
                assert!(units >= unit * (multiples.len() - 1) as f64, "{what}");
            }
        }
    }
    assert!(finite > 100 && infinite > 100 && never > 3, "{finite} {infinite} {never}");
}

/// Whether a probability is positive, also within other bounds: on the unfolded model, by its graph.
#[test]
fn possible_amounts_agree_with_the_unfolded_graph() {
    // More than the states times what a step may spend.
    const AMOUNTS: u64 = 24;
    let mut random = Random(31);
    let (mut finite, mut endless, mut minima) = (0, 0, 0);
    for case in 0..80 {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Mdp][case % 3];
        let rows = random_rows(&mut random, 4, if kind == Kind::Mdp { 3 } else { 1 });
        let mut space = reference::space(kind, &rows);
        let (left, right) = (random_set(&mut random, 4, 6).complement(), random_set(&mut random, 4, 3));
        let (id, spent) = costs(&mut random, &mut space, 1.0);
        let (upper, other) = (random.one_in(3), random.one_in(2));
        let optimum = if random.one_in(2) { Optimum::Min } else { Optimum::Max };
        let comparison = if random.one_in(2) { Comparison::Gt } else { Comparison::Le };
        let end = Some(Limit { amount: RBig::ZERO, strict: false });
        let (lower_end, upper_end) = if upper { (None, end) } else { (end, None) };
        let mut bounds = vec![CostBound { counted: Counted::Reward(id), lower: lower_end, upper: upper_end }];
        let more = other.then(|| random_bound_of(&mut random, &mut space, &[1.0]));
        bounds.extend(more.iter().map(|(bound, _)| bound.clone()));
        let mut builder = Builder::default();
        let (left_id, right_id) = (builder.add(Formula::Bool(true)), builder.add(Formula::Bool(true)));
        let bound = Bound { comparison, threshold: 0.0 };
        let (open, optimum_of) = (0, Some(optimum));
        let quantile =
            Quantile { optimum: optimum_of, bound, left: left_id, right: right_id, bounds, open, upper };
        let control = Control::unlimited();
        let context = Context::new(&space, Options::default(), &control);
        let inner = if kind == Kind::Dtmc { Optimum::Max } else { optimum };
        let holds: Vec<BitSet> = (0..AMOUNTS)
            .map(|amount| {
                let end = Some((amount, false));
                let (lower, upper) = if upper { (None, end) } else { (end, None) };
                let mut counters = vec![Counter { spent: spent.clone(), lower, upper }];
                counters.extend(more.iter().map(|(_, counter)| Counter {
                    spent: counter.spent.clone(),
                    lower: counter.lower,
                    upper: counter.upper,
                }));
                let (product, to_pass, to_reach) = unfolded(&space, &counters, &left, &right);
                let context = Context::new(&product, Options::default(), &control);
                let zero = reach::prob01_until(&context, &to_pass, &to_reach, inner).zero;
                BitSet::of(4, (0..4).filter(|&s| zero.contains(s) == (comparison == Comparison::Le)))
            })
            .collect();
        for s in 0..4 {
            let needed = BitSet::of(4, [s]);
            let found =
                reward_bounded::quantile(&context, (&left, &right), &quantile, optimum, Some(&needed));
            let found = match found {
                Ok(numbers) => numbers.bounds[s][0],
                Err(CheckError::NoAmount { .. }) => -1.0,
                Err(error) => panic!("{case} {s}: {error}"),
            };
            let from = (comparison == Comparison::Gt) == upper;
            let what = format!("{case} {s}: {found} {quantile:?} {holds:?} {space:?}");
            match holds.iter().position(|holds| holds.contains(s) == from) {
                // Amounts are multiples of a unit, between which nothing changes.
                Some(first) if from => {
                    assert!(found >= first as f64 && found - (first as f64) < 3.0, "{what}");
                }
                None if from => assert_eq!(found, f64::INFINITY, "{what}"),
                _ => match holds.iter().position(|holds| !holds.contains(s)) {
                    Some(first) => assert!(found < first as f64 && first as f64 - found <= 3.0, "{what}"),
                    None => assert_eq!(found, f64::INFINITY, "{what}"),
                },
            }
            finite += usize::from(found.is_finite() && found > 0.0);
            endless += usize::from(found == f64::INFINITY && !upper);
            minima += usize::from(found > 0.0 && optimum == Optimum::Min && kind == Kind::Mdp);
        }
    }
    assert!(finite > 30 && endless > 40 && minima > 20, "{finite} {endless} {minima}");
}

#[test]
fn what_has_no_integers_is_refused() {
    let mut space = reference::parse(Kind::Dtmc, "0: 1:1\n1: 1:1");
    space.rewards.push(RewardVectors {
        name: "r".into(),
        state: None,
        choice: None,
        mixed: true,
        accuracy: Default::default(),
    });
    let bound = CostBound {
        counted: Counted::Reward(RewardId(0)),
        lower: None,
        upper: Some(Limit { amount: RBig::ONE, strict: false }),
    };
    let (left, right) = (BitSet::full(2), BitSet::of(2, [1]));
    let refused = evaluate(&space, std::slice::from_ref(&bound), &left, &right, Optimum::Max);
    assert!(matches!(refused, Err(CheckError::MixedRewards { .. })), "{refused:?}");
    space.rewards[0].mixed = false;
    space.rewards[0].state = Some(vec![-1.0, 0.0].into());
    let refused = evaluate(&space, &[bound], &left, &right, Optimum::Max);
    assert!(matches!(refused, Err(CheckError::NegativeReward { .. })), "{refused:?}");
}
