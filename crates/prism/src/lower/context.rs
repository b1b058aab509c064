//! Contexts of expressions: the tree that one belongs to, and the renaming under which it is lowered.

use super::names::Tree;
use crate::ast::ExprId;
use rustc_hash::FxHashMap;
use volvelle_entity::entity;

/// A map from names in the original to names in the copy.
pub(crate) type Renames = FxHashMap<String, String>;

/// The context of an expression: its tree, and the renaming that applies.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) tree: Tree,
    /// Names of the original to names of the copy; `None` renames nothing.
    pub(crate) renames: Option<Renames>,
}

entity!(
    /// Index of a [`Context`].
    ContextId
);

impl ContextId {
    /// The model, nothing renamed.
    pub const MODEL: ContextId = ContextId(0);
}

/// An expression in its context.
pub(crate) type Place = (ContextId, ExprId);
