//! Numbers that are given as texts: decimal fractions, and expressions of them without variables, in rational arithmetic.
//!
//! `0.1` is a tenth, `1/3` a third, `2*0.1` a fifth. The operators are `+ - * / ^` and parentheses, with the usual
//! precedences; `^` takes an integer on its right. Operators wait on a stack (E. Dijkstra's shunting yard, 1961).

use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// Numerators and denominators of more bits have no value here.
const LIMIT_BITS: usize = 4096;

/// Numbers with more digits have no value here. As many as `LIMIT_BITS` has are fewer, so that every value is read again as it is printed.
const LIMIT_DIGITS: usize = 1250;

/// Powers of ten beyond this one have no value here.
const LIMIT_EXPONENT: usize = 1000;

/// The number that a text stands for; `None` if it is none, or too long.
pub fn rational(text: &str) -> Option<RBig> {
    let mut values: Vec<RBig> = Vec::new();
    let mut operators: Vec<Operator> = Vec::new();
    let mut rest = text.trim_start();
    let mut is_operand = true;
    while let Some(first) = rest.chars().next() {
        if is_operand {
            match first {
                '-' => operators.push(Operator::Negate),
                '+' => {}
                '(' => operators.push(Operator::Open),
                _ => {
                    let length = literal_length(rest);
                    values.push(decimal(&rest[..length])?);
                    rest = rest[length..].trim_start();
                    is_operand = false;
                    continue;
                }
            }
        } else {
            let operator = match first {
                '+' => Operator::Add,
                '-' => Operator::Sub,
                '*' => Operator::Mul,
                '/' => Operator::Div,
                '^' => Operator::Pow,
                ')' => {
                    loop {
                        match operators.pop()? {
                            Operator::Open => break,
                            operator => apply(operator, &mut values)?,
                        }
                    }
                    rest = rest[1..].trim_start();
                    continue;
                }
                _ => return None,
            };
            while let Some(&before) = operators.last()
                && (before.level() > operator.level()
                    || before.level() == operator.level() && operator != Operator::Pow)
            {
                operators.pop();
                apply(before, &mut values)?;
            }
            operators.push(operator);
            is_operand = true;
        }
        rest = rest[first.len_utf8()..].trim_start();
    }
    if is_operand {
        return None;
    }
    while let Some(operator) = operators.pop() {
        apply(operator, &mut values)?;
    }
    values.pop().filter(|_| values.is_empty())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Open,
    Add,
    Sub,
    Mul,
    Div,
    Negate,
    Pow,
}

impl Operator {
    fn level(self) -> u8 {
        match self {
            Operator::Open => 0,
            Operator::Add | Operator::Sub => 1,
            Operator::Mul | Operator::Div => 2,
            Operator::Negate => 3,
            Operator::Pow => 4,
        }
    }
}

fn apply(operator: Operator, values: &mut Vec<RBig>) -> Option<()> {
    let right = values.pop()?;
    if operator == Operator::Negate {
        values.push(-right);
        return Some(());
    }
    let left = values.pop()?;
    let value = match operator {
        Operator::Add => left + right,
        Operator::Sub => left - right,
        Operator::Mul => left * right,
        Operator::Div if right.is_zero() => return None,
        Operator::Div => left / right,
        Operator::Pow => power(left, &right)?,
        Operator::Open | Operator::Negate => return None,
    };
    if !is_short(&value) {
        return None;
    }
    values.push(value);
    Some(())
}

fn power(base: RBig, exponent: &RBig) -> Option<RBig> {
    if !exponent.is_int() {
        return None;
    }
    let exponent = i32::try_from(exponent.numerator()).ok()?;
    if base.is_zero() {
        return match exponent {
            ..0 => None,
            0 => Some(RBig::ONE),
            _ => Some(RBig::ZERO),
        };
    }
    let times = exponent.unsigned_abs() as usize;
    let (top, bottom) = base.into_parts();
    let bits = top.bit_len().max(bottom.bit_len());
    if bits > 1 && bits.saturating_mul(times) > LIMIT_BITS {
        return None;
    }
    let odd = if times.is_multiple_of(2) { 2 } else { 1 };
    // A power of ±1 does not grow: any exponent of the same parity will do.
    let times = if bits > 1 { times } else { odd };
    let value = RBig::from_parts(top.pow(times), bottom.pow(times));
    Some(if exponent < 0 { RBig::ONE / value } else { value })
}

/// The length of the number at the beginning of a text: digits, a point, an exponent.
fn literal_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = bytes.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let digits = bytes[end + 1 + sign..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 {
            end += 1 + sign + digits;
        }
    }
    end
}

/// `12`, `0.5`, `.5`, `5.`, `1e-3`
fn decimal(text: &str) -> Option<RBig> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || digits.len() > LIMIT_DIGITS || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let scale = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let places = scale.unsigned_abs() as usize;
    if places > LIMIT_EXPONENT {
        return None;
    }
    let number = IBig::from_str_radix(&digits, 10).ok()?;
    let power = UBig::from(10u8).pow(places);
    let value =
        if scale < 0 { RBig::from_parts(number, power) } else { RBig::from(number * IBig::from(power)) };
    Some(value).filter(is_short)
}

fn is_short(value: &RBig) -> bool {
    value.numerator().bit_len().max(value.denominator().bit_len()) <= LIMIT_BITS
}

#[cfg(test)]
mod tests {
    use super::rational;

    fn text(expression: &str) -> Option<String> {
        rational(expression).map(|number| number.to_string())
    }

    #[test]
    fn values() {
        for (expression, value) in [
            ("1/3", "1/3"),
            ("-1/3", "-1/3"),
            ("2*0.1", "1/5"),
            (" 1 - 0.9 ", "1/10"),
            ("1-1/3-1/3", "1/3"),
            ("8/4/2", "1"),
            ("(1+2)*-3", "-9"),
            ("2^3^2", "512"),
            ("-2^2", "-4"),
            ("2^-2", "1/4"),
            ("(-1)^1000000001", "-1"),
            ("1e-3", "1/1000"),
            ("2.5E+1", "25"),
            (".5", "1/2"),
            ("((((7))))", "7"),
        ] {
            assert_eq!(text(expression).as_deref(), Some(value), "{expression}");
        }
    }

    #[test]
    fn what_is_printed_is_read_again() {
        for expression in ["1e1000", "-1e-1000", "1e600*1e600", "2^2047*2^2048", "1/(3^2048)"] {
            let printed = text(expression).expect(expression);
            assert_eq!(text(&printed), Some(printed), "{expression}");
        }
        assert_eq!((text("2^2048*2^2048"), text(&format!("{}e1000", "1".repeat(300)))), (None, None));
    }

    #[test]
    fn what_is_no_number() {
        for wrong in [
            "",
            "x",
            "1/0",
            "1/",
            "(1",
            "1)",
            "1 2",
            "2^0.5",
            "1..2",
            "0^-1",
            "2^1000000",
            "1e9999",
            "nan",
            "é",
        ] {
            assert_eq!(text(wrong), None, "{wrong}");
        }
        // Nesting costs heap, not stack.
        let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(text(&deep).as_deref(), Some("1"));
    }
}
