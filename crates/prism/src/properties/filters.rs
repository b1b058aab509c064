//! Filters: `filter(op, property, states)`, and in braces as in older versions of PRISM.

use super::operators::kind_of_query;
use super::translate::Translator;
use super::typed_formula::{Kind, TypedFormula};
use crate::ast::{self, ExprId};
use crate::lower::{ContextId, Ty};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_logic::{FilterOp, Formula, FormulaId, Query};

impl Translator<'_> {
    /// Puts the filter in braces of older versions of PRISM around an operator.
    pub(super) fn filtered(
        &mut self,
        context: ContextId,
        formula: Formula,
        query: Query,
        filter: Option<&ast::OldFilter>,
    ) -> Option<TypedFormula> {
        let kind = kind_of_query(query);
        let formed = self.formed(formula, kind);
        let Some(filter) = filter else { return Some(formed) };
        let states = self.states(context, filter.states)?;
        if kind == Kind::Bool && (filter.min || filter.max) {
            let message = "{min} and {max} need a number, but this is a condition";
            self.report(Diagnostic::error(codes::PROPERTY_TYPE, message).at(filter.span, ""));
            return None;
        }
        let (op, kind) = match (filter.min, filter.max) {
            (false, false) => (FilterOp::State, kind),
            (true, false) => (FilterOp::Min, kind),
            (false, true) => (FilterOp::Max, kind),
            (true, true) => (FilterOp::Range, Kind::Interval),
        };
        Some(self.formed(Formula::Filter { op, formula: formed.id, states: Some(states) }, kind))
    }

    pub(super) fn filter(
        &mut self,
        context: ContextId,
        op: &ast::Name,
        property: ExprId,
        states: Option<ExprId>,
    ) -> Option<TypedFormula> {
        let operand = self.formula(context, property);
        let set = states.map(|states| self.states(context, states));
        let operand = operand?;
        let Some(&(_, operator)) = FILTERS.iter().find(|(name, _)| *name == op.text) else {
            let list: Vec<&str> = FILTERS.iter().map(|(name, _)| *name).collect();
            let diagnostic =
                Diagnostic::error(codes::UNKNOWN_FUNCTION, format!("there is no filter `{}`", op.text))
                    .at_misspelt(op.span, &op.text, &list)
                    .help(format!("the filters are {}", list.join(", ")));
            self.report(diagnostic);
            return None;
        };
        use FilterOp as F;
        let wanted: fn(Kind) -> bool = match operator {
            F::Min | F::Max | F::ArgMin | F::ArgMax | F::Sum | F::Avg | F::Range => Kind::is_number,
            F::Count | F::ForAll | F::Exists => |kind| kind == Kind::Bool,
            F::First | F::State | F::Print | F::PrintAll => {
                |kind| !matches!(kind, Kind::Path | Kind::Multi | Kind::Conditional)
            }
        };
        if !wanted(operand.kind) {
            let message = format!("the filter `{}` cannot be applied to {}", op.text, operand.kind.a_name());
            let diagnostic =
                Diagnostic::error(codes::PROPERTY_TYPE, message).at(self.span((context, property)), "");
            self.report(diagnostic);
            return None;
        }
        let kind = match operator {
            F::Min | F::Max | F::Sum | F::First | F::State | F::Print | F::PrintAll => operand.kind,
            F::Range => Kind::Interval,
            F::Count => Kind::Int,
            F::Avg => Kind::Double,
            F::ArgMin | F::ArgMax | F::ForAll | F::Exists => Kind::Bool,
        };
        let states = match set {
            None => None,
            Some(states) => Some(states?),
        };
        let (operator, states) = match operator {
            F::First => (F::State, Some(self.first_state(states))),
            operator => (operator, states),
        };
        Some(self.formed(Formula::Filter { op: operator, formula: operand.id, states }, kind))
    }

    /// The first of some states: PRISM numbers them by the values of their variables, in the order of declaration. Out
    /// of the states with the least value of one variable come those with the least value of the next.
    fn first_state(&mut self, states: Option<FormulaId>) -> FormulaId {
        let mut set = match states {
            Some(states) => states,
            None => self.formulas.add(Formula::Bool(true)),
        };
        for place in 0..self.lowering.num_variables() {
            let variable = self.lowering.variable(place);
            let value = self.observe(&variable, None);
            if let Formula::Observation(number) = *self.formulas.get(value) {
                self.formulas.note_variable(number);
            }
            // The least truth value of some states: whether it is true in all of them.
            let op = if variable.ty == Ty::Bool { FilterOp::ForAll } else { FilterOp::Min };
            let least = self.formulas.add(Formula::Filter { op, formula: value, states: Some(set) });
            let attained = self.formulas.add(Formula::Equal(value, least));
            set = self.formulas.add(Formula::And(set, attained));
        }
        set
    }
}

/// Names of filters.
const FILTERS: [(&str, FilterOp); 18] = [
    ("min", FilterOp::Min),
    ("max", FilterOp::Max),
    ("argmin", FilterOp::ArgMin),
    ("argmax", FilterOp::ArgMax),
    ("count", FilterOp::Count),
    ("sum", FilterOp::Sum),
    ("avg", FilterOp::Avg),
    ("first", FilterOp::First),
    ("range", FilterOp::Range),
    ("forall", FilterOp::ForAll),
    ("exists", FilterOp::Exists),
    ("state", FilterOp::State),
    ("print", FilterOp::Print),
    ("printall", FilterOp::PrintAll),
    // Storm's name for it.
    ("values", FilterOp::PrintAll),
    ("+", FilterOp::Sum),
    ("&", FilterOp::ForAll),
    ("|", FilterOp::Exists),
];
