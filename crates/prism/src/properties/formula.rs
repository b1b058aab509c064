//! Ordinary operators on formulas: `1 - P=? [ … ]`, `P>=0.5 [ … ] & "init"`, `!F a`, …

use super::translate::Translator;
use super::typed_formula::{Kind, TypedFormula};
use crate::ast::{BinaryOp, ExprId, ExprKind, Function};
use crate::lower::{ContextId, Place};
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_logic::{Comparison, Formula, FormulaId};

/// An operand with its place.
#[derive(Clone, Copy)]
struct Operand {
    id: FormulaId,
    kind: Kind,
    span: Span,
}

impl Translator<'_> {
    /// Translates an operator or function one of whose operands is a formula.
    pub(super) fn ordinary(&mut self, place: Place, kind: &ExprKind) -> Option<TypedFormula> {
        let (context, span) = (place.0, self.span(place));
        match kind {
            &ExprKind::Paren(inner) => self.formula(context, inner),
            &ExprKind::Not(arg) => {
                let arg = self.operand(context, arg)?;
                self.want(arg, Kind::is_truth, "`!` takes conditions")?;
                Some(self.formed(Formula::Not(arg.id), arg.kind))
            }
            &ExprKind::Neg(arg) => {
                let arg = self.operand(context, arg)?;
                self.want(arg, Kind::is_number, "`-` takes numbers")?;
                let zero = self.formulas.add(Formula::Number(0.0));
                Some(self.formed(Formula::Sub(zero, arg.id), arg.kind))
            }
            &ExprKind::Binary { op, lhs, rhs } => {
                let (lhs, rhs) = (self.operand(context, lhs), self.operand(context, rhs));
                self.binary(op, lhs?, rhs?, span)
            }
            &ExprKind::Ite { cond, yes, no } => {
                let [cond, yes, no] = [cond, yes, no].map(|id| self.operand(context, id));
                let (cond, yes, no) = (cond?, yes?, no?);
                self.want(cond, |kind| kind == Kind::Bool, "`?` takes a condition on states")?;
                let kind = match (yes.kind, no.kind) {
                    (Kind::Bool, Kind::Bool) => Kind::Bool,
                    (Kind::Int, Kind::Int) => Kind::Int,
                    (a, b) if a.is_number() && b.is_number() => Kind::Double,
                    _ => {
                        let message = "the two results of `?` must be two numbers or two conditions";
                        self.mismatch(span, message, "");
                        return None;
                    }
                };
                Some(self.formed(Formula::IfThenElse(cond.id, yes.id, no.id), kind))
            }
            ExprKind::Call { function, args } => {
                let operands: Vec<Option<Operand>> =
                    args.iter().map(|&arg| self.operand(context, arg)).collect();
                let operands: Option<Vec<Operand>> = operands.into_iter().collect();
                self.call(*function, operands?, span)
            }
            _ => None,
        }
    }

    fn operand(&mut self, context: ContextId, id: ExprId) -> Option<Operand> {
        let TypedFormula { id: formula, kind } = self.formula(context, id)?;
        Some(Operand { id: formula, kind, span: self.span((context, id)) })
    }

    fn binary(&mut self, op: BinaryOp, lhs: Operand, rhs: Operand, span: Span) -> Option<TypedFormula> {
        let name = op.symbol();
        match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff => {
                let message = format!("`{name}` takes conditions");
                let left = self.want(lhs, Kind::is_truth, &message);
                let right = self.want(rhs, Kind::is_truth, &message);
                left.and(right)?;
                Some(self.connective(op, lhs, rhs))
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                let comparable = lhs.kind == Kind::Bool && rhs.kind == Kind::Bool
                    || lhs.kind.is_number() && rhs.kind.is_number();
                if !comparable {
                    self.incomparable(name, lhs, rhs, span);
                    return None;
                }
                let equal = self.formed(Formula::Equal(lhs.id, rhs.id), Kind::Bool);
                Some(if op == BinaryOp::Eq { equal } else { self.formed(Formula::Not(equal.id), Kind::Bool) })
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                if !(lhs.kind.is_number() && rhs.kind.is_number()) {
                    self.incomparable(name, lhs, rhs, span);
                    return None;
                }
                let comparison = comparison(op)?;
                Some(self.formed(Formula::Compare(comparison, lhs.id, rhs.id), Kind::Bool))
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Pow => {
                let message = format!("`{name}` takes numbers");
                let left = self.want(lhs, Kind::is_number, &message);
                let right = self.want(rhs, Kind::is_number, &message);
                left.and(right)?;
                let both = join(lhs.kind, rhs.kind);
                let (formula, kind) = match op {
                    BinaryOp::Add => (Formula::Add(lhs.id, rhs.id), both),
                    BinaryOp::Sub => (Formula::Sub(lhs.id, rhs.id), both),
                    BinaryOp::Mul => (Formula::Mul(lhs.id, rhs.id), both),
                    BinaryOp::Div => (Formula::Div(lhs.id, rhs.id), Kind::Double),
                    _ => (Formula::Pow(lhs.id, rhs.id), both),
                };
                Some(self.formed(formula, kind))
            }
        }
    }

    fn connective(&mut self, op: BinaryOp, lhs: Operand, rhs: Operand) -> TypedFormula {
        let on_path = lhs.kind == Kind::Path || rhs.kind == Kind::Path;
        let kind = if on_path { Kind::Path } else { Kind::Bool };
        let (a, b) = (lhs.id, rhs.id);
        let formula = match op {
            BinaryOp::And => Formula::And(a, b),
            BinaryOp::Or => Formula::Or(a, b),
            BinaryOp::Implies => Formula::Or(self.formulas.add(Formula::Not(a)), b),
            _ if on_path => {
                let (not_a, not_b) = (self.formulas.add(Formula::Not(a)), self.formulas.add(Formula::Not(b)));
                let both = self.formulas.add(Formula::And(a, b));
                let neither = self.formulas.add(Formula::And(not_a, not_b));
                Formula::Or(both, neither)
            }
            _ => Formula::Equal(a, b),
        };
        self.formed(formula, kind)
    }

    fn call(&mut self, function: Function, args: Vec<Operand>, span: Span) -> Option<TypedFormula> {
        self.lowering.require_arity(function, args.len(), span)?;
        let name = function.name();
        for &arg in &args {
            if function == Function::Mod {
                self.want(arg, |kind| kind == Kind::Int, "`mod` takes ints")?;
            } else {
                self.want(arg, Kind::is_number, &format!("`{name}` takes numbers"))?;
            }
        }
        let kind = args.iter().map(|arg| arg.kind).reduce(join)?;
        let first = args[0].id;
        let second = args.get(1).map(|arg| arg.id);
        Some(match function {
            Function::Min | Function::Max => {
                let smaller = function == Function::Min;
                let id = args[1..].iter().fold(first, |a, b| {
                    self.formulas.add(if smaller { Formula::Min(a, b.id) } else { Formula::Max(a, b.id) })
                });
                TypedFormula { id, kind }
            }
            Function::Floor => self.formed(Formula::Floor(first), Kind::Int),
            Function::Ceil => self.formed(Formula::Ceil(first), Kind::Int),
            Function::Round => self.formed(Formula::Round(first), Kind::Int),
            Function::Pow => self.formed(Formula::Pow(first, second?), kind),
            Function::Mod => self.formed(Formula::Mod(first, second?), Kind::Int),
            Function::Log => self.formed(Formula::Log(first, second?), Kind::Double),
            Function::Multi => return None,
        })
    }

    fn want(&mut self, operand: Operand, fits: impl Fn(Kind) -> bool, message: &str) -> Option<()> {
        if fits(operand.kind) {
            return Some(());
        }
        self.mismatch(operand.span, message, &format!("this is {}", operand.kind.a_name()));
        None
    }

    fn incomparable(&mut self, name: &str, lhs: Operand, rhs: Operand, span: Span) {
        let message = format!("`{name}` cannot compare {} with {}", lhs.kind.a_name(), rhs.kind.a_name());
        self.mismatch(span, &message, "");
    }

    fn mismatch(&mut self, span: Span, message: &str, text: &str) {
        self.report(Diagnostic::error(codes::PROPERTY_TYPE, message).at(span, text));
    }
}

fn join(a: Kind, b: Kind) -> Kind {
    if a == Kind::Int && b == Kind::Int { Kind::Int } else { Kind::Double }
}

/// A comparison of the grammar in the logic; `=` has none.
pub(super) fn comparison(op: BinaryOp) -> Option<Comparison> {
    match op {
        BinaryOp::Lt => Some(Comparison::Lt),
        BinaryOp::Le => Some(Comparison::Le),
        BinaryOp::Gt => Some(Comparison::Gt),
        BinaryOp::Ge => Some(Comparison::Ge),
        _ => None,
    }
}
