//! Second opinion on rewards until a co-safe formula is met: the product with obligations that are written out as terms, in
//! disjunctive normal form, and progressed state by state. It knows no automata and no simplification but that of a
//! disjunction with a true member.

use std::collections::BTreeSet;

use volvelle_control::Control;
use volvelle_logic::{Formula, FormulaId, LabelId, Optimum, RewardId, RewardQuery, TimeBound};
use volvelle_reference::*;
use volvelle_solver::{Numbers, Options};
use volvelle_space::{BitSet, Kind, RewardVectors, Space};

use crate::evaluate::{StateValues, check_states};

/// A path formula over labels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    Constant(bool),
    Is(u32),
    Not(Box<Term>),
    And(Box<Term>, Box<Term>),
    Or(Box<Term>, Box<Term>),
    Next(Box<Term>),
    /// With bounds on steps, from and to.
    Until(Box<Term>, Box<Term>, u64, Option<u64>),
    Release(Box<Term>, Box<Term>, u64, Option<u64>),
    Weak(Box<Term>, Box<Term>, u64, Option<u64>),
}

/// What is due from the next state on: one of these sets of formulas, some of them negated.
type Obligation = BTreeSet<BTreeSet<(Term, bool)>>;

fn known(truth: bool) -> Obligation {
    if truth { BTreeSet::from([BTreeSet::new()]) } else { BTreeSet::new() }
}

fn join(a: Obligation, b: Obligation, all: bool) -> Obligation {
    let joined: Obligation = match all {
        false => a.into_iter().chain(b).collect(),
        true => a.iter().flat_map(|x| b.iter().map(move |y| x.iter().chain(y).cloned().collect())).collect(),
    };
    if joined.contains(&BTreeSet::new()) { known(true) } else { joined }
}

fn later(term: Term, negated: bool) -> Obligation {
    BTreeSet::from([BTreeSet::from([(term, negated)])])
}

/// The progression of a formula by a state.
fn progress(term: &Term, negated: bool, holds: &dyn Fn(u32) -> bool) -> Obligation {
    let go = |t: &Term| progress(t, negated, holds);
    match term {
        Term::Constant(truth) => known(*truth != negated),
        Term::Is(label) => known(holds(*label) != negated),
        Term::Not(a) => progress(a, !negated, holds),
        Term::And(a, b) => join(go(a), go(b), !negated),
        Term::Or(a, b) => join(go(a), go(b), negated),
        Term::Next(a) => later((**a).clone(), negated),
        Term::Until(hold, goal, lower, upper) => {
            if *lower == 0 && *upper == Some(0) {
                return go(goal);
            }
            let rest = Term::Until(hold.clone(), goal.clone(), lower.saturating_sub(1), upper.map(|u| u - 1));
            let waiting = join(go(hold), later(rest, negated), !negated);
            if *lower > 0 { waiting } else { join(go(goal), waiting, negated) }
        }
        Term::Release(a, b, lower, upper) => {
            let not = |t: &Term| Box::new(Term::Not(Box::new(t.clone())));
            progress(&Term::Until(not(a), not(b), *lower, *upper), !negated, holds)
        }
        Term::Weak(a, b, lower, upper) => {
            let either = Box::new(Term::Or(a.clone(), b.clone()));
            progress(&Term::Release(b.clone(), either, *lower, *upper), negated, holds)
        }
    }
}

/// A co-safe formula, or the negation of one.
fn random_term(random: &mut Random, size: usize, negated: bool) -> Term {
    if size == 0 {
        return match random.below(6) {
            0 => Term::Constant(random.one_in(2)),
            _ => Term::Is(random.below(2) as u32),
        };
    }
    let left = random.below(size);
    let kind = random.below(10);
    let flips = kind == 0;
    if kind < 3 {
        let inner = Box::new(random_term(random, size - 1, negated != flips));
        return if flips { Term::Not(inner) } else { Term::Next(inner) };
    }
    let a = Box::new(random_term(random, left, negated));
    let b = Box::new(random_term(random, size - 1 - left, negated));
    let lower = random.below(3) as u64 / 2;
    let mut bounds = (lower, Some(lower + random.below(3) as u64));
    let endless = |random: &mut Random| random.one_in(2);
    match kind {
        3 => Term::And(a, b),
        4 | 5 => Term::Or(a, b),
        6 | 7 => {
            if !negated && endless(random) {
                bounds = (0, None);
            }
            Term::Until(a, b, bounds.0, bounds.1)
        }
        _ => {
            if negated && endless(random) {
                bounds = (0, None);
            }
            match kind {
                8 => Term::Release(a, b, bounds.0, bounds.1),
                _ => Term::Weak(a, b, bounds.0, bounds.1),
            }
        }
    }
}

