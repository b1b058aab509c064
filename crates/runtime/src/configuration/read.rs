//! Parsing of a configuration, with diagnostics.

use super::{Configuration, Distribution, Placed, Selection, Sizes};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use volvelle_diagnostics::{Code, Diagnostic, FileId, Span, codes};

/// An entry of a table: key and value.
type Entry<'a> = (&'a Spanned<std::borrow::Cow<'a, str>>, &'a Spanned<DeValue<'a>>);

pub(super) fn read(file: FileId, text: &str) -> (Configuration, Vec<Diagnostic>) {
    let mut reader = Reader { file, text, found: Vec::new() };
    let mut configuration = Configuration::default();
    // Offsets of spans are 32 bits.
    if u32::try_from(text.len()).is_err() {
        let message = "the configuration is larger than 4 GiB";
        return (configuration, vec![Diagnostic::error(codes::CONFIGURATION_SYNTAX, message)]);
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let span = reader.span(error.span().unwrap_or(0..0));
        // Messages of the parser begin without an article and in lower case, as ours do.
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        let help = "write strings in quotation marks, sections in brackets: `CPU = \"threads\"`, `[context]`";
        reader.found.push(Diagnostic::error(codes::CONFIGURATION_SYNTAX, message).at(span, "").help(help));
    }
    for (key, value) in entries(table.get_ref()) {
        match &**key.get_ref() {
            "network" => configuration.network = reader.string(value, "the network"),
            "context" => reader.context(value, &mut configuration),
            "distribution" => reader.distributions(value, &mut configuration),
            _ => reader.unknown(key, &["network", "context", "distribution"]),
        }
    }
    (configuration, reader.found)
}

