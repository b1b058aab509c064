//! Scopes: what is declared where, and what a name means at a node.

use super::ends::Ends;
use super::fields::{Fields, Space, Traits};
use super::modules::Modules;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use volvelle_trees::{NodeId, Slot, Symbol, Tree};

/// What the names of the texts of a tree mean.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) fields: Rc<Fields>,
    /// Of each node the scope around it; itself where there is none.
    pub(super) scopes: Vec<NodeId>,
    /// What is declared in a scope, in the order of the text.
    pub(super) names: FxHashMap<(NodeId, Space, Symbol), Vec<NodeId>>,
    /// Members by their owner, whether they are static, and their name.
    pub(super) members: FxHashMap<(NodeId, bool, Symbol), Vec<NodeId>>,
    /// Names of the library.
    pub(super) library: FxHashMap<(Space, Symbol), NodeId>,
    /// Nodes before this one are of the library.
    pub(super) first: NodeId,
    pub(super) modules: Modules,
    /// Files of declarations, by their nodes.
    declarations: Vec<NodeId>,
    /// The names that bound functions see by themselves.
    pub(crate) arguments: Option<Symbol>,
    /// `!=` and `!==`.
    pub(crate) negations: [Option<Symbol>; 2],
    pub(super) returns: FxHashMap<NodeId, Vec<NodeId>>,
    pub(super) ends: Ends,
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
        let own: Vec<(NodeId, &str)> =
            roots[library.len()..].iter().copied().zip(files.iter().copied()).collect();
        let mut binding = Binding {
            first: library.last().map_or(NodeId::from_index(0), |last| NodeId::from_index(last.index() + 1)),
            modules: Modules::new(&fields, tree, texts, files),
            declarations: own
                .iter()
                .filter(|(_, name)| name.ends_with(".n4jsd"))
                .map(|&(root, _)| root)
                .collect(),
            scopes,
            names: FxHashMap::default(),
            members: FxHashMap::default(),
            library: FxHashMap::default(),
            arguments: texts.get("arguments"),
            negations: [texts.get("!="), texts.get("!==")],
            returns: FxHashMap::default(),
            ends: Ends::new(&fields, tree),
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

    /// Whether a node stands in a file of declarations.
    pub(crate) fn is_declaration(&self, tree: &Tree, node: NodeId) -> bool {
        let file = tree.span(node).file;
        self.declarations.iter().any(|&root| tree.span(root).file == file)
    }

    /// The scope around a node.
    pub(crate) fn scope(&self, node: NodeId) -> NodeId {
        self.scopes[node.index()]
    }
}
