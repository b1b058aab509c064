//! Where nodes keep what is asked for here, and what is to be known of their classes.

use crate::classes::{Kind, classes};
use volvelle_trees::{ClassId, Classes, FieldId, NodeId, Slot, Symbol, Tree};

/// Where nodes keep what is asked for here, by the class.
#[derive(Debug)]
pub(crate) struct Fields {
    pub(crate) classes: Classes,
    pub(super) name: FieldId,
    pub(super) kind: FieldId,
    pub(super) is_static: FieldId,
}

impl Fields {
    pub(crate) fn new() -> Self {
        let classes = classes();
        let field = |name: &str| classes.find_field(name).expect("the table of classes has it");
        let (name, kind, is_static) = (field("name"), field("kind"), field("isStatic"));
        Fields { classes, name, kind, is_static }
    }

    pub(crate) fn field(&self, tree: &Tree, node: NodeId, name: &str) -> Slot {
        self.classes.find_field(name).map_or(Slot::Nothing, |field| tree.field(&self.classes, node, field))
    }

    pub(super) fn text(&self, tree: &Tree, node: NodeId, field: FieldId) -> Option<Symbol> {
        match tree.field(&self.classes, node, field) {
            Slot::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is(&self, tree: &Tree, node: NodeId, kind: Kind) -> bool {
        self.classes.is_kind(tree.class(node), kind.id())
    }
}

/// The two spaces of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Values,
    Types,
}

/// What is to be known of a class here.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "traits are independent of each other")]
pub(crate) struct Traits {
    pub(super) is_root: bool,
    pub(super) is_scope: bool,
    pub(crate) is_function: bool,
    pub(super) is_return: bool,
    pub(super) is_declared: bool,
    pub(super) is_member: bool,
    pub(super) is_value: bool,
    pub(super) is_type: bool,
    pub(super) is_variable: bool,
    /// Part of a pattern.
    pub(super) is_part: bool,
    /// Its name is seen within it alone.
    pub(super) names_itself: bool,
}

impl Traits {
    pub(crate) fn of(classes: &Classes, class: ClassId) -> Self {
        use Kind as K;
        let is = |kind: Kind| classes.is_kind(class, kind.id());
        let any = |kinds: &[Kind]| kinds.iter().any(|&kind| is(kind));
        let is_function = is(K::FunctionLike);
        let is_property = any(&[K::Member, K::Property, K::EnumLiteral]);
        Traits {
            is_root: is(K::Script),
            is_scope: is_function
                || any(&[
                    K::Script,
                    K::Block,
                    K::Loop,
                    K::Switch,
                    K::CatchClause,
                    K::MemberOwner,
                    K::EnumDeclaration,
                    K::TypeAlias,
                    K::FunctionTypeNode,
                ]),
            is_function,
            is_return: is(K::Return),
            is_declared: is(K::Declarable) && !is(K::ExportSpecifier),
            is_member: is_property,
            is_value: !any(&[K::TypeAlias, K::TypeParameter]),
            is_type: any(&[K::Classifier, K::TypeAlias, K::TypeParameter, K::ImportSpecifier]),
            is_variable: is(K::VariableDeclaration),
            is_part: is(K::BindingElement),
            names_itself: any(&[K::FunctionExpression, K::ClassExpression]),
        }
    }
}
