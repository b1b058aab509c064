//! Expressions over parameters: their values where parameters have values, and whether they are expressions at all.
//!
//! Sums, products, quotients and powers of numbers and names, as Storm prints rational functions: `1+(-1)*p`,
//! `(p^2-q)/(2*q)`. Read with two stacks (Dijkstra's shunting yard), so that depth costs memory only.

use crate::finding::{Finding, Place};
use crate::model::{Model, Numbers, Texts};
use crate::options::{Precision, ReadOptions};
use crate::text::show;
use dashu_ratio::RBig;
use std::collections::HashMap;
use volvelle_decimals::exact;
use volvelle_diagnostics::codes;
use volvelle_space::Ratios;

/// Largest exponent of a power.
const LARGEST_POWER: u32 = 1000;
/// Digits of a power beyond which it is not computed.
const MOST_DIGITS: usize = 2_000;

/// Parameters of a file and their values.
pub(super) struct Parameters<'a> {
    names: &'a [String],
    /// Values of all parameters; `None` where none was given.
    values: Option<HashMap<&'a str, &'a RBig>>,
    precision: Precision,
    file: &'a str,
}

impl<'a> Parameters<'a> {
    /// Parameters and the values that the caller has for them. Values for some but not all of them are refused.
    pub fn new(names: &'a [String], options: &'a ReadOptions, file: &'a str) -> Result<Self, Finding> {
        let value = |name: &'a String| options.parameters.get(name).map(|value| (name.as_str(), value));
        let values: HashMap<&str, &RBig> = names.iter().filter_map(value).collect();
        if let Some(missing) = names.iter().find(|name| !values.contains_key(name.as_str()))
            && !values.is_empty()
        {
            let message = format!("the parameter `{missing}` has no value, but others have one");
            let finding =
                Finding::error(codes::EXPLICIT_UNSUPPORTED, message).at(Place::File(file.to_owned()));
            return Err(finding.help("give values to all parameters, or to none"));
        }
        let known = !values.is_empty() || names.is_empty();
        Ok(Parameters { names, values: known.then_some(values), precision: options.numbers, file })
    }

    /// Puts values in place of expressions. Without values for the parameters, only columns without parameters become
    /// numbers.
    pub fn apply(&self, model: &mut Model) -> Result<(), Finding> {
        let rewards = model.rewards.iter_mut().flat_map(|r| [&mut r.states, &mut r.choices]);
        for column in [&mut model.values, &mut model.exit_rates].into_iter().chain(rewards).flatten() {
            if let Numbers::Symbolic(texts) = column
                && let Some(numbers) = self.numbers(texts)?
            {
                *column = numbers;
            }
        }
        if self.values.is_some() {
            model.parameters.clear();
        }
        Ok(())
    }

    /// The values of texts; `None` if one of them has a parameter without a value.
    fn numbers(&self, texts: &Texts) -> Result<Option<Numbers>, Finding> {
        let mut distinct = Vec::with_capacity(texts.distinct().len());
        for text in texts.distinct() {
            distinct.push(self.value(text)?);
        }
        let Some(distinct) = distinct.into_iter().collect::<Option<Vec<RBig>>>() else { return Ok(None) };
        let codes = texts.codes();
        Ok(Some(match self.precision {
            Precision::Double => {
                let doubles: Vec<f64> = distinct.iter().map(|value| value.to_f64().value()).collect();
                Numbers::Double(codes.iter().map(|&code| doubles[code as usize]).collect())
            }
            Precision::AsWritten | Precision::Exact => {
                // Different texts may have the same value.
                Numbers::Exact(codes.iter().map(|&code| distinct[code as usize].clone()).collect::<Ratios>())
            }
        }))
    }

    /// The value of an expression; `None` if it has a parameter without a value.
    fn value(&self, text: &str) -> Result<Option<RBig>, Finding> {
        Evaluation { parameters: self, text, at: 0, values: Vec::new(), operators: Vec::new() }.run()
    }
}

/// An expression that is being read.
struct Evaluation<'e> {
    parameters: &'e Parameters<'e>,
    text: &'e str,
    at: usize,
    /// Operands; `None` is a value that is not known.
    values: Vec<Option<RBig>>,
    operators: Vec<Operator>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Open,
    Add,
    Subtract,
    Multiply,
    Divide,
    Negate,
    Power,
}

impl Operator {
    fn binding(self) -> u8 {
        match self {
            Operator::Open => 0,
            Operator::Add | Operator::Subtract => 1,
            Operator::Multiply | Operator::Divide => 2,
            Operator::Negate => 3,
            Operator::Power => 4,
        }
    }

    fn of(byte: u8) -> Option<Self> {
        Some(match byte {
            b'+' => Operator::Add,
            b'-' => Operator::Subtract,
            b'*' => Operator::Multiply,
            b'/' => Operator::Divide,
            b'^' => Operator::Power,
            _ => return None,
        })
    }
}

