//! The order in which properties are answered: the quick ones first.

use volvelle_logic::{Formula, FormulaId, Property, RewardQuery, TimeBound};

/// Bounds on time or steps up to which an answer takes few steps, as far as that is known beforehand.
const SHORT: f64 = 100.0;

/// How long answering a property may take, relative to others over the same states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Nothing is computed.
    States,
    /// A number of steps.
    FewSteps,
    /// Equations, or only the graph.
    Equations,
    /// Equations whose solutions are not bounded by one.
    Rewards,
    /// Steps up to a bound that is not small.
    ManySteps,
    /// The behaviour in the long run.
    LongRun,
    /// A product with automata or costs, or several objectives.
    Product,
}

/// The effort for a property.
pub fn of(property: &Property) -> Effort {
    let mut most = Effort::States;
    let mut open: Vec<(FormulaId, bool)> = vec![(property.root, false)];
    while let Some((id, is_path)) = open.pop() {
        let formula = property.formulas.get(id);
        let (own, is_temporal) = match formula {
            Formula::Until(_, _, bound) | Formula::WeakUntil(_, _, bound) | Formula::Release(_, _, bound) => {
                (of_bound(bound), true)
            }
            Formula::Next(..) => (Effort::FewSteps, true),
            Formula::BoundedUntil(..)
            | Formula::Automaton(..)
            | Formula::Conditional { .. }
            | Formula::Multi(_)
            | Formula::Quantile(_) => (Effort::Product, false),
            Formula::Reward { what, .. } => (of_reward(what), false),
            Formula::Time { .. } => (Effort::Rewards, false),
            Formula::Steady { .. } => (Effort::LongRun, false),
            _ => (Effort::States, false),
        };
        // A temporal operator within another one, without an operator on states between them.
        let own = if is_temporal && is_path { Effort::Product } else { own };
        most = most.max(own);
        let is_boolean = matches!(formula, Formula::Not(_) | Formula::And(..) | Formula::Or(..));
        let is_path = is_temporal || is_path && is_boolean;
        open.extend(formula.operands().into_iter().map(|operand| (operand, is_path)));
    }
    most
}

fn of_bound(bound: &TimeBound) -> Effort {
    match bound.upper {
        Some(upper) => steps(upper),
        None if bound.lower > SHORT => Effort::ManySteps,
        None => Effort::Equations,
    }
}

fn of_reward(what: &RewardQuery) -> Effort {
    match what {
        RewardQuery::Cumulative(bound) | RewardQuery::Instantaneous(bound) => steps(*bound),
        RewardQuery::Reach(_) | RewardQuery::Total => Effort::Rewards,
        RewardQuery::ReachGiven(..) | RewardQuery::Within(_) => Effort::Product,
        RewardQuery::Discounted { upto, .. } => upto.map_or(Effort::Rewards, steps),
        RewardQuery::LongRun | RewardQuery::Ratio(_) => Effort::LongRun,
    }
}

fn steps(bound: f64) -> Effort {
    if bound <= SHORT { Effort::FewSteps } else { Effort::ManySteps }
}
