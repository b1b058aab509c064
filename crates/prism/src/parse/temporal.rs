//! Bounds of temporal operators, and `||` of conditional probabilities.
//!
//! PRISM's grammar for `F<=t φ` puts two expressions next to each other. As in PRISM, the bound is read as
//! long as possible, except that `t (…)` is no call ([`Mode::TIME_BOUND`]).

use crate::ast::{BinaryOp, Counted, ExprId, ExprKind, Name, OpenEnd, RewardPath, TimeBound};
use crate::lex::{TokenKind, quoted_name};
use crate::parse::calls::{is_function, starts_operand};
use crate::parse::cursor::{Parsed, Parser, Reported};
use crate::parse::expr::Next;
use crate::parse::frames::{Body, BoundPart, Frame, Mode, PendingTemporal};
use crate::parse::level;
use volvelle_diagnostics::{Fix, Span, codes};

impl Parser<'_> {
    /// The bounds of a temporal operator, if there are any: `<=5`, `[1,5]`; as in Storm `{"cost"}<=5`, `rew{"cost"}<=5`, several
    /// of these behind commas, `^{rew{"a"}<=3, steps<=10}`.
    pub(super) fn time_bound(&mut self, mut pending: PendingTemporal) -> Parsed<Next> {
        use TokenKind as T;
        let caret = self.at_joined(T::Caret, T::LeftBrace);
        if caret || self.peek() == T::LeftBrace {
            self.take(T::Caret);
            if !(self.ahead(1).kind == T::Quoted && self.ahead(2).kind == T::RightBrace) {
                pending.list = Some(self.advance().span(self.file));
            }
            return self.next_bound(pending);
        }
        let is_named = match pending.cumulative {
            Some(_) => self.at_named_bound(0).is_some(),
            None => self.is_named_bound(),
        };
        if self.at_counted() || self.at_comparison(0) || is_named {
            return self.next_bound(pending);
        }
        self.push(Frame::Temporal { pending, bound: TimeBound::default() })
    }

    /// Whether `steps<=5`, `time<=5` or `rew<=5` follows some tokens, and where the bound begins behind the relation.
    pub(super) fn at_named_bound(&self, ahead: usize) -> Option<usize> {
        let is_word = self.ahead(ahead).kind == TokenKind::Ident
            && matches!(self.text_of(self.ahead(ahead)), "steps" | "time" | "rew");
        (is_word && self.at_comparison(ahead + 1)).then_some(ahead + 2)
    }

    /// Whether a bound `steps<=5` follows, after Storm. It might be a condition on a variable of that name: it is a bound if a
    /// formula or another bound stands behind it.
    fn is_named_bound(&self) -> bool {
        use TokenKind as T;
        let Some(mut ahead) = self.at_named_bound(0) else { return false };
        if self.ahead(1).kind == T::LeftBracket {
            return true;
        }
        loop {
            // An operand, and what follows it.
            while self.ahead(ahead).kind == T::Minus {
                ahead += 1;
            }
            let is_called = match self.ahead(ahead).kind {
                T::Ident => {
                    self.ahead(ahead + 1).kind == T::LeftParen && is_function(self.text_of(self.ahead(ahead)))
                }
                T::Keyword(_) => self.ahead(ahead + 1).kind == T::LeftParen,
                T::LeftParen => true,
                T::Int | T::Real => false,
                _ => return false,
            };
            ahead += 1;
            if is_called {
                let is_open = self.ahead(ahead - 1).kind == T::LeftParen;
                let Some(end) = self.behind_parentheses(if is_open { ahead - 1 } else { ahead }) else {
                    return false;
                };
                ahead = end;
            }
            match self.ahead(ahead).kind {
                T::Plus | T::Minus | T::Times | T::Divide | T::Caret => ahead += 1,
                T::Comma => return self.is_bound(ahead + 1),
                next => return starts_operand(next),
            }
        }
    }

    /// The place behind the parentheses that open at a token.
    fn behind_parentheses(&self, mut ahead: usize) -> Option<usize> {
        let mut depth = 0usize;
        loop {
            match self.ahead(ahead).kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth -= 1,
                TokenKind::End | TokenKind::Semicolon => return None,
                _ => {}
            }
            ahead += 1;
            if depth == 0 {
                return Some(ahead);
            }
        }
    }

    /// Whether `rew{` follows.
    fn at_counted(&self) -> bool {
        self.at_word("rew") && self.ahead(1).kind == TokenKind::LeftBrace
    }

    /// Whether a bound follows some tokens, beginning with its relation.
    pub(super) fn at_comparison(&self, ahead: usize) -> bool {
        use TokenKind as T;
        match self.ahead(ahead).kind {
            T::Le | T::Ge | T::Gt | T::Eq => true,
            T::Lt => self.ahead(ahead + 1).kind != T::Lt,
            T::LeftBracket => self.ahead(ahead + 1).kind != T::LeftBracket,
            _ => false,
        }
    }

    /// One of several bounds.
    pub(super) fn next_bound(&mut self, mut pending: PendingTemporal) -> Parsed<Next> {
        use TokenKind as T;
        let start = self.span();
        if self.at_counted() {
            self.advance();
        }
        pending.counted = if self.peek() == T::LeftBrace {
            let open = self.advance().span(self.file);
            let token = self.token();
            if token.kind != T::Quoted {
                return Err(self.unexpected("the name of a reward structure in quotes"));
            }
            self.advance();
            self.closing(T::RightBrace, open)?;
            let text = quoted_name(self.text_of(token)).to_string();
            Counted::Reward(Name { text, span: token.span(self.file) })
        } else if self.at_word("steps") && self.at_comparison(1) {
            self.advance();
            Counted::Steps
        } else {
            if self.at_word("rew") && self.at_comparison(1) {
                let message = "a bound on a reward names the reward structure";
                self.error(codes::PROPERTY_SYNTAX, start, message, "as in `rew{\"cost\"}<=5`");
                return Err(Reported);
            }
            if self.at_word("time") && self.at_comparison(1) {
                self.advance();
            }
            Counted::Time
        };
        let closed = pending.list.is_some() || pending.cumulative.is_some();
        let mode = if closed { Mode::PLAIN } else { Mode::TIME_BOUND };
        let (part, mode) = match self.peek() {
            T::Le => (BoundPart::Upper { strict: false }, mode),
            T::Lt if self.ahead(1).kind != T::Lt => (BoundPart::Upper { strict: true }, mode),
            T::Ge => (BoundPart::Lower { strict: false }, mode),
            T::Gt => (BoundPart::Lower { strict: true }, mode),
            T::Eq => (BoundPart::Equal, mode),
            T::LeftBracket if self.ahead(1).kind != T::LeftBracket => (BoundPart::IntervalLower, Mode::PLAIN),
            _ => return Err(self.unexpected("a bound such as `<=5`")),
        };
        self.advance();
        let outer = self.mode;
        self.mode = mode;
        self.push(Frame::TimeBound { pending, part, start, outer })
    }

    /// Whether another bound follows a comma.
    pub(super) fn at_another_bound(&self) -> bool {
        self.peek() == TokenKind::Comma && self.is_bound(1)
    }

    /// Whether a bound follows some tokens.
    fn is_bound(&self, ahead: usize) -> bool {
        use TokenKind as T;
        let is_reward = self.ahead(ahead).kind == T::Ident && self.text_of(self.ahead(ahead)) == "rew";
        self.at_comparison(ahead)
            || self.ahead(ahead).kind == T::LeftBrace
            || is_reward && self.ahead(ahead + 1).kind == T::LeftBrace
            || self.at_named_bound(ahead).is_some()
    }

    /// Goes on behind a bound.
    fn after_bound(&mut self, mut pending: PendingTemporal) -> Parsed<Next> {
        match pending.list {
            Some(open) => {
                if self.take(TokenKind::Comma) {
                    return self.next_bound(pending);
                }
                self.closing(TokenKind::RightBrace, open)?;
            }
            None if self.at_another_bound() => {
                self.advance();
                return self.next_bound(pending);
            }
            None => {}
        }
        let mut bounds = std::mem::take(&mut pending.bounds).into_iter();
        let mut bound = bounds.next().unwrap_or_default();
        bound.more = bounds.collect();
        if let Some(operator) = pending.cumulative {
            return self.after_body(*operator, Body::Reward(RewardPath::Within(bound)));
        }
        self.push(Frame::Temporal { pending, bound })
    }

    /// The variable of a quantile around that an end of a bound is.
    fn quantile_variable(&self, expr: ExprId) -> Option<Name> {
        let ExprKind::Ident(text) = &self.exprs.get(expr).kind else { return None };
        let quantified = self.frames.iter().any(|frame| match frame {
            Frame::Quantile { variables, .. } => variables.iter().any(|known| known.name.text == *text),
            _ => false,
        });
        quantified.then(|| Name { text: text.clone(), span: self.exprs.span(expr) })
    }

    pub(super) fn close_time_bound(
        &mut self,
        mut pending: PendingTemporal,
        part: BoundPart,
        start: Span,
        outer: Mode,
        expr: ExprId,
    ) -> Parsed<Next> {
        let mut bound = TimeBound { counted: pending.counted.clone(), ..TimeBound::default() };
        let mut end = self.exprs.span(expr);
        let open = match part {
            BoundPart::Upper { strict } => self.quantile_variable(expr).map(|name| (name, true, strict)),
            BoundPart::Lower { strict } => self.quantile_variable(expr).map(|name| (name, false, strict)),
            _ => None,
        };
        match part {
            BoundPart::Upper { .. } | BoundPart::Lower { .. } if open.is_some() => {
                bound.open = open.map(|(variable, upper, strict)| OpenEnd { variable, upper, strict });
            }
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
        pending.bounds.push(bound);
        self.after_bound(pending)
    }

    /// `||`: between two path formulas directly inside `P` or `R`, a condition; else a slip for `|`.
    pub(super) fn conditional(&mut self, operand: ExprId) -> Parsed<Next> {
        let span = self.joined_span(2);
        self.advance();
        self.advance();
        let enclosure = self.frames.iter().rev().find(|frame| frame.level().is_none());
        let allowed = matches!(enclosure, Some(Frame::Body { .. })) && self.mode.path;
        if !allowed {
            let fix = Fix::replace("write `|`", span, "|");
            self.slip(span, "PRISM's disjunction is `|`, not `||`", "write `|`", fix);
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
