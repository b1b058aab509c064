//! The name spaces of a specification.

use super::tokens::pieces_of;
use crate::builder::{Builder, Declared};
use crate::index::{Kind, Role, SymbolId};
use crate::library::{InLibrary, LOTOS};
use crate::pieces::Piece;
use crate::scope::Scope;
use crate::written;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;
use volvelle_diagnostics::Span;
use volvelle_lotos::syntax::{Name, Parameter};

/// Symbols by name, in upper case; of equal names the first.
#[derive(Default)]
pub(super) struct Spaces<'m> {
    pub types: FxHashMap<&'m str, SymbolId>,
    pub sorts: FxHashMap<&'m str, SymbolId>,
    /// Operations that are declared by renaming others.
    pub renamed: FxHashMap<&'m str, SymbolId>,
    pub gates: Scope<'m>,
    pub variables: Scope<'m>,
    /// The specification and its own libraries are the first so many files; behind them is the standard library.
    pub own_files: u32,
    /// What is declared where: a declaration may stand in the tree several times.
    pub by_text: FxHashMap<Span, SymbolId>,
}

impl<'m> Spaces<'m> {
    /// Whether something stands in the specification or in a library of its own.
    pub fn is_own(&self, span: Span) -> bool {
        span.file.0 < self.own_files
    }

    /// A piece of a text on one line, also of the standard library.
    pub fn one_line(&self, builder: &Builder<'_>, span: Span) -> String {
        /// The tokens of the library.
        static PIECES: LazyLock<Vec<Piece>> = LazyLock::new(|| pieces_of(LOTOS.text));
        if self.is_own(span) { builder.one_line(span) } else { written::one_line(LOTOS.text, &PIECES, span) }
    }

    /// Adds a reference, if the name means something.
    pub fn refer(&self, builder: &mut Builder<'_>, name: &Name, symbol: Option<SymbolId>) {
        if let Some(symbol) = symbol.filter(|_| self.is_own(name.span)) {
            builder.refer(name.span, symbol, Role::Reads);
        }
    }

    /// Adds a symbol with its name as it is written.
    pub fn declare(
        &mut self,
        builder: &mut Builder<'_>,
        name: &Name,
        kind: Kind,
        (whole, detail): (Span, String),
        container: Option<SymbolId>,
    ) -> SymbolId {
        if let Some(&known) = self.by_text.get(&name.span) {
            return known;
        }
        if !self.is_own(name.span) {
            let Span { start, end, .. } = name.span;
            let place = InLibrary { library: &LOTOS, start, end };
            let id = builder.of_library(&name.text, kind, &detail, place);
            builder.symbols[id.0 as usize].container = container;
            self.by_text.insert(name.span, id);
            return id;
        }
        let text = builder.text(name.span.file);
        let written = text.get(name.span.start as usize..name.span.end as usize).unwrap_or(&name.text);
        let span = name.span;
        let id = builder.declare(Declared { name: written, kind, span, whole, detail, container });
        self.by_text.insert(span, id);
        id
    }

    /// Declares a variable with its sort.
    pub fn variable(
        &mut self,
        builder: &mut Builder<'_>,
        parameter: &Parameter,
        kind: Kind,
        container: Option<SymbolId>,
    ) -> SymbolId {
        self.sort(builder, &parameter.sort);
        let Parameter { name, sort } = parameter;
        let detail = format!("{} : {}", builder.one_line(name.span), builder.one_line(sort.span));
        self.declare(builder, name, kind, (name.span, detail), container)
    }

    pub fn sort(&self, builder: &mut Builder<'_>, name: &Name) {
        self.refer(builder, name, self.sorts.get(name.text.as_str()).copied());
    }
}
