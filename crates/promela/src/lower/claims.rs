//! Claims: `never` claims and `ltl` formulas, over numbered propositions.

use super::builder::Builder;
use super::code::{Code, Context};
use super::environment::Environment;
use super::flow::{Kind, flow};
use super::locations::locations;
use super::statement_numbers::StatementNumbers;
use super::symbols::{LocalNames, Scope};
use super::transitions::Transitions;
use crate::ast::{self, BinaryOp, ExprKind, Place, UnaryOp};
use volvelle_diagnostics::codes;
use volvelle_kernel::{ExprId, Stmt};
use volvelle_model::{Condition, Label};

pub use volvelle_model::claim::{Claim, ClaimState, ClaimStep, Formula};

/// A claim with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name, where the text gives one.
    pub name: Option<String>,
    /// The property.
    pub claim: Claim,
    /// Its place in the text.
    pub place: Place,
}

/// The claims of a model in the order of the text.
pub(super) fn claims<'a>(env: &Environment<'a>, out: &mut Builder<'a>) -> Vec<Named> {
    Claims { env, out }.all()
}

/// The nodes of a formula; for those that are about a single state also their values.
#[derive(Default)]
struct Nodes {
    formulas: Vec<Formula>,
    values: Vec<Option<StateValue>>,
}

/// The value of a formula about a single state.
#[derive(Clone, Copy)]
struct StateValue {
    /// `bool`.
    expr: ExprId,
    /// Whether evaluating it may fail.
    may_fail: bool,
}

/// The work of lowering claims.
struct Claims<'e, 'a> {
    env: &'e Environment<'a>,
    out: &'e mut Builder<'a>,
}

