//! Values and behaviours as nodes.

use super::classes::Kind;
use super::definitions::{Definitions, Fields};
use crate::builder::flag;
use volvelle_diagnostics::Span;
use volvelle_lotos::syntax::{
    BehaviourId, BehaviourKind, Condition, Exit, Name, Offer, Sync, Value, ValueId, ValueKind,
};
use volvelle_trees::NodeId;

impl Definitions<'_> {
    pub(super) fn value(&mut self, value: &Value) -> NodeId {
        match &value.kind {
            ValueKind::Apply(name, operands) => {
                let mut fields = self.name(name);
                let all: Vec<NodeId> = operands.iter().filter_map(|&operand| self.values[operand]).collect();
                fields.push(("operands", self.builder.children(all)));
                self.node(Kind::Application, value.span, fields)
            }
            ValueKind::Of(operand, sort) => {
                let mut fields = vec![("sort", self.text_of(sort))];
                fields.extend(self.value_in("operand", *operand));
                self.node(Kind::Typed, value.span, fields)
            }
        }
    }

    fn value_in(
        &self,
        field: &'static str,
        value: ValueId,
    ) -> Option<(&'static str, volvelle_trees::Placed)> {
        self.values[value].map(|node| (field, self.builder.child(node)))
    }

    pub(super) fn condition(&mut self, one: &Condition) -> NodeId {
        let mut fields: Fields = self.value_in("left", one.left).into_iter().collect();
        fields.extend(one.right.and_then(|right| self.value_in("right", right)));
        let span = self.parsed.values[one.left].span;
        self.node(Kind::Condition, span, fields)
    }

    fn behaviour_in(
        &self,
        field: &'static str,
        id: BehaviourId,
    ) -> Option<(&'static str, volvelle_trees::Placed)> {
        self.behaviours[id].map(|node| (field, self.builder.child(node)))
    }

    /// What stands before a behaviour has a place that does not have the behaviour itself: nodes have that of all their parts.
    pub(super) fn behaviour(&mut self, id: BehaviourId) -> NodeId {
        use BehaviourKind as B;
        let parsed = self.parsed;
        let span = parsed.behaviours[id].span;
        let mut fields: Fields = Vec::new();
        let kind = match &parsed.behaviours[id].kind {
            B::Stop => Kind::Stop,
            B::Exit(all) => {
                let all: Vec<NodeId> = all.iter().map(|one| self.exit(one)).collect();
                fields.push(("values", self.builder.children(all)));
                Kind::Exit
            }
            B::Prefix { gate, offers, predicate, then } => {
                fields.extend(gate.as_ref().map(|gate| ("gate", self.text_of(gate))));
                let all: Vec<NodeId> = offers.iter().map(|one| self.offer(one)).collect();
                fields.push(("offers", self.builder.children(all)));
                if let Some(predicate) = predicate {
                    let node = self.condition(predicate);
                    fields.push(("predicate", self.builder.child(node)));
                }
                fields.extend(self.behaviour_in("then", *then));
                Kind::Prefix
            }
            B::Choice(all) => {
                let all: Vec<NodeId> = all.iter().filter_map(|&one| self.behaviours[one]).collect();
                fields.push(("alternatives", self.builder.children(all)));
                Kind::Choice
            }
            B::Guard(condition, then) => {
                let node = self.condition(condition);
                fields.push(("condition", self.builder.child(node)));
                fields.extend(self.behaviour_in("then", *then));
                Kind::Guard
            }
            B::Parallel { sync, left, right } => {
                self.sync(sync, span, &mut fields);
                fields.extend(self.behaviour_in("left", *left));
                fields.extend(self.behaviour_in("right", *right));
                Kind::Parallel
            }
            B::Enable { left, accept, right } => {
                fields.push(("accepts", self.variables(accept)));
                fields.extend(self.behaviour_in("left", *left));
                fields.extend(self.behaviour_in("right", *right));
                Kind::Enable
            }
            B::Disable { left, right } => {
                fields.extend(self.behaviour_in("left", *left));
                fields.extend(self.behaviour_in("right", *right));
                Kind::Disable
            }
            B::Hide { gates, body } => {
                fields.push(("gates", self.named(Kind::Gate, gates)));
                fields.extend(self.behaviour_in("body", *body));
                Kind::Hide
            }
            B::Let { bindings, body } => {
                let mut all = Vec::new();
                for (variable, value) in bindings {
                    let node = self.variable(variable);
                    let mut inner = vec![("variable", self.builder.child(node))];
                    inner.extend(self.value_in("value", *value));
                    all.push(self.node(Kind::Binding, variable.name.span, inner));
                }
                fields.push(("bindings", self.builder.children(all)));
                fields.extend(self.behaviour_in("body", *body));
                Kind::Let
            }
            B::ChoiceValues { variables, body } => {
                fields.push(("variables", self.variables(variables)));
                fields.extend(self.behaviour_in("body", *body));
                Kind::ChoiceOfValues
            }
            B::ChoiceGates { ranges, body } => {
                self.ranges(ranges, &mut fields);
                fields.extend(self.behaviour_in("body", *body));
                Kind::ChoiceOfGates
            }
            B::ParGates { ranges, sync, body } => {
                self.ranges(ranges, &mut fields);
                self.sync(sync, span, &mut fields);
                fields.extend(self.behaviour_in("body", *body));
                Kind::ParallelGates
            }
            B::Call { process, gates, arguments } => {
                fields = self.name(process);
                fields.push(("gates", self.texts_of(gates)));
                let all: Vec<NodeId> = arguments.iter().filter_map(|&one| self.values[one]).collect();
                fields.push(("arguments", self.builder.children(all)));
                Kind::Call
            }
        };
        self.node(kind, span, fields)
    }

    fn sync(&mut self, sync: &Sync, span: Span, fields: &mut Fields) {
        match sync {
            Sync::All => fields.push(("isFull", flag(true, span))),
            Sync::Gates(gates) => fields.push(("gates", self.texts_of(gates))),
        }
    }

    /// Several gates may range over the same ones: the place is that of the gate.
    fn ranges(&mut self, ranges: &[(Name, Vec<Name>)], fields: &mut Fields) {
        let mut all = Vec::new();
        for (gate, among) in ranges {
            let inner = self.name(gate);
            let node = self.node(Kind::Gate, gate.span, inner);
            let inner = vec![("gate", self.builder.child(node)), ("among", self.texts_of(among))];
            all.push(self.node(Kind::Range, gate.span, inner));
        }
        fields.push(("ranges", self.builder.children(all)));
    }

    fn exit(&mut self, one: &Exit) -> NodeId {
        match one {
            Exit::Value(value) => {
                let fields = self.value_in("value", *value).into_iter().collect();
                self.node(Kind::ExitValue, self.parsed.values[*value].span, fields)
            }
            Exit::Any(sort) => {
                let fields = vec![("sort", self.text_of(sort))];
                self.node(Kind::ExitValue, sort.span, fields)
            }
        }
    }

    fn offer(&mut self, one: &Offer) -> NodeId {
        match one {
            Offer::Give(value) => {
                let fields = self.value_in("value", *value).into_iter().collect();
                self.node(Kind::Give, self.parsed.values[*value].span, fields)
            }
            Offer::Take(variable) => {
                let node = self.variable(variable);
                let fields = vec![("variable", self.builder.child(node))];
                self.node(Kind::Take, variable.name.span, fields)
            }
        }
    }
}
