//! Octrees over positions: built by the host, read by kernels on every device.

mod tree;

pub use tree::Tree;

use super::{Layout, Replica};
use crate::context::Context;
use crate::error::Error;
use std::sync::Arc;
use volvelle_kernel::Type;

/// An octree in the memory of every device, with one buffer for each field of its nodes.
///
/// Nodes are in depth-first order, the root first. If a node is opened, the next node is its first child; if
/// not, [`Field::Next`] gives the node that follows. So a kernel needs no stack:
///
/// ```text
/// for turn in 0u64..len(next) {
///     if node >= len(next) { break; }
///     if far away, or a leaf { …; node = next[node]; } else { node = node + 1u64; }
/// }
/// ```
pub struct Octree {
    fields: Vec<Arc<Replica>>,
}

/// A property of the nodes of the tree. ([`Field::Order`] is one of the bodies.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// Centre of mass and mass of its bodies: 4 x f64.
    Centre,
    /// Length of the edges of its cube: f64.
    Size,
    /// Its children by octants (bit 0 is set for the upper half in x, 1 in y, 2 in z), 0 if missing: 8 x u32.
    Children,
    /// The node that follows if its children are skipped; the number of nodes if there is none: u32.
    Next,
    /// The first of its bodies as a place in [`Field::Order`], and their number: 2 x u32.
    Bodies,
    /// Numbers of the bodies, in the order of the tree: u32.
    Order,
}

impl Field {
    /// All of them.
    pub const ALL: [Field; 6] =
        [Field::Centre, Field::Size, Field::Children, Field::Next, Field::Bodies, Field::Order];

    /// The suffix of the field's name in a database.
    pub fn name(self) -> &'static str {
        match self {
            Field::Centre => "centre",
            Field::Size => "size",
            Field::Children => "children",
            Field::Next => "next",
            Field::Bodies => "bodies",
            Field::Order => "order",
        }
    }

    /// The layout of an element.
    pub fn layout(self) -> Layout {
        match self {
            Field::Centre => Layout::several(Type::F64, 4),
            Field::Size => Layout::of(Type::F64),
            Field::Children => Layout::several(Type::U32, 8),
            Field::Next | Field::Order => Layout::of(Type::U32),
            Field::Bodies => Layout::several(Type::U32, 2),
        }
    }
}

impl Octree {
    /// An empty tree, until it is built.
    ///
    /// # Errors
    /// An allocation failed.
    pub fn new(context: &Arc<Context>) -> Result<Self, Error> {
        let field = |field: Field| Replica::new(context, field.layout()).map(Arc::new);
        Ok(Octree { fields: Field::ALL.into_iter().map(field).collect::<Result<_, _>>()? })
    }

    /// Replaces the tree on all devices of this process. Ranks that build trees of the same positions get the
    /// same tree.
    ///
    /// # Errors
    /// An allocation or a transfer failed: devices may hold a mixture of old and new values.
    pub fn set(&self, tree: &Tree) -> Result<(), Error> {
        for (field, replica) in Field::ALL.into_iter().zip(&self.fields) {
            match field {
                Field::Centre => replica.set(tree.centre.as_flattened())?,
                Field::Size => replica.set(&tree.size)?,
                Field::Children => replica.set(tree.children.as_flattened())?,
                Field::Next => replica.set(&tree.next)?,
                Field::Bodies => replica.set(tree.bodies.as_flattened())?,
                Field::Order => replica.set(&tree.order)?,
            }
        }
        Ok(())
    }

    /// One of the fields, as an argument of kernels. It remains valid when another tree is set.
    pub fn field(&self, field: Field) -> Arc<Replica> {
        self.fields[field as usize].clone()
    }
}

#[cfg(test)]
mod tests;
