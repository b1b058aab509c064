//! Properties: an arena of formulas over observations.

use crate::basics::{Bound, Comparison, FormulaId, Optimum, RewardId};
use crate::constant::Constant;
use crate::cost::{CostBound, Counted, Quantile};
use crate::omega::OmegaAutomaton;
use crate::ratio::Ratio;
use dashu_ratio::RBig;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use volvelle_entity::{EntityVec, entity};

entity!(
    /// Index of a Boolean observation (of a `Program`, and of `Space::labels` after exploration).
    LabelId
);

entity!(
    /// Index of a numeric observation of states that is no reward structure.
    NumberId
);

/// The question about a number: its value, or whether it meets a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the names say it
pub enum Query {
    Value,
    Bound(Bound),
}

/// Bounds of a temporal operator: time for a CTMC, steps (integers) otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct TimeBound {
    /// Lower end, 0 where there is none.
    pub lower: f64,
    /// Lower end excluded.
    pub lower_strict: bool,
    /// Upper end; `None` is unbounded.
    pub upper: Option<f64>,
    /// Upper end excluded.
    pub upper_strict: bool,
}

impl TimeBound {
    /// No bound.
    pub const NONE: TimeBound =
        TimeBound { lower: 0.0, lower_strict: false, upper: None, upper_strict: false };

    /// Whether it restricts nothing.
    pub fn is_none(&self) -> bool {
        self.lower == 0.0 && !self.lower_strict && self.upper.is_none()
    }
}

/// The inside of a reward operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RewardQuery {
    /// Accumulated up to a time or number of steps.
    Cumulative(f64),
    /// At a time or after a number of steps.
    Instantaneous(f64),
    /// Accumulated until the path formula is satisfied; infinite where that is not almost sure. A plain
    /// `F φ` is a `Formula::Until` with left side true.
    Reach(FormulaId),
    /// The same among the paths that satisfy the second formula.
    ReachGiven(FormulaId, FormulaId),
    /// Accumulated over an infinite run.
    Total,
    /// Accumulated for ever or up to a number of steps, where each step multiplies what comes after it by the factor.
    Discounted {
        /// The factor, between 0 and 1.
        factor: f64,
        /// One minus the factor.
        rest: f64,
        /// The number of steps.
        upto: Option<f64>,
    },
    /// Long-run average.
    LongRun,
    /// Long-run ratio over another reward.
    Ratio(RewardId),
    /// Accumulated as long as the bounds of a [`Formula::BoundedUntil`] are kept, which are upper ones.
    Within(FormulaId),
}

/// The measure of one objective of `multi(…)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measured {
    /// The probability of a path formula.
    Probability(FormulaId),
    /// The expected reward, for ever or within a number of steps.
    Reward(RewardId, Option<u64>),
}

/// The goal of one objective of `multi(…)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// As large as possible.
    Maximise,
    /// As small as possible.
    Minimise,
    /// At least this bound.
    AtLeast(f64),
    /// At most this bound.
    AtMost(f64),
    /// More than this bound.
    MoreThan(f64),
    /// Less than this bound.
    LessThan(f64),
}

impl Goal {
    /// The bound; `None` where it is to be optimised.
    pub fn bound(self) -> Option<f64> {
        match self {
            Goal::Maximise | Goal::Minimise => None,
            Goal::AtLeast(b) | Goal::AtMost(b) | Goal::MoreThan(b) | Goal::LessThan(b) => Some(b),
        }
    }

    /// Whether the bound itself does not meet it.
    pub fn is_strict(self) -> bool {
        matches!(self, Goal::MoreThan(_) | Goal::LessThan(_))
    }

    /// Whether small values are better.
    pub fn is_small(self) -> bool {
        matches!(self, Goal::Minimise | Goal::AtMost(_) | Goal::LessThan(_))
    }
}

/// An objective of `multi(…)`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the types say it
pub struct Objective {
    pub measured: Measured,
    pub goal: Goal,
}

/// Operators of `filter(…)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the manual's names
pub enum FilterOp {
    Min,
    Max,
    ArgMin,
    ArgMax,
    Count,
    Sum,
    Avg,
    First,
    Range,
    ForAll,
    Exists,
    State,
    Print,
    PrintAll,
}

