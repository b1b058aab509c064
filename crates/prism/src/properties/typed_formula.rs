//! Formulas with their types.

use crate::lower::Ty;
use volvelle_logic::FormulaId;

/// Type of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int,
    Double,
    /// Truth of a path.
    Path,
    /// `filter(range, …)`: only shown, not computed with.
    Interval,
    /// `multi(…)`: stands alone.
    Multi,
    /// `path || condition`: stands directly inside of P.
    Conditional,
}

impl Kind {
    pub(super) fn of(ty: Ty) -> Self {
        match ty {
            Ty::Bool => Kind::Bool,
            Ty::Int => Kind::Int,
            Ty::Double => Kind::Double,
        }
    }

    pub(super) fn is_number(self) -> bool {
        matches!(self, Kind::Int | Kind::Double)
    }

    /// Whether it is a truth value, of states or of paths.
    pub(super) fn is_truth(self) -> bool {
        matches!(self, Kind::Bool | Kind::Path)
    }

    pub(super) fn a_name(self) -> &'static str {
        match self {
            Kind::Bool => "a condition",
            Kind::Int => "an int",
            Kind::Double => "a double",
            Kind::Path => "a path formula",
            Kind::Interval => "an interval",
            Kind::Multi => "a multi-objective property",
            Kind::Conditional => "a path formula with a condition",
        }
    }
}

/// A formula with its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TypedFormula {
    pub id: FormulaId,
    pub kind: Kind,
}
