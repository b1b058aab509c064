//! Statements.

use super::KEYWORDS;
use super::cursor::{Cursor, Parsed};
use crate::lex::Kind;
use crate::syntax::{Atomic, Block, Expr, ExprKind, Local, Place, Statement, StatementKind, Work};
use volvelle_diagnostics::{Diagnostic, Span, codes};

impl Cursor<'_> {
    /// `{ ... }`; what cannot be read in it is left out.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let open = self.sign("{")?;
        let mut statements = Vec::new();
        while !self.take("}") {
            if self.at_end() {
                let diagnostic = self.unexpected("`}`").also(open, "this block has no end");
                // What has been read is known nevertheless.
                let _ = self.refuse::<()>(diagnostic);
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
        self.sign("(")?;
        let condition = self.expression()?;
        if self.at_sign("=") {
            let span = self.token().span;
            let diagnostic = Diagnostic::error(codes::PRIMITIVE_SYNTAX, "a condition assigns nothing");
            return self.refuse(diagnostic.at(span, "write `==` to compare"));
        }
        self.sign(")")?;
        Ok(condition)
    }

    fn any_statement(&mut self) -> Parsed<Statement> {
        let start = self.token().span;
        match self.token().kind {
            Kind::Sign("{") => {
                let block = self.block()?;
                return Ok(Statement { kind: StatementKind::Block(block), span: start });
            }
            Kind::Sign(";") => {
                self.advance();
                return Ok(Statement { kind: StatementKind::Empty, span: start });
            }
            Kind::Word => {}
            _ => return self.expected("a statement"),
        }
        let word = self.word().unwrap_or_default();
        if let Some(kind) = self.with_body(word) {
            let (kind, span) = kind?;
            return Ok(Statement { kind, span });
        }
        let kind = self.simple(word)?;
        let span = self.since(start);
        self.sign(";")?;
        Ok(Statement { kind, span })
    }

    /// A statement with a body, if a word begins one; with its place up to the body.
    fn with_body(&mut self, word: &str) -> Option<Parsed<(StatementKind, Span)>> {
        if !matches!(word, "if" | "while" | "repeat" | "loop" | "for" | "either") {
            return None;
        }
        Some(self.statement_with_body(word))
    }

    fn statement_with_body(&mut self, word: &str) -> Parsed<(StatementKind, Span)> {
        let start = self.advance().span;
        Ok(match word {
            "if" => {
                let condition = self.condition()?;
                let span = self.since(start);
                let yes = self.boxed()?;
                let no = if self.take_word("else") { Some(self.boxed()?) } else { None };
                (StatementKind::If(condition, yes, no), span)
            }
            "while" => {
                let condition = self.condition()?;
                let span = self.since(start);
                (StatementKind::While(condition, self.boxed()?), span)
            }
            "repeat" => {
                let body = self.block()?;
                self.keyword("until")?;
                let condition = self.condition()?;
                self.sign(";")?;
                (StatementKind::Repeat(body, condition), start)
            }
            "loop" => (StatementKind::Loop(self.boxed()?), start),
            "for" => {
                self.sign("(")?;
                let name = self.name("the name of a constant, such as `for (r: 0..2)`")?;
                self.sign(":")?;
                let range = self.range()?;
                self.sign(")")?;
                let span = self.since(start);
                (StatementKind::For(name, range, self.boxed()?), span)
            }
            _ => {
                let mut ways = vec![self.block()?];
                self.word().filter(|word| *word == "or").map_or_else(|| self.expected("`or`"), |_| Ok(()))?;
                while self.take_word("or") {
                    ways.push(self.block()?);
                }
                (StatementKind::Either(ways), start)
            }
        })
    }

    /// A statement that ends with `;`.
    fn simple(&mut self, word: &str) -> Parsed<StatementKind> {
        Ok(match word {
            "local" => {
                self.advance();
                let mut locals = Vec::new();
                loop {
                    let name = self.name("the name of a local variable")?;
                    let (kind, initial) = self.kind_and_value()?;
                    locals.push(Local { name, kind, initial });
                    if !self.take(",") {
                        break;
                    }
                }
                StatementKind::Local(locals)
            }
            "read" | "write" | "enter" | "leave" => {
                self.advance();
                let place = self.place()?;
                match word {
                    "read" => StatementKind::Read(place),
                    "write" => StatementKind::Write(place),
                    "enter" => StatementKind::Enter(place),
                    _ => StatementKind::Leave(place),
                }
            }
            "sent" | "received" => {
                self.advance();
                let channel = self.place()?;
                let content = if self.take(",") { Some(self.expression()?) } else { None };
                match word {
                    "sent" => StatementKind::Sent(channel, content),
                    _ => StatementKind::Received(channel, content),
                }
            }
            "break" | "continue" => {
                self.advance();
                if word == "break" { StatementKind::Break } else { StatementKind::Continue }
            }
            "return" => {
                self.advance();
                StatementKind::Return(if self.at_sign(";") { None } else { Some(self.expression()?) })
            }
            "measure" => {
                self.advance();
                StatementKind::Measure(self.name("the name of a mark")?)
            }
            "work" => {
                self.advance();
                StatementKind::Work(self.work()?)
            }
            "assert" => {
                self.advance();
                StatementKind::Assert(self.condition()?)
            }
            _ if Atomic::named(word).is_some() => StatementKind::Evaluate(self.expression()?),
            "else" | "until" | "or" => {
                let before = match word {
                    "else" => "`if`",
                    "until" => "`repeat { }`",
                    _ => "`either { }`",
                };
                let span = self.token().span;
                let message = format!("`{word}` has no {before} before it");
                return self.refuse(Diagnostic::error(codes::PRIMITIVE_SYNTAX, message).at(span, ""));
            }
            _ if KEYWORDS.contains(&word) => return self.expected("a statement"),
            _ => self.assignment_or_call()?,
        })
    }

    fn work(&mut self) -> Parsed<Work> {
        if self.token().kind == Kind::Decimal {
            let span = self.advance().span;
            return Ok(Work::Decimal(self.under(span).to_owned()));
        }
        let value = self.expression()?;
        let text = self.under(value.span).to_owned();
        Ok(Work::Value(value, text))
    }

    fn assignment_or_call(&mut self) -> Parsed<StatementKind> {
        let start = self.token().span;
        if self.then_sign("(") {
            let name = self.name("a procedure")?;
            let arguments = self.arguments()?;
            let call = Expr::new(ExprKind::Call(name, arguments), self.since(start));
            self.check_depth(call.depth)?;
            if !self.at_sign(";") {
                return self.no_call(&call);
            }
            return Ok(StatementKind::Evaluate(call));
        }
        let place: Place = self.place()?;
        if !self.at_sign("=") {
            let mut diagnostic = self.unexpected("`=`");
            if let Some(meant) = volvelle_diagnostics::suggest(&place.name.text, KEYWORDS) {
                diagnostic = diagnostic.also(place.name.span, format!("did you mean `{meant}`?"));
            } else if place.indices.is_empty()
                && place.field.is_none()
                && self.token().kind == Kind::Sign(";")
            {
                let name = &place.name.text;
                diagnostic = diagnostic.help(format!(
                    "a procedure is called with parentheses: `{name}()`; a variable is read by `read {name}`"
                ));
            }
            return self.refuse(diagnostic);
        }
        self.advance();
        Ok(StatementKind::Assign(place, self.expression()?))
    }

    /// What looks like a call is followed by something else: perhaps a misspelt `while`.
    fn no_call(&mut self, call: &Expr) -> Parsed<StatementKind> {
        let ExprKind::Call(name, _) = &call.kind else { return self.expected("`;`") };
        let Some(meant) = volvelle_diagnostics::suggest(&name.text, ["if", "while", "for"]) else {
            self.sign(";")?;
            return self.expected("`;`");
        };
        let message = format!("`{}` is no statement with a body", name.text);
        self.refuse(
            Diagnostic::error(codes::PRIMITIVE_SYNTAX, message)
                .at(name.span, format!("did you mean `{meant}`?")),
        )
    }
}
