//! Reading expressions as they stand in annotations and on the command line, and in the text of a kernel.
//!
//! In annotations: the operators of C, and those of Python, in which other tuners write conditions: `and`, `or`, `not`, `//`, `**`, `a < b < c`,
//! `in [1, 2]`, `not in`, `a if c else b`, `min`, `max`, `abs`. `^` is a power there, since sizes are `2^20`. In the text of a kernel, the
//! operators of C alone.

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

/// Parses the whole `text` of an annotation; unknown names are added to `names`.
pub fn parse(text: &str, names: &mut Names) -> Result<Expr, Mistake> {
    whole(text, names, false)
}

/// Parses the whole `text`, a piece of a kernel; unknown names are added to `names`.
pub(crate) fn parse_c(text: &str, names: &mut Names) -> Result<Expr, Mistake> {
    whole(text, names, true)
}

fn whole(text: &str, names: &mut Names, is_c: bool) -> Result<Expr, Mistake> {
    let mut parser = Parser { text, at: 0, names, depth: 0, is_c };
    let found = parser.choice()?;
    parser.space();
    if parser.at < text.len() {
        return Err(parser.expected("an operator, or the end"));
    }
    Ok(found)
}

/// Binary operators from weak to strong; longer spellings first.
const LEVELS: [&[(&str, Op)]; 10] = [
    &[("||", Op::Or), ("or", Op::Or)],
    &[("&&", Op::And), ("and", Op::And)],
    &[("|", Op::BitOr)],
    &[("^", Op::BitXor)],
    &[("&", Op::BitAnd)],
    &[("==", Op::Eq), ("!=", Op::Ne)],
    &[("<=", Op::Le), (">=", Op::Ge), ("<", Op::Lt), (">", Op::Gt)],
    &[("<<", Op::Shl), (">>", Op::Shr)],
    &[("+", Op::Add), ("-", Op::Sub)],
    &[("*", Op::Mul), ("/", Op::Div), ("%", Op::Rem)],
];

/// Places in [`LEVELS`].
const EQUALITIES: usize = 5;
const RELATIONS: usize = 6;
const PRODUCTS: usize = 9;

/// Functions that annotations and kernels may use on whole numbers.
const FUNCTIONS: [&str; 4] = ["min", "max", "abs", "int"];

/// `a // b`: the quotient rounded down, where that of C is rounded towards 0.
fn floor(a: Expr, b: Expr) -> Expr {
    let below = |x: &Expr| Expr::binary(Op::Lt, x.clone(), Expr::Int(0));
    let rest = Expr::binary(Op::Ne, Expr::binary(Op::Rem, a.clone(), b.clone()), Expr::Int(0));
    let signs = Expr::binary(Op::Ne, below(&a), below(&b));
    let quotient = Expr::binary(Op::Div, a, b);
    let less = Expr::binary(Op::Sub, quotient.clone(), Expr::Int(1));
    Expr::choose(Expr::binary(Op::And, signs, rest), less, quotient)
}

/// The operands of `a // b`, if an expression is one.
pub(crate) fn floored(expr: &Expr) -> Option<(&Expr, &Expr)> {
    let Expr::Choose(all, _) = expr else { return None };
    let Expr::Binary(Op::Div, both, _) = &all.2 else { return None };
    (floor(both.0.clone(), both.1.clone()) == *expr).then_some((&both.0, &both.1))
}

