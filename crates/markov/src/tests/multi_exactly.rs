//! Second opinions: all memoryless deterministic schedulers of the space unfolded by which labels were visited. Schedulers
//! achieve exactly the points below mixes of these. In the plane, a point below some mix is below a mix of two.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_exact::{Program, check_exactly};
use volvelle_logic::{
    Answer, Formula, FormulaId, Goal, Guarantee, LabelId, Measured, Objective, Optimum, Ratio, RewardId,
    RewardQuery, TimeBound, Value, gate,
};
use volvelle_reference::*;
use volvelle_solver::{CheckError, Options};
use volvelle_space::{BitSet, Kind, Space};

const A: LabelId = LabelId(0);
const B: LabelId = LabelId(1);
const COST: RewardId = RewardId(0);

/// Two states that are never left, and others with several choices.
fn rows(random: &mut Random, states: usize) -> Rows {
    let mut row = |s: usize| match random.below(5) {
        0 => vec![(random.below(states), 1.0)],
        1 => vec![(s, 0.25), (random.below(states), 0.75)],
        2 => vec![(states - 1, 0.5), (random.below(states), 0.5)],
        3 => vec![(states - 2, 0.375), (random.below(states), 0.5), (states - 1, 0.125)],
        _ => vec![(random.below(states), 0.25), (random.below(states), 0.5), (s, 0.25)],
    };
    let mut rows: Rows = (0..states - 2).map(|s| (0..2 + s % 2).map(|_| row(s)).collect()).collect();
    rows.extend([states - 2, states - 1].map(|s| vec![vec![(s, 1.0)]]));
    rows
}

/// With the labels a and b, and a reward structure that is often zero.
fn model(random: &mut Random, states: usize) -> Space {
    let mut space = space(Kind::Mdp, &rows(random, states));
    for (i, name) in ["a", "b"].into_iter().enumerate() {
        let mut set = random_set(random, states, 4);
        set.remove(0);
        set.insert(states - 1 - i);
        label(&mut space, name, set);
    }
    let state = (0..states).map(|s| [0.0, 1.0, 0.5, 3.0][random.below(if s + 2 < states { 4 } else { 1 })]);
    let state = state.collect();
    rewards(&mut space, state);
    space
}

/// The values that each scheduler achieves: probabilities of `F a` and `F b`, and the total reward, which may be infinite.
fn achieved(space: &Space) -> Option<Vec<[Option<RBig>; 3]>> {
    let (unfolded, origin) = unfolded(space, false);
    let of_state = space.rewards[0].state.as_ref().unwrap();
    let reward: Vec<f64> = origin.iter().map(|&(s, _)| of_state.get(s)).collect();
    let n = unfolded.num_states();
    let count: usize = (0..n).map(|s| unfolded.choices_of(s).len()).product();
    if count > 300 {
        return None;
    }
    let seen = |bit: usize| BitSet::of(n, (0..n).filter(|&s| origin[s].1 >> bit & 1 == 1));
    let all = BitSet::full(n);
    let points = policies(&unfolded).map(|(chain, _)| {
        let p = |bit: usize| Some(exact_until(&chain, &all, &seen(bit))[0].clone());
        [p(0), p(1), exact_total(&chain, &reward)[0].clone()]
    });
    let mut points: Vec<_> = points.collect();
    points.sort();
    points.dedup();
    Some(points)
}

/// An objective: what it measures, whether it is to be small, and the bound, strict or not, if it has one.
#[derive(Clone, Debug)]
struct Asked {
    what: usize,
    small: bool,
    bound: Option<(RBig, bool)>,
}

impl Asked {
    /// The points as coordinates to be large; schedulers of infinite cost are left out.
    fn coordinate(&self, point: &[Option<RBig>; 3]) -> Option<RBig> {
        let value = point[self.what].clone()?;
        Some(if self.small { -value } else { value })
    }

    fn threshold(&self) -> Option<(RBig, bool)> {
        let (bound, strict) = self.bound.clone()?;
        Some((if self.small { -bound } else { bound }, strict))
    }
}

fn coordinates(points: &[[Option<RBig>; 3]], asked: &[Asked]) -> Vec<Vec<RBig>> {
    points.iter().filter_map(|p| asked.iter().map(|a| a.coordinate(p)).collect()).collect()
}

