use std::collections::{BTreeMap, BTreeSet};

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{
    Bound, Comparison, FilterOp, Formula, FormulaId, FormulaValue, LabelId, NumberId, Optimum, Property,
    Query, RewardId, RewardQuery, TimeBound, Value,
};
use volvelle_reference::*;
use volvelle_space::{BitSet, Kind, RewardVectors, Space, StateId};

use super::*;
use crate::evaluate::{StateValues, check_states};

/// The coarsest bisimulation by repeated passes with exact rationals.
fn naive(space: &Space, state_key: impl Fn(usize) -> u64, choice_key: impl Fn(usize) -> u64) -> Vec<usize> {
    let n = space.num_states();
    let mut block: Vec<usize> = vec![0; n];
    loop {
        let mut known: BTreeMap<_, usize> = BTreeMap::new();
        let next: Vec<usize> = (0..n)
            .map(|s| {
                let choices: BTreeSet<(u64, Vec<(usize, RBig)>)> = space
                    .choices_of(s)
                    .map(|c| {
                        let mut sums: BTreeMap<usize, RBig> = BTreeMap::new();
                        for (t, v) in space.transitions(c).filter(|e| e.1 > 0.0) {
                            *sums.entry(block[t]).or_insert(RBig::ZERO) += exact(v);
                        }
                        (choice_key(c), sums.into_iter().collect())
                    })
                    .collect();
                let count = known.len();
                *known.entry((block[s], state_key(s), choices)).or_insert(count)
            })
            .collect();
        if next == block {
            return block;
        }
        block = next;
    }
}

/// A random space in which every state of a smaller one has some copies; values are split among the copies of a target.
/// Some copies are spoilt afterwards. Labels, numbers and rewards are those of the smaller one.
fn planted(random: &mut Random, kind: Kind) -> (Space, Vec<Vec<f64>>) {
    let base = 2 + random.below(5);
    let copies = 1 + random.below(3);
    let n = base * copies;
    let small = random_rows(random, base, if kind == Kind::Mdp { 3 } else { 1 });
    let rates: Vec<f64> = (0..base).map(|_| [1.0, 3.0, 0.5, 10.0][random.below(4)]).collect();
    let decimal = kind == Kind::Ctmc && random.one_in(2);
    let mut rows: Rows = vec![vec![]; n];
    for s in 0..n {
        for row in &small[s % base] {
            let times = if random.one_in(4) { 2 } else { 1 };
            for _ in 0..times {
                let mut copy = vec![];
                for &(t, v) in row {
                    let v = if kind == Kind::Ctmc { v * rates[s % base] } else { v };
                    let parts: Vec<f64> =
                        if decimal { vec![0.1, 0.2, 0.7] } else { vec![v / 2.0, v / 4.0, v / 4.0] };
                    for part in parts {
                        copy.push((t + base * random.below(copies), part));
                    }
                }
                if kind == Kind::Mdp || rows[s].is_empty() {
                    rows[s].push(copy);
                }
            }
        }
    }
    if random.one_in(3) {
        let s = random.below(n);
        let t = random.below(n);
        rows[s][0] = vec![(t, 1.0)];
    }
    let mut space = space(kind, &rows);
    let of_base = |set: BitSet| BitSet::of(n, (0..n).filter(|s| set.contains(s % base)));
    let (target, allowed) = (random_set(random, base, 3), random_set(random, base, 4).complement());
    label(&mut space, "target", of_base(target));
    label(&mut space, "allowed", of_base(allowed));
    let state: Vec<f64> = (0..base).map(|_| random.below(3) as f64).collect();
    rewards(&mut space, (0..n).map(|s| state[s % base]).collect());
    let choice: Vec<f64> = (0..space.num_choices()).map(|_| random.below(2) as f64).collect();
    let unused = (0..n).map(|s| s as f64).collect::<Vec<_>>();
    space.rewards.push(RewardVectors {
        name: "unused".into(),
        state: Some(unused.into()),
        choice: None,
        accuracy: Default::default(),
        mixed: false,
    });
    if random.one_in(3) {
        space.rewards[0].choice = Some(choice.into());
    }
    space.initial = vec![StateId(random.below(n) as u32)];
    if random.one_in(3) {
        space.initial.push(StateId(random.below(n) as u32));
        space.initial.dedup();
    }
    let number: Vec<f64> = (0..base).map(|_| random.below(2) as f64).collect();
    (space, vec![(0..n).map(|s| number[s % base]).collect()])
}

