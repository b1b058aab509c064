//! Conditions between parameters: Python's expressions, as Kernel Tuner and T1 files have them, and C's spelling of the same.
//!
//! A condition is met if its value counts as true. `a <= b <= c` means both comparisons; `x in [1, 2]` is a comparison with each.
//! Operators bind as in Python. Depth of nesting is limited, since parsing is recursive.

use super::lexer::{Kind, Mistake, T, place, whole, words};
use super::operation::Op;
use super::tree::{NodeId, Tree};
use super::value::{Scalar, Texts};
use crate::Value;
use std::ops::Range;
use volvelle_syntax::{Applied, Cursor, Expressions, Infix, Parse, around_cursor};

/// What a name stands for.
pub(crate) enum Meaning {
    Parameter(u16),
    Constant(Value),
}

/// Nesting beyond which a condition is refused.
const DEPTH: u32 = 150;

pub(crate) struct Parser<'a> {
    cursor: Cursor<'a, Kind>,
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
    let mut parser = Parser { cursor: words(text)?, tree, texts, meaning };
    let root = parser.whole()?;
    if parser.at_end() { Ok(root) } else { Err(parser.unexpected("an operator or the end")) }
}

/// A part of a condition.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    node: NodeId,
    /// The last operand of comparisons, which another comparison behind them compares as well.
    last: Option<NodeId>,
}

impl Part {
    fn new(node: NodeId) -> Self {
        Part { node, last: None }
    }
}

/// An operator behind an operand.
#[derive(Clone, Copy)]
pub(crate) enum Operator {
    Apply(Op),
    /// A comparison; its operands may be the other way round.
    Compare(Op, bool),
    Member {
        is_negated: bool,
    },
    /// `condition ? yes : no`
    Question,
    /// `yes if condition else no`
    If,
}

around_cursor!(Parser, Kind);

impl<'a> Parse<'a> for Parser<'a> {
    type Kind = Kind;
    type Error = Mistake;
    const DEEPEST: u32 = DEPTH;

    fn unexpected(&mut self, wanted: &str) -> Mistake {
        let what = if self.at_end() { "is missing at the end" } else { "was expected here" };
        let mistake = Mistake::new(format!("{wanted} {what}"), place(self.token()));
        if self.at(T!["="]) { mistake.help("equality is written `==`") } else { mistake }
    }

    fn too_deep(&mut self) -> Mistake {
        Mistake::new(format!("this is nested deeper than {DEPTH} levels"), place(self.token()))
    }
}

