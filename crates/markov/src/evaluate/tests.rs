use volvelle_control::{Cancel, Control, Limits, Stop};
use volvelle_logic::{
    Bound, Formula, Guarantee, LabelId, NumberId, Optimum, Query, RewardId, RewardQuery, TimeBound, Value,
    gate,
};
use volvelle_reference::*;
use volvelle_space::{Kind, StateId};

use super::*;

fn set(len: usize, members: &[usize]) -> BitSet {
    BitSet::of(len, members.iter().copied())
}

fn ask(space: &Space, property: &Property) -> Result<Answer, CheckError> {
    // Numbers of these spaces are meant as they stand.
    let options = Options { exact_input: true, ..Options::default() };
    check(space, property, &[], &options, &Control::unlimited())
}

/// A die out of coins (Knuth and Yao): 0 is the start, 7..=12 are the faces.
fn die() -> Space {
    let mut space = parse(
        Kind::Dtmc,
        "0: 0.5:1 0.5:2
         1: 0.5:3 0.5:4
         2: 0.5:5 0.5:6
         3: 0.5:1 0.5:7
         4: 0.5:8 0.5:9
         5: 0.5:10 0.5:11
         6: 0.5:2 0.5:12
         7: 1:7
         8: 1:8
         9: 1:9
         10: 1:10
         11: 1:11
         12: 1:12",
    );
    label(&mut space, "six", set(13, &[12]));
    label(&mut space, "done", set(13, &[7, 8, 9, 10, 11, 12]));
    rewards(&mut space, (0..13).map(|s| if s < 7 { 1.0 } else { 0.0 }).collect());
    space
}

const SIX: LabelId = LabelId(0);
const DONE: LabelId = LabelId(1);
const FLIPS: RewardId = RewardId(0);

fn assert_sound(answer: &Answer, truth: f64) {
    let Value::Number(value) = answer.value else { panic!("{answer:?}") };
    assert!((value - truth).abs() <= 1e-6 * truth.abs(), "{answer:?} but {truth}");
    match answer.guarantee {
        Guarantee::Sound { lo, hi, .. } => assert!(lo <= truth && truth <= hi && lo <= value && value <= hi),
        Guarantee::Exact { .. } => assert_eq!(value, truth),
        Guarantee::Within { .. } => panic!("not a number: {answer:?}"),
        Guarantee::Approximate { .. } | Guarantee::Partial { .. } | Guarantee::Statistical { .. } => {
            panic!("{answer:?}")
        }
    }
}

#[test]
fn the_die_is_fair() {
    let space = die();
    let mut b = Builder::default();
    let six = b.label(SIX);
    let path = b.finally(six, TimeBound::NONE);
    let p = b.probability(path, None);
    assert_sound(&ask(&space, &b.property(p)).unwrap(), 1.0 / 6.0);

    let mut b = Builder::default();
    let done = b.label(DONE);
    let path = b.finally(done, TimeBound::NONE);
    let r = b.reward(FLIPS, RewardQuery::Reach(path), None);
    assert_sound(&ask(&space, &b.property(r)).unwrap(), 11.0 / 3.0);

    let mut b = Builder::default();
    let six = b.label(SIX);
    let path = b.finally(six, TimeBound::NONE);
    let r = b.reward(FLIPS, RewardQuery::Reach(path), None);
    assert_eq!(ask(&space, &b.property(r)).unwrap().value, Value::Number(f64::INFINITY));

    let mut b = Builder::default();
    let r = b.reward(FLIPS, RewardQuery::Total, None);
    assert_sound(&ask(&space, &b.property(r)).unwrap(), 11.0 / 3.0);

    let mut b = Builder::default();
    let six = b.label(SIX);
    let s = b.add(Formula::Steady { optimum: None, query: Query::Value, states: six });
    assert_sound(&ask(&space, &b.property(s)).unwrap(), 1.0 / 6.0);
}

