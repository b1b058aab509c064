//! Expressions and formulas: operator precedence, with an explicit stack.

use super::cursor::{Parse, Parser};
use super::operators::{UNARY, binary_text, binary_word, binding, is_temporal, unary_text};
use crate::ast::{BinaryOp, ChannelQuery, ExprId, ExprKind, UnaryOp};
use crate::place::{PlaceInfo, join};
use crate::token::{Keyword, Kind};
use volvelle_diagnostics::{Diagnostic, codes};

/// An operator that waits for its right operand.
enum Pending {
    Unary(UnaryOp, PlaceInfo),
    Binary(BinaryOp, ExprId, PlaceInfo),
}

impl Parser {
    /// The longest expression at this point.
    pub fn expression(&mut self) -> Parse<ExprId> {
        self.expression_from(None)
    }

    /// An expression whose first operand may have been parsed already.
    pub fn expression_from(&mut self, first: Option<ExprId>) -> Parse<ExprId> {
        let mut pending = Vec::new();
        let mut operand = first;
        loop {
            let mut value = match operand.take() {
                Some(value) => value,
                None => {
                    if self.prefixes(&mut pending) {
                        continue;
                    }
                    self.operand()?
                }
            };
            let Some((op, length)) = self.binary_operator() else {
                while let Some(top) = pending.pop() {
                    value = self.build(top, value);
                }
                return Ok(value);
            };
            let info = self.info();
            for _ in 0..length {
                self.bump();
            }
            while pending.last().is_some_and(|top| level(top) >= binding(op)) {
                if let Some(top) = pending.pop() {
                    value = self.build(top, value);
                }
            }
            pending.push(Pending::Binary(op, value, info));
        }
    }

    /// Parses a prefix operator; returns whether there was one.
    fn prefixes(&mut self, pending: &mut Vec<Pending>) -> bool {
        let info = self.info();
        let (op, length) = match self.token().kind {
            Kind::Minus => (UnaryOp::Neg, 1),
            Kind::Bang => (UnaryOp::Not, 1),
            Kind::Tilde => (UnaryOp::Complement, 1),
            Kind::BangBang => {
                pending.push(Pending::Unary(UnaryOp::Not, info));
                (UnaryOp::Not, 1)
            }
            Kind::LeftBracket if self.formula && self.at_joined(Kind::LeftBracket, Kind::RightBracket) => {
                (UnaryOp::Always, 2)
            }
            Kind::Lt if self.formula && self.at_joined(Kind::Lt, Kind::Gt) => (UnaryOp::Eventually, 2),
            Kind::Word if self.formula && self.is_prefix_word() => match &*self.token().text {
                "X" | "next" => (UnaryOp::Next, 1),
                "always" => (UnaryOp::Always, 1),
                "eventually" => (UnaryOp::Eventually, 1),
                _ => return false,
            },
            _ => return false,
        };
        for _ in 0..length {
            self.bump();
        }
        let span = info.span;
        let info = if length == 1 { info } else { join(&self.model.places, info, self.last) };
        debug_assert!(info.span.start == span.start);
        pending.push(Pending::Unary(op, info));
        true
    }

    /// Whether a word where an operand may begin is an operator, such as `X`, and not a name: one that an operand follows. Where
    /// both can be meant (`X -1`, `X U p`), it is a name if the model declares it.
    fn is_prefix_word(&self) -> bool {
        match self.kind_at(1) {
            Kind::LeftParen | Kind::Number | Kind::Char | Kind::Keyword(_) => true,
            Kind::Bang | Kind::BangBang | Kind::Tilde => true,
            Kind::LeftBracket => self.joined_at(1, Kind::LeftBracket, Kind::RightBracket),
            Kind::Lt => self.joined_at(1, Kind::Lt, Kind::Gt),
            Kind::Minus => !self.declared.contains(&self.token().text),
            Kind::Word => {
                let is_infix = binary_word(&self.token_at(1).text).is_some();
                !is_infix || !self.declared.contains(&self.token().text)
            }
            _ => false,
        }
    }

    /// The operator after an operand, and the number of its tokens.
    fn binary_operator(&self) -> Option<(BinaryOp, usize)> {
        let one = |op| Some((op, 1));
        match self.peek() {
            Kind::Plus if self.at_joined(Kind::Plus, Kind::Assign) => None,
            Kind::Minus if self.at_joined(Kind::Minus, Kind::Assign) => None,
            Kind::Backslash if self.formula && self.at_joined(Kind::Backslash, Kind::Slash) => {
                Some((BinaryOp::Or, 2))
            }
            Kind::Slash if self.formula && self.at_joined(Kind::Slash, Kind::Backslash) => {
                Some((BinaryOp::And, 2))
            }
            Kind::Lt if self.formula && self.at_joined(Kind::Lt, Kind::Arrow) => {
                Some((BinaryOp::Equivalent, 2))
            }
            Kind::Arrow if self.formula => one(BinaryOp::Implies),
            Kind::Word if self.formula => binary_word(&self.token().text).map(|op| (op, 1)),
            Kind::Plus => one(BinaryOp::Add),
            Kind::Minus => one(BinaryOp::Sub),
            Kind::Star => one(BinaryOp::Mul),
            Kind::Slash => one(BinaryOp::Div),
            Kind::Percent => one(BinaryOp::Rem),
            Kind::Amp => one(BinaryOp::BitAnd),
            Kind::Bar => one(BinaryOp::BitOr),
            Kind::Caret => one(BinaryOp::BitXor),
            Kind::ShiftLeft => one(BinaryOp::Shl),
            Kind::ShiftRight => one(BinaryOp::Shr),
            Kind::Lt => one(BinaryOp::Lt),
            Kind::Le => one(BinaryOp::Le),
            Kind::Gt => one(BinaryOp::Gt),
            Kind::Ge => one(BinaryOp::Ge),
            Kind::EqualEqual => one(BinaryOp::Eq),
            Kind::NotEqual => one(BinaryOp::Ne),
            Kind::AmpAmp => one(BinaryOp::And),
            Kind::BarBar => one(BinaryOp::Or),
            _ => None,
        }
    }

