//! Commands: guards, probabilities or rates, and updates become alternatives of the program.
//!
//! Commands and updates that cannot happen are left out: commands whose guard is constantly false (after their types were checked),
//! updates with the constant probability or rate zero, and commands of which no update is left. Constant
//! probabilities are checked here, others by the kernels at the sites given to them.

use super::exact;
use super::modules::Instance;
use super::names::Entity;
use super::typed::{Ty, Typed};
use super::values::{excerpt, is_literal, number};
use super::{Lowering, Sources};
use crate::ast;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{Diagnostic, Severity, Span, codes};
use volvelle_kernel::{Const, FailKind};
use volvelle_model::{Alternative, Assignment, Choice, ComponentId, FieldId, Outcome, SiteSubject, Weight};

/// The largest distance from 1 of the sum of a command's probabilities: PRISM's `-sumroundoff`.
pub const SUM_TOLERANCE: f64 = 1e-5;

/// The commands of a module, sorted by action.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModuleCommands {
    /// Alternatives of `[]`, in order.
    pub silent: Vec<Alternative>,
    /// The actions that occur, in order, with those of their alternatives that can happen.
    pub actions: Vec<(String, Vec<Alternative>)>,
}

impl Lowering {
    /// Lowers the commands of a module.
    pub(crate) fn module_commands(
        &mut self,
        sources: &Sources,
        component: ComponentId,
        instance: &Instance,
    ) -> ModuleCommands {
        let model = self.model.clone();
        let mut commands = ModuleCommands::default();
        let mut index: FxHashMap<String, usize> = FxHashMap::default();
        for command in self.commands(&model, instance.original) {
            let alternative = self.command(sources, component, instance, command);
            match &command.action {
                None => commands.silent.extend(alternative),
                Some(action) => {
                    let action = self.renamed_action(instance, &action.text);
                    let at = *index.entry(action.clone()).or_insert_with(|| {
                        commands.actions.push((action, Vec::new()));
                        commands.actions.len() - 1
                    });
                    commands.actions[at].1.extend(alternative);
                }
            }
        }
        commands
    }

    fn renamed_action(&self, instance: &Instance, action: &str) -> String {
        let renames = self.contexts[instance.context].renames.as_ref();
        renames.and_then(|map| map.get(action)).map_or_else(|| action.to_owned(), Clone::clone)
    }

    /// Lowers a command; nothing if it is wrong or cannot happen.
    fn command(
        &mut self,
        sources: &Sources,
        component: ComponentId,
        instance: &Instance,
        command: &ast::Command,
    ) -> Option<Alternative> {
        let origin = self.origin(command.span);
        self.command = Some(origin);
        let guard = self.lower_as(sources, instance.context, command.guard, Ty::Bool, |found, span| {
            Diagnostic::error(codes::TYPE_MISMATCH, "a guard must be a condition")
                .at(span, format!("this is {}", found.a_name()))
        });
        let outcomes: Option<Vec<Outcome>> = command
            .updates
            .iter()
            .map(|update| self.update(sources, component, instance, command, update))
            .collect::<Vec<_>>() // all of them, so that all are reported
            .into_iter()
            .collect();
        let alternative = guard.and_then(|guard| {
            if self.never_true(&guard) {
                self.warn_never_true(instance.context, command.guard, "this guard is never true");
                return None;
            }
            let (outcomes, sum_site) = self.distribution(command, outcomes?)?;
            (!outcomes.is_empty()).then_some(Alternative::command(guard.expr, outcomes, sum_site, origin))
        });
        self.command = None;
        alternative
    }

    fn never_true(&self, guard: &Typed) -> bool {
        self.program.exprs.as_const(guard.expr).and_then(Const::as_bool) == Some(false)
    }