fn ask(space: &Space, asked: &[Asked], exactly: bool) -> Result<Answer, CheckError> {
    let mut b = Builder::default();
    let mut operators = Vec::new();
    let mut objectives = Vec::new();
    for a in asked {
        let measured = match a.what {
            2 => Measured::Reward(COST, None),
            label => {
                let label = b.label([A, B][label]);
                Measured::Probability(b.finally(label, TimeBound::NONE))
            }
        };
        let number = a.bound.as_ref().map(|(bound, _)| bound.clone()).unwrap_or_default();
        let double = number.to_f64().value();
        let goal = match (a.small, &a.bound) {
            (false, None) => Goal::Maximise,
            (true, None) => Goal::Minimise,
            (false, Some((_, false))) => Goal::AtLeast(double),
            (true, Some((_, false))) => Goal::AtMost(double),
            (false, Some((_, true))) => Goal::MoreThan(double),
            (true, Some((_, true))) => Goal::LessThan(double),
        };
        let operator = b.add(Formula::Number(double));
        b.0.set_exact(operator, Some(number));
        operators.push(operator);
        objectives.push(Objective { measured, goal });
    }
    let root = b.add(Formula::Multi(objectives));
    for (i, &operator) in operators.iter().enumerate() {
        b.0.share_exact_bound(operator, root, i);
    }
    let (options, control) = (Options::default(), Control::unlimited());
    match exactly {
        true => check_exactly(space, &numbers_of(space), &b.property(root), &options, &control),
        false => crate::evaluate::check(space, &b.property(root), &[], &options, &control),
    }
}

/// Whether some mix of two points meets all bounds of a plane.
fn pair_meets(points: &[Vec<RBig>], bounds: &[(RBig, bool)]) -> bool {
    points.iter().any(|u| {
        points.iter().any(|v| {
            // The shares of v with which each bound is met: an interval that may be open at its ends.
            let (mut lo, mut hi) = ((RBig::ZERO, false), (RBig::ONE, false));
            for (j, (bound, strict)) in bounds.iter().enumerate() {
                let (at, slope) = (&u[j] - bound, &v[j] - &u[j]);
                if slope.is_zero() {
                    if at < RBig::ZERO || at.is_zero() && *strict {
                        return false;
                    }
                    continue;
                }
                let end = (-at / &slope, *strict);
                if slope > RBig::ZERO {
                    lo = lo.max(end);
                } else if end.0 < hi.0 || end.0 == hi.0 && end.1 {
                    hi = end;
                }
            }
            lo.0 < hi.0 || lo.0 == hi.0 && !lo.1 && !hi.1
        })
    })
}

/// Whether some mix meets all bounds, by a linear program over all schedulers: the largest room under the strict ones.
fn mix_meets(points: &[Vec<RBig>], bounds: &[(RBig, bool)]) -> bool {
    // Shares, and the room up to one.
    let mut program = Program::default();
    for (j, (bound, strict)) in bounds.iter().enumerate() {
        let mut row: Vec<RBig> = points.iter().map(|p| bound - &p[j]).collect();
        row.push(if *strict { RBig::ONE } else { RBig::ZERO });
        program.rows.push(row);
        program.right.push(RBig::ZERO);
    }
    for sign in [1, -1] {
        program.rows.push([vec![RBig::from(sign); points.len()], vec![RBig::ZERO]].concat());
        program.right.push(RBig::from(sign));
    }
    program.rows.push([vec![RBig::ZERO; points.len()], vec![RBig::ONE]].concat());
    program.right.push(RBig::ONE);
    program.objective = [vec![RBig::ZERO; points.len()], vec![RBig::ONE]].concat();
    let found = program.solve(&Control::unlimited()).unwrap();
    found.is_some_and(|f| f.value > RBig::ZERO || bounds.iter().all(|b| !b.1))
}

fn meets(points: &[Vec<RBig>], bounds: &[(RBig, bool)]) -> bool {
    let meets = mix_meets(points, bounds);
    if bounds.len() <= 2 {
        let plane = |p: &Vec<RBig>| if bounds.len() == 1 { vec![p[0].clone()] } else { p.clone() };
        assert_eq!(pair_meets(&points.iter().map(plane).collect::<Vec<_>>(), bounds), meets);
    }
    meets
}

