//! Strategies of random small MDPs with end components: the chain that each makes is checked again.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{
    CostBound, Counted, Formula, FormulaId, Goal, Guarantee, LabelId, Limit, Measured, Objective, Optimum,
    Property, Query, RewardId, RewardQuery, TimeBound, Value,
};
use volvelle_objectives::strategy::{Conflict, Line, Memory, Move, Strategy};
use volvelle_reference::*;
use volvelle_solver::{CheckError, Options, WitnessError};
use volvelle_space::{Accuracy, BitSet, Kind, RewardVectors, Space};

use super::*;
use crate::evaluate::check;

/// A model with three labels, and rewards of states and choices that are zero in many places.
pub(crate) fn model(random: &mut Random, states: usize) -> Space {
    let mut rows = random_rows(random, states, 3);
    for (s, choices) in rows.iter_mut().enumerate() {
        if random.one_in(2) {
            choices.push(vec![(random.below(states), 1.0)]);
        }
        if random.one_in(3) {
            choices.push(vec![(s, 0.5), (random.below(states), 0.5)]);
        }
        choices.truncate(3);
    }
    let mut space = space(Kind::Mdp, &rows);
    for name in ["a", "b", "c"] {
        let set = random_set(random, states, 2);
        label(&mut space, name, set);
    }
    let mut some = |count: usize| -> Vec<f64> {
        (0..count).map(|_| if random.one_in(2) { 0.0 } else { random.below(8) as f64 / 4.0 }).collect()
    };
    let (state, choice) = (some(states), some(space.num_choices()));
    let earned = (some(states), some(space.num_choices()));
    let mut rewards = |name: &str, state: Vec<f64>, choice: Vec<f64>| {
        space.rewards.push(RewardVectors {
            name: name.to_string(),
            state: Some(state.into()),
            choice: Some(choice.into()),
            accuracy: Accuracy::Exact,
            mixed: false,
        });
    };
    let of_both_signs = |gains: &[f64]| gains.iter().map(|gain| 0.75 - gain).collect();
    let signed = (of_both_signs(&state), of_both_signs(&choice));
    rewards("r", state, choice);
    rewards("g", signed.0, signed.1);
    rewards("e", earned.0, earned.1);
    space
}

/// The value of a property with bounds; `None` where there is none.
fn value(space: &Space, property: &Property) -> Option<[f64; 2]> {
    let answer = match check(space, property, &[], &Options::default(), &Control::unlimited()) {
        Ok(answer) => answer,
        Err(CheckError::ImpossibleCondition { .. } | CheckError::EndlessReward { .. }) => return None,
        Err(CheckError::OnTheEdge { .. }) => return None,
        Err(
            CheckError::EndlessLoss { .. }
            | CheckError::BalancedLoss { .. }
            | CheckError::NegativeReward { .. }
            | CheckError::NotYetEvaluated { .. },
        ) => return None,
        Err(error) => panic!("{error}"),
    };
    Some(match (answer.value, answer.guarantee) {
        (_, Guarantee::Sound { lo, hi, .. }) => [lo, hi],
        (Value::Number(value), _) => [value; 2],
        // No scheduler meets the bounds.
        (Value::Bool(false), _) => return None,
        (other, _) => panic!("{other:?}"),
    })
}

fn chain_of(space: &Space, found: &Found) -> Induced {
    let start = space.initial.iter().map(|s| s.0);
    induced(space, &found.strategy, start, &Control::unlimited()).expect("the strategy is complete")
}

fn assert_close(a: [f64; 2], b: [f64; 2], what: &str) {
    let apart = (a[0] - b[1]).max(b[0] - a[1]);
    let scale = a[1].abs().min(b[1].abs()).max(1e-3);
    assert!(a == b || apart <= 4e-6 * scale, "{what}: {a:?} {b:?}");
}

const BOTH: [Optimum; 2] = [Optimum::Min, Optimum::Max];

