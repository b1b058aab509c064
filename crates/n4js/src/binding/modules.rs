//! Modules: which file an import names, and what files export.

use super::fields::Fields;
use super::paths::Paths;
use crate::classes::Kind;
use rustc_hash::FxHashMap;
use volvelle_trees::{Interner, NodeId, Slot, Symbol, Tree};

/// What the text of a module names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Module {
    /// A file, by its node.
    File(NodeId),
    /// A file that should be there.
    Missing,
    /// Something of a package, of which nothing is known.
    Outside,
}

/// What stands behind a name that is exported.
#[derive(Clone, Copy, Debug)]
pub(super) enum Export {
    /// A declaration, or the expression behind `export default`.
    Node(NodeId),
    /// What the file calls so.
    Local(Symbol),
    /// What another file exports, named by an export.
    From(NodeId, Symbol),
}

/// Imports and exports of the files of a program.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    /// Of each import and export with a text.
    pub(super) named: FxHashMap<NodeId, Module>,
    pub(super) exports: FxHashMap<(NodeId, Symbol), Export>,
    /// Exports of all that another file exports, by the file.
    pub(super) all: FxHashMap<NodeId, Vec<NodeId>>,
    pub(super) default: Option<Symbol>,
}

impl Modules {
    /// Reads imports and exports of the files at the end of a tree, which have these names.
    pub(super) fn new(fields: &Fields, tree: &Tree, texts: &Interner, names: &[&str]) -> Self {
        let roots = tree.roots();
        let own = &roots[roots.len().saturating_sub(names.len())..];
        let paths = Paths::new(names);
        let mut modules = Modules { default: texts.get("default"), ..Modules::default() };
        for (number, &root) in own.iter().enumerate() {
            for statement in items(tree, fields.field(tree, root, "statements")) {
                if let Slot::Text(text) = fields.field(tree, statement, "module") {
                    let module = match paths.find(number, texts.text(text)) {
                        Ok(Some(found)) => Module::File(own[found]),
                        Ok(None) => Module::Outside,
                        Err(_) => Module::Missing,
                    };
                    modules.named.insert(statement, module);
                }
                modules.export(fields, tree, root, statement);
            }
        }
        modules
    }

    fn export(&mut self, fields: &Fields, tree: &Tree, root: NodeId, statement: NodeId) {
        let is = |kind: Kind| fields.is(tree, statement, kind);
        let mut add = |name: Option<Symbol>, export: Export| {
            if let Some(name) = name {
                self.exports.entry((root, name)).or_insert(export);
            }
        };
        if is(Kind::Export) {
            let has_module = fields.field(tree, statement, "module") != Slot::Nothing;
            for specifier in items(tree, fields.field(tree, statement, "specifiers")) {
                let local = fields.field(tree, specifier, "local");
                let exported = fields.field(tree, specifier, "exported");
                if let (Slot::Text(local), Slot::Text(exported)) = (local, exported) {
                    let from = if has_module { Export::From(statement, local) } else { Export::Local(local) };
                    add(Some(exported), from);
                }
            }
            if let Slot::Node(value) = fields.field(tree, statement, "value") {
                let name = match fields.field(tree, value, "name") {
                    Slot::Text(name) if tree.class(value) == Kind::Identifier.id() => Some(name),
                    _ => None,
                };
                add(self.default, name.map_or(Export::Node(value), Export::Local));
            }
            if fields.field(tree, statement, "isAll") == Slot::Flag(true) {
                self.all.entry(root).or_default().push(statement);
            }
            return;
        }
        let is_default = fields.field(tree, statement, "isDefault") == Slot::Flag(true);
        if !is_default && fields.field(tree, statement, "isExported") != Slot::Flag(true) {
            return;
        }
        if is_default {
            add(self.default, Export::Node(statement));
        } else if is(Kind::VariableStatement) {
            for declaration in items(tree, fields.field(tree, statement, "declarations")) {
                // Patterns have their names inside of them.
                match fields.text(tree, declaration, fields.name) {
                    Some(name) => add(Some(name), Export::Node(declaration)),
                    None => {
                        for name in names_in(fields, tree, declaration) {
                            add(Some(name), Export::Local(name));
                        }
                    }
                }
            }
        } else if is(Kind::Declarable) {
            add(fields.text(tree, statement, fields.name), Export::Node(statement));
        }
    }
}

/// The nodes of a list.
fn items(tree: &Tree, slot: Slot) -> Vec<NodeId> {
    let Slot::List(list) = slot else { return Vec::new() };
    let node = |slot| match slot {
        Slot::Node(node) => Some(node),
        _ => None,
    };
    tree.items(list).iter().filter_map(|item| node(item.slot)).collect()
}

/// Names that the pattern of a declaration declares.
fn names_in(fields: &Fields, tree: &Tree, declaration: NodeId) -> Vec<Symbol> {
    let (mut names, mut waiting) = (Vec::new(), vec![declaration]);
    while let Some(at) = waiting.pop() {
        let Slot::Node(pattern) = fields.field(tree, at, "pattern") else { continue };
        for element in items(tree, fields.field(tree, pattern, "elements")) {
            names.extend(fields.text(tree, element, fields.name));
            waiting.push(element);
        }
    }
    names
}