/// A bound of each objective: those of a mix of two schedulers, which is often on the border, or a little off.
fn bounds_near(random: &mut Random, points: &[[Option<RBig>; 3]], asked: &mut [Asked]) {
    let finite: Vec<_> = points.iter().filter(|p| p[2].is_some()).collect();
    let (u, v) = match finite.len() {
        0 => (&points[0], &points[0]),
        n => (finite[random.below(n)], finite[random.below(n)]),
    };
    let share =
        [RBig::ZERO, RBig::from(1) / RBig::from(2), RBig::from(1) / RBig::from(3)][random.below(3)].clone();
    for a in asked {
        let of = |p: &[Option<RBig>; 3]| p[a.what].clone().unwrap_or(RBig::ONE);
        let mut bound = of(u) + &share * (of(v) - of(u));
        let little = RBig::from(1) / RBig::from(10).pow(40);
        match random.below(6) {
            0 => bound += little,
            1 => bound -= little,
            _ => {}
        }
        a.bound = Some((bound, random.one_in(3)));
    }
}

fn some_objectives(random: &mut Random, count: usize) -> Vec<Asked> {
    let mut whats = vec![0, 1, 2];
    whats.swap(0, random.below(3));
    whats.swap(1, 1 + random.below(2));
    let asked = whats.into_iter().take(count);
    // The total reward is a cost; as an objective to be large it may be infinite.
    asked.map(|what| Asked { what, small: what == 2 || random.one_in(2), bound: None }).collect()
}

#[test]
fn bounds_on_the_border_are_decided() {
    let mut random = Random(101);
    let (mut counts, mut edges, mut strict) = ([0; 2], 0, [0; 2]);
    for case in 0..500 {
        let states = 3 + random.below(2);
        let space = model(&mut random, states);
        let Some(points) = achieved(&space) else { continue };
        let count = 1 + random.below(3);
        let mut asked = some_objectives(&mut random, count);
        bounds_near(&mut random, &points, &mut asked);
        let bounds: Vec<_> = asked.iter().filter_map(Asked::threshold).collect();
        let corners = coordinates(&points, &asked);
        let truth = !corners.is_empty() && meets(&corners, &bounds);
        let answer = ask(&space, &asked, true).unwrap_or_else(|e| panic!("case {case}: {asked:?} {e:?}"));
        assert_eq!(answer.value, Value::Bool(truth), "case {case}: {asked:?} {answer:?} {corners:?}");
        assert_eq!(answer.guarantee, gate::exact());
        counts[usize::from(truth)] += 1;
        if bounds.iter().any(|b| b.1) {
            strict[usize::from(truth)] += 1;
        }
        // Floating point says the same, or that it does not know.
        match ask(&space, &asked, false) {
            Ok(answer) => assert_eq!(answer.value, Value::Bool(truth), "case {case}: {asked:?}"),
            Err(CheckError::OnTheEdge { .. }) => edges += 1,
            Err(error) => panic!("case {case}: {error}"),
        }
    }
    assert!(
        counts.iter().all(|&n| n > 80) && strict.iter().all(|&n| n > 50) && edges > 40,
        "{counts:?} {strict:?} {edges}"
    );
}

/// The largest first coordinate of mixes of two points whose second one is at least `t`.
fn best_mix(points: &[Vec<RBig>], t: &RBig) -> Option<RBig> {
    let mut best: Option<RBig> = None;
    let mut offer = |x: RBig| best = Some(best.take().map_or(x.clone(), |b| b.max(x)));
    for u in points.iter().filter(|u| u[1] >= *t) {
        offer(u[0].clone());
        for v in points.iter().filter(|v| v[1] < *t) {
            let share = (t - &v[1]) / (&u[1] - &v[1]);
            offer(&share * &u[0] + (RBig::ONE - &share) * &v[0]);
        }
    }
    best
}

