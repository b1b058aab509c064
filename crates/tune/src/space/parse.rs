//! Conditions between parameters: Python's expressions, as Kernel Tuner and T1 files have them, and C's spelling of the same.
//!
//! A condition is met if its value counts as true. `a <= b <= c` means both comparisons; `x in [1, 2]` is a comparison with each.
//! Operators bind as in Python. Depth of nesting is limited, since parsing is recursive.

use super::lexer::{Kind, Mistake, Token, tokens};
use super::operation::Op;
use super::tree::{NodeId, Tree};
use super::value::{Scalar, Texts};
use crate::Value;
use std::ops::Range;

/// What a name stands for.
pub(crate) enum Meaning {
    Parameter(u16),
    Constant(Value),
}

/// Nesting beyond which a condition is refused.
const DEPTH: u32 = 150;

pub(crate) struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    tree: &'a mut Tree,
    texts: &'a mut Texts,
    meaning: &'a dyn Fn(&str) -> Option<Meaning>,
}

/// Parses a condition.
///
/// # Errors
/// The first mistake.
pub(crate) fn condition(
    text: &str,
    tree: &mut Tree,
    texts: &mut Texts,
    meaning: &dyn Fn(&str) -> Option<Meaning>,
) -> Result<NodeId, Mistake> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0, tree, texts, meaning };
    let root = parser.whole()?;
    parser.end()?;
    Ok(root)
}

