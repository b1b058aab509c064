//! A walk through the tokens of formulas, with what names mean there.

use super::bodies::Bodies;
use crate::builder::{Builder, Declared};
use crate::index::{Kind, Role, SymbolId};
use crate::library::{InLibrary, MCL};
use crate::pieces::Class;
use crate::scope::Scope;
use crate::words::{Known, Word, between, shown};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::Span;

/// A walk through a text.
pub(super) struct Walk<'w, 't, 'b> {
    builder: &'b mut Builder<'w>,
    words: &'b [Word<'t>],
    bodies: Bodies,
    labels: Known<'t>,
    /// Macros that are known so far.
    macros: FxHashMap<&'t str, SymbolId>,
    /// The macro that the walk is in: it is known behind its end.
    within: Option<(&'t str, SymbolId)>,
    parameters: FxHashMap<&'t str, SymbolId>,
    variables: Scope<'t>,
    /// The bodies of fixpoints that the walk is in: the tokens behind them, and the marks of the scopes outside.
    open: Vec<(usize, usize)>,
    /// The end of the modality that the walk is in, where variables mean nothing.
    modality: usize,
}

impl<'w, 't, 'b> Walk<'w, 't, 'b> {
    pub fn of(builder: &'b mut Builder<'w>, words: &'b [Word<'t>]) -> Self {
        let mut walk = Walk {
            builder,
            words,
            bodies: Bodies::of(words),
            labels: Known::default(),
            macros: FxHashMap::default(),
            within: None,
            parameters: FxHashMap::default(),
            variables: Scope::default(),
            open: Vec::new(),
            modality: 0,
        };
        walk.library();
        walk
    }

    /// The macros that every text may call.
    fn library(&mut self) {
        let mut comment = "";
        for line in MCL.text.lines() {
            if let Some(text) = line.strip_prefix("-- ") {
                comment = text;
            } else if let Some((head, _)) = line.strip_prefix("macro ").and_then(|rest| rest.split_once(" ="))
            {
                let name = head.split(' ').next().unwrap_or(head);
                let detail = format!("macro {}", head.replacen(" (", "(", 1));
                let start = (name.as_ptr() as usize - MCL.text.as_ptr() as usize) as u32;
                let place = InLibrary { library: &MCL, start, end: start + name.len() as u32 };
                let id = self.builder.of_library(name, Kind::Macro, &detail, place);
                comment.clone_into(&mut self.builder.symbols[id.0 as usize].comment);
                self.macros.insert(name, id);
            }
        }
    }

    /// The names of the whole text.
    pub fn all(mut self) {
        let mut at = 0;
        while at < self.words.len() {
            while let Some((_, mark)) = self.open.pop_if(|(end, _)| *end <= at) {
                self.variables.leave(mark);
            }
            let word = self.words[at];
            at = match word.shown {
                "macro" => self.definition(at),
                "end_macro" => {
                    self.leave();
                    at + 1
                }
                "mu" | "nu" => self.fixpoint(at),
                "[" | "<" => {
                    self.modality = self.modality.max(self.bodies.closing(at));
                    at + 1
                }
                _ => {
                    self.name(at, word);
                    at + 1
                }
            };
        }
    }

    fn name(&mut self, at: usize, word: Word<'t>) {
        match word.class {
            Class::Name => {
                let variable = || self.variables.get(word.shown).filter(|_| at >= self.modality);
                let known = self.parameters.get(word.shown).copied().or_else(variable);
                if let Some(id) = known.or_else(|| self.macros.get(word.shown).copied()) {
                    self.builder.refer(word.span, id, Role::Reads);
                }
            }
            Class::Text if word.shown.starts_with('"') => {
                self.labels.mention(self.builder, Kind::Action, word)
            }
            _ => {}
        }
    }

    /// Leaves a macro: what is behind belongs to no fixpoint in it.
    fn leave(&mut self) {
        self.macros.extend(self.within.take());
        self.parameters.clear();
        self.variables.leave(0);
        self.open.clear();
        self.modality = 0;
    }

    /// `macro NAME (A, B) =`; gives the token behind the head.
    fn definition(&mut self, at: usize) -> usize {
        self.leave();
        let is_name = |word: &&Word<'t>| word.class == Class::Name;
        let Some(name) = self.words.get(at + 1).filter(is_name) else { return at + 1 };
        let (mut behind, mut parameters) = (at + 2, Vec::new());
        if shown(self.words, behind) == "(" {
            let list = self.words[behind + 1..].iter().take_while(|word| is_name(word) || word.shown == ",");
            parameters = list.clone().filter(is_name).copied().collect();
            behind += 1 + list.count();
        }
        let detail = match parameters.is_empty() {
            true => format!("macro {}", name.shown),
            false => {
                let names: Vec<&str> = parameters.iter().map(|word| word.shown).collect();
                format!("macro {}({})", name.shown, names.join(", "))
            }
        };
        let whole = between(self.words, at, self.bodies.end_of_macro(at));
        let id = self.declare(Kind::Macro, *name, whole, detail, None);
        for word in parameters {
            let parameter = self.declare(Kind::Parameter, word, word.span, word.shown.to_owned(), Some(id));
            self.parameters.entry(word.shown).or_insert(parameter);
        }
        self.within = Some((name.shown, id));
        behind
    }

    /// `mu X .`; gives the token behind the head.
    fn fixpoint(&mut self, at: usize) -> usize {
        let Some(name) = self.words.get(at + 1).filter(|word| word.class == Class::Name) else {
            return at + 1;
        };
        let end = self.bodies.end_of_fixpoint(self.words, at);
        let whole = between(self.words, at, end.saturating_sub(1));
        let detail = format!("{} {}", self.words[at].shown, name.shown);
        let id = self.declare(Kind::Variable, *name, whole, detail, self.within.map(|(_, id)| id));
        self.open.push((end, self.variables.mark()));
        self.variables.enter(name.shown, id);
        at + 2
    }

    fn declare(
        &mut self,
        kind: Kind,
        word: Word<'t>,
        whole: Span,
        detail: String,
        container: Option<SymbolId>,
    ) -> SymbolId {
        self.builder.declare(Declared { name: word.shown, kind, span: word.span, whole, detail, container })
    }
}
