//! Units and declarations as nodes.

use super::classes::Kind;
use crate::builder::{Builder, flag};
use volvelle_diagnostics::Span;
use volvelle_promela::ast::{
    ChannelInit, Declaration, ExprId, Initial, Model, Name, Place, Proctype, TypeName, Unit, Variable,
};
use volvelle_trees::{NodeId, Placed};

pub(super) type Fields = Vec<(&'static str, Placed)>;

/// The units of a model, one after the other.
pub(super) struct Units<'u> {
    pub(super) builder: Builder<'u>,
    pub(super) model: &'u Model,
    pub(super) text: &'u str,
}

impl<'u> Units<'u> {
    pub(super) fn new(builder: Builder<'u>, model: &'u Model, text: &'u str) -> Self {
        Units { builder, model, text }
    }

    /// The node of all of it.
    pub(super) fn model(mut self, whole: Span) -> NodeId {
        let model = self.model;
        let all: Vec<NodeId> = model.units.iter().map(|unit| self.unit(unit)).collect();
        let fields = [("units", self.builder.children(all))];
        self.builder.around(Kind::Model.id(), whole, &fields)
    }

    fn unit(&mut self, unit: &Unit) -> NodeId {
        let (kind, place, fields) = match unit {
            Unit::Declaration(declaration) => return self.declaration(declaration, Vec::new()),
            Unit::Mtype { set, names, place } => {
                let constants: Vec<NodeId> =
                    names.iter().map(|name| self.named(Kind::MessageType, name)).collect();
                let mut fields = vec![("constants", self.builder.children(constants))];
                fields.extend(set.as_ref().map(|set| ("set", self.text_of(set))));
                (Kind::MessageTypes, *place, fields)
            }
            Unit::Typedef { name, fields, place } => {
                let all: Vec<NodeId> = fields.iter().map(|one| self.declaration(one, Vec::new())).collect();
                let fields = vec![self.name(name), ("fields", self.builder.children(all))];
                (Kind::Typedef, *place, fields)
            }
            Unit::Proctype(process) => return self.process(process),
            Unit::Never { name, body, place } => {
                let mut fields = vec![("body", self.sequence(body))];
                fields.extend(name.as_ref().map(|name| self.name(name)));
                (Kind::Never, *place, fields)
            }
            Unit::Trace { negated, name, body, place } => {
                let span = self.span(*place);
                let mut fields = vec![("isNegated", flag(*negated, span)), ("body", self.sequence(body))];
                fields.extend(name.as_ref().map(|name| self.name(name)));
                (Kind::Trace, *place, fields)
            }
            Unit::Ltl { name, formula, place } => {
                let mut fields = vec![self.expr("formula", *formula)];
                fields.extend(name.as_ref().map(|name| self.name(name)));
                (Kind::Formula, *place, fields)
            }
        };
        let span = self.span(place);
        self.builder.around(kind.id(), span, &fields)
    }

    fn process(&mut self, one: &Proctype) -> NodeId {
        let span = self.span(one.place);
        let mut fields = vec![
            self.name(&one.name),
            ("isInit", flag(one.is_init, span)),
            ("isActive", flag(one.active.is_some(), span)),
            ("isDeterministic", flag(one.deterministic, span)),
        ];
        fields.extend(one.active.flatten().map(|count| self.expr("count", count)));
        let all: Vec<NodeId> =
            one.parameters.iter().map(|parameter| self.declaration(parameter, Vec::new())).collect();
        fields.push(("parameters", self.builder.children(all)));
        fields.extend(one.priority.map(|priority| self.expr("priority", priority)));
        fields.extend(one.provided.map(|provided| self.expr("provided", provided)));
        fields.push(("body", self.sequence(&one.body)));
        self.builder.around(Kind::Process.id(), span, &fields)
    }

    /// A declaration, behind labels where it is a statement.
    pub(super) fn declaration(&mut self, one: &Declaration, labels: Fields) -> NodeId {
        let span = self.span(one.place);
        let mut fields = labels;
        let ty = self.type_name(&one.ty);
        fields.push(("type", self.builder.text(&ty, span)));
        fields.push(("isHidden", flag(one.visibility.hidden, span)));
        fields.push(("isShown", flag(one.visibility.show, span)));
        fields.push(("isLocal", flag(one.visibility.local, span)));
        let all: Vec<NodeId> = one.variables.iter().map(|variable| self.variable(variable)).collect();
        fields.push(("variables", self.builder.children(all)));
        self.builder.around(Kind::Declaration.id(), span, &fields)
    }

    fn variable(&mut self, one: &Variable) -> NodeId {
        let mut fields = vec![self.name(&one.name)];
        fields.extend(one.length.map(|length| self.expr("length", length)));
        fields.extend(one.bits.map(|bits| self.expr("bits", bits)));
        match &one.initial {
            Some(Initial::Value(value)) => fields.push(self.expr("initial", *value)),
            Some(Initial::List(values)) => fields.push(("values", self.exprs(values))),
            Some(Initial::Channel(channel)) => {
                let node = self.channel(channel);
                fields.push(("channel", self.builder.child(node)));
            }
            None => {}
        }
        let span = self.span(one.name.place);
        self.builder.around(Kind::Variable.id(), span, &fields)
    }

    fn channel(&mut self, one: &ChannelInit) -> NodeId {
        let span = self.span(one.place);
        let types: Vec<String> = one.fields.iter().map(|ty| self.type_name(ty)).collect();
        let types = self.builder.texts(types.iter().map(|ty| (ty.as_str(), span)));
        let fields = [self.expr("capacity", one.capacity), ("fields", types)];
        self.builder.around(Kind::Channel.id(), span, &fields)
    }

    fn type_name(&self, ty: &TypeName) -> String {
        let word = match ty {
            TypeName::Bit => "bit",
            TypeName::Bool => "bool",
            TypeName::Byte => "byte",
            TypeName::Pid => "pid",
            TypeName::Short => "short",
            TypeName::Int => "int",
            TypeName::Unsigned => "unsigned",
            TypeName::Mtype(None) => "mtype",
            TypeName::Mtype(Some(set)) => return format!("mtype:{}", set.text),
            TypeName::Chan => "chan",
            TypeName::User(name) => &name.text,
        };
        word.to_owned()
    }

    /// The place in the text: of what came through calls, that of the outermost one.
    pub(super) fn span(&self, place: Place) -> Span {
        let places = &self.model.places;
        places.span(places.calls(place).last().unwrap_or(place))
    }

    pub(super) fn name(&mut self, name: &Name) -> (&'static str, Placed) {
        ("name", self.text_of(name))
    }

    pub(super) fn text_of(&mut self, name: &Name) -> Placed {
        let span = self.span(name.place);
        self.builder.text(&name.text, span)
    }

    pub(super) fn named(&mut self, kind: Kind, name: &Name) -> NodeId {
        let fields = [self.name(name)];
        let span = self.span(name.place);
        self.builder.around(kind.id(), span, &fields)
    }

    pub(super) fn expr(&mut self, field: &'static str, id: ExprId) -> (&'static str, Placed) {
        let node = self.expression(id);
        (field, self.builder.child(node))
    }

    pub(super) fn exprs(&mut self, all: &[ExprId]) -> Placed {
        let nodes: Vec<NodeId> = all.iter().map(|&id| self.expression(id)).collect();
        self.builder.children(nodes)
    }
}
