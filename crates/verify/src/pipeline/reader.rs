//! Entries of a declaration in TOML, with diagnostics.

use std::borrow::Cow;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use volvelle_diagnostics::{Code, Diagnostic, FileId, Span, codes, suggest};

pub(super) type Key<'a> = Spanned<Cow<'a, str>>;
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// In the order of the text.
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

    pub(super) fn report(&mut self, code: Code, message: String, at: Range<usize>, help: &str) {
        let span = self.span(at);
        self.report_at(code, message, span, help);
    }

    pub(super) fn report_at(&mut self, code: Code, message: String, span: Span, help: &str) {
        self.found.push(Diagnostic::error(code, message).at(span, "").help(help));
    }

    pub(super) fn unknown(&mut self, key: &Key<'_>, known: &[&str]) {
        let name = key.get_ref();
        let help = match suggest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the known keys are `{}`", known.join("`, `")),
        };
        let span = self.span(key.span());
        let found = Diagnostic::error(codes::PIPELINE_KEY, format!("unknown key `{name}`"));
        self.found.push(found.at(span, "unknown here").help(help));
    }

    pub(super) fn wrong(&mut self, key: &str, value: &Value<'_>, wanted: &str, example: &str) {
        let found = value.get_ref().type_str();
        let article = if found.starts_with(['a', 'i']) { "an" } else { "a" };
        let message = format!("`{key}` is {wanted}, not {article} {found}");
        self.report(codes::PIPELINE_VALUE, message, value.span(), &format!("write {example}"));
    }

    pub(super) fn table<'v>(
        &mut self,
        key: &str,
        value: &'v Value<'v>,
        example: &str,
    ) -> Option<&'v DeTable<'v>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.wrong(key, value, "a table", example);
        }
        table
    }

    pub(super) fn string(&mut self, key: &str, value: &Value<'_>, example: &str) -> Option<String> {
        match value.get_ref().as_str() {
            Some("") => {
                self.report(
                    codes::PIPELINE_VALUE,
                    format!("`{key}` is empty"),
                    value.span(),
                    &format!("write {example}"),
                );
                None
            }
            Some(text) => Some(text.to_owned()),
            None => {
                self.wrong(key, value, "a text", example);
                None
            }
        }
    }

    pub(super) fn flag(&mut self, key: &str, value: &Value<'_>) -> bool {
        value.get_ref().as_bool().unwrap_or_else(|| {
            self.wrong(key, value, "true or false", &format!("`{key} = true`"));
            false
        })
    }

    /// A text, or an array of texts, each with its place.
    pub(super) fn strings(
        &mut self,
        key: &str,
        value: &Value<'_>,
        example: &str,
    ) -> Vec<(String, Range<usize>)> {
        let Some(items) = value.get_ref().as_array() else {
            return self.string(key, value, example).map(|text| (text, value.span())).into_iter().collect();
        };
        let mut texts = Vec::new();
        for item in items.iter() {
            texts.extend(self.string(key, item, example).map(|text| (text, item.span())));
        }
        texts
    }
}