impl<'a> Claims<'_, 'a> {
    fn all(&mut self) -> Vec<Named> {
        let model = self.env.model;
        let mut claims = Vec::new();
        for unit in &model.units {
            let (name, claim, place) = match unit {
                ast::Unit::Ltl { name, formula, place } => {
                    let Some(claim) = self.ltl(*formula) else { continue };
                    (name, claim, *place)
                }
                ast::Unit::Never { name, body, place } => {
                    let Some(claim) = self.never(body, *place) else { continue };
                    (name, claim, *place)
                }
                _ => continue,
            };
            claims.push(Named { name: name.as_ref().map(|n| n.text.clone()), claim, place });
        }
        claims
    }

    /// A proposition: the number of a label that holds where `cond` (`bool`) does.
    fn proposition(&mut self, cond: ExprId, place: Option<Place>) -> usize {
        if let Some(found) = self.out.program.labels.iter().position(|l| l.expr == cond) {
            return found;
        }
        let origin = place.map(|place| self.out.origin(place));
        self.out.program.labels.push(Label { name: None, expr: cond, origin });
        self.out.program.labels.len() - 1
    }

    /// Lowers a formula.
    fn ltl(&mut self, formula: ast::ExprId) -> Option<Claim> {
        let mut nodes = Nodes::default();
        self.formula(formula, &mut nodes)?;
        Some(Claim::Ltl(nodes.formulas))
    }

    /// The parser limits the depth of the recursion.
    fn formula(&mut self, id: ast::ExprId, nodes: &mut Nodes) -> Option<usize> {
        let model = self.env.model;
        let start = nodes.formulas.len();
        let node = match &model.exprs.get(id).kind {
            ExprKind::Unary { op, arg } if is_temporal(model, id) || *op == UnaryOp::Not => {
                let a = self.formula(*arg, nodes)?;
                match op {
                    UnaryOp::Not => Formula::Not(a),
                    UnaryOp::Always => Formula::Always(a),
                    UnaryOp::Eventually => Formula::Eventually(a),
                    UnaryOp::Next => Formula::Next(a),
                    UnaryOp::Neg | UnaryOp::Complement => {
                        let place = self.env.place(id);
                        self.out.reports.error(codes::TYPE_MISMATCH, "arithmetic on a formula", place, "");
                        return None;
                    }
                }
            }
            ExprKind::Binary { op, lhs, rhs }
                if is_temporal(model, id)
                    || matches!(
                        op,
                        BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Equivalent
                    ) =>
            {
                let (a, b) = (self.formula(*lhs, nodes)?, self.formula(*rhs, nodes)?);
                match op {
                    BinaryOp::And | BinaryOp::BitAnd => Formula::And(a, b),
                    BinaryOp::Or | BinaryOp::BitOr => Formula::Or(a, b),
                    BinaryOp::Implies => Formula::Implies(a, b),
                    BinaryOp::Equivalent => Formula::Equivalent(a, b),
                    BinaryOp::Until => Formula::Until(a, b),
                    BinaryOp::WeakUntil => Formula::WeakUntil(a, b),
                    BinaryOp::Release => Formula::Release(a, b),
                    _ => {
                        let place = self.env.place(id);
                        self.out.reports.error(codes::TYPE_MISMATCH, "arithmetic on a formula", place, "");
                        return None;
                    }
                }
            }
            _ => {
                let scope = Scope::global();
                let place = self.env.place(id);
                let cond = Code::new(self.env, self.out, place).condition(Context::of(&scope), id)?;
                match self.out.program.exprs.as_const(cond).and_then(|c| c.as_bool()) {
                    Some(value) => Formula::Constant(value),
                    None => Formula::Proposition(self.proposition(cond, Some(place))),
                }
            }
        };
        let value = self.state_value(&node, &nodes.values);
        let node = match value {
            // One operand may keep another from failing, as in `i < N -> a[i] == 0`.
            Some(StateValue { expr, may_fail: true }) => {
                nodes.formulas.truncate(start);
                nodes.values.truncate(start);
                Formula::Proposition(self.proposition(expr, Some(self.env.place(id))))
            }
            _ => node,
        };
        nodes.formulas.push(node);
        nodes.values.push(value);
        Some(nodes.formulas.len() - 1)
    }

    /// The value of a formula, given those of its parts; `None` where it is about more than one state.
    fn state_value(&mut self, node: &Formula, values: &[Option<StateValue>]) -> Option<StateValue> {
        let program = &mut self.out.program;
        let (a, b) = match *node {
            Formula::Constant(value) => {
                return Some(StateValue { expr: program.exprs.bool(value), may_fail: false });
            }
            Formula::Proposition(label) => {
                let expr = program.labels[label].expr;
                return Some(StateValue { expr, may_fail: !program.sites_of(expr).is_empty() });
            }
            Formula::Not(a) => (values[a]?, values[a]?),
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Implies(a, b) | Formula::Equivalent(a, b) => {
                (values[a]?, values[b]?)
            }
            _ => return None,
        };
        let e = &mut program.exprs;
        let expr = match node {
            Formula::And(..) => e.and(a.expr, b.expr),
            Formula::Or(..) => e.or(a.expr, b.expr),
            Formula::Equivalent(..) => {
                let neither = [a, b].map(|operand| e.not(operand.expr));
                let (both, neither) = (e.and(a.expr, b.expr), e.and(neither[0], neither[1]));
                e.or(both, neither)
            }
            _ => {
                let not = e.not(a.expr);
                if matches!(node, Formula::Not(_)) { not } else { e.or(not, b.expr) }
            }
        };
        Some(StateValue { expr, may_fail: a.may_fail || b.may_fail })
    }

    fn never(&mut self, body: &'a ast::Sequence, place: Place) -> Option<Claim> {
        let flow = flow(self.env, &mut self.out.reports, body, None, LocalNames::default(), place);
        let locations = locations(&flow);
        let mut states = Vec::new();
        for &node in &locations.nodes {
            let info = flow.get(node);
            let origin = Some(self.out.origin(info.place));
            let is_accepting = info.is_accepting;
            let mut state = ClaimState { is_accepting, origin, ..ClaimState::default() };
            if matches!(info.kind, Kind::End) {
                state.is_end = true;
                states.push(state);
                continue;
            }
            let numbers = &StatementNumbers::default();
            let mut transitions =
                Transitions { env: self.env, out: self.out, process: None, flow: &flow, numbers };
            let location = transitions.location(&locations, node, 0);
            let (mut before, mut escaped): (Option<ExprId>, Option<ExprId>) = (None, None);
            for block in location.blocks {
                let earlier = match block.condition {
                    Condition::NothingBefore => before,
                    Condition::NoEscape => escaped,
                };
                for alternative in block.alternatives {
                    let mut guard = alternative.guard;
                    if let Some(earlier) = earlier {
                        let e = &mut self.out.program.exprs;
                        let none = e.not(earlier);
                        guard = e.and(guard, none);
                    }
                    let e = &mut self.out.program.exprs;
                    before = Some(before.map_or(guard, |b| e.or(b, guard)));
                    if block.is_escape {
                        escaped = before;
                    }
                    let assertion = match alternative.effect().as_slice() {
                        [] => None,
                        [Stmt::If { cond, then, .. }] if matches!(then.as_slice(), [Stmt::Fail { .. }]) => {
                            let holds = e.not(*cond);
                            Some(self.proposition(holds, None))
                        }
                        _ => {
                            self.out.reports.error(
                                codes::TYPE_MISMATCH,
                                "a `never` claim cannot change the state",
                                place,
                                "",
                            );
                            return None;
                        }
                    };
                    if alternative.offer.is_some() {
                        self.out.reports.error(
                            codes::TYPE_MISMATCH,
                            "a `never` claim cannot send or receive",
                            place,
                            "",
                        );
                        return None;
                    }
                    let target = alternative.target().0 as usize;
                    match self.out.program.exprs.as_const(guard).and_then(|c| c.as_bool()) {
                        Some(false) => {}
                        Some(true) => state.steps.push(ClaimStep { guard: None, assertion, target }),
                        None => {
                            let guard = Some(self.proposition(guard, None));
                            state.steps.push(ClaimStep { guard, assertion, target });
                        }
                    }
                }
            }
            states.push(state);
        }
        Some(Claim::Never(states))
    }
}

/// Whether there is a temporal operator in an expression.
fn is_temporal(model: &ast::Model, id: ast::ExprId) -> bool {
    match &model.exprs.get(id).kind {
        ExprKind::Unary { op, arg } => {
            matches!(op, UnaryOp::Always | UnaryOp::Eventually | UnaryOp::Next) || is_temporal(model, *arg)
        }
        ExprKind::Binary { op, lhs, rhs } => {
            use BinaryOp::*;
            matches!(op, Until | WeakUntil | Release | Implies | Equivalent)
                || is_temporal(model, *lhs)
                || is_temporal(model, *rhs)
        }
        _ => false,
    }
}
