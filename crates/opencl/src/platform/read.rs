//! Parsing of a platform's description, with diagnostics.

use super::{COEFFICIENTS, Nanoseconds, Platform};
use std::borrow::Cow;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use volvelle_diagnostics::{Code, Diagnostic, FileId, Span, codes, suggest};

type Key<'a> = Spanned<Cow<'a, str>>;
type Value<'a> = Spanned<DeValue<'a>>;

/// Times and counts beyond this are mistakes, and their products could leave 64 bits.
const LARGEST: u64 = 1 << 30;

pub(super) fn read(file: FileId, text: &str) -> (Platform, Vec<Diagnostic>) {
    let mut reader = Reader { file, text, found: Vec::new() };
    let mut platform = Platform::default();
    // Offsets of spans are 32 bits.
    if u32::try_from(text.len()).is_err() {
        let message = "the description is larger than 4 GiB";
        return (platform, vec![Diagnostic::error(codes::PLATFORM_SYNTAX, message)]);
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let span = reader.span(error.span().unwrap_or(0..0));
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        let help =
            "a platform has sections `[device]`, `[time]` and `[nanoseconds]` with lines such as `units = 2`";
        reader.found.push(Diagnostic::error(codes::PLATFORM_SYNTAX, message).at(span, "").help(help));
    }
    for (key, value) in entries(table.get_ref()) {
        match &**key.get_ref() {
            "name" => match value.get_ref().as_str() {
                Some(name) => name.clone_into(&mut platform.name),
                None => reader.wrong_type(value, "the name", "a string", "it in quotation marks"),
            },
            "device" => reader.section(key, value, |reader, entry| device(reader, &mut platform, entry)),
            "time" => reader.section(key, value, |reader, entry| time(reader, &mut platform, entry)),
            "nanoseconds" => {
                let mut values = [0.0; COEFFICIENTS.len()];
                reader.section(key, value, |reader, entry| nanoseconds(reader, &mut values, entry));
                platform.nanoseconds = Some(Nanoseconds(values));
            }
            _ => reader.unknown(key, &["name", "device", "time", "nanoseconds"]),
        }
    }
    if platform.warp > platform.elements && reader.found.is_empty() {
        // A unit whose elements are fewer than the lanes of a warp runs one warp at a time.
        let message =
            format!("a warp has {} lanes, but a unit has {} elements", platform.warp, platform.elements);
        let help = "let `elements` be a multiple of `warp`";
        let place = reader.find("warp");
        reader.found.push(Diagnostic::error(codes::PLATFORM_VALUE, message).at(place, "").help(help));
    }
    (platform, reader.found)
}

/// In the order of the text, so that messages are.
fn entries<'a>(table: &'a DeTable<'a>) -> Vec<(&'a Key<'a>, &'a Value<'a>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

fn device(reader: &mut Reader<'_>, platform: &mut Platform, (key, value): (&Key<'_>, &Value<'_>)) {
    let at_least_one = 1..=LARGEST;
    match &**key.get_ref() {
        "devices" => reader.set(key, value, 1..=256, &mut platform.devices),
        "units" => reader.set(key, value, at_least_one, &mut platform.units),
        "elements" => reader.set(key, value, at_least_one, &mut platform.elements),
        "warp" => reader.set(key, value, 1..=1024, &mut platform.warp),
        "local_memory" => {
            if let Some(bytes) = reader.whole(key, value, 0..=1 << 40) {
                platform.local_memory_bytes = bytes;
            }
        }
        "work_group_max" => reader.set(key, value, at_least_one, &mut platform.work_group_max),
        "segment" => reader.set(key, value, 1..=1 << 16, &mut platform.segment_bytes),
        "prefetch" => match value.get_ref().as_bool() {
            Some(prefetch) => platform.prefetch = prefetch,
            None => reader.wrong_type(value, "`prefetch`", "true or false", "`prefetch = true`"),
        },
        _ => reader.unknown(
            key,
            &[
                "devices",
                "units",
                "elements",
                "warp",
                "local_memory",
                "work_group_max",
                "segment",
                "prefetch",
            ],
        ),
    }
}

