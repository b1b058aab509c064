//! Second opinions. For chains: the algorithm of Courcoubetis and Yannakakis (J. ACM 42, 1995) over rationals, which
//! knows no automata: it takes the innermost temporal operator, computes its probability, splits each state by its truth,
//! and goes on with a chain on which the operator is a proposition. For MDPs: all memoryless schedulers of the product.
//! For A and E: all short paths that end in a cycle.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{FilterOp, Formula, FormulaId, LabelId, Optimum, RewardId, RewardQuery, TimeBound};
use volvelle_objectives::ltl::{Ltl, Product, translate};
use volvelle_reference::*;
use volvelle_solver::reach::until;
use volvelle_solver::{CheckError, Context, Numbers, Options};
use volvelle_space::{BitSet, ExactSpace, Kind, Space};

use crate::evaluate::{StateValues, check_states};

const LABELS: usize = 2;

/// A random path formula over the labels 0 and 1, with about `size` operators.
fn random_path(random: &mut Random, b: &mut Builder, size: usize, bounds: bool) -> FormulaId {
    if size == 0 {
        return b.label(LabelId(random.below(LABELS) as u32));
    }
    let mut bound = TimeBound::NONE;
    if bounds && random.one_in(4) {
        let lower = random.below(2) as f64;
        bound = within(lower, Some(lower + random.below(2) as f64));
        bound.upper_strict = bound.upper > Some(lower) && random.one_in(3);
    }
    let left = random.below(size);
    let one = |random: &mut Random, b: &mut Builder| random_path(random, b, size - 1, bounds);
    match random.below(10) {
        0 => {
            let a = one(random, b);
            b.add(Formula::Not(a))
        }
        1 => {
            let a = one(random, b);
            b.add(Formula::Next(a, TimeBound::NONE))
        }
        2 | 3 => {
            let a = one(random, b);
            b.finally(a, bound)
        }
        4 | 5 => {
            let a = one(random, b);
            let never = b.add(Formula::Bool(false));
            b.add(Formula::WeakUntil(a, never, bound))
        }
        kind => {
            let x = random_path(random, b, left, bounds);
            let y = random_path(random, b, size - 1 - left, bounds);
            b.add(match kind {
                6 => Formula::And(x, y),
                7 => Formula::Or(x, y),
                8 if random.one_in(2) => Formula::WeakUntil(x, y, bound),
                8 => Formula::Release(x, y, bound),
                _ => Formula::Until(x, y, bound),
            })
        }
    }
}

/// Rows with small numerators over a power of two, so that rationals stay short.
fn small_rows(random: &mut Random, states: usize, choices: usize) -> Rows {
    (0..states)
        .map(|s| {
            (0..1 + random.below(choices))
                .map(|_| match random.below(4) {
                    0 => vec![(random.below(states), 1.0)],
                    1 => vec![(s, 0.25), (random.below(states), 0.75)],
                    2 => vec![(random.below(states), 0.5), (random.below(states), 0.5)],
                    _ => vec![
                        (random.below(states), 0.25),
                        (random.below(states), 0.5),
                        (random.below(states), 0.25),
                    ],
                })
                .collect()
        })
        .collect()
}

fn labelled(random: &mut Random, kind: Kind, states: usize, choices: usize) -> Space {
    let mut space = space(kind, &small_rows(random, states, choices));
    for name in ["a", "b"] {
        let set = random_set(random, states, 2);
        label(&mut space, name, set);
    }
    space
}

fn values(space: &Space, b: &Builder, root: FormulaId) -> Result<StateValues, CheckError> {
    let property = Builder(b.0.clone()).property(root);
    check_states(space, &property, &[], &Options::default(), None, &Control::unlimited())
}

fn numbers(space: &Space, b: &mut Builder, path: FormulaId, optimum: Option<Optimum>) -> Numbers {
    let root = b.probability(path, optimum);
    match values(space, b, root).unwrap() {
        StateValues::Number(numbers) => numbers,
        StateValues::Bool(_) => panic!("a truth value"),
    }
}

/// The same in rational arithmetic.
fn exact_numbers(
    space: &Space,
    b: &mut Builder,
    path: FormulaId,
    optimum: Option<Optimum>,
) -> Vec<volvelle_logic::Ratio> {
    let formula = b.probability(path, optimum);
    let all = b.add(Formula::Filter { op: FilterOp::PrintAll, formula, states: None });
    let values = space.values.iter().map(exact).collect();
    let exact = ExactSpace { values, rewards: Vec::new(), numbers: Vec::new() };
    let property = Builder(b.0.clone()).property(all);
    let (options, control) = (Options::default(), Control::unlimited());
    crate::check_exactly(space, &exact, &property, &options, &control).expect("an answer").exact
}

