//! Syntax tree to program: names are resolved, and wrong ones reported. Only here do errors keep a model from
//! being used.

use crate::syntax::{Comparison, Condition, Model, Name, Operation, Question, Rule};
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_kernel::{BinaryOp, ExprId, FailKind, Site};
use volvelle_logic::{Formula, Formulas, LabelId, Property, Query, TimeBound};
use volvelle_model::{
    Action, ActionId, Alternative, Assignment, Choice, Component, ComponentId, Domain, Field, FieldId, Group,
    Initial, Label, Origin, Outcome, Participant, Program, SiteInfo, SiteSubject, Weight,
};

/// A model as a program, and the places behind its origins.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program. Label `i` is goal `i`, field `i` is counter `i`.
    pub program: Program,
    /// The text behind [`Origin`] `i`.
    pub spans: Vec<Span>,
}

/// Lowers a model; without a program at least one diagnostic is an error.
pub fn lower(model: &Model) -> (Option<Lowered>, Vec<Diagnostic>) {
    let mut lowering = Lowering {
        model,
        program: Program::new(Choice::Uniform),
        spans: Vec::new(),
        diagnostics: Vec::new(),
    };
    lowering.counters();
    for rule in &model.rules {
        lowering.rule(rule);
    }
    for goal in &model.goals {
        let expr = lowering.all(&goal.conditions);
        lowering.program.labels.push(Label { name: Some(goal.name.text.clone()), expr, origin: None });
    }
    lowering.distinct(model.rules.iter().map(|rule| &rule.name));
    lowering.distinct(model.goals.iter().map(|goal| &goal.name));
    let Lowering { program, spans, diagnostics, .. } = lowering;
    (diagnostics.is_empty().then_some(Lowered { program, spans }), diagnostics)
}

/// Lowers a question about the goals of a model.
///
/// # Errors
/// There is no such goal.
pub fn property(model: &Model, question: &Question, text: &str) -> Result<Property, Diagnostic> {
    let Some(goal) = model.goals.iter().position(|goal| goal.name.text == question.goal.text) else {
        let message = format!("there is no goal `{}`", question.goal.text);
        return Err(Diagnostic::error(codes::UNKNOWN_LABEL, message).at(question.goal.span, ""));
    };
    let mut formulas = Formulas::default();
    let anywhere = formulas.add(Formula::Bool(true));
    let reached = formulas.add(Formula::Label(LabelId::from_index(goal)));
    let within = TimeBound { upper: question.within.map(|steps| steps as f64), ..TimeBound::NONE };
    let path = formulas.add(Formula::Until(anywhere, reached, within));
    let root = formulas.add(Formula::Prob { optimum: None, query: Query::Value, path });
    Ok(Property { name: None, text: text.to_owned(), constants: Vec::new(), formulas, root })
}

/// The component that all rules belong to.
const RULES: ComponentId = ComponentId(0);

struct Lowering<'m> {
    model: &'m Model,
    program: Program,
    spans: Vec<Span>,
    diagnostics: Vec<Diagnostic>,
}

