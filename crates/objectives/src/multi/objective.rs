//! Objectives: what is measured, and what is wanted of it.

use crate::ltl::{Ltl, translate};
use volvelle_entity::EntityVec;
use volvelle_logic::{FormulaId, Formulas, Goal, Measured, RewardId};
use volvelle_solver::CheckError;
use volvelle_solver::interval::Interval;
use volvelle_space::{BitSet, Kind};

/// The measure of an objective, with its operands evaluated.
#[derive(Clone)]
pub enum Measure {
    /// The probability of a formula.
    Formula(Box<Ltl>),
    /// A reward, for an unlimited time or for a number of steps.
    Reward(RewardId, Option<u64>),
}

impl Measure {
    /// What an objective measures; `set` gives the states of a state formula.
    pub fn of(
        measured: Measured,
        kind: Kind,
        formulas: &Formulas,
        is_path: &EntityVec<FormulaId, bool>,
        set: impl Fn(FormulaId) -> Result<BitSet, CheckError>,
    ) -> Result<Self, CheckError> {
        Ok(match measured {
            Measured::Reward(id, steps) => Measure::Reward(id, steps),
            Measured::Probability(path) => {
                Measure::Formula(Box::new(translate(kind, formulas, is_path, path, set)?))
            }
        })
    }
}

/// An objective, with bounds of its own bound.
#[derive(Clone)]
pub struct Objective {
    /// The measure.
    pub measure: Measure,
    /// The goal.
    pub goal: Goal,
    /// Bounds of the bound of the goal, which a double may have rounded.
    pub bound: Interval,
}
