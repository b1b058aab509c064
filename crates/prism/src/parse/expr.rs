//! Expressions of models and properties: an operator-precedence parser with an explicit stack.
//!
//! Levels and associativity are PRISM's (see [`level`]). Wider than PRISM, where only one reading is
//! possible: `a & F b` (the temporal operator reaches as far to the right as it can, as in Storm),
//! `a ? b ? c : d : e`, and `^` for powers. Where two tools read a text differently (`-a^b`, `a^b^c`), or where
//! PRISM refuses it (`a = !b`, `a U b U c`), parentheses are required.

use crate::ast::{BinaryOp, ExprId, ExprKind, Temporal};
use crate::lex::{Keyword, TokenKind, quoted_name};
use crate::parse::NESTING_LIMIT;
use crate::parse::cursor::{Parsed, Parser, Reported, opens_or_closes};
use crate::parse::frames::{Callee, Frame, Mode, PendingTemporal, Prefix};
use crate::parse::level;
use volvelle_diagnostics::{Diagnostic, Fix, Span, codes};
use volvelle_syntax::Spelt;

/// The next action of the parser.
pub(super) enum Next {
    /// An operand must follow.
    Operand,
    /// This is the left operand of what follows, if anything does.
    Have(ExprId),
    /// This is the expression that was requested.
    Done(ExprId),
}