fn formula(b: &mut Builder, term: &Term) -> FormulaId {
    let bound = |lower: u64, upper: &Option<u64>| match (lower, upper) {
        (0, None) => TimeBound::NONE,
        (lower, upper) => within(lower as f64, upper.map(|u| u as f64)),
    };
    let new = match term {
        Term::Constant(truth) => Formula::Bool(*truth),
        Term::Is(label) => Formula::Label(LabelId(*label)),
        Term::Not(a) => Formula::Not(formula(b, a)),
        Term::And(x, y) => Formula::And(formula(b, x), formula(b, y)),
        Term::Or(x, y) => Formula::Or(formula(b, x), formula(b, y)),
        Term::Next(a) => Formula::Next(formula(b, a), TimeBound::NONE),
        Term::Until(x, y, lower, upper) => Formula::Until(formula(b, x), formula(b, y), bound(*lower, upper)),
        Term::Release(x, y, lower, upper) => {
            Formula::Release(formula(b, x), formula(b, y), bound(*lower, upper))
        }
        Term::Weak(x, y, lower, upper) => {
            Formula::WeakUntil(formula(b, x), formula(b, y), bound(*lower, upper))
        }
    };
    b.add(new)
}

/// States of the product after which a case is left to others.
const MOST: usize = 150;

/// The product, whose last label says where the formula is met, and the place where runs from each state begin.
fn product(model: &Space, term: &Term) -> Option<(Space, Vec<usize>)> {
    let read = |s: usize, due: &Obligation| {
        let holds = |label: u32| model.labels[label as usize].1.contains(s);
        let all = |set: &BTreeSet<(Term, bool)>| {
            set.iter().fold(known(true), |all, (t, negated)| join(all, progress(t, *negated, &holds), true))
        };
        due.iter().fold(known(false), |any, set| join(any, all(set), false))
    };
    let mut states: Vec<(usize, Obligation)> = Vec::new();
    let number = |states: &mut Vec<(usize, Obligation)>, s: usize, due: &Obligation| {
        let pair = (s, read(s, due));
        states.iter().position(|known| *known == pair).unwrap_or_else(|| {
            states.push(pair);
            states.len() - 1
        })
    };
    let begin = later(term.clone(), false);
    let starts = (0..model.num_states()).map(|s| number(&mut states, s, &begin)).collect();
    let (mut rows, mut earned): (Rows, Vec<f64>) = (Vec::new(), Vec::new());
    let mut met = Vec::new();
    while let Some((s, due)) = states.get(rows.len()).cloned() {
        if states.len() > MOST {
            return None;
        }
        if due == known(true) {
            met.push(rows.len());
            rows.push(vec![vec![(rows.len(), 1.0)]]);
            earned.push(0.0);
            continue;
        }
        let choices = model.choices_of(s).map(|choice| {
            let state = model.rewards[0].state.as_ref().map_or(0.0, |values| values.get(s));
            let sojourn = match model.kind {
                Kind::Ctmc => model.transitions(choice).map(|t| t.1).sum(),
                _ => 1.0,
            };
            // The rate at which it is earned per visit, as a reward of the choice.
            let choice_reward = model.rewards[0].choice.as_ref().map_or(0.0, |values| values.get(choice));
            earned.push(choice_reward + state / sojourn);
            model.transitions(choice).map(|(t, v)| (number(&mut states, t, &due), v)).collect()
        });
        rows.push(choices.collect());
    }
    let mut space = space(model.kind, &rows);
    let set = BitSet::of(space.num_states(), met);
    label(&mut space, "met", set);
    space.rewards.push(RewardVectors {
        name: "r".to_string(),
        state: None,
        choice: Some(earned.into()),
        accuracy: Default::default(),
        mixed: false,
    });
    Some((space, starts))
}

