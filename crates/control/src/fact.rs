//! Facts about the work of engines, for those who ask how an answer was found.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A fact about the work of an engine, for `--explain`: which method, with what numbers, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// Its subject: `uniformisation rate`.
    pub what: Cow<'static, str>,
    /// The action or finding.
    pub value: FactValue,
    /// Why; empty where it goes without saying.
    pub why: String,
}

/// A number or a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FactValue {
    /// A number of things.
    Count(u64),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl Fact {
    /// A text.
    pub fn text(what: &'static str, value: impl Into<String>) -> Self {
        Fact { what: Cow::Borrowed(what), value: FactValue::Text(value.into()), why: String::new() }
    }

    /// A number of things.
    pub fn count(what: &'static str, value: u64) -> Self {
        Fact { what: Cow::Borrowed(what), value: FactValue::Count(value), why: String::new() }
    }

    /// A number.
    pub fn number(what: &'static str, value: f64) -> Self {
        Fact { what: Cow::Borrowed(what), value: FactValue::Number(value), why: String::new() }
    }

    /// The same with a reason.
    #[must_use]
    pub fn because(mut self, why: impl Into<String>) -> Self {
        self.why = why.into();
        self
    }
}
