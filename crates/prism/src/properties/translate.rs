//! The walk over a property: operands first, with an explicit stack, as for expressions of a model.
//!
//! A node whose operands are all ordinary expressions is one too, and is lowered into the program by the same
//! code as a guard. Where an operand is a formula (it contains `P`, a path, `"init"`, a reference to another
//! property, …), the node becomes a formula, and its ordinary operands become observations.

use super::typed_formula::{Kind, TypedFormula};
use crate::ast::{ExprId, ExprKind, OpenEnd};
use crate::lower::{ContextId, Entity, Lowering, Part, Place, Tree, Ty, Typed};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{Diagnostic, Sources, Span, codes};
use volvelle_logic::{Comparison, Formula, FormulaId, Formulas, LabelId, NumberId, Property, Query};
use volvelle_model::expressions::{may_fail, unchecked_divisions};
use volvelle_model::{Label, NumericObservation};

/// Translates one property.
pub(super) struct Translator<'a> {
    pub(super) lowering: &'a mut Lowering,
    pub(super) sources: &'a Sources,
    pub(super) file: u32,
    pub(super) formulas: Formulas,
    /// Nodes that are no ordinary expressions.
    formed: FxHashMap<Place, TypedFormula>,
    /// Observations that the property has used, by expression of the program.
    observed: FxHashMap<volvelle_kernel::ExprId, FormulaId>,
    /// The threshold that was read last, in rational arithmetic, until its operator is formed.
    pub(super) threshold: Option<Option<RBig>>,
    /// Path formulas one of whose bounds has an end that is the variable of a quantile: the bound and the end.
    pub(super) open_ends: FxHashMap<FormulaId, (usize, OpenEnd)>,
    /// Where automata are written.
    pub(super) automata: FxHashMap<FormulaId, Span>,
}

/// An operand: an ordinary expression or a formula.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Plain(Typed),
    Formula(TypedFormula),
}

impl<'a> Translator<'a> {
    pub(super) fn new(lowering: &'a mut Lowering, sources: &'a Sources, file: u32) -> Self {
        Translator {
            lowering,
            sources,
            file,
            formulas: Formulas::default(),
            formed: FxHashMap::default(),
            observed: FxHashMap::default(),
            threshold: None,
            open_ends: FxHashMap::default(),
            automata: FxHashMap::default(),
        }
    }

    /// Translates the property at a position of the file.
    pub(super) fn property(mut self, index: usize) -> Option<Property> {
        let file = self.lowering.files[self.file as usize].clone();
        let property = &file.properties[index];
        let context = self.lowering.file_contexts[self.file as usize];
        if property.name.is_some()
            && self.lowering.cycles.contains(Entity::Property(Tree::File(self.file), index as u32))
        {
            let name = property.name.as_ref().map_or("", |name| &name.text);
            self.report(
                Diagnostic::error(
                    codes::CYCLIC_DEFINITION,
                    format!("the property \"{name}\" refers to itself"),
                )
                .at(property.span, ""),
            );
            return None;
        }
        let place = (context, property.body);
        self.walk(place);
        let root = match self.item(place)? {
            Item::Plain(typed) => self.observe(&typed, Some(place)),
            Item::Formula(formed) if matches!(formed.kind, Kind::Path | Kind::Conditional) => {
                let diagnostic =
                    Diagnostic::error(codes::PROPERTY_TYPE, "a property cannot be a path formula")
                        .at(self.span(place), "this describes a path, not a state")
                        .help("put it into an operator: P=? [ ... ]");
                self.report(diagnostic);
                return None;
            }
            Item::Formula(formed) => formed.id,
        };
        self.check_automata()?;
        let constants = self.constants_of(place);
        Some(Property {
            name: property.name.as_ref().map(|name| name.text.clone()),
            text: self.sources.text(property.span).to_owned(),
            constants,
            formulas: self.formulas,
            root,
        })
    }

