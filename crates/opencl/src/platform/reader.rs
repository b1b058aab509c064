//! Values of a platform's description.

use volvelle_declarations::form::Entry;
use volvelle_declarations::{DeValue, Key, Reader, Value, entries};
use volvelle_diagnostics::codes;

/// A number of nanoseconds, or a diagnostic.
pub(super) fn duration(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Option<f64> {
    let number = match value.get_ref() {
        DeValue::Integer(digits) => digits.to_string().parse::<f64>().ok(),
        DeValue::Float(digits) => digits.to_string().parse::<f64>().ok(),
        _ => {
            reader.wrong(name, value, "a number", "nanoseconds: `12.5`");
            return None;
        }
    };
    let number = number.filter(|number| number.is_finite() && *number >= 0.0);
    if number.is_none() {
        let message = format!("`{name}` is a number of nanoseconds from 0 on");
        reader.report(codes::PLATFORM_VALUE, message, value.span(), "");
    }
    number
}

/// Goes through the entries of a section.
pub(super) fn section<'t>(
    reader: &mut Reader<'t>,
    key: &Key<'_>,
    value: &Value<'_>,
    mut each: impl FnMut(&mut Reader<'t>, (&Key<'_>, &Value<'_>)),
) {
    let name = key.get_ref();
    let Some(table) = value.get_ref().as_table() else {
        return reader.wrong(name, value, "a section", &format!("`[{name}]`"));
    };
    for entry in entries(table) {
        each(reader, entry);
    }
}

/// Sets a number within the range of its key.
pub(super) fn set(reader: &mut Reader<'_>, entry: &Entry, value: &Value<'_>, target: &mut u32) {
    let number = entry.range().and_then(|range| reader.whole(entry.name, value, range));
    *target = number.map_or(*target, |number| number as u32);
}
