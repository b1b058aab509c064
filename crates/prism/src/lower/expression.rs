//! Lowering of expressions: syntax tree to kernel expression, with types, constants substituted, formulas and
//! labels expanded.
//!
//! A walk with an explicit stack, operands first, so depth costs heap and not stack. Every expression is
//! lowered once per *context* (its tree, and the renaming of a module that applies); a formula
//! that is used a thousand times is lowered once, and once more per renamed module whose renaming applies
//! inside of it. What fails gives a diagnostic where it is met first and stays silent where it is used.

use super::context::{Context, ContextId, Place};
use super::names::built_in;
use super::names::{Entity, Tree};
use super::operators::{self, Operand};
use super::typed::{Ty, Typed};
use super::{Lowering, exact};
use crate::ast::{ExprId, ExprKind, Exprs};
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, Fix, Sources, Span, codes};
use volvelle_kernel::{Exprs as Arena, Local};

/// Deepest nesting of an expression with its formulas expanded. Some levels stay free for what is built
/// around it ([`volvelle_kernel::verify::MAX_NESTING`]).
const MAX_NESTING: u32 = 900;

/// Most operations of an expression with its formulas written out.
const MAX_OPERATIONS: u32 = 1_000_000;

/// A node on its way: whether it was reached through a definition that several commands share.
#[derive(Clone, Copy)]
struct Visit {
    place: Place,
    shared: bool,
}

/// An operand of a node, as lowering sees it.
pub(crate) enum Part {
    /// An expression of the tree itself.
    Inside(ExprId),
    /// The definition of a constant, formula or label.
    Definition(Place),
}

impl Lowering {
    /// The syntax tree of a context.
    pub(crate) fn exprs(&self, context: ContextId) -> &Exprs {
        match self.contexts[context].tree {
            Tree::Model => &self.model.exprs,
            Tree::File(file) => &self.files[file as usize].exprs,
        }
    }

    /// The span of an expression.
    pub(crate) fn span(&self, context: ContextId, id: ExprId) -> Span {
        self.exprs(context).span(id)
    }

