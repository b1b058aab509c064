//! Weights: numbers, and linear expressions of parameters, which are computed while they are read.

use super::read::Reader;
use crate::lexical::{Kind, T, unquoted};
use dashu_int::ops::BitTest;
use dashu_ratio::RBig;
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_logic::rational;
use volvelle_space::LinearWeight;

/// Operators that may wait in an expression.
const NESTING: usize = 1_000;

/// Bits that a numerator or a denominator may have.
const BITS: usize = 4_096;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Open,
    Add,
    Subtract,
    Multiply,
    Divide,
    Negate,
}

impl Operator {
    fn level(self) -> u8 {
        match self {
            Operator::Open => 0,
            Operator::Add | Operator::Subtract => 1,
            Operator::Multiply | Operator::Divide => 2,
            Operator::Negate => 3,
        }
    }
}

impl Reader<'_> {
    /// A number: digits, or a fraction of such.
    pub(super) fn number(&mut self) -> Option<(RBig, Span)> {
        let first = self.token;
        let is_negative = first.is(T!["-"]);
        if is_negative {
            self.advance();
        }
        let start = self.token.start;
        let mut end = self.expect_number()?;
        if self.token.is(T!["/"]) {
            self.advance();
            end = self.expect_number()?;
        }
        let span = self.place(first.start, end);
        let Some(value) = rational(&self.text[start as usize..end as usize]) else {
            let error = Diagnostic::error(codes::WKS_WEIGHT, "a number has no value");
            self.report(error.at(span, "a denominator of zero, or too many digits"));
            return Some((RBig::ZERO, span));
        };
        Some((if is_negative { -value } else { value }, span))
    }

    fn expect_number(&mut self) -> Option<u32> {
        if self.token.kind != Kind::Number {
            self.unexpected("a number");
            return None;
        }
        let end = self.token.end;
        self.advance();
        Some(end)
    }

    /// The number behind an expression in parentheses, whose first is the next token.
    pub(super) fn expression(&mut self) -> Option<(LinearWeight, Span)> {
        let start = self.token.start;
        let mut values: Vec<LinearWeight> = Vec::new();
        let mut operators: Vec<(Operator, u32)> = Vec::new();
        let mut is_operand = true;
        loop {
            let token = self.token;
            if operators.len() > NESTING {
                let error = Diagnostic::error(codes::WKS_SYNTAX, "a weight is nested too deeply");
                self.report(error.at(self.span(token), format!("more than {NESTING} operators wait")));
                return None;
            }
            if is_operand {
                match token.kind {
                    T!["("] => operators.push((Operator::Open, token.start)),
                    T!["-"] => operators.push((Operator::Negate, token.start)),
                    Kind::Number => {
                        let value = rational(self.lexer.text(token));
                        if value.is_none() {
                            let error = Diagnostic::error(codes::WKS_WEIGHT, "a number has no value");
                            self.report(error.at(self.span(token), "too many digits"));
                        }
                        values.push(LinearWeight::constant(value.unwrap_or(RBig::ZERO)));
                        is_operand = false;
                    }
                    Kind::Name | Kind::Quoted => {
                        values.push(self.parameter_value());
                        is_operand = false;
                    }
                    _ => {
                        self.unexpected("a number or a parameter");
                        return None;
                    }
                }
                self.advance();
                continue;
            }
            let operator = match token.kind {
                T!["+"] => Operator::Add,
                T!["-"] => Operator::Subtract,
                T!["*"] => Operator::Multiply,
                T!["/"] => Operator::Divide,
                T![")"] => {
                    while let Some((operator, at)) = operators.pop()
                        && operator != Operator::Open
                    {
                        self.apply(operator, at, &mut values);
                    }
                    self.advance();
                    if operators.iter().all(|(operator, _)| *operator != Operator::Open) {
                        let span = self.place(start, token.end);
                        return values.pop().map(|value| (value, span));
                    }
                    continue;
                }
                _ => {
                    self.unexpected("an operator or `)`");
                    return None;
                }
            };
            while let Some(&(before, at)) = operators.last()
                && before.level() >= operator.level()
            {
                operators.pop();
                self.apply(before, at, &mut values);
            }
            operators.push((operator, token.start));
            self.advance();
            is_operand = true;
        }
    }

    fn parameter_value(&mut self) -> LinearWeight {
        let name = unquoted(self.lexer.text(self.token));
        if let Some(number) = self.parameters.iter().position(|parameter| parameter.name == name) {
            return LinearWeight { constant: RBig::ZERO, coefficients: [(number as u32, RBig::ONE)].into() };
        }
        let known = self.parameters.iter().map(|parameter| parameter.name.as_str());
        let error = Diagnostic::error(codes::WKS_NAME, format!("`{name}` is not a parameter"))
            .at_misspelt(self.span(self.token), &name, known)
            .help("parameters are declared above the states: `parameter x in [1, 5];`");
        self.report(error);
        LinearWeight::constant(RBig::ZERO)
    }

    fn apply(&mut self, operator: Operator, at: u32, values: &mut Vec<LinearWeight>) {
        let Some(right) = values.pop() else { return };
        if operator == Operator::Negate {
            return values.push(scaled(&right, &-RBig::ONE));
        }
        let Some(left) = values.pop() else { return };
        let is_constant = |value: &LinearWeight| value.coefficients.is_empty();
        let value = match operator {
            Operator::Add => Ok(sum(&left, &right)),
            Operator::Subtract => Ok(sum(&left, &scaled(&right, &-RBig::ONE))),
            Operator::Multiply if is_constant(&left) => Ok(scaled(&right, &left.constant)),
            Operator::Multiply if is_constant(&right) => Ok(scaled(&left, &right.constant)),
            Operator::Multiply => Err("the product of two parameters is not linear"),
            _ if !is_constant(&right) => Err("a quotient with a parameter below is not linear"),
            _ if right.constant.is_zero() => Err("a number is divided by zero"),
            _ => Ok(scaled(&left, &(RBig::ONE / &right.constant))),
        };
        let value = value.and_then(|value| {
            let numbers = value.coefficients.iter().map(|(_, number)| number).chain([&value.constant]);
            let bits = numbers.map(|n| n.numerator().bit_len().max(n.denominator().bit_len())).max();
            if bits > Some(BITS) { Err("a number is too large") } else { Ok(value) }
        });
        values.push(value.unwrap_or_else(|message| {
            self.report(Diagnostic::error(codes::WKS_WEIGHT, message).at(self.place(at, at + 1), ""));
            LinearWeight::constant(RBig::ZERO)
        }));
    }
}

fn scaled(weight: &LinearWeight, factor: &RBig) -> LinearWeight {
    let coefficients = weight.coefficients.iter().map(|(number, value)| (*number, value * factor));
    LinearWeight {
        constant: &weight.constant * factor,
        coefficients: coefficients.filter(|(_, value)| !value.is_zero()).collect(),
    }
}

fn sum(left: &LinearWeight, right: &LinearWeight) -> LinearWeight {
    let mut coefficients = left.coefficients.to_vec();
    for (number, value) in &right.coefficients {
        match coefficients.binary_search_by_key(number, |(number, _)| *number) {
            Ok(place) => coefficients[place].1 += value,
            Err(place) => coefficients.insert(place, (*number, value.clone())),
        }
    }
    coefficients.retain(|(_, value)| !value.is_zero());
    LinearWeight { constant: &left.constant + &right.constant, coefficients: coefficients.into() }
}
