//! Values of parameters, and the numbers of which conditions consist.

use crate::Value;

/// A value as a number, for models and features: truth values are 0 and 1, texts have none.
pub fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        Value::Text(_) => None,
    }
}

/// Whether two values are equal for tools that do not distinguish whole numbers, numbers and truth values.
pub fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        _ => matches!((number(a), number(b)), (Some(a), Some(b)) if a == b),
    }
}

/// A value during evaluation. Texts are numbered.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    /// A whole number, or a truth value.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A text, by its number.
    Text(u32),
    /// A division by zero, or arithmetic with texts: a condition with this value is not met.
    Undefined,
}

impl Scalar {
    /// A truth value.
    pub fn bool(value: bool) -> Self {
        Scalar::Int(i64::from(value))
    }

    /// Whether it counts as true: numbers other than 0, texts.
    pub fn is_true(self) -> bool {
        match self {
            Scalar::Int(value) => value != 0,
            Scalar::Float(value) => value != 0.0,
            Scalar::Text(_) => true,
            Scalar::Undefined => false,
        }
    }

    /// The number that it is.
    pub fn number(self) -> Option<f64> {
        match self {
            Scalar::Int(value) => Some(value as f64),
            Scalar::Float(value) => Some(value),
            Scalar::Text(_) | Scalar::Undefined => None,
        }
    }
}

/// The texts of a space and its conditions, each with one number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts(Vec<String>);

impl Texts {
    pub(crate) fn text(&self, number: u32) -> Option<String> {
        self.0.get(number as usize).cloned()
    }

    pub(crate) fn scalar(&mut self, value: &Value) -> Scalar {
        match value {
            Value::Int(value) => Scalar::Int(*value),
            Value::Float(value) => Scalar::Float(*value),
            Value::Bool(value) => Scalar::bool(*value),
            Value::Text(text) => {
                let known = self.0.iter().position(|other| other == text);
                let number = known.unwrap_or_else(|| {
                    self.0.push(text.clone());
                    self.0.len() - 1
                });
                Scalar::Text(number as u32)
            }
        }
    }
}