impl<'a> Expressions<'a> for Parser<'a> {
    type Value = Part;
    type Prefix = Option<Op>;
    type Binary = Operator;

    /// `not x == y` is the negation of the comparison, `!x == y` the comparison of a negation.
    fn prefix(&mut self, level: Option<u8>) -> Option<(Option<Op>, u8)> {
        let prefix = match self.peek() {
            T!["not"] if level.is_none_or(|level| level <= 3) => (Some(Op::Not), 3),
            T!["!"] => (Some(Op::Not), 11),
            T!["-"] => (Some(Op::Neg), 11),
            T!["+"] => (None, 11),
            _ => return None,
        };
        self.advance();
        Some(prefix)
    }

    fn infix(&mut self) -> Result<Option<Infix<Operator, Kind>>, Mistake> {
        let left = |level, op| Infix::left(level, Operator::Apply(op));
        let compare = |op, is_swapped| Infix::left(4, Operator::Compare(op, is_swapped));
        Ok(Some(match self.peek() {
            T!["?"] => Infix::ternary(0, Operator::Question, T![":"]),
            T!["if"] => Infix::ternary(0, Operator::If, T!["else"]),
            T!["||"] | T!["or"] => left(1, Op::Or),
            T!["&&"] | T!["and"] => left(2, Op::And),
            T!["=="] => compare(Op::Eq, false),
            T!["!="] => compare(Op::Ne, false),
            T!["<"] => compare(Op::Lt, false),
            T!["<="] => compare(Op::Le, false),
            T![">"] => compare(Op::Lt, true),
            T![">="] => compare(Op::Le, true),
            T!["in"] => Infix::postfix(4, Operator::Member { is_negated: false }),
            T!["not"] => {
                if self.ahead(1).kind != T!["in"] {
                    self.advance();
                    return Err(self.missing(T!["in"]));
                }
                Infix::postfix(4, Operator::Member { is_negated: true }).of_tokens(2)
            }
            T!["|"] => left(5, Op::BitOr),
            T!["^"] => left(6, Op::BitXor),
            T!["&"] => left(7, Op::BitAnd),
            T!["<<"] => left(8, Op::ShiftLeft),
            T![">>"] => left(8, Op::ShiftRight),
            T!["+"] => left(9, Op::Add),
            T!["-"] => left(9, Op::Sub),
            T!["*"] => left(10, Op::Mul),
            T!["/"] => left(10, Op::Fraction),
            T!["//"] => left(10, Op::Quotient),
            T!["%"] => left(10, Op::Remainder),
            T!["**"] => Infix::right(12, Operator::Apply(Op::Power)),
            _ => return Ok(None),
        }))
    }

    fn apply(&mut self, applied: Applied<Option<Op>, Operator, Part>) -> Result<Part, Mistake> {
        Ok(Part::new(match applied {
            Applied::Prefix(op, _, operand) => op.map_or(operand.node, |op| self.tree.one(op, operand.node)),
            Applied::Binary(Operator::Apply(op), left, right) => self.tree.apply(op, left.node, right.node),
            Applied::Binary(Operator::Compare(op, is_swapped), left, right) => {
                let (a, b) = (left.last.unwrap_or(left.node), right.node);
                let compared = if is_swapped { self.tree.apply(op, b, a) } else { self.tree.apply(op, a, b) };
                return Ok(self.chain(left, compared, b));
            }
            Applied::Ternary(Operator::If, yes, condition, no) => {
                self.tree.select(condition.node, yes.node, no.node)
            }
            Applied::Ternary(_, condition, yes, no) => self.tree.select(condition.node, yes.node, no.node),
            Applied::Postfix(operator, item) => return self.members(operator, item),
            // The others are no operations of two operands.
            Applied::Binary(_, left, _) => return Ok(left),
        }))
    }

    fn operand(&mut self) -> Result<Part, Mistake> {
        let (word, place) = (self.word(), place(self.token()));
        let found = match self.peek() {
            Kind::Int => self.tree.constant(whole(word).map_or(Scalar::Undefined, Scalar::Int)),
            Kind::Float => self.tree.constant(word.parse().map_or(Scalar::Undefined, Scalar::Float)),
            Kind::Text => {
                let text = self.texts.scalar(&Value::Text(word[1..word.len() - 1].to_owned()));
                self.tree.constant(text)
            }
            T!["("] => {
                self.advance();
                let inner = self.whole()?;
                self.expect(T![")"])?;
                return Ok(Part::new(inner));
            }
            Kind::Name => {
                self.advance();
                return self.name(word, place).map(Part::new);
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.advance();
        Ok(Part::new(found))
    }
}

impl Parser<'_> {
    fn whole(&mut self) -> Result<NodeId, Mistake> {
        self.nested(|parser| Ok(parser.climb()?.node))
    }

    /// The list behind `in`.
    fn members(&mut self, operator: Operator, left: Part) -> Result<Part, Mistake> {
        let close = match self.peek() {
            T!["["] => T!["]"],
            T!["("] => T![")"],
            _ => return Err(self.unexpected("a list in brackets")),
        };
        self.advance();
        let item = left.last.unwrap_or(left.node);
        let mut found = self.tree.constant(Scalar::bool(false));
        while !self.take(close) {
            let other = self.whole()?;
            let equal = self.tree.apply(Op::Eq, item, other);
            found = self.tree.apply(Op::Or, found, equal);
            if !self.take(T![","]) {
                self.expect(close)?;
                break;
            }
        }
        if matches!(operator, Operator::Member { is_negated: true }) {
            found = self.tree.one(Op::Not, found);
        }
        Ok(self.chain(left, found, item))
    }

    /// One more comparison behind those of `left`, whose last operand is `last`.
    fn chain(&mut self, left: Part, compared: NodeId, last: NodeId) -> Part {
        let node = match left.last {
            Some(_) => self.tree.apply(Op::And, left.node, compared),
            None => compared,
        };
        Part { node, last: Some(last) }
    }

    fn name(&mut self, name: &str, place: Range<usize>) -> Result<NodeId, Mistake> {
        if self.at(T!["("]) {
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
        self.expect(T!["("])?;
        let mut found = self.whole()?;
        let is_of_two = matches!(op, Op::Min | Op::Max);
        if !is_of_two {
            found = self.tree.one(op, found);
        }
        while is_of_two && self.take(T![","]) {
            let next = self.whole()?;
            found = self.tree.apply(op, found, next);
        }
        self.expect(T![")"])?;
        Ok(found)
    }
}