/// Properties over three labels and one reward structure.
#[expect(clippy::too_many_lines, reason = "a list of cases")]
pub(crate) fn properties(optimum: Optimum) -> Vec<(String, Property)> {
    let mut all: Vec<(String, Property)> = Vec::new();
    type Make = fn(&mut Builder, [FormulaId; 3]) -> FormulaId;
    let paths: [(&str, Make); 22] = [
        ("X a", |b, [a, ..]| b.add(Formula::Next(a, TimeBound::NONE))),
        ("F a", |b, [a, ..]| b.finally(a, TimeBound::NONE)),
        ("b U a", |b, [x, y, _]| b.add(Formula::Until(y, x, TimeBound::NONE))),
        ("b W a", |b, [x, y, _]| b.add(Formula::WeakUntil(y, x, TimeBound::NONE))),
        ("b R a", |b, [x, y, _]| b.add(Formula::Release(y, x, TimeBound::NONE))),
        ("F<=5 a", |b, [a, ..]| b.finally(a, within(0.0, Some(5.0)))),
        ("F[2,6] a", |b, [a, ..]| b.finally(a, within(2.0, Some(6.0)))),
        ("b U[1,4] a", |b, [x, y, _]| b.add(Formula::Until(y, x, within(1.0, Some(4.0))))),
        ("F>=3 a", |b, [a, ..]| b.finally(a, within(3.0, None))),
        ("b U>=2 a", |b, [x, y, _]| b.add(Formula::Until(y, x, within(2.0, None)))),
        ("b W<=4 a", |b, [x, y, _]| b.add(Formula::WeakUntil(y, x, within(0.0, Some(4.0))))),
        ("b R<=4 a", |b, [x, y, _]| b.add(Formula::Release(y, x, within(0.0, Some(4.0))))),
        ("b R[1,4] a", |b, [x, y, _]| b.add(Formula::Release(y, x, within(1.0, Some(4.0))))),
        ("b W[1,4] a", |b, [x, y, _]| b.add(Formula::WeakUntil(y, x, within(1.0, Some(4.0))))),
        ("!F<=3 a", |b, [a, ..]| {
            let f = b.finally(a, within(0.0, Some(3.0)));
            b.add(Formula::Not(f))
        }),
        ("G F a", |b, [a, ..]| again(b, a)),
        ("F G a", |b, [a, ..]| for_ever(b, a)),
        ("G F a & G F b", |b, [x, y, _]| {
            let (x, y) = (again(b, x), again(b, y));
            b.add(Formula::And(x, y))
        }),
        ("(G F a & G F b) | F G c", |b, [x, y, z]| {
            let (x, y, z) = (again(b, x), again(b, y), for_ever(b, z));
            let both = b.add(Formula::And(x, y));
            b.add(Formula::Or(both, z))
        }),
        ("F (a & X b)", |b, [x, y, _]| {
            let next = b.add(Formula::Next(y, TimeBound::NONE));
            let both = b.add(Formula::And(x, next));
            b.finally(both, TimeBound::NONE)
        }),
        ("F a & F b", |b, [x, y, _]| {
            let (x, y) = (b.finally(x, TimeBound::NONE), b.finally(y, TimeBound::NONE));
            b.add(Formula::And(x, y))
        }),
        ("F<=4 a & G F b", |b, [x, y, _]| {
            let (x, y) = (b.finally(x, within(0.0, Some(4.0))), again(b, y));
            b.add(Formula::And(x, y))
        }),
    ];
    for (name, path) in paths {
        let mut b = Builder::default();
        let labels = [0, 1, 2].map(|i| b.label(LabelId(i)));
        let path = path(&mut b, labels);
        let p = b.probability(path, Some(optimum));
        all.push((format!("P{optimum:?} [ {name} ]"), b.property(p)));
    }
    let rewards: [(&str, RewardQuery); 6] = [
        ("C<=5", RewardQuery::Cumulative(5.0)),
        ("C<=0", RewardQuery::Cumulative(0.0)),
        ("I=4", RewardQuery::Instantaneous(4.0)),
        ("C<=60", RewardQuery::Cumulative(60.0)),
        ("C", RewardQuery::Total),
        ("S", RewardQuery::LongRun),
    ];
    for (name, what) in rewards {
        let mut b = Builder::default();
        let r = b.reward(RewardId(0), what, Some(optimum));
        all.push((format!("R{optimum:?} [ {name} ]"), b.property(r)));
    }
    let mut b = Builder::default();
    let [x, y, _] = [0, 1, 2].map(|i| b.label(LabelId(i)));
    let (x, y) = (b.finally(x, TimeBound::NONE), b.finally(y, TimeBound::NONE));
    let path = b.add(Formula::And(x, y));
    let r = b.reward(RewardId(0), RewardQuery::Reach(path), Some(optimum));
    all.push((format!("R{optimum:?} [ F a & F b ]"), b.property(r)));
    let mut b = Builder::default();
    let a = b.label(LabelId(0));
    let path = b.finally(a, TimeBound::NONE);
    let r = b.add(Formula::Time { optimum: Some(optimum), query: Query::Value, path });
    all.push((format!("T{optimum:?} [ F a ]"), b.property(r)));
    let mut b = Builder::default();
    let states = b.label(LabelId(0));
    let s = b.add(Formula::Steady { optimum: Some(optimum), query: Query::Value, states });
    all.push((format!("S{optimum:?} [ a ]"), b.property(s)));
    let amount =
        |quarters: u64, strict: bool| Some(Limit { amount: RBig::from(quarters) / RBig::from(4u8), strict });
    let of_r = |lower: Option<Limit>, upper: Option<Limit>| CostBound {
        counted: Counted::Reward(RewardId(0)),
        lower,
        upper,
    };
    let steps =
        |lower: Option<Limit>, upper: Option<Limit>| CostBound { counted: Counted::Steps, lower, upper };
    let bounded: [(&str, bool, Vec<CostBound>); 9] = [
        ("F{r}<=2 a", false, vec![of_r(None, amount(8, false))]),
        ("F{r}<2 a", false, vec![of_r(None, amount(8, true))]),
        ("b U{r}<=3 a", true, vec![of_r(None, amount(12, false))]),
        ("F{r}>=1 a", false, vec![of_r(amount(4, false), None)]),
        ("b U{r}[1,2.5] a", true, vec![of_r(amount(4, false), amount(10, false))]),
        ("F{r}<=2,steps<=4 a", false, vec![of_r(None, amount(8, false)), steps(None, amount(16, false))]),
        ("F{r}<=2,steps>=3 a", false, vec![of_r(None, amount(8, false)), steps(amount(12, false), None)]),
        ("F steps>2,{r}>=1 a", false, vec![steps(amount(8, true), None), of_r(amount(4, false), None)]),
        ("F{r}<0 a", false, vec![of_r(None, amount(0, true))]),
    ];
    for (name, through, bounds) in bounded {
        for negated in [false, true] {
            let mut b = Builder::default();
            let [x, y, _] = [0, 1, 2].map(|i| b.label(LabelId(i)));
            let left = if through { y } else { b.add(Formula::Bool(true)) };
            let mut path = b.add(Formula::BoundedUntil(left, x, bounds.clone()));
            if negated {
                path = b.add(Formula::Not(path));
            }
            let p = b.probability(path, Some(optimum));
            let not = if negated { "!" } else { "" };
            all.push((format!("P{optimum:?} [ {not}({name}) ]"), b.property(p)));
        }
    }
    // What is earned is not what is spent, and may be earned for ever where nothing is spent.
    let in_budgets: [(&str, Vec<CostBound>); 5] = [
        ("C{r}<=2", vec![of_r(None, amount(8, false))]),
        ("C{r}<3", vec![of_r(None, amount(12, true))]),
        ("C{r}<=2,steps<=4", vec![of_r(None, amount(8, false)), steps(None, amount(16, false))]),
        ("C steps<=3", vec![steps(None, amount(12, false))]),
        ("C{r}<0", vec![of_r(None, amount(0, true))]),
    ];
    for (name, bounds) in in_budgets {
        for (id, of) in [(0, "r"), (2, "e")] {
            let mut b = Builder::default();
            let (always, never) = (b.add(Formula::Bool(true)), b.add(Formula::Bool(false)));
            let path = b.add(Formula::BoundedUntil(always, never, bounds.clone()));
            let r = b.reward(RewardId(id), RewardQuery::Within(path), Some(optimum));
            all.push((format!("R{{{of}}}{optimum:?} [ {name} ]"), b.property(r)));
        }
    }
    let discounted = |upto| RewardQuery::Discounted { factor: 0.75, rest: 0.25, upto };
    let signed = [
        ("C, discount 0.75", discounted(None)),
        ("C<=6, discount 0.75", discounted(Some(6.0))),
        ("C<=0, discount 0.75", discounted(Some(0.0))),
        ("C<=5", RewardQuery::Cumulative(5.0)),
        ("I=3", RewardQuery::Instantaneous(3.0)),
        ("S", RewardQuery::LongRun),
        ("C", RewardQuery::Total),
    ];
    for (name, what) in signed {
        for (id, of) in ["r", "g"].into_iter().enumerate() {
            let mut b = Builder::default();
            let r = b.reward(RewardId(id as u32), what, Some(optimum));
            all.push((format!("R{{{of}}}{optimum:?} [ {name} ]"), b.property(r)));
        }
    }
    let mut b = Builder::default();
    let a = b.label(LabelId(0));
    let path = b.finally(a, TimeBound::NONE);
    let r = b.reward(RewardId(1), RewardQuery::Reach(path), Some(optimum));
    all.push((format!("R{{g}}{optimum:?} [ F a ]"), b.property(r)));
    // On either side a condition on the first state, too, and the same formula on both.
    type Sides = fn(&mut Builder, [FormulaId; 3]) -> [FormulaId; 2];
    let conditional: [(&str, Sides); 9] = [
        ("F a || F b", |b, [x, y, _]| [x, y].map(|id| b.finally(id, TimeBound::NONE))),
        ("F a || G F b", |b, [x, y, _]| [b.finally(x, TimeBound::NONE), again(b, y)]),
        ("F a || b", |b, [x, y, _]| [b.finally(x, TimeBound::NONE), y]),
        ("F a || !b", |b, [x, y, _]| [b.finally(x, TimeBound::NONE), b.add(Formula::Not(y))]),
        ("F a || true", |b, [x, ..]| [b.finally(x, TimeBound::NONE), b.add(Formula::Bool(true))]),
        ("a || F b", |b, [x, y, _]| [x, b.finally(y, TimeBound::NONE)]),
        ("!a || G F b", |b, [x, y, _]| [b.add(Formula::Not(x)), again(b, y)]),
        ("F a || F a", |b, [x, ..]| [b.finally(x, TimeBound::NONE); 2]),
        ("F<=3 a || F b", |b, [x, y, _]| {
            [b.finally(x, within(0.0, Some(3.0))), b.finally(y, TimeBound::NONE)]
        }),
    ];
    for (name, sides) in conditional {
        let mut b = Builder::default();
        let labels = [0, 1, 2].map(|i| b.label(LabelId(i)));
        let [path, given] = sides(&mut b, labels);
        let query = Query::Value;
        let p = b.add(Formula::Conditional { optimum: Some(optimum), query, path, given });
        all.push((format!("P{optimum:?} [ {name} ]"), b.property(p)));
    }
    all
}