    fn expr_info(&self, id: ExprId) -> PlaceInfo {
        self.model.places.get(self.model.exprs.get(id).place)
    }

    fn build(&mut self, pending: Pending, operand: ExprId) -> ExprId {
        let end = self.expr_info(operand);
        let (kind, info) = match pending {
            Pending::Unary(op, start) => {
                let info = join(&self.model.places, start, end);
                match op {
                    UnaryOp::Not => self.check_negation(operand, start),
                    UnaryOp::Neg | UnaryOp::Complement => self.check_operand(unary_text(op), start, operand),
                    UnaryOp::Always | UnaryOp::Eventually | UnaryOp::Next => {}
                }
                (ExprKind::Unary { op, arg: operand }, info)
            }
            Pending::Binary(op, lhs, operator) => {
                let op = self.checked_operator(op, lhs, operand, operator);
                let info = join(&self.model.places, self.expr_info(lhs), end);
                (ExprKind::Binary { op, lhs, rhs: operand }, info)
            }
        };
        let temporal = match kind {
            ExprKind::Unary { op: UnaryOp::Always | UnaryOp::Eventually | UnaryOp::Next, .. } => true,
            ExprKind::Unary { arg, .. } => self.temporal.contains(&arg),
            ExprKind::Binary { op, lhs, rhs } => {
                is_temporal(op) || self.temporal.contains(&lhs) || self.temporal.contains(&rhs)
            }
            _ => false,
        };
        let place = self.model.places.add(info);
        let id = self.model.exprs.add(kind, place);
        if temporal {
            self.temporal.insert(id);
        }
        id
    }

    /// The operator that is meant, once its operands are known. Arithmetic cannot be applied to temporal formulas.
    fn checked_operator(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId, operator: PlaceInfo) -> BinaryOp {
        if binding(op) <= binding(BinaryOp::Until) {
            return op;
        }
        let logical = match op {
            BinaryOp::BitAnd => BinaryOp::And,
            BinaryOp::BitOr => BinaryOp::Or,
            _ => {
                self.check_operand(binary_text(op), operator, lhs);
                self.check_operand(binary_text(op), operator, rhs);
                return op;
            }
        };
        if !self.temporal.contains(&lhs) && !self.temporal.contains(&rhs) {
            return op;
        }
        let (bits, meant) = (binary_text(op), binary_text(logical));
        let message = format!("`{bits}` is a bitwise operator; between formulas it is read as `{meant}`");
        let help = format!("write `{meant}`, which binds less tightly than `{bits}`");
        self.report_at(Diagnostic::warning(codes::FORMULA_BINDING, message), operator, &help);
        self.reported_at = None;
        logical
    }

    /// Reports an arithmetic operator that is applied to a temporal formula.
    fn check_operand(&mut self, text: &str, operator: PlaceInfo, operand: ExprId) {
        if !self.temporal.contains(&operand) {
            return;
        }
        let message = format!("`{text}` needs values, but a temporal formula has none");
        let temporal = match self.model.exprs.get(operand).kind {
            ExprKind::Unary { op, .. } => unary_text(op),
            _ => "",
        };
        let help = match temporal {
            "" | "!" => String::new(),
            _ => format!("`{temporal}` binds tighter than `{text}`: write `{temporal} (a {text} b)`"),
        };
        self.error(codes::FORMULA_BINDING, operator, message, &help);
        self.reported_at = None;
    }

    fn check_negation(&mut self, operand: ExprId, operator: PlaceInfo) {
        if let ExprKind::Query { query, .. } = self.model.exprs.get(operand).kind {
            self.negated_query(query, operator);
        }
    }

    fn negated_query(&mut self, query: ChannelQuery, operator: PlaceInfo) {
        use ChannelQuery::{Empty, Full, Len, NonEmpty, NonFull};
        let (name, instead) = match query {
            Len => return,
            Empty => ("empty", "nempty"),
            NonEmpty => ("nempty", "empty"),
            Full => ("full", "nfull"),
            NonFull => ("nfull", "full"),
        };
        let diagnostic =
            Diagnostic::warning(codes::NEGATED_QUERY, format!("SPIN does not accept a negated `{name}`"));
        self.report_at(diagnostic, operator, &format!("write the equivalent `{instead}(…)`"));
        self.reported_at = None;
    }

    /// Expressions with commas between them.
    pub fn expressions(&mut self) -> Parse<Vec<ExprId>> {
        let mut list = vec![self.expression()?];
        while self.eat(Kind::Comma) {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    /// `( list )`, where the list may be empty.
    pub fn arguments(&mut self) -> Parse<Vec<ExprId>> {
        self.enclosed(Kind::LeftParen, Kind::RightParen, |parser| {
            if parser.peek() == Kind::RightParen { Ok(Vec::new()) } else { parser.expressions() }
        })
    }

    /// The number after `priority`, if that word is next.
    pub fn priority(&mut self) -> Parse<Option<ExprId>> {
        if !self.eat_keyword(Keyword::Priority) {
            return Ok(None);
        }
        if self.token().kind != Kind::Number {
            return Err(self.unexpected("a number"));
        }
        self.operand().map(Some)
    }
}

fn level(pending: &Pending) -> u8 {
    match pending {
        Pending::Unary(..) => UNARY,
        Pending::Binary(op, ..) => binding(*op),
    }
}