impl Parser<'_> {
    fn kind(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    fn place(&self) -> Range<usize> {
        self.tokens[self.at].place.clone()
    }

    fn sees(&self, sign: &str) -> bool {
        matches!(self.kind(), Kind::Sign(found) if *found == sign)
    }

    fn sees_word(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Name(name) if name == word)
    }

    fn step(&mut self) {
        // The last word is the end, which nothing passes.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = self.sees(sign);
        if found {
            self.step();
        }
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.sees_word(word);
        if found {
            self.step();
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Mistake> {
        if self.takes(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn unexpected(&self, wanted: &str) -> Mistake {
        let mistake = match self.kind() {
            Kind::End => Mistake::new(format!("{wanted} is missing at the end"), self.place()),
            _ => Mistake::new(format!("{wanted} was expected here"), self.place()),
        };
        if self.sees("=") { mistake.help("equality is written `==`") } else { mistake }
    }

    fn end(&mut self) -> Result<(), Mistake> {
        match self.kind() {
            Kind::End => Ok(()),
            _ => Err(self.unexpected("an operator or the end")),
        }
    }

    fn whole(&mut self) -> Result<NodeId, Mistake> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Mistake::new(format!("this is nested deeper than {DEPTH} levels"), self.place()));
        }
        let first = self.disjunction()?;
        let found = if self.takes("?") {
            let yes = self.whole()?;
            self.expect(":")?;
            let no = self.whole()?;
            self.tree.select(first, yes, no)
        } else if self.takes_word("if") {
            let condition = self.disjunction()?;
            if !self.takes_word("else") {
                return Err(self.unexpected("`else`"));
            }
            let no = self.whole()?;
            self.tree.select(condition, first, no)
        } else {
            first
        };
        self.depth -= 1;
        Ok(found)
    }

    fn disjunction(&mut self) -> Result<NodeId, Mistake> {
        let mut left = self.conjunction()?;
        while self.takes("||") || self.takes_word("or") {
            let right = self.conjunction()?;
            left = self.tree.apply(Op::Or, left, right);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<NodeId, Mistake> {
        let mut left = self.negation()?;
        while self.takes("&&") || self.takes_word("and") {
            let right = self.negation()?;
            left = self.tree.apply(Op::And, left, right);
        }
        Ok(left)
    }

    /// `not x == y` is the negation of the comparison, `!x == y` the comparison of a negation.
    fn negation(&mut self) -> Result<NodeId, Mistake> {
        let mut is_negated = None;
        while self.takes_word("not") {
            is_negated = Some(!is_negated.unwrap_or(false));
        }
        let inner = self.comparison()?;
        let Some(is_negated) = is_negated else { return Ok(inner) };
        let negated = self.tree.one(Op::Not, inner);
        Ok(if is_negated { negated } else { self.tree.one(Op::Not, negated) })
    }

    fn comparison(&mut self) -> Result<NodeId, Mistake> {
        let mut left = self.operators(0)?;
        let mut all: Option<NodeId> = None;
        loop {
            let compared = match self.kind() {
                Kind::Sign(sign @ ("==" | "!=" | "<" | "<=" | ">" | ">=")) => {
                    let sign = *sign;
                    self.step();
                    let right = self.operators(0)?;
                    let compared = self.compare(sign, left, right);
                    left = right;
                    compared
                }
                Kind::Name(word) if word == "in" || word == "not" => {
                    let is_negated = self.takes_word("not");
                    if !self.takes_word("in") {
                        return Err(self.unexpected("`in`"));
                    }
                    let compared = self.membership(left)?;
                    if is_negated { self.tree.one(Op::Not, compared) } else { compared }
                }
                _ => return Ok(all.unwrap_or(left)),
            };
            all = Some(match all {
                Some(before) => self.tree.apply(Op::And, before, compared),
                None => compared,
            });
        }
    }

    fn compare(&mut self, sign: &str, a: NodeId, b: NodeId) -> NodeId {
        match sign {
            "==" => self.tree.apply(Op::Eq, a, b),
            "!=" => self.tree.apply(Op::Ne, a, b),
            "<" => self.tree.apply(Op::Lt, a, b),
            "<=" => self.tree.apply(Op::Le, a, b),
            ">" => self.tree.apply(Op::Lt, b, a),
            _ => self.tree.apply(Op::Le, b, a),
        }
    }

    fn membership(&mut self, item: NodeId) -> Result<NodeId, Mistake> {
        let close = if self.takes("[") {
            "]"
        } else if self.takes("(") {
            ")"
        } else {
            return Err(self.unexpected("a list in brackets"));
        };
        let mut found = self.tree.constant(Scalar::bool(false));
        while !self.takes(close) {
            let other = self.whole()?;
            let equal = self.tree.apply(Op::Eq, item, other);
            found = self.tree.apply(Op::Or, found, equal);
            if !self.takes(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(found)
    }

    /// Operators of two operands that bind at least as tightly as `least`.
    fn operators(&mut self, least: u8) -> Result<NodeId, Mistake> {
        let mut left = self.unary()?;
        while let Some((op, binding)) = self.operator().filter(|(_, binding)| *binding >= least) {
            self.step();
            let right = self.operators(binding + 1)?;
            left = self.tree.apply(op, left, right);
        }
        Ok(left)
    }

    fn operator(&self) -> Option<(Op, u8)> {
        let Kind::Sign(sign) = self.kind() else { return None };
        Some(match *sign {
            "|" => (Op::BitOr, 0),
            "^" => (Op::BitXor, 1),
            "&" => (Op::BitAnd, 2),
            "<<" => (Op::ShiftLeft, 3),
            ">>" => (Op::ShiftRight, 3),
            "+" => (Op::Add, 4),
            "-" => (Op::Sub, 4),
            "*" => (Op::Mul, 5),
            "/" => (Op::Fraction, 5),
            "//" => (Op::Quotient, 5),
            "%" => (Op::Remainder, 5),
            _ => return None,
        })
    }

    fn unary(&mut self) -> Result<NodeId, Mistake> {
        let mut before = Vec::new();
        while let Kind::Sign(sign @ ("-" | "+" | "!")) = self.kind() {
            before.push(*sign);
            self.step();
        }
        let mut inner = self.power()?;
        for sign in before.into_iter().rev() {
            inner = match sign {
                "-" => self.tree.one(Op::Neg, inner),
                "!" => self.tree.one(Op::Not, inner),
                _ => inner,
            };
        }
        Ok(inner)
    }

    fn power(&mut self) -> Result<NodeId, Mistake> {
        let base = self.primary()?;
        if !self.takes("**") {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Mistake::new(format!("this is nested deeper than {DEPTH} levels"), self.place()));
        }
        let exponent = self.unary()?;
        self.depth -= 1;
        Ok(self.tree.apply(Op::Power, base, exponent))
    }

    fn primary(&mut self) -> Result<NodeId, Mistake> {
        let place = self.place();
        let found = match self.kind().clone() {
            Kind::Int(value) => self.tree.constant(Scalar::Int(value)),
            Kind::Float(value) => self.tree.constant(Scalar::Float(value)),
            Kind::Text(text) => {
                let text = self.texts.scalar(&Value::Text(text));
                self.tree.constant(text)
            }
            Kind::Sign("(") => {
                self.step();
                let inner = self.whole()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Kind::Name(name) => {
                self.step();
                return self.name(&name, place);
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.step();
        Ok(found)
    }

    fn name(&mut self, name: &str, place: Range<usize>) -> Result<NodeId, Mistake> {
        if self.sees("(") {
            return self.call(name, place);
        }
        match name {
            "True" | "true" => return Ok(self.tree.constant(Scalar::bool(true))),
            "False" | "false" => return Ok(self.tree.constant(Scalar::bool(false))),
            _ => {}
        }
        match (self.meaning)(name) {
            Some(Meaning::Parameter(number)) => Ok(self.tree.parameter(number)),
            Some(Meaning::Constant(value)) => {
                let value = self.texts.scalar(&value);
                Ok(self.tree.constant(value))
            }
            None => Err(Mistake::new(format!("`{name}` is neither a parameter nor a known size"), place)),
        }
    }

    fn call(&mut self, name: &str, place: Range<usize>) -> Result<NodeId, Mistake> {
        let op = match name {
            "min" => Op::Min,
            "max" => Op::Max,
            "abs" => Op::Abs,
            "int" => Op::Truncate,
            "ceil" => Op::Ceil,
            "floor" => Op::Floor,
            _ => {
                let mistake = Mistake::new(format!("there is no function `{name}`"), place);
                return Err(mistake.help("functions are min, max, abs, int, ceil and floor"));
            }
        };
        self.expect("(")?;
        let mut found = self.whole()?;
        let is_of_two = matches!(op, Op::Min | Op::Max);
        if !is_of_two {
            found = self.tree.one(op, found);
        }
        while is_of_two && self.takes(",") {
            let next = self.whole()?;
            found = self.tree.apply(op, found, next);
        }
        self.expect(")")?;
        Ok(found)
    }
}
