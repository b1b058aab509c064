//! Entries of a description in TOML, with diagnostics.

use std::borrow::Cow;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use volvelle_diagnostics::{Code, Diagnostic, FileId, Span, codes, suggest};

pub(super) type Key<'a> = Spanned<Cow<'a, str>>;
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// In the order of the text, so that messages are.
pub(super) fn entries<'a>(table: &'a DeTable<'a>) -> Vec<(&'a Key<'a>, &'a Value<'a>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

pub(super) struct Reader<'t> {
    pub(super) file: FileId,
    pub(super) text: &'t str,
    pub(super) found: Vec<Diagnostic>,
}

impl Reader<'_> {
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        Span::within(self.file, self.text, range)
    }

    /// The place of a key that stands at the start of a line.
    pub(super) fn find(&self, key: &str) -> Span {
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

    /// A number of nanoseconds, or a diagnostic.
    pub(super) fn duration(&mut self, name: &str, value: &Value<'_>) -> Option<f64> {
        let number = match value.get_ref() {
            DeValue::Integer(digits) => digits.to_string().parse::<f64>().ok(),
            DeValue::Float(digits) => digits.to_string().parse::<f64>().ok(),
            _ => {
                self.wrong_type(value, &format!("`{name}`"), "a number", "nanoseconds: `12.5`");
                return None;
            }
        };
        let number = number.filter(|number| number.is_finite() && *number >= 0.0);
        if number.is_none() {
            let message = format!("`{name}` is a number of nanoseconds from 0 on");
            self.report(codes::PLATFORM_VALUE, message, value.span(), "", None);
        }
        number
    }

    pub(super) fn section(
        &mut self,
        key: &Key<'_>,
        value: &Value<'_>,
        mut each: impl FnMut(&mut Self, (&Key<'_>, &Value<'_>)),
    ) {
        let name = key.get_ref();
        let Some(table) = value.get_ref().as_table() else {
            return self.wrong_type(value, &format!("`{name}`"), "a section", &format!("`[{name}]`"));
        };
        for entry in entries(table) {
            each(self, entry);
        }
    }

    pub(super) fn report(
        &mut self,
        code: Code,
        message: String,
        at: Range<usize>,
        label: &str,
        help: Option<String>,
    ) {
        let span = self.span(at);
        let diagnostic = Diagnostic::error(code, message).at(span, label);
        self.found.push(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }

    pub(super) fn unknown(&mut self, key: &Key<'_>, known: &[&str]) {
        let name = key.get_ref();
        let help = match suggest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the known keys are `{}`", known.join("`, `")),
        };
        self.report(
            codes::PLATFORM_KEY,
            format!("unknown key `{name}`"),
            key.span(),
            "unknown here",
            Some(help),
        );
    }

    pub(super) fn wrong_type(&mut self, value: &Value<'_>, what: &str, wanted: &str, example: &str) {
        let found = value.get_ref().type_str();
        let article = if found.starts_with(['a', 'i']) { "an" } else { "a" };
        let message = format!("{what} is {wanted}, not {article} {found}");
        self.report(codes::PLATFORM_VALUE, message, value.span(), "", Some(format!("write {example}")));
    }

    pub(super) fn set(
        &mut self,
        key: &Key<'_>,
        value: &Value<'_>,
        range: std::ops::RangeInclusive<u64>,
        target: &mut u32,
    ) {
        if let Some(value) = self.whole(key.get_ref(), value, range) {
            *target = value as u32;
        }
    }

    /// A whole number within `range`, or a diagnostic.
    pub(super) fn whole(
        &mut self,
        name: &str,
        value: &Value<'_>,
        range: std::ops::RangeInclusive<u64>,
    ) -> Option<u64> {
        let DeValue::Integer(digits) = value.get_ref() else {
            let example = format!("`{name} = {}`", range.start().max(&1));
            self.wrong_type(value, &format!("`{name}`"), "a whole number", &example);
            return None;
        };
        let number = u64::from_str_radix(digits.as_str(), digits.radix()).ok();
        let number = number.filter(|number| range.contains(number));
        if number.is_none() {
            let message = format!("`{name}` is a whole number from {} to {}", range.start(), range.end());
            self.report(codes::PLATFORM_VALUE, message, value.span(), "", None);
        }
        number
    }
}