/// Bounds hold, and are narrow.
fn assert_near([lo, hi]: [f64; 2], truth: &RBig, what: &str) {
    assert!(exact(lo) <= *truth && *truth <= exact(hi) && hi - lo < 1e-6, "{what}: {lo}..{hi} but {truth}");
}

// --- Courcoubetis and Yannakakis ---------------------------------------------------------------------------------

/// A formula of X, U, and Boolean operators.
#[derive(Clone, Debug, PartialEq)]
enum Plain {
    Constant(bool),
    Is(usize),
    Not(Box<Plain>),
    And(Box<Plain>, Box<Plain>),
    Next(Box<Plain>),
    Until(Box<Plain>, Box<Plain>),
}

fn no(a: Plain) -> Plain {
    Plain::Not(Box::new(a))
}

fn both(a: Plain, b: Plain) -> Plain {
    Plain::And(Box::new(a), Box::new(b))
}

fn either(a: Plain, b: Plain) -> Plain {
    no(both(no(a), no(b)))
}

/// `a U b` within steps, unfolded.
fn bounded(a: &Plain, b: &Plain, lower: u64, upper: Option<u64>) -> Plain {
    match (lower, upper) {
        (0, None) => Plain::Until(Box::new(a.clone()), Box::new(b.clone())),
        (0, Some(0)) => b.clone(),
        (0, Some(k)) => {
            let later = Plain::Next(Box::new(bounded(a, b, 0, Some(k - 1))));
            either(b.clone(), both(a.clone(), later))
        }
        (l, u) => both(a.clone(), Plain::Next(Box::new(bounded(a, b, l - 1, u.map(|u| u - 1))))),
    }
}

fn plain(b: &Builder, id: FormulaId) -> Plain {
    let until = |x: &Plain, y: &Plain, bound: &TimeBound| {
        let upper = bound.upper.map(|u| u as u64 - u64::from(bound.upper_strict));
        bounded(x, y, bound.lower as u64, upper)
    };
    match b.0.get(id) {
        Formula::Bool(value) => Plain::Constant(*value),
        Formula::Label(l) => Plain::Is(l.index()),
        Formula::Not(x) => no(plain(b, *x)),
        Formula::And(x, y) => both(plain(b, *x), plain(b, *y)),
        Formula::Or(x, y) => either(plain(b, *x), plain(b, *y)),
        Formula::Next(x, _) => Plain::Next(Box::new(plain(b, *x))),
        Formula::Until(x, y, bound) => until(&plain(b, *x), &plain(b, *y), bound),
        Formula::WeakUntil(x, y, bound) => {
            let (x, y) = (plain(b, *x), plain(b, *y));
            no(until(&no(y.clone()), &both(no(x), no(y)), bound))
        }
        Formula::Release(x, y, bound) => no(until(&no(plain(b, *x)), &no(plain(b, *y)), bound)),
        other => panic!("{other:?}"),
    }
}

/// An innermost temporal operator: one whose operands have none.
fn innermost(formula: &Plain) -> Option<Plain> {
    match formula {
        Plain::Constant(_) | Plain::Is(_) => None,
        Plain::Not(a) => innermost(a),
        Plain::And(a, b) => innermost(a).or_else(|| innermost(b)),
        Plain::Next(a) => innermost(a).or_else(|| Some(formula.clone())),
        Plain::Until(a, b) => innermost(a).or_else(|| innermost(b)).or_else(|| Some(formula.clone())),
    }
}

fn replace(formula: &Plain, what: &Plain, by: &Plain) -> Plain {
    if formula == what {
        return by.clone();
    }
    let go = |a: &Plain| Box::new(replace(a, what, by));
    match formula {
        Plain::Constant(_) | Plain::Is(_) => formula.clone(),
        Plain::Not(a) => Plain::Not(go(a)),
        Plain::And(a, b) => Plain::And(go(a), go(b)),
        Plain::Next(a) => Plain::Next(go(a)),
        Plain::Until(a, b) => Plain::Until(go(a), go(b)),
    }
}

/// A chain over rationals that was split by truth values; `origin` and `weight` say what share of which state each is.
struct Split {
    rows: Vec<Vec<(usize, RBig)>>,
    holds: Vec<Vec<bool>>,
    origin: Vec<usize>,
    weight: Vec<RBig>,
}

impl Split {
    fn truth(&self, s: usize, formula: &Plain) -> bool {
        match formula {
            Plain::Constant(value) => *value,
            Plain::Is(p) => self.holds[s][*p],
            Plain::Not(a) => !self.truth(s, a),
            Plain::And(a, b) => self.truth(s, a) && self.truth(s, b),
            Plain::Next(_) | Plain::Until(..) => panic!("temporal"),
        }
    }