/// A formula: of states (Boolean or numeric) or of paths.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // operands are named by their role
pub enum Formula {
    /// Truth.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A Boolean observation of states.
    Label(LabelId),
    /// A numeric observation of states.
    Observation(NumberId),
    /// The initial states.
    Init,
    /// The states that had no transition of their own.
    Deadlock,
    /// Negation (of states or paths).
    Not(FormulaId),
    /// Conjunction.
    And(FormulaId, FormulaId),
    /// Disjunction.
    Or(FormulaId, FormulaId),
    /// `lhs comparison rhs` of numbers.
    Compare(Comparison, FormulaId, FormulaId),
    /// Equality of numbers or truth values.
    Equal(FormulaId, FormulaId),
    /// Sum.
    Add(FormulaId, FormulaId),
    /// Difference.
    Sub(FormulaId, FormulaId),
    /// Product.
    Mul(FormulaId, FormulaId),
    /// Quotient.
    Div(FormulaId, FormulaId),
    /// Smaller of two.
    Min(FormulaId, FormulaId),
    /// Larger of two.
    Max(FormulaId, FormulaId),
    /// Largest integer not above.
    Floor(FormulaId),
    /// Smallest integer not below.
    Ceil(FormulaId),
    /// Nearest integer, halves up.
    Round(FormulaId),
    /// Power.
    Pow(FormulaId, FormulaId),
    /// Integer remainder, with the sign of the divisor.
    Mod(FormulaId, FormulaId),
    /// Logarithm of the first to the base of the second.
    Log(FormulaId, FormulaId),
    /// Choice by a state formula.
    IfThenElse(FormulaId, FormulaId, FormulaId),

    /// Probability of a path formula.
    Prob { optimum: Option<Optimum>, query: Query, path: FormulaId },
    /// Probability of a path formula among the paths that satisfy a second one.
    Conditional { optimum: Option<Optimum>, query: Query, path: FormulaId, given: FormulaId },
    /// Objectives for one scheduler: whether it exists, the best value that is left, or the Pareto curve.
    Multi(Vec<Objective>),
    /// Expected reward.
    Reward { rewards: RewardId, optimum: Option<Optimum>, query: Query, what: RewardQuery },
    /// Expected time (steps) until a path formula is satisfied.
    Time { optimum: Option<Optimum>, query: Query, path: FormulaId },
    /// Long-run probability of a state formula.
    Steady { optimum: Option<Optimum>, query: Query, states: FormulaId },
    /// An amount with which a probability meets a bound.
    Quantile(Box<Quantile>),
    /// On all paths.
    ForAll(FormulaId),
    /// On some path.
    Exists(FormulaId),
    /// One value out of the values of all states in a set (`None`: all states).
    Filter { op: FilterOp, formula: FormulaId, states: Option<FormulaId> },

    /// Path: next.
    Next(FormulaId, TimeBound),
    /// Path: until. `F φ` is `true U φ`.
    Until(FormulaId, FormulaId, TimeBound),
    /// Path: until, where what is accumulated before the right side holds lies within all of the bounds.
    BoundedUntil(FormulaId, FormulaId, Vec<CostBound>),
    /// Path: weak until. `G φ` is `φ W false`.
    WeakUntil(FormulaId, FormulaId, TimeBound),
    /// Path: release.
    Release(FormulaId, FormulaId, TimeBound),
    /// Path: accepted by an automaton, whose propositions are state formulas.
    Automaton(Arc<OmegaAutomaton>, Vec<FormulaId>),
}

impl Formula {
    /// The direct operands, in the order in which they are written.
    pub fn operands(&self) -> Vec<FormulaId> {
        use Formula::*;
        match *self {
            Bool(_) | Number(_) | Label(_) | Observation(_) | Init | Deadlock => vec![],
            Not(a) | Floor(a) | Ceil(a) | Round(a) | ForAll(a) | Exists(a) | Next(a, _) => vec![a],
            And(a, b)
            | Or(a, b)
            | Compare(_, a, b)
            | Equal(a, b)
            | Add(a, b)
            | Sub(a, b)
            | Mul(a, b)
            | Div(a, b)
            | Min(a, b)
            | Max(a, b)
            | Pow(a, b)
            | Mod(a, b)
            | Log(a, b)
            | Until(a, b, _)
            | BoundedUntil(a, b, _)
            | WeakUntil(a, b, _)
            | Release(a, b, _) => vec![a, b],
            IfThenElse(a, b, c) => vec![a, b, c],
            Prob { path, .. } | Time { path, .. } => vec![path],
            Reward { what: RewardQuery::Reach(path), .. } => vec![path],
            Reward { what: RewardQuery::ReachGiven(path, given), .. } => vec![path, given],
            Reward { .. } => vec![],
            Steady { states, .. } => vec![states],
            Quantile(ref quantile) => vec![quantile.left, quantile.right],
            Automaton(_, ref propositions) => propositions.clone(),
            Conditional { path, given, .. } => vec![path, given],
            Multi(ref objectives) => objectives
                .iter()
                .filter_map(|objective| match objective.measured {
                    Measured::Probability(path) => Some(path),
                    Measured::Reward(..) => None,
                })
                .collect(),
            Filter { formula, states, .. } => std::iter::once(formula).chain(states).collect(),
        }
    }
}

