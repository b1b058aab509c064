//! The name spaces of a model and its property files.

use crate::index::SymbolId;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{FileId, Span};
use volvelle_prism::ast::{ExprKind, Exprs, Model, ModuleBody, PropertyFile};

pub(super) type Space<'m> = FxHashMap<&'m str, SymbolId>;

/// Symbols by name. Of equal names the one that lowering takes counts: mostly the first.
#[derive(Default)]
pub(super) struct Spaces<'m> {
    /// Constants, formulas and variables of the model.
    pub values: Space<'m>,
    /// Constants and formulas of property files.
    pub file_values: Space<'m>,
    pub modules: Space<'m>,
    /// All modules, in order.
    pub module_ids: Vec<SymbolId>,
    /// Compositions with a name.
    pub systems: Space<'m>,
    pub actions: Space<'m>,
    pub rewards: Space<'m>,
    pub players: Space<'m>,
    pub labels: Space<'m>,
    /// Labels of property files; those of later files count.
    pub file_labels: Space<'m>,
    pub built_in: Space<'m>,
    /// Properties, by file.
    pub properties: Vec<Space<'m>>,
}

impl Spaces<'_> {
    /// A name without quotes in a property file.
    pub fn value_in(&self, file: usize, name: &str) -> Option<SymbolId> {
        let value = self.values.get(name).or_else(|| self.file_values.get(name)).copied();
        value.or_else(|| self.property(file, name))
    }

    /// A label, or a property that a property file refers to.
    pub fn quoted_in(&self, file: usize, name: &str) -> Option<SymbolId> {
        let label = self.file_labels.get(name).or_else(|| self.labels.get(name));
        label.or_else(|| self.built_in.get(name)).copied().or_else(|| self.property(file, name))
    }

    fn property(&self, file: usize, name: &str) -> Option<SymbolId> {
        self.properties[..=file].iter().rev().find_map(|space| space.get(name).copied())
    }

    /// The only symbol that a name without quotes may mean.
    pub fn anywhere(&self, name: &str) -> Option<SymbolId> {
        only([&self.values, &self.file_values, &self.modules, &self.actions, &self.players], name)
    }

    /// The only symbol that a name in quotes may mean.
    pub fn quoted_anywhere(&self, name: &str) -> Option<SymbolId> {
        let spaces = [&self.labels, &self.file_labels, &self.built_in, &self.rewards, &self.systems];
        only(spaces.into_iter().chain(&self.properties), name)
    }
}

fn only<'s>(spaces: impl IntoIterator<Item = &'s Space<'s>>, name: &str) -> Option<SymbolId> {
    let mut found = spaces.into_iter().filter_map(|space| space.get(name).copied());
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// Pieces of the texts that trees say nothing about: files with mistakes, and what is read only to be refused.
#[derive(Default)]
pub(super) struct Loose(Vec<Span>);

impl Loose {
    pub fn of(model: &Model, is_broken: bool) -> Self {
        let mut loose = Loose(model.unsupported.iter().map(|(_, span)| *span).collect());
        for module in &model.modules {
            let ModuleBody::Plain { commands, invariant, .. } = &module.body else { continue };
            loose.0.extend(invariant);
            let updates = commands.iter().flat_map(|command| &command.updates);
            loose.0.extend(updates.filter(|update| update.interval).map(|update| update.span));
        }
        loose.unread(FileId(0), &model.exprs, is_broken);
        loose
    }

    pub fn add(&mut self, file: FileId, tree: &PropertyFile, is_broken: bool) {
        self.unread(file, &tree.exprs, is_broken);
    }

    fn unread(&mut self, file: FileId, exprs: &Exprs, is_broken: bool) {
        let unread = |kind: &ExprKind| matches!(kind, ExprKind::Unsupported { .. } | ExprKind::Error);
        let found = exprs.ids().map(|id| exprs.get(id)).filter(|expr| unread(&expr.kind));
        self.0.extend(found.map(|expr| expr.span));
        if is_broken {
            self.0.push(Span { file, start: 0, end: u32::MAX });
        }
    }

    /// Sorted and without overlaps.
    pub fn sorted(mut self) -> Self {
        self.0.sort();
        let mut apart: Vec<Span> = Vec::new();
        for span in self.0 {
            match apart.last_mut() {
                Some(last) if last.file == span.file && span.start <= last.end => {
                    last.end = last.end.max(span.end);
                }
                _ => apart.push(span),
            }
        }
        Loose(apart)
    }

    pub fn contains(&self, span: Span) -> bool {
        let behind = self.0.partition_point(|l| (l.file, l.start) <= (span.file, span.start));
        let found = behind.checked_sub(1).map(|at| self.0[at]);
        found.is_some_and(|found| found.file == span.file && span.end <= found.end)
    }
}