fn expected(space: &Space, b: Builder, path: FormulaId, optimum: Optimum) -> Numbers {
    let mut b = b;
    let root = b.reward(RewardId(0), RewardQuery::Reach(path), Some(optimum));
    let property = b.property(root);
    match check_states(space, &property, &[], &Options::default(), None, &Control::unlimited()).unwrap() {
        StateValues::Number(numbers) => numbers,
        StateValues::Bool(_) => panic!("a truth value"),
    }
}

#[test]
fn rewards_are_those_until_the_progression_of_the_formula_is_true() {
    let mut random = Random(2017);
    let (mut compared, mut finite, mut positive) = (0, 0, 0);
    for round in 0..600 {
        let kind = [Kind::Dtmc, Kind::Ctmc, Kind::Mdp][round % 3];
        let size = 1 + random.below(5);
        let mut term = random_term(&mut random, size, false);
        if kind == Kind::Ctmc {
            term = without_bounds(term);
        }
        let n = 1 + random.below(4);
        // Rows of dyadic numbers; loops are seldom, so that many formulas are met almost surely.
        let rows: Rows = (0..n)
            .map(|_| {
                let choices = if kind == Kind::Mdp { 1 + random.below(2) } else { 1 };
                (0..choices)
                    .map(|_| vec![(random.below(n), 0.5), (random.below(n), 0.25), (random.below(n), 0.25)])
                    .collect()
            })
            .collect();
        let mut model = space(kind, &rows);
        for name in ["a", "b"] {
            label(&mut model, name, random_set(&mut random, n, 2));
        }
        let state = (0..n).map(|_| random.below(3) as f64).collect::<Vec<f64>>();
        let choice = (0..model.num_choices()).map(|_| random.below(3) as f64).collect::<Vec<f64>>();
        let (state, choice) = (Some(state.into()), Some(choice.into()));
        model.rewards.push(RewardVectors {
            name: "r".to_string(),
            state,
            choice,
            accuracy: Default::default(),
            mixed: false,
        });
        let Some((copy, starts)) = product(&model, &term) else { continue };
        for optimum in [Optimum::Min, Optimum::Max] {
            let mut b = Builder::default();
            let path = formula(&mut b, &term);
            let found = expected(&model, b, path, optimum);
            let mut b = Builder::default();
            let met = b.label(LabelId(0));
            let path = b.finally(met, TimeBound::NONE);
            let truth = expected(&copy, b, path, optimum);
            for (s, &start) in starts.iter().enumerate() {
                let ([lo, hi], [low, high]) = (found.bounds[s], truth.bounds[start]);
                assert!(lo <= high && low <= hi, "{term:?} in state {s}: {lo}..{hi} but {low}..{high}");
                assert_eq!(hi.is_infinite(), high.is_infinite(), "{term:?} in state {s}");
                compared += 1;
                finite += usize::from(high.is_finite());
                positive += usize::from(high.is_finite() && low > 0.0);
            }
        }
    }
    assert!(compared > 2000 && finite > 800 && positive > 300, "{compared} {finite} {positive}");
}

/// A co-safe formula without bounds of about the same shape: negations are pushed no further than to a next step.
fn without_bounds(term: Term) -> Term {
    let go = |t: Box<Term>| Box::new(without_bounds(*t));
    match term {
        Term::Constant(_) | Term::Is(_) => term,
        Term::Not(a) => match *a {
            Term::Constant(_) | Term::Is(_) => Term::Not(a),
            Term::Next(next) if matches!(*next, Term::Constant(_) | Term::Is(_)) => {
                Term::Not(Box::new(Term::Next(next)))
            }
            other => without_bounds(other),
        },
        Term::And(a, b) => Term::And(go(a), go(b)),
        Term::Or(a, b) => Term::Or(go(a), go(b)),
        Term::Next(a) => Term::Next(go(a)),
        Term::Until(a, b, ..) => Term::Until(go(a), go(b), 0, None),
        Term::Release(a, b, ..) | Term::Weak(a, b, ..) => Term::Or(go(a), go(b)),
    }
}