    /// Checks constant probabilities and their sum, and drops outcomes of weight zero.
    fn distribution(
        &mut self,
        command: &ast::Command,
        outcomes: Vec<Outcome>,
    ) -> Option<(Vec<Outcome>, Option<volvelle_kernel::Site>)> {
        let span = updates_span(command)?;
        let constants: Option<Vec<(f64, Option<&RBig>)>> = outcomes
            .iter()
            .map(|outcome| match &outcome.weight {
                Weight::Constant { value, exact } => Some((*value, exact.as_ref())),
                Weight::Expr { .. } => None,
            })
            .collect();
        let mut ok = true;
        let probabilities = self.program.choice != Choice::Race;
        for (outcome, update) in outcomes.iter().zip(&command.updates) {
            if let (Weight::Constant { value, .. }, Some(weight)) = (&outcome.weight, update.weight) {
                ok &= self.check_constant_weight(*value, weight, probabilities);
            }
        }
        if !ok {
            return None;
        }
        let sum_site = match constants {
            _ if !probabilities => None,
            None if self.model.unchecked_sums => None,
            None => Some(self.site(FailKind::Assertion, SiteSubject::Sum, span)),
            Some(constants) => {
                let sum = sum(&constants);
                if (sum - 1.0).abs() > SUM_TOLERANCE {
                    let wrong = wrong_sum(sum, span);
                    if self.model.unchecked_sums {
                        self.report(Diagnostic { severity: Severity::Warning, ..wrong });
                    } else {
                        self.report(wrong);
                        return None;
                    }
                }
                None
            }
        };
        let zero = |weight: &Weight| matches!(weight, Weight::Constant { value, .. } if *value == 0.0);
        let outcomes = outcomes.into_iter().filter(|outcome| !zero(&outcome.weight)).collect();
        Some((outcomes, sum_site))
    }

    fn check_constant_weight(&mut self, value: f64, weight: ast::ExprId, probabilities: bool) -> bool {
        // The text of a weight is that of the original module: names in it are the original's.
        let span = self.model.exprs.span(weight);
        let diagnostic = if !value.is_finite() {
            let what = if probabilities { "probability" } else { "rate" };
            Diagnostic::error(codes::CONSTANT_ARITHMETIC, format!("the {what} is {}", number(value)))
        } else if probabilities && !(0.0..=1.0 + SUM_TOLERANCE).contains(&value) {
            Diagnostic::error(
                codes::PROBABILITY_OUT_OF_RANGE,
                format!("the probability {} is not between 0 and 1", number(value)),
            )
        } else if value < 0.0 {
            Diagnostic::error(codes::NEGATIVE_RATE, format!("the rate {} is negative", number(value)))
        } else {
            return true;
        };
        let mut diagnostic = diagnostic.at(span, "");
        if !is_literal(&self.model.exprs, weight) {
            for (name, span, value) in self.constants_in(weight).into_iter().take(3) {
                diagnostic = diagnostic.also(span, format!("`{name}` is {value}"));
            }
        }
        self.report(diagnostic);
        false
    }

    fn update(
        &mut self,
        sources: &Sources,
        component: ComponentId,
        instance: &Instance,
        command: &ast::Command,
        update: &ast::Update,
    ) -> Option<Outcome> {
        if update.interval {
            self.report(
                Diagnostic::error(
                    codes::UNSUPPORTED_CONSTRUCT,
                    "intervals of probabilities are not supported",
                )
                .at(update.span, ""),
            );
            return None;
        }
        let weight = match update.weight {
            Some(weight) => self.weight(sources, instance, weight),
            None => Some(Weight::ONE),
        };
        let mut written: FxHashMap<FieldId, Span> = FxHashMap::default();
        let mut assignments = Vec::with_capacity(update.assignments.len());
        let mut ok = true;
        for assignment in &update.assignments {
            let target = self.target(component, instance, command, assignment);
            if let Some(field) = target
                && written.insert(field, self.assigned(assignment)).is_some()
            {
                let name = &self.program.fields[field.index()].name;
                let diagnostic =
                    Diagnostic::error(codes::DOUBLE_WRITE, format!("this update assigns `{name}` twice"))
                        .at(self.assigned(assignment), "assigned again here");
                self.report(diagnostic);
                ok = false;
                continue;
            }
            match self.assignment(sources, instance, assignment, target) {
                Some(assignment) => assignments.push(assignment),
                None => ok = false,
            }
        }
        let origin = self.origin(update.span);
        let weight = weight?;
        ok.then_some(Outcome::assigning(weight, assignments, origin))
    }

    fn weight(&mut self, sources: &Sources, instance: &Instance, weight: ast::ExprId) -> Option<Weight> {
        let what = if self.program.choice == Choice::Race { "a rate" } else { "a probability" };
        let typed = self.lower_as(sources, instance.context, weight, Ty::Double, |found, span| {
            Diagnostic::error(codes::TYPE_MISMATCH, format!("{what} must be a number"))
                .at(span, format!("this is {}", found.a_name()))
        })?;
        if let Some(value) = self.program.exprs.as_const(typed.expr).and_then(Const::as_f64) {
            let exact = typed.exact.map(|exact| (*exact).clone());
            if exact.is_none() {
                self.program.exact.note_weight(self.program.exact.error(typed.expr, value).relative);
            }
            let value = exact.as_ref().map_or(value, exact::to_f64);
            return Some(Weight::Constant { value, exact });
        }
        let span = self.span(instance.context, weight);
        let site = self.site(FailKind::Assertion, SiteSubject::Weight, span);
        Some(Weight::Expr { expr: typed.expr, site })
    }

