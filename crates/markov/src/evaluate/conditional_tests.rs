//! Second opinions on conditional probabilities: quotients under all memoryless schedulers of the space unfolded by which
//! labels were visited and by whether the scheduler has given up, over rationals.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{
    Answer, Formula, FormulaId, Guarantee, LabelId, Optimum, Query, RewardId, StopReason, TimeBound, Value,
};
use volvelle_reference::*;
use volvelle_solver::{CheckError, Options};
use volvelle_space::{BitSet, Kind, Space};

use super::check;

fn rows(random: &mut Random, states: usize, choices: usize) -> Rows {
    (0..states)
        .map(|s| {
            (0..1 + random.below(choices))
                .map(|_| match random.below(4) {
                    0 => vec![(random.below(states), 1.0)],
                    1 => vec![(s, 0.25), (random.below(states), 0.75)],
                    _ => vec![(random.below(states), 0.5), (random.below(states), 0.5)],
                })
                .collect()
        })
        .collect()
}

fn model(random: &mut Random, kind: Kind, states: usize, choices: usize) -> Space {
    let mut space = space(kind, &rows(random, states, choices));
    for name in ["a", "b"] {
        let mut set = random_set(random, states, 3);
        set.remove(0);
        label(&mut space, name, set);
    }
    space
}

/// The least and the greatest quotient over all schedulers; `None` where the condition is impossible.
fn extremes(space: &Space, may_give_up: bool) -> Option<Option<[RBig; 2]>> {
    let (unfolded, origin) = unfolded(space, may_give_up);
    let bits: Vec<usize> = origin.iter().map(|&(_, bits)| bits).collect();
    let n = unfolded.num_states();
    let count = (0..n).try_fold(1usize, |product, s| product.checked_mul(unfolded.choices_of(s).len()))?;
    if count > 3000 {
        return None;
    }
    let seen = |wanted: usize| BitSet::of(n, (0..n).filter(|&s| bits[s] & wanted == wanted));
    let all = BitSet::full(n);
    let mut found: Option<[RBig; 2]> = None;
    for (chain, _) in policies(&unfolded) {
        let by = exact_until(&chain, &all, &seen(2))[0].clone();
        if by == RBig::ZERO {
            continue;
        }
        let share = &exact_until(&chain, &all, &seen(3))[0] / &by;
        found = Some(match found {
            None => [share.clone(), share],
            Some([least, most]) => [least.min(share.clone()), most.max(share)],
        });
    }
    Some(found)
}

fn ask(space: &Space, optimum: Option<Optimum>) -> Result<Answer, CheckError> {
    let mut b = Builder::default();
    let (x, y) = (b.label(LabelId(0)), b.label(LabelId(1)));
    let (path, given) = (b.finally(x, TimeBound::NONE), b.finally(y, TimeBound::NONE));
    answer(space, b, path, given, optimum)
}

fn answer(
    space: &Space,
    mut b: Builder,
    path: FormulaId,
    given: FormulaId,
    optimum: Option<Optimum>,
) -> Result<Answer, CheckError> {
    let root = b.add(Formula::Conditional { optimum, query: Query::Value, path, given });
    check(space, &b.property(root), &[], &Options::default(), &Control::unlimited())
}

fn bounds(answer: &Answer) -> [f64; 2] {
    match (&answer.value, &answer.guarantee) {
        (Value::Number(_), Guarantee::Sound { lo, hi, .. }) => [*lo, *hi],
        (Value::Number(x), Guarantee::Exact { .. }) => [*x; 2],
        _ => panic!("{answer:?}"),
    }
}

fn agree(answer: Result<Answer, CheckError>, truth: Option<RBig>, what: &str) -> bool {
    let Some(truth) = truth else {
        assert_eq!(answer, Err(CheckError::ImpossibleCondition { state: 0 }), "{what}");
        return false;
    };
    let [lo, hi] = bounds(&answer.unwrap_or_else(|e| panic!("{what}: {e}")));
    // The least probability is a complement, whose rounding is absolute.
    let stop = if hi <= 1e-9 { StopReason::IterationLimit } else { StopReason::Computed };
    assert_encloses([lo, hi], &Some(truth), 2e-6, stop, what);
    true
}

