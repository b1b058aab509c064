//! The operators of the logic: `P`, `R`, `S`, `T`, `A`, `E`, filters, temporal operators with their bounds.

use super::formula::comparison;
use super::translate::{Item, Translator};
use super::typed_formula::{Kind, TypedFormula};
use crate::ast::{self, BinaryOp, ExprId, ExprKind, Function, RewardName, RewardPath, Temporal};
use crate::lower::{ContextId, Lowering, Place, Ty, Value, describe, number};
use dashu_ratio::RBig;
use volvelle_diagnostics::{Diagnostic, Fix, Span, codes};
use volvelle_logic::{
    Bound, Comparison, Formula, FormulaId, Optimum, Query, RewardId, RewardQuery, TimeBound,
};
use volvelle_model::Kind as ModelKind;

/// The right side of `||`, for messages.
const CONDITION: &str = "a condition";

/// The quantity that a threshold is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quantity {
    Probability,
    Reward,
    Time,
}

impl Translator<'_> {
    /// Translates an operator of the logic, or an ordinary one on formulas.
    pub(super) fn operator(&mut self, place: Place, kind: &ExprKind) -> Option<TypedFormula> {
        let (context, span) = (place.0, self.span(place));
        match kind {
            ExprKind::Prob { optimum, query, path, filter } => {
                let paths = match self.kind_of(context, *path) {
                    ExprKind::Conditional { path, given } => {
                        self.conditional_paths(context, path, given).map(|(path, given)| (path, Some(given)))
                    }
                    _ => self.path(context, *path, "P").map(|path| (path, None)),
                };
                let asked = self.query(context, *optimum, *query, Quantity::Probability, span);
                let (optimum, query) = asked?;
                let formula = match paths? {
                    (path, Some(given)) => Formula::Conditional { optimum, query, path, given },
                    (path, None) => Formula::Prob { optimum, query, path },
                };
                self.filtered(context, formula, query, filter.as_ref())
            }
            ExprKind::Reward { name, optimum, query, path, filter } => {
                let (rewards, what) = match name {
                    RewardName::Ratio(names) => {
                        (self.rewards(context, &names[0], span), self.ratio(context, &names[1], path, span))
                    }
                    _ => (self.rewards(context, name, span), self.reward_query(context, path)),
                };
                let asked = self.query(context, *optimum, *query, Quantity::Reward, span);
                let (optimum, query) = asked?;
                let formula = Formula::Reward { rewards: rewards?, optimum, query, what: what? };
                self.filtered(context, formula, query, filter.as_ref())
            }
            ExprKind::Steady { optimum, query, states, filter } => {
                let states = self.states(context, *states);
                let asked = self.query(context, *optimum, *query, Quantity::Probability, span);
                let (optimum, query) = asked?;
                let formula = Formula::Steady { optimum, query, states: states? };
                self.filtered(context, formula, query, filter.as_ref())
            }
            ExprKind::Time { optimum, query, path } => {
                let path = self.path(context, *path, "T");
                let (optimum, query) = self.query(context, *optimum, *query, Quantity::Time, span)?;
                Some(self.formed(Formula::Time { optimum, query, path: path? }, kind_of_query(query)))
            }
            ExprKind::Strategy { coalition, operands } => self.strategy(context, coalition, operands, span),
            ExprKind::ForAll(path) => {
                let path = self.path(context, *path, "A")?;
                Some(self.formed(Formula::ForAll(path), Kind::Bool))
            }
            ExprKind::Exists(path) => {
                let path = self.path(context, *path, "E")?;
                Some(self.formed(Formula::Exists(path), Kind::Bool))
            }
            ExprKind::Filter { op, property, states } => self.filter(context, op, *property, *states),
            ExprKind::Quantile { variables, property } => self.quantile(context, variables, *property, span),
            ExprKind::Automaton { file, propositions } => self.automaton(place, file, propositions),
            ExprKind::Temporal { op, lhs, rhs, bound } => self.temporal(context, *op, *lhs, *rhs, bound),
            // The operator above takes it apart; anywhere else it is refused there.
            ExprKind::Conditional { .. } => self.conditional(place),
            ExprKind::Call { function: Function::Multi, args } => self.objectives(context, args, span),
            ExprKind::Unsupported { .. } => {
                self.not_yet(span, &format!("{} are", describe(kind)));
                None
            }
            _ => self.ordinary(place, kind),
        }
    }

    pub(super) fn kind_of(&self, context: ContextId, mut id: ExprId) -> ExprKind {
        let exprs = self.lowering.exprs(context);
        while let ExprKind::Paren(inner) = exprs.get(id).kind {
            id = inner;
        }
        exprs.get(id).kind.clone()
    }

    pub(super) fn model_kind(&self) -> ModelKind {
        self.lowering.program.kind()
    }

    pub(super) fn not_yet(&mut self, span: Span, what: &str) {
        let diagnostic = Diagnostic::error(codes::NOT_YET_EVALUATED, format!("{what} not yet evaluated"));
        self.report(diagnostic.at(span, ""));
    }

    /// A path formula. A condition on states is one, too: it is about the first state of a path, which may not be what was
    /// meant.
    fn path(&mut self, context: ContextId, id: ExprId, operator: &str) -> Option<FormulaId> {
        let formed = self.formula(context, id)?;
        match formed.kind {
            Kind::Path => return Some(formed.id),
            Kind::Bool => {
                let (message, help) = match operator {
                    CONDITION => (
                        "what follows `||` is about the first state of a path".to_owned(),
                        "a disjunction is written `|`; to ask whether such a state is reached, write F before it",
                    ),
                    _ => (
                        format!("{operator} of a condition is about the first state of a path"),
                        "to ask whether such a state is reached, write F before it",
                    ),
                };
                let remark = Diagnostic::note_only(codes::CONDITION_AS_PATH, message)
                    .at(self.span((context, id)), "this is a condition on states")
                    .help(help);
                self.report(remark);
                return Some(formed.id);
            }
            _ => {}
        }
        let message = format!("{operator} needs a path formula");
        let mut diagnostic = Diagnostic::error(codes::PROPERTY_TYPE, message)
            .at(self.span((context, id)), format!("this is {}", formed.kind.a_name()));
        if operator == CONDITION {
            diagnostic =
                diagnostic.help("a disjunction is written `|`; `||` is followed by a condition on paths");
        }
        self.report(diagnostic);
        None
    }

    /// The two sides of `||`: at least one of them is about more than the first state, else a disjunction was meant.
    fn conditional_paths(
        &mut self,
        context: ContextId,
        path: ExprId,
        given: ExprId,
    ) -> Option<(FormulaId, FormulaId)> {
        let kinds = [path, given].map(|id| self.formula(context, id).map(|formed| formed.kind));
        if kinds == [Some(Kind::Bool); 2] {
            let diagnostic =
                Diagnostic::error(codes::PROPERTY_TYPE, "`||` makes a conditional probability here")
                    .at(self.span((context, given)), "this is a condition on states")
                    .also(self.span((context, path)), "and this, too")
                    .help("a disjunction is written `|`; `||` is followed by a condition on paths");
            self.report(diagnostic);
            return None;
        }
        let (path, given) = (self.path(context, path, "P"), self.path(context, given, CONDITION));
        Some((path?, given?))
    }

    /// A condition on states.
    pub(super) fn states(&mut self, context: ContextId, id: ExprId) -> Option<FormulaId> {
        let formed = self.formula(context, id)?;
        if formed.kind == Kind::Bool {
            return Some(formed.id);
        }
        self.expected_condition(context, id, formed.kind);
        None
    }

    /// A condition on states or paths.
    fn truth(&mut self, context: ContextId, id: ExprId) -> Option<FormulaId> {
        let formed = self.formula(context, id)?;
        if formed.kind.is_truth() {
            return Some(formed.id);
        }
        self.expected_condition(context, id, formed.kind);
        None
    }

    fn expected_condition(&mut self, context: ContextId, id: ExprId, found: Kind) {
        let message = format!("expected a condition, found {}", found.a_name());
        let diagnostic = Diagnostic::error(codes::PROPERTY_TYPE, message).at(self.span((context, id)), "");
        self.report(diagnostic);
    }

    /// The query, and the schedulers that it ranges over. Without `min` or `max`, a threshold on an mdp is meant for
    /// all of them: the least value has to reach a lower threshold, the greatest an upper one.
    fn query(
        &mut self,
        context: ContextId,
        optimum: Option<ast::Optimum>,
        query: ast::Query,
        quantity: Quantity,
        span: Span,
    ) -> Option<(Option<Optimum>, Query)> {
        let query = match query {
            ast::Query::Value => Query::Value,
            ast::Query::Bound(op, threshold) => {
                Query::Bound(self.threshold(context, op, threshold, quantity, span)?)
            }
        };
        if self.model_kind() != ModelKind::Mdp {
            // Chains have no schedulers, but PRISM accepts `min` and `max` for them.
            return Some((None, query));
        }
        let optimum = match (optimum, query) {
            (Some(ast::Optimum::Min), _) => Optimum::Min,
            (Some(ast::Optimum::Max), _) => Optimum::Max,
            (None, Query::Bound(Bound { comparison: Comparison::Gt | Comparison::Ge, .. })) => Optimum::Min,
            (None, Query::Bound(_)) => Optimum::Max,
            // An mdp in which there is nothing to choose has one value; others are refused when that is known.
            (None, Query::Value) => return Some((None, query)),
        };
        Some((Some(optimum), query))
    }

    fn threshold(
        &mut self,
        context: ContextId,
        op: BinaryOp,
        threshold: ExprId,
        quantity: Quantity,
        span: Span,
    ) -> Option<Bound> {
        let mut value = self.constant_number(context, threshold, "a threshold")?;
        if let Some(Item::Plain(typed)) = self.item((context, threshold)) {
            self.note_inexact(&typed);
            let exact = typed.exact.as_deref();
            // Rounding may have led a little out of the probabilities: `1-0.9-0.1`.
            if exact.is_some_and(|exact| *exact >= RBig::ZERO && *exact <= RBig::ONE) {
                value = value.clamp(0.0, 1.0);
            }
            self.threshold = Some(exact.cloned());
        }
        let at = self.span((context, threshold));
        let Some(comparison) = comparison(op) else {
            let diagnostic = Diagnostic::error(codes::BAD_BOUND, "a value cannot be compared with `=`")
                .at(span, "")
                .help("use <, <=, > or >=, or request the value with =?");
            self.report(diagnostic);
            return None;
        };
        let message = match quantity {
            Quantity::Probability if !(0.0..=1.0).contains(&value) => {
                Some(format!("the probability {} is not between 0 and 1", number(value)))
            }
            Quantity::Time if value < 0.0 => Some(format!("the time {} is negative", number(value))),
            _ if value.is_nan() => Some("the threshold is not a number".to_owned()),
            _ => None,
        };
        if let Some(message) = message {
            let diagnostic = Diagnostic::error(codes::BAD_BOUND, message).at(at, "");
            self.report(match quantity {
                Quantity::Probability if (1.0..=100.0).contains(&value) => {
                    let written = number(value / 100.0);
                    diagnostic.help(format!("{} % is written {written}", number(value))).fix(Fix::replace(
                        format!("write `{written}`"),
                        at,
                        written,
                    ))
                }
                _ => diagnostic,
            });
            return None;
        }
        Some(Bound { comparison, threshold: value })
    }

    /// The value of a constant number.
    pub(super) fn constant_number(&mut self, context: ContextId, id: ExprId, what: &str) -> Option<f64> {
        let typed = match self.item((context, id))? {
            Item::Plain(typed) => typed,
            Item::Formula(_) => {
                let diagnostic = Diagnostic::error(codes::NOT_CONSTANT, format!("{what} must be constant"))
                    .at(self.span((context, id)), "this depends on the state");
                self.report(diagnostic);
                return None;
            }
        };
        if typed.ty == Ty::Bool {
            let diagnostic = Diagnostic::error(codes::PROPERTY_TYPE, format!("{what} must be a number"))
                .at(self.span((context, id)), "this is a bool");
            self.report(diagnostic);
            return None;
        }
        let typed = self.lowering.require_constant(context, id, typed, what)?;
        match self.lowering.value_of(&typed)? {
            Value::Int(value) => Some(value as f64),
            Value::Double(value) => Some(value),
            Value::Bool(_) => None,
        }
    }

    /// A time, or a number of steps: not negative, and an integer where time is counted in steps.
    pub(super) fn time(&mut self, context: ContextId, id: ExprId) -> Option<f64> {
        let steps = self.model_kind() != ModelKind::Ctmc;
        let what = if steps { "the number of steps" } else { "the time" };
        let value = self.constant_number(context, id, what)?;
        let message = if value < 0.0 {
            format!("{what} is negative: {}", number(value))
        } else if !value.is_finite() {
            format!("{what} is not finite")
        } else if steps && value.fract() != 0.0 {
            format!("{what} is not an integer")
        } else {
            return Some(value);
        };
        let mut diagnostic = Diagnostic::error(codes::BAD_BOUND, message).at(self.span((context, id)), "");
        if steps && value.fract() != 0.0 {
            let kind = if self.model_kind() == ModelKind::Mdp { "an mdp" } else { "a dtmc" };
            diagnostic = diagnostic.help(format!("time is counted in steps because the model is {kind}"));
        }
        self.report(diagnostic);
        None
    }

    fn time_bound(&mut self, context: ContextId, bound: &ast::TimeBound) -> Option<TimeBound> {
        let lower = bound.lower.map(|id| self.time(context, id));
        let upper = match bound.upper {
            Some(_) if bound.equal && bound.lower.is_some() => lower,
            upper => upper.map(|id| self.time(context, id)),
        };
        let lower = match (lower, bound.equal) {
            (None, true) => upper,
            (lower, _) => lower,
        };
        let translated = TimeBound {
            lower: lower.unwrap_or(Some(0.0))?,
            lower_strict: bound.lower_strict,
            upper: match upper {
                None => None,
                Some(value) => Some(value?),
            },
            upper_strict: bound.upper_strict,
        };
        let strict = translated.lower_strict || translated.upper_strict;
        if let Some(upper) = translated.upper
            && (upper < translated.lower || upper == translated.lower && strict)
        {
            let mut diagnostic = Diagnostic::error(codes::BAD_BOUND, "no time lies within these bounds");
            if let Some(span) = bound.span {
                let text = format!("from {} to {}", number(translated.lower), number(upper));
                diagnostic = diagnostic.at(span, text);
            }
            self.report(diagnostic);
            return None;
        }
        Some(translated)
    }

    fn temporal(
        &mut self,
        context: ContextId,
        op: Temporal,
        lhs: Option<ExprId>,
        rhs: ExprId,
        bound: &ast::TimeBound,
    ) -> Option<TypedFormula> {
        let left = lhs.map(|lhs| self.truth(context, lhs));
        let right = self.truth(context, rhs);
        // In discrete time, steps are the time.
        let is_time = bound.is_time() || bound.is_steps() && self.model_kind() != ModelKind::Ctmc;
        let costs = (!is_time).then(|| self.cost_bounds(context, op, bound));
        let time = if costs.is_none() { self.time_bound(context, bound) } else { Some(TimeBound::NONE) };
        let (right, bound) = (right?, time?);
        let left = match left {
            Some(left) => left?,
            None => self.formulas.add(Formula::Bool(true)),
        };
        if let Some(costs) = costs {
            return Some(self.bounded(op, left, right, costs?));
        }
        let formula = match op {
            Temporal::Next => Formula::Next(right, bound),
            Temporal::Finally | Temporal::Until => Formula::Until(left, right, bound),
            Temporal::Globally => {
                let never = self.formulas.add(Formula::Bool(false));
                Formula::WeakUntil(right, never, bound)
            }
            Temporal::WeakUntil => Formula::WeakUntil(left, right, bound),
            Temporal::Release => Formula::Release(left, right, bound),
        };
        Some(self.formed(formula, Kind::Path))
    }

    pub(super) fn rewards(&mut self, context: ContextId, name: &RewardName, span: Span) -> Option<RewardId> {
        let known = self.lowering.program.rewards.len();
        match name {
            RewardName::First if known > 0 => Some(RewardId(0)),
            RewardName::First => {
                let diagnostic =
                    Diagnostic::error(codes::UNKNOWN_REWARD, "the model has no reward structure")
                        .at(span, "")
                        .help("declare one: rewards true : 1; endrewards counts steps, or time in a ctmc");
                self.report(diagnostic);
                None
            }
            RewardName::Named(name) => {
                let Lowering { numbers, program, .. } = &mut *self.lowering;
                if let Some(i) = numbers.rewards(program, &name.text) {
                    return Some(RewardId(i as u32));
                }
                let names = || program.rewards.iter().filter_map(|r| r.name.as_deref());
                let message = format!("there is no reward structure \"{}\"", name.text);
                let mut diagnostic = Diagnostic::error(codes::UNKNOWN_REWARD, message);
                diagnostic = diagnostic.at_misspelt_quoted(name.span, &name.text, names());
                if diagnostic.fixes.is_empty() {
                    let list: Vec<String> = names().take(12).map(|name| format!("\"{name}\"")).collect();
                    diagnostic = diagnostic.help(match list.len() {
                        0 => "the model has no named reward structure".to_owned(),
                        _ => format!("the model has {}", list.join(", ")),
                    });
                }
                self.report(diagnostic);
                None
            }
            // Taken apart where it is used.
            RewardName::Ratio(_) => None,
            RewardName::Index(id) => {
                let index = self.constant_number(context, *id, "the number of a reward structure")?;
                if index.fract() == 0.0 && (1.0..=known as f64).contains(&index) {
                    return Some(RewardId(index as u32 - 1));
                }
                let message = format!("there is no reward structure number {}", number(index));
                let diagnostic = Diagnostic::error(codes::UNKNOWN_REWARD, message)
                    .at(self.span((context, *id)), "")
                    .help(format!("the model has {known}, counted from 1"));
                self.report(diagnostic);
                None
            }
        }
    }

    /// A reward accumulated until a path formula is satisfied, perhaps under a condition.
    fn reward_until(&mut self, context: ContextId, path: ExprId) -> Option<RewardQuery> {
        let ExprKind::Conditional { path, given } = self.kind_of(context, path) else {
            let formula = self.path(context, path, "R")?;
            if matches!(self.formulas.get(formula), Formula::BoundedUntil(..)) {
                let place = self.span((context, path));
                self.not_yet(place, "rewards until a formula with bounds on rewards are");
                return None;
            }
            return Some(RewardQuery::Reach(formula));
        };
        let path = self.path(context, path, "R");
        let given = self.path(context, given, "a condition");
        Some(RewardQuery::ReachGiven(path?, given?))
    }

    fn reward_query(&mut self, context: ContextId, path: &RewardPath) -> Option<RewardQuery> {
        Some(match path {
            RewardPath::CumulativeUpTo(time) => RewardQuery::Cumulative(self.time(context, *time)?),
            RewardPath::Instantaneous(time) => RewardQuery::Instantaneous(self.time(context, *time)?),
            RewardPath::Total => RewardQuery::Total,
            RewardPath::Discounted { factor, upto } => self.discounted(context, *factor, *upto)?,
            RewardPath::SteadyState => RewardQuery::LongRun,
            RewardPath::Within(bound) => self.within(context, bound)?,
            RewardPath::Path(path) => self.reward_until(context, *path)?,
        })
    }
}

pub(super) fn kind_of_query(query: Query) -> Kind {
    match query {
        Query::Value => Kind::Double,
        Query::Bound(_) => Kind::Bool,
    }
}
