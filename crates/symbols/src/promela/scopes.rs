//! The name spaces of a model, and the scopes of a walk through it.

use crate::builder::{Builder, Declared};
use crate::index::{Kind, Role, SymbolId};
use crate::scope::Scope;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{FileId, Span};
use volvelle_promela::ast::{Model, Name, Place};

/// A structure.
pub(super) struct Structure<'m> {
    pub id: SymbolId,
    pub fields: FxHashMap<&'m str, SymbolId>,
}

/// A process type.
#[derive(Default)]
pub(super) struct Process<'m> {
    /// All variables of it, also those of blocks; of equal names the last one.
    pub variables: FxHashMap<&'m str, SymbolId>,
    /// Labels of a name, each with the call of an inline that brought it.
    pub labels: FxHashMap<&'m str, Vec<(Option<Place>, SymbolId)>>,
}

/// A walk through a model.
pub(super) struct Walk<'w, 't, 'm> {
    pub builder: &'w mut Builder<'t>,
    pub model: &'m Model,
    /// The text behind each file of the parser.
    files: &'w [FileId],
    pub globals: FxHashMap<&'m str, SymbolId>,
    /// Names of all `mtype`s.
    pub constants: FxHashMap<&'m str, SymbolId>,
    /// Names of `mtype`s themselves.
    pub sets: FxHashMap<&'m str, SymbolId>,
    pub structures: FxHashMap<&'m str, Structure<'m>>,
    pub process_ids: FxHashMap<&'m str, SymbolId>,
    /// By the symbol of the process.
    pub processes: FxHashMap<SymbolId, Process<'m>>,
    pub built_in: FxHashMap<&'m str, SymbolId>,
    /// The structure that a variable is, by the name of its type.
    pub types: FxHashMap<SymbolId, &'m str>,
    /// Variables by the place of their names.
    pub declared: FxHashMap<Place, SymbolId>,
    /// The process, or the claim, that the walk is in.
    pub within: Option<SymbolId>,
    pub locals: Scope<'m>,
    /// Symbols by the texts that declare them: the body of an inline is one text, however often it is called.
    by_text: FxHashMap<(Span, Kind), SymbolId>,
    /// Macros and inlines, by all of their text.
    pub texts: Vec<(Span, SymbolId)>,
}

impl<'w, 't, 'm> Walk<'w, 't, 'm> {
    pub fn of(builder: &'w mut Builder<'t>, model: &'m Model, files: &'w [FileId]) -> Self {
        Walk {
            builder,
            model,
            files,
            globals: FxHashMap::default(),
            constants: FxHashMap::default(),
            sets: FxHashMap::default(),
            structures: FxHashMap::default(),
            process_ids: FxHashMap::default(),
            processes: FxHashMap::default(),
            built_in: FxHashMap::default(),
            types: FxHashMap::default(),
            declared: FxHashMap::default(),
            within: None,
            locals: Scope::default(),
            by_text: FxHashMap::default(),
            texts: Vec::new(),
        }
    }

    pub fn span(&self, place: Place) -> Span {
        self.in_text(self.model.places.span(place))
    }

    /// A place of a file of the parser in its text.
    pub fn in_text(&self, span: Span) -> Span {
        Span { file: self.files.get(span.file.0 as usize).copied().unwrap_or(span.file), ..span }
    }

    /// Adds a symbol, or finds the one that the same text declared before. What is written in a macro or inline is contained in it.
    pub fn declare(&mut self, name: &'m Name, kind: Kind, whole: Span, detail: String) -> SymbolId {
        let span = self.span(name.place);
        if let Some(&known) = self.by_text.get(&(span, kind)) {
            return known;
        }
        let brought = self.model.places.get(name.place).through.and_then(|_| self.text_around(span));
        let container = brought.or(self.within);
        let id = self.builder.declare(Declared { name: &name.text, kind, span, whole, detail, container });
        self.by_text.insert((span, kind), id);
        id
    }

    /// The macro or inline in whose text a place is.
    fn text_around(&self, span: Span) -> Option<SymbolId> {
        let behind =
            self.texts.partition_point(|(whole, _)| (whole.file, whole.start) <= (span.file, span.start));
        let (whole, id) = *self.texts.get(behind.checked_sub(1)?)?;
        (whole.file == span.file && span.end <= whole.end).then_some(id)
    }

    pub fn refer(&mut self, name: &Name, symbol: Option<SymbolId>, role: Role) {
        if let Some(symbol) = symbol {
            self.builder.refer(self.span(name.place), symbol, role);
        }
    }

    /// What the name of a value means here.
    pub fn value(&self, name: &str) -> Option<SymbolId> {
        let others = [&self.globals, &self.constants, &self.built_in];
        self.locals.get(name).or_else(|| others.iter().find_map(|space| space.get(name).copied()))
    }

    /// Walks through something that has a scope of its own.
    pub fn scoped(&mut self, walk: impl FnOnce(&mut Self)) {
        let mark = self.locals.mark();
        walk(self);
        self.locals.leave(mark);
    }
}
