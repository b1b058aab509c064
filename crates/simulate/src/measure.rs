//! Measures: a number for every property, from a path alone.
//!
//! A [`Measure`] is a property over expressions of a program. Probabilities are means of 0 and 1; expected
//! rewards are means of rewards along paths.

pub use crate::conditions::{MAX_STEPS, Window};

use crate::amounts::Amounts;
use crate::automaton::{MonitorAutomaton, automaton, progression};
use crate::conditions::{Conditions, horizon, window};
use crate::error::{Unsupported, UnsupportedProperty};
use volvelle_kernel::{ExprId, Exprs, Type};
use volvelle_logic::{Bound, CostBound, Formula, FormulaId, Formulas, Property, Query, RewardQuery};
use volvelle_model::{Kind, Program};

/// The value of a measure that a path, given up, did not decide. No computation produces this value
/// ([`is_undecided`]).
pub const UNDECIDED: f64 = f64::from_bits(0x7ff8_756e_6465_6369);

/// Whether a value is [`UNDECIDED`].
pub fn is_undecided(value: f64) -> bool {
    value.to_bits() == UNDECIDED.to_bits()
}

/// An event on a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A condition on the first state.
    Now(ExprId),
    /// The second state satisfies a condition, and is entered in the window.
    Next(ExprId, Window),
    /// The first condition until the second holds within the window.
    Until(ExprId, ExprId, Window),
    /// The first condition until the second holds with sums of rewards within bounds: discrete time.
    Spending(ExprId, ExprId, Amounts),
    /// The path, as a word, is accepted by this automaton of the plan.
    Automaton(usize),
}

/// A number that a path has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// 1 if the event occurs on the path, else 0; the opposite if `negated`.
    Indicator {
        /// The event.
        event: Event,
        /// Whether it must not happen.
        negated: bool,
    },
    /// The reward up to a time or number of steps.
    Cumulative {
        /// Reward structure.
        structure: usize,
        /// Time or steps.
        until: f64,
    },
    /// The reward up to the first step that spends more than the upper bounds allow. Infinite if there is no
    /// such step and the reward keeps growing. Discrete time.
    Within {
        /// Reward structure.
        structure: usize,
        /// The upper bounds.
        amounts: Amounts,
    },
    /// The reward of the state at a time or after a number of steps.
    Instantaneous {
        /// Reward structure.
        structure: usize,
        /// Time or steps.
        at: f64,
    },
    /// The reward until a condition holds; infinite if this never happens.
    Reach {
        /// Reward structure; `None`: time, or steps.
        structure: Option<usize>,
        /// The condition.
        target: Target,
    },
}

/// The end of an accumulated reward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// A condition on states.
    States(ExprId),
    /// This automaton of the plan accepts all continuations.
    Automaton(usize),
}

impl Measure {
    /// Whether it is 0 or 1.
    pub fn is_indicator(&self) -> bool {
        matches!(self, Measure::Indicator { .. })
    }

    /// Whether it depends on elapsed time.
    pub fn needs_clock(&self) -> bool {
        match self {
            Measure::Indicator { event, .. } => match event {
                Event::Now(_) | Event::Automaton(_) | Event::Spending(..) => false,
                Event::Next(_, window) | Event::Until(_, _, window) => !window.is_everything(),
            },
            Measure::Cumulative { .. } | Measure::Instantaneous { .. } => true,
            Measure::Reach { .. } | Measure::Within { .. } => false,
        }
    }

    /// The reward structures.
    pub fn structures(&self) -> Vec<usize> {
        let spent = self.amounts().into_iter().flat_map(|amounts| amounts.structures().collect::<Vec<_>>());
        let earned = match *self {
            Measure::Indicator { .. } => None,
            Measure::Cumulative { structure, .. }
            | Measure::Instantaneous { structure, .. }
            | Measure::Within { structure, .. } => Some(structure),
            Measure::Reach { structure, .. } => structure,
        };
        earned.into_iter().chain(spent).collect()
    }

    /// Bounds on what the path spends.
    pub fn amounts(&self) -> Option<&Amounts> {
        match self {
            Measure::Indicator { event: Event::Spending(.., amounts), .. }
            | Measure::Within { amounts, .. } => Some(amounts),
            _ => None,
        }
    }
}

