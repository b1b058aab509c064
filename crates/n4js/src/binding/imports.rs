//! What imports stand for, through files that export from each other.

use super::fields::Space;
use super::modules::{Export, Module};
use super::scopes::Binding;
use crate::classes::Kind;
use rustc_hash::FxHashSet;
use volvelle_trees::{NodeId, Slot, Symbol, Tree};

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
