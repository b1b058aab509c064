//! The goal of a strategy: a property taken apart into what its scheduler has to optimise.

use volvelle_control::Control;
use volvelle_entity::EntityVec;
use volvelle_logic::{
    Formula, FormulaId, Formulas, LabelId, Measured, Objective as MultiObjective, Optimum, Property, Query,
    RewardId, RewardQuery, TimeBound,
};
use volvelle_objectives::ltl::{self, Ltl};
use volvelle_objectives::operators::{Measure, state_formulas};
use volvelle_objectives::path::{Path, and, indicator, not, or};
use volvelle_objectives::scheduler::Objective;
use volvelle_objectives::{Conditioned, multi, path};
use volvelle_solver::reach::{opposite, until as reach_until};
use volvelle_solver::reward::{Rewards, check_not_negative};
use volvelle_solver::rounding::U;
use volvelle_solver::signed_reward::loses_forever;
use volvelle_solver::{CheckError, Context, NoWitness, Options, WitnessError};
use volvelle_space::{BitSet, Space};
use volvelle_transient::discounted::Discount;
use volvelle_transient::{Window, window};

use super::Evaluator;
use super::operators::of_choices;
use super::reachability_objective::has_objective;
use crate::policies::{Backward, Bounded, Budgeted, Phase};

/// What is optimised.
pub enum Goal {
    /// An unbounded probability or reward of reaching states.
    Reach(Objective),
    /// Values step by step; the value of the property is one minus this one where that is set.
    Backward(Backward, bool),
    /// A probability within bounds on rewards; the value of the property is one minus this one where that is set.
    Bounded(Bounded, bool),
    /// A reward per choice within budgets.
    Budgeted(Budgeted),
    /// A reward per choice that counts less with every step, for ever.
    Discounted(Vec<f64>, Optimum, Discount),
    /// Every scheduler has the same value.
    Any,
    /// The probability of a formula, as large as possible.
    Formula(Ltl),
    /// A reward per choice, some of them negative, until a set of states is reached; with its structure.
    Signed(RewardId, Vec<f64>, BitSet, Optimum),
    /// A reward per choice until a formula is satisfied.
    Satisfied(Ltl, Vec<f64>, Optimum),
    /// A reward per choice for ever.
    Total(Vec<f64>, Optimum),
    /// The long-run average of a reward per choice.
    Average(Vec<f64>, Optimum),
    /// The probability of the first formula, as large as possible, where runs that satisfy the second begin anew.
    Conditional([Ltl; 2]),
    /// Several objectives.
    Multi(Vec<multi::Objective>),
}

/// A property as the goal of a scheduler.
pub struct Task {
    /// What is optimised.
    pub goal: Goal,
    /// The optimum of the property itself; `None` for several objectives.
    pub optimum: Option<Optimum>,
    /// The states whose values are requested.
    pub start: BitSet,
    /// What is measured, for a space whose labels are `sets`: the property, or one for each objective.
    pub measures: Vec<Property>,
    /// The states of the state formulas.
    pub sets: Vec<BitSet>,
}

impl Task {
    fn of_objective(objective: Objective) -> Self {
        let optimum = if objective.negated { opposite(objective.optimum) } else { objective.optimum };
        let start = objective.start.clone();
        let goal = Goal::Reach(objective);
        Task { goal, optimum: Some(optimum), start, measures: Vec::new(), sets: Vec::new() }
    }
}

/// Whether a property has an optimal scheduler that can be written down, as far as its form tells.
///
/// # Errors
/// Properties of its form have none.
pub fn has_goal(property: &Property) -> Result<(), NoWitness> {
    let formulas = &property.formulas;
    if let Formula::Multi(objectives) = formulas.get(property.root) {
        return match is_curve(objectives) {
            true => Err(NoWitness::Curve),
            false => Ok(()),
        };
    }
    let root = match *formulas.get(property.root) {
        Formula::Filter { formula, .. } => formula,
        _ => property.root,
    };
    match Measure::of(formulas.get(root)) {
        _ if matches!(formulas.get(root), Formula::Quantile(..)) => Err(NoWitness::Quantile),
        None => Err(NoWitness::NotAMeasure),
        Some(Measure::Reward { what: RewardQuery::ReachGiven(..), .. }) => Err(NoWitness::Unavailable(GIVEN)),
        Some(_) => Ok(()),
    }
}

const GIVEN: &str = "rewards under a condition";

/// Whether several objectives are to be optimised.
fn is_curve(objectives: &[MultiObjective]) -> bool {
    use volvelle_logic::Goal::{Maximise, Minimise};
    objectives.iter().filter(|o| matches!(o.goal, Maximise | Minimise)).count() > 1
}

