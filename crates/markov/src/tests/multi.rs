//! Second opinions: all memoryless deterministic schedulers of the space unfolded by which labels were visited, with
//! rational arithmetic. Schedulers achieve exactly the points below mixes of these.

use volvelle_control::Control;
use volvelle_logic::{
    Answer, Formula, FormulaId, Goal, Guarantee, LabelId, Measured, Objective, Optimum, RewardId,
    RewardQuery, StopReason, TimeBound, Value,
};
use volvelle_objectives::multi::separate;
use volvelle_reference::*;
use volvelle_solver::{CheckError, Options};
use volvelle_space::{BitSet, Kind, Space};

use crate::evaluate::check;

const A: LabelId = LabelId(0);
const B: LabelId = LabelId(1);
const COST: RewardId = RewardId(0);

/// Numerators over a power of two, short rationals.
fn rows(random: &mut Random, states: usize) -> Rows {
    (0..states)
        .map(|s| {
            (0..1 + random.below(2))
                .map(|_| match random.below(5) {
                    0 => vec![(random.below(states), 1.0)],
                    1 => vec![(s, 0.25), (random.below(states), 0.75)],
                    2 => vec![(random.below(states), 0.5), (random.below(states), 0.5)],
                    _ => vec![(random.below(states), 0.25), (random.below(states), 0.5), (s, 0.25)],
                })
                .collect()
        })
        .collect()
}

/// With the labels a and b and a reward structure, which is often zero.
fn model(random: &mut Random, states: usize) -> Space {
    let mut space = space(Kind::Mdp, &rows(random, states));
    for name in ["a", "b"] {
        let mut set = random_set(random, states, 3);
        set.remove(0);
        label(&mut space, name, set);
    }
    let state = (0..states).map(|_| [0.0, 0.0, 1.0, 0.5][random.below(4)]).collect();
    rewards(&mut space, state);
    space
}

/// The values that each scheduler achieves: probabilities of `F a` and `F b`, and the total reward, which may be infinite.
fn achieved(space: &Space) -> Option<Vec<[f64; 3]>> {
    let (unfolded, origin) = unfolded(space, false);
    let of_state = space.rewards[0].state.as_ref().unwrap();
    let reward: Vec<f64> = origin.iter().map(|&(s, _)| of_state.get(s)).collect();
    let bits: Vec<usize> = origin.iter().map(|&(_, bits)| bits).collect();
    let n = unfolded.num_states();
    let count: usize = (0..n).map(|s| unfolded.choices_of(s).len()).product();
    if count > 600 {
        return None;
    }
    let seen = |bit: usize| BitSet::of(n, (0..n).filter(|&s| bits[s] >> bit & 1 == 1));
    let all = BitSet::full(n);
    let points = policies(&unfolded).map(|(chain, _)| {
        let p = |bit: usize| exact_until(&chain, &all, &seen(bit))[0].to_f64().value();
        let total = exact_total(&chain, &reward)[0].as_ref().map_or(f64::INFINITY, |x| x.to_f64().value());
        [p(0), p(1), total]
    });
    Some(points.collect())
}

fn finally(b: &mut Builder, label: LabelId) -> FormulaId {
    let label = b.label(label);
    b.finally(label, TimeBound::NONE)
}

fn ask(space: &Space, objectives: &[(usize, Goal)]) -> Result<Answer, CheckError> {
    let mut b = Builder::default();
    let objectives = objectives
        .iter()
        .map(|&(what, goal)| {
            let measured = match what {
                0 => Measured::Probability(finally(&mut b, A)),
                1 => Measured::Probability(finally(&mut b, B)),
                _ => Measured::Reward(COST, None),
            };
            Objective { measured, goal }
        })
        .collect();
    let root = b.add(Formula::Multi(objectives));
    check(space, &b.property(root), &[], &Options::default(), &Control::unlimited())
}

fn bounds(answer: &Answer) -> [f64; 2] {
    match (&answer.value, &answer.guarantee) {
        (Value::Number(_), Guarantee::Sound { lo, hi, .. }) => [*lo, *hi],
        (Value::Number(x), Guarantee::Exact { .. }) => [*x; 2],
        _ => panic!("{answer:?}"),
    }
}