    /// The probability of an innermost operator.
    fn probability(&self, operator: &Plain) -> Vec<RBig> {
        let n = self.rows.len();
        let (a, b) = match operator {
            Plain::Next(a) => {
                let mass = |row: &Vec<(usize, RBig)>| {
                    row.iter().filter(|e| self.truth(e.0, a)).fold(RBig::ZERO, |sum, e| sum + &e.1)
                };
                return self.rows.iter().map(mass).collect();
            }
            Plain::Until(a, b) => (a, b),
            _ => panic!("not temporal"),
        };
        let mut positive: Vec<bool> = (0..n).map(|s| self.truth(s, b)).collect();
        for _ in 0..n {
            for s in 0..n {
                positive[s] |= self.truth(s, a) && self.rows[s].iter().any(|e| positive[e.0]);
            }
        }
        let mut matrix = vec![vec![RBig::ZERO; n]; n];
        let mut right = vec![RBig::ZERO; n];
        for s in 0..n {
            matrix[s][s] = RBig::ONE;
            if self.truth(s, b) {
                right[s] = RBig::ONE;
            } else if positive[s] {
                for (t, p) in &self.rows[s] {
                    matrix[s][*t] = &matrix[s][*t] - p;
                }
            }
        }
        solve_exactly(matrix, right).unwrap()
    }

    /// Splits by the truth of an innermost operator, which becomes a proposition.
    fn split(self, operator: &Plain) -> Split {
        let q = self.probability(operator);
        let share = |s: usize, v: bool| if v { q[s].clone() } else { RBig::ONE - &q[s] };
        let mut place = vec![[None; 2]; self.rows.len()];
        let mut split = Split { rows: vec![], holds: vec![], origin: vec![], weight: vec![] };
        for (s, places) in place.iter_mut().enumerate() {
            for v in [false, true] {
                if share(s, v) > RBig::ZERO {
                    places[usize::from(v)] = Some(split.origin.len());
                    split.origin.push(self.origin[s]);
                    split.weight.push(&self.weight[s] * share(s, v));
                    let mut holds = self.holds[s].clone();
                    holds.push(v);
                    split.holds.push(holds);
                }
            }
        }
        for s in 0..self.rows.len() {
            for v in [false, true] {
                if place[s][usize::from(v)].is_none() {
                    continue;
                }
                let fits = |t: usize, w: bool| match operator {
                    Plain::Next(a) => self.truth(t, a) == v,
                    Plain::Until(a, b) => {
                        let decided = self.truth(s, b) || !self.truth(s, a);
                        decided || v == w
                    }
                    _ => panic!("not temporal"),
                };
                let mut row = vec![];
                for (t, p) in &self.rows[s] {
                    for w in [false, true] {
                        if let Some(target) = place[*t][usize::from(w)]
                            && fits(*t, w)
                        {
                            row.push((target, p * share(*t, w) / share(s, v)));
                        }
                    }
                }
                split.rows.push(row);
            }
        }
        split
    }
}

/// The exact probability of a path formula in every state of a chain.
fn exact_ltl(space: &Space, mut formula: Plain) -> Option<Vec<RBig>> {
    let n = space.num_states();
    let row = |s: usize| -> Vec<(usize, RBig)> {
        let total: RBig = space.transitions(s).fold(RBig::ZERO, |sum, e| sum + exact(e.1));
        space.transitions(s).map(|(t, v)| (t, exact(v) / &total)).collect()
    };
    let mut chain = Split {
        rows: (0..n).map(row).collect(),
        holds: (0..n).map(|s| space.labels.iter().map(|l| l.1.contains(s)).collect()).collect(),
        origin: (0..n).collect(),
        weight: vec![RBig::ONE; n],
    };
    while let Some(operator) = innermost(&formula) {
        let proposition = Plain::Is(chain.holds[0].len());
        chain = chain.split(&operator);
        formula = replace(&formula, &operator, &proposition);
        if chain.rows.len() > 48 {
            return None;
        }
    }
    let mut result = vec![RBig::ZERO; n];
    for s in 0..chain.rows.len() {
        if chain.truth(s, &formula) {
            result[chain.origin[s]] = &result[chain.origin[s]] + &chain.weight[s];
        }
    }
    Some(result)
}