/// The measure of a property, and the comparison of its mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PropertyMeasure {
    /// The measure.
    pub measure: Measure,
    /// Whether the mean is compared with something.
    pub bound: Option<Bound>,
}

/// The measure of a property. New conditions are added to the program's arena, new automata to `automata`.
pub fn measure(
    program: &mut Program,
    automata: &mut Vec<MonitorAutomaton>,
    property: &Property,
) -> Result<PropertyMeasure, Unsupported> {
    let formulas = &property.formulas;
    if formulas.ids().any(|id| matches!(formulas.get(id), Formula::Quantile(_))) {
        return Err(Unsupported::Property(UnsupportedProperty::Quantile));
    }
    if formulas.ids().any(|id| matches!(formulas.get(id), Formula::Automaton(..))) {
        return Err(Unsupported::Property(UnsupportedProperty::Automaton));
    }
    let states = Conditions::new(program, formulas);
    let (measure, query) = match *formulas.get(property.root) {
        Formula::Prob { path, query, .. } => (indicator(program, automata, formulas, &states, path)?, query),
        Formula::Reward { rewards, query, what, .. } => {
            let structure = rewards.0 as usize;
            let measure = match what {
                RewardQuery::Cumulative(until) => {
                    Measure::Cumulative { structure, until: horizon(program.kind(), until)? }
                }
                RewardQuery::Instantaneous(at) => {
                    Measure::Instantaneous { structure, at: horizon(program.kind(), at)? }
                }
                RewardQuery::Reach(path) => Measure::Reach {
                    structure: Some(structure),
                    target: target(program, automata, formulas, &states, path)?,
                },
                RewardQuery::Total => {
                    return Err(Unsupported::Property(UnsupportedProperty::TotalReward));
                }
                RewardQuery::ReachGiven(..) | RewardQuery::Discounted { .. } => {
                    return Err(Unsupported::Property(UnsupportedProperty::WeightedReward));
                }
                RewardQuery::Within(path) => {
                    let Formula::BoundedUntil(_, _, bounds) = formulas.get(path) else {
                        return Err(Unsupported::Property(UnsupportedProperty::Combination));
                    };
                    Measure::Within { structure, amounts: amounts(program.kind(), bounds)? }
                }
                RewardQuery::LongRun | RewardQuery::Ratio(_) => {
                    return Err(Unsupported::Property(UnsupportedProperty::LongRunReward));
                }
            };
            (measure, query)
        }
        Formula::Time { path, query, .. } => {
            let target = target(program, automata, formulas, &states, path)?;
            (Measure::Reach { structure: None, target }, query)
        }
        Formula::Steady { .. } => {
            return Err(Unsupported::Property(UnsupportedProperty::LongRunProbability));
        }
        Formula::Conditional { .. } => {
            return Err(Unsupported::Property(UnsupportedProperty::Conditional));
        }
        Formula::Multi(_) => return Err(Unsupported::Property(UnsupportedProperty::SeveralObjectives)),
        Formula::Filter { .. } => {
            return Err(Unsupported::Property(UnsupportedProperty::Filter));
        }
        Formula::ForAll(_) | Formula::Exists(_) => {
            return Err(Unsupported::Property(UnsupportedProperty::AllPaths));
        }
        _ => return Err(Unsupported::Property(UnsupportedProperty::Combination)),
    };
    let bound = match query {
        Query::Value => None,
        Query::Bound(bound) => Some(bound),
    };
    Ok(PropertyMeasure { measure, bound })
}

/// The condition of a property that depends on a state alone. New conditions are added to the program's
/// arena.
pub fn condition(program: &mut Program, property: &Property) -> Option<ExprId> {
    let found = Conditions::new(program, &property.formulas).get(property.root)?;
    (program.exprs.ty(found) == Type::Bool).then_some(found)
}