impl Lowering<'_> {
    fn origin(&mut self, span: Span) -> Origin {
        self.spans.push(span);
        Origin((self.spans.len() - 1) as u32)
    }

    fn counters(&mut self) {
        self.program.components.push(Component { name: "rules".to_owned() });
        for counter in &self.model.counters {
            let (lo, hi) = (counter.lo, counter.hi);
            if lo > hi {
                let message = format!("the range {lo}..{hi} is empty");
                self.diagnostics.push(Diagnostic::error(codes::EMPTY_RANGE, message).at(counter.span, ""));
            } else if !(lo..=hi).contains(&counter.initial) {
                let message = format!("the initial value {} is outside of {lo}..{hi}", counter.initial);
                let diagnostic = Diagnostic::error(codes::INITIAL_OUT_OF_RANGE, message);
                self.diagnostics.push(diagnostic.at(counter.span, ""));
            }
            let origin = self.origin(counter.span);
            self.program.fields.push(Field {
                name: counter.name.text.clone(),
                domain: Domain::Int { lo, hi },
                component: Some(RULES),
                length: 1,
                origin,
            });
        }
        self.distinct(self.model.counters.iter().map(|counter| &counter.name));
        let initial = self.model.counters.iter().map(|counter| counter.initial).collect();
        self.program.initial = Initial::States(vec![initial]);
    }

    /// Complains about names that are declared twice.
    fn distinct<'n>(&mut self, names: impl Iterator<Item = &'n Name>) {
        let mut known: Vec<&Name> = Vec::new();
        for name in names {
            match known.iter().find(|other| other.text == name.text) {
                Some(other) => self.diagnostics.push(
                    Diagnostic::error(codes::DUPLICATE_NAME, format!("`{}` is declared twice", name.text))
                        .at(name.span, "")
                        .also(other.span, "the first declaration"),
                ),
                None => known.push(name),
            }
        }
    }

    fn field(&mut self, name: &Name) -> Option<FieldId> {
        let found = self.model.counters.iter().position(|counter| counter.name.text == name.text);
        if found.is_none() {
            let message = format!("there is no counter `{}`", name.text);
            self.diagnostics.push(Diagnostic::error(codes::UNKNOWN_NAME, message).at(name.span, ""));
        }
        found.map(FieldId::from_index)
    }

    /// The conjunction of conditions.
    fn all(&mut self, conditions: &[Condition]) -> ExprId {
        let mut all = self.program.exprs.bool(true);
        for condition in conditions {
            let Some(field) = self.field(&condition.counter) else { continue };
            let op = match condition.comparison {
                Comparison::Equal => BinaryOp::Eq,
                Comparison::Less => BinaryOp::Lt,
                Comparison::Greater => BinaryOp::Gt,
            };
            let counter = self.program.field(field);
            let number = self.program.exprs.i64(condition.number);
            let holds = self.program.exprs.binary(op, counter, number);
            all = self.program.exprs.and(all, holds);
        }
        all
    }

    /// A rule is a group of one participant with one outcome.
    fn rule(&mut self, rule: &Rule) {
        let guard = self.all(&rule.conditions);
        let origin = self.origin(rule.span);
        let mut assignments: Vec<Assignment> = Vec::new();
        for change in &rule.changes {
            let Some(field) = self.field(&change.counter) else { continue };
            if assignments.iter().any(|other| other.field == field) {
                let message = format!("the rule changes `{}` twice", change.counter.text);
                self.diagnostics.push(Diagnostic::error(codes::DOUBLE_WRITE, message).at(change.span, ""));
                continue;
            }
            let site = self.site(SiteSubject::Assignment(field), change.span, origin);
            let value = self.value(field, change.operation, change.number);
            assignments.push(Assignment { field, value, site });
        }
        let outcomes = vec![Outcome::assigning(Weight::ONE, assignments, origin)];
        let alternatives = vec![Alternative::command(guard, outcomes, None, origin)];
        let action = ActionId::from_index(self.program.actions.len());
        self.program.actions.push(Action { name: rule.name.text.clone() });
        let participants = vec![Participant::component(RULES, alternatives)];
        self.program.groups.push(Group::new(action, participants));
    }

    /// The new value of a counter. Numbers have 32 bits, so that 64 cannot overflow.
    fn value(&mut self, field: FieldId, operation: Operation, number: i64) -> ExprId {
        let number = self.program.exprs.i64(number);
        let op = match operation {
            Operation::Set => return number,
            Operation::Add => BinaryOp::Add,
            Operation::Subtract => BinaryOp::Sub,
        };
        let old = self.program.field(field);
        self.program.exprs.binary(op, old, number)
    }

    fn site(&mut self, subject: SiteSubject, span: Span, command: Origin) -> Site {
        let origin = self.origin(span);
        self.program.site(SiteInfo { kind: FailKind::Range, subject, origin, command: Some(command) })
    }
}
