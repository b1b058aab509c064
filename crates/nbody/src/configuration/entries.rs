//! The entries of a section. Each is read at most once; those left at the end are unknown.

use std::ops::Range;
use volvelle_declarations::form::{self, Entry};
use volvelle_declarations::{DeTable, DeValue, Key, Reader, Value, entries};
use volvelle_diagnostics::codes;

/// A section of a configuration.
pub(super) struct Section<'v> {
    name: &'v str,
    head: Range<usize>,
    entries: Vec<(&'v Key<'v>, &'v Value<'v>)>,
    /// The keys that it may have.
    may_have: &'static [Entry],
    /// Those that were asked for.
    known: Vec<&'static str>,
}

/// Which numbers a value may be.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    /// Above 0.
    Positive,
    /// At least 0.
    NotNegative,
    /// From 0 to 1.
    Part,
    /// All that are finite.
    Finite,
}

impl Bound {
    fn holds(self, number: f64) -> bool {
        number.is_finite()
            && match self {
                Bound::Positive => number > 0.0,
                Bound::NotNegative => number >= 0.0,
                Bound::Part => (0.0..=1.0).contains(&number),
                Bound::Finite => true,
            }
    }

    fn text(self) -> &'static str {
        match self {
            Bound::Positive => "a number above 0",
            Bound::NotNegative => "a number that is at least 0",
            Bound::Part => "a number from 0 to 1",
            Bound::Finite => "a finite number",
        }
    }
}

impl<'v> Section<'v> {
    pub(super) fn new(
        name: &'v str,
        head: Range<usize>,
        table: &'v DeTable<'v>,
        may_have: &'static [Entry],
    ) -> Self {
        Section { name, head, entries: entries(table), may_have, known: Vec::new() }
    }

    /// The place of its head.
    pub(super) fn head(&self) -> Range<usize> {
        self.head.clone()
    }

    /// The value of a key, if it is there. Of keys that are not in the table of the section there is none.
    pub(super) fn take(&mut self, key: &'static str) -> Option<&'v Value<'v>> {
        form::find(self.may_have, key)?;
        self.known.push(key);
        let place = self.entries.iter().position(|(found, _)| found.get_ref() == key)?;
        Some(self.entries.remove(place).1)
    }

    /// A number.
    pub(super) fn number(&mut self, reader: &mut Reader<'_>, key: &'static str, bound: Bound) -> Option<f64> {
        let value = self.take(key)?;
        number(reader, key, value, bound)
    }

    /// A number that must be there.
    pub(super) fn needed(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
        bound: Bound,
        example: &str,
    ) -> Option<f64> {
        let value = self.value(reader, key, example)?;
        number(reader, key, value, bound)
    }

    /// A whole number in the range that the table has for the key.
    pub(super) fn whole(&self, reader: &mut Reader<'_>, key: &'static str, value: &Value<'_>) -> Option<u64> {
        reader.whole(key, value, form::find(self.may_have, key)?.range()?)
    }

    /// A value that must be there.
    pub(super) fn value(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
        example: &str,
    ) -> Option<&'v Value<'v>> {
        let value = self.take(key);
        if value.is_none() {
            let message = format!("`[{}]` has no `{key}`", self.name);
            let help = format!("add `{key} = {example}`");
            reader.report(codes::NBODY_KEY, message, self.head(), &help);
        }
        value
    }

    /// One of some words, with its place among them.
    pub(super) fn word(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
        words: &[&str],
    ) -> Option<usize> {
        let value = self.take(key)?;
        word(reader, key, value, words)
    }

    /// Reports all entries that were not read; `elsewhere` explains where some of them belong.
    pub(super) fn finish(self, reader: &mut Reader<'_>, elsewhere: &[(&str, &str)]) {
        for (key, _) in self.entries {
            let name: &str = key.get_ref();
            match elsewhere.iter().find(|(known, _)| *known == name) {
                Some((_, why)) => {
                    reader.report(codes::NBODY_KEY, format!("`{name}` has no meaning here"), key.span(), why)
                }
                None => {
                    let more = elsewhere.iter().map(|(known, _)| *known);
                    let known: Vec<&str> = self.known.iter().copied().chain(more).collect();
                    reader.unknown(key, &known);
                }
            }
        }
    }
}

/// A number within its bound.
pub(super) fn number(reader: &mut Reader<'_>, key: &str, value: &Value<'_>, bound: Bound) -> Option<f64> {
    let number = match value.get_ref() {
        DeValue::Integer(digits) => {
            i64::from_str_radix(digits.as_str(), digits.radix()).ok().map(|n| n as f64)
        }
        DeValue::Float(digits) => digits.as_str().parse::<f64>().ok(),
        _ => {
            reader.wrong(key, value, "a number", &format!("`{key} = 0.5`"));
            return None;
        }
    };
    let fits = number.filter(|&number| bound.holds(number));
    if fits.is_none() {
        let shown = number.map_or("a number of too many digits".to_owned(), |number| number.to_string());
        let message = format!("`{key}` is {}, not {shown}", bound.text());
        reader.report(codes::NBODY_VALUE, message, value.span(), "");
    }
    fits
}

/// One of some words, with its place among them.
pub(super) fn word(reader: &mut Reader<'_>, key: &str, value: &Value<'_>, words: &[&str]) -> Option<usize> {
    let text = reader.string(key, value, &format!("`{key} = \"{}\"`", words[0]))?;
    let place = words.iter().position(|word| *word == text);
    if place.is_none() {
        let all = || format!("the possible values are `{}`", words.join("`, `"));
        let message = format!("`{text}` is no {key}");
        reader.misspelt(codes::NBODY_VALUE, message, value.span(), &text, words, all);
    }
    place
}
