//! Expressions.

use super::parser::{Parsed, Parser};
use crate::lex::{Kind, T, value};
use crate::syntax::{Atomic, Expr, ExprKind, Place};
use crate::system::{Binary, Unary};
use volvelle_diagnostics::{Diagnostic, Fix, Span, codes};
use volvelle_syntax::{Applied, Expressions, Infix, Parse, Spelt};

/// How tightly prefix operators bind.
const PREFIX: u8 = 7;

impl<'t> Expressions<'t> for Parser<'t> {
    type Value = Expr;
    type Prefix = Unary;
    /// None for the conditional.
    type Binary = Option<Binary>;

    fn prefix(&mut self, _: Option<u8>) -> Option<(Unary, u8)> {
        let operator = match self.peek() {
            T!["-"] => Unary::Negate,
            T!["!"] => Unary::Not,
            _ => return None,
        };
        self.advance();
        Some((operator, PREFIX))
    }

    fn infix(&mut self) -> Parsed<Option<Infix<Option<Binary>, Kind>>> {
        let left = |level, operator| Infix::left(level, Some(operator));
        Ok(Some(match self.peek() {
            T!["?"] => Infix::ternary(0, None, T![":"]),
            T!["||"] => left(1, Binary::Or),
            T!["&&"] => left(2, Binary::And),
            T!["=="] => left(3, Binary::Equal),
            T!["!="] => left(3, Binary::NotEqual),
            T!["<"] => left(4, Binary::Less),
            T!["<="] => left(4, Binary::LessEqual),
            T![">"] => left(4, Binary::Greater),
            T![">="] => left(4, Binary::GreaterEqual),
            T!["+"] => left(5, Binary::Add),
            T!["-"] => left(5, Binary::Subtract),
            T!["*"] => left(6, Binary::Multiply),
            T!["/"] => left(6, Binary::Divide),
            T!["%"] => left(6, Binary::Remainder),
            T!["&"] | T!["|"] => {
                let written = format!("{0}{0}", self.word());
                let label = format!("write `{written}`");
                let diagnostic =
                    Diagnostic::error(codes::PRIMITIVE_SYNTAX, "there are no operations on bits");
                let fix = Fix::replace(&label, self.span(), written).certain();
                return Err(self.refuse(diagnostic.at(self.span(), label).fix(fix)));
            }
            _ => return Ok(None),
        }))
    }

    fn apply(&mut self, applied: Applied<Unary, Option<Binary>, Expr>) -> Parsed<Expr> {
        let (kind, span) = match applied {
            Applied::Prefix(operator, at, operand) => {
                let span = at.to(operand.span);
                (ExprKind::Unary(operator, Box::new(operand)), span)
            }
            Applied::Binary(Some(operator), left, right) => {
                let span = left.span.to(right.span);
                (ExprKind::Binary(operator, Box::new(left), Box::new(right)), span)
            }
            Applied::Ternary(_, condition, yes, no) => {
                let span = condition.span.to(no.span);
                (ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no)), span)
            }
            // Only the conditional is no operation of two operands.
            Applied::Binary(None, operand, _) | Applied::Postfix(_, operand) => return Ok(operand),
        };
        self.whole(kind, span)
    }

    fn operand(&mut self) -> Parsed<Expr> {
        let span = self.span();
        match self.peek() {
            Kind::Number => {
                let value = value(self.word().as_bytes()).unwrap_or(0);
                self.advance();
                Ok(Expr::new(ExprKind::Number(value), span))
            }
            kind @ (T!["true"] | T!["false"]) => {
                self.advance();
                Ok(Expr::new(ExprKind::Number(i64::from(kind == T!["true"])), span))
            }
            Kind::Decimal => {
                let label = "decimal numbers stand behind `work` only";
                Err(self.wrong("values are whole numbers", span, label))
            }
            T!["("] => {
                self.advance();
                let inner = self.expression()?;
                self.expect(T![")"])?;
                Ok(Expr { span: self.since(span), ..inner })
            }
            Kind::Name if self.ahead(1).kind == T!["("] => {
                let name = self.name("a name")?;
                let arguments = self.arguments()?;
                self.whole(ExprKind::Call(name, arguments), self.since(span))
            }
            Kind::Name => {
                let place = self.place()?;
                let span = place.span;
                self.whole(ExprKind::Place(place), span)
            }
            _ => match Atomic::named(self.word()) {
                Some(operation) => self.atomic(operation),
                None => Err(self.unexpected("an expression")),
            },
        }
    }
}

/// Whether a token may begin the operand of `mod`.
pub(super) fn is_operand(kind: Kind) -> bool {
    matches!(kind, Kind::Name | Kind::Number | T!["("]) || kind.is_word()
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(Self::climb)
    }

    /// An expression, unless it is too deep.
    fn whole(&mut self, kind: ExprKind, span: Span) -> Parsed<Expr> {
        let expr = Expr::new(kind, span);
        self.check_depth(expr.depth)?;
        Ok(expr)
    }

    fn atomic(&mut self, operation: Atomic) -> Parsed<Expr> {
        let start = self.advance().span(self.file);
        let (form, values) = operation.form();
        if !self.at(T!["("]) {
            return Err(self.unexpected(&format!("`(`: {form}")));
        }
        self.advance();
        let place = self.place()?;
        let mut arguments = Vec::new();
        while self.take(T![","]) {
            arguments.push(self.expression()?);
        }
        if !self.at(T![")"]) || arguments.len() != values {
            let message = format!("this operation is written `{form}`");
            return Err(self.wrong(message, self.span(), "not so here"));
        }
        self.advance();
        let span = self.since(start);
        self.whole(ExprKind::Operation(operation, place, arguments), span)
    }

    /// `(a, b)`
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.expect(T!["("])?;
        self.separated_until(T![","], T![")"], Self::expression)
    }

    /// `name[i][j].field[k]`
    pub(super) fn place(&mut self) -> Parsed<Place> {
        let start = self.span();
        let name = self.name("a variable")?;
        let indices = self.indices()?;
        let field = if self.take(T!["."]) {
            let field = self.name("a field")?;
            Some((field, self.indices()?))
        } else {
            None
        };
        Ok(Place { name, indices, field, span: self.since(start) })
    }

    fn indices(&mut self) -> Parsed<Vec<Expr>> {
        let mut indices = Vec::new();
        while self.take(T!["["]) {
            indices.push(self.expression()?);
            self.expect(T!["]"])?;
        }
        Ok(indices)
    }
}
