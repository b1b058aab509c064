//! Failures met while exploring, explained: which place failed, with which values, in which state.

use super::values::{excerpt, number};
use super::{Lowered, Sources};
use volvelle_diagnostics::{Code, Diagnostic, codes};
use volvelle_kernel::{Const, ExprId, FailKind, Node, Site, interp};
use volvelle_model::{
    Alternative, Assignment, ComponentId, Domain, FieldId, Outcome, Program, SiteInfo, SiteSubject, Weight,
};

impl Lowered {
    /// Explains the failure of a site in a state: `values` has one value per field, Booleans 0 or 1. How the state was
    /// reached is for the caller to add.
    pub fn explain_failure(&self, sources: &Sources, site: Site, values: &[i64]) -> Diagnostic {
        self.explain_site(sources, site, values).note(format!("in state {}", self.state_text(values)))
    }

    /// The same without the state.
    pub fn explain_site(&self, sources: &Sources, site: Site, values: &[i64]) -> Diagnostic {
        let program = &self.inner.program;
        let Some(info) = program.sites.get(site.index()).copied() else {
            return Diagnostic::error(codes::OUT_OF_RANGE, "evaluating the model failed");
        };
        let state = locals(program, values);
        let place = find(program, site);
        let (code, message, text, help) = match info.subject {
            SiteSubject::Assignment(field) => self.assignment(field, &place, &state),
            SiteSubject::Weight => self.weight(&place, &state),
            SiteSubject::Sum => self.sum(&place, &state),
            SiteSubject::Reward => self.reward(site, &state),
            // Modules assert nothing, apply no functions on terms and have no slots.
            SiteSubject::Expression
            | SiteSubject::Assertion
            | SiteSubject::Application(_)
            | SiteSubject::Room(_)
            | SiteSubject::Note => self.expression(sources, site, &info, &state),
        };
        let mut diagnostic = Diagnostic::error(code, message).at(self.span(info.origin), text);
        if let Some(component) = place.component {
            diagnostic = diagnostic.note(format!("in module {}", program.components[component.index()].name));
        }
        match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    /// `q=5 open=true`
    pub fn state_text(&self, values: &[i64]) -> String {
        // Fields with quoted names stand for labels.
        let fields = self.inner.program.fields.iter().zip(values);
        let fields = fields.filter(|(field, _)| !field.name.starts_with('"'));
        let shown: Vec<String> = fields
            .map(|(field, &value)| match field.domain {
                Domain::Bool => format!("{}={}", field.name, value != 0),
                _ => format!("{}={value}", field.name),
            })
            .collect();
        shown.join(" ")
    }

    fn assignment(&self, field: FieldId, place: &Place<'_>, state: &[Const]) -> Explanation {
        let program = &self.inner.program;
        let field = &program.fields[field.index()];
        let name = &field.name;
        let value = place.assignment.and_then(|a| int(program, a.value, state));
        let message = "a command leaves the range of its variable".to_owned();
        if let Domain::Growing { .. } = field.domain {
            let text = value.map_or(String::new(), |value| format!("{name} would become {value}"));
            return (
                codes::INTEGER_OVERFLOW,
                "the value does not fit in a 32-bit integer".to_owned(),
                text,
                None,
            );
        }
        let (lo, hi) = field.domain.bounds();
        let text = match value {
            Some(value) => format!("{name} would become {value}, its range is {lo}..{hi}"),
            None => format!("the range of {name} is {lo}..{hi}"),
        };
        let help = match value {
            Some(value) if value > hi => {
                Some(format!("guard the command with {name}<{hi}, or widen the range"))
            }
            Some(value) if value < lo => {
                Some(format!("guard the command with {name}>{lo}, or widen the range"))
            }
            _ => None,
        };
        // The guard that is proposed must be false here.
        let at = place.assignment.and_then(|a| state.get(a.field.index())).and_then(|c| c.as_i64());
        let help = help.filter(|_| match value {
            Some(value) if value > hi => at.is_some_and(|at| at >= hi),
            _ => at.is_some_and(|at| at <= lo),
        });
        (
            codes::OUT_OF_RANGE,
            message,
            text,
            help.or(Some("guard the command, or widen the range".to_owned())),
        )
    }

    fn weight(&self, place: &Place<'_>, state: &[Const]) -> Explanation {
        let what = self.weight_name();
        let value = place.outcome.and_then(|outcome| weight(&self.inner.program, outcome, state));
        match value {
            Some(value) if value < 0.0 => {
                let text = format!("this is {}", number(value));
                (codes::NEGATIVE_WEIGHT, format!("a {what} is negative"), text, None)
            }
            Some(value) if value.is_infinite() => {
                (codes::NOT_A_NUMBER_WEIGHT, format!("a {what} is infinite"), "this is inf".to_owned(), None)
            }
            _ => {
                let message = format!("a {what} is not a number");
                (codes::NOT_A_NUMBER_WEIGHT, message, "this is not a number".to_owned(), None)
            }
        }
    }

    fn weight_name(&self) -> &'static str {
        if self.inner.program.kind() == volvelle_model::Kind::Ctmc { "rate" } else { "probability" }
    }

