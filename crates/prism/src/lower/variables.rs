//! Variables: names, ranges and initial values become fields of the state.
//!
//! Fields stand in the order in which PRISM shows variables: globals, then the variables of the modules, in
//! the order of the text. Initial values default to the lower bound, `false`, or 0 for an `int` without
//! bounds; `init … endinit` replaces all of them by a condition.

use super::bounds::{self, Bounds};
use super::context::ContextId;
use super::modules::Instance;
use super::names::{Entity, Named};
use super::typed::Ty;
use super::values::Value;
use super::{Lowering, Sources};
use crate::ast::{self, VarType};
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_model::{ComponentId, Domain, Field, FieldId, Initial};

/// Values around the initial one for which an `int` without bounds has room at first.
const WINDOW: i64 = 16;

/// A variable with the context of its declaration.
pub(crate) struct Declared<'m> {
    /// Its declaration, in the text of the original.
    pub declaration: &'m ast::Variable,
    /// Its own name.
    pub name: String,
    /// The span of the name: in the declaration, or in the renaming.
    pub span: Span,
    /// The context in which its bounds are lowered.
    pub context: ContextId,
    /// The module it belongs to.
    pub component: Option<ComponentId>,
}

impl Lowering {
    /// All variables, in the order of the state.
    pub(crate) fn declared<'m>(&self, model: &'m ast::Model, instances: &[Instance]) -> Vec<Declared<'m>> {
        let mut declared: Vec<Declared<'m>> = model
            .globals
            .iter()
            .map(|declaration| Declared {
                declaration,
                name: declaration.name.text.clone(),
                span: declaration.name.span,
                context: ContextId::MODEL,
                component: None,
            })
            .collect();
        for (i, instance) in instances.iter().enumerate() {
            for declaration in self.locals(model, instance.original) {
                let name = self.renamed(instance.context, &declaration.name.text).to_owned();
                let span = match &model.modules[instance.module].body {
                    ast::ModuleBody::Renamed { renames, .. } => {
                        renames.iter().find(|r| r.to.text == name).map(|r| r.to.span)
                    }
                    ast::ModuleBody::Plain { .. } => None,
                };
                declared.push(Declared {
                    declaration,
                    name,
                    span: span.unwrap_or(declaration.name.span),
                    context: instance.context,
                    component: Some(ComponentId(i as u32)),
                });
            }
        }
        declared
    }

    /// Enters the names and types of variables; bounds come later, since they are expressions.
    pub(crate) fn name_variables(&mut self, declared: &[Declared<'_>]) {
        for (i, variable) in declared.iter().enumerate() {
            let entity = Entity::Variable(FieldId(i as u32));
            let named = Named { entity, span: Some(variable.span), in_model: true };
            if let Some(diagnostic) = self.names.add(&variable.name, named) {
                self.report(diagnostic);
            }
            self.variable_types.push(match variable.declaration.ty {
                VarType::Bool => Ty::Bool,
                // Refused later; until then it has the type that its uses expect.
                VarType::Double => Ty::Double,
                VarType::Range { .. } | VarType::Int | VarType::Clock => Ty::Int,
            });
        }
    }

    /// Makes the fields, and the initial state unless a condition describes the initial states.
    pub(crate) fn fields(&mut self, sources: &Sources, declared: &[Declared<'_>]) {
        let mut initial = Vec::with_capacity(declared.len());
        let by_condition = self.model.init.is_some();
        for variable in declared {
            let (domain, start) = self.field(sources, variable);
            initial.push(start);
            let origin = self.origin(variable.declaration.span);
            self.program.fields.push(Field {
                name: variable.name.clone(),
                domain,
                component: variable.component,
                length: 1,
                origin,
            });
            let refused = matches!(variable.declaration.ty, VarType::Double | VarType::Clock);
            self.variable_bounds.push(match domain {
                _ if refused => None,
                Domain::Bool => None,
                Domain::Int { lo, hi } => Some(Bounds { lo: lo as f64, hi: hi as f64 }),
                Domain::Growing { .. } => Some(bounds::INT),
            });
        }
        if !by_condition {
            self.program.initial = Initial::States(vec![initial]);
        }
    }

    /// The domain and the initial value of a variable; something harmless where the declaration is wrong.
    fn field(&mut self, sources: &Sources, variable: &Declared<'_>) -> (Domain, i64) {
        let declaration = variable.declaration;
        let name = &variable.name;
        if let (Some(init), Some((condition, _))) = (declaration.init, self.model.init) {
            let condition = self.span(ContextId::MODEL, condition);
            let init = self.span(variable.context, init);
            self.report(
                Diagnostic::error(
                    codes::INIT_CONFLICT,
                    format!("`init ... endinit` and an initial value of `{name}` exclude each other"),
                )
                .at(condition, "")
                .also(init, "initial value given here"),
            );
        }
        match declaration.ty {
            VarType::Bool => {
                let start = self.initial_value(sources, variable, Ty::Bool);
                (Domain::Bool, i64::from(start == Some(Value::Bool(true))))
            }
            VarType::Int => {
                let start = self.initial_value(sources, variable, Ty::Int);
                let start = if let Some(Value::Int(value)) = start { value } else { 0 };
                if let Some((condition, _)) = self.model.init {
                    let condition = self.span(ContextId::MODEL, condition);
                    self.report(
                        Diagnostic::error(
                            codes::TOO_MANY_INITIAL_STATES,
                            "there are too many initial states",
                        )
                        .at(condition, format!("`{name}` is unbounded"))
                        .also(variable.span, "declared here")
                        .help(format!("give `{name}` a range")),
                    );
                }
                let lo = start.min((i32::MAX as i64) - (WINDOW - 1));
                (Domain::Growing { lo, hi: lo + WINDOW - 1 }, start)
            }
            VarType::Range { lo, hi } => self.range(sources, variable, lo, hi),
            VarType::Double => {
                self.report(
                    Diagnostic::error(
                        codes::DOUBLE_VARIABLE,
                        format!("the variable `{name}` cannot be of type double"),
                    )
                    .at(word(sources, declaration.span, "double"), "")
                    .help(format!(
                        "count steps: {name} : [0..10], and write {name}*0.1 where you need the fraction"
                    )),
                );
                (Domain::Int { lo: 0, hi: 0 }, 0)
            }
            VarType::Clock => {
                self.report(
                    Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, "clocks are not supported")
                        .at(word(sources, declaration.span, "clock"), "")
                        .help(
                            "for digital clocks, replace the clock by a bounded integer and a command that lets time pass",
                        ),
                );
                (Domain::Int { lo: 0, hi: 0 }, 0)
            }
        }
    }

    fn range(
        &mut self,
        sources: &Sources,
        variable: &Declared<'_>,
        lo: ast::ExprId,
        hi: ast::ExprId,
    ) -> (Domain, i64) {
        let name = &variable.name;
        let what = format!("the range of `{name}`");
        let span = self.span(variable.context, lo).to(self.span(variable.context, hi));
        let ends = [lo, hi].map(|end| {
            let end = self.lower_constant(sources, variable.context, end, Ty::Int, &what)?;
            match self.value_of(&end) {
                Some(Value::Int(value)) => Some(value),
                _ => None,
            }
        });
        let start = self.initial_value(sources, variable, Ty::Int);
        let [Some(lo), Some(hi)] = ends else { return (Domain::Int { lo: 0, hi: 0 }, 0) };
        if lo > hi {
            self.report(
                Diagnostic::error(codes::EMPTY_RANGE, format!("the range of `{name}` is empty: {lo}..{hi}"))
                    .at(span, ""),
            );
            return (Domain::Int { lo, hi: lo }, lo);
        }
        let start = if let Some(Value::Int(value)) = start { value } else { lo };
        if let Some(init) = variable.declaration.init
            && !(lo..=hi).contains(&start)
        {
            let init = self.span(variable.context, init);
            self.report(
                Diagnostic::error(
                    codes::INITIAL_OUT_OF_RANGE,
                    format!("the initial value {start} of `{name}` is not in its range {lo}..{hi}"),
                )
                .at(init, ""),
            );
            return (Domain::Int { lo, hi }, lo);
        }
        (Domain::Int { lo, hi }, start)
    }

    fn initial_value(&mut self, sources: &Sources, variable: &Declared<'_>, ty: Ty) -> Option<Value> {
        let init = variable.declaration.init?;
        let what = format!("the initial value of `{}`", variable.name);
        let value = self.lower_constant(sources, variable.context, init, ty, &what)?;
        self.value_of(&value)
    }

    /// Lowers `init … endinit`.
    pub(crate) fn initial_condition(&mut self, sources: &Sources) {
        let Some((condition, _)) = self.model.init else { return };
        if self.lower(sources, ContextId::MODEL, condition).is_some()
            && let Some(typed) =
                self.condition(ContextId::MODEL, condition, "the content of `init ... endinit`")
        {
            if self.program.exprs.as_const(typed.expr).and_then(|c| c.as_bool()) == Some(false) {
                let span = self.span(ContextId::MODEL, condition);
                self.report(
                    Diagnostic::error(codes::NO_INITIAL_STATE, "no state satisfies the initial condition")
                        .at(span, ""),
                );
            }
            self.program.initial = Initial::Predicate(typed.expr);
        }
    }
}

/// The type in a declaration, behind the colon.
fn word(sources: &Sources, declaration: Span, word: &str) -> Span {
    let text = sources.text(declaration);
    let colon = text.find(':').unwrap_or(0);
    match text[colon..].find(word) {
        Some(at) => {
            let start = declaration.start as usize + colon + at;
            Span::new(declaration.file, start, start + word.len())
        }
        None => declaration,
    }
}
