//! The functions that rules ask.

use super::ends;
use super::facts::Facts;
use super::fields::{Fields, Space};
use super::modules::Module;
use super::scopes::Binding;
use crate::classes::Kind;
use std::rc::Rc;
use volvelle_rules::language::Host;
use volvelle_rules::value::{Heap, Value};
use volvelle_trees::{Interner, NodeId, Slot, Symbol, Tree};

/// Their names; a rule file declares them with their types.
pub(crate) const FUNCTIONS: &[&str] = &[
    "value",
    "typeNamed",
    "own",
    "libraryType",
    "isLibrary",
    "twins",
    "returns",
    "isPassed",
    "leaves",
    "holds",
    "fails",
    "module",
    "isMissing",
    "imported",
    "exported",
    "atTop",
    "mayExport",
    "importOf",
    "isDeclaration",
];

/// What is known of the texts of a tree: what their names mean, and what tests say of variables.
#[derive(Debug)]
pub(crate) struct Bound {
    names: Binding,
    facts: Facts,
}

impl Bound {
    /// Of a tree that ends with the files of these names; those before are the library.
    pub(crate) fn new(fields: Rc<Fields>, tree: &Tree, texts: &Interner, files: &[&str]) -> Self {
        let names = Binding::new(fields, tree, texts, files);
        let facts = Facts::new(&names, tree);
        Bound { names, facts }
    }
}

impl Host for Bound {
    fn call(&self, function: usize, tree: &Tree, heap: &mut Heap, args: &[Value]) -> Value {
        let node = |at: usize| match args.get(at) {
            Some(&Value::Node(node)) => Some(node),
            _ => None,
        };
        let text = |at: usize| match args.get(at) {
            Some(&Value::Text(text)) => Some(text),
            _ => None,
        };
        let found = |found: Option<NodeId>| found.map_or(Value::Null, Value::Node);
        match FUNCTIONS[function] {
            "value" => {
                found(node(0).zip(text(1)).and_then(|(node, name)| self.names.value(tree, node, name)))
            }
            "typeNamed" => {
                found(node(0).zip(text(1)).and_then(|(node, name)| self.names.type_named(tree, node, name)))
            }
            "own" => {
                let is_static = args.get(2) == Some(&Value::Truth(true));
                let all = node(0)
                    .zip(text(1))
                    .and_then(|(owner, name)| self.names.members.get(&(owner, is_static, name)));
                list(heap, all.map_or(&[], Vec::as_slice))
            }
            "libraryType" => found(text(0).and_then(|name| self.names.in_library(Space::Types, name))),
            "isLibrary" => Value::Truth(node(0).is_some_and(|node| node < self.names.first)),
            "twins" => {
                let all = node(0).map_or(&[][..], |node| self.names.twins(tree, node));
                list(heap, all)
            }
            "returns" => {
                let all = node(0).and_then(|node| self.names.returns.get(&node));
                list(heap, all.map_or(&[], Vec::as_slice))
            }
            "isPassed" => Value::Truth(node(0).is_none_or(|node| self.names.ends.is_passed(node))),
            "leaves" => found(node(0).and_then(|node| ends::target(&self.names.fields, tree, node))),
            "holds" => {
                let known = node(0).map(|node| self.facts.at(&self.names, tree, node)).unwrap_or_default();
                let groups: Vec<Value> = known.holds.iter().map(|group| list(heap, group)).collect();
                Value::List(heap.list(&groups))
            }
            "fails" => {
                let known = node(0).map(|node| self.facts.at(&self.names, tree, node)).unwrap_or_default();
                list(heap, &known.fails)
            }
            "module" => found(node(0).and_then(|node| self.names.file(tree, node))),
            "isMissing" => Value::Truth(
                node(0).is_some_and(|node| self.names.module(tree, node) == Some(Module::Missing)),
            ),
            "imported" => found(node(0).and_then(|node| self.names.imported(tree, node))),
            "exported" => {
                found(node(0).zip(text(1)).and_then(|(file, name)| self.names.exported(tree, file, name)))
            }
            "atTop" => found(node(0).zip(text(1)).and_then(|(file, name)| self.names.at_top(file, name))),
            "mayExport" => Value::Truth(
                node(0).zip(text(1)).is_some_and(|(file, name)| self.names.may_export(tree, file, name)),
            ),
            "importOf" => {
                let found_at =
                    node(0).zip(text(1)).and_then(|(at, name)| self.names.find(at, Space::Values, name));
                found(found_at.filter(|&named| self.names.fields.is(tree, named, Kind::ImportSpecifier)))
            }
            "isDeclaration" => {
                Value::Truth(node(0).is_some_and(|node| self.names.is_declaration(tree, node)))
            }
            _ => Value::Null,
        }
    }
}

fn list(heap: &mut Heap, nodes: &[NodeId]) -> Value {
    let nodes: Vec<Value> = nodes.iter().copied().map(Value::Node).collect();
    Value::List(heap.list(&nodes))
}

impl Binding {
    /// What a name means as a value. `arguments` is one in functions only.
    pub(super) fn value(&self, tree: &Tree, node: NodeId, name: Symbol) -> Option<NodeId> {
        let found = self.find(node, Space::Values, name)?;
        if Some(name) == self.arguments && self.in_library(Space::Values, name) == Some(found) {
            let mut at = node;
            loop {
                at = tree.parent(at)?;
                if self.fields.is(tree, at, Kind::FunctionLike) && tree.class(at) != Kind::ArrowFunction.id()
                {
                    break;
                }
            }
        }
        self.through(tree, found, Space::Values)
    }

    /// What a name means as a type.
    fn type_named(&self, tree: &Tree, node: NodeId, name: Symbol) -> Option<NodeId> {
        self.find(node, Space::Types, name).and_then(|found| self.through(tree, found, Space::Types))
    }

    /// All declarations of the name of one in the same scope, or members of the same owner, in the order of the text.
    pub(super) fn twins(&self, tree: &Tree, node: NodeId) -> &[NodeId] {
        let Slot::Text(name) = self.fields.field(tree, node, "name") else { return &[] };
        if self.fields.is(tree, node, Kind::Member) || self.fields.is(tree, node, Kind::EnumLiteral) {
            let is_static = self.fields.field(tree, node, "isStatic") == Slot::Flag(true);
            let Some(owner) = tree.parent(node) else { return &[] };
            return self.members.get(&(owner, is_static, name)).map_or(&[], Vec::as_slice);
        }
        let space = if self.fields.is(tree, node, Kind::TypeParameter)
            || self.fields.is(tree, node, Kind::TypeAlias)
        {
            Space::Types
        } else {
            Space::Values
        };
        let mut at = node;
        loop {
            let all = self.declared(at, space, name);
            if all.contains(&node) {
                return all;
            }
            let scope = self.scope(at);
            if scope == at {
                return &[];
            }
            at = scope;
        }
    }
}