#[test]
fn best_values_are_those_of_all_schedulers() {
    let mut random = Random(55);
    let (mut some, mut none, mut edges) = (0, 0, 0);
    for case in 0..400 {
        let states = 3 + random.below(2);
        let space = model(&mut random, states);
        let Some(points) = achieved(&space) else { continue };
        let mut asked = some_objectives(&mut random, 2);
        bounds_near(&mut random, &points, &mut asked);
        asked[0].bound = None;
        let corners = coordinates(&points, &asked);
        let (bound, strict) = asked[1].threshold().unwrap();
        let met = corners.iter().any(|c| c[1] > bound || c[1] == bound && !strict);
        let truth = if met { best_mix(&corners, &bound) } else { None };
        let answer = ask(&space, &asked, true).unwrap_or_else(|e| panic!("case {case}: {asked:?} {e:?}"));
        let what = format!("case {case}: {asked:?} {answer:?} {corners:?}");
        let rough = ask(&space, &asked, false);
        match truth {
            None => {
                let alone: Vec<Vec<RBig>> =
                    points.iter().filter_map(|p| Some(vec![asked[1].coordinate(p)?])).collect();
                let met = asked[0].what == 2 && meets(&alone, &[(bound, strict)]);
                let expected = if met { Value::Number(f64::INFINITY) } else { Value::Bool(false) };
                assert_eq!(answer.value, expected, "{what}");
                none += 1;
            }
            Some(truth) => {
                let truth = if asked[0].small { -truth } else { truth };
                assert_eq!(answer.exact, [Ratio::Finite(truth)], "{what}");
                some += 1;
            }
        }
        match (rough, &answer.value) {
            (Err(CheckError::OnTheEdge { .. }), _) => edges += 1,
            (Ok(rough), Value::Number(value)) => {
                let [lo, hi] = match rough.guarantee {
                    Guarantee::Sound { lo, hi, .. } => [lo, hi],
                    _ => match rough.value {
                        Value::Number(x) => [x; 2],
                        other => panic!("{what} {other:?}"),
                    },
                };
                assert!(lo <= *value && *value <= hi, "{what} {lo} {hi}");
            }
            (Ok(rough), _) => assert_eq!(rough.value, answer.value, "{what}"),
            (Err(error), _) => panic!("{what} {error}"),
        }
    }
    assert!(some > 100 && none > 20 && edges > 20, "{some} {none} {edges}");
}

/// A corner of a curve is the point of a scheduler that is not below any mix of the others.
#[test]
fn curves_have_exactly_their_corners() {
    let mut random = Random(71);
    let (mut found, mut endless) = ([0; 4], 0);
    for case in 0..250 {
        let states = 4 + random.below(2);
        let space = model(&mut random, states);
        let Some(points) = achieved(&space) else { continue };
        let count = 2 + random.below(2);
        let asked = some_objectives(&mut random, count);
        let mut corners = coordinates(&points, &asked);
        corners.sort();
        corners.dedup();
        let answer = ask(&space, &asked, true).unwrap_or_else(|e| panic!("case {case}: {asked:?} {e:?}"));
        let (finite, infinite): (Vec<&[Ratio]>, Vec<&[Ratio]>) =
            answer.exact.chunks(count).partition(|point| !point.contains(&Ratio::Infinity));
        let flat = |place: usize, x: &Ratio| match x {
            Ratio::Finite(x) if asked[place].small => -x.clone(),
            Ratio::Finite(x) => x.clone(),
            _ => RBig::ZERO,
        };
        let probabilities: Vec<usize> = (0..count).filter(|&i| asked[i].what != 2).collect();
        let all: Vec<Vec<RBig>> = (points.iter())
            .map(|p| probabilities.iter().map(|&i| asked[i].coordinate(p).unwrap()).collect())
            .collect();
        for point in infinite {
            let bounds: Vec<(RBig, bool)> =
                probabilities.iter().map(|&i| (flat(i, &point[i]), false)).collect();
            assert!(mix_meets(&all, &bounds), "case {case}: {point:?}");
            endless += 1;
        }
        let shown: Vec<Vec<RBig>> = (answer.exact.chunks(count))
            .map(|point| probabilities.iter().map(|&i| flat(i, &point[i])).collect())
            .collect();
        for point in &all {
            let bounds: Vec<(RBig, bool)> = point.iter().map(|x| (x.clone(), false)).collect();
            assert!(mix_meets(&shown, &bounds), "case {case}: {point:?} {:?}", answer.exact);
        }
        if corners.is_empty() {
            assert!(finite.is_empty());
            continue;
        }
        let is_corner = |i: &usize| {
            let others: Vec<Vec<RBig>> = [&corners[..*i], &corners[*i + 1..]].concat();
            let bounds: Vec<(RBig, bool)> = corners[*i].iter().map(|x| (x.clone(), false)).collect();
            others.is_empty() || !mix_meets(&others, &bounds)
        };
        let signed = |c: &Vec<RBig>| -> Vec<RBig> {
            c.iter().zip(&asked).map(|(x, a)| if a.small { -x.clone() } else { x.clone() }).collect()
        };
        let mut truth: Vec<Vec<RBig>> =
            (0..corners.len()).filter(is_corner).map(|i| signed(&corners[i])).collect();
        truth.sort();
        found[truth.len().min(3)] += 1;
        let truth: Vec<Ratio> = truth.into_iter().flatten().map(Ratio::Finite).collect();
        assert_eq!(finite.concat(), truth, "case {case}: {asked:?} {answer:?}");
    }
    assert!(found[1] > 30 && found[2] > 20 && found[3] > 2 && endless > 5, "{found:?} {endless}");
}