/// The largest first coordinate of mixes whose second one is at least `t`: one point, or two with the second coordinate
/// equal to `t`.
fn best_mix(points: &[[f64; 2]], t: f64) -> Option<f64> {
    let mut best = None;
    let mut offer = |x: f64| best = Some(best.map_or(x, |b: f64| b.max(x)));
    for u in points {
        if u[1] >= t {
            offer(u[0]);
            for v in points.iter().filter(|v| v[1] < t) {
                let share = (t - v[1]) / (u[1] - v[1]);
                offer(share * u[0] + (1.0 - share) * v[0]);
            }
        }
    }
    best
}

#[test]
fn numerical_queries_agree_with_mixes_of_all_schedulers() {
    let mut random = Random(7);
    let (mut some, mut none, mut costs) = (0, 0, 0);
    for case in 0..400 {
        let states = 3 + random.below(3);
        let space = model(&mut random, states);
        let Some(points) = achieved(&space) else { continue };
        let cost = random.one_in(2);
        let p0 = random.one_in(2);
        // Two coordinates, both to be large, and the objectives that say so.
        let t = (random.below(19) as f64 + 0.5) / 20.0;
        let (pairs, objectives): (Vec<[f64; 2]>, _) = match (cost, p0) {
            (false, true) => {
                (points.iter().map(|p| [p[0], p[1]]).collect(), [(0, Goal::Maximise), (1, Goal::AtLeast(t))])
            }
            (false, false) => {
                (points.iter().map(|p| [-p[0], p[1]]).collect(), [(0, Goal::Minimise), (1, Goal::AtLeast(t))])
            }
            (true, true) => (
                points.iter().filter(|p| p[2].is_finite()).map(|p| [-p[2], p[0]]).collect(),
                [(2, Goal::Minimise), (0, Goal::AtLeast(t))],
            ),
            (true, false) => (
                points.iter().filter(|p| p[2].is_finite()).map(|p| [p[1], -p[2]]).collect(),
                [(1, Goal::Maximise), (2, Goal::AtMost(4.0 * t))],
            ),
        };
        let threshold = if cost && !p0 { -4.0 * t } else { t };
        let truth = best_mix(&pairs, threshold);
        let answer = ask(&space, &objectives);
        let what = format!("case {case}: {objectives:?} {answer:?} {truth:?}");
        match truth {
            None => {
                // Schedulers with an infinite cost meet the bound, or none does.
                let met = cost && p0 && points.iter().any(|p| p[0] >= t);
                let expected = if met { Value::Number(f64::INFINITY) } else { Value::Bool(false) };
                assert!(matches!(&answer, Ok(answer) if answer.value == expected), "{what}");
                none += 1;
            }
            Some(truth) => {
                let answer = answer.unwrap_or_else(|_| panic!("{what}"));
                let [lo, hi] = bounds(&answer);
                let truth = if objectives[0].1 == Goal::Minimise { -truth } else { truth };
                assert!(
                    lo <= truth + 1e-12 && truth - 1e-12 <= hi && hi - lo <= 2e-6 * hi.max(1e-3),
                    "{what}"
                );
                assert_ne!(answer.stop, StopReason::IterationLimit, "{what}");
                some += 1;
                costs += usize::from(cost);
            }
        }
    }
    assert!(some > 80 && none > 40 && costs > 30, "{some} {none} {costs}");
}

#[test]
fn achievability_agrees_with_mixes_of_all_schedulers() {
    let mut random = Random(23);
    let mut counts = [0; 2];
    for case in 0..400 {
        let states = 3 + random.below(3);
        let space = model(&mut random, states);
        let Some(points) = achieved(&space) else { continue };
        let mut bound = || (random.below(19) as f64 + 0.5) / 20.0;
        let (s, t, c) = (bound(), bound(), 4.0 * bound());
        let with_cost = random.one_in(2);
        let mut objectives = vec![(0, Goal::AtLeast(s)), (1, Goal::AtMost(t))];
        if with_cost {
            objectives.push((2, Goal::AtMost(c)));
        }
        // Some mix of at most three of the points; with two objectives, of two.
        let usable = points.iter().filter(|p| !with_cost || p[2].is_finite());
        let corners: Vec<Vec<f64>> =
            usable.map(|p| if with_cost { vec![p[0], -p[1], -p[2]] } else { vec![p[0], -p[1]] }).collect();
        let truth = if corners.is_empty() {
            false
        } else if with_cost {
            separate(&[s, -t, -c], &corners).distance <= 0.0
        } else {
            best_mix(&corners.iter().map(|c| [c[0], c[1]]).collect::<Vec<_>>(), -t).is_some_and(|x| x >= s)
        };
        let answer = ask(&space, &objectives).unwrap_or_else(|e| panic!("case {case}: {objectives:?} {e:?}"));
        assert_eq!(answer.value, Value::Bool(truth), "case {case}: {objectives:?} {points:?}");
        counts[usize::from(truth)] += 1;
    }
    assert!(counts[0] > 40 && counts[1] > 40, "{counts:?}");
}

