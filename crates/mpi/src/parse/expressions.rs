//! Expressions: precedence climbing.

use super::KEYWORDS;
use super::cursor::{Cursor, Parsed};
use crate::lex::Kind;
use crate::syntax::{Atomic, Expr, ExprKind, Place};
use crate::system::{Binary, Unary};
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// Operators with their precedence; higher ones bind tighter. All associate to the left.
const OPERATORS: [(&str, u32, Binary); 13] = [
    ("||", 1, Binary::Or),
    ("&&", 2, Binary::And),
    ("==", 3, Binary::Equal),
    ("!=", 3, Binary::NotEqual),
    ("<", 4, Binary::Less),
    ("<=", 4, Binary::LessEqual),
    (">", 4, Binary::Greater),
    (">=", 4, Binary::GreaterEqual),
    ("+", 5, Binary::Add),
    ("-", 5, Binary::Subtract),
    ("*", 6, Binary::Multiply),
    ("/", 6, Binary::Divide),
    ("%", 6, Binary::Remainder),
];

impl Cursor<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|c| {
            let condition = c.binary(1)?;
            if !c.take("?") {
                return Ok(condition);
            }
            let yes = c.expression()?;
            c.sign(":")?;
            let no = c.expression()?;
            let span = condition.span.to(no.span);
            c.whole(ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no)), span)
        })
    }

    /// An expression, unless it is too deep.
    fn whole(&mut self, kind: ExprKind, span: Span) -> Parsed<Expr> {
        let expr = Expr::new(kind, span);
        self.check_depth(expr.depth)?;
        Ok(expr)
    }

    /// Operations of at least some precedence.
    fn binary(&mut self, least: u32) -> Parsed<Expr> {
        let mut left = self.unary()?;
        loop {
            if let Kind::Sign(sign @ ("&" | "|")) = self.token().kind {
                let span = self.token().span;
                let diagnostic =
                    Diagnostic::error(codes::PRIMITIVE_SYNTAX, "there are no operations on bits")
                        .at(span, format!("write `{sign}{sign}`"));
                return self.refuse(diagnostic);
            }
            let Kind::Sign(sign) = self.token().kind else { return Ok(left) };
            let Some(&(_, precedence, operator)) = OPERATORS.iter().find(|o| o.0 == sign && o.1 >= least)
            else {
                return Ok(left);
            };
            self.advance();
            let right = self.binary(precedence + 1)?;
            let span = left.span.to(right.span);
            left = self.whole(ExprKind::Binary(operator, Box::new(left), Box::new(right)), span)?;
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let operator = match self.token().kind {
            Kind::Sign("-") => Unary::Negate,
            Kind::Sign("!") => Unary::Not,
            _ => return self.operand(),
        };
        let start = self.advance().span;
        let operand = self.nested(Self::unary)?;
        let span = start.to(operand.span);
        self.whole(ExprKind::Unary(operator, Box::new(operand)), span)
    }

    fn operand(&mut self) -> Parsed<Expr> {
        let token = self.token();
        match token.kind {
            Kind::Number(value) => {
                self.advance();
                Ok(Expr::new(ExprKind::Number(value), token.span))
            }
            Kind::Decimal => {
                let diagnostic = Diagnostic::error(codes::PRIMITIVE_SYNTAX, "values are whole numbers")
                    .at(token.span, "decimal numbers stand behind `work` only");
                self.refuse(diagnostic)
            }
            Kind::Sign("(") => {
                self.advance();
                let inner = self.expression()?;
                self.sign(")")?;
                Ok(Expr { span: self.since(token.span), ..inner })
            }
            Kind::Word => self.named(),
            _ => self.expected("an expression"),
        }
    }

    /// What begins with a word.
    fn named(&mut self) -> Parsed<Expr> {
        let span = self.token().span;
        let word = self.word().unwrap_or_default();
        if word == "true" || word == "false" {
            self.advance();
            return Ok(Expr::new(ExprKind::Number(i64::from(word == "true")), span));
        }
        if let Some(operation) = Atomic::named(word) {
            return self.atomic(operation);
        }
        if KEYWORDS.contains(&word) {
            return self.expected("an expression");
        }
        if self.then_sign("(") {
            let name = self.name("a name")?;
            let arguments = self.arguments()?;
            let span = self.since(span);
            return self.whole(ExprKind::Call(name, arguments), span);
        }
        let place = self.place()?;
        let span = place.span;
        self.whole(ExprKind::Place(place), span)
    }

    fn atomic(&mut self, operation: Atomic) -> Parsed<Expr> {
        let start = self.advance().span;
        let (form, values) = operation.form();
        if !self.at_sign("(") {
            return self.expected(&format!("`(`: {form}"));
        }
        self.advance();
        let place = self.place()?;
        let mut arguments = Vec::new();
        while self.take(",") {
            arguments.push(self.expression()?);
        }
        if !self.at_sign(")") || arguments.len() != values {
            let span = self.token().span;
            let message = format!("this operation is written `{form}`");
            return self.refuse(Diagnostic::error(codes::PRIMITIVE_SYNTAX, message).at(span, "not so here"));
        }
        self.advance();
        let span = self.since(start);
        self.whole(ExprKind::Operation(operation, place, arguments), span)
    }

    /// `(a, b)`
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.sign("(")?;
        let mut arguments = Vec::new();
        if self.take(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression()?);
            if !self.take(",") {
                break;
            }
        }
        self.sign(")")?;
        Ok(arguments)
    }

    /// `name[i][j].field[k]`
    pub(super) fn place(&mut self) -> Parsed<Place> {
        let start = self.token().span;
        let name = self.name("a variable")?;
        let indices = self.indices()?;
        let field = if self.take(".") {
            let field = self.name("a field")?;
            Some((field, self.indices()?))
        } else {
            None
        };
        Ok(Place { name, indices, field, span: self.since(start) })
    }

    fn indices(&mut self) -> Parsed<Vec<Expr>> {
        let mut indices = Vec::new();
        while self.take("[") {
            indices.push(self.expression()?);
            self.sign("]")?;
        }
        Ok(indices)
    }
}