#[test]
fn on_chains_it_is_the_quotient() {
    let mut random = Random(19);
    let mut possible = 0;
    for case in 0..300 {
        let states = 3 + random.below(4);
        let chain = model(&mut random, Kind::Dtmc, states, 1);
        let truth = extremes(&chain, false).unwrap().map(|[_, most]| most);
        possible += usize::from(agree(ask(&chain, None), truth.clone(), &format!("case {case}")));
        // The same jumps as rates: who is reached does not depend on time.
        let mut rates = chain.clone();
        rates.kind = Kind::Ctmc;
        rates.values = chain.values.iter().map(|v| 4.0 * v).collect();
        agree(ask(&rates, None), truth, &format!("case {case}, rates"));
    }
    assert!(possible > 100 && possible < 300, "{possible}");
}

#[test]
fn on_mdps_it_is_the_extreme_quotient_over_all_schedulers() {
    let mut random = Random(31);
    let (mut possible, mut impossible) = (0, 0);
    for case in 0..700 {
        let states = 3 + random.below(2);
        let space = model(&mut random, Kind::Mdp, states, 2);
        let Some(truth) = extremes(&space, true) else { continue };
        let (least, most) = truth.map(|[least, most]| (least, most)).unzip();
        let found = agree(ask(&space, Some(Optimum::Max)), most, &format!("case {case}, max"));
        agree(ask(&space, Some(Optimum::Min)), least, &format!("case {case}, min"));
        possible += usize::from(found);
        impossible += usize::from(!found);
    }
    assert!(possible > 100 && impossible > 20, "{possible} {impossible}");
}

/// The first six of a die under the condition that an even number comes: a third. As general formulas of LTL too.
#[test]
fn known_conditions() {
    let sixth = 1.0 / 6.0;
    let mut die = space(
        Kind::Dtmc,
        &std::iter::once(vec![(1..7).map(|t| (t, sixth)).collect()])
            .chain((1..7).map(|t| vec![vec![(t, 1.0)]]))
            .collect(),
    );
    let mut six = BitSet::new(7);
    six.insert(6);
    let mut even = six.clone();
    even.insert(2);
    even.insert(4);
    label(&mut die, "a", six);
    label(&mut die, "b", even);
    let [lo, hi] = bounds(&ask(&die, None).unwrap());
    assert!(lo <= 1.0 / 3.0 && 1.0 / 3.0 <= hi && hi - lo < 1e-9);
    let mut b = Builder::default();
    let (x, y) = (b.label(LabelId(0)), b.label(LabelId(1)));
    let never = b.add(Formula::Bool(false));
    let always = |b: &mut Builder, id| b.add(Formula::WeakUntil(id, never, TimeBound::NONE));
    let (f, g) = (b.finally(x, TimeBound::NONE), b.finally(y, TimeBound::NONE));
    let (often_x, often_y) = (always(&mut b, f), always(&mut b, g));
    let [lo, hi] = bounds(&answer(&die, b, often_x, often_y, None).unwrap());
    assert!(lo <= 1.0 / 3.0 && 1.0 / 3.0 <= hi && hi - lo < 1e-6);
}

/// A reward structure has nothing to do with it; a condition that cannot hold is an error that names the state.
#[test]
fn impossible_conditions_are_errors() {
    for kind in [Kind::Dtmc, Kind::Mdp] {
        let mut space = parse(kind, "0: 0.5:0 0.5:1\n1: 1:1\n2: 1:2");
        let _: RewardId = rewards(&mut space, vec![1.0; 3]);
        let mut one = BitSet::new(3);
        one.insert(1);
        label(&mut space, "a", one);
        let mut two = BitSet::new(3);
        two.insert(2);
        label(&mut space, "b", two);
        let optimum = (kind == Kind::Mdp).then_some(Optimum::Max);
        assert_eq!(ask(&space, optimum), Err(CheckError::ImpossibleCondition { state: 0 }));
    }
}