#[test]
fn pareto_curves_are_those_of_all_schedulers() {
    let mut random = Random(41);
    let (mut corners, mut endless) = (0, 0);
    for case in 0..300 {
        let states = 3 + random.below(3);
        let space = model(&mut random, states);
        let Some(points) = achieved(&space) else { continue };
        let three = random.one_in(3);
        let mut objectives = vec![(0, Goal::Maximise), (1, Goal::Minimise)];
        if three {
            objectives.push((2, Goal::Minimise));
        }
        let usable = points.iter().filter(|p| !three || p[2].is_finite());
        let truth: Vec<Vec<f64>> =
            usable.map(|p| if three { vec![p[0], -p[1], -p[2]] } else { vec![p[0], -p[1]] }).collect();
        let answer = ask(&space, &objectives);
        let answer = answer.unwrap_or_else(|e| panic!("case {case}: {e:?}"));
        let (Value::Pareto(found), Guarantee::Within { precision }) = (&answer.value, &answer.guarantee)
        else {
            panic!("{answer:?}")
        };
        assert_eq!(answer.stop, StopReason::Converged, "case {case}");
        let sign = |p: &Vec<f64>| -> Vec<f64> {
            p.iter().enumerate().map(|(j, &x)| if j == 0 { x } else { -x }).collect()
        };
        let all: Vec<Vec<f64>> = found.iter().map(sign).collect();
        let most = precision.iter().copied().fold(0.0, f64::max);
        // Points with an infinite cost are those that the probabilities reach without it.
        let flat = |p: &[f64; 3]| vec![p[0], -p[1]];
        let flats: Vec<Vec<f64>> = points.iter().map(flat).collect();
        let (found, infinite): (Vec<Vec<f64>>, Vec<Vec<f64>>) =
            all.iter().cloned().partition(|p| p.iter().all(|x| x.is_finite()));
        for point in &infinite {
            assert!(separate(&point[..2], &flats).distance <= 1e-9, "case {case}: {point:?}");
        }
        let shown: Vec<Vec<f64>> = all.iter().map(|p| p[..2].to_vec()).collect();
        for point in &flats {
            assert!(separate(point, &shown).distance <= most + 1e-9, "case {case}: {point:?} {all:?}");
        }
        endless += infinite.len();
        if truth.is_empty() {
            assert!(found.is_empty(), "case {case}: {found:?}");
            continue;
        }
        assert!(most < 1e-2, "case {case}: {precision:?}");
        for point in &found {
            assert!(
                separate(point, &truth).distance <= 1e-9,
                "case {case}: {point:?} is not achieved: {truth:?}"
            );
        }
        for point in &truth {
            assert!(
                separate(point, &found).distance <= most + 1e-9,
                "case {case}: {point:?} lies beyond {found:?}"
            );
        }
        corners += found.len();
    }
    assert!(corners > 200 && endless > 20, "{corners} {endless}");
}

#[test]
fn endless_rewards_are_infinite_where_they_are_to_be_large() {
    let mut random = Random(5);
    let mut counts = [0; 2];
    for case in 0..200 {
        let space = model(&mut random, 4);
        let Some(points) = achieved(&space) else { continue };
        let endless = points.iter().any(|p| p[2].is_infinite());
        let answer = ask(&space, &[(2, Goal::Maximise), (0, Goal::AtLeast(0.0))]).unwrap();
        counts[usize::from(endless)] += 1;
        let [lo, hi] = bounds(&answer);
        if endless {
            assert_eq!([lo, hi], [f64::INFINITY; 2], "case {case}");
            continue;
        }
        let most = points.iter().map(|p| p[2]).fold(0.0, f64::max);
        assert!(lo <= most + 1e-12 && most - 1e-12 <= hi && hi - lo <= 1e-6 * hi.max(1e-9), "case {case}");
    }
    assert!(counts[0] > 20 && counts[1] > 20, "{counts:?}");
}

