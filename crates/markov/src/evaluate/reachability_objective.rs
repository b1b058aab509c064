//! The objective of a scheduler: a property taken apart into reachability or reward, for schedulers and witnesses.

use volvelle_control::Control;
use volvelle_entity::EntityVec;
use volvelle_logic::{Formula, FormulaId, Formulas, Optimum, Property, RewardQuery};
use volvelle_objectives::operators::Measure;
use volvelle_objectives::path;
use volvelle_objectives::path::{Path, and, not};
use volvelle_objectives::scheduler::Objective;
use volvelle_solver::reach::opposite;
use volvelle_solver::reward::{check_not_negative, choice_rewards};
use volvelle_solver::{Context, NoWitness, Options, WitnessError};
use volvelle_space::{BitSet, Space};

use super::Evaluator;

/// Whether a property has an objective, as far as its form tells.
///
/// # Errors
/// Properties of its form have none.
pub fn has_objective(property: &Property) -> Result<(), NoWitness> {
    let formulas = &property.formulas;
    let is_path = path::path_formulas(formulas);
    let root = match *formulas.get(property.root) {
        Formula::Filter { formula, .. } => formula,
        _ => property.root,
    };
    match Measure::of(formulas.get(root)) {
        None => Err(NoWitness::NotAMeasure),
        Some(Measure::Prob { path, .. }) => is_reaching(formulas, &is_path, path),
        Some(Measure::Reward { what: RewardQuery::Reach(path), .. } | Measure::Time { path, .. }) => {
            path::plain_target(formulas, &is_path, path).map(|_| ()).ok_or(NoWitness::NeedsMemory)
        }
        Some(_) => Err(NoWitness::NotReachability),
    }
}

/// Whether a path formula is until or its like, without bounds.
fn is_reaching(
    formulas: &Formulas,
    is_path: &EntityVec<FormulaId, bool>,
    mut id: FormulaId,
) -> Result<(), NoWitness> {
    if is_temporal_combination(formulas, is_path, id) {
        return Err(NoWitness::NeedsMemory);
    }
    while let Formula::Not(inner) = *formulas.get(id)
        && is_path[id]
    {
        id = inner;
    }
    match *formulas.get(id) {
        Formula::Until(.., bound) | Formula::WeakUntil(.., bound) | Formula::Release(.., bound) => {
            if bound.is_none() { Ok(()) } else { Err(NoWitness::NeedsCounter) }
        }
        _ => Err(NoWitness::OtherOperator),
    }
}

/// The objective of a property.
///
/// # Errors
/// Properties of its form have none, or its parts have no value.
pub fn objective(
    space: &Space,
    property: &Property,
    numbers: &[Vec<f64>],
    options: &Options,
    control: &Control,
) -> Result<Objective, WitnessError> {
    has_objective(property)?;
    let context = Context::new(space, *options, control);
    let mut evaluator = Evaluator::new(&context, property, numbers);
    let (root, states) = match *property.formulas.get(property.root) {
        Formula::Filter { formula, states, .. } => (formula, Some(states)),
        _ => (property.root, None),
    };
    let Some(measure) = Measure::of(property.formulas.get(root)) else {
        return Err(NoWitness::NotAMeasure.into());
    };
    let optimum = context.optimum(measure.optimum())?;
    let mut wanted = measure.operands(&property.formulas, &evaluator.is_path);
    wanted.extend(states.flatten());
    evaluator.evaluate(&wanted)?;
    let start = match states {
        Some(Some(states)) => evaluator.set(states)?.clone(),
        Some(None) => BitSet::full(space.num_states()),
        None => BitSet::of(space.num_states(), space.initial.iter().map(|s| s.index())),
    };
    let parts = match measure {
        Measure::Prob { path, .. } => evaluator.reaching(path, optimum)?,
        Measure::Reward { rewards, what: RewardQuery::Reach(path), .. } => {
            let reward = choice_rewards(&context, rewards)?;
            check_not_negative(&context, rewards, &reward)?;
            evaluator.paying(path, reward, optimum)?
        }
        Measure::Time { path, .. } => evaluator.paying(path, vec![1.0; space.num_choices()], optimum)?,
        _ => return Err(NoWitness::NotReachability.into()),
    };
    Ok(Objective { bound: measure.bound(), start, ..parts })
}

impl Evaluator<'_> {
    pub(super) fn parts(left: BitSet, right: BitSet, optimum: Optimum, negated: bool) -> Objective {
        let start = BitSet::new(left.len());
        Objective { optimum, left, right, reward: None, negated, bound: None, start }
    }

    /// An unbounded path formula as reachability, perhaps of its negation.
    fn reaching(&self, id: FormulaId, optimum: Optimum) -> Result<Objective, WitnessError> {
        let set = |id| self.set(id).cloned();
        let kind = self.context.space.kind;
        let (path, negated) = path::path(kind, self.formulas, &self.is_path, id, set)?;
        let (left, right, bound, flipped) = match path {
            Path::Until(left, right, bound) => (left, right, bound, false),
            // Its opposite is `not right U (not left and not right)`.
            Path::Weak(left, right, bound) => (not(&right), and(&not(&left), &not(&right)), bound, true),
            Path::Release(left, right, bound) => (not(&left), not(&right), bound, true),
            _ => return Err(NoWitness::OtherOperator.into()),
        };
        debug_assert!(bound.is_none(), "an objective cannot have a step bound");
        let negated = negated != flipped;
        let optimum = if negated { opposite(optimum) } else { optimum };
        Ok(Self::parts(left, right, optimum, negated))
    }

    fn paying(&self, id: FormulaId, reward: Vec<f64>, optimum: Optimum) -> Result<Objective, WitnessError> {
        if let Some(target) = self.plain_target(id) {
            let right = self.set(target)?.clone();
            let parts = Self::parts(BitSet::full(right.len()), right, optimum, false);
            return Ok(Objective { reward: Some(reward), ..parts });
        }
        Err(NoWitness::NeedsMemory.into())
    }
}

/// Whether a path formula is more than one temporal operator (or its negation) over state formulas.
fn is_temporal_combination(
    formulas: &Formulas,
    is_path: &EntityVec<FormulaId, bool>,
    mut id: FormulaId,
) -> bool {
    let is_path = |id: FormulaId| is_path[id];
    while let Formula::Not(inner) = *formulas.get(id)
        && is_path(id)
    {
        id = inner;
    }
    match *formulas.get(id) {
        Formula::Next(a, _) => is_path(a),
        Formula::Until(a, b, _) | Formula::WeakUntil(a, b, _) | Formula::Release(a, b, _) => {
            is_path(a) || is_path(b)
        }
        _ => is_path(id),
    }
}
