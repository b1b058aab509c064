//! Modules: which file an import names, and what files export.

use super::paths::Paths;
use super::{Binding, Fields, Space};
use crate::classes::Kind;
use rustc_hash::{FxHashMap, FxHashSet};
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
enum Export {
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
    named: FxHashMap<NodeId, Module>,
    exports: FxHashMap<(NodeId, Symbol), Export>,
    /// Exports of all that another file exports, by the file.
    all: FxHashMap<NodeId, Vec<NodeId>>,
    default: Option<Symbol>,
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

impl Binding {
    /// What the text of an import or export names; of a part of one, that of the whole.
    pub(super) fn module(&self, tree: &Tree, node: NodeId) -> Option<Module> {
        let named = |node: NodeId| self.modules.named.get(&node).copied();
        named(node).or_else(|| tree.parent(node).and_then(named))
    }

    /// The file of it.
    pub(super) fn file(&self, tree: &Tree, node: NodeId) -> Option<NodeId> {
        match self.module(tree, node) {
            Some(Module::File(file)) => Some(file),
            _ => None,
        }
    }

    /// What an import stands for: a declaration, or the expression that a file exports. One of a whole file stands for itself.
    pub(super) fn imported(&self, tree: &Tree, import: NodeId) -> Option<NodeId> {
        let (file, name) = self.target(tree, import)?;
        self.exported(tree, file, name)
    }

    fn target(&self, tree: &Tree, import: NodeId) -> Option<(NodeId, Symbol)> {
        let name = if tree.class(import) == Kind::DefaultImport.id() {
            self.modules.default
        } else {
            match self.fields.field(tree, import, "imported") {
                Slot::Text(name) => Some(name),
                _ => None,
            }
        };
        self.file(tree, import).zip(name)
    }

    /// What a file exports by a name. Files may export from each other in circles.
    pub(super) fn exported(&self, tree: &Tree, file: NodeId, name: Symbol) -> Option<NodeId> {
        let (mut seen, mut waiting) = (FxHashSet::default(), vec![(file, name)]);
        while let Some((file, name)) = waiting.pop() {
            if !seen.insert((file, name)) {
                continue;
            }
            let found = match self.modules.exports.get(&(file, name)) {
                Some(&Export::Node(node)) => Some(node),
                Some(&Export::Local(local)) => self.at_top(file, local),
                Some(&Export::From(export, name)) => {
                    waiting.extend(self.file(tree, export).map(|file| (file, name)));
                    None
                }
                None if Some(name) == self.modules.default => None,
                None => {
                    let all = self.modules.all.get(&file).map_or(&[][..], Vec::as_slice);
                    let files = all.iter().rev().filter_map(|&export| self.file(tree, export));
                    waiting.extend(files.map(|file| (file, name)));
                    None
                }
            };
            match found {
                Some(import) if self.fields.is(tree, import, Kind::ImportSpecifier) => {
                    match self.target(tree, import) {
                        Some(target) => waiting.push(target),
                        None => return Some(import),
                    }
                }
                Some(found) => return Some(found),
                None => {}
            }
        }
        None
    }

    /// What a file declares at its top by a name.
    pub(super) fn at_top(&self, file: NodeId, name: Symbol) -> Option<NodeId> {
        [Space::Values, Space::Types]
            .iter()
            .find_map(|&space| self.declared(file, space, name).first().copied())
    }

    /// Whether a file exports names of which nothing is known here: those of a package, or of a file that is not there.
    pub(super) fn may_export(&self, tree: &Tree, file: NodeId, name: Symbol) -> bool {
        let (mut seen, mut waiting) = (FxHashSet::default(), vec![file]);
        while let Some(file) = waiting.pop() {
            if !seen.insert(file) {
                continue;
            }
            if matches!(self.modules.exports.get(&(file, name)), Some(Export::From(..))) {
                return true;
            }
            for &export in self.modules.all.get(&file).map_or(&[][..], Vec::as_slice) {
                match self.module(tree, export) {
                    Some(Module::File(file)) => waiting.push(file),
                    _ => return true,
                }
            }
        }
        false
    }

    /// What is meant by a name that was found: behind an import, what that stands for. Where that is not known it is the import;
    /// where it is known and has no meaning in this space there is none.
    pub(super) fn through(&self, tree: &Tree, found: NodeId, space: Space) -> Option<NodeId> {
        if !self.fields.is(tree, found, Kind::ImportSpecifier) || self.is_dynamic(tree, found) {
            return Some(found);
        }
        let Some(target) = self.imported(tree, found) else { return Some(found) };
        let is = |kinds: &[Kind]| kinds.iter().any(|&kind| self.fields.is(tree, target, kind));
        match space {
            // The value of an expression is that of the import.
            Space::Values if is(&[Kind::TypeAlias]) => None,
            Space::Values => Some(if is(&[Kind::Declarable]) { target } else { found }),
            Space::Types => is(&[Kind::Classifier, Kind::TypeAlias, Kind::ImportSpecifier]).then_some(target),
        }
    }

    fn is_dynamic(&self, tree: &Tree, import: NodeId) -> bool {
        self.fields.field(tree, import, "isDynamic") == Slot::Flag(true)
    }
}