fn again(b: &mut Builder, a: FormulaId) -> FormulaId {
    let finally = b.finally(a, TimeBound::NONE);
    let never = b.add(Formula::Bool(false));
    b.add(Formula::WeakUntil(finally, never, TimeBound::NONE))
}

fn for_ever(b: &mut Builder, a: FormulaId) -> FormulaId {
    let never = b.add(Formula::Bool(false));
    let globally = b.add(Formula::WeakUntil(a, never, TimeBound::NONE));
    b.finally(globally, TimeBound::NONE)
}

#[test]
fn chains_of_strategies_have_the_value_of_the_property() {
    let mut random = Random(2026);
    let (mut with_memory, mut randomised, mut infinite, mut amounts) = (0, 0, 0, 0);
    let (mut earned, mut endless) = (0, 0);
    for round in 0..40 {
        let states = 2 + random.below(7);
        let space = model(&mut random, states);
        for (name, property) in BOTH.into_iter().flat_map(properties) {
            let Some(best) = value(&space, &property) else { continue };
            let found = strategy(&space, &property, &[], &Options::default(), &Control::unlimited());
            let found = match found {
                // No scheduler is the best, or what a run loses again and again has a limit only under some.
                Err(WitnessError::Check(
                    CheckError::NegativeReward { .. } | CheckError::EndlessLoss { .. },
                )) => continue,
                found => found.unwrap_or_else(|error| panic!("{round} {name}: {error} {space:?}")),
            };
            let what = format!("{round} {name} of {space:?}: {:?}", found.strategy);
            let chain = chain_of(&space, &found);
            assert_close(value(&chain.space, &property).unwrap(), best, &what);
            assert_close(found.values[0], best, &what);
            with_memory += usize::from(chain.space.num_states() > states);
            randomised += usize::from(found.strategy.is_randomised());
            infinite += usize::from(best[0] == f64::INFINITY);
            if name.starts_with("R{e}") && found.strategy.memory == Memory::Amounts {
                earned += usize::from(best[0] > 0.0 && best[1] < f64::INFINITY);
                endless += usize::from(best[0] == f64::INFINITY);
            }
            amounts +=
                usize::from(found.strategy.memory == Memory::Amounts && best[0] > 0.0 && best[1] < 1.0);
        }
    }
    assert!(with_memory > 80 && randomised > 3 && infinite > 60, "{with_memory} {randomised} {infinite}");
    assert!(amounts > 80 && earned > 80 && endless > 20, "{amounts} {earned} {endless}");
}

