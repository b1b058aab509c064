//! Values of parameters, and the numbers of which conditions consist.

use std::fmt;
use std::sync::Arc;

/// A value of a parameter.
#[derive(Clone, Debug)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A truth value; as a number 0 or 1.
    Bool(bool),
    /// A text, which can only be compared for equality.
    Text(Arc<str>),
}

impl Value {
    /// A text.
    pub fn text(text: &str) -> Self {
        Value::Text(text.into())
    }

    /// The value as a number, for models and features. Texts have none.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Int(value) => Some(*value as f64),
            Value::Float(value) => Some(*value),
            Value::Bool(value) => Some(f64::from(u8::from(*value))),
            Value::Text(_) => None,
        }
    }
}

/// Numbers are equal if their values are; a truth value is 0 or 1.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            _ => matches!((self.number(), other.number()), (Some(a), Some(b)) if a == b),
        }
    }
}

/// As in a macro definition or in a table: texts without quotes, truth values as `true` and `false`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(value) => write!(f, "{value}"),
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Text(text) => f.write_str(text),
        }
    }
}

/// A value during evaluation. Texts are numbered by [`Texts`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scalar {
    Int(i64),
    Float(f64),
    Text(u32),
    /// A division by zero, or arithmetic with texts: a condition with this value is not met.
    Undefined,
}

impl Scalar {
    pub(crate) fn bool(value: bool) -> Self {
        Scalar::Int(i64::from(value))
    }

    /// Whether it counts as true: numbers other than 0, texts.
    pub(crate) fn is_true(self) -> bool {
        match self {
            Scalar::Int(value) => value != 0,
            Scalar::Float(value) => value != 0.0,
            Scalar::Text(_) => true,
            Scalar::Undefined => false,
        }
    }

    pub(crate) fn number(self) -> Option<f64> {
        match self {
            Scalar::Int(value) => Some(value as f64),
            Scalar::Float(value) => Some(value),
            Scalar::Text(_) | Scalar::Undefined => None,
        }
    }
}

/// The texts of a space and its conditions, each with one number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts(Vec<Arc<str>>);

impl Texts {
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