/// A property of each kind that the engine knows, for a kind of model.
fn properties(kind: Kind, optimum: Optimum) -> Vec<Property> {
    let optimum = (kind == Kind::Mdp).then_some(optimum);
    let some = TimeBound { upper: Some(4.0), ..TimeBound::NONE };
    let late = TimeBound { lower: 2.0, upper: Some(5.0), ..TimeBound::NONE };
    let mut all = Vec::new();
    let mut add = |make: &dyn Fn(&mut Builder, FormulaId, FormulaId) -> FormulaId| {
        let mut b = Builder::default();
        let (target, allowed) = (b.label(LabelId(0)), b.label(LabelId(1)));
        let root = make(&mut b, target, allowed);
        all.push(b.property(root));
    };
    for bound in [TimeBound::NONE, some, late] {
        add(&|b, target, allowed| {
            let path = b.add(Formula::Until(allowed, target, bound));
            b.probability(path, optimum)
        });
        add(&|b, target, allowed| {
            let path = b.add(Formula::WeakUntil(allowed, target, bound));
            b.probability(path, optimum)
        });
    }
    add(&|b, target, _| {
        let path = b.add(Formula::Next(target, TimeBound::NONE));
        b.probability(path, optimum)
    });
    add(&|b, target, allowed| {
        // G F target | X allowed
        let f = b.finally(target, TimeBound::NONE);
        let never = b.add(Formula::Bool(false));
        let gf = b.add(Formula::WeakUntil(f, never, TimeBound::NONE));
        let next = b.add(Formula::Next(allowed, TimeBound::NONE));
        let path = b.add(Formula::Or(gf, next));
        b.probability(path, optimum)
    });
    add(&|b, target, _| {
        let path = b.finally(target, TimeBound::NONE);
        b.reward(RewardId(0), RewardQuery::Reach(path), optimum)
    });
    for what in [
        RewardQuery::Cumulative(3.0),
        RewardQuery::Instantaneous(3.0),
        RewardQuery::Total,
        RewardQuery::LongRun,
    ] {
        add(&|b, _, _| b.reward(RewardId(0), what, optimum));
    }
    add(&|b, target, _| b.add(Formula::Steady { optimum, query: Query::Value, states: target }));
    add(&|b, target, _| {
        // Nested: the states where the target comes with a positive probability and a number is above zero.
        let path = b.finally(target, TimeBound::NONE);
        let bound = Bound { comparison: Comparison::Gt, threshold: 0.0 };
        let some = b.add(Formula::Prob { optimum, query: Query::Bound(bound), path });
        let (number, zero) = (b.add(Formula::Observation(NumberId(0))), b.add(Formula::Number(0.0)));
        let above = b.add(Formula::Compare(Comparison::Gt, number, zero));
        let both = b.add(Formula::And(some, above));
        let path = b.finally(both, TimeBound::NONE);
        b.probability(path, optimum)
    });
    all
}

const KINDS: [Kind; 3] = [Kind::Dtmc, Kind::Ctmc, Kind::Mdp];

#[test]
fn the_partition_is_the_coarsest() {
    let mut random = Random(77);
    let mut smaller = 0;
    for round in 0..600 {
        let (space, numbers) = planted(&mut random, KINDS[round % 3]);
        let observed = Observed::by(&properties(space.kind, Optimum::Max)[12]);
        let numbered = Observed::by(&properties(space.kind, Optimum::Max)[14]);
        let plain = Observed::by(&properties(space.kind, Optimum::Max)[0]);
        let rewards = &space.rewards[0];
        let reward_of = |s: usize| rewards.state.as_ref().map_or(0, |v| v.get(s) as u64);
        let member = |i: usize, s: usize| u64::from(space.labels[i].1.contains(s));
        let of_choice = |c: usize| rewards.choice.as_ref().map_or(0, |v| v.get(c) as u64);
        let expected = [
            (naive(&space, |s| member(0, s) + 2 * member(1, s) + 4 * reward_of(s), of_choice), observed),
            (naive(&space, |s| member(0, s) + 2 * member(1, s) + 4 * numbers[0][s] as u64, |_| 0), numbered),
            (naive(&space, |s| member(0, s) + 2 * member(1, s), |_| 0), plain),
        ];
        for (blocks, observed) in expected {
            let q = Quotient::new(&space, &numbers, &observed, &Control::unlimited()).unwrap().unwrap();
            // Both number blocks by their first state.
            assert_eq!(q.block_of.iter().map(|&b| b as usize).collect::<Vec<_>>(), blocks, "{space:?}");
            assert_eq!(q.space.num_states(), blocks.iter().max().unwrap() + 1);
            smaller += usize::from(q.first.len() * 2 <= space.num_states());
        }
    }
    assert!(smaller > 300, "{smaller}");
}

#[test]
fn quotients_of_quotients_are_the_same() {
    let mut random = Random(78);
    for round in 0..150 {
        let (space, numbers) = planted(&mut random, KINDS[round % 3]);
        let observed = Observed::by(&properties(space.kind, Optimum::Max)[12]);
        let q = Quotient::new(&space, &numbers, &observed, &Control::unlimited()).unwrap().unwrap();
        let again = Quotient::new(&q.space, &q.numbers, &observed, &Control::unlimited()).unwrap().unwrap();
        assert_eq!(again.first.len(), q.first.len());
        assert_eq!(again.space, q.space);
    }
}

