use volvelle_control::Cancel;
use volvelle_logic::{FilterOp, Guarantee, Query, RewardId, Value};
use volvelle_reference::*;
use volvelle_space::BitSet;

use super::super::check;
use super::*;

/// The kinds of question that occur several times.
fn property(space: &Space, kind: usize, time: f64) -> Property {
    let optimum = (space.kind == Kind::Mdp).then_some(volvelle_logic::Optimum::Max);
    let mut b = Builder::default();
    let (left, right) = (volvelle_logic::LabelId(0), volvelle_logic::LabelId(1));
    let within = TimeBound { upper: Some(time), ..TimeBound::NONE };
    let (l, r) = (b.label(left), b.label(right));
    let reward = |what| Formula::Reward { rewards: RewardId(0), optimum, query: Query::Value, what };
    let root = match kind {
        0 => {
            let path = b.finally(r, within);
            b.probability(path, optimum)
        }
        1 => {
            let path = b.add(Formula::Until(l, r, within));
            b.probability(path, optimum)
        }
        2 => b.add(reward(RewardQuery::Cumulative(time))),
        3 => b.add(reward(RewardQuery::Instantaneous(time))),
        4 => {
            let path = b.add(Formula::WeakUntil(l, r, within));
            b.probability(path, optimum)
        }
        5 => {
            // Two times in one formula.
            let path = b.finally(r, within);
            let p = b.probability(path, optimum);
            let twice = TimeBound { upper: Some(2.0 * time), ..TimeBound::NONE };
            let path = b.add(Formula::Until(l, r, twice));
            let q = b.probability(path, optimum);
            b.add(Formula::Add(p, q))
        }
        _ => {
            let path = b.finally(r, within);
            let formula = b.probability(path, optimum);
            b.add(Formula::Filter { op: FilterOp::PrintAll, formula, states: None })
        }
    };
    b.property(root)
}

fn random_space(random: &mut Random, round: usize) -> Space {
    let n = 2 + random.below(8);
    let kind = [Kind::Ctmc, Kind::Dtmc, Kind::Mdp][round % 3];
    let mut rows = random_rows(random, n, if kind == Kind::Mdp { 3 } else { 1 });
    if kind == Kind::Ctmc {
        let rate = 0.25 * (1 + random.below(12)) as f64;
        rows.iter_mut().flatten().flatten().for_each(|entry| entry.1 *= rate);
    }
    let mut space = space(kind, &rows);
    let (left, right) = (random_set(random, n, 4).complement(), random_set(random, n, 3));
    label(&mut space, "left", left);
    label(&mut space, "right", right);
    let least = if kind == Kind::Mdp { 0.0 } else { -1.0 };
    rewards(&mut space, (0..n).map(|_| random.below(5) as f64 + least).collect());
    space
}

fn bounds(answer: &Answer) -> [f64; 2] {
    match (&answer.guarantee, &answer.value) {
        (Guarantee::Sound { lo, hi, .. }, _) => [*lo, *hi],
        (Guarantee::Exact { .. }, Value::Number(x)) => [*x, *x],
        (_, Value::States(states)) => {
            let values = states.iter().map(|s| s.1.middle());
            [values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max)]
        }
        other => panic!("{other:?}"),
    }
}

/// Together and alone: both enclose the truth, hence their bounds meet; and both are as narrow as requested.
#[test]
fn families_agree_with_single_runs() {
    let mut random = Random(77);
    let control = Control { threads: 2, ..Control::unlimited() };
    let options = Options::default();
    for round in 0..210 {
        let space = random_space(&mut random, round);
        let kind = round / 3 % 7;
        let times: Vec<f64> =
            (0..9).map(|_| random.below(60) as f64).chain([0.0, 1.0, 7.0, 7.0, 400.0]).collect();
        let properties: Vec<Property> = times.iter().map(|&t| property(&space, kind, t)).collect();
        let all: Vec<&Property> = properties.iter().collect();
        assert_eq!(families(&all).len(), 1);
        let many = check_many(&space, &all, &[], &options, None, &control);
        assert_eq!(many.len(), all.len());
        for ((property, checked), time) in properties.iter().zip(&many).zip(&times) {
            let alone = check(&space, property, &[], &options, &control);
            let what = format!("round {round}, kind {kind}, time {time}: {checked:?} but alone {alone:?}");
            let (Ok(together), Ok(alone)) = (&checked.outcome, &alone) else { panic!("{what}") };
            let ([a, b], [c, d]) = (bounds(together), bounds(alone));
            if let (Value::States(x), Value::States(y)) = (&together.value, &alone.value) {
                for (x, y) in x.iter().zip(y) {
                    let (x, y) = (x.1.middle(), y.1.middle());
                    assert!((x - y).abs() <= 1e-6 * y.abs().max(1e-12), "{what}");
                }
                continue;
            }
            assert!(a <= d && c <= b, "{what}");
            let signed = kind == 2 || kind == 3;
            assert!(signed || options.accepts(a, b) || b < 1e-12, "{what}");
        }
    }
}