struct Parser<'t, 'n> {
    text: &'t str,
    at: usize,
    names: &'n mut Names,
    depth: u16,
    /// Whether this is C, and no annotation.
    is_c: bool,
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
            "/" => next == '/',
            "^" => false,
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
        } else if self.takes_word("if") {
            let condition = self.level(0)?;
            if !self.takes_word("else") {
                return Err(self.expected("`else`"));
            }
            Expr::choose(condition, test, self.choice()?)
        } else {
            test
        };
        self.depth -= 1;
        Ok(found)
    }

    fn level(&mut self, level: usize) -> Result<Expr, Mistake> {
        let Some(operators) = LEVELS.get(level) else { return self.power() };
        let mut left = self.level(level + 1)?;
        // The right side of the comparison before, in `a < b < c`.
        let mut middle: Option<Expr> = None;
        loop {
            if level == RELATIONS && !self.is_c {
                let is_not = self.takes_word("not");
                if is_not || self.takes_word("in") {
                    if is_not && !self.takes_word("in") {
                        return Err(self.expected("`in`"));
                    }
                    let found = self.member(&left)?;
                    left = if is_not { found.negate() } else { found };
                    middle = None;
                    continue;
                }
            }
            if level == PRODUCTS && !self.is_c && self.take("//") {
                let right = self.level(level + 1)?;
                left = floor(left, right);
                continue;
            }
            let is_known = |op: Op| self.is_c || op != Op::BitXor;
            let candidates: Vec<_> = operators.iter().filter(|(_, op)| is_known(*op)).collect();
            let Some(&&(_, op)) = candidates.iter().find(|(token, _)| self.take(token)) else { break };
            let right = self.level(level + 1)?;
            let is_comparison = op.is_condition() && !matches!(op, Op::And | Op::Or);
            left = match middle.take() {
                Some(middle) => Expr::binary(Op::And, left, Expr::binary(op, middle, right.clone())),
                None => Expr::binary(op, left, right.clone()),
            };
            middle = Some(right).filter(|_| is_comparison && !self.is_c);
            if left.is_too_deep() {
                return Err(Mistake { at: 0..self.at, message: "this is too long".to_owned() });
            }
        }
        Ok(left)
    }

    fn power(&mut self) -> Result<Expr, Mistake> {
        let base = self.unary()?;
        if !self.is_c && (self.take("**") || self.take("^")) {
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
        } else if self.take("!") {
            self.unary()?.negate()
        } else if self.takes_word("not") {
            // Weaker than comparisons, as in Python.
            self.level(EQUALITIES)?.negate()
        } else if self.take("~") {
            Expr::binary(Op::BitXor, self.unary()?, Expr::Int(-1))
        } else if self.take("+") {
            self.unary()?
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Ok(found)
    }

    fn takes_word(&mut self, word: &str) -> bool {
        !self.is_c && self.take(word)
    }

    /// Expressions with commas between them, up to a closing sign.
    fn list(&mut self, close: &str) -> Result<Vec<Expr>, Mistake> {
        let mut found = Vec::new();
        loop {
            if self.take(close) {
                return Ok(found);
            }
            found.push(self.choice()?);
            if !self.take(",") {
                return if self.take(close) {
                    Ok(found)
                } else {
                    Err(self.expected(&format!("`,` or `{close}`")))
                };
            }
        }
    }

    /// Whether a value is one of a list.
    fn member(&mut self, value: &Expr) -> Result<Expr, Mistake> {
        let brackets = [("[", "]"), ("(", ")"), ("{", "}")];
        let Some((_, close)) = brackets.into_iter().find(|(open, _)| self.take(open)) else {
            return Err(self.expected("a list, `[1, 2]`"));
        };
        let list = self.list(close)?;
        // As flat as it can be: lists may be long.
        let mut tests: Vec<Expr> =
            list.into_iter().map(|one| Expr::binary(Op::Eq, value.clone(), one)).collect();
        while tests.len() > 1 {
            let pairs = tests.chunks(2).map(|pair| match pair {
                [a, b] => Expr::binary(Op::Or, a.clone(), b.clone()),
                rest => rest[0].clone(),
            });
            tests = pairs.collect();
        }
        Ok(tests.pop().unwrap_or(Expr::Int(0)))
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
        if !self.is_c && (word == "True" || word == "False") {
            return Ok(Expr::Int(i64::from(word == "True")));
        }
        if FUNCTIONS.contains(&word.as_str()) && self.take("(") {
            let arguments = self.list(")")?;
            let one = |op: Op| arguments.iter().cloned().reduce(|a, b| Expr::binary(op, a, b));
            let value = match (word.as_str(), arguments.as_slice()) {
                ("min", _) => one(Op::Min),
                ("max", _) => one(Op::Max),
                ("abs", [of]) => {
                    Some(Expr::binary(Op::Max, of.clone(), Expr::binary(Op::Sub, Expr::Int(0), of.clone())))
                }
                ("int", [of]) => Some(of.clone()),
                _ => None,
            };
            let message = format!("`{word}` has another number of arguments");
            return value.ok_or(Mistake { at: start..self.at, message });
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
