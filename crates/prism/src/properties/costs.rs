//! Bounds of temporal operators on rewards and on several quantities at once, quantiles, and discounted rewards.
//!
//! The syntax is Storm's: `F{"cost"}<=B φ`, `F^{rew{"a"}<=3, steps<=10} φ`, `quantile(min B, P>=0.9 [ F{"cost"}<=B φ ])`,
//! `R=? [ Cdiscount=0.9 ]`. As there, a path formula holds where its right side does at a moment at which all bounds hold; rewards
//! are earned when a state is left.

use super::translate::{Item, Translator};
use super::typed_formula::{Kind, TypedFormula};
use crate::ast::{self, ExprId, Optimum, QuantileVariable, RewardName, Temporal};
use crate::lower::{ContextId, number};
use dashu_ratio::RBig;
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_logic::{
    Comparison, CostBound, Counted, Formula, FormulaId, Limit, Quantile, Query, Ratio, RewardQuery,
};
use volvelle_model::Kind as ModelKind;

/// Bounds with the end that is the variable of a quantile: the bound and the end.
pub(super) struct CostBounds {
    bounds: Vec<CostBound>,
    open: Option<(usize, ast::OpenEnd)>,
}

impl Translator<'_> {
    /// The bounds of an operator.
    pub(super) fn cost_bounds(
        &mut self,
        context: ContextId,
        op: Temporal,
        first: &ast::TimeBound,
    ) -> Option<CostBounds> {
        let place = first.all().find_map(|bound| bound.span);
        if self.model_kind() == ModelKind::Ctmc || op == Temporal::Next {
            let what = match op {
                Temporal::Next => "bounds on rewards or steps of X",
                _ => "bounds on rewards or steps in a ctmc",
            };
            let message = format!("{what} are not yet evaluated");
            let diagnostic = Diagnostic::error(codes::NOT_YET_EVALUATED, message);
            self.report(match place {
                Some(place) => diagnostic.at(place, ""),
                None => diagnostic,
            });
            return None;
        }
        let mut bounds = Vec::new();
        let mut open = None;
        for (i, bound) in first.all().enumerate() {
            if let (Some(end), Some(_)) = (&bound.open, &open) {
                let message = "a quantile can have one variable only";
                self.report(Diagnostic::error(codes::NOT_YET_EVALUATED, message).at(end.variable.span, ""));
                return None;
            }
            if let Some(end) = &bound.open {
                if end.strict {
                    let relation = if end.upper { "<=" } else { ">=" };
                    let diagnostic =
                        Diagnostic::error(codes::BAD_BOUND, "the bound of a quantile cannot be strict")
                            .at(end.variable.span, "")
                            .help(format!(
                                "write {relation}: amounts are compared including the bound itself"
                            ));
                    self.report(diagnostic);
                    return None;
                }
                open = Some((i, end.clone()));
            }
            bounds.push(self.cost_bound(context, bound));
        }
        Some(CostBounds { bounds: bounds.into_iter().collect::<Option<_>>()?, open })
    }

    fn cost_bound(&mut self, context: ContextId, bound: &ast::TimeBound) -> Option<CostBound> {
        let counted = match &bound.counted {
            ast::Counted::Time | ast::Counted::Steps => Counted::Steps,
            ast::Counted::Reward(name) => {
                Counted::Reward(self.rewards(context, &RewardName::Named(name.clone()), name.span)?)
            }
        };
        let mut end = |id: Option<ExprId>| -> Option<Option<RBig>> {
            let Some(id) = id else { return Some(None) };
            Some(Some(match counted {
                Counted::Steps => RBig::try_from(self.time(context, id)?).ok()?,
                Counted::Reward(_) => self.amount(context, id)?,
            }))
        };
        let lower = end(bound.lower)?;
        let upper = if bound.equal { lower.clone() } else { end(bound.upper)? };
        if let (Some(from), Some(to)) = (&lower, &upper)
            && (from > to || from == to && (bound.lower_strict || bound.upper_strict))
        {
            let mut diagnostic = Diagnostic::error(codes::BAD_BOUND, "no amount lies within these bounds");
            if let Some(span) = bound.span {
                diagnostic = diagnostic.at(span, format!("from {from} to {to}"));
            }
            self.report(diagnostic);
            return None;
        }
        let limit = |amount: Option<RBig>, strict| amount.map(|amount| Limit { amount, strict });
        let (mut lower, mut upper) = (limit(lower, bound.lower_strict), limit(upper, bound.upper_strict));
        if let Some(open) = &bound.open {
            let end = if open.upper { &mut upper } else { &mut lower };
            *end = Some(Limit { amount: RBig::ZERO, strict: false });
        }
        Some(CostBound { counted, lower, upper })
    }

    /// An amount of a reward: a number that is not negative, as it is written.
    fn amount(&mut self, context: ContextId, id: ExprId) -> Option<RBig> {
        let value = self.constant_number(context, id, "the bound on a reward")?;
        if !value.is_finite() || value < 0.0 {
            let message = if value < 0.0 {
                format!("the bound on a reward is negative: {}", number(value))
            } else {
                "the bound on a reward is not finite".to_owned()
            };
            self.report(Diagnostic::error(codes::BAD_BOUND, message).at(self.span((context, id)), ""));
            return None;
        }
        let exact = match self.item((context, id)) {
            Some(Item::Plain(typed)) => typed.exact.as_deref().cloned(),
            _ => None,
        };
        exact.or_else(|| RBig::try_from(value).ok())
    }

    /// A temporal operator with bounds; all are made of until.
    pub(super) fn bounded(
        &mut self,
        op: Temporal,
        left: FormulaId,
        right: FormulaId,
        CostBounds { bounds, open }: CostBounds,
    ) -> TypedFormula {
        let mut not = |id: FormulaId| self.formulas.add(Formula::Not(id));
        let (left, right, negated) = match op {
            Temporal::Globally => (left, not(right), true),
            Temporal::WeakUntil => {
                let (not_left, not_right) = (not(left), not(right));
                (not_right, self.formulas.add(Formula::And(not_left, not_right)), true)
            }
            Temporal::Release => (not(left), not(right), true),
            Temporal::Next | Temporal::Finally | Temporal::Until => (left, right, false),
        };
        let until = self.formed(Formula::BoundedUntil(left, right, bounds), Kind::Path);
        self.open_ends.extend(open.map(|open| (until.id, open)));
        if negated { self.formed(Formula::Not(until.id), Kind::Path) } else { until }
    }

    /// `quantile(min B, P>=p [ F{"cost"}<=B φ ])`
    pub(super) fn quantile(
        &mut self,
        context: ContextId,
        variables: &[QuantileVariable],
        property: ExprId,
        span: Span,
    ) -> Option<TypedFormula> {
        let formed = self.formula(context, property)?;
        if let [_, second, ..] = variables {
            let message = "quantiles with several variables are not yet evaluated";
            self.report(Diagnostic::error(codes::NOT_YET_EVALUATED, message).at(second.name.span, ""));
            return None;
        }
        let found = match *self.formulas.get(formed.id) {
            Formula::Prob { optimum, query: Query::Bound(bound), path } => {
                self.open_ends.get(&path).cloned().map(|open| (optimum, bound, path, open))
            }
            _ => None,
        };
        let until = found.and_then(|(optimum, bound, path, open)| match self.formulas.get(path).clone() {
            Formula::BoundedUntil(left, right, bounds) => Some((optimum, bound, left, right, bounds, open)),
            _ => None,
        });
        let Some((optimum, bound, left, right, bounds, (open, end))) = until else {
            let diagnostic = Diagnostic::error(
                codes::PROPERTY_TYPE,
                "a quantile needs a probability with a threshold, in which its variable is a bound",
            )
            .at(span, "")
            .help("as in quantile(min B, P>=0.9 [ F{\"cost\"}<=B \"goal\" ])");
            self.report(diagnostic);
            return None;
        };
        let at_least = matches!(bound.comparison, Comparison::Ge | Comparison::Gt);
        let (asked, word) = if at_least == end.upper { (Optimum::Min, "min") } else { (Optimum::Max, "max") };
        if let Some(variable) = variables.iter().find(|v| v.optimum.is_some_and(|optimum| optimum != asked)) {
            let name = &variable.name.text;
            let extent = if asked == Optimum::Min { "large enough" } else { "small enough" };
            let diagnostic = Diagnostic::error(
                codes::PROPERTY_TYPE,
                format!("the threshold is met by every `{name}` that is {extent}"),
            )
            .at(variable.name.span, "")
            .help(format!("write {word} {name}"));
            self.report(diagnostic);
            return None;
        }
        let exact = match self.formulas.exact(formed.id, bound.threshold) {
            Some(Ratio::Finite(exact)) => Some(exact),
            _ => None,
        };
        let quantile = Quantile { optimum, bound, left, right, bounds, open, upper: end.upper };
        let formed = self.formed(Formula::Quantile(Box::new(quantile)), Kind::Double);
        self.formulas.set_exact(formed.id, exact);
        Some(formed)
    }

    /// `C{"cost"}<=B`: the bounds become those of an until that never ends.
    pub(super) fn within(&mut self, context: ContextId, bound: &ast::TimeBound) -> Option<RewardQuery> {
        let place = bound.all().find_map(|bound| bound.span);
        if self.model_kind() == ModelKind::Ctmc && bound.is_time() && bound.more.is_empty() {
            self.only_upper(place);
            return None;
        }
        let CostBounds { bounds, open } = self.cost_bounds(context, Temporal::Finally, bound)?;
        if let Some((_, end)) = open {
            let message = "quantiles over accumulated rewards are not yet evaluated";
            self.report(Diagnostic::error(codes::NOT_YET_EVALUATED, message).at(end.variable.span, ""));
            return None;
        }
        if bounds.iter().any(|bound| bound.lower.is_some()) {
            self.only_upper(place);
            return None;
        }
        let (all, never) = (self.formulas.add(Formula::Bool(true)), self.formulas.add(Formula::Bool(false)));
        Some(RewardQuery::Within(self.formulas.add(Formula::BoundedUntil(all, never, bounds))))
    }

    fn only_upper(&mut self, place: Option<Span>) {
        let message = "a reward can be accumulated up to a bound only";
        let diagnostic = Diagnostic::error(codes::BAD_BOUND, message).help("use <= or <");
        self.report(match place {
            Some(place) => diagnostic.at(place, ""),
            None => diagnostic,
        });
    }

    /// `R{"a"}/{"b"}=? [ S ]`
    pub(super) fn ratio(
        &mut self,
        context: ContextId,
        over: &RewardName,
        path: &ast::RewardPath,
        span: Span,
    ) -> Option<RewardQuery> {
        let over = self.rewards(context, over, span);
        let refused = if *path != ast::RewardPath::SteadyState {
            "ratios of rewards other than in the long run, R{...}/{...}=? [ S ], are"
        } else if self.model_kind() == ModelKind::Mdp {
            "ratios of rewards of an mdp, whose best schedulers depend on the best ratio itself, are"
        } else {
            return over.map(RewardQuery::Ratio);
        };
        self.not_yet(span, refused);
        None
    }

    /// `Cdiscount=d`, `C<=t discount=d`
    pub(super) fn discounted(
        &mut self,
        context: ContextId,
        factor: ExprId,
        upto: Option<ExprId>,
    ) -> Option<RewardQuery> {
        let steps = upto.map(|steps| self.time(context, steps));
        let value = self.constant_number(context, factor, "the discount factor")?;
        if self.model_kind() == ModelKind::Ctmc {
            let diagnostic = Diagnostic::error(
                codes::NOT_YET_EVALUATED,
                "discounted rewards of a ctmc are not yet evaluated",
            );
            self.report(diagnostic.at(self.span((context, factor)), ""));
            return None;
        }
        if !(value > 0.0 && value < 1.0) {
            let message = format!("the discount factor {} is not between 0 and 1", number(value));
            let diagnostic =
                Diagnostic::error(codes::BAD_BOUND, message).at(self.span((context, factor)), "");
            self.report(diagnostic.help("without discount: R=? [ C ], R=? [ C<=k ]"));
            return None;
        }
        let exact = match self.item((context, factor)) {
            Some(Item::Plain(typed)) => typed.exact.as_deref().cloned(),
            _ => None,
        };
        let Some(exact) = exact else {
            let message = "the discount factor has no rational value";
            let diagnostic =
                Diagnostic::error(codes::BAD_BOUND, message).at(self.span((context, factor)), "");
            self.report(diagnostic.help("write a decimal or a fraction: 0.95, 19/20"));
            return None;
        };
        let rest = (RBig::ONE - &exact).to_f64().value();
        self.formulas.set_exact_discount(value, Some(exact));
        Some(RewardQuery::Discounted {
            factor: value,
            rest,
            upto: match steps {
                Some(steps) => Some(steps?),
                None => None,
            },
        })
    }
}