impl Formula {
    /// The reward structures that it mentions itself.
    pub fn rewards(&self) -> impl Iterator<Item = RewardId> + '_ {
        let over = match self {
            Formula::Reward { what: RewardQuery::Ratio(over), .. } => Some(*over),
            _ => None,
        };
        let (own, bounds): (Option<RewardId>, &[CostBound]) = match self {
            Formula::Reward { rewards, .. } => (Some(*rewards), &[]),
            Formula::BoundedUntil(_, _, bounds) => (None, bounds),
            Formula::Quantile(quantile) => (None, &quantile.bounds),
            _ => (None, &[]),
        };
        let counted = bounds.iter().filter_map(|bound| match bound.counted {
            Counted::Reward(id) => Some(id),
            Counted::Steps => None,
        });
        own.into_iter().chain(over).chain(counted)
    }
}

/// The arena; operands have smaller ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formulas {
    nodes: EntityVec<FormulaId, Formula>,
    exact: BTreeMap<FormulaId, Option<RBig>>,
    exact_bounds: BTreeMap<(FormulaId, usize), Option<RBig>>,
    /// By the bits of the double next to it.
    exact_discounts: BTreeMap<u64, Option<RBig>>,
    /// Largest error of a constant without a rational value.
    inexact: f64,
    variables: BTreeSet<NumberId>,
}

impl Formulas {
    /// Adds a formula whose operands are already there.
    pub fn add(&mut self, formula: Formula) -> FormulaId {
        self.nodes.push(formula)
    }

    /// The formula behind an id.
    pub fn get(&self, id: FormulaId) -> &Formula {
        &self.nodes[id]
    }

    /// Says what the constant of a formula ([`Formula::Number`], or the threshold of a [`Bound`]) is in rational
    /// arithmetic; `None`: it has no rational value. A number without an entry is the double itself.
    pub fn set_exact(&mut self, id: FormulaId, value: Option<RBig>) {
        self.exact.insert(id, value);
    }

    /// Notes how far the double of some constant may be from what it stands for, which is no rational number.
    pub fn note_inexact(&mut self, error: f64) {
        self.inexact = self.inexact.max(error);
    }

    /// A bound of the errors of all constants without a rational value.
    pub fn inexact(&self) -> f64 {
        self.inexact
    }

    /// Says that a numeric observation is a variable, whose values nothing rounds.
    pub fn note_variable(&mut self, number: NumberId) {
        self.variables.insert(number);
    }

    /// Whether a numeric observation is known to be a variable.
    pub fn is_variable(&self, number: NumberId) -> bool {
        self.variables.contains(&number)
    }

    /// Says that the constants of two formulas are the same.
    pub fn share_exact(&mut self, from: FormulaId, to: FormulaId) {
        if let Some(value) = self.exact.get(&from).cloned() {
            self.exact.insert(to, value);
        }
    }

    /// Says that the bound of an objective of `multi(…)`, by its place, is that of an operator.
    pub fn share_exact_bound(&mut self, operator: FormulaId, multi: FormulaId, objective: usize) {
        if let Some(value) = self.exact.get(&operator).cloned() {
            self.exact_bounds.insert((multi, objective), value);
        }
    }

    /// The bound of an objective of `multi(…)`, by its place, in rational arithmetic, where `double` stands in it; `None` if
    /// it has none.
    pub fn exact_bound(&self, multi: FormulaId, objective: usize, double: f64) -> Option<Ratio> {
        match self.exact_bounds.get(&(multi, objective)) {
            Some(known) => known.clone().map(Ratio::Finite),
            None => Ratio::of_double(double),
        }
    }

    /// Says which discount factor the double stands for; `None`: one without a rational value.
    pub fn set_exact_discount(&mut self, double: f64, value: Option<RBig>) {
        let known = self.exact_discounts.entry(double.to_bits()).or_insert_with(|| value.clone());
        if *known != value {
            // Two factors with the same double cannot be told apart.
            *known = None;
        }
    }

    /// The discount factor that a double stands for, in rational arithmetic; `None` if it has none.
    pub fn exact_discount(&self, double: f64) -> Option<Ratio> {
        match self.exact_discounts.get(&double.to_bits()) {
            Some(known) => known.clone().map(Ratio::Finite),
            None => Ratio::of_double(double),
        }
    }

    /// The constant of a formula in rational arithmetic, where `double` stands in it; `None` if it has none.
    pub fn exact(&self, id: FormulaId, double: f64) -> Option<Ratio> {
        match self.exact.get(&id) {
            Some(known) => known.clone().map(Ratio::Finite),
            None => Ratio::of_double(double),
        }
    }

    /// Number of formulas.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All ids, operands first.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = FormulaId> + use<> {
        self.nodes.keys()
    }
}

/// A property ready to be evaluated. Constants have been put in.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Name, where it has one.
    pub name: Option<String>,
    /// Its text, as the user wrote it.
    pub text: String,
    /// Constants that occur in it and were given on the command line, with their values.
    pub constants: Vec<Constant>,
    /// All its formulas.
    pub formulas: Formulas,
    /// The formula itself.
    pub root: FormulaId,
}