fn several(objectives: Vec<Objective>, b: Builder) -> Property {
    let mut b = b;
    let root = b.add(Formula::Multi(objectives));
    b.property(root)
}

#[test]
fn mixes_meet_all_bounds() {
    let mut random = Random(77);
    let (mut mixed, mut counted) = (0, 0);
    for round in 0..120 {
        let states = 3 + random.below(6);
        let space = model(&mut random, states);
        let mut b = Builder::default();
        let [x, y, z] = [0, 1, 2].map(|i| b.label(LabelId(i)));
        let first = b.finally(x, TimeBound::NONE);
        let second = if random.one_in(2) { again(&mut b, y) } else { b.finally(y, TimeBound::NONE) };
        let third = match random.below(3) {
            0 => Measured::Reward(RewardId(0), Some(1 + random.below(4) as u64)),
            1 => Measured::Reward(RewardId(0), None),
            _ => Measured::Probability(for_ever(&mut b, z)),
        };
        let bound = random.pick(&[0.1, 0.25, 0.5, 0.7]);
        let goal_of_third = match (third, random.below(3)) {
            (_, 0) => Goal::Minimise,
            (Measured::Reward(_, None), _) => Goal::AtMost(3.0),
            _ => Goal::Maximise,
        };
        let strict = round % 2 == 0;
        let goal_of_first = if strict { Goal::MoreThan(bound) } else { Goal::AtLeast(bound) };
        let objectives = vec![
            Objective { measured: Measured::Probability(first), goal: goal_of_first },
            Objective { measured: Measured::Probability(second), goal: Goal::AtMost(0.8) },
            Objective { measured: third, goal: goal_of_third },
        ];
        let optimised = matches!(goal_of_third, Goal::Maximise | Goal::Minimise);
        let property = several(objectives.clone(), b);
        let answer = match check(&space, &property, &[], &Options::default(), &Control::unlimited()) {
            Ok(answer) => answer,
            Err(CheckError::OnTheEdge { .. } | CheckError::EndlessReward { .. }) => continue,
            Err(error) => panic!("{error}"),
        };
        let found = strategy(&space, &property, &[], &Options::default(), &Control::unlimited());
        if answer.value == Value::Bool(false) {
            assert_eq!(found.unwrap_err(), WitnessError::Form(crate::NoWitness::NoneMeets));
            continue;
        }
        let found = found.unwrap();
        let what = format!("{round} {objectives:?} of {space:?}: {:?} {:?}", found.strategy, found.values);
        let close = |value: [f64; 2], bound: f64| (value[1] - bound, value[0] - bound);
        assert!(close(found.values[0], bound).0 >= -1e-6, "{what}");
        assert!(!strict || found.values[0][1] > bound, "{what}");
        assert!(close(found.values[1], 0.8).1 <= 1e-6, "{what}");
        match answer.value {
            // The best value under strict bounds may be approached only.
            Value::Number(best) if optimised && strict => {
                assert!(found.values[2].iter().all(|v| (v - best).abs() <= 1e-5 * (1.0 + best)), "{what}");
            }
            Value::Number(best) if optimised => assert_close(found.values[2], [best; 2], &what),
            _ => assert!(close(found.values[2], 3.0).1 <= 1e-6, "{what}"),
        }
        mixed += usize::from(found.strategy.memory == Memory::Mix);
        counted += usize::from(matches!(third, Measured::Reward(_, Some(_))));
    }
    assert!(mixed > 5 && counted > 5, "{mixed} {counted}");
}