/// Gains for ever: in the MDP with which labels were seen, which schedulers visit an end component with a reward.
#[test]
fn attack_gains_for_ever_are_those_of_all_schedulers() {
    let mut random = Random(57);
    let (mut infinite, mut finite, mut edges) = (0, 0, 0);
    for case in volvelle_random::attack_cases(300) {
        let space = with_endless_gains(&mut random);
        let Some((points, visits)) = achieved(&space).map(|points| (points, visiting(&space))) else {
            continue;
        };
        let small = random.one_in(2);
        let mut asked = vec![
            Asked { what: 2, small: false, bound: None },
            Asked { what: random.below(2), small, bound: None },
        ];
        bounds_near(&mut random, &points, &mut asked);
        let some: Vec<RBig> = visits.iter().map(|(p, _)| p[asked[1].what].clone()).collect();
        let border = some[random.below(some.len())].clone();
        if random.one_in(2) {
            asked[1].bound = Some((border, random.one_in(4)));
        }
        let (bound, strict) = asked[1].threshold().unwrap();
        let sign = |p: &RBig| if small { -p.clone() } else { p.clone() };
        let plane: Vec<Vec<RBig>> = (visits.iter())
            .map(|(p, visits)| vec![sign(&p[asked[1].what]), RBig::from(u8::from(*visits))])
            .collect();
        let can_visit = pair_meets(&plane, &[(bound.clone(), strict), (RBig::ZERO, true)]);
        // Otherwise schedulers that do not visit them count.
        let others: Vec<Vec<RBig>> = (points.iter())
            .filter(|p| p[2].is_some())
            .map(|p| vec![p[2].clone().unwrap(), sign(p[asked[1].what].as_ref().unwrap())])
            .collect();
        let met = others.iter().any(|c| c[1] > bound || c[1] == bound && !strict);
        let best = if met { best_mix(&others, &bound) } else { None };
        let what = || format!("case {case}: {asked:?} {visits:?} {points:?}");
        for goal in ["best", "bound"] {
            let mut asked = asked.clone();
            let gain = asked[0].threshold().unwrap();
            let truth = if goal == "best" {
                asked[0].bound = None;
                match (can_visit, &best) {
                    (true, _) => vec![Ratio::Infinity],
                    (false, Some(best)) => vec![Ratio::Finite(best.clone())],
                    (false, None) => Vec::new(),
                }
            } else {
                let met = can_visit || !others.is_empty() && meets(&others, &[gain, (bound.clone(), strict)]);
                vec![Ratio::Finite(RBig::from(u8::from(met)))]
            };
            let value = |answer: &Answer| match answer.value {
                Value::Bool(_) if goal == "best" => Vec::new(),
                Value::Bool(met) => vec![Ratio::Finite(RBig::from(u8::from(met)))],
                _ => answer.exact.clone(),
            };
            let answer = ask(&space, &asked, true).unwrap_or_else(|e| panic!("{} {e:?}", what()));
            assert_eq!(value(&answer), truth, "{goal} {}", what());
            infinite += usize::from(can_visit);
            finite += usize::from(!can_visit);
            match ask(&space, &asked, false) {
                Ok(rough) => match (rough.value, rough.guarantee, truth.first()) {
                    (Value::Number(x), Guarantee::Exact { .. }, Some(Ratio::Infinity)) => {
                        assert_eq!(x, f64::INFINITY)
                    }
                    (Value::Number(_), Guarantee::Sound { lo, hi, .. }, Some(truth)) => {
                        assert!(
                            volvelle_reference::signed::encloses([lo, hi], truth),
                            "{lo} {hi} {}",
                            what()
                        );
                    }
                    (Value::Number(x), _, Some(Ratio::Finite(truth))) => assert_eq!(exact(x), *truth),
                    (rough, ..) => assert_eq!(rough, answer.value, "{}", what()),
                },
                Err(CheckError::OnTheEdge { .. }) => edges += 1,
                Err(error) => panic!("{} {error}", what()),
            }
        }
    }
    assert!(infinite > 50 && finite > 20 && edges < 300, "{infinite} {finite} {edges}");
}

