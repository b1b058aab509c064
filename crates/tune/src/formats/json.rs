//! Values as JSON and as Python shows them.

use crate::Value;
use serde_json::Value as Json;
use std::fmt;

/// The reason why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The problem, and where it is.
    pub message: String,
    /// The line, if the text is not JSON.
    pub line: Option<usize>,
}

impl Unreadable {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Unreadable { message: message.into(), line: None }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

pub(super) fn parse(text: &str) -> Result<Json, Unreadable> {
    serde_json::from_str(text).map_err(|error| Unreadable {
        message: format!("this is no JSON: {error}"),
        line: Some(error.line()),
    })
}

pub(super) fn member<'a>(json: &'a Json, name: &str, of: &str) -> Result<&'a Json, Unreadable> {
    json.get(name).ok_or_else(|| Unreadable::new(format!("{of} has no `{name}`")))
}

pub(super) fn array<'a>(json: &'a Json, name: &str, of: &str) -> Result<&'a Vec<Json>, Unreadable> {
    let found = member(json, name, of)?.as_array();
    found.ok_or_else(|| Unreadable::new(format!("`{name}` of {of} is no list")))
}

pub(super) fn text<'a>(json: &'a Json, name: &str, of: &str) -> Result<&'a str, Unreadable> {
    let found = member(json, name, of)?.as_str();
    found.ok_or_else(|| Unreadable::new(format!("`{name}` of {of} is no text")))
}

/// A value of a parameter.
pub(super) fn value(json: &Json) -> Option<Value> {
    match json {
        Json::Bool(value) => Some(Value::Bool(*value)),
        Json::Number(number) => {
            let whole = number.as_i64().map(Value::Int);
            whole.or_else(|| number.as_f64().map(Value::Float))
        }
        Json::String(text) => Some(Value::Text(text.clone())),
        _ => None,
    }
}

pub(super) fn to_json(value: &Value) -> Json {
    match value {
        Value::Int(value) => (*value).into(),
        Value::Float(value) => (*value).into(),
        Value::Bool(value) => (*value).into(),
        Value::Text(text) => text.as_str().into(),
    }
}

/// A value as Python's `str` prints it.
pub fn python(value: &Value) -> String {
    match value {
        Value::Int(value) => value.to_string(),
        Value::Bool(value) => (if *value { "True" } else { "False" }).to_owned(),
        Value::Text(text) => text.clone(),
        Value::Float(value) => {
            let text = format!("{value:?}");
            // Python pads exponents (`1e-07`, `1e+16`), and uses them from other sizes on.
            let size = value.abs();
            if !value.is_finite() || (1e-4..1e16).contains(&size) || size == 0.0 {
                return if text.contains('e') { format!("{value}") } else { text };
            }
            let text = format!("{value:e}");
            let (digits, exponent) = text.split_once('e').expect("the format has an exponent");
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(exponent) => ('-', exponent),
                None => ('+', exponent),
            };
            format!("{digits}e{sign}{exponent:0>2}")
        }
    }
}