    /// The variable that an assignment writes, if the module may write it in this command.
    fn target(
        &mut self,
        component: ComponentId,
        instance: &Instance,
        command: &ast::Command,
        assignment: &ast::Assignment,
    ) -> Option<FieldId> {
        let target = &assignment.target;
        let name = self.renamed(instance.context, &target.text).to_owned();
        let Some(named) = self.names.get(super::names::Tree::Model, &name) else {
            let diagnostic = self.names.unknown(&name, target.span);
            self.report(diagnostic);
            return None;
        };
        let Entity::Variable(field) = named.entity else {
            let what = if matches!(named.entity, Entity::Formula(..)) { "formula" } else { "constant" };
            let mut diagnostic =
                Diagnostic::error(codes::UNKNOWN_NAME, format!("`{name}` is a {what}, not a variable"))
                    .at(target.span, "only variables can be assigned");
            if let Some(declared) = named.span {
                diagnostic = diagnostic.also(declared, "declared here");
            }
            self.report(diagnostic);
            return None;
        };
        let module = &self.model.modules[instance.module].name.text;
        let diagnostic = match (self.program.fields[field.index()].component, &command.action) {
            (Some(owner), _) if owner == component => return Some(field),
            (None, None) => return Some(field),
            (Some(owner), _) => {
                let owner = &self.program.components[owner.index()].name;
                Diagnostic::error(
                    codes::FOREIGN_WRITE,
                    format!("module `{module}` writes `{name}`, a variable of module `{owner}`"),
                )
            }
            (None, Some(action)) => Diagnostic::error(
                codes::GLOBAL_WRITE_SYNCHRONISED,
                format!("the command with action `{}` writes the global variable `{name}`", action.text),
            ),
        };
        let mut diagnostic = diagnostic.at(target.span, "written here");
        if let Some(declared) = named.span {
            diagnostic = diagnostic.also(declared, "declared here");
        }
        self.report(diagnostic);
        None
    }

    fn assignment(
        &mut self,
        sources: &Sources,
        instance: &Instance,
        assignment: &ast::Assignment,
        target: Option<FieldId>,
    ) -> Option<Assignment> {
        let value = self.lower(sources, instance.context, assignment.value);
        let (field, value) = (target?, value?);
        let wanted = self.variable_types[field.index()];
        if value.ty != wanted {
            let span = self.span(instance.context, assignment.value);
            let name = &self.program.fields[field.index()].name;
            let mut diagnostic = Diagnostic::error(
                codes::TYPE_MISMATCH,
                format!(
                    "a value of type {} is assigned to the {} variable `{name}`",
                    value.ty.name(),
                    wanted.name()
                ),
            )
            .at(span, format!("this is {}", value.ty.a_name()));
            if value.ty == Ty::Double && wanted == Ty::Int {
                diagnostic = diagnostic.help(format!("round it: floor({})", excerpt(sources, span)));
            }
            self.report(diagnostic);
            return None;
        }
        let span = self.assigned(assignment);
        let site = self.site(FailKind::Range, SiteSubject::Assignment(field), span);
        Some(Assignment { field, value: value.expr, site })
    }

    /// The text of an assignment without its parentheses.
    fn assigned(&self, assignment: &ast::Assignment) -> Span {
        assignment.target.span.to(self.model.exprs.span(assignment.value))
    }
}

fn sum(weights: &[(f64, Option<&RBig>)]) -> f64 {
    let exact = weights.iter().try_fold(exact::int(0), |sum, (_, exact)| exact::add(&sum, (*exact)?));
    exact.map_or_else(|| weights.iter().map(|(value, _)| value).sum(), |sum| exact::to_f64(&sum))
}

fn wrong_sum(sum: f64, span: Span) -> Diagnostic {
    let shown = if sum == 0.0 { "0".to_owned() } else { number((sum * 1e9).round() / 1e9) };
    let diagnostic = Diagnostic::error(
        codes::PROBABILITIES_DO_NOT_SUM,
        format!("the probabilities of this command sum to {shown}"),
    )
    .at(span, "");
    if sum < 1.0 {
        let rest = number(((1.0 - sum) * 1e9).round() / 1e9);
        diagnostic.help(format!("if nothing happens otherwise, add: + {rest} : true"))
    } else {
        diagnostic
    }
}

/// The text of all updates of a command.
fn updates_span(command: &ast::Command) -> Option<Span> {
    let (first, last) = (command.updates.first()?, command.updates.last()?);
    Some(first.span.to(last.span))
}