/// The goal of a property.
///
/// # Errors
/// Properties of its form have none, or its parts have no value.
pub fn task(
    space: &Space,
    property: &Property,
    numbers: &[Vec<f64>],
    options: &Options,
    control: &Control,
) -> Result<Task, WitnessError> {
    has_goal(property)?;
    let context = Context::new(space, *options, control);
    let mut evaluator = Evaluator::new(&context, property, numbers);
    if let Formula::Multi(objectives) = property.formulas.get(property.root) {
        return evaluator.several(objectives);
    }
    if has_objective(property).is_ok() {
        match super::objective(space, property, numbers, options, control) {
            // Its rewards are made positive first.
            Err(WitnessError::Check(CheckError::NegativeReward { .. })) => {}
            objective => return Ok(Task::of_objective(objective?)),
        }
    }
    let (root, states) = match *property.formulas.get(property.root) {
        Formula::Filter { formula, states, .. } => (formula, Some(states)),
        _ => (property.root, None),
    };
    let Some(measure) = Measure::of(property.formulas.get(root)) else {
        return Err(NoWitness::NotAMeasure.into());
    };
    let optimum = context.optimum(measure.optimum())?;
    let operands = measure.operands(&property.formulas, &evaluator.is_path);
    let mut wanted = operands.clone();
    wanted.extend(states.flatten());
    evaluator.evaluate(&wanted)?;
    let start = match states {
        Some(Some(states)) => evaluator.set(states)?.clone(),
        Some(None) => BitSet::full(space.num_states()),
        None => BitSet::of(space.num_states(), space.initial.iter().map(|s| s.index())),
    };
    let goal = evaluator.goal(measure, optimum)?;
    let (measures, sets) = evaluator.on_labels(&[root], &operands)?;
    Ok(Task { goal, optimum: Some(optimum), start, measures, sets })
}

