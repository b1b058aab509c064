//! Numbers and values: what JSON has no word for, and constants.

use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use volvelle_logic::{Constant, ConstantValue, Literal, Ratio};

/// A number that may be infinite.
#[derive(Clone, Copy)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else if self.0.is_nan() {
            serializer.serialize_str("nan")
        } else {
            serializer.serialize_str(if self.0 > 0.0 { "inf" } else { "-inf" })
        }
    }
}

/// A number in rational arithmetic: a fraction as text, an integer as a number where readers keep all of it.
#[derive(Clone)]
pub struct Exact(pub Ratio);

/// Integers up to this size survive being read as a double.
pub const LARGEST_INTEGER: f64 = 9_007_199_254_740_992.0;

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let near = self.0.to_f64();
        if self.0.finite().is_some_and(|x| x.is_int()) && near.abs() < LARGEST_INTEGER {
            serializer.serialize_f64(near)
        } else {
            serializer.serialize_str(&self.0.to_string())
        }
    }
}

/// A number as a double or as a fraction.
#[derive(Serialize)]
#[serde(untagged)]
pub enum OneNumber {
    /// As a double.
    Double(Number),
    /// As a fraction.
    Exact(Exact),
}

impl OneNumber {
    /// A number, with what it is in rational arithmetic if that is known.
    pub fn new(double: f64, exact: Option<&Ratio>) -> Self {
        exact.map_or(OneNumber::Double(Number(double)), |exact| OneNumber::Exact(Exact(exact.clone())))
    }
}

/// Any value of a property.
#[derive(Serialize)]
#[serde(untagged)]
pub enum AnyValue {
    /// True or false.
    Bool(bool),
    /// A number.
    Number(Number),
    /// Least and greatest value.
    Interval([Number; 2]),
    /// A fraction.
    Exact(Exact),
    /// Least and greatest value, as fractions.
    ExactInterval([Exact; 2]),
    /// Points, each with its coordinates.
    Points(Vec<Vec<Number>>),
    /// Points, with fractions as coordinates.
    ExactPoints(Vec<Vec<Exact>>),
}

/// Numbers and truth values as such, anything else as text.
pub fn constant(value: &ConstantValue) -> serde_json::Value {
    match value.literal() {
        Literal::Int(int) => int.into(),
        Literal::Real(number) => number.into(),
        Literal::Bool(truth) => truth.into(),
        Literal::Other => value.text().into(),
    }
}

/// The value of a constant.
pub fn constants(given: &[Constant]) -> BTreeMap<&str, serde_json::Value> {
    given.iter().map(|given| (given.name.as_str(), constant(&given.value))).collect()
}