#[test]
fn probabilities_on_chains_are_those_of_courcoubetis_and_yannakakis() {
    let mut random = Random(11);
    let (mut compared, mut between) = (0, 0);
    for round in 0..2500 {
        let n = 2 + random.below(4);
        let kind = if round % 3 == 0 { Kind::Ctmc } else { Kind::Dtmc };
        let space = labelled(&mut random, kind, n, 1);
        let mut b = Builder::default();
        let size = 2 + random.below(5);
        let path = random_path(&mut random, &mut b, size, kind == Kind::Dtmc);
        if !volvelle_objectives::path::path_formulas(&b.0)[path] {
            continue;
        }
        let Some(truth) = exact_ltl(&space, plain(&b, path)) else { continue };
        let found = numbers(&space, &mut b, path, None);
        let exactly = exact_numbers(&space, &mut b, path, None);
        for (s, truth) in truth.into_iter().enumerate() {
            assert_eq!(exactly[s], truth.clone().into(), "{:?} in {s} of {space:?}", b.0);
            between += usize::from(truth > RBig::ZERO && truth < RBig::ONE);
            let what = format!("{:?} in {s} of {space:?}", b.0);
            assert_near(found.bounds[s], &truth, &what);
        }
        compared += 1;
    }
    assert!(compared > 2000 && between > 400, "{compared} formulas, {between} open values");
}

#[test]
fn qualitative_bounds_agree_with_values() {
    use volvelle_logic::{Bound, Comparison, Query};
    let mut random = Random(12);
    for _ in 0..300 {
        let n = 2 + random.below(4);
        let kind = if random.one_in(2) { Kind::Mdp } else { Kind::Dtmc };
        let space = labelled(
            &mut random,
            kind,
            n,
            2 * usize::from(kind == Kind::Mdp) + usize::from(kind == Kind::Dtmc),
        );
        let mut b = Builder::default();
        let path = random_path(&mut random, &mut b, 4, true);
        if !volvelle_objectives::path::path_formulas(&b.0)[path] {
            continue;
        }
        for (optimum, comparison, threshold) in [
            (Optimum::Min, Comparison::Ge, 1.0),
            (Optimum::Min, Comparison::Gt, 0.0),
            (Optimum::Max, Comparison::Le, 0.0),
            (Optimum::Max, Comparison::Lt, 1.0),
        ] {
            let value = numbers(&space, &mut b, path, Some(optimum));
            let query = Query::Bound(Bound { comparison, threshold });
            let root = b.add(Formula::Prob { optimum: Some(optimum), query, path });
            let StateValues::Bool(set) = values(&space, &b, root).unwrap() else { panic!() };
            for s in 0..n {
                let [lo, hi] = value.bounds[s];
                // Values near 0 or 1 that are neither do not occur with these numbers.
                let truth = match comparison {
                    Comparison::Ge => lo > 1.0 - 1e-5,
                    Comparison::Gt => hi > 1e-5,
                    Comparison::Le => hi < 1e-5,
                    Comparison::Lt => lo < 1.0 - 1e-5,
                };
                assert_eq!(set.contains(s), truth, "{:?} {comparison:?} {threshold} in {s}: {value:?}", b.0);
            }
        }
    }
}

// --- All schedulers ----------------------------------------------------------------------------------------------

/// The probability that a policy's chain ends in a bottom component that is accepted, exactly.
fn accepted_by(product: &Product, chain: &Chain) -> Vec<RBig> {
    let n = chain.len();
    let all = BitSet::full(n);
    let reach: Vec<BitSet> = (0..n)
        .map(|s| {
            let mut set = BitSet::new(n);
            set.insert(s);
            loop {
                let before = set.count();
                for t in set.clone().iter() {
                    chain[t].iter().for_each(|e| {
                        set.insert(e.0);
                    });
                }
                if set.count() == before {
                    return set;
                }
            }
        })
        .collect();
    let mut target = BitSet::new(n);
    for s in 0..n {
        let bottom = reach[s].iter().all(|t| reach[t].contains(s));
        let met = |mark: u32| reach[s].iter().any(|t| product.has_mark(t, mark));
        let decided = product.rejected.contains(s) || product.accepted.contains(s);
        let accepted = product.accepted.contains(s);
        if accepted
            || bottom
                && !decided
                && product.pairs().unwrap().iter().any(|p| !met(p.avoid) && p.meet.iter().all(|&m| met(m)))
        {
            target.insert(s);
        }
    }
    exact_until(chain, &all, &target)
}

