//! Precedence climbing, on a stack of its own.
//!
//! Operators have levels; higher ones bind tighter. The table of a language is a function from its tokens to [`Infix`], which is a jump
//! table when it is compiled:
//!
//! ```text
//! T!["||"] => Infix::left(1, Binary::Or),
//! T!["?"]  => Infix::ternary(0, Binary::Conditional, T![":"]),
//! ```

use crate::cursor::Parse;
use volvelle_diagnostics::Span;

/// An operator behind an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infix<B, K> {
    level: u8,
    /// Whether operators of the same level behind it belong to its right operand.
    is_right: bool,
    operator: B,
    then: Then<K>,
    tokens: u8,
}

/// What follows an operator behind an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then<K> {
    Operand,
    /// An expression, a token of this kind, and an operand.
    Between(K),
    /// Nothing, or something that is no operand.
    Postfix,
}

impl<B, K> Infix<B, K> {
    const fn new(level: u8, is_right: bool, operator: B, then: Then<K>) -> Self {
        Infix { level, is_right, operator, then, tokens: 1 }
    }

    /// A binary operator: `a - b - c` is `(a - b) - c`.
    pub const fn left(level: u8, operator: B) -> Self {
        Self::new(level, false, operator, Then::Operand)
    }

    /// A binary operator: `a -> b -> c` is `a -> (b -> c)`.
    pub const fn right(level: u8, operator: B) -> Self {
        Self::new(level, true, operator, Then::Operand)
    }

    /// An operator of two tokens between three operands: `a ? b : c ? d : e` is `a ? b : (c ? d : e)`.
    pub const fn ternary(level: u8, operator: B, between: K) -> Self {
        Self::new(level, true, operator, Then::Between(between))
    }

    /// An operator behind its operand; [`Expressions::apply`] reads what may follow it.
    pub const fn postfix(level: u8, operator: B) -> Self {
        Self::new(level, false, operator, Then::Postfix)
    }

    /// The same, written with so many tokens.
    pub fn of_tokens(self, tokens: u8) -> Self {
        Infix { tokens, ..self }
    }
}

/// An operator with its operands.
pub enum Applied<P, B, V> {
    /// A prefix operator, its place, and what is behind it.
    Prefix(P, Span, V),
    /// A binary operator and the operands at its sides.
    Binary(B, V, V),
    /// An operator of two tokens, and the operands before, between and behind them.
    Ternary(B, V, V, V),
    /// An operator behind its operand, which was taken.
    Postfix(B, V),
}

/// What waits for an operand.
enum Pending<P, B, V, K> {
    Prefix(P, Span),
    Infix(B, V),
    /// Between the tokens of an operator of two.
    Middle(B, u8, V, K),
    Last(B, V, V),
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

    /// The operator at the next token.
    ///
    /// # Errors
    /// There is something that looks like one and is none.
    #[allow(clippy::type_complexity, reason = "it is one operator, which need not be there")]
    fn infix(&mut self) -> Result<Option<Infix<Self::Binary, Self::Kind>>, Self::Error>;

    /// Applies an operator.
    ///
    /// # Errors
    /// There is no such expression.
    fn apply(
        &mut self,
        applied: Applied<Self::Prefix, Self::Binary, Self::Value>,
    ) -> Result<Self::Value, Self::Error>;

    /// Reads the longest expression that begins at the next token.
    ///
    /// # Errors
    /// There is a mistake in it, or more operators wait for their operands than may be within one another.
    fn climb(&mut self) -> Result<Self::Value, Self::Error> {
        // Each with its level; between the tokens of an operator of two all others wait.
        let mut pending: Vec<(Option<u8>, Pending<_, _, _, _>)> = Vec::new();
        loop {
            self.check_depth(pending.len() as u32)?;
            let start = self.span();
            if let Some((operator, level)) = self.prefix(pending.last().and_then(|(level, _)| *level)) {
                pending.push((Some(level), Pending::Prefix(operator, self.since(start))));
                continue;
            }
            let mut value = self.operand()?;
            // Behind an operand: operators take it, until one waits for another operand.
            loop {
                let infix = self.infix()?;
                while let Some((_, top)) = pending.pop_if(|(level, _)| match (&infix, *level) {
                    (_, None) => false,
                    (None, _) => true,
                    (Some(infix), Some(level)) => {
                        level > infix.level || level == infix.level && !infix.is_right
                    }
                }) {
                    value = self.apply(match top {
                        Pending::Prefix(operator, at) => Applied::Prefix(operator, at, value),
                        Pending::Infix(operator, left) | Pending::Middle(operator, _, left, _) => {
                            Applied::Binary(operator, left, value)
                        }
                        Pending::Last(operator, first, between) => {
                            Applied::Ternary(operator, first, between, value)
                        }
                    })?;
                }
                let Some(Infix { level, operator, then, tokens, .. }) = infix else {
                    let Some((_, Pending::Middle(operator, level, first, close))) = pending.pop() else {
                        return Ok(value);
                    };
                    self.expect(close)?;
                    pending.push((Some(level), Pending::Last(operator, first, value)));
                    break;
                };
                for _ in 0..tokens {
                    self.advance();
                }
                pending.push(match then {
                    Then::Operand => (Some(level), Pending::Infix(operator, value)),
                    Then::Between(close) => (None, Pending::Middle(operator, level, value, close)),
                    Then::Postfix => {
                        value = self.apply(Applied::Postfix(operator, value))?;
                        continue;
                    }
                });
                break;
            }
        }
    }
}