#[test]
fn arithmetic_and_filters() {
    let space = die();
    // 1 - 2 P=? [F six]
    let mut b = Builder::default();
    let six = b.label(SIX);
    let path = b.finally(six, TimeBound::NONE);
    let p = b.probability(path, None);
    let two = b.add(Formula::Number(2.0));
    let one = b.add(Formula::Number(1.0));
    let product = b.add(Formula::Mul(two, p));
    let root = b.add(Formula::Sub(one, product));
    assert_sound(&ask(&space, &b.property(root)).unwrap(), 2.0 / 3.0);

    let filtered = |op, states: Option<&[usize]>| {
        let mut space = die();
        let set = label(&mut space, "these", set(13, states.unwrap_or(&[])));
        let mut b = Builder::default();
        let these = b.label(set);
        let six = b.label(SIX);
        let path = b.finally(six, TimeBound::NONE);
        let p = b.probability(path, None);
        let root = b.add(Formula::Filter { op, formula: p, states: states.map(|_| these) });
        ask(&space, &b.property(root))
    };
    assert_sound(&filtered(FilterOp::Max, Some(&[0, 1, 2, 6])).unwrap(), 2.0 / 3.0);
    assert_sound(&filtered(FilterOp::Min, Some(&[0, 2, 6])).unwrap(), 1.0 / 6.0);
    assert_sound(&filtered(FilterOp::Sum, Some(&[0, 2, 6])).unwrap(), 1.0 / 6.0 + 1.0);
    assert_sound(&filtered(FilterOp::Avg, Some(&[0, 2, 6])).unwrap(), (1.0 / 6.0 + 1.0) / 3.0);
    assert_sound(&filtered(FilterOp::First, Some(&[2, 6])).unwrap(), 1.0 / 3.0);
    assert_sound(&filtered(FilterOp::State, Some(&[6])).unwrap(), 2.0 / 3.0);
    assert_eq!(filtered(FilterOp::State, Some(&[2, 6])).unwrap_err(), CheckError::SeveralStates { count: 2 });
    assert_eq!(filtered(FilterOp::Max, Some(&[])).unwrap_err(), CheckError::EmptyFilter);
    assert!(matches!(filtered(FilterOp::Count, None), Err(CheckError::TypeMismatch { .. })));
    let Value::States(list) = filtered(FilterOp::ArgMax, Some(&[0, 2, 6])).unwrap().value else { panic!() };
    assert_eq!(list.iter().map(|l| l.0).collect::<Vec<_>>(), [6]);
    let printed = filtered(FilterOp::Print, None).unwrap();
    let Value::States(list) = printed.value else { panic!() };
    assert_eq!(list.iter().map(|l| l.0).collect::<Vec<_>>(), [0, 2, 6, 12]);
    // Computed numbers in a list are not exact because there are several of them.
    let Guarantee::Sound { lo, hi, .. } = printed.guarantee else { panic!() };
    assert!(lo <= 1.0 / 6.0 && 1.0 <= hi && 1.0 / 6.0 - lo < 1e-6 && hi - 1.0 < 1e-6);
    let Value::Interval(lo, hi) = filtered(FilterOp::Range, Some(&[0, 2])).unwrap().value else { panic!() };
    assert!((lo - 1.0 / 6.0).abs() < 1e-6 && (hi - 1.0 / 3.0).abs() < 1e-6);
}

#[test]
fn several_initial_states_give_a_range_or_a_verdict_for_all() {
    let mut space = die();
    space.initial = vec![StateId(2), StateId(0)];
    let mut b = Builder::default();
    let six = b.label(SIX);
    let path = b.finally(six, TimeBound::NONE);
    let p = b.probability(path, None);
    let answer = ask(&space, &b.property(p)).unwrap();
    let Value::Interval(lo, hi) = answer.value else { panic!("{answer:?}") };
    assert!((lo - 1.0 / 6.0).abs() < 1e-6 && (hi - 1.0 / 3.0).abs() < 1e-6);
    let verdict = |comparison, threshold| {
        let mut b = Builder::default();
        let six = b.label(SIX);
        let path = b.finally(six, TimeBound::NONE);
        let query = Query::Bound(Bound { comparison, threshold });
        let p = b.add(Formula::Prob { optimum: None, query, path });
        ask(&space, &b.property(p)).unwrap().value
    };
    assert_eq!(verdict(Comparison::Lt, 0.3), Value::Bool(false));
    assert_eq!(verdict(Comparison::Lt, 0.4), Value::Bool(true));
}