/// The greatest probability over all memoryless schedulers of the product; nothing if there are too many.
fn best(space: &Space, ltl: &Ltl) -> Option<Vec<RBig>> {
    let control = Control::unlimited();
    let context = Context::new(space, Options::default(), &control);
    let product = ltl.product(&context, None).unwrap();
    let counts = (0..product.space.num_states()).map(|s| product.space.choices_of(s).len());
    if product.space.num_states() > 16 || counts.product::<usize>() > 256 {
        return None;
    }
    let mut best = vec![RBig::ZERO; space.num_states()];
    for (chain, _) in policies(&product.space) {
        let value = accepted_by(&product, &chain);
        for (best, &start) in best.iter_mut().zip(&product.start_of) {
            *best = best.clone().max(value[start as usize].clone());
        }
    }
    Some(best)
}

#[test]
fn extremes_on_mdps_are_those_of_all_schedulers_of_the_product() {
    let mut random = Random(13);
    let (mut compared, mut apart) = (0, 0);
    for _ in 0..900 {
        let n = 2 + random.below(3);
        let space = labelled(&mut random, Kind::Mdp, n, 2);
        let mut b = Builder::default();
        let size = 2 + random.below(4);
        let path = random_path(&mut random, &mut b, size, true);
        let is_path = volvelle_objectives::path::path_formulas(&b.0);
        if !is_path[path] {
            continue;
        }
        let set = |id: FormulaId| match values(&space, &b, id)? {
            StateValues::Bool(set) => Ok(set),
            StateValues::Number(_) => panic!("a number"),
        };
        let ltl = translate(Kind::Mdp, &b.0, &is_path, path, set).unwrap();
        let (Some(high), Some(low)) = (best(&space, &ltl), best(&space, &ltl.negation())) else { continue };
        let most = numbers(&space, &mut b, path, Some(Optimum::Max));
        let least = numbers(&space, &mut b, path, Some(Optimum::Min));
        let exactly = [Optimum::Min, Optimum::Max].map(|o| exact_numbers(&space, &mut b, path, Some(o)));
        for s in 0..n {
            let what = format!("{:?} in {s} of {space:?}", b.0);
            let low = RBig::ONE - &low[s];
            let truth = [low.clone().into(), high[s].clone().into()];
            assert_eq!([&exactly[0][s], &exactly[1][s]], [&truth[0], &truth[1]], "{what}");
            assert_near(most.bounds[s], &high[s], &what);
            assert_near(least.bounds[s], &low, &what);
            apart += usize::from(low != high[s]);
        }
        compared += 1;
    }
    assert!(compared > 150 && apart > 100, "{compared} formulas, {apart} with a choice that matters");
}

#[test]
fn extremes_of_known_formulas_are_those_of_other_routes() {
    // G F a: stay where a is met again and again; F (a & X b) and conjunctions: spaces that remember.
    let mut random = Random(19);
    for _ in 0..300 {
        let n = 2 + random.below(5);
        let space = labelled(&mut random, Kind::Mdp, n, 2);
        let a = &space.labels[0].1;
        let mut b = Builder::default();
        let x = b.label(LabelId(0));
        let eventually = b.finally(x, TimeBound::NONE);
        let never = b.add(Formula::Bool(false));
        let often = b.add(Formula::WeakUntil(eventually, never, TimeBound::NONE));
        let always = b.add(Formula::WeakUntil(x, never, TimeBound::NONE));
        let almost = b.finally(always, TimeBound::NONE);
        let control = Control::unlimited();
        let context = Context::new(&space, Options::default(), &control);
        let everywhere = BitSet::full(n);
        let (mut meets, mut within) = (BitSet::new(n), BitSet::new(n));
        for members in volvelle_solver::graph::end_components(&space, &everywhere, |_| true).iter() {
            if members.iter().any(|&s| a.contains(s as usize)) {
                members.iter().for_each(|&s| {
                    meets.insert(s as usize);
                });
            }
        }
        for &s in &volvelle_solver::graph::end_components(&space, a, |_| true).states {
            within.insert(s as usize);
        }
        for (path, target) in [(often, meets), (almost, within)] {
            let found = numbers(&space, &mut b, path, Some(Optimum::Max));
            let other = until(&context, &everywhere, &target, Optimum::Max).unwrap();
            for s in 0..n {
                let ([lo, hi], [low, high]) = (found.bounds[s], other.bounds[s]);
                assert!(lo <= high && low <= hi && hi - lo < 1e-5);
            }
        }
    }
}

// --- Rewards -----------------------------------------------------------------------------------------------------