impl Evaluation<'_> {
    fn run(mut self) -> Result<Option<RBig>, Finding> {
        loop {
            self.operand()?;
            // Behind an operand: closing parentheses, then an operator or the end.
            loop {
                match self.next() {
                    Some(b')') => {
                        self.at += 1;
                        self.apply_down_to(1)?;
                        if self.operators.pop() != Some(Operator::Open) {
                            return Err(self.refuse("unmatched closing parenthesis"));
                        }
                    }
                    None => {
                        self.apply_down_to(1)?;
                        return match (self.operators.is_empty(), self.values.pop()) {
                            (true, Some(value)) => Ok(value),
                            _ => Err(self.refuse("a parenthesis is not closed")),
                        };
                    }
                    Some(byte) => {
                        let Some(operator) = Operator::of(byte) else {
                            return Err(self.refuse("an operator is expected"));
                        };
                        self.at += 1;
                        // Powers bind to the right, everything else to the left.
                        let right = u8::from(operator == Operator::Power);
                        self.apply_down_to(operator.binding() + right)?;
                        self.operators.push(operator);
                        break;
                    }
                }
            }
        }
    }

    /// Signs, opening parentheses, then a number or a name.
    fn operand(&mut self) -> Result<(), Finding> {
        loop {
            match self.next() {
                Some(b'(') => self.operators.push(Operator::Open),
                Some(b'-') => self.operators.push(Operator::Negate),
                Some(b'+') => {}
                _ => break,
            }
            self.at += 1;
        }
        let start = self.at;
        let bytes = self.text.as_bytes();
        let is_number = matches!(self.next(), Some(b'0'..=b'9' | b'.'));
        while let Some(&byte) = bytes.get(self.at) {
            let sign_of_power = matches!(byte, b'+' | b'-')
                && is_number
                && self.at > start
                && matches!(bytes[self.at - 1], b'e' | b'E');
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || byte >= 0x80 || sign_of_power)
            {
                break;
            }
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        let value = if is_number {
            Some(exact(word.as_bytes()).map_err(|_| self.refuse(&format!("`{word}` is not a number")))?)
        } else {
            self.parameter(word)?
        };
        self.values.push(value);
        Ok(())
    }

    fn parameter(&self, name: &str) -> Result<Option<RBig>, Finding> {
        if !self.parameters.names.iter().any(|known| known == name) {
            let finding = match name.is_empty() {
                true => self.refuse("a number or a parameter is expected"),
                false => self.refuse(&format!("`{name}` is not a parameter")),
            };
            return Err(finding.misspelt(name, self.parameters.names.iter().map(String::as_str), ""));
        }
        let values = self.parameters.values.as_ref();
        Ok(values.and_then(|values| values.get(name)).map(|&value| value.clone()))
    }

    /// The next byte that is not blank.
    fn next(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// Applies the operators that bind at least so strongly.
    fn apply_down_to(&mut self, binding: u8) -> Result<(), Finding> {
        while let Some(&operator) = self.operators.last()
            && operator.binding() >= binding
        {
            self.operators.pop();
            let value = match (operator, self.values.pop()) {
                (Operator::Negate, Some(value)) => value.map(|value| -value),
                (_, Some(right)) => match self.values.pop() {
                    Some(left) => self.apply(operator, left, right)?,
                    None => return Err(self.refuse("an operand is missing")),
                },
                (_, None) => return Err(self.refuse("an operand is missing")),
            };
            self.values.push(value);
        }
        Ok(())
    }

    fn apply(
        &self,
        operator: Operator,
        left: Option<RBig>,
        right: Option<RBig>,
    ) -> Result<Option<RBig>, Finding> {
        if operator == Operator::Divide && right.as_ref().is_some_and(RBig::is_zero) {
            return Err(self.refuse("division by 0"));
        }
        let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
        Ok(Some(match operator {
            Operator::Add => left + right,
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide => left / right,
            Operator::Power => {
                let power = right.to_string().parse::<u32>().ok().filter(|&power| power <= LARGEST_POWER);
                let Some(power) = power else {
                    return Err(self.refuse("the exponent is not an integer from 0 to 1000"));
                };
                if left.to_string().len().saturating_mul(power as usize) > MOST_DIGITS {
                    return Err(self.refuse("a power has too many digits"));
                }
                left.pow(power as isize)
            }
            Operator::Open | Operator::Negate => return Err(self.refuse("an operand is missing")),
        }))
    }

    #[cold]
    fn refuse(&self, why: &str) -> Finding {
        let message = format!("{} is not an expression: {why}", show(self.text.as_bytes()));
        Finding::error(codes::EXPLICIT_SYNTAX, message).at(Place::File(self.parameters.file.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, p: Option<i64>) -> Result<Option<RBig>, Finding> {
        let names = ["p".to_owned(), "q_1".to_owned()];
        let mut options = ReadOptions::default();
        if let Some(p) = p {
            options.parameters.insert("p".to_owned(), p.into());
            options.parameters.insert("q_1".to_owned(), RBig::from_parts(1.into(), 2u8.into()));
        }
        Parameters::new(&names, &options, "f").unwrap().value(text)
    }

    #[test]
    fn values() {
        for (text, expected) in [
            ("1+(-1)*p", "-2"),
            ("p^2^0*3", "9"),
            ("-p^2", "-9"),
            ("(p^2-q_1)/(2*q_1)", "17/2"),
            ("1 - 2 - 3", "-4"),
            ("8/4/2", "1"),
            ("--0.5", "1/2"),
            ("1e-2*p", "3/100"),
            ("((((p))))", "3"),
        ] {
            assert_eq!(value(text, Some(3)).unwrap().unwrap().to_string(), expected, "{text}");
        }
        assert_eq!(value("1+p", None), Ok(None));
        assert_eq!(value("1/2", None).unwrap().unwrap().to_string(), "1/2");
        let deep = format!("{}p{}", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(value(&deep, Some(3)).unwrap().unwrap().to_string(), "3");
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for text in
            ["", "(", "p)", "1+", "*2", "r", "p p", "1/0", "nan", "2^(1/2)", "2^-1", "p/(1-1)", "1..2", "é"]
        {
            assert!(value(text, Some(3)).is_err(), "{text}");
        }
    }
}