#[test]
fn bounds_are_decided_or_refused() {
    let space = die();
    let verdict = |comparison, threshold| {
        let mut b = Builder::default();
        let six = b.label(SIX);
        let path = b.finally(six, TimeBound::NONE);
        let query = Query::Bound(Bound { comparison, threshold });
        let p = b.add(Formula::Prob { optimum: None, query, path });
        ask(&space, &b.property(p))
    };
    let answer = verdict(Comparison::Ge, 0.16).unwrap();
    assert_eq!(answer.value, Value::Bool(true));
    assert!((answer.compared.unwrap() - 1.0 / 6.0).abs() < 1e-6);
    // Closer than the default precision: refined until decided.
    assert_eq!(verdict(Comparison::Gt, 1.0 / 6.0 - 1e-10).unwrap().value, Value::Bool(true));
    assert_eq!(verdict(Comparison::Gt, 1.0 / 6.0 + 1e-10).unwrap().value, Value::Bool(false));
    // The threshold is the double next to the value: no bound with rounding can tell.
    assert!(matches!(verdict(Comparison::Ge, 1.0 / 6.0), Err(CheckError::CannotDecide { state: 0, .. })));
    // Zero and one are decided by the graph.
    assert_eq!(verdict(Comparison::Gt, 0.0).unwrap().value, Value::Bool(true));
    assert_eq!(verdict(Comparison::Ge, 1.0).unwrap().value, Value::Bool(false));
}

#[test]
fn nested_formulas() {
    // P=? [ F P>=0.5 [ X six ] ]: state 6 is the only one besides six itself.
    let space = die();
    let mut b = Builder::default();
    let six = b.label(SIX);
    let next = b.add(Formula::Next(six, TimeBound::NONE));
    let query = Query::Bound(Bound { comparison: Comparison::Ge, threshold: 0.5 });
    let inner = b.add(Formula::Prob { optimum: None, query, path: next });
    let path = b.finally(inner, TimeBound::NONE);
    let p = b.probability(path, None);
    // From 2: half to 6 at once, half to 5, which never comes back; from 0: half to 2.
    assert_sound(&ask(&space, &b.property(p)).unwrap(), 0.25);
}

