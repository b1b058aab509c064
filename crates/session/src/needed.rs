//! Which states properties need: where all of them are decided, exploration may stop.
//!
//! A path formula such as `a U b` is decided in a state where `b` holds or `a` does not: whatever follows, its truth on
//! a path that gets there is known. If every property asks for nothing but probabilities of such formulas, or what is
//! earned on the way to `b`, in the initial states, then states in which all of them are decided need no successors.
//! States beyond may then be missing. And if no property looks further than a number of steps from the initial states,
//! states at that distance need no successors either ([`step_limit`]). Anything else (other operators, formulas within formulas, values
//! in all states, evidence) gets the whole space.

use crate::settings::Settings;
use std::borrow::Cow;
use volvelle_control::Control;
use volvelle_explore::StepLimit;
use volvelle_kernel::{Const, ExprId, Exprs};
use volvelle_logic::{Counted, Formula, FormulaId, Formulas, Property, RewardQuery, TimeBound};
use volvelle_model::{Kind, Label, Program};

/// Formulas whose common decision is worth looking for: the condition is evaluated in every state, and the more
/// formulas there are, the less often all of them are decided.
const MOST_FORMULAS: usize = 32;

/// Spaces up to this size are explored in full all the same, which shows more: deadlocks, and conditions that never hold.
const SMALL: usize = 1_000;

/// Steps beyond which there is no limit in practice.
const MOST_STEPS: f64 = 1e9;

/// The program with the condition under which all properties are decided, where they and the settings allow one.
pub fn stopping<'p>(program: &'p Program, properties: &[&Property], settings: &Settings) -> Cow<'p, Program> {
    if wants_all_states(settings) {
        return Cow::Borrowed(program);
    }
    let asked: Option<Vec<Vec<FormulaId>>> = properties.iter().map(|p| path_formulas(p)).collect();
    let Some(asked) = asked else { return Cow::Borrowed(program) };
    let mut stopping = program.clone();
    match condition(&mut stopping, properties, &asked) {
        Some(expr) if stopping.exprs.as_const(expr).and_then(Const::as_bool) != Some(false) => {
            stopping.stop = Some(stopping.labels.len());
            stopping.labels.push(Label { name: None, expr, origin: None });
            Cow::Owned(stopping)
        }
        _ => Cow::Borrowed(program),
    }
}

/// Whether settings ask for the whole space, whatever the properties are.
fn wants_all_states(settings: &Settings) -> bool {
    // If states without transitions are errors, all of them are reported.
    let all = settings.full_space || settings.all_states || !settings.fix_deadlocks;
    all || settings.evidence.wanted().is_some()
}

/// A limit on steps from the initial states, beyond which no property looks; `None` where some property has no such limit.
pub fn step_limit(
    kind: Kind,
    properties: &[&Property],
    settings: &Settings,
    control: &Control<'_>,
) -> Option<StepLimit> {
    let most = control.limits.states.map_or(usize::MAX, |most| most as usize);
    Some(StepLimit { steps: steps(kind, properties, settings)?, spared: SMALL.min(most / 100) })
}

/// The number of steps from the initial states beyond which no property looks; `None` where some property has no such limit.
pub fn steps(kind: Kind, properties: &[&Property], settings: &Settings) -> Option<u64> {
    // Exploration in rational arithmetic knows no limit.
    if wants_all_states(settings) || settings.exact || properties.is_empty() {
        return None;
    }
    properties.iter().try_fold(0, |most: u64, property| Some(most.max(steps_of(kind, property)?)))
}