#[test]
fn rewards_until_conjunctions_and_sequences() {
    // A fair coin again and again: both sides have been seen after 3 tosses on average, heads twice in a row after 6.
    let mut space = parse(
        Kind::Dtmc,
        "0: 0.5:1 0.5:2
         1: 0.5:1 0.5:2
         2: 0.5:1 0.5:2",
    );
    let set = |m: usize| {
        let mut set = BitSet::new(3);
        set.insert(m);
        set
    };
    let heads = label(&mut space, "heads", set(1));
    let tails = label(&mut space, "tails", set(2));
    let tosses = rewards(&mut space, vec![1.0; 3]);
    let ask = |b: &Builder, root: FormulaId| match values(&space, b, root).unwrap() {
        StateValues::Number(numbers) => numbers.bounds[0],
        StateValues::Bool(_) => panic!(),
    };
    let near = |[lo, hi]: [f64; 2], truth: f64| {
        assert!(lo <= truth && truth <= hi && hi - lo < 1e-5, "[{lo}, {hi}] but {truth}");
    };
    let mut b = Builder::default();
    let (h, t) = (b.label(heads), b.label(tails));
    let (fh, ft) = (b.finally(h, TimeBound::NONE), b.finally(t, TimeBound::NONE));
    let seen = b.add(Formula::And(fh, ft));
    let root = b.reward(tosses, RewardQuery::Reach(seen), None);
    near(ask(&b, root), 3.0);
    let next = b.add(Formula::Next(h, TimeBound::NONE));
    let twice = b.add(Formula::And(h, next));
    let twice = b.finally(twice, TimeBound::NONE);
    let root = b.add(Formula::Time { optimum: None, query: volvelle_logic::Query::Value, path: twice });
    near(ask(&b, root), 6.0);
    // `h U t` may fail.
    let until = b.add(Formula::Until(h, t, TimeBound::NONE));
    let root = b.reward(tosses, RewardQuery::Reach(until), None);
    assert_eq!(ask(&b, root), [f64::INFINITY; 2]);
    // `X (h | X t)` is satisfied after one step or after two, or not at all; `X X true` after two for sure.
    let yes = b.add(Formula::Or(h, t));
    let next = b.add(Formula::Next(yes, TimeBound::NONE));
    let after_two = b.add(Formula::Next(next, TimeBound::NONE));
    let root = b.reward(tosses, RewardQuery::Reach(after_two), None);
    near(ask(&b, root), 2.0);
}

#[test]
fn rewards_until_a_conjunction_agree_with_a_space_that_remembers() {
    // `F a & F b` on a copy of the space that remembers by hand what has been seen.
    let mut random = Random(14);
    for round in 0..300 {
        let n = 2 + random.below(4);
        let kind = [Kind::Dtmc, Kind::Ctmc, Kind::Mdp][round % 3];
        let choices = if kind == Kind::Mdp { 2 } else { 1 };
        let rows = small_rows(&mut random, n, choices);
        let (a, c) = (random_set(&mut random, n, 2), random_set(&mut random, n, 2));
        let state_reward: Vec<f64> = (0..n).map(|_| random.below(3) as f64).collect();
        let mut model = space(kind, &rows);
        label(&mut model, "a", a.clone());
        label(&mut model, "b", c.clone());
        let id = rewards(&mut model, state_reward.clone());
        // State s with memory m (seen, this state included): number 4 s + m.
        let seen = |s: usize, m: usize| m | usize::from(a.contains(s)) | (2 * usize::from(c.contains(s)));
        let mut copies: Rows = vec![];
        for (s, choices) in rows.iter().enumerate() {
            for m in 0..4 {
                let m = seen(s, m);
                copies
                    .push(choices.iter().map(|r| r.iter().map(|&(t, v)| (4 * t + m, v)).collect()).collect());
            }
        }
        let mut copy = space(kind, &copies);
        let mut done = BitSet::new(4 * n);
        for s in 0..n {
            for m in 0..4 {
                if seen(s, m) == 3 {
                    done.insert(4 * s + m);
                }
            }
        }
        label(&mut copy, "done", done);
        let copy_id = rewards(&mut copy, (0..4 * n).map(|i| state_reward[i / 4]).collect());
        for optimum in [Optimum::Min, Optimum::Max] {
            let mut b = Builder::default();
            let (x, y) = (b.label(LabelId(0)), b.label(LabelId(1)));
            let (x, y) = (b.finally(x, TimeBound::NONE), b.finally(y, TimeBound::NONE));
            let path = b.add(Formula::And(x, y));
            let root = b.reward(id, RewardQuery::Reach(path), Some(optimum));
            let StateValues::Number(found) = values(&model, &b, root).unwrap() else { panic!() };
            let mut b = Builder::default();
            let done = b.label(LabelId(0));
            let path = b.finally(done, TimeBound::NONE);
            let root = b.reward(copy_id, RewardQuery::Reach(path), Some(optimum));
            let StateValues::Number(expected) = values(&copy, &b, root).unwrap() else { panic!() };
            for s in 0..n {
                let ([lo, hi], [low, high]) = (found.bounds[s], expected.bounds[4 * s]);
                assert!(lo <= high && low <= hi, "state {s}: {lo}..{hi} but {low}..{high}");
                assert_eq!(hi.is_infinite(), high.is_infinite());
            }
        }
    }
}