impl Parser<'_> {
    /// Reads an expression as long as possible. After an error the arena is as before.
    pub(super) fn expression(&mut self, mode: Mode) -> Parsed<ExprId> {
        let mark = self.exprs.len();
        self.mode = mode;
        self.frames.clear();
        self.coalitions.clear();
        let result = self.run();
        if result.is_err() {
            self.exprs.truncate(mark);
        }
        result
    }

    fn run(&mut self) -> Parsed<ExprId> {
        let mut next = Next::Operand;
        loop {
            next = match next {
                Next::Operand => self.operand()?,
                Next::Have(operand) => self.after_operand(operand)?,
                Next::Done(expr) => return Ok(expr),
            }
        }
    }

    pub(super) fn push(&mut self, frame: Frame) -> Parsed<Next> {
        if self.frames.len() >= NESTING_LIMIT as usize {
            let span = self.last_span();
            return Err(self.too_deep(span));
        }
        self.frames.push(frame);
        Ok(Next::Operand)
    }

    pub(super) fn leaf(&mut self, kind: ExprKind) -> Parsed<Next> {
        let span = self.advance().span(self.file);
        Ok(Next::Have(self.add(kind, span)?))
    }

    /// Reads the start of an operand.
    fn operand(&mut self) -> Parsed<Next> {
        let token = self.token();
        match token.kind {
            // The lexer has reported those that do not fit.
            TokenKind::Int => {
                let value = self.text_of(token).parse::<i32>();
                self.leaf(value.map_or(ExprKind::Error, |value| ExprKind::Int(value.into())))
            }
            TokenKind::Real => {
                let value = self.text_of(token).parse::<f64>().ok().filter(|value| value.is_finite());
                self.leaf(value.map_or(ExprKind::Error, ExprKind::Real))
            }
            TokenKind::Keyword(Keyword::True) => self.leaf(ExprKind::Bool(true)),
            TokenKind::Keyword(Keyword::False) => self.leaf(ExprKind::Bool(false)),
            TokenKind::Ident => self.name_or_call(),
            TokenKind::Keyword(Keyword::Min | Keyword::Max) if self.ahead(1).kind == TokenKind::LeftParen => {
                self.call()
            }
            TokenKind::Keyword(Keyword::Func) if self.ahead(1).kind == TokenKind::LeftParen => {
                self.old_style_call()
            }
            TokenKind::LeftParen => {
                let open = self.advance().span(self.file);
                let outer = self.mode;
                self.mode.juxtaposed = false;
                self.push(Frame::Paren { open, outer })
            }
            TokenKind::Minus => self.prefix(Prefix::Neg),
            TokenKind::Not => self.prefix(Prefix::Not),
            TokenKind::Quoted if self.mode.property => {
                let label = quoted_name(self.text_of(token)).to_string();
                self.leaf(ExprKind::Label(label))
            }
            TokenKind::Lt | TokenKind::LeftBracket if self.mode.property => self.coalition(),
            TokenKind::Keyword(word) => self.keyword_operand(word),
            _ => Err(self.no_operand()),
        }
    }

    fn no_operand(&mut self) -> Reported {
        if let Some(Frame::Temporal { bound, .. }) = self.frames.last()
            && bound.span.is_some()
        {
            let found = self.describe(self.token());
            self.error(
                codes::UNEXPECTED_TOKEN,
                self.span(),
                format!("expected a formula after the time bound, found {found}"),
                "the bound extends as far as possible; put it in parentheses: `F<=(t) x=1`",
            );
            return Reported;
        }
        self.unexpected("an expression")
    }

    fn keyword_operand(&mut self, word: Keyword) -> Parsed<Next> {
        let temporal = match word {
            Keyword::X => Some(Temporal::Next),
            Keyword::F => Some(Temporal::Finally),
            Keyword::G => Some(Temporal::Globally),
            _ => None,
        };
        match temporal {
            Some(op) if self.mode.path => {
                let start = self.advance().span(self.file);
                return self.time_bound(PendingTemporal::new(op, None, start));
            }
            Some(_) if self.mode.property => {
                let text = word.text();
                let message = format!("temporal operator `{text}` outside of `P`, `R`, `T`, `A` and `E`");
                let help = format!("write a probability, as in `P=? [ {text} … ]`");
                let outside =
                    Diagnostic::error(codes::PROPERTY_SYNTAX, message).at(self.span(), "").help(help);
                let fix = self.in_brackets("P=? [ ").filter(|_| self.begins_property());
                self.report(fix.into_iter().fold(outside, Diagnostic::fix));
                return Err(Reported);
            }
            Some(_)
                if matches!(
                    self.ahead(1).kind,
                    TokenKind::Ident | TokenKind::Quoted | TokenKind::LeftParen
                ) =>
            {
                let text = word.text();
                self.error(
                    codes::UNEXPECTED_TOKEN,
                    self.span(),
                    format!("the temporal operator `{text}` may be used in properties only"),
                    "",
                );
                return Err(Reported);
            }
            None if self.ahead(1).kind == TokenKind::Eq
                && self.ahead(2).kind == TokenKind::Question
                && !self.mode.property =>
            {
                let text = word.text();
                self.error(
                    codes::UNEXPECTED_TOKEN,
                    self.span(),
                    format!("the operator `{text}` may be used in properties only"),
                    "write properties in a property file or after `--prop`",
                );
                return Err(Reported);
            }
            _ => {}
        }
        if self.mode.property
            && let Some(result) = self.property_operator(word)
        {
            return result;
        }
        if self.mode.juxtaposed || opens_or_closes(word) && !self.looks_like_name() {
            return Err(self.no_operand());
        }
        // A reserved word used as a name: report it, and continue as if it were a name.
        self.reserved(word);
        self.leaf(ExprKind::Ident(word.text().to_string()))
    }

    fn prefix(&mut self, op: Prefix) -> Parsed<Next> {
        let start = self.advance().span(self.file);
        let (text, own) = match op {
            Prefix::Not => ("!", level::NOT),
            Prefix::Neg => ("-", level::NEG),
        };
        let outer = self.frames.last().and_then(Frame::level).unwrap_or(0);
        if outer > own && outer != level::POW && outer != level::ATOM {
            self.error(
                codes::UNEXPECTED_TOKEN,
                start,
                format!("`{text}` binds more weakly than the operator before it"),
                &format!("put `{text}` and its operand in parentheses: `({text}…)`"),
            );
        }
        self.push(Frame::Prefix { op, start })
    }

    /// Behind an operand.
    fn after_operand(&mut self, operand: ExprId) -> Parsed<Next> {
        if let Some(op) = self.binary_operator() {
            return self.binary(op, operand);
        }
        match self.peek() {
            TokenKind::Or => self.conditional(operand),
            TokenKind::Keyword(Keyword::U | Keyword::W | Keyword::R) if self.mode.path => self.until(operand),
            TokenKind::Question => {
                self.advance();
                let cond = self.reduce(operand, level::ITE + 1)?;
                self.push(Frame::IteYes { cond })
            }
            TokenKind::Colon => self.colon(operand),
            _ => {
                let expr = self.reduce(operand, 0)?;
                self.close(expr)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, operand: ExprId) -> Parsed<Next> {
        let span = self.last_span();
        let binding = level::binary(op);
        let lhs = self.reduce(operand, binding)?;
        if op == BinaryOp::Pow {
            let ambiguous = match self.exprs.get(lhs).kind {
                ExprKind::Binary { op: BinaryOp::Pow, .. } => true,
                _ => matches!(self.frames.last(), Some(Frame::Prefix { op: Prefix::Neg, .. })),
            };
            if ambiguous {
                self.error(
                    codes::UNEXPECTED_TOKEN,
                    span,
                    "this `^` is ambiguous",
                    "put one of the operations in parentheses: `-(a^b)`, `a^(b^c)`",
                );
            }
        }
        self.push(Frame::Binary { op, lhs })
    }

    /// `a U b`, `a W b`, `a R b`.
    fn until(&mut self, operand: ExprId) -> Parsed<Next> {
        let token = self.advance();
        let op = match token.kind {
            TokenKind::Keyword(Keyword::U) => Temporal::Until,
            TokenKind::Keyword(Keyword::W) => Temporal::WeakUntil,
            _ => Temporal::Release,
        };
        let lhs = self.reduce(operand, level::TEMPORAL)?;
        if let Some(Frame::Temporal { .. }) = self.frames.last() {
            let text = self.text_of(token);
            self.error(
                codes::PROPERTY_SYNTAX,
                token.span(self.file),
                format!("`{text}` after another `U`, `W` or `R` needs parentheses"),
                "write `(a U b) U c` or `a U (b U c)`",
            );
            return Err(Reported);
        }
        let start = self.exprs.span(lhs);
        self.time_bound(PendingTemporal::new(op, Some(lhs), start))
    }

    fn colon(&mut self, operand: ExprId) -> Parsed<Next> {
        // Finish what stands in the middle of `c ? … :`, but not what encloses it.
        let expr = self.reduce(operand, 0)?;
        match self.frames.last() {
            Some(Frame::IteYes { cond }) => {
                let cond = *cond;
                self.frames.pop();
                self.advance();
                self.push(Frame::IteNo { cond, yes: expr })
            }
            _ => self.close(expr),
        }
    }

    /// Finishes the pending operators that bind at least as tightly as `least`.
    pub(super) fn reduce(&mut self, operand: ExprId, least: u8) -> Parsed<ExprId> {
        let mut operand = operand;
        while self.frames.last().and_then(Frame::level).is_some_and(|l| l >= least) {
            let Some(frame) = self.frames.pop() else { break };
            operand = self.build(frame, operand)?;
        }
        Ok(operand)
    }

    fn build(&mut self, frame: Frame, operand: ExprId) -> Parsed<ExprId> {
        let end = self.exprs.span(operand);
        match frame {
            Frame::Binary { op, lhs } => {
                let span = self.exprs.span(lhs).to(end);
                self.add(ExprKind::Binary { op, lhs, rhs: operand }, span)
            }
            Frame::Prefix { op, start } => {
                let kind = match op {
                    Prefix::Not => ExprKind::Not(operand),
                    Prefix::Neg => ExprKind::Neg(operand),
                };
                self.add(kind, start.to(end))
            }
            Frame::Temporal { pending, bound } => {
                let PendingTemporal { op, lhs, start, .. } = pending;
                self.add(ExprKind::Temporal { op, lhs, rhs: operand, bound }, start.to(end))
            }
            Frame::IteNo { cond, yes } => {
                let span = self.exprs.span(cond).to(end);
                self.add(ExprKind::Ite { cond, yes, no: operand }, span)
            }
            Frame::Conditional { path } => {
                let span = self.exprs.span(path).to(end);
                self.add(ExprKind::Conditional { path, given: operand }, span)
            }
            Frame::Strategy { coalition } => {
                let span = coalition.span.to(end);
                self.add(ExprKind::Strategy { coalition, operands: vec![operand] }, span)
            }
            // Enclosures have no level, hence are never reduced.
            _ => Ok(operand),
        }
    }

    /// A complete expression inside an enclosure: the next token decides how to continue.
    fn close(&mut self, expr: ExprId) -> Parsed<Next> {
        let Some(frame) = self.frames.pop() else {
            return Ok(Next::Done(expr));
        };
        match frame {
            Frame::IteYes { .. } => Err(self.unexpected("`:` and the value for `false` (`c ? a : b`)")),
            Frame::Paren { open, outer } => {
                let close = self.closing(TokenKind::RightParen, open)?;
                self.mode = outer;
                Ok(Next::Have(self.add(ExprKind::Paren(expr), open.to(close))?))
            }
            Frame::Arguments { callee, mut args, start, mark, outer } => {
                args.push(expr);
                if self.take(TokenKind::Comma) {
                    return self.push(Frame::Arguments { callee, args, start, mark, outer });
                }
                let close = self.expect(TokenKind::RightParen, "or `,` after the argument")?;
                self.mode = outer;
                let kind = match callee {
                    Callee::Function(function) => ExprKind::Call { function, args },
                    Callee::Strategy => match self.coalitions.pop() {
                        Some(coalition) => ExprKind::Strategy { coalition, operands: args },
                        None => ExprKind::Error,
                    },
                    Callee::Unknown => {
                        self.exprs.truncate(mark);
                        ExprKind::Error
                    }
                };
                Ok(Next::Have(self.add(kind, start.to(close))?))
            }
            frame => self.close_property_part(frame, expr),
        }
    }

    /// The closing token of a pair; where it is missing, the opening one is shown.
    pub(super) fn closing(&mut self, kind: TokenKind, open: Span) -> Parsed<Span> {
        if self.peek() == kind {
            return Ok(self.advance().span(self.file));
        }
        if self.is_excused() {
            return Err(Reported);
        }
        let wanted = kind.spelling().unwrap_or("…");
        let message = format!("expected `{wanted}`, found {}", self.describe(self.token()));
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
            .at(self.span(), "")
            .also(open, "to close this");
        let fix = Fix::behind(format!("add `{wanted}`"), self.last_span(), wanted);
        let diagnostic = self.hinted(diagnostic, Some(fix));
        self.report(diagnostic);
        Err(Reported)
    }
}
