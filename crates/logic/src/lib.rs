//! Properties and answers, independent of any language and any engine.
//!
//! Languages lower their properties to [`Property`]; engines take them apart and give [`Answer`]s.
//! State formulas refer to observations of a program by number, so this crate has no expressions.
//! Stands on no other crate.

mod answer;
mod basics;
mod constant;
mod cost;
pub mod gate;
mod omega;
mod property;
mod ratio;
mod rational;
mod wctl;

pub use answer::{Answer, FormulaValue, Guarantee, StopReason, Value};
pub use basics::{Bound, Comparison, FormulaId, Optimum, RewardId};
pub use constant::{Constant, ConstantValue, Literal};
pub use cost::{CostBound, Counted, Limit, Quantile};
pub use omega::{Acceptance, Among, Clause, Cube, OmegaAutomaton, OmegaEdge};
pub use property::{
    FilterOp, Formula, Formulas, Goal, LabelId, Measured, NumberId, Objective, Property, Query, RewardQuery,
    TimeBound,
};
pub use ratio::Ratio;
pub use rational::rational;
pub use wctl::{
    AmountPart, Atom, AtomId, Quantifier, Relational, Wctl, WctlFormula, WctlId, WeightInterval,
    is_reserved as is_reserved_in_wctl, operands as wctl_operands, quoted_name as quoted_wctl_name,
};