#[test]
fn formulas_that_are_not_cosafe_are_refused_by_name() {
    let mut random = Random(15);
    let mut space = labelled(&mut random, Kind::Dtmc, 3, 1);
    let id = rewards(&mut space, vec![1.0; 3]);
    let refused = |make: &dyn Fn(&mut Builder, FormulaId, FormulaId) -> FormulaId| {
        let mut b = Builder::default();
        let (x, y) = (b.label(LabelId(0)), b.label(LabelId(1)));
        let path = make(&mut b, x, y);
        let root = b.reward(RewardId(id.0), RewardQuery::Reach(path), None);
        match values(&space, &b, root) {
            Err(CheckError::TypeMismatch { what }) => Some(what),
            Ok(_) => None,
            Err(other) => panic!("{other:?}"),
        }
    };
    let all = TimeBound::NONE;
    let never = |b: &mut Builder| b.add(Formula::Bool(false));
    let message = refused(&|b, x, y| {
        let never = never(b);
        let always = b.add(Formula::WeakUntil(x, never, all));
        let eventually = b.finally(y, all);
        b.add(Formula::And(always, eventually))
    });
    assert!(message.unwrap().contains("but G refers to infinite paths"));
    assert!(refused(&|b, x, y| b.add(Formula::WeakUntil(x, y, all))).unwrap().contains("but W "));
    assert!(refused(&|b, x, y| b.add(Formula::Release(x, y, all))).unwrap().contains("but R "));
    let message = refused(&|b, x, _| {
        let eventually = b.finally(x, all);
        b.add(Formula::Not(eventually))
    });
    assert!(message.unwrap().contains("a negated F"));
    // Not G is F; a bounded G needs finite time.
    let fine = refused(&|b, x, _| {
        let never = never(b);
        let always = b.add(Formula::WeakUntil(x, never, all));
        b.add(Formula::Not(always))
    });
    assert_eq!(fine, None);
    assert_eq!(
        refused(&|b, x, _| {
            let never = never(b);
            b.add(Formula::WeakUntil(x, never, within(0.0, Some(3.0))))
        }),
        None
    );
}

// --- A and E -----------------------------------------------------------------------------------------------------

/// Where a path formula holds on the path through `states` that goes back to place `back` after the last.
fn on_path(
    b: &Builder,
    id: FormulaId,
    labels: &[(String, BitSet)],
    states: &[usize],
    back: usize,
) -> Vec<bool> {
    let n = states.len();
    let next = |i: usize| if i + 1 < n { i + 1 } else { back };
    let of = |id: FormulaId| on_path(b, id, labels, states, back);
    let until = |x: &[bool], y: &[bool], bound: &TimeBound| -> Vec<bool> {
        let lower = bound.lower as usize;
        let upper = bound.upper.map_or(lower + 2 * n, |u| u as usize - usize::from(bound.upper_strict));
        let from = |mut i: usize| {
            for k in 0..=upper {
                if k >= lower && y[i] {
                    return true;
                }
                if !x[i] {
                    return false;
                }
                i = next(i);
            }
            false
        };
        (0..n).map(from).collect()
    };
    let not = |x: Vec<bool>| -> Vec<bool> { x.into_iter().map(|v| !v).collect() };
    let zip = |x: Vec<bool>, y: Vec<bool>, f: fn(bool, bool) -> bool| -> Vec<bool> {
        x.into_iter().zip(y).map(|(v, w)| f(v, w)).collect()
    };
    match b.0.get(id) {
        Formula::Bool(value) => vec![*value; n],
        Formula::Label(l) => states.iter().map(|&s| labels[l.index()].1.contains(s)).collect(),
        Formula::Not(x) => not(of(*x)),
        Formula::And(x, y) => zip(of(*x), of(*y), |v, w| v && w),
        Formula::Or(x, y) => zip(of(*x), of(*y), |v, w| v || w),
        Formula::Next(x, _) => {
            let x = of(*x);
            (0..n).map(|i| x[next(i)]).collect()
        }
        Formula::Until(x, y, bound) => until(&of(*x), &of(*y), bound),
        Formula::WeakUntil(x, y, bound) => {
            let (x, y) = (of(*x), of(*y));
            not(until(&not(y.clone()), &zip(x, y, |v, w| !v && !w), bound))
        }
        Formula::Release(x, y, bound) => not(until(&not(of(*x)), &not(of(*y)), bound)),
        other => panic!("{other:?}"),
    }
}