    /// Lowers an expression. `None` if it is wrong; a diagnostic has been given.
    pub(crate) fn lower(&mut self, sources: &Sources, context: ContextId, root: ExprId) -> Option<Typed> {
        let mut stack = vec![Visit { place: (context, root), shared: false }];
        while let Some(&visit) = stack.last() {
            if self.is_lowered(visit.place) {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            self.for_each_part(visit.place, |lowering, part| {
                let (place, shared) = match part {
                    Part::Inside(child) => ((visit.place.0, child), visit.shared),
                    Part::Definition(place) => (place, true),
                };
                if !lowering.is_lowered(place) {
                    stack.push(Visit { place, shared });
                }
            });
            if stack.len() > waiting {
                // The first part on top, so that diagnostics come in the order of the text.
                stack[waiting..].reverse();
                continue;
            }
            stack.pop();
            self.shared = visit.shared;
            let typed =
                self.node(sources, visit.place).and_then(|typed| self.within_limits(visit.place, typed));
            self.remember(visit.place, typed);
            self.shared = false;
        }
        self.memo.get(&(context, root)).cloned()
    }

    /// [`Self::lower`] for a place that requires a type; an int becomes a double where one is required.
    pub(crate) fn lower_as(
        &mut self,
        sources: &Sources,
        context: ContextId,
        id: ExprId,
        ty: Ty,
        diagnostic: impl FnOnce(Ty, Span) -> Diagnostic,
    ) -> Option<Typed> {
        let typed = self.lower(sources, context, id)?;
        if typed.ty == ty {
            Some(typed)
        } else if typed.ty == Ty::Int && ty == Ty::Double {
            Some(self.promoted(typed))
        } else {
            let diagnostic = diagnostic(typed.ty, self.span(context, id));
            self.report(diagnostic);
            None
        }
    }

    pub(crate) fn is_lowered(&self, place: Place) -> bool {
        self.memo.contains_key(&place) || self.failed.contains(&place)
    }

    /// The identifier behind a name in a context, after renaming.
    pub(crate) fn renamed<'a>(&'a self, context: ContextId, name: &'a str) -> &'a str {
        let Context { tree, renames } = &self.contexts[context];
        // Formulas are expanded before modules are renamed: their own names stay.
        let is_formula =
            self.names.get(*tree, name).is_some_and(|named| matches!(named.entity, Entity::Formula(..)));
        if is_formula {
            return name;
        }
        renames.as_ref().and_then(|map| map.get(name)).map_or(name, String::as_str)
    }

    /// The context of a definition in a tree, as seen from `context`: the definition of a formula is
    /// subject to the same renaming, that of a constant to none.
    pub(crate) fn context_of(&self, context: ContextId, entity: Entity) -> ContextId {
        match entity {
            Entity::Formula(Tree::Model, _) if self.contexts[context].tree == Tree::Model => context,
            Entity::Constant(Tree::File(file), _) | Entity::Formula(Tree::File(file), _) => {
                self.file_contexts[file as usize]
            }
            _ => ContextId::MODEL,
        }
    }

    /// Calls `visit` with what has to be lowered before a node.
    pub(crate) fn for_each_part(&self, (context, id): Place, mut visit: impl FnMut(&Self, Part)) {
        let kind = &self.exprs(context).get(id).kind;
        match kind {
            ExprKind::Ident(name) => {
                if let Some(definition) = self.definition(context, name) {
                    visit(self, Part::Definition(definition));
                }
            }
            ExprKind::Label(name) => {
                if let Some(definition) = self.label_definition(context, name) {
                    visit(self, Part::Definition(definition));
                }
            }
            kind if is_operator_of_expressions(kind) => {
                kind.for_each_child(|child| visit(self, Part::Inside(child)));
            }
            _ => {}
        }
    }

    /// The definition behind a name that has one and needs lowering.
    fn definition(&self, context: ContextId, name: &str) -> Option<Place> {
        let tree = self.contexts[context].tree;
        let entity = self.names.get(tree, self.renamed(context, name))?.entity;
        if self.cycles.contains(entity) {
            return None;
        }
        let definition = self.context_of(context, entity);
        match entity {
            Entity::Formula(tree, i) => Some((definition, self.formulas_of(tree)[i as usize].body)),
            Entity::Constant(tree, i) if !self.constants.contains_key(&entity) => {
                self.constants_of(tree)[i as usize].value.map(|value| (definition, value))
            }
            _ => None,
        }
    }

    /// The definition behind a label.
    pub(crate) fn label_definition(&self, context: ContextId, name: &str) -> Option<Place> {
        let (tree, number) = self.find_label(self.contexts[context].tree, name)?;
        if self.cycles.contains(Entity::Label(tree, number)) {
            return None;
        }
        Some((self.context_of_tree(tree), self.label_decls(tree)[number as usize].body))
    }

    /// Lowers a node whose parts are lowered.
    pub(crate) fn node(&mut self, sources: &Sources, (context, id): Place) -> Option<Typed> {
        let expr = self.exprs(context).get(id);
        let span = expr.span;
        match &expr.kind {
            // The parser reports a literal beyond 32 bits.
            &ExprKind::Int(value) => i32::try_from(value).is_ok().then(|| self.int_constant(value)),
            &ExprKind::Real(value) => {
                let exact = exact::literal(sources.text(span)).map(Arc::new);
                // What is positive in the text is not zero.
                let is_tiny = value == 0.0 && exact.as_ref().is_some_and(|exact| !exact.is_zero());
                let value = if is_tiny { volvelle_model::underflow::SMALLEST } else { value };
                Some(Typed { exact, ..self.double_constant(value) })
            }
            &ExprKind::Bool(value) => Some(self.bool_constant(value)),
            ExprKind::Ident(name) => {
                let name = name.clone();
                self.identifier(context, &name, span)
            }
            ExprKind::Label(name) => {
                let name = name.clone();
                self.label(context, &name, span)
            }
            &ExprKind::Paren(inner) => self.part(context, inner),
            &ExprKind::Neg(arg) => {
                let arg = self.operand(context, arg)?;
                self.negate(arg, span)
            }
            &ExprKind::Not(arg) => {
                let arg = self.operand(context, arg)?;
                self.logical_not(arg)
            }
            &ExprKind::Binary { op, lhs, rhs } => {
                // Both first, so that both are reported.
                let (lhs, rhs) = (self.operand(context, lhs), self.operand(context, rhs));
                self.binary(op, lhs?, rhs?, span)
            }
            &ExprKind::Ite { cond, yes, no } => {
                let [cond, yes, no] = [cond, yes, no].map(|id| self.operand(context, id));
                self.conditional(cond?, yes?, no?, span)
            }
            ExprKind::Call { function, args } => {
                let (function, args) = (*function, args.clone());
                let args: Option<Vec<Operand>> =
                    args.into_iter().map(|arg| self.operand(context, arg)).collect();
                self.call(function, args?, span)
            }
            ExprKind::Error => None,
            other => {
                let what = operators::describe(other);
                self.report(
                    Diagnostic::error(
                        codes::TYPE_MISMATCH,
                        format!("{what} cannot be used in an expression here"),
                    )
                    .at(span, ""),
                );
                None
            }
        }
    }

    pub(crate) fn part(&self, context: ContextId, id: ExprId) -> Option<Typed> {
        self.memo.get(&(context, id)).cloned()
    }

    fn operand(&self, context: ContextId, id: ExprId) -> Option<Operand> {
        Some(Operand { typed: self.part(context, id)?, span: self.span(context, id) })
    }

    /// Whether a name in a file of properties is that of a label.
    fn is_label(&self, tree: Tree, name: &str) -> bool {
        matches!(tree, Tree::File(_)) && (self.find_label(tree, name).is_some() || built_in(name))
    }

    /// A way out where a name that is not declared is that of a label or of a reward structure, or may be that of a constant.
    fn meant_by(&self, tree: Tree, name: &str) -> Option<String> {
        let Tree::File(_) = tree else { return None };
        if self.is_label(tree, name) {
            return Some(format!("write the name of a label in double quotes: \"{name}\""));
        }
        if self.program.rewards.iter().any(|rewards| rewards.name.as_deref() == Some(name)) {
            return Some(format!("write the name of a reward structure in double quotes: R{{\"{name}\"}}"));
        }
        self.names
            .has_no_neighbour(name)
            .then(|| format!("if it is a constant of the property, set its value: --const {name}=..."))
    }

    fn identifier(&mut self, context: ContextId, written: &str, span: Span) -> Option<Typed> {
        let tree = self.contexts[context].tree;
        let name = self.renamed(context, written).to_owned();
        let named = self.names.get(tree, &name);
        let Some(named) =
            named.filter(|named| name == written || !matches!(named.entity, Entity::Formula(..)))
        else {
            let mut diagnostic = self.names.unknown(&name, span);
            diagnostic.helps.extend(self.meant_by(tree, &name));
            if self.is_label(tree, &name) {
                let fix = Fix::around(format!("write `\"{name}\"`"), span, "\"", "\"");
                diagnostic.fixes.insert(0, fix.certain());
            }
            if name != written {
                diagnostic = diagnostic.note(format!("the module renames `{written}` to `{name}`"));
            }
            self.report(diagnostic);
            return None;
        };
        match named.entity {
            Entity::Variable(field) => Some(self.variable(field.index())),
            entity @ Entity::Formula(..) => self.part_of_definition(context, entity, &name),
            entity @ Entity::Constant(tree, number) => {
                if let Some(known) = self.constants.get(&entity) {
                    return known.clone();
                }
                if self.cycles.contains(entity) {
                    return None;
                }
                let value = self.constant(context, tree, number, entity);
                self.constants.insert(entity, value.clone());
                value
            }
            Entity::Given(number) => {
                let value = self.given[number as usize];
                let text = self.given_text(&name);
                Some(self.constant_of_value(value, text.as_deref()))
            }
            // These have quoted names, which are not in this name space.
            Entity::Label(..) | Entity::Property(..) => None,
        }
    }

    fn part_of_definition(&self, context: ContextId, entity: Entity, name: &str) -> Option<Typed> {
        if self.cycles.contains(entity) {
            return None;
        }
        self.definition(context, name).and_then(|(context, id)| self.part(context, id))
    }

    fn label(&mut self, context: ContextId, name: &str, span: Span) -> Option<Typed> {
        let tree = self.contexts[context].tree;
        if tree == Tree::Model {
            self.report(
                Diagnostic::error(
                    codes::UNSUPPORTED_CONSTRUCT,
                    format!("the label \"{name}\" cannot be used in a model"),
                )
                .at(span, "")
                .help("labels are available in properties only; name the condition with `formula` instead"),
            );
            return None;
        }
        let Some((tree, number)) = self.find_label(tree, name) else {
            let diagnostic = self.unknown_label(name, span);
            self.report(diagnostic);
            return None;
        };
        if self.cycles.contains(Entity::Label(tree, number)) {
            return None;
        }
        let declaration = &self.label_decls(tree)[number as usize];
        let (body, context) = (declaration.body, self.context_of_tree(tree));
        self.condition(context, body, &format!("the label \"{name}\""))
    }

    /// The value of a variable, by its place in the state.
    pub(crate) fn variable(&mut self, place: usize) -> Typed {
        let ty = self.variable_types[place];
        let expr = self.program.exprs.local(Local(place as u32), ty.kernel());
        let bounds = self.variable_bounds.get(place).copied().flatten();
        Typed { ty, expr, constant: false, exact: None, bounds }
    }

    /// Number of variables.
    pub(crate) fn num_variables(&self) -> usize {
        self.variable_types.len()
    }

    /// A lowered expression that has to be a truth value.
    pub(crate) fn condition(&mut self, context: ContextId, id: ExprId, what: &str) -> Option<Typed> {
        let typed = self.part(context, id)?;
        if typed.ty != Ty::Bool {
            let span = self.span(context, id);
            self.report(
                Diagnostic::error(codes::TYPE_MISMATCH, format!("{what} must be a condition"))
                    .at(span, format!("this is {}", typed.ty.a_name())),
            );
            return None;
        }
        Some(typed)
    }

    /// The diagnostic for a label that is not declared.
    pub(crate) fn unknown_label(&self, name: &str, span: Span) -> Diagnostic {
        let mut known: Vec<&str> = self.model.labels.iter().map(|l| l.name.text.as_str()).collect();
        for file in &self.files[self.first_file as usize..] {
            known.extend(file.labels.iter().map(|l| l.name.text.as_str()));
            known.extend(file.properties.iter().filter_map(|p| p.name.as_ref()).map(|n| n.text.as_str()));
        }
        known.extend(["init", "deadlock"]);
        let diagnostic = Diagnostic::error(codes::UNKNOWN_LABEL, format!("there is no label \"{name}\""))
            .at_misspelt_quoted(span, name, known.iter().copied());
        let own: Vec<String> = known[..known.len() - 2].iter().map(|name| format!("\"{name}\"")).collect();
        match own.as_slice() {
            _ if !diagnostic.fixes.is_empty() => diagnostic,
            [] => diagnostic.help("the model has no labels; every model has \"init\" and \"deadlock\""),
            [one] => diagnostic.help(format!("the model has the label {one}")),
            some => {
                diagnostic.help(format!("the model has the labels {}", some[..some.len().min(12)].join(", ")))
            }
        }
    }

    /// Refuses expressions that no engine could take.
    pub(crate) fn within_limits(&mut self, place: Place, typed: Typed) -> Option<Typed> {
        let exprs = &self.program.exprs;
        for index in self.operations.len()..exprs.len() {
            let mut count = 1u32;
            let node = exprs.node(volvelle_kernel::ExprId(index as u32));
            Arena::each_operand(&node, |operand| {
                count = count.saturating_add(self.operations[operand.index()]);
            });
            self.operations.push(count);
        }
        let too = if exprs.nesting(typed.expr) > MAX_NESTING {
            Some((
                codes::NESTING_TOO_DEEP,
                format!("this expression is nested more than {MAX_NESTING} levels deep"),
            ))
        } else if self.operations[typed.expr.index()] > MAX_OPERATIONS {
            let message = format!("this expression has more than {MAX_OPERATIONS} operations");
            Some((codes::UNSUPPORTED_CONSTRUCT, message))
        } else {
            None
        };
        let Some((code, message)) = too else { return Some(typed) };
        let span = self.span(place.0, place.1);
        self.report(
            Diagnostic::error(code, message)
                .at(span, "")
                .note("formulas count with their definitions expanded"),
        );
        None
    }
}

/// Operators whose operands are expressions without property operators.
fn is_operator_of_expressions(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Neg(_)
            | ExprKind::Not(_)
            | ExprKind::Binary { .. }
            | ExprKind::Ite { .. }
            | ExprKind::Call { .. }
            | ExprKind::Paren(_)
    )
}
