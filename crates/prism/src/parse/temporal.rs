//! Bounds of temporal operators, and `||` of conditional probabilities.
//!
//! PRISM's grammar for `F<=t φ` puts two expressions next to each other. As in PRISM, the bound is read as
//! long as possible, except that `t (…)` is no call ([`Mode::TIME_BOUND`]).

use crate::ast::{BinaryOp, ExprId, TimeBound};
use crate::lex::TokenKind;
use crate::parse::cursor::{Parsed, Parser, Reported};
use crate::parse::expr::Next;
use crate::parse::frames::{BoundPart, Frame, Mode, PendingTemporal};
use crate::parse::level;
use volvelle_diagnostics::{Span, codes};

impl Parser<'_> {
    /// Behind a temporal operator: its bound, where there is one.
    pub(super) fn time_bound(&mut self, mut pending: PendingTemporal) -> Parsed<Next> {
        use TokenKind as T;
        // `F{"cost"}<=5`, `F^{…}`: bounds on rewards, as in Storm.
        if matches!(self.peek(), T::LeftBrace) || self.at_joined(T::Caret, T::LeftBrace) {
            self.eat(T::Caret);
            self.skip_braces()?;
            pending.refused = Some("temporal operators with bounds on rewards");
        }
        let start = self.span();
        let (part, mode) = match self.peek() {
            T::Le => (BoundPart::Upper { strict: false }, Mode::TIME_BOUND),
            T::Lt if self.peek_at(1) != T::Lt => (BoundPart::Upper { strict: true }, Mode::TIME_BOUND),
            T::Ge => (BoundPart::Lower { strict: false }, Mode::TIME_BOUND),
            T::Gt => (BoundPart::Lower { strict: true }, Mode::TIME_BOUND),
            T::Eq => (BoundPart::Equal, Mode::TIME_BOUND),
            T::LeftBracket if self.peek_at(1) != T::LeftBracket => (BoundPart::IntervalLower, Mode::PLAIN),
            _ => {
                return self.push(Frame::Temporal { pending, bound: TimeBound::default() });
            }
        };
        self.bump();
        let outer = self.mode;
        self.mode = mode;
        self.push(Frame::TimeBound { pending, part, start, outer })
    }

    pub(super) fn close_time_bound(
        &mut self,
        pending: PendingTemporal,
        part: BoundPart,
        start: Span,
        outer: Mode,
        expr: ExprId,
    ) -> Parsed<Next> {
        let mut bound = TimeBound::default();
        let mut end = self.exprs.span(expr);
        match part {
            BoundPart::Upper { strict } => {
                bound.upper = Some(expr);
                bound.upper_strict = strict;
            }
            BoundPart::Lower { strict } => {
                bound.lower = Some(expr);
                bound.lower_strict = strict;
            }
            BoundPart::Equal => {
                bound.lower = Some(expr);
                bound.upper = Some(expr);
                bound.equal = true;
            }
            BoundPart::IntervalLower => {
                self.expect(TokenKind::Comma, "between the ends of the time interval")?;
                let part = BoundPart::IntervalUpper { lower: expr };
                return self.push(Frame::TimeBound { pending, part, start, outer });
            }
            BoundPart::IntervalUpper { lower } => {
                bound.lower = Some(lower);
                bound.upper = Some(expr);
                end = self.closing(TokenKind::RightBracket, start)?;
            }
        }
        bound.span = Some(start.to(end));
        self.mode = outer;
        self.push(Frame::Temporal { pending, bound })
    }

    /// `||`: between two path formulas directly inside `P` or `R`, a condition; else a slip for `|`.
    pub(super) fn conditional(&mut self, operand: ExprId) -> Parsed<Next> {
        let span = self.joined_span(2);
        self.bump();
        self.bump();
        let enclosure = self.frames.iter().rev().find(|frame| frame.level().is_none());
        let allowed = matches!(enclosure, Some(Frame::Body { .. })) && self.mode.path;
        if !allowed {
            self.error(codes::UNEXPECTED_TOKEN, span, "PRISM's disjunction is `|`, not `||`", "write `|`");
            let op = BinaryOp::Or;
            let lhs = self.reduce(operand, level::binary(op))?;
            return self.push(Frame::Binary { op, lhs });
        }
        let path = self.reduce(operand, level::UNTIL)?;
        if let Some(Frame::Conditional { .. }) = self.frames.last() {
            self.error(
                codes::PROPERTY_SYNTAX,
                span,
                "a probability can have only one condition",
                "join conditions with `&`",
            );
            return Err(Reported);
        }
        self.push(Frame::Conditional { path })
    }
}