fn entries<'a>(table: &'a DeTable<'a>) -> Vec<Entry<'a>> {
    // In the order of the text, so that messages are.
    let mut entries: Vec<Entry<'a>> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

struct Reader<'t> {
    file: FileId,
    text: &'t str,
    found: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn span(&self, range: Range<usize>) -> Span {
        Span::within(self.file, self.text, range)
    }

    fn place(&self, key: &Spanned<std::borrow::Cow<'_, str>>) -> Placed<String> {
        Placed { it: key.get_ref().clone().into_owned(), span: self.span(key.span()) }
    }

    fn report(
        &mut self,
        code: Code,
        message: impl Into<String>,
        at: Span,
        label: &str,
        help: impl Into<String>,
    ) {
        self.found.push(Diagnostic::error(code, message).at(at, label).help(help));
    }

    fn unknown(&mut self, key: &Spanned<std::borrow::Cow<'_, str>>, known: &[&str]) {
        let name = self.place(key);
        let message = format!("unknown key `{}`", name.it);
        let unknown = Diagnostic::error(codes::CONFIGURATION_KEY, message).at(name.span, "unknown here");
        let all = || format!("the known keys are `{}`", known.join("`, `"));
        self.found.push(unknown.misspelt_or(&name.it, known, all));
    }

    fn wrong_type(&mut self, value: &Spanned<DeValue<'_>>, what: &str, wanted: &str, example: &str) {
        let found = value.get_ref().type_str();
        let message = format!(
            "{what} is {wanted}, not {} {found}",
            if found.starts_with(['a', 'i']) { "an" } else { "a" }
        );
        let span = self.span(value.span());
        self.report(codes::CONFIGURATION_TYPE, message, span, "", format!("write {example}"));
    }

    fn string(&mut self, value: &Spanned<DeValue<'_>>, what: &str) -> Option<Placed<String>> {
        match value.get_ref().as_str() {
            Some(text) => Some(Placed { it: text.to_owned(), span: self.span(value.span()) }),
            None => {
                self.wrong_type(value, what, "a string", "it in quotation marks");
                None
            }
        }
    }

    fn context(&mut self, value: &Spanned<DeValue<'_>>, configuration: &mut Configuration) {
        let Some(table) = value.get_ref().as_table() else {
            return self.wrong_type(value, "the context", "a table", "a section `[context]`");
        };
        let mut devices = None;
        let mut architectures: Vec<(Placed<String>, Vec<Placed<String>>)> = Vec::new();
        for (key, value) in entries(table) {
            match &**key.get_ref() {
                "skip" => match value.get_ref().as_bool() {
                    Some(skip) => configuration.skip = skip,
                    None => self.wrong_type(value, "`skip`", "true or false", "`skip = true`"),
                },
                "devices" => devices = self.string(value, "`devices`").map(|list| (self.place(key), list)),
                _ => {
                    let technologies = self.technologies(value);
                    if !technologies.is_empty() {
                        architectures.push((self.place(key), technologies));
                    }
                }
            }
        }
        configuration.selection = match (devices, architectures) {
            (None, architectures) if architectures.is_empty() => Selection::Automatic,
            (None, architectures) => Selection::Architectures(architectures),
            (Some((_, list)), architectures) if architectures.is_empty() => Selection::Devices(list),
            (Some((key, list)), architectures) => {
                let message = "the context names both devices and technologies of architectures";
                let help = format!("leave out `devices`, or `{}`", architectures[0].0.it);
                let diagnostic =
                    Diagnostic::error(codes::CONFIGURATION_VALUE, message).at(key.span, "devices");
                let also = architectures[0].0.span;
                self.found.push(diagnostic.also(also, "an architecture").help(help));
                Selection::Devices(list)
            }
        };
    }

    /// A technology, or several.
    fn technologies(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<Placed<String>> {
        let what = "the technology of an architecture";
        let Some(array) = value.get_ref().as_array() else {
            return self.string(value, what).into_iter().collect();
        };
        if array.iter().next().is_none() {
            let span = self.span(value.span());
            let help = "name one: `GPU = \"opencl\"`; architectures that are not named are not used";
            self.report(codes::CONFIGURATION_VALUE, "no technology is named", span, "", help);
        }
        array.iter().filter_map(|value| self.string(value, what)).collect()
    }

    fn distributions(&mut self, value: &Spanned<DeValue<'_>>, configuration: &mut Configuration) {
        let example = "a section `[distribution.default]`";
        let Some(table) = value.get_ref().as_table() else {
            return self.wrong_type(value, "the distribution", "a table of distributions", example);
        };
        for (name, value) in entries(table) {
            let Some(table) = value.get_ref().as_table() else {
                self.wrong_type(value, "a distribution", "a table", example);
                continue;
            };
            let mut distribution = Distribution::default();
            for (key, value) in entries(table) {
                match value.get_ref().as_table() {
                    Some(table) => {
                        let sizes = self.sizes(table);
                        distribution.entries.push((self.place(key), sizes));
                    }
                    None => {
                        let what = format!("the distribution on `{}`", key.get_ref());
                        let example = "`{ size = 1024, block = 256 }`";
                        self.wrong_type(value, &what, "a table of sizes", example);
                    }
                }
            }
            configuration.distributions.insert(name.get_ref().clone().into_owned(), distribution);
        }
    }

    fn sizes(&mut self, table: &DeTable<'_>) -> Sizes {
        let mut sizes = Sizes::default();
        let mut places = [None, None];
        for (key, value) in entries(table) {
            match &**key.get_ref() {
                "size" => {
                    sizes.size = self.number(value, "`size`", u64::MAX);
                    places[0] = Some(self.span(value.span()));
                }
                "block" => {
                    let block = self.number(value, "`block`", u32::MAX.into());
                    sizes.block = block.and_then(|block| u32::try_from(block).ok());
                    places[1] = Some(self.span(value.span()));
                }
                _ => self.unknown(key, &["size", "block"]),
            }
        }
        if let (Some(size), Some(block), [Some(size_at), Some(block_at)]) = (sizes.size, sizes.block, places)
            && u64::from(block) > size
        {
            let diagnostic = Diagnostic::error(codes::CONFIGURATION_VALUE, "a block is larger than a launch");
            let diagnostic = diagnostic.at(block_at, "lanes of a block").also(size_at, "lanes of a launch");
            self.found
                .push(diagnostic.help("a launch consists of blocks: make `size` a multiple of `block`"));
            sizes.block = None;
        }
        sizes
    }

    /// A whole number from one on.
    fn number(&mut self, value: &Spanned<DeValue<'_>>, what: &str, most: u64) -> Option<u64> {
        let Some(integer) = value.get_ref().as_integer() else {
            self.wrong_type(value, what, "a whole number", "`1024`");
            return None;
        };
        // Underscores are left out, and a sign is there only for decimals.
        let number = i128::from_str_radix(integer.as_str(), integer.radix());
        let span = self.span(value.span());
        match number.ok().and_then(|number| u64::try_from(number).ok()).filter(|&number| number <= most) {
            Some(0) => {
                let help = "leave it out to run all lanes at once, in blocks chosen by the technology";
                self.report(
                    codes::CONFIGURATION_VALUE,
                    format!("{what} is zero"),
                    span,
                    "no lanes at all",
                    help,
                );
                None
            }
            Some(number) => Some(number),
            None => {
                let message = format!("{what} is not a number of lanes");
                self.report(
                    codes::CONFIGURATION_VALUE,
                    message,
                    span,
                    "",
                    format!("write a number from 1 to {most}"),
                );
                None
            }
        }
    }
}
