//! Constants: declared ones, with values from their definitions or from the command line, and expressions in
//! places that require a constant.

use super::bounds::Bounds;
use super::context::ContextId;
use super::names::{self, Entity, Tree, for_each_node};
use super::typed::{Ty, Typed};
use super::values::{self, Value};
use super::{Lowering, exact, explain};
use crate::ast::{self, ConstType, ExprId, ExprKind};
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, Fix, Sources, Span, codes};
use volvelle_kernel::{FailKind, interp};

impl Lowering {
    /// [`Self::lower_as`] for a place that requires a constant: the result is a constant of the arena. `what`
    /// names the place in messages.
    pub(crate) fn lower_constant(
        &mut self,
        sources: &Sources,
        context: ContextId,
        id: ExprId,
        ty: Ty,
        what: &str,
    ) -> Option<Typed> {
        let typed = self.lower_as(sources, context, id, ty, |found, span| {
            Diagnostic::error(codes::TYPE_MISMATCH, format!("{what} must be {}", ty.a_name()))
                .at(span, format!("this is {}", found.a_name()))
        })?;
        self.require_constant(context, id, typed, what)
    }

    /// Reports an error unless an expression is constant and has a value.
    pub(crate) fn require_constant(
        &mut self,
        context: ContextId,
        id: ExprId,
        typed: Typed,
        what: &str,
    ) -> Option<Typed> {
        if !typed.constant {
            let diagnostic = self.not_constant(context, id, what);
            self.report(diagnostic);
            return None;
        }
        if self.program.exprs.as_const(typed.expr).is_none() {
            let span = self.span(context, id);
            let diagnostic = self.failing_constant(typed.expr, span, what);
            self.report(diagnostic);
            return None;
        }
        Some(typed)
    }

    /// The value of a lowered constant.
    pub(crate) fn value_of(&self, typed: &Typed) -> Option<Value> {
        let constant = self.program.exprs.as_const(typed.expr)?;
        match typed.ty {
            Ty::Int => constant.as_i64().map(Value::Int),
            Ty::Double => constant.as_f64().map(Value::Double),
            Ty::Bool => constant.as_bool().map(Value::Bool),
        }
    }

    /// Computes a declared constant unless that was done, so that its mistakes are reported.
    pub(crate) fn evaluate_constant(&mut self, sources: &Sources, tree: Tree, number: u32) {
        let entity = Entity::Constant(tree, number);
        if self.constants.contains_key(&entity) || self.cycles.contains(entity) {
            return;
        }
        if let Some(body) = self.constants_of(tree)[number as usize].value {
            self.lower(sources, self.context_of(ContextId::MODEL, entity), body);
        }
        let value = self.constant(ContextId::MODEL, tree, number, entity);
        self.constants.insert(entity, value);
    }

    /// The value of a declared constant, from the command line or from its definition, which is lowered.
    pub(crate) fn constant(
        &mut self,
        context: ContextId,
        tree: Tree,
        number: u32,
        entity: Entity,
    ) -> Option<Typed> {
        let declaration = self.constants_of(tree)[number as usize].clone();
        let name = &declaration.name;
        let Some(body) = declaration.value else {
            return match self.given_text(&name.text) {
                Some(text) => match values::parse(&text, declaration.ty) {
                    Some(value) => Some(self.constant_of_value(value, Some(&text))),
                    None => {
                        self.report(values::not_a_value(&text, &declaration));
                        None
                    }
                },
                None => {
                    self.report(without_value(&declaration));
                    None
                }
            };
        };
        let context = self.context_of(context, entity);
        let typed = self.part(context, body)?;
        let what = format!("the constant `{}`", name.text);
        let wanted = type_of_constant(declaration.ty);
        let typed = if typed.ty == Ty::Int && wanted == Ty::Double { self.promoted(typed) } else { typed };
        if typed.ty != wanted {
            let span = self.span(context, body);
            let mut diagnostic =
                Diagnostic::error(codes::TYPE_MISMATCH, format!("{what} is declared as {}", wanted.name()))
                    .at(span, format!("this is {}", typed.ty.a_name()));
            if typed.ty == Ty::Double {
                diagnostic =
                    diagnostic.help("declare it as `const double`, or round the value with floor or ceil");
                // `const int N` and `const N` are the same.
                let head = Span { end: name.span.start, ..declaration.span };
                let fix = Fix::replace("declare it as `const double`", head, "const double ");
                diagnostic = diagnostic.fix(fix).fix(Fix::around("round it down", span, "floor(", ")"));
            }
            self.report(diagnostic);
            return None;
        }
        self.require_constant(context, body, typed, &what)
    }

    /// A constant with a given value; `text` is what was written, for its exact value.
    pub(crate) fn constant_of_value(&mut self, value: Value, text: Option<&str>) -> Typed {
        match value {
            Value::Int(value) => self.int_constant(value),
            Value::Bool(value) => self.bool_constant(value),
            Value::Double(value) => {
                let exact = text.and_then(values::exact_of).map(Arc::new);
                Typed { exact, ..self.double_constant(value) }
            }
        }
    }

