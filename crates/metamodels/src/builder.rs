//! Nodes by the names of their fields.

use volvelle_diagnostics::Span;
use volvelle_trees::{ClassId, Classes, Interner, NodeId, Placed, Shape, Slot, Tree};

/// Fills a tree.
pub(crate) struct Builder<'b> {
    pub(crate) tree: &'b mut Tree,
    pub(crate) texts: &'b mut Interner,
    pub(crate) classes: &'b Classes,
}

impl Builder<'_> {
    /// A node with what stands in its fields. A field that is not named holds nothing.
    pub(crate) fn node(&mut self, class: ClassId, span: Span, fields: &[(&str, Placed)]) -> NodeId {
        let wanted = &self.classes.class(class).fields;
        let mut slots = Vec::with_capacity(wanted.len());
        for field in wanted {
            let name = self.classes.field_name(field.name);
            let given = fields.iter().find(|(given, _)| *given == name).map(|(_, placed)| *placed);
            slots.push(given.unwrap_or_else(|| match field.shape {
                Shape::Nodes(_) | Shape::Texts | Shape::References(_) => {
                    placed(Slot::List(self.tree.list(&[])), span)
                }
                Shape::Flag => placed(Slot::Flag(false), span),
                Shape::Node(_) | Shape::Text | Shape::Reference(_) => Placed::default(),
            }));
        }
        debug_assert!(
            fields.iter().all(|(name, _)| self
                .classes
                .find_field(name)
                .is_some_and(|f| self.classes.place(class, f).is_some())),
            "the class has the fields"
        );
        self.tree.node(class, span.start, span.end, &slots)
    }

    /// A node with the place of all its parts.
    pub(crate) fn around(&mut self, class: ClassId, span: Span, fields: &[(&str, Placed)]) -> NodeId {
        let mut all = span;
        for (_, placed) in fields {
            let is_part = match placed.slot {
                Slot::Node(_) => true,
                Slot::List(list) => {
                    self.tree.items(list).iter().any(|item| matches!(item.slot, Slot::Node(_)))
                }
                _ => false,
            };
            if is_part {
                all = Span { start: all.start.min(placed.start), end: all.end.max(placed.end), ..all };
            }
        }
        self.node(class, all, fields)
    }

    /// A text with its place.
    pub(crate) fn text(&mut self, text: &str, span: Span) -> Placed {
        placed(Slot::Text(self.texts.intern(text)), span)
    }

    /// A list of texts with their places.
    pub(crate) fn texts<'t>(&mut self, all: impl IntoIterator<Item = (&'t str, Span)>) -> Placed {
        let items: Vec<Placed> = all.into_iter().map(|(text, span)| self.text(text, span)).collect();
        self.list(&items)
    }

    /// A node in a field.
    pub(crate) fn child(&self, node: NodeId) -> Placed {
        placed(Slot::Node(node), self.tree.span(node))
    }

    /// Nodes in a field.
    pub(crate) fn children(&mut self, nodes: impl IntoIterator<Item = NodeId>) -> Placed {
        let items: Vec<Placed> = nodes.into_iter().map(|node| self.child(node)).collect();
        self.list(&items)
    }

    fn list(&mut self, items: &[Placed]) -> Placed {
        let slot = Slot::List(self.tree.list(items));
        let start = items.iter().map(|item| item.start).min().unwrap_or(0);
        let end = items.iter().map(|item| item.end).max().unwrap_or(0);
        Placed { slot, start, end }
    }
}

/// A truth value in a field.
pub(crate) fn flag(is: bool, span: Span) -> Placed {
    placed(Slot::Flag(is), span)
}

fn placed(slot: Slot, span: Span) -> Placed {
    Placed { slot, start: span.start, end: span.end }
}
