//! Declarations in TOML: entries with their places, and diagnostics about them.
//!
//! A [`Reader`] goes through a text, gives the values of entries and notes what is wrong with them; reading goes on, so that everything
//! wrong is told at once. What entries mean is the business of those who ask: platforms of OpenCL, pipelines.

pub mod form;

use form::Entry;
use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;
pub use toml::de::{DeTable, DeValue};
use volvelle_diagnostics::{Code, Diagnostic, FileId, Span};

/// A key with its place.
pub type Key<'a> = Spanned<Cow<'a, str>>;

/// A value with its place.
pub type Value<'a> = Spanned<DeValue<'a>>;

/// Entries in the order of the text, so that messages are.
pub fn entries<'a>(table: &'a DeTable<'a>) -> Vec<(&'a Key<'a>, &'a Value<'a>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// Codes of diagnostics.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    /// The text is not TOML.
    pub syntax: Code,
    /// A key is unknown, missing or out of place.
    pub key: Code,
    /// A value is not what it should be.
    pub value: Code,
}

/// The text of a declaration, with what was found to be wrong.
pub struct Reader<'t> {
    /// The file.
    pub file: FileId,
    /// Its text.
    pub text: &'t str,
    /// Codes of diagnostics.
    pub codes: Codes,
    /// Diagnostics so far.
    pub found: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    /// Nothing was read yet.
    pub fn new(file: FileId, text: &'t str, codes: Codes) -> Self {
        Reader { file, text, codes, found: Vec::new() }
    }

    /// The entries of the text, as far as it can be understood. `help` says what such a text looks like.
    pub fn parse(&mut self, help: &str) -> Option<Spanned<DeTable<'t>>> {
        // Offsets of spans are 32 bits.
        if u32::try_from(self.text.len()).is_err() {
            self.found.push(Diagnostic::error(self.codes.syntax, "the declaration is larger than 4 GiB"));
            return None;
        }
        let (table, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            self.report(self.codes.syntax, message, error.span().unwrap_or(0..0), help);
        }
        Some(table)
    }

    /// The place of some bytes.
    pub fn span(&self, range: Range<usize>) -> Span {
        Span::within(self.file, self.text, range)
    }

    /// The place of a key that stands at the start of a line.
    pub fn find(&self, key: &str) -> Span {
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            if line.trim_start().starts_with(key) {
                let at = start + line.len() - line.trim_start().len();
                return Span::new(self.file, at, at + key.len());
            }
            start += line.len();
        }
        Span::new(self.file, 0, 0)
    }

    /// Notes an error; without `help` where there is none.
    pub fn report(&mut self, code: Code, message: impl Into<String>, at: Range<usize>, help: &str) {
        let span = self.span(at);
        self.report_at(code, message, span, help);
    }

    /// The same at a place.
    pub fn report_at(&mut self, code: Code, message: impl Into<String>, span: Span, help: &str) {
        let diagnostic = Diagnostic::error(code, message).at(span, "");
        self.found.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }

    /// Notes that a value, or a part of one, names nothing that is `known`; with a help where nothing is near.
    pub fn misspelt<S: AsRef<str>>(
        &mut self,
        code: Code,
        message: impl Into<String>,
        at: Range<usize>,
        name: &str,
        known: impl IntoIterator<Item = S>,
        otherwise: impl FnOnce() -> String,
    ) {
        let diagnostic = Diagnostic::error(code, message).at(self.span(at), "");
        self.found.push(diagnostic.misspelt_or(name, known, otherwise));
    }

    /// Notes a key that is none of those `known`.
    pub fn unknown(&mut self, key: &Key<'_>, known: &[&str]) {
        let name = key.get_ref();
        let span = self.span(key.span());
        let found =
            Diagnostic::error(self.codes.key, format!("unknown key `{name}`")).at(span, "unknown here");
        let all = || format!("the known keys are `{}`", known.join("`, `"));
        self.found.push(found.misspelt_or(name, known, all));
    }

    /// The entry of a key, if the table has it; else the key is noted as unknown.
    pub fn known(&mut self, key: &Key<'_>, entries: &'static [Entry]) -> Option<&'static Entry> {
        let found = form::find(entries, key.get_ref());
        if found.is_none() {
            self.unknown(key, &form::names(entries));
        }
        found
    }

    /// Notes the keys of a table that it does not have.
    pub fn all_known(&mut self, table: &DeTable<'_>, known: &'static [Entry]) {
        for (key, _) in entries(table) {
            self.known(key, known);
        }
    }

    /// Notes that the value of a key has the wrong type.
    pub fn wrong(&mut self, key: &str, value: &Value<'_>, wanted: &str, example: &str) {
        self.wrong_type(&format!("`{key}`"), value, wanted, example);
    }

    /// Notes that `what` has the wrong type.
    pub fn wrong_type(&mut self, what: &str, value: &Value<'_>, wanted: &str, example: &str) {
        let found = value.get_ref().type_str();
        let article = if found.starts_with(['a', 'i']) { "an" } else { "a" };
        let message = format!("{what} is {wanted}, not {article} {found}");
        self.report(self.codes.value, message, value.span(), &format!("write {example}"));
    }

    /// A table.
    pub fn table<'v>(&mut self, key: &str, value: &'v Value<'v>, example: &str) -> Option<&'v DeTable<'v>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.wrong(key, value, "a table", example);
        }
        table
    }

    /// The elements of a list; none after a diagnostic.
    pub fn list<'v>(&mut self, key: &str, value: &'v Value<'v>, example: &str) -> &'v [Value<'v>] {
        match value.get_ref().as_array() {
            Some(list) => list,
            None => {
                self.wrong(key, value, "a list", example);
                &[]
            }
        }
    }

    /// A text that is not empty.
    pub fn string(&mut self, key: &str, value: &Value<'_>, example: &str) -> Option<String> {
        match value.get_ref().as_str() {
            Some("") => {
                let help = format!("write {example}");
                self.report(self.codes.value, format!("`{key}` is empty"), value.span(), &help);
                None
            }
            Some(text) => Some(text.to_owned()),
            None => {
                self.wrong(key, value, "a text", example);
                None
            }
        }
    }

    /// A text, or a list of texts, each with its place.
    pub fn strings(&mut self, key: &str, value: &Value<'_>, example: &str) -> Vec<(String, Range<usize>)> {
        let Some(items) = value.get_ref().as_array() else {
            return self.string(key, value, example).map(|text| (text, value.span())).into_iter().collect();
        };
        let mut texts = Vec::new();
        for item in items.iter() {
            texts.extend(self.string(key, item, example).map(|text| (text, item.span())));
        }
        texts
    }

    /// True or false; false after a diagnostic.
    pub fn flag(&mut self, key: &str, value: &Value<'_>) -> bool {
        value.get_ref().as_bool().unwrap_or_else(|| {
            self.wrong(key, value, "true or false", &format!("`{key} = true`"));
            false
        })
    }

    /// A whole number within `range`.
    pub fn whole(&mut self, key: &str, value: &Value<'_>, range: RangeInclusive<u64>) -> Option<u64> {
        let DeValue::Integer(digits) = value.get_ref() else {
            let example = format!("`{key} = {}`", range.start().max(&1));
            self.wrong(key, value, "a whole number", &example);
            return None;
        };
        let number = u64::from_str_radix(digits.as_str(), digits.radix()).ok();
        let number = number.filter(|number| range.contains(number));
        if number.is_none() {
            let message = format!("`{key}` is a whole number from {} to {}", range.start(), range.end());
            self.report(self.codes.value, message, value.span(), "");
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_diagnostics::{Sources, codes};

    const CODES: Codes =
        Codes { syntax: codes::PIPELINE_SYNTAX, key: codes::PIPELINE_KEY, value: codes::PIPELINE_VALUE };

    #[test]
    fn all_that_is_wrong_is_told() {
        let text = "a = 1\nb = \"\"\nc = [\"x\", 2]\nd = -3\ne = true\nf = [1,\n";
        let file = Sources::new().add("d.toml", text);
        let mut reader = Reader::new(file, text, CODES);
        let table = reader.parse("write entries").expect("a small text");
        let mut values = Vec::new();
        for (key, value) in entries(table.get_ref()) {
            let name: &str = key.get_ref();
            match name {
                "a" => values.extend(reader.whole(name, value, 1..=9).map(|number| number.to_string())),
                "b" => values.extend(reader.string(name, value, "`b = \"text\"`")),
                "c" => values.extend(reader.strings(name, value, "texts").into_iter().map(|(text, _)| text)),
                "d" => values.extend(reader.whole(name, value, 0..=9).map(|number| number.to_string())),
                "e" => values.push(reader.flag(name, value).to_string()),
                _ => reader.unknown(key, &["a", "b"]),
            }
        }
        assert_eq!(values, ["1", "x", "true"]);
        let messages: Vec<&str> = reader.found.iter().map(|found| found.message.as_str()).collect();
        assert!(messages.contains(&"`b` is empty"), "{messages:?}");
        assert!(messages.contains(&"`c` is a text, not an integer"), "{messages:?}");
        assert!(messages.contains(&"`d` is a whole number from 0 to 9"), "{messages:?}");
        assert!(reader.found.iter().any(|found| found.code == codes::PIPELINE_SYNTAX), "{messages:?}");
        assert_eq!(reader.find("d"), reader.span(text.find("d =").map_or(0..0, |at| at..at + 1)));
    }
}
