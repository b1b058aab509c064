//! Parts of property operators: what follows when one that is an expression is complete.

use crate::ast::{ExprId, ExprKind, OldFilter, Query, RewardName, RewardPath, Temporal, TimeBound};
use crate::lex::{Keyword, TokenKind};
use crate::parse::cursor::{Parsed, Parser, Reported};
use crate::parse::expr::Next;
use crate::parse::frames::{Body, Frame, Head, PendingTemporal};
use volvelle_diagnostics::Span;

impl Parser<'_> {
    /// Goes on behind an expression that is a part of a property operator.
    pub(super) fn close_property_part(&mut self, frame: Frame, expr: ExprId) -> Parsed<Next> {
        match frame {
            Frame::TimeBound { pending, part, start, outer } => {
                self.close_time_bound(pending, part, start, outer, expr)
            }
            Frame::RewardIndex { mut operator, outer } => {
                self.closing(TokenKind::RightBrace, operator.open)?;
                self.mode = outer;
                operator.head = Head::Reward(RewardName::Index(expr));
                self.second_reward_structure(operator)
            }
            Frame::Threshold { mut operator, relation, outer } => {
                self.mode = outer;
                operator.query = Query::Bound(relation, expr);
                self.body(operator)
            }
            Frame::Body { operator, outer } => {
                self.mode = outer;
                self.after_body(operator, Body::Formula(expr))
            }
            Frame::Cumulative { operator, outer }
                if self.at_word("discount") && self.ahead(1).kind == TokenKind::Eq =>
            {
                self.discount(operator, Some(expr), outer)
            }
            Frame::Discount { operator, upto, outer } => {
                self.mode = outer;
                let path = RewardPath::Discounted { factor: expr, upto };
                self.after_body(operator, Body::Reward(path))
            }
            Frame::Proposition { automaton, name } => self.close_proposition(automaton, name, expr),
            Frame::Quantile { variables, start, outer } => {
                let close = self.expect(TokenKind::RightParen, "after the quantile's property")?;
                self.mode = outer;
                let kind = ExprKind::Quantile { variables, property: expr };
                Ok(Next::Have(self.add(kind, start.to(close))?))
            }
            Frame::Cumulative { operator, outer } if self.at_another_bound() => {
                let span = self.exprs.span(expr);
                self.mode = outer;
                let first = TimeBound { upper: Some(expr), span: Some(span), ..TimeBound::default() };
                let pending = PendingTemporal {
                    bounds: vec![first],
                    cumulative: Some(Box::new(operator)),
                    ..PendingTemporal::new(Temporal::Finally, None, span)
                };
                self.advance();
                self.next_bound(pending)
            }
            Frame::Cumulative { operator, outer } => {
                self.mode = outer;
                self.after_body(operator, Body::Reward(RewardPath::CumulativeUpTo(expr)))
            }
            Frame::Instantaneous { operator, outer } => {
                self.mode = outer;
                self.after_body(operator, Body::Reward(RewardPath::Instantaneous(expr)))
            }
            Frame::OldFilter { operator, body, open, outer } => {
                self.mode = outer;
                let filter = self.old_filter(expr, open)?;
                self.finish_operator(operator, body, Some(filter))
            }
            Frame::Quantifier { all, start, outer } => {
                let close = self.expect(TokenKind::RightBracket, "after the formula")?;
                self.mode = outer;
                let kind = if all { ExprKind::ForAll(expr) } else { ExprKind::Exists(expr) };
                Ok(Next::Have(self.add(kind, start.to(close))?))
            }
            Frame::FilterProperty { op, start, outer } => {
                if self.take(TokenKind::Comma) {
                    return self.push(Frame::FilterStates { op, property: expr, start, outer });
                }
                let close = self.expect(TokenKind::RightParen, "or `,` and the filter's states")?;
                self.mode = outer;
                let kind = ExprKind::Filter { op, property: expr, states: None };
                Ok(Next::Have(self.add(kind, start.to(close))?))
            }
            Frame::FilterStates { op, property, start, outer } => {
                let close = self.expect(TokenKind::RightParen, "after the filter's states")?;
                self.mode = outer;
                let kind = ExprKind::Filter { op, property, states: Some(expr) };
                Ok(Next::Have(self.add(kind, start.to(close))?))
            }
            // Operators were reduced before; the other enclosures are closed by `close`.
            _ => Err(Reported),
        }
    }

    /// `}` behind the states of an old filter, then `{min}` and `{max}`.
    fn old_filter(&mut self, states: ExprId, open: Span) -> Parsed<OldFilter> {
        let mut close = self.closing(TokenKind::RightBrace, open)?;
        let (mut min, mut max) = (false, false);
        while self.peek() == TokenKind::LeftBrace {
            let open = self.advance().span(self.file);
            match self.peek() {
                TokenKind::Keyword(Keyword::Min) => min = true,
                TokenKind::Keyword(Keyword::Max) => max = true,
                _ => return Err(self.unexpected("`min` or `max`")),
            }
            self.advance();
            close = self.closing(TokenKind::RightBrace, open)?;
        }
        Ok(OldFilter { states, min, max, span: open.to(close) })
    }
}
