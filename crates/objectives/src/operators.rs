//! Operators of the logic by their form: what they measure, and which state formulas they read.

use volvelle_entity::EntityVec;
use volvelle_logic::{
    Bound, Comparison, FilterOp, Formula, FormulaId, Formulas, Optimum, Query, RewardId, RewardQuery,
};

/// `P`, `R`, `S` or `T`, by value.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    /// The probability of a path formula.
    Prob {
        /// The optimum over schedulers, if one is given.
        optimum: Option<Optimum>,
        /// Whether the value is asked for, or a bound.
        query: Query,
        /// The path formula.
        path: FormulaId,
    },
    /// The probability of a path formula under a condition.
    Conditional {
        /// The optimum over schedulers, if one is given.
        optimum: Option<Optimum>,
        /// Whether the value is asked for, or a bound.
        query: Query,
        /// The path formula.
        path: FormulaId,
        /// The path formula that is the condition.
        given: FormulaId,
    },
    /// An expected reward.
    Reward {
        /// The reward structure.
        rewards: RewardId,
        /// The optimum over schedulers, if one is given.
        optimum: Option<Optimum>,
        /// Whether the value is asked for, or a bound.
        query: Query,
        /// Which of its rewards count.
        what: RewardQuery,
    },
    /// The expected time until a path formula is satisfied.
    Time {
        /// The optimum over schedulers, if one is given.
        optimum: Option<Optimum>,
        /// Whether the value is asked for, or a bound.
        query: Query,
        /// The path formula.
        path: FormulaId,
    },
    /// The long-run fraction of time in a set of states.
    Steady {
        /// The optimum over schedulers, if one is given.
        optimum: Option<Optimum>,
        /// Whether the value is asked for, or a bound.
        query: Query,
        /// The state formula.
        states: FormulaId,
    },
}

impl Measure {
    /// What an operator measures; `None` for other formulas.
    pub fn of(formula: &Formula) -> Option<Self> {
        Some(match *formula {
            Formula::Prob { optimum, query, path } => Measure::Prob { optimum, query, path },
            Formula::Conditional { optimum, query, path, given } => {
                Measure::Conditional { optimum, query, path, given }
            }
            Formula::Reward { rewards, optimum, query, what } => {
                Measure::Reward { rewards, optimum, query, what }
            }
            Formula::Time { optimum, query, path } => Measure::Time { optimum, query, path },
            Formula::Steady { optimum, query, states } => Measure::Steady { optimum, query, states },
            _ => return None,
        })
    }

    fn query(self) -> Query {
        match self {
            Measure::Prob { query, .. }
            | Measure::Conditional { query, .. }
            | Measure::Reward { query, .. }
            | Measure::Time { query, .. }
            | Measure::Steady { query, .. } => query,
        }
    }

    /// The bound with which the value is compared.
    pub fn bound(self) -> Option<Bound> {
        bound_of(self.query())
    }

    /// The optimum that is requested; a bound without one means all schedulers.
    pub fn optimum(self) -> Option<Optimum> {
        let given = match self {
            Measure::Prob { optimum, .. }
            | Measure::Conditional { optimum, .. }
            | Measure::Reward { optimum, .. }
            | Measure::Time { optimum, .. }
            | Measure::Steady { optimum, .. } => optimum,
        };
        given.or(self.bound().map(|bound| match bound.comparison {
            Comparison::Ge | Comparison::Gt => Optimum::Min,
            Comparison::Le | Comparison::Lt => Optimum::Max,
        }))
    }

    /// The state formulas that have to be evaluated before this one.
    pub fn operands(self, formulas: &Formulas, is_path: &EntityVec<FormulaId, bool>) -> Vec<FormulaId> {
        let first = match self {
            Measure::Prob { path, .. } | Measure::Time { path, .. } => path,
            Measure::Reward { what: RewardQuery::Reach(path), .. } => path,
            Measure::Reward { what: RewardQuery::ReachGiven(path, given), .. } => {
                return below(formulas, is_path, vec![path, given]);
            }
            Measure::Conditional { path, given, .. } => return below(formulas, is_path, vec![path, given]),
            Measure::Reward { .. } => return Vec::new(),
            Measure::Steady { states, .. } => states,
        };
        below(formulas, is_path, vec![first])
    }
}

/// The state formulas that an operator reads, through path formulas.
pub fn state_formulas(
    formulas: &Formulas,
    is_path: &EntityVec<FormulaId, bool>,
    operator: FormulaId,
) -> Vec<FormulaId> {
    below(formulas, is_path, formulas.get(operator).operands())
}

fn below(
    formulas: &Formulas,
    is_path: &EntityVec<FormulaId, bool>,
    mut work: Vec<FormulaId>,
) -> Vec<FormulaId> {
    let mut found = Vec::new();
    while let Some(id) = work.pop() {
        if is_path[id] {
            work.extend(formulas.get(id).operands());
        } else {
            found.push(id);
        }
    }
    found
}

/// Whether the value in a state depends on the operands' values in that state only.
pub fn is_pointwise(formula: &Formula) -> bool {
    use Formula::*;
    matches!(
        formula,
        Not(_)
            | And(..)
            | Or(..)
            | Compare(..)
            | Equal(..)
            | IfThenElse(..)
            | Add(..)
            | Sub(..)
            | Mul(..)
            | Div(..)
            | Min(..)
            | Max(..)
            | Floor(_)
            | Ceil(_)
            | Round(_)
            | Pow(..)
            | Mod(..)
            | Log(..)
    )
}

/// Whether a formula has the same value in every state by its form: it is made of constants and filters that give
/// one value.
pub fn has_one_value(formulas: &Formulas, root: FormulaId) -> bool {
    let mut one = EntityVec::with_capacity(root.index() + 1);
    for id in formulas.ids().take(root.index() + 1) {
        let node = formulas.get(id);
        one.push(match node {
            Formula::Bool(_) | Formula::Number(_) => true,
            Formula::Filter { op, .. } => !lists(*op),
            node => is_pointwise(node) && node.operands().iter().all(|&operand| one[operand]),
        });
    }
    one.last().is_some_and(|(_, &one)| one)
}

/// Name of an arithmetic operator, for messages.
pub fn name(formula: &Formula) -> &'static str {
    match formula {
        Formula::Add(..) => "an addition",
        Formula::Sub(..) => "a subtraction",
        Formula::Mul(..) => "a multiplication",
        Formula::Div(..) => "a division",
        Formula::Pow(..) => "a power",
        Formula::Mod(..) => "mod",
        Formula::Log(..) => "a logarithm",
        _ => "an operation",
    }
}

/// Whether a filter gives a value in every state, of which some are listed.
pub fn lists(op: FilterOp) -> bool {
    matches!(op, FilterOp::Print | FilterOp::PrintAll | FilterOp::ArgMin | FilterOp::ArgMax)
}

/// The filter of a property that has none at its root (PRISM manual, *Default filters*): all of several initial states
/// have to satisfy it, or a number becomes a range, unless its form makes it the same in every state.
pub fn default_filter(is_truth: bool, has_one_value: bool, states: usize) -> FilterOp {
    match states {
        _ if is_truth => FilterOp::ForAll,
        1 => FilterOp::State,
        _ if has_one_value => FilterOp::First,
        _ => FilterOp::Range,
    }
}

/// Whether a query is about a bound.
fn bound_of(query: Query) -> Option<Bound> {
    match query {
        Query::Bound(bound) => Some(bound),
        Query::Value => None,
    }
}
