//! Nodes in flat arrays.

use crate::classes::{ClassId, Classes, FieldId};
use crate::interner::Symbol;
use volvelle_diagnostics::{FileId, Span};
use volvelle_entity::entity;

entity!(
    /// A node.
    NodeId
);

entity!(
    /// A list in a field.
    ListId
);

/// What stands in a field of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Nothing is written there.
    #[default]
    Nothing,
    /// Whether something is written.
    Flag(bool),
    /// A text; in a field that refers to a node, its name.
    Text(Symbol),
    /// A node.
    Node(NodeId),
    /// A list of nodes or texts.
    List(ListId),
}

/// What stands in a field or a list, and where: names and words have no node of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// What stands there.
    pub slot: Slot,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset behind its last byte.
    pub end: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    class: ClassId,
    /// Number of its file among those of the tree.
    file: u16,
    start: u32,
    end: u32,
    /// The node in one of whose fields it stands; itself where it is a root.
    parent: NodeId,
    first_slot: u32,
}

/// The nodes of files. A node is made when those in its fields are there, so that its number is larger than theirs.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    slots: Vec<Placed>,
    lists: Vec<(u32, u32)>,
    items: Vec<Placed>,
    /// The files, in the order in which they were begun.
    files: Vec<FileId>,
    roots: Vec<NodeId>,
}

impl Tree {
    /// No nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// The nodes made from now on belong to this file.
    ///
    /// # Panics
    /// Where there are 65,535 files already.
    pub fn begin(&mut self, file: FileId) {
        assert!(self.files.len() < usize::from(u16::MAX), "fewer than 65,535 files");
        self.files.push(file);
    }

    /// Makes room for so many nodes more, with so many slots together, and for their lists: where a text is large, growing step by step
    /// costs as much as reading.
    pub fn reserve(&mut self, nodes: usize, slots: usize) {
        self.nodes.reserve(nodes);
        self.slots.reserve(slots);
        self.lists.reserve(nodes);
        self.items.reserve(nodes);
    }

    /// Says that a node is the whole of a text.
    pub fn root(&mut self, node: NodeId) {
        self.roots.push(node);
    }

    /// The nodes that are whole texts, in the order of the files.
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A list for a field.
    pub fn list(&mut self, items: &[Placed]) -> ListId {
        let id = ListId::from_index(self.lists.len());
        let start = self.items.len() as u32;
        self.items.extend_from_slice(items);
        self.lists.push((start, self.items.len() as u32));
        id
    }

    /// A node, with a slot for each field of its class by place. The nodes in them get it as their parent.
    ///
    /// # Panics
    /// Where no file was begun.
    pub fn node(&mut self, class: ClassId, start: u32, end: u32, slots: &[Placed]) -> NodeId {
        let id = NodeId::from_index(self.nodes.len());
        let first_slot = self.slots.len() as u32;
        for &slot in slots {
            self.adopt(slot.slot, id);
            self.slots.push(slot);
        }
        let file = u16::try_from(self.files.len() - 1).expect("begin() counts the files");
        self.nodes.push(Node { class, file, start, end, parent: id, first_slot });
        id
    }

    fn adopt(&mut self, slot: Slot, parent: NodeId) {
        match slot {
            Slot::Node(child) => self.nodes[child.index()].parent = parent,
            Slot::List(list) => {
                let (start, end) = self.lists[list.index()];
                for at in start..end {
                    if let Slot::Node(child) = self.items[at as usize].slot {
                        self.nodes[child.index()].parent = parent;
                    }
                }
            }
            Slot::Nothing | Slot::Flag(_) | Slot::Text(_) => {}
        }
    }

    /// Takes back the nodes made since there were so many; none that is left has them in a field. Their lists stay.
    pub fn take_back(&mut self, count: usize) {
        if let Some(first) = self.nodes.get(count) {
            self.slots.truncate(first.first_slot as usize);
            self.nodes.truncate(count);
        }
    }

    /// The class of a node.
    #[inline]
    pub fn class(&self, node: NodeId) -> ClassId {
        self.nodes[node.index()].class
    }

    /// Its place.
    pub fn span(&self, node: NodeId) -> Span {
        let Node { file, start, end, .. } = self.nodes[node.index()];
        Span { file: self.files[usize::from(file)], start, end }
    }

    /// The node in one of whose fields it stands.
    #[inline]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.nodes[node.index()].parent;
        (parent != node).then_some(parent)
    }

    /// What stands in the field at a place among those of its class.
    #[inline]
    pub fn slot(&self, node: NodeId, place: usize) -> Slot {
        self.slots[self.nodes[node.index()].first_slot as usize + place].slot
    }

    /// Where that stands; the node where nothing is written.
    pub fn slot_span(&self, node: NodeId, place: usize) -> Span {
        let Placed { slot, start, end } = self.slots[self.nodes[node.index()].first_slot as usize + place];
        match slot {
            Slot::Nothing => self.span(node),
            _ => Span { start, end, ..self.span(node) },
        }
    }

    /// What stands in a field; nothing where its class has no such field.
    pub fn field(&self, classes: &Classes, node: NodeId, field: FieldId) -> Slot {
        classes.place(self.class(node), field).map_or(Slot::Nothing, |place| self.slot(node, place))
    }

    /// The items of a list.
    #[inline]
    pub fn items(&self, list: ListId) -> &[Placed] {
        let (start, end) = self.lists[list.index()];
        &self.items[start as usize..end as usize]
    }

    /// Number of lists.
    pub fn list_count(&self) -> usize {
        self.lists.len()
    }

    /// All nodes, those of a field before the one that they stand in.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeId> + DoubleEndedIterator + use<> {
        (0..self.nodes.len()).map(NodeId::from_index)
    }
}
