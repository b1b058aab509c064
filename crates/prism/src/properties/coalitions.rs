//! `<<coalition>> φ` and `[[coalition]] φ`: whether some strategy of the players, or all of them, satisfy a property.
//!
//! After PRISM: a Markov decision process has one player, whose strategies are its schedulers. `*` and the player itself
//! leave the quantifier as it is, and no player turns it: `<<>>` is for all schedulers, like `[[*]]`. A bound without `min` or `max`
//! has to hold for all schedulers or for some; `min=?` and `max=?` stay what they are, also under `<<>>`. A chain has nothing to
//! choose. Several operands, or a conjunction of bounds, are objectives of one strategy. If a model divides its modules and actions
//! among players, all of them together are its schedulers; some of them would play against the others.

use super::translate::Translator;
use super::typed_formula::{Kind, TypedFormula};
use crate::ast::{self, BinaryOp, Coalition, ExprId, ExprKind};
use crate::lower::ContextId;
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_logic::{Formula, FormulaId, Optimum, Query};
use volvelle_model::Kind as ModelKind;

/// The part of a model's players that a coalition is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Share {
    Nobody,
    Some,
    All,
}

impl Translator<'_> {
    pub(super) fn strategy(
        &mut self,
        context: ContextId,
        coalition: &Coalition,
        operands: &[ExprId],
        span: Span,
    ) -> Option<TypedFormula> {
        let share = self.share(coalition)?;
        let is_chain = self.model_kind() != ModelKind::Mdp;
        if share == Share::Some && !is_chain {
            let message = "a coalition of some players against the others is not yet evaluated";
            let diagnostic = Diagnostic::error(codes::NOT_YET_EVALUATED, message)
                .at(coalition.span, "")
                .note("it makes the model a stochastic game, but the choices of an mdp are made together")
                .help("name all players, or `*`");
            self.report(diagnostic);
            return None;
        }
        let exists = coalition.exists != (share == Share::Nobody);
        if let &[operand] = operands {
            let parts = self.conjuncts(context, operand);
            if parts.len() > 1 && exists && !is_chain {
                return self.objectives(context, &parts, span);
            }
            let is_operator = |kind: ExprKind| {
                use ExprKind as K;
                matches!(kind, K::Prob { .. } | K::Reward { .. } | K::Steady { .. } | K::Time { .. })
            };
            let is_multi = matches!(
                self.kind_of(context, operand),
                ExprKind::Call { function: ast::Function::Multi, .. }
            );
            if is_multi && exists {
                return self.formula(context, operand);
            }
            if !parts.iter().all(|&part| is_operator(self.kind_of(context, part))) {
                let message = "a coalition needs an operator with a number or a bound";
                let diagnostic = Diagnostic::error(codes::PROPERTY_TYPE, message)
                    .at(self.span((context, operand)), "")
                    .help("as in <<*>> P>=0.5 [ F \"goal\" ]");
                self.report(diagnostic);
                return None;
            }
            let formed = self.formula(context, operand)?;
            let flips = exists && !is_chain && self.has_plain_bound(context, operand);
            return Some(if flips { self.for_some(formed) } else { formed });
        }
        if !exists || is_chain {
            return self.all_of(context, operands, span);
        }
        self.objectives(context, operands, span)
    }

    /// Which players of the model a coalition has.
    fn share(&mut self, coalition: &Coalition) -> Option<Share> {
        let Some(listed) = &coalition.players else { return Some(Share::All) };
        if listed.is_empty() {
            return Some(Share::Nobody);
        }
        let model = self.lowering.model.clone();
        let count = model.players.len();
        let mut members = vec![false; count.max(1)];
        for name in listed {
            let named = model.players.iter().position(|player| player.name.text == name.text);
            let number = name.text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            match named.or(number.filter(|&number| number < members.len())) {
                Some(member) => members[member] = true,
                None if count == 0 => {
                    let message =
                        format!("the model names no players: its only one stands for `{}`", name.text);
                    self.report(Diagnostic::note_only(codes::UNKNOWN_NAME, message).at(name.span, ""));
                    members[0] = true;
                }
                None => {
                    let known = model.players.iter().map(|player| player.name.text.as_str());
                    let message = format!("the model has no player `{}`", name.text);
                    let unknown = Diagnostic::error(codes::UNKNOWN_NAME, message);
                    self.report(unknown.at_misspelt(name.span, &name.text, known));
                    return None;
                }
            }
        }
        Some(if members.contains(&false) { Share::Some } else { Share::All })
    }

    /// The conjuncts of an operand.
    fn conjuncts(&self, context: ContextId, operand: ExprId) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut waiting = vec![operand];
        while let Some(id) = waiting.pop() {
            match self.kind_of(context, id) {
                ExprKind::Binary { op: BinaryOp::And, lhs, rhs } => waiting.extend([rhs, lhs]),
                _ => found.push(id),
            }
        }
        found
    }

    /// Whether an operator has a bound and neither `min` nor `max`.
    fn has_plain_bound(&self, context: ContextId, operand: ExprId) -> bool {
        match self.kind_of(context, operand) {
            ExprKind::Prob { optimum, query, .. }
            | ExprKind::Reward { optimum, query, .. }
            | ExprKind::Steady { optimum, query, .. }
            | ExprKind::Time { optimum, query, .. } => {
                optimum.is_none() && matches!(query, ast::Query::Bound(..))
            }
            _ => false,
        }
    }

    /// The bound that all schedulers have to meet, for some scheduler.
    fn for_some(&mut self, formed: TypedFormula) -> TypedFormula {
        let mut formula = self.formulas.get(formed.id).clone();
        match &mut formula {
            Formula::Prob { optimum, query: Query::Bound(_), .. }
            | Formula::Conditional { optimum, query: Query::Bound(_), .. }
            | Formula::Reward { optimum, query: Query::Bound(_), .. }
            | Formula::Steady { optimum, query: Query::Bound(_), .. }
            | Formula::Time { optimum, query: Query::Bound(_), .. } => {
                *optimum = optimum.map(|optimum| match optimum {
                    Optimum::Min => Optimum::Max,
                    Optimum::Max => Optimum::Min,
                });
            }
            // A filter in braces.
            Formula::Filter { formula, .. } => {
                *formula = self.for_some(TypedFormula { id: *formula, ..formed }).id;
            }
            _ => {}
        }
        let id = self.formulas.add(formula);
        self.formulas.share_exact(formed.id, id);
        TypedFormula { id, ..formed }
    }

    /// All of several bounds, each for all schedulers.
    fn all_of(&mut self, context: ContextId, operands: &[ExprId], span: Span) -> Option<TypedFormula> {
        let parts: Option<Vec<TypedFormula>> = operands.iter().map(|&id| self.formula(context, id)).collect();
        let parts = parts?;
        if parts.iter().any(|part| part.kind != Kind::Bool) {
            let message = "several operands for all strategies must be bounds";
            self.report(Diagnostic::error(codes::PROPERTY_TYPE, message).at(span, ""));
            return None;
        }
        let ids = parts.into_iter().map(|part| part.id);
        let all: FormulaId = ids.reduce(|a, b| self.formulas.add(Formula::And(a, b)))?;
        Some(TypedFormula { id: all, kind: Kind::Bool })
    }
}