/// One objective alone is what the ordinary operator says; a formula and its negation share one unit of probability.
#[test]
fn temporal_logic_agrees_with_single_operators() {
    let mut random = Random(77);
    for case in 0..150 {
        let states = 3 + random.below(3);
        let space = model(&mut random, states);
        let formula = |b: &mut Builder, shape: usize| {
            let (x, y) = (b.label(A), b.label(B));
            let never = b.add(Formula::Bool(false));
            let often = |b: &mut Builder, x: FormulaId| {
                let f = b.finally(x, TimeBound::NONE);
                b.add(Formula::WeakUntil(f, never, TimeBound::NONE))
            };
            match shape {
                0 => often(b, x),
                1 => {
                    let (f, g) = (often(b, x), often(b, y));
                    let not = b.add(Formula::Not(g));
                    b.add(Formula::And(f, not))
                }
                2 => b.add(Formula::WeakUntil(x, never, TimeBound::NONE)),
                _ => {
                    let g = b.add(Formula::WeakUntil(y, never, TimeBound::NONE));
                    let f = b.finally(g, TimeBound::NONE);
                    let next = b.add(Formula::Next(x, TimeBound::NONE));
                    b.add(Formula::Or(f, next))
                }
            }
        };
        let shape = random.below(4);
        let single = |optimum: Optimum| {
            let mut b = Builder::default();
            let path = formula(&mut b, shape);
            let root = b.probability(path, Some(optimum));
            bounds(
                &check(&space, &b.property(root), &[], &Options::default(), &Control::unlimited()).unwrap(),
            )
        };
        let several = |goals: &[(bool, Goal)]| {
            let mut b = Builder::default();
            let path = formula(&mut b, shape);
            let negated = b.add(Formula::Not(path));
            let objective = |&(plain, goal): &(bool, Goal)| Objective {
                measured: Measured::Probability(if plain { path } else { negated }),
                goal,
            };
            let objectives = goals.iter().map(objective).collect();
            let root = b.add(Formula::Multi(objectives));
            check(&space, &b.property(root), &[], &Options::default(), &Control::unlimited()).unwrap()
        };
        let near = |x: [f64; 2], y: [f64; 2]| x[0] <= y[1] + 1e-12 && y[0] <= x[1] + 1e-12;
        let (most, least) = (single(Optimum::Max), single(Optimum::Min));
        assert!(near(bounds(&several(&[(true, Goal::Maximise)])), most), "case {case}");
        assert!(near(bounds(&several(&[(true, Goal::Minimise)])), least), "case {case}");
        let curve = several(&[(true, Goal::Maximise), (false, Goal::Maximise)]);
        let Value::Pareto(points) = &curve.value else { panic!("{curve:?}") };
        for point in points {
            assert!((point[0] + point[1] - 1.0).abs() < 1e-9, "case {case}: {points:?}");
        }
        assert!(
            (points[0][0] - least[0]).abs() < 1e-3 && (points[points.len() - 1][0] - most[0]).abs() < 1e-3
        );
    }
}

#[test]
fn rewards_of_some_steps_are_those_of_single_operators() {
    let mut random = Random(13);
    for case in 0..100 {
        let space = model(&mut random, 4);
        let steps = random.below(7) as u64;
        for (optimum, goal) in [(Optimum::Max, Goal::Maximise), (Optimum::Min, Goal::Minimise)] {
            let mut b = Builder::default();
            let root = b.reward(COST, RewardQuery::Cumulative(steps as f64), Some(optimum));
            let options = Options::default();
            let single = check(&space, &b.property(root), &[], &options, &Control::unlimited()).unwrap();
            let mut b = Builder::default();
            let path = finally(&mut b, A);
            let objectives = vec![
                Objective { measured: Measured::Reward(COST, Some(steps)), goal },
                Objective { measured: Measured::Probability(path), goal: Goal::AtLeast(0.0) },
            ];
            let root = b.add(Formula::Multi(objectives));
            let several = check(&space, &b.property(root), &[], &options, &Control::unlimited()).unwrap();
            let (x, y) = (bounds(&single), bounds(&several));
            assert!(x[0] <= y[1] + 1e-12 && y[0] <= x[1] + 1e-12, "case {case}: {x:?} {y:?}");
        }
    }
}

