//! Precedence climbing, on a stack of its own.
//!
//! Operators have levels; higher ones bind tighter. The table of a language is a function from its tokens to [`Infix`], which is a jump
//! table when it is compiled:
//!
//! ```text
//! T!["||"] => Infix::left(1, Binary::Or),
//! T!["?"]  => Infix::ternary(0, Ternary::Conditional, T![":"]),
//! ```

use crate::cursor::Parse;
use volvelle_diagnostics::Span;

/// An operator behind an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infix<B, K> {
    /// How tightly it binds.
    pub level: u8,
    /// Whether operators of the same level behind it belong to its right operand.
    pub is_right: bool,
    /// The operator.
    pub operator: B,
    /// What follows it.
    pub then: Then<K>,
}

/// What follows an operator behind an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then<K> {
    /// An operand.
    Operand,
    /// An expression, a token of this kind, and an operand.
    Between(K),
    /// Nothing, or something that is no operand: [`Expressions::postfix`] reads it.
    Postfix,
}

impl<B, K> Infix<B, K> {
    /// A binary operator: `a - b - c` is `(a - b) - c`.
    pub const fn left(level: u8, operator: B) -> Self {
        Infix { level, is_right: false, operator, then: Then::Operand }
    }

    /// A binary operator: `a -> b -> c` is `a -> (b -> c)`.
    pub const fn right(level: u8, operator: B) -> Self {
        Infix { level, is_right: true, operator, then: Then::Operand }
    }

    /// An operator of two tokens between three operands: `a ? b : c ? d : e` is `a ? b : (c ? d : e)`.
    pub const fn ternary(level: u8, operator: B, between: K) -> Self {
        Infix { level, is_right: true, operator, then: Then::Between(between) }
    }

    /// An operator behind its operand.
    pub const fn postfix(level: u8, operator: B) -> Self {
        Infix { level, is_right: false, operator, then: Then::Postfix }
    }
}

/// What waits for an operand.
enum Pending<U, B, V, K> {
    Prefix {
        operator: U,
        level: u8,
        start: Span,
    },
    Infix {
        operator: B,
        level: u8,
        left: V,
        at: Span,
    },
    /// Between the tokens of an operator of two.
    Middle {
        operator: B,
        level: u8,
        condition: V,
        close: K,
    },
    Last {
        operator: B,
        level: u8,
        condition: V,
        yes: V,
    },
}

impl<U, B, V, K> Pending<U, B, V, K> {
    /// The least level of operators that belong to its operand is above this one; `None` where all do.
    fn level(&self) -> Option<u8> {
        match self {
            Pending::Middle { .. } => None,
            Pending::Prefix { level, .. } | Pending::Infix { level, .. } | Pending::Last { level, .. } => {
                Some(*level)
            }
        }
    }
}

/// A parser with expressions.
pub trait Expressions<'t>: Parse<'t> {
    /// What an expression becomes.
    type Value;
    /// Operators before their operand.
    type Prefix: Copy;
    /// Operators behind an operand.
    type Binary: Copy;

    /// Takes a prefix operator, with its level: operators that bind tighter belong to its operand. `level` is that of the operator before
    /// it, if there is one.
    fn prefix(&mut self, level: Option<u8>) -> Option<(Self::Prefix, u8)>;

    /// Reads an operand without operators.
    ///
    /// # Errors
    /// There is none.
    fn operand(&mut self) -> Result<Self::Value, Self::Error>;

    /// The operator at the next token, and the number of its tokens.
    ///
    /// # Errors
    /// There is something that looks like one and is none.
    fn infix(&mut self) -> Result<Option<(Infix<Self::Binary, Self::Kind>, usize)>, Self::Error>;

    /// Applies a prefix operator, whose place is given.
    ///
    /// # Errors
    /// There is no such expression.
    fn apply_prefix(
        &mut self,
        operator: Self::Prefix,
        at: Span,
        operand: Self::Value,
    ) -> Result<Self::Value, Self::Error>;

    /// Applies a binary operator, whose place is given.
    ///
    /// # Errors
    /// There is no such expression.
    fn apply_binary(
        &mut self,
        operator: Self::Binary,
        at: Span,
        left: Self::Value,
        right: Self::Value,
    ) -> Result<Self::Value, Self::Error>;

    /// Applies an operator of two tokens. Languages without one never see this called.
    ///
    /// # Errors
    /// There is no such expression.
    fn apply_ternary(
        &mut self,
        operator: Self::Binary,
        first: Self::Value,
        _between: Self::Value,
        last: Self::Value,
    ) -> Result<Self::Value, Self::Error> {
        let at = self.span();
        self.apply_binary(operator, at, first, last)
    }

    /// Reads what follows an operator that was taken behind its operand, and applies it. Languages without one never see this called.
    ///
    /// # Errors
    /// Something else follows, or there is no such expression.
    fn postfix(&mut self, _operator: Self::Binary, operand: Self::Value) -> Result<Self::Value, Self::Error> {
        Ok(operand)
    }

    /// Reads the longest expression that begins at the next token.
    ///
    /// # Errors
    /// There is a mistake in it, or more operators wait for their operands than may be within one another.
    fn climb(&mut self) -> Result<Self::Value, Self::Error> {
        let mut pending = Vec::new();
        loop {
            let start = self.span();
            if let Some((operator, level)) = self.prefix(pending.last().and_then(Pending::level)) {
                pending.push(Pending::Prefix { operator, level, start: self.since(start) });
                self.check_depth(pending.len() as u32)?;
                continue;
            }
            let mut value = self.operand()?;
            // Behind an operand: operators take it, until one waits for another operand.
            loop {
                let infix = self.infix()?;
                while let Some(top) = pending.pop_if(|top| match (&infix, top.level()) {
                    (_, None) => false,
                    (None, _) => true,
                    (Some((infix, _)), Some(level)) => {
                        level > infix.level || level == infix.level && !infix.is_right
                    }
                }) {
                    value = match top {
                        Pending::Prefix { operator, start, .. } => {
                            self.apply_prefix(operator, start, value)?
                        }
                        Pending::Infix { operator, left, at, .. } => {
                            self.apply_binary(operator, at, left, value)?
                        }
                        Pending::Last { operator, condition, yes, .. } => {
                            self.apply_ternary(operator, condition, yes, value)?
                        }
                        Pending::Middle { .. } => value,
                    };
                }
                let Some((Infix { level, operator, then, .. }, count)) = infix else {
                    let Some(Pending::Middle { operator, level, condition, close }) = pending.pop() else {
                        return Ok(value);
                    };
                    self.expect(close)?;
                    pending.push(Pending::Last { operator, level, condition, yes: value });
                    break;
                };
                let at = self.span();
                for _ in 0..count {
                    self.advance();
                }
                let at = self.since(at);
                match then {
                    Then::Operand => pending.push(Pending::Infix { operator, level, left: value, at }),
                    Then::Between(close) => {
                        pending.push(Pending::Middle { operator, level, condition: value, close });
                    }
                    Then::Postfix => {
                        value = self.postfix(operator, value)?;
                        continue;
                    }
                }
                self.check_depth(pending.len() as u32)?;
                break;
            }
        }
    }
}