#[test]
fn values_of_all_states_agree() {
    let mut random = Random(79);
    let (mut numbers_seen, control, options) = (0, Control::unlimited(), Options::default());
    for round in 0..120 {
        let (space, numbers) = planted(&mut random, KINDS[round % 3]);
        let optimum = if random.one_in(2) { Optimum::Min } else { Optimum::Max };
        for (i, property) in properties(space.kind, optimum).iter().enumerate() {
            let observed = Observed::by(property);
            let q = Quotient::new(&space, &numbers, &observed, &control).unwrap().unwrap();
            let whole = check_states(&space, property, &numbers, &options, None, &control);
            let reduced = check_states(&q.space, property, &q.numbers, &options, None, &control);
            match (whole, reduced) {
                (Ok(StateValues::Number(whole)), Ok(StateValues::Number(reduced))) => {
                    for s in 0..space.num_states() {
                        let ([a, b], [c, d]) = (whole.bounds[s], reduced.bounds[q.block_of[s] as usize]);
                        assert!(a.max(c) <= b.min(d), "{i} {s}: [{a:e}, {b:e}] [{c:e}, {d:e}] {space:?}");
                        numbers_seen += 1;
                    }
                }
                (whole, reduced) => assert!(whole.is_err() && reduced.is_err(), "{i} {whole:?} {reduced:?}"),
            }
        }
    }
    assert!(numbers_seen > 10_000, "{numbers_seen}");
}

/// Two copies of a coin that is flipped until heads; only the second copy is labelled as such.
fn coins() -> Space {
    let mut space = parse(
        Kind::Dtmc,
        "0: 0.5:1 0.5:2
         1: 0.5:1 0.5:3
         2: 0.5:2 0.5:4
         3: 1:3
         4: 1:4",
    );
    let mut heads = BitSet::new(5);
    heads.insert(3);
    heads.insert(4);
    label(&mut space, "heads", heads);
    space
}

fn asked(op: FilterOp) -> Property {
    let mut b = Builder::default();
    let heads = b.label(LabelId(0));
    let path = b.add(Formula::Next(heads, TimeBound::NONE));
    let p = b.probability(path, None);
    let root = b.add(Formula::Filter { op, formula: p, states: None });
    b.property(root)
}

#[test]
fn filters_speak_of_the_states_of_the_space() {
    let space = coins();
    let ask = |op| {
        let options = Options { bisimulation: Bisimulation::Strong, ..Options::default() };
        check_reduced(&space, &asked(op), &options, &Control::unlimited())
    };
    let printed = ask(FilterOp::PrintAll);
    let listed = |list: &[(u32, f64)]| {
        Value::States(list.iter().map(|&(state, x)| (state, FormulaValue::Bounds([x, x]))).collect())
    };
    let Value::States(states) = &printed.value else { panic!("{:?}", printed.value) };
    let expected = [(0, 0.0), (1, 0.5), (2, 0.5), (3, 1.0), (4, 1.0)];
    assert_eq!(states.len(), expected.len());
    for ((state, value), (number, x)) in states.iter().zip(expected) {
        // Probabilities of merged transitions count as rounded.
        let FormulaValue::Bounds([lo, hi]) = *value else { panic!("{value:?}") };
        assert!(*state == number && lo <= x && x <= hi && hi - lo < 1e-14, "{state}: {value:?}");
    }
    assert!(printed.method.starts_with("bisimulation to 3 states, "), "{}", printed.method);
    assert_eq!(ask(FilterOp::ArgMax).value, listed(&[(3, 1.0), (4, 1.0)]));
    let sum = ask(FilterOp::Sum);
    assert_eq!(sum.value, Value::Number(3.0));
    assert!(sum.method.starts_with("no bisimulation"), "{}", sum.method);
    assert_eq!(ask(FilterOp::Min).value, Value::Number(0.0));
    assert_eq!(ask(FilterOp::First).value, Value::Number(0.0));
}

#[test]
fn automatic_reduction_waits_for_many_steps() {
    let rows: Rows = (0..2000).map(|s| vec![vec![((s + 1) % 2000, 1.0)]]).collect();
    let mut space = space(Kind::Ctmc, &rows);
    label(&mut space, "none", BitSet::new(2000));
    let within = |time: f64| {
        let mut b = Builder::default();
        let target = b.label(LabelId(0));
        let path = b.finally(target, TimeBound { upper: Some(time), ..TimeBound::NONE });
        let p = b.probability(path, None);
        let control = Control::unlimited();
        check_reduced(&space, &b.property(p), &Options::default(), &control).method
    };
    assert!(!within(10.0).contains("bisimulation"));
    assert!(within(1e4).contains("bisimulation to 1 state,"), "{}", within(1e4));
}

#[test]
fn numbers_at_the_ends_of_the_range_are_left_alone() {
    let mut space = coins();
    space.kind = Kind::Ctmc;
    space.values = vec![1e300; space.num_transitions()].into();
    let observed = Observed::by(&asked(FilterOp::Min));
    assert!(Quotient::new(&space, &[], &observed, &Control::unlimited()).unwrap().is_none());
}

fn check_reduced(space: &Space, property: &Property, options: &Options, control: &Control) -> Answer {
    let mut checked = check_family(space, &[property], &[], options, None, control);
    assert_eq!(checked.len(), 1);
    checked.remove(0).outcome.unwrap()
}