#[test]
fn globally_release_and_weak_until_are_complements() {
    let mut random = Random(31);
    for _ in 0..100 {
        let kind = if random.one_in(2) { Kind::Dtmc } else { Kind::Mdp };
        let n = 2 + random.below(5);
        let rows = random_rows(&mut random, n, if kind == Kind::Mdp { 3 } else { 1 });
        let mut space = space(kind, &rows);
        let a = random_set(&mut random, n, 2);
        let c = random_set(&mut random, n, 3);
        let left = label(&mut space, "a", a.clone());
        let right = label(&mut space, "b", c.clone());
        let bound = match random.below(3) {
            0 => TimeBound::NONE,
            1 => within(0.0, Some(random.below(6) as f64)),
            _ => within(1.0 + random.below(2) as f64, Some(3.0 + random.below(3) as f64)),
        };
        for optimum in [Optimum::Min, Optimum::Max] {
            let values = |weak: bool| {
                let mut b = Builder::default();
                let (x, y) = (b.label(left), b.label(right));
                let (nx, ny) = (b.add(Formula::Not(x)), b.add(Formula::Not(y)));
                let both = b.add(Formula::And(nx, ny));
                let (path, against) = if weak {
                    (b.add(Formula::WeakUntil(x, y, bound)), b.add(Formula::Until(ny, both, bound)))
                } else {
                    (b.add(Formula::Release(x, y, bound)), b.add(Formula::Until(nx, ny, bound)))
                };
                let p = b.probability(path, Some(optimum));
                let q = b.probability(against, Some(volvelle_solver::reach::opposite(optimum)));
                let root = b.add(Formula::Add(p, q));
                let property = b.property(root);
                match check_states(&space, &property, &[], &Options::default(), None, &Control::unlimited()) {
                    Ok(StateValues::Number(numbers)) => numbers.bounds,
                    other => panic!("{other:?}"),
                }
            };
            for weak in [true, false] {
                for [lo, hi] in values(weak) {
                    assert!(
                        lo <= 1.0 && 1.0 <= hi && hi - lo < 3e-6,
                        "[{lo}, {hi}] {optimum:?} {weak} {bound:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn schedulers_must_be_named() {
    let mut space = parse(Kind::Mdp, "0: 1:1\n0: 0.5:1 0.5:2\n1: 1:1\n2: 1:2");
    let goal = label(&mut space, "goal", set(3, &[1]));
    let ask_with = |optimum, query| {
        let mut b = Builder::default();
        let goal = b.label(goal);
        let path = b.finally(goal, TimeBound::NONE);
        let p = b.add(Formula::Prob { optimum, query, path });
        ask(&space, &b.property(p))
    };
    assert_eq!(ask_with(None, Query::Value).unwrap_err(), CheckError::NeedsOptimum);
    assert_sound(&ask_with(Some(Optimum::Min), Query::Value).unwrap(), 0.5);
    assert_sound(&ask_with(Some(Optimum::Max), Query::Value).unwrap(), 1.0);
    // A bound is meant for all schedulers.
    let bound = |comparison, threshold| Query::Bound(Bound { comparison, threshold });
    assert_eq!(ask_with(None, bound(Comparison::Ge, 0.6)).unwrap().value, Value::Bool(false));
    assert_eq!(ask_with(None, bound(Comparison::Le, 0.6)).unwrap().value, Value::Bool(false));
    assert_eq!(ask_with(None, bound(Comparison::Ge, 0.4)).unwrap().value, Value::Bool(true));
}

#[test]
fn long_run_averages_agree_with_rationals() {
    let mut random = Random(37);
    for round in 0..120 {
        let n = 2 + random.below(9);
        let rows = random_rows(&mut random, n, 1);
        let kind = if random.one_in(2) { Kind::Dtmc } else { Kind::Ctmc };
        let scale: Vec<f64> = (0..n)
            .map(|_| if kind == Kind::Ctmc { 2f64.powi(random.below(12) as i32 - 4) } else { 1.0 })
            .collect();
        let rows: Rows = rows
            .into_iter()
            .zip(&scale)
            .map(|(r, f)| vec![r[0].iter().map(|&(t, v)| (t, v * f)).collect()])
            .collect();
        let mut space = space(kind, &rows);
        let reward: Vec<f64> = (0..n).map(|_| random.below(4) as f64).collect();
        let id = rewards(&mut space, reward.clone());
        let chain: Chain = (0..n).map(|s| space.transitions(s).collect()).collect();
        let truth = exact_long_run(&chain, &reward);
        for method in [crate::Method::Auto, crate::Method::Iteration] {
            let mut b = Builder::default();
            let root = b.reward(id, RewardQuery::LongRun, None);
            let options = Options { method, max_iterations: 20_000, ..Options::default() };
            let values = check_states(&space, &b.property(root), &[], &options, None, &Control::unlimited());
            let Ok(StateValues::Number(found)) = values else { panic!() };
            assert!(method == crate::Method::Iteration || found.stop != StopReason::IterationLimit);
            for (s, truth) in truth.iter().enumerate() {
                let what = format!("round {round} {method:?} state {s}");
                assert_encloses(found.bounds[s], &Some(truth.clone()), 1e-6, found.stop, &what);
            }
        }
    }
}

#[test]
fn rewards_of_both_signs_and_refusals() {
    let mut space = parse(Kind::Ctmc, "0: 1:1\n1: 1:0");
    let id = rewards(&mut space, vec![3.0, -1.0]);
    let target = label(&mut space, "one", set(2, &[1]));
    let mut b = Builder::default();
    let root = b.reward(id, RewardQuery::LongRun, None);
    assert_sound(&ask(&space, &b.property(root)).unwrap(), 1.0);
    let mut b = Builder::default();
    let root = b.reward(id, RewardQuery::Instantaneous(1.0), None);
    // 3 p - (1 - p) with p = (1 + e^-2) / 2
    assert_sound(&ask(&space, &b.property(root)).unwrap(), 1.0 + 2.0 * (-2f64).exp());
    let mut b = Builder::default();
    let one = b.label(target);
    let path = b.finally(one, TimeBound::NONE);
    let root = b.reward(id, RewardQuery::Reach(path), None);
    assert_sound(&ask(&space, &b.property(root)).unwrap(), 3.0);
    // Gains and losses of the total are infinite.
    let mut b = Builder::default();
    let root = b.reward(id, RewardQuery::Total, None);
    assert!(matches!(ask(&space, &b.property(root)), Err(CheckError::Undefined { .. })));
}

/// Every way in says that there is no engine.
#[test]
fn markov_automata_are_refused_by_name() {
    let mut space = parse(Kind::Mdp, "0: 1:1\n1: 1:0\n1: 1:1");
    space.kind = Kind::MarkovAutomaton;
    space.choices.as_mut().unwrap().markovian = Some(set(3, &[0]));
    let there = label(&mut space, "there", set(2, &[1]));
    let mut b = Builder::default();
    let one = b.label(there);
    let path = b.finally(one, TimeBound::NONE);
    let root = b.probability(path, Some(Optimum::Max));
    let property = b.property(root);
    let refused = Some(CheckError::NoEngine { kind: "Markov automaton" });
    let (options, control) = (Options::default(), Control::unlimited());
    assert_eq!(ask(&space, &property).err(), refused);
    assert_eq!(check_states(&space, &property, &[], &options, None, &control).err(), refused);
    let numbers = volvelle_space::ExactSpace::default();
    assert_eq!(crate::check_exactly(&space, &numbers, &property, &options, &control).err(), refused);
    assert_eq!(crate::check_states_exactly(&space, &numbers, &property, &options, &control).err(), refused);
    let wanted = crate::WitnessRequest::default();
    assert_eq!(
        crate::witness(&space, &property, &[], wanted, &options, &control).err(),
        refused.map(crate::WitnessError::Check)
    );
}

#[test]
fn a_path_formula_is_no_property() {
    let space = die();
    let mut b = Builder::default();
    let six = b.label(SIX);
    let path = b.finally(six, TimeBound::NONE);
    assert!(matches!(ask(&space, &b.property(path)), Err(CheckError::TypeMismatch { .. })));
}

#[test]
fn observations_and_comparisons() {
    let space = die();
    // filter(count, x > 3) with x the number of the state.
    let mut b = Builder::default();
    let x = b.add(Formula::Observation(NumberId(0)));
    let three = b.add(Formula::Number(3.0));
    let more = b.add(Formula::Compare(Comparison::Gt, x, three));
    let root = b.add(Formula::Filter { op: FilterOp::Count, formula: more, states: None });
    let property = b.property(root);
    let numbers = vec![(0..13).map(f64::from).collect::<Vec<_>>()];
    let answer = check(&space, &property, &numbers, &Options::default(), &Control::unlimited()).unwrap();
    assert_eq!(answer.value, Value::Number(9.0));
    assert_eq!(answer.guarantee, gate::exact());
    assert!(matches!(ask(&space, &property), Err(CheckError::MissingObservation { .. })));
}

#[test]
fn limits_and_cancellation_stop_the_engine() {
    let space = die();
    let mut b = Builder::default();
    let six = b.label(SIX);
    let path = b.finally(six, TimeBound::NONE);
    let p = b.probability(path, None);
    let property = b.property(p);
    let cancel = Cancel::new();
    cancel.cancel();
    let control = Control { cancel: &cancel, ..Control::unlimited() };
    let stopped = check(&space, &property, &[], &Options::default(), &control);
    assert_eq!(stopped.unwrap_err(), CheckError::Limit(Stop::Cancelled));
    let limits = Limits { memory_bytes: Some(10), ..Limits::default() };
    let control = Control { limits, ..Control::unlimited() };
    let stopped = check(&space, &property, &[], &Options::default(), &control);
    assert_eq!(stopped.unwrap_err(), CheckError::Limit(Stop::Memory));
}