/// A model in which some states can be visited again and again that have a reward.
fn with_endless_gains(random: &mut Random) -> Space {
    let mut space = model(random, 4);
    let state = (0..4).map(|s| if s == 3 { 0.0 } else { [0.0, 0.0, 1.0][random.below(3)] }).collect();
    space.rewards.clear();
    rewards(&mut space, state);
    space
}

/// The probabilities of `F a` and `F b` of each scheduler, and whether it visits an end component with a reward.
fn visiting(space: &Space) -> Vec<([RBig; 2], bool)> {
    let (unfolded, origin) = unfolded(space, false);
    let of_state = space.rewards[0].state.as_ref().unwrap();
    let n = unfolded.num_states();
    let all = BitSet::full(n);
    let found = volvelle_solver::graph::end_components(&unfolded, &all, |_| true);
    let pays = |members: &&[u32]| members.iter().any(|&s| of_state.get(origin[s as usize].0) > 0.0);
    let paying = volvelle_solver::graph::members(n, found.iter().filter(pays));
    let seen = |bit: usize| BitSet::of(n, (0..n).filter(|&s| origin[s].1 >> bit & 1 == 1));
    let of_policy = |(chain, _): (Chain, Vec<usize>)| {
        let p = |bit: usize| exact_until(&chain, &all, &seen(bit))[0].clone();
        ([p(0), p(1)], can_reach(&chain, &all, &paying).contains(0))
    };
    policies(&unfolded).map(of_policy).collect()
}

/// Steps are counted and formulas followed as the single operators do it.
#[test]
fn single_objectives_are_single_operators() {
    let mut random = Random(31);
    for case in 0..80 {
        let space = model(&mut random, 4);
        let exact = numbers_of(&space);
        let (options, control) = (Options::default(), Control::unlimited());
        let steps = random.below(5) as u64;
        let (optimum, goal) = match random.below(2) {
            0 => (Optimum::Max, Goal::Maximise),
            _ => (Optimum::Min, Goal::Minimise),
        };
        let often = |b: &mut Builder| -> FormulaId {
            let (x, y) = (b.label(A), b.label(B));
            let never = b.add(Formula::Bool(false));
            let f = b.finally(x, TimeBound::NONE);
            let f = b.add(Formula::WeakUntil(f, never, TimeBound::NONE));
            let g = b.add(Formula::WeakUntil(y, never, TimeBound::NONE));
            let g = b.finally(g, TimeBound::NONE);
            b.add(Formula::Or(f, g))
        };
        for of_reward in [false, true] {
            let mut b = Builder::default();
            let single = match of_reward {
                true => b.reward(COST, RewardQuery::Cumulative(steps as f64), Some(optimum)),
                false => {
                    let path = often(&mut b);
                    b.probability(path, Some(optimum))
                }
            };
            let expected = check_exactly(&space, &exact, &b.property(single), &options, &control).unwrap();
            let mut b = Builder::default();
            let measured = match of_reward {
                true => Measured::Reward(COST, Some(steps)),
                false => Measured::Probability(often(&mut b)),
            };
            // A second objective that every scheduler meets.
            let label = b.label(A);
            let path = b.finally(label, TimeBound::NONE);
            let other = Objective { measured: Measured::Probability(path), goal: Goal::AtLeast(0.0) };
            let root = b.add(Formula::Multi(vec![Objective { measured, goal }, other]));
            let found = check_exactly(&space, &exact, &b.property(root), &options, &control).unwrap();
            assert_eq!(found.exact, expected.exact, "case {case} {of_reward}");
        }
    }
}
