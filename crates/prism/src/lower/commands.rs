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
use volvelle_diagnostics::{Diagnostic, Fix, Severity, Span, codes};
use volvelle_kernel::{Const, FailKind};
use volvelle_model::SUM_TOLERANCE;
use volvelle_model::exact::{LIBRARY_ERROR, U};
use volvelle_model::rounding::Surroundings;
use volvelle_model::row_sums::{self, NOTEWORTHY};
use volvelle_model::underflow::{self, SMALLEST};
use volvelle_model::{
    Alternative, Assignment, Choice, ComponentId, FieldId, Outcome, RowSum, SiteSubject, Weight,
};

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
            let (outcomes, sum) = self.distribution(command, outcomes?)?;
            (!outcomes.is_empty()).then_some(Alternative::command(guard.expr, outcomes, sum, origin))
        });
        self.command = None;
        alternative
    }

    fn never_true(&self, guard: &Typed) -> bool {
        self.program.exprs.as_const(guard.expr).and_then(Const::as_bool) == Some(false)
    }

    /// Checks constant probabilities, drops outcomes of weight zero, and divides probabilities by their sum where that is not one.
    fn distribution(
        &mut self,
        command: &ast::Command,
        outcomes: Vec<Outcome>,
    ) -> Option<(Vec<Outcome>, Option<RowSum>)> {
        let span = updates_span(command)?;
        let mut ok = true;
        let probabilities = self.program.choice != Choice::Race;
        for (outcome, update) in outcomes.iter().zip(&command.updates) {
            if let (Weight::Constant { value, exact }, Some(weight)) = (&outcome.weight, update.weight) {
                ok &= self.check_constant_weight(*value, exact.as_ref(), weight, probabilities);
            }
        }
        if !ok {
            return None;
        }
        let zero = |weight: &Weight| matches!(weight, Weight::Constant { value, .. } if *value == 0.0);
        let mut outcomes: Vec<Outcome> =
            outcomes.into_iter().filter(|outcome| !zero(&outcome.weight)).collect();
        if !probabilities {
            return Some((outcomes, None));
        }
        let is_constant = |outcome: &Outcome| matches!(outcome.weight, Weight::Constant { .. });
        if outcomes.iter().all(is_constant) {
            self.constant_sum(&mut outcomes, span)?;
            return Some((outcomes, None));
        }
        let site = self.site(FailKind::Assertion, SiteSubject::Sum, span);
        let sum = row_sums::normalise(&mut self.program, &mut outcomes, site, self.model.unchecked_sums);
        Some((outcomes, sum))
    }

    /// Checks the sum of constant probabilities, and divides by it where it is not one.
    fn constant_sum(&mut self, outcomes: &mut [Outcome], span: Span) -> Option<()> {
        let sum = RowOfConstants::of(outcomes);
        let off = sum.off();
        if off == 0.0 {
            return Some(());
        }
        let wrong = wrong_sum(off, span);
        if off.abs() > SUM_TOLERANCE && !self.model.unchecked_sums {
            self.report(wrong);
            return None;
        }
        let errors = sum.divide(outcomes);
        errors.into_iter().for_each(|error| self.program.exact.note_weight(error));
        if off.abs() > NOTEWORTHY {
            let warning = Diagnostic { severity: Severity::Warning, helps: Vec::new(), ..wrong };
            self.scaled_command(warning.note("they are shares: each is divided by their sum"));
        }
        Some(())
    }

    fn check_constant_weight(
        &mut self,
        value: f64,
        exact: Option<&RBig>,
        weight: ast::ExprId,
        probabilities: bool,
    ) -> bool {
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
        } else if value == 0.0 && exact.is_none() {
            let what = if probabilities { "probability" } else { "rate" };
            let message = format!("the {what} is too close to zero to be told from it");
            Diagnostic::error(codes::CONSTANT_ARITHMETIC, message)
                .help("write 0 where nothing happens, else a number above 1e-1000")
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
            let error = self.program.exact.error(typed.expr, value);
            let exact = typed.exact.map(|exact| (*exact).clone());
            // A condition may have chosen it.
            let exact = exact.or_else(|| exact::of_f64(value).filter(|_| error.absolute == 0.0));
            if exact.is_none() {
                self.program.exact.note_weight(error.relative);
            }
            let value = exact.as_ref().map_or(value, exact::to_f64);
            // What is positive happens, however small its double.
            let is_positive = exact.as_ref().is_some_and(|exact| *exact > RBig::ZERO);
            let value = if is_positive { value.max(SMALLEST) } else { value };
            return Some(Weight::Constant { value, exact });
        }
        let span = self.span(instance.context, weight);
        let site = self.site(FailKind::Assertion, SiteSubject::Weight, span);
        let fields = self.program.fields.len();
        if self.surroundings.as_ref().is_none_or(|(known, _)| *known != fields) {
            self.surroundings = Some((fields, Surroundings::of_fields(&self.program)));
        }
        let (_, surroundings) = self.surroundings.as_ref()?;
        Some(Weight::Expr { expr: underflow::kept(&mut self.program, surroundings, typed.expr), site })
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
                diagnostic = diagnostic
                    .help(format!("round it: floor({})", excerpt(sources, span)))
                    .fix(Fix::around("round it down", span, "floor(", ")"))
                    .fix(Fix::around("round it up", span, "ceil(", ")"));
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