/// How far the value of a property in a state depends on what follows, in steps.
///
/// What is decided by the first `n` steps of a path is the same in every model that agrees on them; so nothing has to be known of how
/// a value is computed.
fn steps_of(kind: Kind, property: &Property) -> Option<u64> {
    let is_stepwise = matches!(kind, Kind::Dtmc | Kind::Mdp);
    if !is_stepwise && kind != Kind::Ctmc {
        return None;
    }
    // Bounds are on steps, but for models in continuous time.
    let within = |upper: Option<f64>| {
        let upper = upper.filter(|upper| is_stepwise && (0.0..=MOST_STEPS).contains(upper))?;
        Some(upper.ceil() as u64)
    };
    let formulas = &property.formulas;
    let mut known: Vec<Option<u64>> = Vec::with_capacity(formulas.len());
    for id in formulas.ids() {
        let formula = formulas.get(id);
        let operands = || {
            let mut operands = formula.operands().into_iter();
            operands.try_fold(0, |most: u64, operand| Some(most.max(known[operand.0 as usize]?)))
        };
        let more = |steps: Option<u64>| Some(steps? + operands()?);
        known.push(match formula {
            // Whether there is a transition.
            Formula::Deadlock => Some(1),
            Formula::Next(_, TimeBound::NONE) => more(Some(1)),
            Formula::Until(.., bound) | Formula::WeakUntil(.., bound) | Formula::Release(.., bound) => {
                more(within(bound.upper))
            }
            Formula::BoundedUntil(.., bounds) => {
                let steps = bounds.iter().filter(|bound| bound.counted == Counted::Steps);
                let ends = steps.filter_map(|bound| bound.upper.as_ref());
                more(ends.filter_map(|end| within(Some(end.amount.to_f64().value()))).min())
            }
            Formula::Reward { what, .. } => match *what {
                RewardQuery::Cumulative(upto) | RewardQuery::Instantaneous(upto) => within(Some(upto)),
                RewardQuery::Discounted { upto, .. } => within(upto),
                _ => None,
            },
            Formula::Next(..)
            | Formula::Automaton(..)
            | Formula::Multi(_)
            | Formula::Time { .. }
            | Formula::Steady { .. }
            | Formula::Quantile(_)
            | Formula::Filter { .. } => None,
            Formula::Bool(_)
            | Formula::Number(_)
            | Formula::Label(_)
            | Formula::Observation(_)
            | Formula::Init
            | Formula::Not(_)
            | Formula::And(..)
            | Formula::Or(..)
            | Formula::Compare(..)
            | Formula::Equal(..)
            | Formula::Add(..)
            | Formula::Sub(..)
            | Formula::Mul(..)
            | Formula::Div(..)
            | Formula::Min(..)
            | Formula::Max(..)
            | Formula::Floor(_)
            | Formula::Ceil(_)
            | Formula::Round(_)
            | Formula::Pow(..)
            | Formula::Mod(..)
            | Formula::Log(..)
            | Formula::IfThenElse(..)
            | Formula::Prob { .. }
            | Formula::Conditional { .. }
            | Formula::ForAll(_)
            | Formula::Exists(_) => operands(),
        });
    }
    known[property.root.0 as usize]
}

/// The path formulas that stand directly inside the operators of a property, if there are any and nothing else needs
/// the states that follow.
fn path_formulas(property: &Property) -> Option<Vec<FormulaId>> {
    let formulas = &property.formulas;
    let mut paths = Vec::new();
    let mut left = vec![property.root];
    while let Some(id) = left.pop() {
        match *formulas.get(id) {
            Formula::Prob { path, .. } => paths.push(path),
            Formula::Reward { what: RewardQuery::Reach(path), .. } | Formula::Time { path, .. } => {
                // Nothing is earned any more where the target is reached; that something else fails ends nothing.
                let plain = matches!(*formulas.get(path), Formula::Until(left, _, TimeBound::NONE)
                    if *formulas.get(left) == Formula::Bool(true));
                if !plain {
                    return None;
                }
                paths.push(path);
            }
            Formula::Bool(_)
            | Formula::Number(_)
            | Formula::Label(_)
            | Formula::Observation(_)
            | Formula::Init => {}
            Formula::Not(a) | Formula::Floor(a) | Formula::Ceil(a) | Formula::Round(a) => left.push(a),
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Compare(_, a, b)
            | Formula::Equal(a, b)
            | Formula::Add(a, b)
            | Formula::Sub(a, b)
            | Formula::Mul(a, b)
            | Formula::Div(a, b)
            | Formula::Min(a, b)
            | Formula::Max(a, b)
            | Formula::Pow(a, b)
            | Formula::Mod(a, b)
            | Formula::Log(a, b) => left.extend([a, b]),
            Formula::IfThenElse(a, b, c) => left.extend([a, b, c]),
            _ => return None,
        }
    }
    paths.sort_unstable();
    paths.dedup();
    (!paths.is_empty()).then_some(paths)
}

