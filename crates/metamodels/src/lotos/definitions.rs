//! Types and processes as nodes.

use super::classes::Kind;
use super::held::held;
use crate::builder::{Builder, flag};
use volvelle_diagnostics::Span;
use volvelle_lotos::syntax::{
    Equation, Functionality, Name, OperationDeclaration, Parameter, Renaming, Tree as Parsed, TypeDefinition,
};
use volvelle_trees::{NodeId, Placed};

pub(super) type Fields = Vec<(&'static str, Placed)>;

/// The definitions of a specification, the inner ones first.
pub(super) struct Definitions<'d> {
    pub(super) builder: Builder<'d>,
    pub(super) parsed: &'d Parsed,
    text: &'d str,
    /// By their numbers.
    pub(super) values: Vec<Option<NodeId>>,
    pub(super) behaviours: Vec<Option<NodeId>>,
}

impl<'d> Definitions<'d> {
    pub(super) fn new(builder: Builder<'d>, parsed: &'d Parsed, text: &'d str) -> Self {
        let (values, behaviours) = (vec![None; parsed.values.len()], vec![None; parsed.behaviours.len()]);
        Definitions { builder, parsed, text, values, behaviours }
    }

    /// The node of all of it.
    pub(super) fn description(mut self, whole: Span) -> NodeId {
        let parsed = self.parsed;
        let (behaviours, values) = held(parsed);
        for id in (0..values.len()).filter(|&id| values[id]) {
            self.values[id] = Some(self.value(&parsed.values[id]));
        }
        for id in (0..behaviours.len()).filter(|&id| behaviours[id]) {
            self.behaviours[id] = Some(self.behaviour(id));
        }
        let spans = spans(parsed);
        // The innermost process around each type: inner ones have larger numbers.
        let mut types: Vec<Vec<NodeId>> = vec![Vec::new(); parsed.processes.len()];
        for one in &parsed.types {
            let around =
                spans.iter().rposition(|span| span.start <= one.span.start && one.span.end <= span.end);
            if let Some(around) = around {
                let node = self.type_node(one);
                types[around].push(node);
            }
        }
        let mut made: Vec<Option<NodeId>> = vec![None; parsed.processes.len()];
        for id in (0..parsed.processes.len()).rev() {
            let own = std::mem::take(&mut types[id]);
            made[id] = Some(self.scope(id, spans[id], own, &made));
        }
        let specification = made.first().copied().flatten();
        let fields = specification.map(|node| ("specification", self.builder.child(node)));
        self.builder.node(Kind::Description.id(), whole, &fields.into_iter().collect::<Fields>())
    }

    fn scope(&mut self, id: usize, span: Span, types: Vec<NodeId>, made: &[Option<NodeId>]) -> NodeId {
        let one = &self.parsed.processes[id];
        let mut fields = self.name(&one.name);
        fields.push(("gates", self.named(Kind::Gate, &one.gates)));
        fields.push(("parameters", self.variables(&one.parameters)));
        if let Functionality::Exit(sorts) = &one.functionality {
            fields.push(("isExit", flag(true, one.name.span)));
            fields.push(("results", self.texts_of(sorts)));
        }
        fields.push(("types", self.builder.children(types)));
        let mut inner: Vec<NodeId> = one.inner.iter().filter_map(|&inner| made[inner]).collect();
        inner.sort_by_key(|&node| self.builder.tree.span(node).start);
        fields.push(("processes", self.builder.children(inner)));
        fields.extend(self.behaviours[one.body].map(|node| ("body", self.builder.child(node))));
        if id > 0 {
            return self.node(Kind::Process, span, fields);
        }
        fields.push(("libraries", self.texts_of(&self.parsed.libraries)));
        self.node(Kind::Specification, span, fields)
    }