    fn sum(&self, place: &Place<'_>, state: &[Const]) -> Explanation {
        let sum = place.alternative.and_then(|alternative| alternative.sum);
        let sum = sum.and_then(|sum| double(&self.inner.program, sum.expr, state));
        let text =
            sum.map_or(String::new(), |sum| format!("the sum is {}", super::commands::shown_sum(sum - 1.0)));
        (codes::PROBABILITY_SUM, "the probabilities of a command do not sum to 1".to_owned(), text, None)
    }

    fn reward(&self, site: Site, state: &[Const]) -> Explanation {
        let program = &self.inner.program;
        let found = program.rewards.iter().find_map(|rewards| {
            let on_states = rewards.states.iter().map(|item| (item.site, item.value));
            let on_steps = rewards.transitions.iter().map(|item| (item.site, item.value));
            let value = on_states.chain(on_steps).find(|(at, _)| *at == site)?.1;
            Some((rewards.name.as_deref(), value))
        });
        let value = found.and_then(|(_, value)| double(program, value, state));
        let name = found.and_then(|(name, _)| name).map_or(String::new(), |name| format!(" \"{name}\""));
        let (is, text) = match value {
            Some(value) if value.is_infinite() => ("infinite", format!("this is {value}")),
            // Where it is bounded, and nowhere else.
            Some(value) if value < 0.0 => ("negative, and a property bounds it", format!("this is {value}")),
            _ => ("not a number", "this is not a number".to_owned()),
        };
        (codes::BAD_REWARD, format!("the reward{name} is {is}"), text, None)
    }

    fn expression(&self, sources: &Sources, site: Site, info: &SiteInfo, state: &[Const]) -> Explanation {
        let program = &self.inner.program;
        let operands = operands(program, site);
        let text = excerpt(sources, self.span(info.origin));
        let value = |id: Option<ExprId>| id.and_then(|id| int(program, id, state));
        match info.kind {
            FailKind::Division => {
                let message = division(operands.remainder).to_owned();
                let shown = value(operands.divisor).filter(|_| operands.remainder).unwrap_or(0);
                (codes::DIVISION_BY_ZERO, message, format!("the divisor is {shown}"), None)
            }
            FailKind::Overflow => match value(operands.exponent) {
                Some(exponent) if exponent < 0 => {
                    let message = "a power of integers has a negative exponent".to_owned();
                    let help = Some("compute with doubles: write the base with a decimal point".to_owned());
                    (codes::INTEGER_OVERFLOW, message, format!("the exponent is {exponent}"), help)
                }
                _ => {
                    let shown =
                        value(operands.ranged).map_or(String::new(), |value| format!("this is {value}"));
                    let message = "the result does not fit in a 32-bit integer".to_owned();
                    let help = Some(format!("compute with doubles where {text} can be large"));
                    (codes::INTEGER_OVERFLOW, message, shown, help)
                }
            },
            FailKind::Conversion => {
                let value = operands.converted.and_then(|id| double(program, id, state));
                let shown =
                    value.map_or(String::new(), |value| format!("the rounded value is {}", number(value)));
                (codes::CONVERSION_FAILED, "a double does not fit in an integer".to_owned(), shown, None)
            }
            FailKind::Range => {
                (codes::OUT_OF_RANGE, "a value leaves its range".to_owned(), String::new(), None)
            }
            FailKind::Assertion => (codes::OUT_OF_RANGE, "a condition fails".to_owned(), String::new(), None),
        }
    }
}

