//! The keys of forms, with their symbols.

use crate::builder::Builder;
use crate::index::{Kind, SymbolId};
use volvelle_declarations::form::{Entry, Form, Shape};

/// The keys of forms, with their symbols. These are the first ones of an index.
pub(crate) struct Keys(Vec<&'static Entry>);

impl Keys {
    /// All keys, each once.
    pub fn all(forms: &[&'static Form]) -> Self {
        let mut found: Vec<&'static Entry> = Vec::new();
        let mut waiting: Vec<&'static [Entry]> = forms.iter().map(|form| form.entries).collect();
        while let Some(entries) = waiting.pop() {
            for entry in entries {
                if !found.iter().any(|known| std::ptr::eq(*known, entry)) {
                    found.push(entry);
                    waiting.extend(entry.shape.entries());
                }
            }
        }
        Keys(found)
    }

    /// Adds the symbols of all keys, which have to be the first.
    pub fn of(builder: &mut Builder<'_>, forms: &[&'static Form]) -> Self {
        let keys = Self::all(forms);
        for entry in &keys.0 {
            let kind = if entry.shape.entries().is_some() { Kind::Table } else { Kind::Key };
            let id = builder.built_in(entry.name, kind, &entry.shape.text());
            builder.symbols[id.0 as usize].comment = entry.says.to_owned();
        }
        keys
    }

    /// The symbol of a key.
    pub fn symbol(&self, entry: &Entry) -> Option<SymbolId> {
        let number = self.0.iter().position(|known| std::ptr::eq(*known, entry))?;
        Some(SymbolId(number as u32))
    }
}

/// What texts of a value may name.
pub(super) fn named(shape: &Shape) -> Vec<&'static str> {
    let of = |shape: &Shape| match shape {
        Shape::Names(of) | Shape::List(Shape::Names(of)) => Some(*of),
        _ => None,
    };
    shape.choices().iter().filter_map(of).collect()
}

/// Whether a value is the name of a file, or may be one.
pub(super) fn is_file(shape: &Shape) -> bool {
    shape.choices().iter().any(|shape| matches!(shape, Shape::File | Shape::List(Shape::File)))
}