/// Where all path formulas are decided; `None` where that is not known, or there are none.
fn condition(program: &mut Program, properties: &[&Property], asked: &[Vec<FormulaId>]) -> Option<ExprId> {
    let mut conditions = Vec::new();
    for (property, paths) in properties.iter().zip(asked) {
        let states = state_formulas(program, &property.formulas);
        for &path in paths {
            let decided = decided(&mut program.exprs, &property.formulas, &states, path)?;
            // Equal expressions have equal ids: the points of an experiment often ask for the same states.
            if !conditions.contains(&decided) {
                conditions.push(decided);
            }
            if conditions.len() > MOST_FORMULAS {
                return None;
            }
        }
    }
    conditions.into_iter().reduce(|all, one| program.exprs.and(all, one))
}

/// Where a path formula is decided.
fn decided(
    exprs: &mut Exprs,
    formulas: &Formulas,
    states: &[Option<ExprId>],
    mut path: FormulaId,
) -> Option<ExprId> {
    while let Formula::Not(inner) = *formulas.get(path) {
        path = inner;
    }
    if let Formula::BoundedUntil(left, right, bounds) = formulas.get(path) {
        if bounds.iter().any(|bound| bound.lower.is_some()) {
            return None;
        }
        let (left, right) = (states[left.0 as usize]?, states[right.0 as usize]?);
        let lost = negated(exprs, left);
        return Some(exprs.or(right, lost));
    }
    let (Formula::Until(left, right, bound)
    | Formula::WeakUntil(left, right, bound)
    | Formula::Release(left, right, bound)) = *formulas.get(path)
    else {
        return None;
    };
    // A lower bound: `right` does not count before it.
    if bound.lower != 0.0 || bound.lower_strict {
        return None;
    }
    let (left, right) = (states[left.0 as usize]?, states[right.0 as usize]?);
    // `a R b` is the opposite of `!a U !b`.
    let (reached, lost) = match formulas.get(path) {
        Formula::Release(..) => (left, negated(exprs, right)),
        _ => (right, negated(exprs, left)),
    };
    Some(exprs.or(reached, lost))
}

/// For every formula the expression that is true where it holds, if the values of the state tell.
pub fn state_formulas(program: &mut Program, formulas: &Formulas) -> Vec<Option<ExprId>> {
    let mut found: Vec<Option<ExprId>> = Vec::with_capacity(formulas.len());
    for id in formulas.ids() {
        let of = |operand: FormulaId| found[operand.0 as usize];
        let exprs = &mut program.exprs;
        found.push(match *formulas.get(id) {
            Formula::Bool(truth) => Some(exprs.bool(truth)),
            Formula::Label(label) => program.labels.get(label.0 as usize).map(|label| label.expr),
            Formula::Not(a) => of(a).map(|a| negated(exprs, a)),
            Formula::And(a, b) => of(a).zip(of(b)).map(|(a, b)| exprs.and(a, b)),
            Formula::Or(a, b) => of(a).zip(of(b)).map(|(a, b)| exprs.or(a, b)),
            _ => None,
        });
    }
    found
}

fn negated(exprs: &mut Exprs, arg: ExprId) -> ExprId {
    match exprs.as_const(arg).and_then(Const::as_bool) {
        Some(truth) => exprs.bool(!truth),
        None => exprs.not(arg),
    }
}