fn indicator(
    program: &mut Program,
    automata: &mut Vec<MonitorAutomaton>,
    formulas: &Formulas,
    states: &Conditions,
    mut path: FormulaId,
) -> Result<Measure, Unsupported> {
    let mut negated = false;
    while let Formula::Not(inner) = *formulas.get(path)
        && states.get(path).is_none()
    {
        negated = !negated;
        path = inner;
    }
    if let Some(condition) = states.get(path) {
        return Ok(Measure::Indicator { event: Event::Now(condition), negated });
    }
    let never = |exprs: &mut Exprs| Event::Now(exprs.bool(false));
    let kind = program.kind();
    if let Formula::BoundedUntil(left, right, bounds) = formulas.get(path)
        && let (Some(left), Some(right)) = (states.get(*left), states.get(*right))
    {
        let event = Event::Spending(left, right, amounts(kind, bounds)?);
        return Ok(Measure::Indicator { event, negated });
    }
    if formulas.ids().any(|id| matches!(formulas.get(id), Formula::BoundedUntil(..))) {
        return Err(Unsupported::Property(UnsupportedProperty::InnerRewardBound));
    }
    if !is_plain(formulas, states, path) {
        let automaton = automaton(kind, formulas, states, path)?;
        return Ok(Measure::Indicator { event: Event::Automaton(keep(automata, automaton)), negated });
    }
    let nested = Unsupported::Property(UnsupportedProperty::Nested);
    let condition = |id: FormulaId| states.get(id).ok_or(nested.clone());
    let exprs = &mut program.exprs;
    let (event, flip) = match *formulas.get(path) {
        Formula::Next(inner, bound) => {
            let inner = condition(inner)?;
            (window(kind, &bound)?.map(|window| Event::Next(inner, window)), false)
        }
        Formula::Until(left, right, bound) => {
            let (left, right) = (condition(left)?, condition(right)?);
            (window(kind, &bound)?.map(|window| Event::Until(left, right, window)), false)
        }
        // `a W b` fails if `!b U (!a & !b)` holds, `a R b` if `!a U !b` does.
        Formula::WeakUntil(left, right, bound) => {
            let (left, right) = (condition(left)?, condition(right)?);
            let (not_left, not_right) = (exprs.not(left), exprs.not(right));
            let fails = exprs.and(not_left, not_right);
            (window(kind, &bound)?.map(|window| Event::Until(not_right, fails, window)), true)
        }
        Formula::Release(left, right, bound) => {
            let (left, right) = (condition(left)?, condition(right)?);
            let (not_left, not_right) = (exprs.not(left), exprs.not(right));
            (window(kind, &bound)?.map(|window| Event::Until(not_left, not_right, window)), true)
        }
        _ => return Err(nested),
    };
    let event = event.unwrap_or_else(|| never(exprs));
    Ok(Measure::Indicator { event, negated: negated != flip })
}

/// Bounds on what the path spends.
fn amounts(kind: Kind, bounds: &[CostBound]) -> Result<Amounts, Unsupported> {
    if kind == Kind::Ctmc {
        return Err(Unsupported::Property(UnsupportedProperty::TimedRewardBound));
    }
    Amounts::of(bounds).ok_or(Unsupported::Property(UnsupportedProperty::TooManyRewardBounds))
}

/// Whether a path formula is one temporal operator over conditions.
fn is_plain(formulas: &Formulas, states: &Conditions, path: FormulaId) -> bool {
    let is_condition = |id: FormulaId| states.get(id).is_some();
    match *formulas.get(path) {
        Formula::Next(a, _) => is_condition(a),
        Formula::Until(a, b, _) | Formula::WeakUntil(a, b, _) | Formula::Release(a, b, _) => {
            is_condition(a) && is_condition(b)
        }
        _ => false,
    }
}

/// Adds an automaton and returns its index. Each measure has its own, so that it reads one letter per state.
fn keep(automata: &mut Vec<MonitorAutomaton>, automaton: MonitorAutomaton) -> usize {
    automata.push(automaton);
    automata.len() - 1
}

/// The condition of a plain `F condition`; otherwise an automaton.
fn target(
    program: &mut Program,
    automata: &mut Vec<MonitorAutomaton>,
    formulas: &Formulas,
    states: &Conditions,
    path: FormulaId,
) -> Result<Target, Unsupported> {
    if let Formula::Until(left, right, bound) = *formulas.get(path)
        && *formulas.get(left) == Formula::Bool(true)
        && bound.is_none()
        && let Some(condition) = states.get(right)
    {
        return Ok(Target::States(condition));
    }
    let truth = program.exprs.bool(true);
    let automaton = progression(program.kind(), formulas, states, path, truth)?;
    Ok(Target::Automaton(keep(automata, automaton)))
}