    /// Translates a node and everything below it.
    fn walk(&mut self, root: Place) {
        let mut stack = vec![root];
        while let Some(&place) = stack.last() {
            if self.is_done(place) {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            for part in self.parts(place).into_iter().rev() {
                if !self.is_done(part) {
                    stack.push(part);
                }
            }
            if stack.len() > waiting {
                continue;
            }
            stack.pop();
            self.node(place);
        }
    }

    fn is_done(&self, place: Place) -> bool {
        self.lowering.is_lowered(place) || self.formed.contains_key(&place)
    }

    /// The parts that have to be translated before a node.
    fn parts(&self, place: Place) -> Vec<Place> {
        let mut parts = Vec::new();
        let kind = &self.lowering.exprs(place.0).get(place.1).kind;
        match kind {
            ExprKind::Ident(name) | ExprKind::Label(name) if self.property_body(place, name).is_some() => {
                parts.extend(self.property_body(place, name));
            }
            ExprKind::Ident(_) | ExprKind::Label(_) => {
                self.lowering.for_each_part(place, |_, part| {
                    parts.push(match part {
                        Part::Inside(child) => (place.0, child),
                        Part::Definition(definition) => definition,
                    });
                });
            }
            kind => {
                kind.for_each_child(|child| parts.push((place.0, child)));
                if let ExprKind::Automaton { file, propositions } = kind {
                    parts.extend(self.labels_of_automaton(place, file, propositions));
                }
            }
        }
        parts
    }

    /// The body of the property that a name refers to, where it means nothing else.
    pub(super) fn property_body(&self, place: Place, name: &str) -> Option<Place> {
        let tree = self.tree(place.0);
        let means_other = match self.lowering.exprs(place.0).get(place.1).kind {
            ExprKind::Ident(_) => self.lowering.names.get(tree, name).is_some(),
            _ => self.lowering.find_label(tree, name).is_some(),
        };
        if means_other {
            return None;
        }
        let (tree, index) = self.lowering.find_property(tree, name)?;
        let Tree::File(file) = tree else { return None };
        if self.lowering.cycles.contains(Entity::Property(tree, index)) {
            return None;
        }
        let body = self.lowering.files[file as usize].properties[index as usize].body;
        Some((self.lowering.context_of_tree(tree), body))
    }

    pub(super) fn tree(&self, context: ContextId) -> Tree {
        self.lowering.contexts[context].tree
    }

    /// Translates a node whose parts are done.
    fn node(&mut self, place: Place) {
        let kind = self.lowering.exprs(place.0).get(place.1).kind.clone();
        let parts = self.parts(place);
        let is_formula = parts.iter().any(|part| self.formed.contains_key(part));
        let ambiguous = match &kind {
            ExprKind::Ident(name) => self.lowering.ambiguous.contains(name).then(|| format!("`{name}`")),
            ExprKind::Label(name) => {
                let quoted = format!("\"{name}\"");
                self.lowering.ambiguous.contains(&quoted).then_some(quoted)
            }
            _ => None,
        };
        if let Some(name) = ambiguous.filter(|_| self.tree(place.0) != Tree::Model) {
            let message = format!("{name} is declared twice");
            let diagnostic = Diagnostic::error(codes::DUPLICATE_NAME, message);
            self.report(diagnostic.at(self.span(place), "which of the two is meant?"));
            self.lowering.remember(place, None);
            return;
        }
        let result = match &kind {
            ExprKind::Label(name) if name == "init" && self.no_label(place, name) => {
                Some(self.formed(Formula::Init, Kind::Bool))
            }
            ExprKind::Label(name) if name == "deadlock" && self.no_label(place, name) => {
                Some(self.formed(Formula::Deadlock, Kind::Bool))
            }
            ExprKind::Ident(name) | ExprKind::Label(name) if self.property_body(place, name).is_some() => {
                // The same formula under another place, or an ordinary expression.
                match parts.first().and_then(|part| self.item(*part)) {
                    Some(Item::Plain(typed)) => {
                        self.lowering.remember(place, Some(typed));
                        return;
                    }
                    Some(Item::Formula(formed)) => Some(formed),
                    None => None,
                }
            }
            ExprKind::Ident(_) | ExprKind::Label(_) if is_formula => {
                self.definition(place, &kind, parts.first().copied())
            }
            kind if is_formula || is_property_operator(kind) => self.operator(place, kind),
            _ => {
                let typed = self
                    .lowering
                    .node(self.sources, place)
                    .and_then(|typed| self.lowering.within_limits(place, typed));
                self.lowering.remember(place, typed);
                return;
            }
        };
        match result {
            Some(formed) => {
                self.formed.insert(place, formed);
            }
            None => self.lowering.remember(place, None),
        }
    }

    fn no_label(&self, place: Place, name: &str) -> bool {
        self.lowering.find_label(self.tree(place.0), name).is_none()
    }

    /// A label, formula or constant whose definition is a formula of the logic.
    fn definition(&mut self, place: Place, kind: &ExprKind, body: Option<Place>) -> Option<TypedFormula> {
        let formed = *self.formed.get(&body?)?;
        match kind {
            ExprKind::Label(name) if formed.kind != Kind::Bool => {
                let message = format!("the label \"{name}\" must be a condition");
                let diagnostic = Diagnostic::error(codes::TYPE_MISMATCH, message)
                    .at(self.span(body?), format!("this is {}", formed.kind.a_name()));
                self.report(diagnostic);
                None
            }
            ExprKind::Ident(name) => {
                let named = self.lowering.names.get(self.tree(place.0), name)?;
                if let Entity::Constant(..) = named.entity {
                    let message = format!("the constant `{name}` is not constant");
                    let diagnostic = Diagnostic::error(codes::NOT_CONSTANT, message)
                        .at(self.span(body?), "this depends on the state");
                    self.report(diagnostic);
                    return None;
                }
                Some(formed)
            }
            _ => Some(formed),
        }
    }

    /// The translation of a part; `None` if it is wrong.
    pub(super) fn item(&self, place: Place) -> Option<Item> {
        if let Some(formed) = self.formed.get(&place) {
            return Some(Item::Formula(*formed));
        }
        self.lowering.part(place.0, place.1).map(Item::Plain)
    }

    /// A part as a formula with its type.
    pub(super) fn formula(&mut self, context: ContextId, id: ExprId) -> Option<TypedFormula> {
        Some(match self.item((context, id))? {
            Item::Formula(formed) => formed,
            Item::Plain(typed) => {
                TypedFormula { id: self.observe(&typed, Some((context, id))), kind: Kind::of(typed.ty) }
            }
        })
    }

    /// The condition that a label stands for; any other expression itself.
    fn condition(&self, place: Place) -> Place {
        let ExprKind::Label(name) = &self.lowering.exprs(place.0).get(place.1).kind else { return place };
        match self.lowering.find_label(self.tree(place.0), name) {
            Some((tree, number)) => {
                let label = &self.lowering.label_decls(tree)[number as usize];
                (self.lowering.context_of_tree(tree), label.body)
            }
            None => place,
        }
    }

    /// Turns an ordinary expression into a constant or an observation.
    pub(super) fn observe(&mut self, typed: &Typed, place: Option<Place>) -> FormulaId {
        let constant = self.lowering.program.exprs.as_const(typed.expr);
        // Constants with the same double may stand for different numbers.
        if let (Some(&known), None) = (self.observed.get(&typed.expr), constant) {
            return known;
        }
        let formula = match (typed.ty, constant) {
            (Ty::Bool, Some(c)) => {
                let truth = c.as_bool() == Some(true);
                if let (false, Some(place)) = (truth, place) {
                    let (context, condition) = self.condition(place);
                    self.lowering.warn_never_true(context, condition, "this condition is never true");
                }
                Formula::Bool(truth)
            }
            (Ty::Bool, None) if !self.is_claim() && may_fail(&self.lowering.program.exprs, typed.expr) => {
                // As a number, which may be undefined where nothing depends on it.
                let exprs = &mut self.lowering.program.exprs;
                let (one, zero) = (exprs.f64(1.0), exprs.f64(0.0));
                let expr = exprs.select(typed.expr, one, zero);
                for (expr, double, value) in [(one, 1.0, RBig::ONE), (zero, 0.0, RBig::ZERO)] {
                    self.lowering.program.exact.note(expr, double, Some(&value));
                }
                let number = self.number(expr);
                let number = self.formulas.add(Formula::Observation(number));
                let zero = self.formulas.add(Formula::Number(0.0));
                Formula::Compare(Comparison::Gt, number, zero)
            }
            (Ty::Bool, None) => {
                let origin = place.map(|place| self.lowering.origin(self.span(place)));
                let Lowering { numbers, program, .. } = &mut *self.lowering;
                let number = numbers.label(program, typed.expr).unwrap_or_else(|| {
                    program.labels.push(Label { name: None, expr: typed.expr, origin });
                    program.labels.len() - 1
                });
                Formula::Label(LabelId(number as u32))
            }
            (_, Some(c)) => {
                let value = c.as_f64().or_else(|| c.as_i64().map(|value| value as f64));
                Formula::Number(value.unwrap_or(f64::NAN))
            }
            (_, None) => {
                let expr = self.lowering.promoted(typed.clone()).expr;
                Formula::Observation(self.number(expr))
            }
        };
        let id = self.formulas.add(formula);
        if constant.is_some() && typed.ty != Ty::Bool {
            self.formulas.set_exact(id, typed.exact.as_deref().cloned());
            self.note_inexact(typed);
        }
        self.observed.insert(typed.expr, id);
        id
    }

    /// Whether the property is searched for violations, step by step, which evaluates conditions where it comes to.
    fn is_claim(&self) -> bool {
        self.lowering.files[self.file as usize].is_claim
    }

    /// A numeric observation. Where it divides by zero it is infinite or not a number, as in PRISM; where it has no value
    /// that is an error only if the value is asked for.
    fn number(&mut self, expr: volvelle_kernel::ExprId) -> NumberId {
        let program = &mut self.lowering.program;
        let known = program.numbers.iter().position(|number| number.expr == expr);
        let number = known.unwrap_or_else(|| {
            let otherwise = may_fail(&program.exprs, expr)
                .then(|| unchecked_divisions(&mut program.exprs, expr).unwrap_or(expr));
            program.numbers.push(NumericObservation { expr, otherwise });
            program.numbers.len() - 1
        });
        NumberId(number as u32)
    }

    /// Notes the error of a constant without a rational value.
    pub(super) fn note_inexact(&mut self, typed: &Typed) {
        let program = &self.lowering.program;
        if let (None, Some(double)) =
            (&typed.exact, program.exprs.as_const(typed.expr).and_then(|c| c.as_f64()))
        {
            self.formulas.note_inexact(program.exact.error(typed.expr, double).absolute);
        }
    }

    pub(super) fn formed(&mut self, formula: Formula, kind: Kind) -> TypedFormula {
        let bounded = has_bound(&formula);
        let id = self.formulas.add(formula);
        if let (true, Some(threshold)) = (bounded, self.threshold.take()) {
            self.formulas.set_exact(id, threshold);
        }
        TypedFormula { id, kind }
    }

    pub(super) fn span(&self, place: Place) -> Span {
        self.lowering.span(place.0, place.1)
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.lowering.report(diagnostic);
    }
}

/// Whether a formula compares what it measures with a threshold of its own.
fn has_bound(formula: &Formula) -> bool {
    match formula {
        Formula::Prob { query, .. }
        | Formula::Conditional { query, .. }
        | Formula::Reward { query, .. }
        | Formula::Time { query, .. }
        | Formula::Steady { query, .. } => *query != Query::Value,
        _ => false,
    }
}

/// Operators that exist in properties only.
fn is_property_operator(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Prob { .. }
            | ExprKind::Reward { .. }
            | ExprKind::Steady { .. }
            | ExprKind::Time { .. }
            | ExprKind::Strategy { .. }
            | ExprKind::ForAll(_)
            | ExprKind::Exists(_)
            | ExprKind::Filter { .. }
            | ExprKind::Quantile { .. }
            | ExprKind::Automaton { .. }
            | ExprKind::Conditional { .. }
            | ExprKind::Temporal { .. }
            | ExprKind::Unsupported { .. }
            | ExprKind::Call { function: crate::ast::Function::Multi, .. }
    )
}