/// Whether some path of at most `most` states that goes back into itself satisfies a formula.
fn some_short_path(space: &Space, b: &Builder, id: FormulaId, from: usize, most: usize) -> bool {
    let mut work = vec![vec![from]];
    while let Some(path) = work.pop() {
        let last = path[path.len() - 1];
        for choice in space.choices_of(last) {
            for (t, _) in space.transitions(choice) {
                for (back, _) in path.iter().enumerate().filter(|(_, s)| **s == t) {
                    if on_path(b, id, &space.labels, &path, back)[0] {
                        return true;
                    }
                }
                if path.len() < most {
                    let mut longer = path.clone();
                    longer.push(t);
                    work.push(longer);
                }
            }
        }
    }
    false
}

#[test]
fn some_path_and_all_paths_are_those_of_short_paths() {
    let mut random = Random(16);
    let (mut yes, mut no) = (0, 0);
    for round in 0..700 {
        let n = 2 + random.below(2);
        let kind = if round % 2 == 0 { Kind::Mdp } else { Kind::Dtmc };
        let rows: Rows = (0..n).map(|_| vec![vec![(random.below(n), 0.5), (random.below(n), 0.5)]]).collect();
        let mut space = space(kind, &rows);
        for name in ["a", "b"] {
            let set = random_set(&mut random, n, 2);
            label(&mut space, name, set);
        }
        let mut b = Builder::default();
        let size = 1 + random.below(3);
        let path = random_path(&mut random, &mut b, size, true);
        if !volvelle_objectives::path::path_formulas(&b.0)[path] {
            continue;
        }
        let opposite = b.add(Formula::Not(path));
        let exists = b.add(Formula::Exists(path));
        let all = b.add(Formula::ForAll(path));
        let (StateValues::Bool(exists), StateValues::Bool(all)) =
            (values(&space, &b, exists).unwrap(), values(&space, &b, all).unwrap())
        else {
            panic!()
        };
        for s in 0..n {
            let some = some_short_path(&space, &b, path, s, 7);
            let counterexample = some_short_path(&space, &b, opposite, s, 7);
            assert_eq!(exists.contains(s), some, "E {:?} in {s} of {rows:?} {:?}", b.0, space.labels);
            assert_eq!(all.contains(s), !counterexample, "A {:?} in {s} of {rows:?} {:?}", b.0, space.labels);
            yes += usize::from(some);
            no += usize::from(!some);
        }
    }
    assert!(yes > 200 && no > 200, "{yes} {no}");
}

#[test]
fn time_bounds_have_no_place_in_ltl_on_a_ctmc() {
    let mut random = Random(17);
    let space = labelled(&mut random, Kind::Ctmc, 3, 1);
    let mut b = Builder::default();
    let x = b.label(LabelId(0));
    let soon = b.finally(x, within(0.0, Some(2.0)));
    let never = b.add(Formula::Bool(false));
    let always = b.add(Formula::WeakUntil(soon, never, TimeBound::NONE));
    let root = b.probability(always, None);
    assert!(matches!(values(&space, &b, root), Err(CheckError::WrongKind { kind: "CTMC", .. })));
    let root = b.add(Formula::Exists(soon));
    assert!(matches!(values(&space, &b, root), Err(CheckError::WrongKind { kind: "CTMC", .. })));
}

#[test]
fn limits_stop_products_and_explosions() {
    use volvelle_control::{Limits, Stop};
    let mut random = Random(18);
    let space = labelled(&mut random, Kind::Dtmc, 5, 1);
    let mut b = Builder::default();
    let (x, y) = (b.label(LabelId(0)), b.label(LabelId(1)));
    // A counter of a billion steps.
    let inner = b.finally(x, within(1e9, Some(1e9)));
    let path = b.add(Formula::Until(y, inner, within(0.0, Some(1e9))));
    let root = b.probability(path, None);
    let property = Builder(b.0.clone()).property(root);
    let limits = Limits { memory_bytes: Some(1 << 24), ..Limits::default() };
    let control = Control { limits, ..Control::unlimited() };
    let stopped = crate::check(&space, &property, &[], &Options::default(), &control);
    assert!(
        matches!(stopped, Err(CheckError::Limit(Stop::Memory) | CheckError::TooLarge { .. })),
        "{stopped:?}"
    );
    // Operators inside of others, a thousand deep.
    let mut path = x;
    for _ in 0..1000 {
        let next = b.add(Formula::Until(y, path, TimeBound::NONE));
        path = b.add(Formula::And(next, x));
    }
    let root = b.probability(path, None);
    assert!(matches!(values(&space, &b, root), Err(CheckError::TooLarge { .. })));
}
