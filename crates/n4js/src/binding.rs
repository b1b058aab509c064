//! Names of programs: in which scope they are declared, and what they mean elsewhere.
//!
//! Everything is found in passes over the flat tree. A node that can hold names is a scope; what a name means is looked for in the scopes
//! around its use, from the inside out, and then among the names of the library.

mod ends;
mod facts;
mod host;
mod modules;
pub(crate) mod names;
mod paths;

use crate::classes::{Kind, classes};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use volvelle_trees::{ClassId, Classes, FieldId, NodeId, Slot, Symbol, Tree};

/// Names of the functions for rules.
pub(crate) fn host_functions() -> &'static [&'static str] {
    host::FUNCTIONS
}

/// Where nodes keep what is asked for here, by the class.
#[derive(Debug)]
pub(crate) struct Fields {
    pub(crate) classes: Classes,
    name: FieldId,
    kind: FieldId,
    is_static: FieldId,
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

    fn text(&self, tree: &Tree, node: NodeId, field: FieldId) -> Option<Symbol> {
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

/// What the names of the texts of a tree mean.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) fields: Rc<Fields>,
    /// Of each node the scope around it; itself where there is none.
    scopes: Vec<NodeId>,
    /// What is declared in a scope, in the order of the text.
    names: FxHashMap<(NodeId, Space, Symbol), Vec<NodeId>>,
    /// Members by their owner, whether they are static, and their name.
    members: FxHashMap<(NodeId, bool, Symbol), Vec<NodeId>>,
    /// Names of the library.
    library: FxHashMap<(Space, Symbol), NodeId>,
    /// Nodes before this one are of the library.
    first: NodeId,
    modules: modules::Modules,
    /// The names that bound functions see by themselves.
    pub(crate) arguments: Option<Symbol>,
    /// `!=` and `!==`.
    pub(crate) negations: [Option<Symbol>; 2],
    returns: FxHashMap<NodeId, Vec<NodeId>>,
    ends: ends::Ends,
    pub(crate) facts: facts::Facts,
}

impl Binding {
    /// Of a tree that ends with the files of these names; those before are the library.
    pub(crate) fn new(
        fields: Rc<Fields>,
        tree: &Tree,
        texts: &volvelle_trees::Interner,
        files: &[&str],
    ) -> Self {
        let kinds: Vec<Traits> =
            fields.classes.iter().map(|(class, _)| Traits::of(&fields.classes, class)).collect();
        let traits = |node: NodeId| &kinds[tree.class(node).index()];
        let mut scopes: Vec<NodeId> = tree.nodes().collect();
        for node in tree.nodes().rev() {
            if let Some(parent) = tree.parent(node) {
                scopes[node.index()] = if traits(parent).is_scope { parent } else { scopes[parent.index()] };
            }
        }
        let roots = tree.roots();
        let library = &roots[..roots.len().saturating_sub(files.len())];
        let mut binding = Binding {
            first: library.last().map_or(NodeId::from_index(0), |last| NodeId::from_index(last.index() + 1)),
            modules: modules::Modules::new(&fields, tree, texts, files),
            scopes,
            names: FxHashMap::default(),
            members: FxHashMap::default(),
            library: FxHashMap::default(),
            arguments: texts.get("arguments"),
            negations: [texts.get("!="), texts.get("!==")],
            returns: FxHashMap::default(),
            ends: ends::Ends::new(&fields, tree),
            facts: facts::Facts::default(),
            fields,
        };
        for node in tree.nodes() {
            let traits = traits(node);
            if traits.is_return
                && let Some(function) = binding.around(tree, node, &kinds, |traits| traits.is_function)
            {
                binding.returns.entry(function).or_default().push(node);
            }
            if !traits.is_declared {
                continue;
            }
            let Some(name) = binding.fields.text(tree, node, binding.fields.name) else { continue };
            if traits.is_member {
                if let Some(parent) = tree.parent(node) {
                    let is_static = matches!(
                        tree.field(&binding.fields.classes, node, binding.fields.is_static),
                        Slot::Flag(true)
                    );
                    binding.members.entry((parent, is_static, name)).or_default().push(node);
                }
                continue;
            }
            let Some(scope) = binding.home(tree, node, &kinds, texts) else { continue };
            if traits.is_value {
                binding.names.entry((scope, Space::Values, name)).or_default().push(node);
            }
            if traits.is_type {
                binding.names.entry((scope, Space::Types, name)).or_default().push(node);
            }
        }
        for all in binding.names.values_mut().chain(binding.members.values_mut()) {
            all.sort_by_key(|&node| tree.span(node).start);
        }
        for &root in library {
            let own: Vec<_> = binding.names.iter().filter(|((scope, ..), _)| *scope == root).collect();
            for (&(_, space, name), all) in own {
                binding.library.entry((space, name)).or_insert(all[0]);
            }
        }
        binding.facts = facts::Facts::new(&binding, tree);
        binding
    }

