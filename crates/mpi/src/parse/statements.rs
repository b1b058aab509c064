//! Statements.

use super::parser::{Parsed, Parser};
use crate::lex::{Kind, T};
use crate::syntax::{Atomic, Block, Expr, ExprKind, Local, Place, Statement, StatementKind, Work};
use volvelle_diagnostics::{Diagnostic, Fix, Span, codes, suggest};
use volvelle_syntax::Parse;

impl Parser<'_> {
    /// `{ ... }`; what cannot be read in it is left out.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let open = self.expect(T!["{"])?.span(self.file);
        let mut statements = Vec::new();
        while !self.take(T!["}"]) {
            if self.at_end() {
                let diagnostic = self.diagnostic("`}`").also(open, "this block has no end");
                // What has been read is known nevertheless.
                self.refuse(diagnostic);
                break;
            }
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(_) => self.skip_statement(),
            }
        }
        Ok(Block { statements })
    }

    fn statement(&mut self) -> Parsed<Statement> {
        self.nested(Self::any_statement)
    }

    fn boxed(&mut self) -> Parsed<Box<Statement>> {
        Ok(Box::new(self.statement()?))
    }

    /// `(condition)`
    fn condition(&mut self) -> Parsed<Expr> {
        self.expect(T!["("])?;
        let condition = self.expression()?;
        if self.at(T!["="]) {
            let diagnostic = Diagnostic::error(codes::PRIMITIVE_SYNTAX, "a condition assigns nothing");
            let fix = Fix::replace("write `==`", self.span(), "==").certain();
            return Err(self.refuse(diagnostic.at(self.span(), "write `==` to compare").fix(fix)));
        }
        self.expect(T![")"])?;
        Ok(condition)
    }

    fn any_statement(&mut self) -> Parsed<Statement> {
        let start = self.span();
        match self.peek() {
            T!["{"] => {
                let block = self.block()?;
                return Ok(Statement { kind: StatementKind::Block(block), span: start });
            }
            T![";"] => {
                self.advance();
                return Ok(Statement { kind: StatementKind::Empty, span: start });
            }
            T!["if"] | T!["while"] | T!["repeat"] | T!["loop"] | T!["for"] | T!["either"] => {
                let (kind, span) = self.statement_with_body()?;
                return Ok(Statement { kind, span });
            }
            _ => {}
        }
        let kind = self.simple()?;
        let span = self.since(start);
        self.expect(T![";"])?;
        Ok(Statement { kind, span })
    }

    /// A statement with a body, with its place up to the body.
    fn statement_with_body(&mut self) -> Parsed<(StatementKind, Span)> {
        let word = self.advance();
        let start = word.span(self.file);
        Ok(match word.kind {
            T!["if"] => {
                let condition = self.condition()?;
                let span = self.since(start);
                let yes = self.boxed()?;
                let no = if self.take(T!["else"]) { Some(self.boxed()?) } else { None };
                (StatementKind::If(condition, yes, no), span)
            }
            T!["while"] => {
                let condition = self.condition()?;
                let span = self.since(start);
                (StatementKind::While(condition, self.boxed()?), span)
            }
            T!["repeat"] => {
                let body = self.block()?;
                self.expect(T!["until"])?;
                let condition = self.condition()?;
                self.expect(T![";"])?;
                (StatementKind::Repeat(body, condition), start)
            }
            T!["loop"] => (StatementKind::Loop(self.boxed()?), start),
            T!["for"] => {
                self.expect(T!["("])?;
                let name = self.name("the name of a constant, such as `for (r: 0..2)`")?;
                self.expect(T![":"])?;
                let range = self.range()?;
                self.expect(T![")"])?;
                let span = self.since(start);
                (StatementKind::For(name, range, self.boxed()?), span)
            }
            _ => {
                let mut ways = vec![self.block()?];
                self.expect(T!["or"])?;
                ways.extend(self.separated(T!["or"], Self::block)?);
                (StatementKind::Either(ways), start)
            }
        })
    }

    /// A statement that ends with `;`.
    fn simple(&mut self) -> Parsed<StatementKind> {
        let word = self.word();
        match self.peek() {
            Kind::Name if word == "write" => {}
            Kind::Name => return self.assignment_or_call(),
            _ if Atomic::named(word).is_some() => return Ok(StatementKind::Evaluate(self.expression()?)),
            kind @ (T!["else"] | T!["until"] | T!["or"]) => {
                let before = match kind {
                    T!["else"] => "`if`",
                    T!["until"] => "`repeat { }`",
                    _ => "`either { }`",
                };
                return Err(self.wrong(format!("`{word}` has no {before} before it"), self.span(), ""));
            }
            T!["local"] | T!["read"] | T!["enter"] | T!["leave"] | T!["sent"] | T!["received"] => {}
            T!["break"] | T!["continue"] | T!["return"] | T!["measure"] | T!["work"] | T!["assert"] => {}
            _ => return Err(self.unexpected("a statement")),
        }
        Ok(match self.advance().kind {
            T!["local"] => StatementKind::Local(self.separated(T![","], |p| {
                let name = p.name("the name of a local variable")?;
                let (kind, initial) = p.kind_and_value()?;
                Ok(Local { name, kind, initial })
            })?),
            T!["read"] => StatementKind::Read(self.place()?),
            T!["enter"] => StatementKind::Enter(self.place()?),
            T!["leave"] => StatementKind::Leave(self.place()?),
            T!["sent"] => StatementKind::Sent(self.place()?, self.content()?),
            T!["received"] => StatementKind::Received(self.place()?, self.content()?),
            T!["break"] => StatementKind::Break,
            T!["continue"] => StatementKind::Continue,
            T!["return"] if self.at(T![";"]) => StatementKind::Return(None),
            T!["return"] => StatementKind::Return(Some(self.expression()?)),
            T!["measure"] => StatementKind::Measure(self.name("the name of a mark")?),
            T!["work"] => StatementKind::Work(self.work()?),
            T!["assert"] => StatementKind::Assert(self.condition()?),
            _ => StatementKind::Write(self.place()?),
        })
    }

    fn content(&mut self) -> Parsed<Option<Expr>> {
        if self.take(T![","]) { Ok(Some(self.expression()?)) } else { Ok(None) }
    }

    fn work(&mut self) -> Parsed<Work> {
        let text = self.word();
        if self.take(Kind::Decimal) {
            return Ok(Work::Decimal(text.to_owned()));
        }
        let value = self.expression()?;
        let text = self.under(value.span).to_owned();
        Ok(Work::Value(value, text))
    }

    fn assignment_or_call(&mut self) -> Parsed<StatementKind> {
        let start = self.span();
        if self.ahead(1).kind == T!["("] {
            let name = self.name("a procedure")?;
            let arguments = self.arguments()?;
            let call = Expr::new(ExprKind::Call(name, arguments), self.since(start));
            self.check_depth(call.depth)?;
            if !self.at(T![";"]) {
                return self.no_call(&call);
            }
            return Ok(StatementKind::Evaluate(call));
        }
        let place: Place = self.place()?;
        if !self.at(T!["="]) {
            let mut diagnostic = self.diagnostic("`=`");
            if let Some(meant) = suggest(&place.name.text, Kind::WORDS.iter().map(|(word, _)| *word)) {
                diagnostic = diagnostic.also(place.name.span, format!("did you mean `{meant}`?"));
                diagnostic = diagnostic.fix(Fix::instead(place.name.span, &place.name.text, meant));
            } else if place.indices.is_empty() && place.field.is_none() && self.at(T![";"]) {
                let name = &place.name.text;
                diagnostic = diagnostic.help(format!(
                    "a procedure is called with parentheses: `{name}()`; a variable is read by `read {name}`"
                ));
            }
            return Err(self.refuse(diagnostic));
        }
        self.advance();
        Ok(StatementKind::Assign(place, self.expression()?))
    }

    /// What looks like a call is followed by something else: perhaps a misspelt `while`.
    fn no_call(&mut self, call: &Expr) -> Parsed<StatementKind> {
        let ExprKind::Call(name, _) = &call.kind else { return Err(self.missing(T![";"])) };
        let message = format!("`{}` is no statement with a body", name.text);
        let diagnostic = Diagnostic::error(codes::PRIMITIVE_SYNTAX, message);
        let diagnostic = diagnostic.at_misspelt(name.span, &name.text, ["if", "while", "for"]);
        if diagnostic.fixes.is_empty() {
            return Err(self.missing(T![";"]));
        }
        Err(self.refuse(diagnostic))
    }
}