/// The sum of constant probabilities.
enum RowOfConstants {
    Exact(RBig),
    /// Some have no rational value.
    Rounded(f64),
}

impl RowOfConstants {
    fn of(outcomes: &[Outcome]) -> Self {
        let weights = outcomes.iter().filter_map(|outcome| match &outcome.weight {
            Weight::Constant { value, exact } => Some((*value, exact.as_ref())),
            Weight::Expr { .. } => None,
        });
        let exact = weights.clone().try_fold(exact::int(0), |sum, (_, exact)| exact::add(&sum, exact?));
        exact.map_or_else(
            || RowOfConstants::Rounded(weights.map(|(value, _)| value).sum()),
            RowOfConstants::Exact,
        )
    }

    /// By how much it is larger than one.
    fn off(&self) -> f64 {
        match self {
            RowOfConstants::Exact(sum) => exact::to_f64(&(sum - RBig::ONE)),
            RowOfConstants::Rounded(sum) => sum - 1.0,
        }
    }

    /// Divides the probabilities by it, unless it is zero; the relative errors of those without a rational value.
    fn divide(&self, outcomes: &mut [Outcome]) -> Vec<f64> {
        let count = outcomes.len() as f64;
        let mut errors = Vec::new();
        for outcome in outcomes {
            let Weight::Constant { value, exact } = &mut outcome.weight else { continue };
            match (self, &exact) {
                (RowOfConstants::Exact(sum), Some(number)) if !sum.is_zero() => {
                    let quotient = number / sum;
                    *value = exact::to_f64(&quotient).max(SMALLEST);
                    *exact = Some(quotient);
                }
                // A sum that is one but for rounding is one.
                (&RowOfConstants::Rounded(sum), _) if (sum - 1.0).abs() > NOTEWORTHY && sum > 0.0 => {
                    (*value, *exact) = ((*value / sum).max(SMALLEST), None);
                    errors.push((count + 2.0) * U + 2.0 * LIBRARY_ERROR);
                }
                _ => {}
            }
        }
        errors
    }
}

/// A sum that is so much larger than one.
pub(super) fn shown_sum(off: f64) -> String {
    let sum = 1.0 + off;
    if sum == 0.0 {
        "0".to_owned()
    } else if off != 0.0 && off.abs() < 1e-8 {
        // With three digits.
        let rounded = format!("{:.2e}", off.abs()).parse().unwrap_or(off.abs());
        format!("1 {} {}", if off < 0.0 { '-' } else { '+' }, number(rounded))
    } else {
        number((sum * 1e9).round() / 1e9)
    }
}

fn wrong_sum(off: f64, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        codes::PROBABILITIES_DO_NOT_SUM,
        format!("the probabilities of this command sum to {}", shown_sum(off)),
    )
    .at(span, "");
    if off < 0.0 {
        let rest = number((-off * 1e9).round() / 1e9);
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
