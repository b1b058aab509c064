//! Operators: of two operands by their binding, of one, casts.

use super::Parser;
use super::state::Waiting;
use crate::classes::Kind;
use crate::token::T;
use volvelle_trees::Placed;

/// How strongly an operator of two operands binds, and its class.
fn infix(kind: T) -> Option<(u8, Kind)> {
    Some(match kind {
        T::Coalesce => (1, Kind::Coalesce),
        T::Or => (2, Kind::Or),
        T::And => (3, Kind::And),
        T::Bar => (4, Kind::Bitwise),
        T::Caret => (5, Kind::Bitwise),
        T::Ampersand => (6, Kind::Bitwise),
        T::Equal | T::Unequal | T::Same | T::NotSame => (7, Kind::Equality),
        T::Less | T::AtMost | T::Greater => (8, Kind::Relational),
        T::Instanceof => (8, Kind::Instanceof),
        T::In => (8, Kind::In),
        T::ShiftLeft => (9, Kind::Shift),
        T::Plus | T::Minus => (10, Kind::Additive),
        T::Times | T::Over | T::Modulo => (11, Kind::Multiplicative),
        T::Power => (POWER, Kind::Exponent),
        _ => return None,
    })
}

/// `**`, the only one that goes together from the right.
const POWER: u8 = 12;

impl Parser<'_> {
    /// Operands with operators between them. Operators wait on a stack: chains of them cost no depth.
    pub(super) fn binary(&mut self) -> Placed {
        let mut left = self.unary();
        let base = self.operators.len();
        loop {
            let next = self.infix_here();
            let binding = next.map_or(0, |(binding, ..)| binding);
            while self.operators.len() > base {
                let top = self.operators[self.operators.len() - 1];
                if top.binding < binding || top.binding == POWER && binding == POWER {
                    break;
                }
                self.operators.pop();
                left = self.node(top.kind, top.left.start, &[top.left, top.operator, left]);
            }
            let Some((binding, kind, length)) = next else { return left };
            let operator = self.take_operator(length);
            self.operators.push(Waiting { binding, kind, operator, left });
            left = self.unary();
        }
    }

    /// The operator of two operands that is next, and how many tokens it has.
    fn infix_here(&self) -> Option<(u8, Kind, usize)> {
        let kind = self.kind();
        if kind == T::Greater {
            let length = self.length_of_greater();
            let is_assignment = length > 1 && self.ahead(length - 1) == T::Assign;
            return match length {
                1 => Some((8, Kind::Relational, 1)),
                2 if is_assignment => Some((8, Kind::Relational, 2)),
                _ if is_assignment => None,
                _ => Some((9, Kind::Shift, length)),
            };
        }
        if kind == T::In && self.context.no_in {
            return None;
        }
        infix(kind).map(|(binding, kind)| (binding, kind, 1))
    }

    /// How many tokens the operator has that begins with `>` here.
    fn length_of_greater(&self) -> usize {
        let mut length = 1;
        let is_joined = |at: usize| self.tokens[at - 1].end == self.tokens[at].start;
        while length < 3 && self.ahead(length) == T::Greater && is_joined(self.at + length) {
            length += 1;
        }
        length + usize::from(self.ahead(length) == T::Assign && is_joined(self.at + length))
    }

    /// Takes the tokens of an operator as one text.
    fn take_operator(&mut self, length: usize) -> Placed {
        if length == 1 {
            return self.take_text();
        }
        let start = self.start();
        for _ in 0..length {
            self.advance();
        }
        let (end, text) = (self.end, self.text);
        self.intern(&text[start as usize..end as usize], start, end)
    }

    /// `>>=` or `>>>=` where it is next.
    pub(super) fn shift_assignment(&mut self) -> Option<Placed> {
        let length = self.length_of_greater();
        (length > 2 && self.ahead(length - 1) == T::Assign).then(|| self.take_operator(length))
    }

    /// Operators of one operand, and their operand.
    fn unary(&mut self) -> Placed {
        let start = self.start();
        let kind = match self.kind() {
            T::Bang => Kind::Not,
            T::Plus | T::Minus => Kind::Sign,
            T::Tilde => Kind::BitNot,
            T::Typeof => Kind::Typeof,
            T::Void => Kind::Void,
            T::Delete => Kind::Delete,
            T::Increment | T::Decrement => Kind::Prefix,
            T::Await if self.is_await() => {
                self.advance();
                let operand = self.operand_of_operator();
                return self.node(Kind::Await, start, &[operand]);
            }
            _ => return self.postfix(),
        };
        let operator = self.take_text();
        let operand = self.operand_of_operator();
        self.node(kind, start, &[operator, operand])
    }

    fn operand_of_operator(&mut self) -> Placed {
        match self.nested(Self::unary) {
            Some(operand) => operand,
            None => self.missing(Kind::MissingExpression),
        }
    }

    /// Whether `await` is no name: in an asynchronous function, or with an operand.
    fn is_await(&self) -> bool {
        self.context.in_async
            || self.is_on_line(1)
                && self.begins_operand(self.at + 1)
                && !matches!(self.ahead(1), T::As | T::Of | T::Import)
    }

    /// An operand, `++` and `--` behind it, and casts.
    fn postfix(&mut self) -> Placed {
        let mut operand = self.operand();
        if matches!(self.kind(), T::Increment | T::Decrement) && !self.is_behind_line() {
            let operator = self.take_text();
            operand = self.node(Kind::Postfix, operand.start, &[operand, operator]);
        }
        while self.is(T::As) && self.is_cast() {
            self.advance();
            let to = self.type_of_cast();
            operand = self.node(Kind::Cast, operand.start, &[operand, to]);
        }
        operand
    }

    /// Whether `as` is no name at the beginning of a statement.
    fn is_cast(&self) -> bool {
        let next = self.ahead(1);
        !self.is_behind_line()
            || next.is_name() && self.is_on_line(1)
            || matches!(next, T::Tilde | T::OpenBrace | T::This)
    }

    /// The value of what is written for nothing.
    pub(super) fn no_operand(&mut self) -> Placed {
        self.expected("an expression");
        self.missing(Kind::MissingExpression)
    }

    /// `...operand`, or an expression.
    pub(super) fn spread_or_assignment(&mut self) -> Placed {
        let start = self.start();
        if !self.take(T::Dots) {
            return self.assignment();
        }
        let operand = self.assignment();
        self.node(Kind::Spread, start, &[operand])
    }
}