#[test]
fn decisions_of_many_steps_take_the_room_of_their_changes() {
    // Before the last 20 steps the decision is the same.
    let space = parse(
        Kind::Mdp,
        "0: 0.999:0 0.001:1
         0: 0.05:1 0.95:2
         1: 1:1
         2: 1:2",
    );
    let mut space = space;
    label(&mut space, "a", BitSet::of(3, [1]));
    let mut b = Builder::default();
    let a = b.label(LabelId(0));
    let path = b.finally(a, within(0.0, Some(100_000.0)));
    let p = b.probability(path, Some(Optimum::Max));
    let property = b.property(p);
    let found = strategy(&space, &property, &[], &Options::default(), &Control::unlimited()).unwrap();
    assert!(found.strategy.lines().count() <= 5, "{:?}", found.strategy);
    assert_eq!(found.strategy.initial, 100_000);
    assert_close(found.values[0], value(&space, &property).unwrap(), "many steps");
    let lines: Vec<Line> = found.strategy.lines().filter(|line| line.state == 0).collect();
    assert_eq!(lines.last().map(|line| (line.memory[1], line.then.choice)), Some((100_000, 0)));
    // Steps are counted as long as decisions may change: not in 1 and 2, to which the last step leads.
    assert_eq!(chain_of(&space, &found).space.num_states(), 100_000 + 2);
}

