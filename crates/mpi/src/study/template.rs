//! Texts with parameters: `{name}` stands for the value of a parameter in a configuration.

use std::ops::Range;
use volvelle_declarations::{DeValue, Reader, Value};
use volvelle_diagnostics::{Diagnostic, Fix, codes, nearest};

/// Values of parameters.
pub type Values = [(String, String)];

/// A text with the values of parameters; `None` after a diagnostic.
pub fn expanded(reader: &mut Reader<'_>, text: &str, at: Range<usize>, values: &Values) -> Option<String> {
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let Some(end) = rest[start..].find('}').map(|end| start + end) else {
            reader.report(codes::MPI_VALUE, "`{` has no `}`", at, "write a parameter as `{name}`");
            return None;
        };
        let name = rest[start + 1..end].trim();
        let Some((_, value)) = values.iter().find(|(known, _)| known == name) else {
            let known: Vec<&str> = values.iter().map(|(known, _)| known.as_str()).collect();
            let span = reader.span(at);
            let unknown = Diagnostic::error(codes::MPI_PARAMETER, format!("there is no parameter `{name}`"));
            let unknown = unknown.at(span, "");
            reader.found.push(match nearest(name, &known) {
                Some(near) => unknown
                    .help(format!("did you mean `{{{}}}`?", near.name))
                    .fix(Fix::instead(span, name, *near.name).certain_if(near.is_certain)),
                None => unknown.help(format!("declare it: `[parameters]`, and below it `{name} = ...`")),
            });
            return None;
        };
        result.push_str(&rest[..start]);
        result.push_str(value);
        rest = &rest[end + 1..];
    }
    result.push_str(rest);
    Some(result)
}

/// A text of the study.
pub fn text(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Value<'_>,
    example: &str,
    values: &Values,
) -> Option<String> {
    let text = reader.string(key, value, example)?;
    expanded(reader, &text, value.span(), values)
}

/// A number of the study, or a parameter that is one.
pub fn number(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Value<'_>,
    example: &str,
    values: &Values,
) -> Option<f64> {
    let number = match value.get_ref() {
        DeValue::Integer(number) => number.to_string().parse().ok(),
        DeValue::Float(number) => number.to_string().parse().ok(),
        DeValue::String(template) => {
            let text = expanded(reader, template, value.span(), values)?;
            text.trim().parse().ok()
        }
        _ => None,
    };
    let number = number.filter(|number: &f64| number.is_finite());
    if number.is_none() {
        let message = format!("`{key}` is a number");
        reader.report(codes::MPI_VALUE, message, value.span(), &format!("write {example}"));
    }
    number
}

/// A positive number.
pub fn positive(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Value<'_>,
    example: &str,
    values: &Values,
) -> Option<f64> {
    let found = number(reader, key, value, example, values)?;
    if found <= 0.0 {
        let message = format!("`{key}` is greater than 0");
        reader.report(codes::MPI_VALUE, message, value.span(), &format!("write {example}"));
        return None;
    }
    Some(found)
}

/// A whole number in a range.
pub fn whole(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Value<'_>,
    range: std::ops::RangeInclusive<u32>,
    values: &Values,
) -> Option<u32> {
    let example = format!("`{key} = {}`", range.start());
    let found = number(reader, key, value, &example, values)?;
    if found.fract() != 0.0 || found < f64::from(*range.start()) || found > f64::from(*range.end()) {
        let message = format!("`{key}` is a whole number from {} to {}", range.start(), range.end());
        reader.report(codes::MPI_VALUE, message, value.span(), "");
        return None;
    }
    Some(found as u32)
}

/// A list of positive numbers, or one of them.
pub fn positives(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Value<'_>,
    example: &str,
    values: &Values,
) -> Option<Vec<f64>> {
    match value.get_ref().as_array() {
        None => Some(vec![positive(reader, key, value, example, values)?]),
        Some(list) if list.is_empty() => {
            let message = format!("`{key}` has no value");
            reader.report(codes::MPI_VALUE, message, value.span(), &format!("write {example}"));
            None
        }
        Some(list) => list.iter().map(|item| positive(reader, key, item, example, values)).collect(),
    }
}