    /// The scope in which a declaration stands.
    fn home(
        &self,
        tree: &Tree,
        node: NodeId,
        kinds: &[Traits],
        texts: &volvelle_trees::Interner,
    ) -> Option<NodeId> {
        let traits = &kinds[tree.class(node).index()];
        if traits.names_itself {
            return Some(node);
        }
        let mut variable = node;
        if traits.is_part {
            // The variable whose pattern it is part of.
            while let Some(parent) = tree.parent(variable) {
                variable = parent;
                let traits = &kinds[tree.class(parent).index()];
                if traits.is_declared && !traits.is_part {
                    break;
                }
            }
        }
        let hoists = kinds[tree.class(variable).index()].is_variable
            && tree.parent(variable).is_some_and(|statement| {
                let kind = self.fields.text(tree, statement, self.fields.kind);
                kind.is_some_and(|kind| texts.text(kind) == "var")
            });
        if hoists {
            return self.around(tree, variable, kinds, |traits| traits.is_function || traits.is_root);
        }
        Some(self.scopes[variable.index()]).filter(|&scope| scope != variable)
    }

    /// The nearest node around one that has a trait.
    fn around(
        &self,
        tree: &Tree,
        node: NodeId,
        kinds: &[Traits],
        is: impl Fn(&Traits) -> bool,
    ) -> Option<NodeId> {
        let mut at = node;
        loop {
            let scope = self.scopes[at.index()];
            if scope == at {
                return None;
            }
            if is(&kinds[tree.class(scope).index()]) {
                return Some(scope);
            }
            at = scope;
        }
    }

    /// All that a scope declares by a name.
    pub(crate) fn declared(&self, scope: NodeId, space: Space, name: Symbol) -> &[NodeId] {
        self.names.get(&(scope, space, name)).map_or(&[], Vec::as_slice)
    }

    /// What a name means at a node.
    pub(crate) fn find(&self, node: NodeId, space: Space, name: Symbol) -> Option<NodeId> {
        let mut at = node;
        loop {
            let scope = self.scopes[at.index()];
            if scope == at {
                return self.library.get(&(space, name)).copied();
            }
            // The last one counts: the others are mistakes, but overloads of values are written in order.
            if let Some(&first) = self.declared(scope, space, name).first() {
                return Some(first);
            }
            at = scope;
        }
    }

    /// What the library calls so.
    pub(crate) fn in_library(&self, space: Space, name: Symbol) -> Option<NodeId> {
        self.library.get(&(space, name)).copied()
    }

    /// The scope around a node.
    pub(crate) fn scope(&self, node: NodeId) -> NodeId {
        self.scopes[node.index()]
    }
}

/// What is to be known of a class here.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "traits are independent of each other")]
pub(crate) struct Traits {
    is_root: bool,
    is_scope: bool,
    pub(crate) is_function: bool,
    is_return: bool,
    is_declared: bool,
    is_member: bool,
    is_value: bool,
    is_type: bool,
    is_variable: bool,
    /// Part of a pattern.
    is_part: bool,
    /// Its name is seen within it alone.
    names_itself: bool,
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