#[test]
fn moves_that_contradict_each_other() {
    let then = |choice, probability| Move { choice, probability, next: 0 };
    let of = |moves: &[(u32, u32, Move)]| Strategy::of_moves(2, Memory::None, 0, moves);
    assert!(of(&[(0, 0, then(0, 0.25)), (1, 0, then(2, 1.0)), (0, 0, then(1, 0.75))]).is_ok());
    let twice = of(&[(0, 0, then(0, 1.0)), (1, 0, then(2, 1.0)), (0, 0, then(1, 1.0))]);
    assert_eq!(twice, Err(Conflict::Twice(2)));
    assert_eq!(of(&[(0, 0, then(0, 0.25))]), Err(Conflict::Sum(0, 0.25)));
}

#[test]
fn memories_say_what_is_left() {
    // By one step or by a costly one, until the budget allows neither.
    let mut space = parse(
        Kind::Mdp,
        "0: 0.5:0 0.5:1
         0: 0.25:0 0.75:1
         1: 1:1",
    );
    label(&mut space, "a", BitSet::of(2, [1]));
    space.rewards.push(RewardVectors {
        name: "cost".to_string(),
        state: None,
        choice: Some(vec![0.1, 0.2, 0.0].into()),
        accuracy: Accuracy::Exact,
        mixed: false,
    });
    let property = |tenths: u64| {
        let mut b = Builder::default();
        let (all, a) = (b.add(Formula::Bool(true)), b.label(LabelId(0)));
        let upper = Some(Limit { amount: RBig::from(tenths) / RBig::from(10u8), strict: false });
        let bound = CostBound { counted: Counted::Reward(RewardId(0)), lower: None, upper };
        let path = b.add(Formula::BoundedUntil(all, a, vec![bound]));
        let p = b.probability(path, Some(Optimum::Max));
        b.property(p)
    };
    let of = |tenths| strategy(&space, &property(tenths), &[], &Options::default(), &Control::unlimited());
    let found = of(3).unwrap();
    let (amounts, strategy) = (found.strategy.amounts.as_ref().unwrap(), &found.strategy);
    assert_eq!(amounts.left.len(), strategy.memories() as usize);
    let left =
        |memory: u32| amounts.of_memory(memory).map(|left| left.map(|(_, left)| left).collect::<Vec<_>>());
    assert_eq!(left(0), Some(vec![0.3]));
    assert!(amounts.of[0].unit == [1.0, 10.0] && amounts.of[0].upper);
    // 0.3: first the cheap step leaves 0.2, then the costly one is best, as 0.75 = 1 - 0.5 * 0.5: any of both; but of 0.1
    // only the cheap one is possible.
    assert_close(found.values[0], [0.875; 2], "three tenths");
    for line in strategy.lines().filter(|line| line.state == 0) {
        let next = left(line.then.next);
        let spent = if line.then.choice == 0 { 0.1 } else { 0.2 };
        let Some(before) = left(line.memory[0]) else { continue };
        if before[0] >= spent {
            assert!((before[0] - spent - next.unwrap()[0]).abs() < 1e-12, "{strategy:?}");
        }
    }
    // As many amounts as are not written down.
    let refused = of(60_000_000).unwrap_err();
    assert!(matches!(refused, WitnessError::Form(crate::NoWitness::TooManyAmounts(_))), "{refused}");
}