/// Code, message, words under the text, help.
type Explanation = (Code, String, String, Option<String>);

/// The place of a site among the groups.
#[derive(Default)]
struct Place<'p> {
    component: Option<ComponentId>,
    alternative: Option<&'p Alternative>,
    outcome: Option<&'p Outcome>,
    assignment: Option<&'p Assignment>,
}

/// The part of a program that owns a site.
fn find(program: &Program, site: Site) -> Place<'_> {
    let participants = program.groups.iter().flat_map(|group| &group.participants);
    let alternatives =
        participants.flat_map(|p| p.alternatives.iter().map(|alternative| (p.as_component(), alternative)));
    for (component, alternative) in alternatives {
        let place = Place { component, alternative: Some(alternative), ..Place::default() };
        if alternative.sum.is_some_and(|sum| sum.site == site) {
            return place;
        }
        for outcome in &alternative.outcomes {
            if matches!(outcome.weight, Weight::Expr { site: at, .. } if at == site) {
                return Place { outcome: Some(outcome), ..place };
            }
            if let Some(assignment) = outcome.assignments().iter().find(|a| a.site == site) {
                return Place { outcome: Some(outcome), assignment: Some(assignment), ..place };
            }
        }
    }
    Place::default()
}

/// The operands of the nodes of a site.
#[derive(Default)]
pub(crate) struct Operands {
    /// The operation is `mod`, not `/`.
    pub remainder: bool,
    divisor: Option<ExprId>,
    exponent: Option<ExprId>,
    ranged: Option<ExprId>,
    converted: Option<ExprId>,
}

pub(crate) fn operands(program: &Program, site: Site) -> Operands {
    use volvelle_kernel::CheckedOp;
    let mut found = Operands::default();
    for id in program.exprs.ids() {
        match program.exprs.node(id) {
            Node::Checked { op: CheckedOp::Pow, rhs, site: at, .. } if at == site => {
                found.exponent = Some(rhs)
            }
            Node::Checked { op, rhs, site: at, .. } if at == site => {
                found.remainder = op == CheckedOp::Mod;
                found.divisor = found.divisor.or(Some(rhs));
            }
            Node::Range { arg, site: at, .. } if at == site => {
                // A checked divisor, or a checked result.
                found.divisor = Some(arg);
                found.ranged = Some(arg);
            }
            Node::CheckedConvert { arg, site: at, .. } if at == site => found.converted = Some(arg),
            _ => {}
        }
    }
    found
}

/// The failure of a wrong divisor.
pub(crate) fn division(remainder: bool) -> &'static str {
    if remainder { "a remainder by a number that is not positive" } else { "division by zero" }
}

/// The failure of a result that does not fit.
pub(crate) fn overflow(program: &Program, site: Site, state: &[Const]) -> &'static str {
    let exponent = operands(program, site).exponent.and_then(|exponent| int(program, exponent, state));
    if exponent.is_some_and(|exponent| exponent < 0) {
        "a power of integers with a negative exponent"
    } else {
        "a result that does not fit in a 32-bit integer"
    }
}

fn locals(program: &Program, values: &[i64]) -> Vec<Const> {
    let fields = program.fields.iter().zip(values);
    fields
        .map(|(field, &value)| match field.domain {
            Domain::Bool => Const::bool(value != 0),
            _ => Const::i64(value),
        })
        .collect()
}

fn int(program: &Program, expr: ExprId, state: &[Const]) -> Option<i64> {
    interp::eval(&program.exprs, expr, state).ok().and_then(Const::as_i64)
}

fn double(program: &Program, expr: ExprId, state: &[Const]) -> Option<f64> {
    interp::eval(&program.exprs, expr, state).ok().and_then(Const::as_f64)
}

fn weight(program: &Program, outcome: &Outcome, state: &[Const]) -> Option<f64> {
    match outcome.share() {
        Weight::Constant { value, .. } => Some(*value),
        Weight::Expr { expr, .. } => double(program, *expr, state),
    }
}