/// Step-bounded reachability against exact rationals.
#[test]
fn sweeps_over_steps_enclose_the_exact_values() {
    use dashu_ratio::RBig;
    let mut random = Random(78);
    for _ in 0..30 {
        let n = 2 + random.below(5);
        let rows = random_rows(&mut random, n, 1);
        let mut space = space(Kind::Dtmc, &rows);
        let right = random_set(&mut random, n, 3);
        label(&mut space, "left", BitSet::full(n));
        label(&mut space, "right", right.clone());
        let properties: Vec<Property> = (0..12).map(|t| property(&space, 0, f64::from(t))).collect();
        let all: Vec<&Property> = properties.iter().collect();
        let many = check_many(&space, &all, &[], &Options::default(), None, &Control::unlimited());
        let start = |s: usize| if right.contains(s) { RBig::ONE } else { RBig::ZERO };
        let mut value: Vec<RBig> = (0..n).map(start).collect();
        for checked in many {
            let [lo, hi] = bounds(checked.outcome.as_ref().unwrap());
            let truth = &value[space.initial[0].index()];
            assert!(exact(lo) <= *truth && *truth <= exact(hi), "[{lo}, {hi}] but {truth}");
            value = (0..n)
                .map(|s| {
                    if right.contains(s) {
                        return RBig::ONE;
                    }
                    let terms = space.transitions(s).map(|(t, v)| exact(v) * &value[t]);
                    terms.fold(RBig::ZERO, |a, b| a + b)
                })
                .collect();
        }
    }
}

/// Work that is stopped at once still gives bounds, and they hold.
#[test]
fn stopped_passes_give_bounds() {
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = Control { cancel: &cancel, ..Control::unlimited() };
    let mut random = Random(79);
    let mut interrupted = 0;
    for round in 0..90 {
        let space = random_space(&mut random, round);
        let times = [300.0, 310.0, 2000.0];
        let properties: Vec<Property> = times.iter().map(|&t| property(&space, 0, t)).collect();
        let all: Vec<&Property> = properties.iter().collect();
        for members in [&all[..], &all[..1]] {
            let many = check_many(&space, members, &[], &Options::default(), None, &stopped);
            for (checked, property) in many.iter().zip(members) {
                let truth = check(&space, property, &[], &Options::default(), &Control::unlimited()).unwrap();
                let answer = checked.outcome.as_ref().unwrap();
                let ([a, b], [c, d]) = (bounds(answer), bounds(&truth));
                assert!(a <= d && c <= b && b <= 1.0, "[{a}, {b}] but [{c}, {d}]");
                interrupted += usize::from(answer.stop == StopReason::Interrupted);
            }
        }
    }
    assert!(interrupted > 10, "{interrupted}");
}

#[test]
fn what_belongs_together() {
    let mut random = Random(80);
    let space = random_space(&mut random, 0);
    let p: Vec<Property> =
        [(0, 1.0), (1, 1.0), (0, 2.0), (2, 1.0), (0, 1.0)].map(|(k, t)| property(&space, k, t)).into();
    let all: Vec<&Property> = p.iter().collect();
    assert_eq!(families(&all), [vec![0, 2, 4], vec![1], vec![3]]);
    let facts =
        check_many(&space, &all, &[], &Options::default(), None, &Control::unlimited()).swap_remove(0).facts;
    assert_eq!(facts[0].what, "method", "{facts:?}");
}

/// Raises the flag at the first report of an iteration.
struct Impatient<'a>(&'a Cancel);

impl volvelle_control::Progress for Impatient<'_> {
    fn report(&self, event: volvelle_control::ProgressEvent) {
        if let volvelle_control::ProgressEvent::Solving { what: "verified iteration", .. } = event {
            self.0.cancel();
        }
    }
}

/// A dense component that hardly ever is left, stopped in the middle of its iteration: the bounds hold, and say more
/// than nothing.
#[test]
fn a_stopped_iteration_gives_bounds() {
    // Large, so that progress is reported before the iteration knows where it leads.
    let n = 1500;
    let inner = (1.0 - 2e-4) / (n - 2) as f64;
    let row = |s: usize| match s {
        s if s + 2 >= n => vec![(s, 1.0)],
        _ => (0..n).map(|t| (t, if t + 2 >= n { 1e-4 } else { inner })).collect(),
    };
    let rows: Rows = (0..n).map(|s| vec![row(s)]).collect();
    let mut space = space(Kind::Dtmc, &rows);
    let mut target = BitSet::new(n);
    target.insert(n - 1);
    let target = label(&mut space, "end", target);
    let mut b = Builder::default();
    let end = b.label(target);
    let path = b.finally(end, TimeBound::NONE);
    let root = b.probability(path, None);
    let property = b.property(root);
    let cancel = Cancel::new();
    let impatient = Impatient(&cancel);
    let control = Control { cancel: &cancel, progress: &impatient, ..Control::unlimited() };
    let options = Options { method: volvelle_solver::Method::Iteration, ..Options::default() };
    let answer = check(&space, &property, &[], &options, &control).unwrap();
    assert_eq!(answer.stop, StopReason::Interrupted, "{answer:?}");
    let [lo, hi] = bounds(&answer);
    // Both ends are equally likely, up to the rounding of the weights.
    assert!(lo <= 0.5 + 1e-9 && (0.5 - 1e-9..=1.0).contains(&hi), "[{lo}, {hi}]");
    assert!(lo > 0.0 || hi < 1.0, "[{lo}, {hi}]");
}