impl Evaluator<'_> {
    fn goal(&self, measure: Measure, optimum: Optimum) -> Result<Goal, CheckError> {
        let context = self.context;
        let space = context.space;
        match measure {
            Measure::Prob { path, .. } => {
                let set = |id| self.set(id).cloned();
                let (path, negated) = path::path(space.kind, self.formulas, &self.is_path, path, set)?;
                self.path_goal(&path, negated, optimum)
            }
            Measure::Conditional { path, given, .. } => {
                let formulas = Conditioned::new(self.formulas, path, given, optimum);
                Ok(Goal::Conditional(formulas.restarting(|id| self.set(id))?))
            }
            Measure::Time { path, .. } => self.satisfied(path, vec![1.0; space.num_choices()], optimum),
            Measure::Steady { states, .. } => {
                let set = self.set(states)?;
                let reward = indicator(set);
                Ok(Goal::Average(of_choices(space, &reward), optimum))
            }
            Measure::Reward { rewards: id, what, .. } => {
                let rewards = match what {
                    RewardQuery::Instantaneous(_) => Rewards::of_states(context, id)?,
                    _ => Rewards::of_choices(context, id)?,
                };
                let start_error = rewards.relative_error();
                let rewards = rewards.values;
                if let RewardQuery::Reach(path) = what
                    && let Some(target) = self.plain_target(path)
                {
                    return Ok(Goal::Signed(id, rewards, self.set(target)?.clone(), optimum));
                }
                match what {
                    RewardQuery::Reach(_) => check_not_negative(context, id, &rewards)?,
                    RewardQuery::Total if loses_forever(context, &rewards) => {
                        check_not_negative(context, id, &rewards)?;
                    }
                    _ => {}
                }
                let stepwise = |start: Vec<f64>, phase: Phase| {
                    Goal::Backward(
                        Backward { start_error, ..plain(optimum, start, vec![phase], false) },
                        false,
                    )
                };
                let none = || vec![0.0; context.states()];
                match what {
                    RewardQuery::Reach(path) => self.satisfied(path, rewards, optimum),
                    RewardQuery::Total => Ok(Goal::Total(rewards, optimum)),
                    RewardQuery::LongRun => {
                        // What is added to all rewards changes no scheduler's rank.
                        let added = rewards.iter().fold(0.0, |most: f64, &r| most.max(-r));
                        Ok(Goal::Average(rewards.iter().map(|r| r + added).collect(), optimum))
                    }
                    RewardQuery::Cumulative(time) => {
                        let count = self.horizon(time)? as u64;
                        Ok(stepwise(none(), Phase { reward: Some(rewards), ..Phase::steps(count) }))
                    }
                    RewardQuery::Discounted { factor, rest, upto: None } => {
                        let discount = Discount { factor, rest, upto: None };
                        Ok(Goal::Discounted(rewards, optimum, discount))
                    }
                    RewardQuery::Discounted { factor, upto: Some(time), .. } => {
                        let count = self.horizon(time)? as u64;
                        Ok(stepwise(none(), Phase { reward: Some(rewards), factor, ..Phase::steps(count) }))
                    }
                    RewardQuery::Within(path) => {
                        check_not_negative(context, id, &rewards)?;
                        let Formula::BoundedUntil(_, _, bounds) = self.formulas.get(path) else {
                            return Err(CheckError::EmptyFilter);
                        };
                        Ok(Goal::Budgeted(Budgeted { reward: rewards, bounds: bounds.clone(), optimum }))
                    }
                    RewardQuery::Ratio(_) => {
                        let what = "a scheduler for ratios of rewards";
                        Err(CheckError::NotYetEvaluated { what: what.to_string() })
                    }
                    RewardQuery::ReachGiven(..) => {
                        Err(CheckError::NotYetEvaluated { what: GIVEN.to_string() })
                    }
                    RewardQuery::Instantaneous(time) => {
                        let count = self.horizon(time)? as u64;
                        Ok(stepwise(rewards, Phase::steps(count)))
                    }
                }
            }
        }
    }

    fn satisfied(&self, path: FormulaId, reward: Vec<f64>, optimum: Optimum) -> Result<Goal, CheckError> {
        ltl::check_cosafe(self.formulas, &self.is_path, path)?;
        let set = |id| self.set(id).cloned();
        let (kind, states) = (self.context.space.kind, self.context.space.num_states());
        let formula = ltl::translate_cosafe(kind, self.formulas, &self.is_path, path, set, states)?;
        Ok(Goal::Satisfied(formula, reward, optimum))
    }

    fn path_goal(&self, path: &Path, negated: bool, optimum: Optimum) -> Result<Goal, CheckError> {
        let kind = self.context.space.kind;
        let inner = if negated { opposite(optimum) } else { optimum };
        match path {
            Path::Now(_) => Ok(Goal::Any),
            Path::Bounded(left, right, bounds) => {
                let (left, right, bounds) = (left.clone(), right.clone(), bounds.clone());
                Ok(Goal::Bounded(Bounded { left, right, bounds, optimum: inner }, negated))
            }
            Path::Ltl(formula) => Ok(Goal::Formula(match inner {
                Optimum::Max => (**formula).clone(),
                Optimum::Min => formula.negation(),
            })),
            Path::Next(set, bound) => {
                let never = match window(kind, bound)? {
                    Window::Empty => true,
                    Window::Range { lower, upper } => lower > 1.0 || upper.is_some_and(|u| u < 1.0),
                };
                if never {
                    return Ok(Goal::Any);
                }
                let phase = Phase::steps(1);
                Ok(Goal::Backward(plain(inner, indicator(set), vec![phase], true), negated))
            }
            Path::Until(left, right, bound) => self.until_goal(left, right, bound, inner, negated),
            Path::Weak(left, right, bound) => self.weak_goal(left, right, bound, inner, negated),
            Path::Release(left, right, bound) => {
                if bound.lower > 0.0 || bound.lower_strict {
                    self.until_goal(&not(left), &not(right), bound, opposite(inner), !negated)
                } else {
                    self.weak_goal(right, &and(left, right), bound, inner, negated)
                }
            }
        }
    }

    fn weak_goal(
        &self,
        left: &BitSet,
        right: &BitSet,
        bound: &TimeBound,
        optimum: Optimum,
        negated: bool,
    ) -> Result<Goal, CheckError> {
        match window(self.context.space.kind, bound)? {
            Window::Empty => Ok(Goal::Any),
            Window::Range { lower: 0.0, upper: Some(upper) } => {
                let (inside, keep) = (Some(left.clone()), Some(right.clone()));
                let phase = Phase { inside, keep, ..Phase::steps(upper as u64) };
                let start = indicator(&or(left, right));
                Ok(Goal::Backward(plain(optimum, start, vec![phase], true), negated))
            }
            Window::Range { .. } => {
                let fails = and(&not(left), &not(right));
                self.until_goal(&not(right), &fails, bound, opposite(optimum), !negated)
            }
        }
    }

    fn until_goal(
        &self,
        left: &BitSet,
        right: &BitSet,
        bound: &TimeBound,
        optimum: Optimum,
        negated: bool,
    ) -> Result<Goal, CheckError> {
        let context = self.context;
        let Window::Range { lower, upper } = window(context.space.kind, bound)? else {
            return Ok(Goal::Any);
        };
        let before = Phase { inside: Some(left.clone()), ..Phase::steps(lower as u64) };
        let Some(upper) = upper else {
            let reached = reach_until(context, left, right, optimum)?;
            let mut objective = Self::parts(left.clone(), right.clone(), optimum, negated);
            objective.start = BitSet::full(context.states());
            if lower == 0.0 {
                return Ok(Goal::Reach(objective));
            }
            let scheduler = volvelle_objectives::scheduler::optimal(context, &objective)?;
            let mut start_error = 0.0f64;
            let mut middle = |bounds: &[f64; 2]| {
                let middle = bounds[0] + 0.5 * (bounds[1] - bounds[0]);
                if middle > 0.0 {
                    start_error = start_error.max((bounds[1] - bounds[0]) / middle + 2.0 * U);
                }
                middle
            };
            let start = reached.bounds.iter().map(&mut middle).collect();
            let own = scheduler.value.iter().map(&mut middle).collect();
            let tail = Some((scheduler.choices, own));
            let backward = Backward { start_error, tail, ..plain(optimum, start, vec![before], true) };
            return Ok(Goal::Backward(backward, negated));
        };
        let (inside, keep) = (Some(left.clone()), Some(right.clone()));
        let within = Phase { inside, keep, ..Phase::steps((upper - lower) as u64) };
        let phases = vec![within, before];
        Ok(Goal::Backward(plain(optimum, indicator(right), phases, true), negated))
    }

    fn several(mut self, objectives: &[MultiObjective]) -> Result<Task, WitnessError> {
        let space = self.context.space;
        let operands = state_formulas(self.formulas, &self.is_path, self.root);
        self.evaluate(&operands)?;
        let measures = self.objectives_of(objectives)?;
        let start = BitSet::of(space.num_states(), space.initial.iter().map(|s| s.index()));
        // One property for each objective.
        let mut formulas = self.formulas.clone();
        let roots: Vec<FormulaId> = (objectives.iter())
            .map(|objective| {
                let (optimum, query) = (None, Query::Value);
                formulas.add(match objective.measured {
                    Measured::Probability(path) => Formula::Prob { optimum, query, path },
                    Measured::Reward(rewards, steps) => {
                        let what = steps.map_or(RewardQuery::Total, |n| RewardQuery::Cumulative(n as f64));
                        Formula::Reward { rewards, optimum, query, what }
                    }
                })
            })
            .collect();
        let (measures_on_labels, sets) = self.on_labels_of(&formulas, &roots, &operands)?;
        let goal = Goal::Multi(measures);
        Ok(Task { goal, optimum: None, start, measures: measures_on_labels, sets })
    }

    fn on_labels(
        &self,
        roots: &[FormulaId],
        operands: &[FormulaId],
    ) -> Result<(Vec<Property>, Vec<BitSet>), CheckError> {
        self.on_labels_of(self.formulas, roots, operands)
    }

    /// Properties whose state formulas are labels, and the sets of these: on the chain of a scheduler, operators within
    /// operators keep the values that they have on the MDP.
    fn on_labels_of(
        &self,
        formulas: &Formulas,
        roots: &[FormulaId],
        operands: &[FormulaId],
    ) -> Result<(Vec<Property>, Vec<BitSet>), CheckError> {
        let mut label_of: EntityVec<FormulaId, Option<LabelId>> = EntityVec::filled(None, formulas.len());
        let mut sets: Vec<BitSet> = Vec::new();
        for &operand in operands {
            if label_of[operand].is_none() {
                label_of[operand] = Some(LabelId(sets.len() as u32));
                sets.push(self.set(operand)?.clone());
            }
        }
        let mut labelled = Formulas::default();
        for id in formulas.ids() {
            labelled.add(match (label_of[id], formulas.get(id)) {
                (_, Formula::Bool(value)) => Formula::Bool(*value),
                (Some(label), _) => Formula::Label(label),
                (None, node) => by_value(node),
            });
        }
        let property = |&root: &FormulaId| Property {
            name: None,
            text: String::new(),
            constants: Vec::new(),
            formulas: labelled.clone(),
            root,
        };
        Ok((roots.iter().map(property).collect(), sets))
    }
}

/// An operator that asks for the value instead of a bound.
fn by_value(node: &Formula) -> Formula {
    let query = Query::Value;
    match *node {
        Formula::Prob { optimum, path, .. } => Formula::Prob { optimum, query, path },
        Formula::Conditional { optimum, path, given, .. } => {
            Formula::Conditional { optimum, query, path, given }
        }
        Formula::Reward { rewards, optimum, what, .. } => Formula::Reward { rewards, optimum, query, what },
        Formula::Time { optimum, path, .. } => Formula::Time { optimum, query, path },
        Formula::Steady { optimum, states, .. } => Formula::Steady { optimum, query, states },
        ref other => other.clone(),
    }
}

fn plain(optimum: Optimum, start: Vec<f64>, phases: Vec<Phase>, probability: bool) -> Backward {
    Backward { optimum, start, tail: None, start_error: 0.0, phases, probability }
}