fn time(reader: &mut Reader<'_>, platform: &mut Platform, (key, value): (&Key<'_>, &Value<'_>)) {
    let costs = &mut platform.costs;
    let target = match &**key.get_ref() {
        "global" => &mut costs.global,
        "local" => &mut costs.local,
        "private" => &mut costs.private,
        "operation" => &mut costs.operation,
        "launch" => &mut costs.launch,
        "group" => &mut costs.group,
        "barrier" => &mut costs.barrier,
        "phase" => &mut costs.phase,
        "message_host" => &mut costs.message_host,
        "message_unit" => &mut costs.message_unit,
        _ => {
            let known = [
                "global",
                "local",
                "private",
                "operation",
                "launch",
                "group",
                "barrier",
                "phase",
                "message_host",
                "message_unit",
            ];
            return reader.unknown(key, &known);
        }
    };
    reader.set(key, value, 0..=LARGEST, target);
}

fn nanoseconds(reader: &mut Reader<'_>, values: &mut [f64], (key, value): (&Key<'_>, &Value<'_>)) {
    let Some(at) = COEFFICIENTS.iter().position(|name| name == key.get_ref()) else {
        return reader.unknown(key, &COEFFICIENTS);
    };
    let number = match value.get_ref() {
        DeValue::Integer(digits) => digits.to_string().parse::<f64>().ok(),
        DeValue::Float(digits) => digits.to_string().parse::<f64>().ok(),
        _ => {
            return reader.wrong_type(
                value,
                &format!("`{}`", key.get_ref()),
                "a number",
                "nanoseconds: `12.5`",
            );
        }
    };
    match number.filter(|number| number.is_finite() && *number >= 0.0) {
        Some(number) => values[at] = number,
        None => {
            let span = reader.span(value.span());
            let message = format!("`{}` is a number of nanoseconds from 0 on", key.get_ref());
            reader.found.push(Diagnostic::error(codes::PLATFORM_VALUE, message).at(span, ""));
        }
    }
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

    /// The place of a key that stands at the start of a line.
    fn find(&self, key: &str) -> Span {
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

    fn section(
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

    fn report(&mut self, code: Code, message: String, at: Range<usize>, label: &str, help: String) {
        let span = self.span(at);
        self.found.push(Diagnostic::error(code, message).at(span, label).help(help));
    }

    fn unknown(&mut self, key: &Key<'_>, known: &[&str]) {
        let name = key.get_ref();
        let help = match suggest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the known keys are `{}`", known.join("`, `")),
        };
        self.report(codes::PLATFORM_KEY, format!("unknown key `{name}`"), key.span(), "unknown here", help);
    }

    fn wrong_type(&mut self, value: &Value<'_>, what: &str, wanted: &str, example: &str) {
        let found = value.get_ref().type_str();
        let article = if found.starts_with(['a', 'i']) { "an" } else { "a" };
        let message = format!("{what} is {wanted}, not {article} {found}");
        self.report(codes::PLATFORM_VALUE, message, value.span(), "", format!("write {example}"));
    }

    fn set(
        &mut self,
        key: &Key<'_>,
        value: &Value<'_>,
        range: std::ops::RangeInclusive<u64>,
        target: &mut u32,
    ) {
        if let Some(value) = self.whole(key, value, range) {
            *target = value as u32;
        }
    }

    /// A whole number within `range`, or a diagnostic.
    fn whole(
        &mut self,
        key: &Key<'_>,
        value: &Value<'_>,
        range: std::ops::RangeInclusive<u64>,
    ) -> Option<u64> {
        let name = key.get_ref();
        let DeValue::Integer(digits) = value.get_ref() else {
            let example = format!("`{name} = {}`", range.start().max(&1));
            self.wrong_type(value, &format!("`{name}`"), "a whole number", &example);
            return None;
        };
        let number = u64::from_str_radix(digits.as_str(), digits.radix()).ok();
        let number = number.filter(|number| range.contains(number));
        if number.is_none() {
            let message = format!("`{name}` is a whole number from {} to {}", range.start(), range.end());
            let span = self.span(value.span());
            self.found.push(Diagnostic::error(codes::PLATFORM_VALUE, message).at(span, ""));
        }
        number
    }
}