    pub(crate) fn not_constant(&self, context: ContextId, id: ExprId, what: &str) -> Diagnostic {
        let tree = self.contexts[context].tree;
        let exprs = self.exprs(context);
        let mut variable = None;
        for_each_node(exprs, id, |kind, span| {
            if let ExprKind::Ident(name) = kind {
                let name = self.renamed(context, name).to_owned();
                if let Some(named) = self.names.get(tree, &name) {
                    match named.entity {
                        Entity::Variable(_) => variable = Some((name, span, named.span, "is a variable")),
                        Entity::Formula(..) if variable.is_none() => {
                            variable = Some((name, span, named.span, "is a formula that reads variables"));
                        }
                        _ => {}
                    }
                }
            }
        });
        let diagnostic = Diagnostic::error(codes::NOT_CONSTANT, format!("{what} is not constant"));
        match variable {
            Some((name, span, declared, is)) => {
                let diagnostic = diagnostic.at(span, format!("`{name}` {is}"));
                match declared {
                    Some(declared) => diagnostic.also(declared, "declared here"),
                    None => diagnostic,
                }
            }
            None => diagnostic.at(exprs.span(id), ""),
        }
    }

    /// Computes all constants of the model, so that errors in unused ones are reported too.
    pub(crate) fn all_constants(&mut self, sources: &Sources) {
        let model = self.model.clone();
        for (i, constant) in model.constants.iter().enumerate() {
            let entity = Entity::Constant(Tree::Model, i as u32);
            // A second declaration of a name has been reported, and nothing can refer to it.
            let known = self.names.get(Tree::Model, &constant.name.text).map(|named| named.entity);
            if known == Some(entity) {
                self.evaluate_constant(sources, Tree::Model, i as u32);
            }
            if let (Some(text), Some(_)) = (self.values.get(&constant.name.text), constant.value) {
                let diagnostic = Diagnostic::error(
                    codes::UNKNOWN_CONSTANT_OPTION,
                    format!("`{}` is not an undefined constant", constant.name.text),
                )
                .at(constant.name.span, "it has a value here")
                .help(format!("remove the value from the model to set it to {text}"));
                self.report(diagnostic);
            }
        }
    }

    /// The diagnostic for a constant expression without a value.
    pub(crate) fn failing_constant(
        &self,
        expr: volvelle_kernel::ExprId,
        span: Span,
        what: &str,
    ) -> Diagnostic {
        let failure = interp::eval(&self.program.exprs, expr, &[]).err();
        let (why, span) = match failure {
            Some(interp::EvalError::Failed(site)) => {
                let info = self.program.sites[site.index()];
                let why = match info.kind {
                    FailKind::Division => explain::division(explain::operands(&self.program, site).remainder),
                    FailKind::Overflow => explain::overflow(&self.program, site, &[]),
                    FailKind::Conversion => "a double that does not fit in an integer",
                    FailKind::Range | FailKind::Assertion => "a failing operation",
                };
                (why, self.origins[info.origin.0 as usize])
            }
            _ => ("a failing operation", span),
        };
        Diagnostic::error(codes::CONSTANT_ARITHMETIC, format!("{why} in {what}")).at(span, "")
    }

    /// The constants that an expression of the model mentions, with place of declaration and value.
    pub(crate) fn constants_in(&self, id: ast::ExprId) -> Vec<(String, Span, Value)> {
        let mut found: Vec<(String, Span, Value)> = Vec::new();
        names::for_each_identifier(&self.model.exprs, id, |name, _| {
            let Some(named) = self.names.get(Tree::Model, name) else { return };
            if let (Entity::Constant(..), Some(span)) = (named.entity, named.span)
                && !found.iter().any(|(known, ..)| known == name)
                && let Some(Some(typed)) = self.constants.get(&named.entity)
                && let Some(value) = self.value_of(typed)
            {
                found.push((name.to_owned(), span, value));
            }
        });
        found
    }

    pub(crate) fn given_text(&self, name: &str) -> Option<String> {
        self.values.get(name).map(|value| value.text().to_owned())
    }

    /// A constant int, which must have 32 bits.
    pub(crate) fn int_constant(&mut self, value: i64) -> Typed {
        Typed {
            ty: Ty::Int,
            expr: self.program.exprs.i64(value),
            constant: true,
            exact: Some(Arc::new(exact::int(value))),
            bounds: Bounds::point(value as f64),
        }
    }

    /// A constant double, without an exact value.
    pub(crate) fn double_constant(&mut self, value: f64) -> Typed {
        Typed {
            ty: Ty::Double,
            expr: self.program.exprs.f64(value),
            constant: true,
            exact: None,
            bounds: Bounds::point(value),
        }
    }

    /// A constant bool.
    pub(crate) fn bool_constant(&mut self, value: bool) -> Typed {
        let expr = self.program.exprs.bool(value);
        Typed { ty: Ty::Bool, expr, constant: true, exact: None, bounds: None }
    }
}

/// The type that a declaration gives a constant.
pub(crate) fn type_of_constant(ty: ConstType) -> Ty {
    match ty {
        ConstType::Int => Ty::Int,
        ConstType::Double => Ty::Double,
        ConstType::Bool => Ty::Bool,
    }
}

fn without_value(constant: &ast::Constant) -> Diagnostic {
    let name = &constant.name;
    let example = match constant.ty {
        ConstType::Int => "4",
        ConstType::Double => "0.5",
        ConstType::Bool => "true",
    };
    Diagnostic::error(codes::OPEN_CONSTANT, format!("constant `{}` has no value", name.text))
        .at(name.span, "")
        .help(format!("give one: --const {}={example}", name.text))
}