/// Two ways to go: safe and slow, or fast with a risk. By hand: mixing p of the risk gives 0.5 p + (1 - p) success at a
/// cost of 1 p + 4 (1 - p), so at most 2.5 of cost leaves p = 1/2.
#[test]
fn a_trade_off_by_hand() {
    let mut space =
        parse(Kind::Mdp, "0: 1:1\n0: 1:4\n1: 0.5:2 0.5:3\n2: 1:2\n3: 1:3\n4: 1:5\n5: 1:6\n6: 1:2");
    let mut goal = BitSet::new(7);
    goal.insert(2);
    label(&mut space, "a", goal);
    rewards(&mut space, vec![0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 2.0]);
    let [lo, hi] = bounds(&ask(&space, &[(0, Goal::Maximise), (2, Goal::AtMost(2.5))]).unwrap());
    assert!(lo <= 0.75 && 0.75 <= hi && hi - lo < 1e-9);
    let answer = ask(&space, &[(0, Goal::Maximise), (2, Goal::Minimise)]).unwrap();
    let Value::Pareto(points) = &answer.value else { panic!("{answer:?}") };
    assert_eq!(points.len(), 2);
    assert!((points[0][0] - 0.5).abs() < 1e-9 && (points[0][1] - 1.0).abs() < 1e-9);
    assert!((points[1][0] - 1.0).abs() < 1e-9 && (points[1][1] - 4.0).abs() < 1e-9);
    // On the border, where graph analysis decides: success with probability 1.
    let [lo, hi] = bounds(&ask(&space, &[(2, Goal::Minimise), (0, Goal::AtLeast(1.0))]).unwrap());
    assert!(lo <= 4.0 && 4.0 <= hi && hi - lo < 1e-9);
}

#[test]
fn limits_and_kinds_are_minded() {
    use volvelle_control::{Limits, Stop};
    let mut random = Random(3);
    let mut space = model(&mut random, 4);
    let objectives = |b: &mut Builder| {
        let path = finally(b, A);
        vec![
            Objective { measured: Measured::Reward(COST, Some(1_000_000_000)), goal: Goal::Maximise },
            Objective { measured: Measured::Probability(path), goal: Goal::AtLeast(0.0) },
        ]
    };
    let ask = |space: &Space, control: &Control| {
        let mut b = Builder::default();
        let objectives = objectives(&mut b);
        let root = b.add(Formula::Multi(objectives));
        check(space, &b.property(root), &[], &Options::default(), control)
    };
    // A counter of a billion steps.
    let limits = Limits { memory_bytes: Some(1 << 24), ..Limits::default() };
    let limited = Control { limits, ..Control::unlimited() };
    assert_eq!(ask(&space, &limited), Err(CheckError::Limit(Stop::Memory)));
    space.initial.push(volvelle_space::StateId(1));
    assert!(matches!(ask(&space, &Control::unlimited()), Err(CheckError::TypeMismatch { .. })));
    let chain = parse(Kind::Dtmc, "0: 1:0");
    assert!(matches!(ask(&chain, &Control::unlimited()), Err(CheckError::WrongKind { .. })));
}

/// A point on the very border is reported neither as inside nor as outside, unless graph analysis decides.
#[test]
fn borders_are_not_guessed() {
    let third = 1.0 / 3.0;
    let mut space = parse(Kind::Mdp, "0: 0.25:0 0.25:1 0.5:2\n0: 1:2\n1: 1:1\n2: 1:2");
    let mut goal = BitSet::new(3);
    goal.insert(1);
    label(&mut space, "a", goal);
    let verdict = |bound: f64| ask(&space, &[(0, Goal::AtLeast(bound))]).map(|answer| answer.value);
    assert_eq!(verdict(third - 1e-9), Ok(Value::Bool(true)));
    assert_eq!(verdict(third + 1e-9), Ok(Value::Bool(false)));
    assert!(matches!(verdict(third), Err(CheckError::OnTheEdge { .. })), "{:?}", verdict(third));
    assert_eq!(verdict(0.0), Ok(Value::Bool(true)));
}