    fn type_node(&mut self, one: &TypeDefinition) -> NodeId {
        let mut fields = self.name(&one.name);
        fields.push(("imports", self.texts_of(&one.imports)));
        fields.push(("formalSorts", self.named(Kind::Sort, &one.formal_sorts)));
        fields.push(("formalOperations", self.operations(&one.formal_operations)));
        fields.push(("sorts", self.named(Kind::Sort, &one.sorts)));
        fields.push(("operations", self.operations(&one.operations)));
        let all: Vec<NodeId> = one.equations.iter().map(|equation| self.equation(equation)).collect();
        fields.push(("equations", self.builder.children(all)));
        if let Some(instance) = &one.instance {
            fields.push(("isActualised", flag(instance.actualises, one.name.span)));
            let mut pairs: Vec<&Renaming> = instance.sorts.iter().chain(&instance.operations).collect();
            pairs.sort_by_key(|pair| pair.new.span.start);
            let mut all = Vec::new();
            for pair in pairs {
                let mut inner = self.name(&pair.new);
                inner.push(("old", self.text_of(&pair.old)));
                all.push(self.node(Kind::Renaming, pair.new.span.to(pair.old.span), inner));
            }
            fields.push(("renamings", self.builder.children(all)));
        }
        self.node(Kind::Type, one.span, fields)
    }

    fn operations(&mut self, all: &[OperationDeclaration]) -> Placed {
        let mut nodes = Vec::new();
        for one in all {
            let mut fields = self.name(&one.name);
            fields.push(("isInfix", flag(one.infix, one.name.span)));
            fields.push(("arguments", self.texts_of(&one.arguments)));
            fields.push(("result", self.text_of(&one.result)));
            nodes.push(self.node(Kind::Operation, one.name.span, fields));
        }
        self.builder.children(nodes)
    }

    fn equation(&mut self, one: &Equation) -> NodeId {
        let mut fields: Fields = Vec::new();
        fields.extend(one.sort.as_ref().map(|sort| ("sort", self.text_of(sort))));
        let all: Vec<NodeId> = one.premises.iter().map(|premise| self.condition(premise)).collect();
        fields.push(("premises", self.builder.children(all)));
        fields.extend(self.values[one.left].map(|node| ("left", self.builder.child(node))));
        fields.extend(self.values[one.right].map(|node| ("right", self.builder.child(node))));
        self.node(Kind::Equation, one.span, fields)
    }

    /// A node with the place of all its parts.
    pub(super) fn node(&mut self, kind: Kind, span: Span, fields: Fields) -> NodeId {
        self.builder.around(kind.id(), span, &fields)
    }

    pub(super) fn name(&mut self, name: &Name) -> Fields {
        let written = &self.text[name.span.start as usize..name.span.end as usize];
        vec![("name", self.text_of(name)), ("written", self.builder.text(written, name.span))]
    }

    pub(super) fn text_of(&mut self, name: &Name) -> Placed {
        self.builder.text(&name.text, name.span)
    }

    pub(super) fn texts_of(&mut self, names: &[Name]) -> Placed {
        self.builder.texts(names.iter().map(|name| (name.text.as_str(), name.span)))
    }

    pub(super) fn named(&mut self, kind: Kind, names: &[Name]) -> Placed {
        let mut all = Vec::new();
        for name in names {
            let fields = self.name(name);
            all.push(self.node(kind, name.span, fields));
        }
        self.builder.children(all)
    }

    pub(super) fn variable(&mut self, one: &Parameter) -> NodeId {
        let mut fields = self.name(&one.name);
        fields.push(("sort", self.text_of(&one.sort)));
        self.node(Kind::Variable, one.name.span, fields)
    }

    pub(super) fn variables(&mut self, all: &[Parameter]) -> Placed {
        let nodes: Vec<NodeId> = all.iter().map(|one| self.variable(one)).collect();
        self.builder.children(nodes)
    }
}

/// Places of processes with those in them: where one could not be read, its own ends before.
fn spans(parsed: &Parsed) -> Vec<Span> {
    let mut spans: Vec<Span> = parsed.processes.iter().map(|one| one.span).collect();
    for (id, one) in parsed.processes.iter().enumerate().rev() {
        if let Some(outer) = one.outer {
            let inner = spans[id];
            let span = &mut spans[outer];
            *span = Span { start: span.start.min(inner.start), end: span.end.max(inner.end), ..*span };
        }
    }
    if let (Some(first), Some(end)) = (spans.first_mut(), parsed.types.iter().map(|one| one.span.end).max()) {
        first.end = first.end.max(end);
    }
    spans
}
