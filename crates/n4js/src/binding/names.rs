//! For editors: where names are declared, and what they mean where they are used.

use super::fields::{Fields, Space, Traits};
use super::scopes::Binding;
use crate::classes::Kind;
use std::rc::Rc;
use volvelle_diagnostics::Span;
use volvelle_trees::{ClassId, Interner, NodeId, Slot, Symbol, Tree};

/// A name that is declared.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// What declares it. Of several in one scope, such as overloads, all have the first one.
    pub node: NodeId,
    /// The first one.
    pub first: NodeId,
    /// The name.
    pub name: Symbol,
    /// Where it stands.
    pub span: Span,
    /// What is declared around it, if that has names within.
    pub within: Option<NodeId>,
    /// Whether it is a name of the text, and not of a function or a block in it.
    pub is_global: bool,
}

/// A name that is used.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// Where it stands.
    pub span: Span,
    /// What declares it.
    pub meaning: NodeId,
    /// Whether it gets a value.
    pub writes: bool,
    /// Whether the name also is that of a property, or one that another file has.
    pub is_shared: bool,
}

/// The names of the texts of a tree.
#[derive(Debug)]
pub struct Names {
    binding: Binding,
}

impl Names {
    /// The names of a tree of which the last text is the one that is asked about.
    pub fn of(tree: &Tree, texts: &Interner) -> Self {
        Names { binding: Binding::new(Rc::new(Fields::new()), tree, texts, &[""]) }
    }

    fn is(&self, tree: &Tree, node: NodeId, kind: Kind) -> bool {
        self.binding.fields.is(tree, node, kind)
    }

    /// The place of a field of a node.
    pub fn place(&self, tree: &Tree, node: NodeId, field: &str) -> Option<Span> {
        let classes = &self.binding.fields.classes;
        let place = classes.place(tree.class(node), classes.find_field(field)?)?;
        Some(tree.slot_span(node, place))
    }

    fn text(&self, tree: &Tree, node: NodeId, field: &str) -> Option<Symbol> {
        match self.binding.fields.field(tree, node, field) {
            Slot::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What is declared, from a node on: names of members, too, but not those of object literals.
    pub fn declared(&self, tree: &Tree, from: NodeId) -> Vec<Declared> {
        let classes = &self.binding.fields.classes;
        let kinds: Vec<Traits> = classes.iter().map(|(class, _)| Traits::of(classes, class)).collect();
        let mut all = Vec::new();
        for node in tree.nodes().skip(from.index()) {
            let traits = kinds[tree.class(node).index()];
            let is_property = self.is(tree, node, Kind::Property) && !self.is(tree, node, Kind::Member);
            if !traits.is_declared || is_property || self.is_in_literal(tree, node) {
                continue;
            }
            let named = self.text(tree, node, "name").zip(self.place(tree, node, "name"));
            let Some((name, span)) = named.filter(|(_, span)| span.start < span.end) else { continue };
            let first = self.binding.twins(tree, node).first().copied().unwrap_or(node);
            let mut within = tree.parent(node);
            let mut is_global = true;
            let mut around = within;
            while let Some(at) = around {
                let class = kinds[tree.class(at).index()];
                is_global &= !class.is_function && !self.is(tree, at, Kind::Block);
                around = tree.parent(at);
            }
            while let Some(at) = within {
                let class = kinds[tree.class(at).index()];
                let holds = class.is_function
                    || self.is(tree, at, Kind::Classifier)
                    || self.is(tree, at, Kind::TypeAlias);
                if holds && class.is_declared && self.text(tree, at, "name").is_some() {
                    break;
                }
                within = tree.parent(at);
            }
            all.push(Declared { node, first, name, span, within, is_global });
        }
        all
    }

    /// Whether a member is one of an object literal.
    fn is_in_literal(&self, tree: &Tree, node: NodeId) -> bool {
        tree.parent(node).is_some_and(|parent| self.is(tree, parent, Kind::ObjectLiteral))
    }

    /// Where names are used, from a node on.
    pub fn used(&self, tree: &Tree, from: NodeId) -> Vec<Used> {
        let mut all = Vec::new();
        for node in tree.nodes().skip(from.index()) {
            let find = |field: &str| {
                let name = self.text(tree, node, field)?;
                let value = || self.binding.value(tree, node, name);
                let ty = || self.binding.find(node, Space::Types, name);
                let meaning = match Kind::TypeReference.id() == tree.class(node) {
                    true => ty(),
                    false => value().or_else(ty),
                };
                Some((self.place(tree, node, field)?, meaning?))
            };
            let is = |kind: Kind| tree.class(node) == kind.id();
            let (found, is_shared) = if is(Kind::Identifier) || is(Kind::TypeReference) {
                (find("name"), false)
            } else if is(Kind::ShorthandProperty) {
                (find("name"), true)
            } else if is(Kind::ExportSpecifier) {
                let exported = self.place(tree, node, "exported");
                (
                    find("local"),
                    exported.is_none_or(|exported| Some(exported) == self.place(tree, node, "local")),
                )
            } else if is(Kind::NamedImport) || is(Kind::BindingElement) {
                // The name of what is imported, or of the property, where no other is written.
                let other = if is(Kind::NamedImport) { "imported" } else { "property" };
                let own = self.place(tree, node, "name");
                let is_one = match self.text(tree, node, other) {
                    None => is(Kind::NamedImport) || self.is_of_object(tree, node),
                    Some(_) => self.place(tree, node, other) == own,
                };
                (
                    own.filter(|_| is_one && self.text(tree, node, "name").is_some()).map(|own| (own, node)),
                    true,
                )
            } else {
                continue;
            };
            if let Some((span, meaning)) = found.filter(|(span, _)| span.start < span.end) {
                all.push(Used { span, meaning, writes: self.writes(tree, node), is_shared });
            }
        }
        all
    }

    fn is_of_object(&self, tree: &Tree, node: NodeId) -> bool {
        tree.parent(node).is_some_and(|parent| self.is(tree, parent, Kind::ObjectPattern))
    }

    fn writes(&self, tree: &Tree, node: NodeId) -> bool {
        let Some(parent) = tree.parent(node) else { return false };
        let is_field = |field: &str| self.binding.fields.field(tree, parent, field) == Slot::Node(node);
        let changes =
            matches!(tree.class(parent), class if class == Kind::Prefix.id() || class == Kind::Postfix.id());
        changes || tree.class(parent) == Kind::Assignment.id() && is_field("target")
    }

    /// The innermost node of a class that has a place within it; of a text, from a node on.
    pub fn around(&self, tree: &Tree, from: NodeId, class: ClassId, offset: u32) -> Option<NodeId> {
        let classes = &self.binding.fields.classes;
        let is_around = |node: &NodeId| {
            let span = tree.span(*node);
            classes.is_kind(tree.class(*node), class) && span.start <= offset && offset <= span.end
        };
        tree.nodes().skip(from.index()).filter(is_around).min_by_key(|&node| {
            let span = tree.span(node);
            span.end - span.start
        })
    }
}
