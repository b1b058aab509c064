//! Constants with the values that they are given from outside.
//!
//! A value keeps the text that was given, since its type is known only where the constant is declared, and exact arithmetic
//! needs all digits. What the form of the text tells by itself is read once, when the value is made.

use crate::rational::rational;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A constant with a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: ConstantValue,
}

impl fmt::Display for Constant {
    /// `N=4`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

/// The value of a constant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstantValue {
    text: String,
    literal: Literal,
}

/// The type and value that the form of a text shows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Literal {
    /// An integer.
    Int(i64),
    /// A finite number with a point or an exponent, a fraction or expression ([`rational`]), or an integer of more digits.
    Real(f64),
    /// `true` or `false`.
    Bool(bool),
    /// An expression, or no value of any type.
    Other,
}

impl Literal {
    fn of(text: &str) -> Self {
        if let Ok(int) = text.parse() {
            return Literal::Int(int);
        }
        match (text, text.parse::<f64>()) {
            ("true", _) => Literal::Bool(true),
            ("false", _) => Literal::Bool(false),
            (_, Ok(number)) if number.is_finite() => Literal::Real(number),
            _ => match rational(text) {
                Some(number) => match i64::try_from(number.numerator()) {
                    Ok(int) if number.is_int() => Literal::Int(int),
                    _ => match number.to_f64().value() {
                        number if number.is_finite() => Literal::Real(number),
                        _ => Literal::Other,
                    },
                },
                None => Literal::Other,
            },
        }
    }

    /// The number, if it is one.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Literal::Int(int) => Some(int as f64),
            Literal::Real(number) => Some(number),
            Literal::Bool(_) | Literal::Other => None,
        }
    }
}

impl ConstantValue {
    /// A number with the text that shows it. A whole number of moderate size is an integer.
    pub fn of_number(number: f64, text: String) -> Self {
        let is_whole = number.fract() == 0.0 && number.abs() < 1e15;
        let literal = match number.is_finite() {
            true if is_whole => Literal::Int(number as i64),
            true => Literal::Real(number),
            false => Literal::Other,
        };
        ConstantValue { text, literal }
    }

    /// The text that was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The type and value that the form of the text shows.
    pub fn literal(&self) -> Literal {
        self.literal
    }
}

impl From<String> for ConstantValue {
    fn from(text: String) -> Self {
        ConstantValue { literal: Literal::of(&text), text }
    }
}

impl From<&str> for ConstantValue {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<bool> for ConstantValue {
    fn from(truth: bool) -> Self {
        ConstantValue { text: truth.to_string(), literal: Literal::Bool(truth) }
    }
}

impl From<i64> for ConstantValue {
    fn from(int: i64) -> Self {
        ConstantValue { text: int.to_string(), literal: Literal::Int(int) }
    }
}

impl fmt::Display for ConstantValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let literal = |text: &str| ConstantValue::from(text).literal();
        assert_eq!(literal("4"), Literal::Int(4));
        assert_eq!(literal("-007"), Literal::Int(-7));
        assert_eq!(literal("0.10"), Literal::Real(0.1));
        assert_eq!(literal("1e3"), Literal::Real(1e3));
        assert_eq!(literal("99999999999999999999"), Literal::Real(1e20));
        assert_eq!(literal("true"), Literal::Bool(true));
        assert_eq!(literal("1/3"), Literal::Real(1.0 / 3.0));
        for other in ["inf", "nan", "1e999", "-1e999", "2*N", "True", ""] {
            assert_eq!(literal(other), Literal::Other, "{other}");
        }
    }

    #[test]
    fn texts_are_kept() {
        assert_eq!(ConstantValue::from("0.10").to_string(), "0.10");
        assert_eq!(ConstantValue::from(-3).text(), "-3");
        assert_eq!(Constant { name: "p".into(), value: true.into() }.to_string(), "p=true");
        let number = |x: f64| ConstantValue::of_number(x, x.to_string()).literal();
        assert_eq!(
            [number(4.0), number(0.5), number(f64::INFINITY)],
            [Literal::Int(4), Literal::Real(0.5), Literal::Other]
        );
        assert_eq!(ConstantValue::from("1e3").literal().as_f64(), Some(1000.0));
        assert_eq!(ConstantValue::from(true).literal().as_f64(), None);
    }
}
