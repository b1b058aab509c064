//! Values of constants, relations and expectations.

use super::Declared;
use volvelle_declarations::{DeValue, Key, Reader, Value};
use volvelle_diagnostics::codes;
use volvelle_logic::ConstantValue;
use volvelle_lts::Relation;
use volvelle_session::range::{self, MOST_VALUES};

const VALUES: &str =
    "a value, a list, or a range: `LAMBDA = 2`, `LAMBDA = [0.5, 1, 2]`, `LAMBDA = \"1:0.5:4\"`";

/// A constant with its values.
pub(super) fn constant(reader: &mut Reader<'_>, key: &Key<'_>, value: &Value<'_>) -> Option<Declared> {
    let name = key.get_ref().to_string();
    if !is_name(&name) {
        let message = format!("`{name}` is not a valid constant name");
        reader.report(
            codes::PIPELINE_VALUE,
            message,
            key.span(),
            "a name has letters, digits and `_`, and begins with no digit",
        );
        return None;
    }
    let mut values = Vec::new();
    match value.get_ref().as_array() {
        Some(items) => {
            for item in items.iter() {
                values.extend(texts(reader, &name, item)?);
            }
        }
        None => values = texts(reader, &name, value)?,
    }
    if values.is_empty() || values.len() > MOST_VALUES {
        let message = match values.is_empty() {
            true => format!("the constant `{name}` has no value"),
            false => format!("the constant `{name}` takes more than a million values"),
        };
        reader.report(codes::PIPELINE_VALUE, message, value.span(), &format!("write {VALUES}"));
        return None;
    }
    let values = values.into_iter().map(ConstantValue::from).collect();
    Some(Declared { name, values, span: reader.span(key.span()) })
}

/// The values that one item stands for.
fn texts(reader: &mut Reader<'_>, name: &str, item: &Value<'_>) -> Option<Vec<String>> {
    match item.get_ref() {
        DeValue::Integer(number) if number.radix() == 10 => Some(vec![number.as_str().to_owned()]),
        DeValue::Float(number) => Some(vec![number.as_str().to_owned()]),
        DeValue::Boolean(value) => Some(vec![value.to_string()]),
        DeValue::String(text) if !text.trim().is_empty() && !text.contains(',') => {
            let values = range::values(name, text.trim());
            values
                .map_err(|diagnostic| {
                    reader.report(
                        codes::PIPELINE_VALUE,
                        diagnostic.message,
                        item.span(),
                        &format!("write {VALUES}"),
                    )
                })
                .ok()
        }
        _ => {
            reader.wrong(name, item, "a number, true, false, or a text such as \"1:0.5:4\"", VALUES);
            None
        }
    }
}

/// Whether a text is the name of a constant.
pub(super) fn is_name(text: &str) -> bool {
    let in_name =
        |(i, c): (usize, char)| c == '_' || c.is_ascii_alphabetic() || (i > 0 && c.is_ascii_digit());
    !text.is_empty() && text.chars().enumerate().all(in_name)
}

/// An equivalence by its name.
pub(super) fn relation(reader: &mut Reader<'_>, key: &str, value: &Value<'_>) -> Option<Relation> {
    let text = reader.string(key, value, &format!("`{key} = \"branching\"`"))?;
    let found = match text.as_str() {
        "observational" => Some(Relation::Weak),
        "lumping" => Some(Relation::StochasticStrong),
        name => Relation::ALL.into_iter().find(|relation| relation.name() == name),
    };
    if found.is_none() {
        let names = Relation::ALL.map(Relation::name);
        let all = || format!("the relations are `{}`", names.join("`, `"));
        let message = format!("`{text}` is no relation");
        reader.misspelt(codes::PIPELINE_VALUE, message, value.span(), &text, names, all);
    }
    found
}

/// An expected verdict.
pub(super) fn verdict(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<bool> {
    let text = value.get_ref().as_str().map(str::to_ascii_lowercase);
    let found = match text.as_deref() {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => value.get_ref().as_bool(),
    };
    if found.is_none() {
        reader.report(
            codes::PIPELINE_VALUE,
            "`expect` is TRUE or FALSE".to_owned(),
            value.span(),
            "write `expect = true` or `expect = \"FALSE\"`",
        );
    }
    found
}

/// A positive number.
pub(super) fn positive(reader: &mut Reader<'_>, key: &str, value: &Value<'_>) -> Option<f64> {
    let number = match value.get_ref() {
        DeValue::Integer(digits) => digits.as_str().parse::<f64>().ok(),
        DeValue::Float(digits) => digits.as_str().parse::<f64>().ok(),
        _ => None,
    };
    let number = number.filter(|number| number.is_finite() && *number > 0.0);
    if number.is_none() {
        reader.report(
            codes::PIPELINE_VALUE,
            format!("`{key}` is not a positive number"),
            value.span(),
            &format!("write `{key} = 1e-9`"),
        );
    }
    number
}
