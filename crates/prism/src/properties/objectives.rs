//! `multi(…)`, and paths with a condition.
//!
//! After the manual (*Multi-objective Properties*) and PRISM's checks: objectives are `P` and `R` operators of an MDP with
//! `min=?`, `max=?` or a bound that names no `min` or `max`; rewards are `C` or `C<=k`; either one objective is open and the
//! others have bounds, or all of several are open. Bounds may be strict, unlike PRISM's. What such a property means is not
//! what its operators mean alone: it asks for one scheduler, not about all of them.

use super::translate::Translator;
use super::typed_formula::{Kind, TypedFormula};
use crate::ast::{ExprId, ExprKind};
use crate::lower::{ContextId, Place};
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_logic::{
    Bound, Comparison, Formula, FormulaId, Goal, Measured, Objective, Optimum, Query, RewardQuery,
};
use volvelle_model::Kind as ModelKind;

impl Translator<'_> {
    /// `multi(…)`.
    pub(super) fn objectives(
        &mut self,
        context: ContextId,
        args: &[ExprId],
        span: Span,
    ) -> Option<TypedFormula> {
        // Storm's bounds of several quantities, each with a formula of its own.
        let kinds: Vec<Option<TypedFormula>> = args.iter().map(|&arg| self.formula(context, arg)).collect();
        if kinds.iter().flatten().any(|formed| formed.kind == Kind::Path) {
            self.not_yet(span, "path formulas in multi(...), which are to hold at once, are");
            return None;
        }
        if self.model_kind() != ModelKind::Mdp {
            let message = "multiple objectives have no meaning for a model without schedulers";
            let diagnostic = Diagnostic::error(codes::WRONG_MODEL_KIND, message)
                .at(span, "")
                .help("check each of them separately");
            self.report(diagnostic);
            return None;
        }
        let objectives: Vec<Option<(Objective, FormulaId)>> =
            args.iter().map(|&arg| self.objective(context, arg)).collect();
        let objectives = objectives.into_iter().collect::<Option<Vec<_>>>()?;
        let (objectives, operators): (Vec<Objective>, Vec<FormulaId>) = objectives.into_iter().unzip();
        let open = objectives.iter().filter(|o| o.goal.bound().is_none()).count();
        if open > 1 && open < objectives.len() {
            let message = "several objectives with =? cannot be combined with bounds";
            let diagnostic = Diagnostic::error(codes::BAD_OBJECTIVE, message)
                .at(span, "")
                .help("keep one =? to optimise it under the bounds, or leave the bounds out");
            self.report(diagnostic);
            return None;
        }
        let formed = self.formed(Formula::Multi(objectives), Kind::Multi);
        for (i, &operator) in operators.iter().enumerate() {
            self.formulas.share_exact_bound(operator, formed.id, i);
        }
        Some(formed)
    }

    /// An objective, and the operator that it is written as.
    fn objective(&mut self, context: ContextId, arg: ExprId) -> Option<(Objective, FormulaId)> {
        let span = self.span((context, arg));
        let TypedFormula { id, .. } = self.formula(context, arg)?;
        let bounded_optimum = match self.kind_of(context, arg) {
            ExprKind::Prob { optimum, query, .. } | ExprKind::Reward { optimum, query, .. } => {
                optimum.is_some() && matches!(query, crate::ast::Query::Bound(..))
            }
            _ => false,
        };
        if bounded_optimum {
            let message = "an objective with a bound cannot have min or max";
            let diagnostic = Diagnostic::error(codes::BAD_OBJECTIVE, message)
                .at(span, "")
                .help("write P>=p or P<=p: the bound applies to the scheduler shared by all objectives");
            self.report(diagnostic);
            return None;
        }
        let (measured, optimum, query) = match *self.formulas.get(id) {
            Formula::Prob { optimum, query, path } => (Measured::Probability(path), optimum, query),
            Formula::Reward { rewards, optimum, query, what: RewardQuery::Total } => {
                (Measured::Reward(rewards, None), optimum, query)
            }
            Formula::Reward { rewards, optimum, query, what: RewardQuery::Cumulative(steps) } => {
                (Measured::Reward(rewards, Some(steps as u64)), optimum, query)
            }
            _ => {
                self.bad_objective(span, id);
                return None;
            }
        };
        let goal = match (query, optimum) {
            (Query::Value, Some(Optimum::Min)) => Goal::Minimise,
            (Query::Value, Some(Optimum::Max)) => Goal::Maximise,
            (Query::Value, None) => {
                let diagnostic =
                    Diagnostic::error(codes::MIN_MAX_REQUIRED, "an objective needs min=? or max=?");
                self.report(diagnostic.at(span, ""));
                return None;
            }
            (Query::Bound(Bound { comparison, threshold }), _) => match comparison {
                Comparison::Ge => Goal::AtLeast(threshold),
                Comparison::Le => Goal::AtMost(threshold),
                Comparison::Gt => Goal::MoreThan(threshold),
                Comparison::Lt => Goal::LessThan(threshold),
            },
        };
        Some((Objective { measured, goal }, id))
    }

    fn bad_objective(&mut self, span: Span, id: FormulaId) {
        let (message, help) = match self.formulas.get(id) {
            Formula::Reward { .. } => (
                "the reward of an objective must be C or C<=k",
                "to accumulate rewards until a target, let the model earn nothing after it, and use C",
            ),
            Formula::Conditional { .. } => {
                ("an objective cannot have a condition", "check the conditional probability separately")
            }
            _ => (
                "an objective must be a P or R operator",
                "as in multi(Pmax=? [ F \"goal\" ], P<=0.1 [ F \"error\" ])",
            ),
        };
        let diagnostic = Diagnostic::error(codes::BAD_OBJECTIVE, message).at(span, "").help(help);
        self.report(diagnostic);
    }

    /// `path || condition`, for the operator above.
    pub(super) fn conditional(&mut self, place: Place) -> Option<TypedFormula> {
        let ExprKind::Conditional { path, given } = self.kind_of(place.0, place.1) else { return None };
        let path = self.formula(place.0, path);
        self.formula(place.0, given)?;
        Some(TypedFormula { id: path?.id, kind: Kind::Conditional })
    }
}
