//! Comparing an index with what lowering says of names: the changes of texts that all languages share.

use crate::models::Texts;
use crate::shown::checked;
use std::collections::BTreeSet;
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_symbols::{Index, Kind, Occurrence, Role, Symbol, SymbolId};

/// The most changes of each kind that are tried of a model.
const TRIED: usize = 24;

/// What lowering says of some texts.
pub struct Outcome {
    /// Whether all texts were read without mistakes.
    pub is_read: bool,
    pub diagnostics: Vec<Diagnostic>,
    /// Numbers of parts of the program, which do not depend on names.
    pub shape: Option<Vec<usize>>,
}

impl Outcome {
    /// Where names are that mean nothing.
    pub fn unknown(&self) -> BTreeSet<Span> {
        let codes = [
            codes::UNKNOWN_NAME,
            codes::UNKNOWN_LABEL,
            codes::UNKNOWN_MODULE,
            codes::UNKNOWN_REWARD,
            codes::LOTOS_NAME,
            codes::PRIMITIVE_NAME,
            codes::UNKNOWN_FORMULA_NAME,
            codes::WKS_NAME,
            codes::WCCS_NAME,
        ];
        let unknown = self.diagnostics.iter().filter(|diagnostic| codes.contains(&diagnostic.code));
        unknown.filter_map(|diagnostic| Some(diagnostic.primary.as_ref()?.span)).collect()
    }
}

/// The texts of a model with their index.
pub struct Case {
    pub name: String,
    pub texts: Vec<String>,
    pub index: Index,
    pub before: Outcome,
    pub outcome: fn(&[String]) -> Outcome,
}

impl Case {
    pub fn of(language: &str, model: Texts, outcome: fn(&[String]) -> Outcome) -> Case {
        let refs: Vec<&str> = model.texts.iter().map(String::as_str).collect();
        let index = checked(language, &refs);
        let before = outcome(&model.texts);
        assert!(before.is_read, "{}: {:?}", model.name, before.diagnostics);
        assert_eq!(before.unknown(), BTreeSet::new(), "{}", model.name);
        Case { name: model.name, texts: model.texts, index, before, outcome }
    }

    pub fn ids(&self) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        self.index.symbols.iter().enumerate().map(|(number, symbol)| (SymbolId(number as u32), symbol))
    }

    /// What lowering says of the texts with some pieces exchanged.
    pub fn with(&self, changes: &[(Span, String)]) -> Outcome {
        let mut texts = self.texts.clone();
        let mut sorted: Vec<_> = changes.iter().collect();
        sorted.sort_by_key(|(span, _)| std::cmp::Reverse((span.file, span.start)));
        for (span, instead) in sorted {
            texts[span.file.0 as usize].replace_range(span.start as usize..span.end as usize, instead);
        }
        (self.outcome)(&texts)
    }

    pub fn written(&self, span: Span) -> &str {
        &self.texts[span.file.0 as usize][span.start as usize..span.end as usize]
    }

    /// A name of the same length that means nothing.
    fn fresh(&self, span: Span) -> String {
        let written = self.written(span);
        let (quote, name) = match written.strip_prefix('"') {
            Some(name) => ("\"", name.trim_end_matches('"')),
            None => ("", written),
        };
        let is_taken = |name: &String| match name.len() {
            1 => self.index.symbols.iter().any(|symbol| symbol.name.eq_ignore_ascii_case(name)),
            _ => self.texts.iter().any(|text| text.contains(name.as_str())),
        };
        let of = |letter: u8| format!("{}{}", letter as char, "9".repeat(name.len() - 1));
        let fresh = (b'a'..=b'z').filter(|letter| *letter != b'i').map(of).find(|name| !is_taken(name));
        format!("{quote}{}{quote}", fresh.expect("a letter is left"))
    }

    /// With one reference of certain kinds misspelt, exactly that one is an unknown name. Gives how many were tried.
    pub fn misspelt_references(&self, kinds: &[Kind], is_tried: impl Fn(&Occurrence) -> bool) -> usize {
        let references = self.index.occurrences.iter().filter(|found| {
            let symbol = self.index.symbol(found.symbol);
            found.role != Role::Declares && kinds.contains(&symbol.kind) && is_tried(found)
        });
        let references = some(references.collect());
        for found in &references {
            let after = self.with(&[(found.span, self.fresh(found.span))]);
            let (unknown, shown) = (after.unknown(), self.written(found.span));
            let about = format!("{}: `{shown}` {:?}", self.name, after.diagnostics);
            // What has an unknown type is not declared; a set of names of Promela needs no declaration.
            match self.index.symbol(found.symbol).kind {
                Kind::Type => assert!(unknown.is_empty() || unknown.contains(&found.span), "{about}"),
                _ => assert_eq!(unknown, BTreeSet::from([found.span]), "{about}"),
            }
        }
        references.len()
    }

    /// With a symbol renamed wherever it occurs, the model lowers as before. Gives how many were tried.
    pub fn renamed_symbols(&self, is_tried: impl Fn(SymbolId, &Symbol) -> bool) -> usize {
        let symbols = self.ids().filter(|(id, s)| s.span.is_some() && !s.name.is_empty() && is_tried(*id, s));
        let symbols = some(symbols.collect());
        for &(id, symbol) in &symbols {
            let fresh = format!("fresh_{}", symbol.name);
            let places = self.index.references(id).map(|found| {
                let is_quoted = self.written(found.span).starts_with('"');
                (found.span, if is_quoted { format!("\"{fresh}\"") } else { fresh.clone() })
            });
            let after = self.with(&places.collect::<Vec<_>>());
            let about = format!("{}: {symbol:?} {:?}", self.name, after.diagnostics);
            assert_eq!(after.shape, self.before.shape, "{about}");
            assert_eq!(after.diagnostics.len(), self.before.diagnostics.len(), "{about}");
        }
        symbols.len()
    }
}

/// About [`TRIED`] of some things, evenly.
pub fn some<T>(all: Vec<T>) -> Vec<T> {
    let step = all.len().div_ceil(TRIED).max(1);
    all.into_iter().step_by(step).collect()
}

/// Whether a place lies within another.
pub fn is_within(inner: Span, outer: Span) -> bool {
    inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
}
