//! Reading expressions as they stand in annotations and on the command line.
//!
//! The operators of C, and `and`, `or`, `not`, `min(a, b)`, `max(a, b)`; `^` and `**` are powers, since sizes are `2^20`.

use super::{DEPTH_LIMIT, Expr, Names, Op};
use std::ops::Range;

/// A mistake: its place in the text, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Byte offsets in the text.
    pub at: Range<usize>,
    /// What is wrong.
    pub message: String,
}

/// Parses the whole `text`; unknown names are added to `names`.
pub fn parse(text: &str, names: &mut Names) -> Result<Expr, Mistake> {
    let mut parser = Parser { text, at: 0, names, depth: 0 };
    let found = parser.choice()?;
    parser.space();
    if parser.at < text.len() {
        return Err(parser.expected("an operator, or the end"));
    }
    Ok(found)
}

/// Binary operators from weak to strong; longer spellings first.
const LEVELS: [&[(&str, Op)]; 9] = [
    &[("||", Op::Or), ("or", Op::Or)],
    &[("&&", Op::And), ("and", Op::And)],
    &[("|", Op::BitOr)],
    &[("&", Op::BitAnd)],
    &[("==", Op::Eq), ("!=", Op::Ne)],
    &[("<=", Op::Le), (">=", Op::Ge), ("<", Op::Lt), (">", Op::Gt)],
    &[("<<", Op::Shl), (">>", Op::Shr)],
    &[("+", Op::Add), ("-", Op::Sub)],
    &[("*", Op::Mul), ("/", Op::Div), ("%", Op::Rem)],
];

struct Parser<'t, 'n> {
    text: &'t str,
    at: usize,
    names: &'n mut Names,
    depth: u16,
}

impl Parser<'_, '_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn expected(&self, what: &str) -> Mistake {
        let width = self.rest().chars().next().map_or(0, char::len_utf8);
        Mistake { at: self.at..self.at + width, message: format!("expected {what}") }
    }

    /// Takes `token` if it is next, and is no start of a longer one.
    fn take(&mut self, token: &str) -> bool {
        self.space();
        let Some(rest) = self.rest().strip_prefix(token) else { return false };
        let next = rest.chars().next().unwrap_or(' ');
        let goes_on = match token {
            "|" | "&" => next == token.chars().next().unwrap_or(' '),
            "<" | ">" => next == '=' || rest.starts_with(token),
            "*" => next == '*',
            _ if token.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                next.is_alphanumeric() || next == '_'
            }
            _ => false,
        };
        if !goes_on {
            self.at += token.len();
        }
        !goes_on
    }

    fn deeper(&mut self) -> Result<(), Mistake> {
        self.depth += 1;
        match self.depth > DEPTH_LIMIT / 2 {
            true => Err(Mistake { at: self.at..self.at, message: "this nests too deep".to_owned() }),
            false => Ok(()),
        }
    }

    fn choice(&mut self) -> Result<Expr, Mistake> {
        self.deeper()?;
        let test = self.level(0)?;
        let found = if self.take("?") {
            let yes = self.choice()?;
            if !self.take(":") {
                return Err(self.expected("`:`"));
            }
            Expr::choose(test, yes, self.choice()?)
        } else {
            test
        };
        self.depth -= 1;
        Ok(found)
    }

    fn level(&mut self, level: usize) -> Result<Expr, Mistake> {
        let Some(operators) = LEVELS.get(level) else { return self.power() };
        let mut left = self.level(level + 1)?;
        while let Some(&(_, op)) = operators.iter().find(|(token, _)| self.take(token)) {
            let right = self.level(level + 1)?;
            left = Expr::binary(op, left, right);
            if left.is_too_deep() {
                return Err(Mistake { at: 0..self.at, message: "this is too long".to_owned() });
            }
        }
        Ok(left)
    }

    fn power(&mut self) -> Result<Expr, Mistake> {
        let base = self.unary()?;
        if self.take("**") || self.take("^") {
            self.deeper()?;
            let exponent = self.power()?;
            self.depth -= 1;
            return Ok(Expr::binary(Op::Pow, base, exponent));
        }
        Ok(base)
    }

    fn unary(&mut self) -> Result<Expr, Mistake> {
        self.deeper()?;
        let found = if self.take("-") {
            Expr::binary(Op::Sub, Expr::Int(0), self.unary()?)
        } else if self.take("!") || self.take("not") {
            self.unary()?.negate()
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Ok(found)
    }

    fn primary(&mut self) -> Result<Expr, Mistake> {
        if self.take("(") {
            let inner = self.choice()?;
            return if self.take(")") { Ok(inner) } else { Err(self.expected("`)`")) };
        }
        self.space();
        let start = self.at;
        let length =
            self.rest().find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest().len());
        let word = self.rest()[..length].to_owned();
        if word.is_empty() {
            return Err(self.expected("a number or a name"));
        }
        self.at += length;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return match number(&word) {
                Some(value) => Ok(Expr::Int(value)),
                None => Err(Mistake { at: start..self.at, message: "expected a whole number".to_owned() }),
            };
        }
        if (word == "min" || word == "max") && self.take("(") {
            let op = if word == "min" { Op::Min } else { Op::Max };
            let a = self.choice()?;
            if !self.take(",") {
                return Err(self.expected("`,`"));
            }
            let b = self.choice()?;
            return if self.take(")") { Ok(Expr::binary(op, a, b)) } else { Err(self.expected("`)`")) };
        }
        Ok(Expr::Name(self.names.intern(&word)))
    }
}

/// A literal of C: decimal, hexadecimal or octal, with suffixes.
pub(crate) fn number(word: &str) -> Option<i64> {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(digits, 8).ok(),
        None => digits.parse().ok(),
    }
}
