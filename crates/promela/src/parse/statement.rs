//! Sequences and statements.

use super::cursor::{Parse, Parser};
use super::recover::begins_unit;
use super::unexpected::describe;
use crate::ast::{ExprId, ExprKind, Name, Sequence, Statement, StatementKind};
use crate::place::PlaceInfo;
use crate::token::{Keyword, Kind};
use volvelle_diagnostics::{Diagnostic, Fix, codes};

impl Parser {
    /// `{ statements }`
    pub fn block(&mut self) -> Parse<Sequence> {
        let open = self.info();
        self.expect(Kind::LeftBrace, "`{`")?;
        let sequence = self.deeper(Parser::sequence)?;
        if self.token().kind != Kind::RightBrace {
            return Err(self.unexpected_with("`;` or `}`", Some(open)));
        }
        self.bump();
        Ok(sequence)
    }

    /// Statements up to the token that closes the enclosing construct.
    fn sequence(&mut self) -> Parse<Sequence> {
        let mut statements = Vec::new();
        let start = self.info();
        if self.eat_separator() {
            let message = format!("{} with nothing before it", describe_separator(self.previous));
            let fix = Fix::remove("leave it out", start.span).certain();
            let separator = Diagnostic::error(codes::PROMELA_SYNTAX, message).fix(fix);
            self.report_at(separator, start, "leave it out");
            while self.eat_separator() {}
        }
        if self.at_close() {
            let found = describe(self.token());
            let left_open = self.at_end() || begins_unit(self.token().kind);
            if !left_open && self.reported_at != Some(self.info()) {
                let message = format!("expected a statement, found {found}");
                let info = self.info();
                self.error(codes::PROMELA_SYNTAX, info, message, "`skip` does nothing");
                self.reported_at = None;
            }
            return Ok(Sequence { statements });
        }
        while !self.at_close() {
            let begin = self.at;
            match self.step() {
                Ok(statement) => statements.push(statement),
                Err(_) => {
                    self.skip_statement(begin);
                    if self.at == begin
                        && !self.at_close()
                        && self.peek() != Kind::Semi
                        && self.peek() != Kind::Arrow
                    {
                        self.advance();
                    }
                    let place = self.place_from(start);
                    statements.push(Statement { labels: Vec::new(), kind: StatementKind::Error, place });
                    self.previous = Kind::RightBrace;
                }
            }
            self.separator();
        }
        Ok(Sequence { statements })
    }

    /// The separator between two statements.
    fn separator(&mut self) {
        let mut found = false;
        while self.eat_separator() {
            found = true;
        }
        let excused = matches!(self.previous, Kind::RightBrace | Kind::Keyword(Keyword::Else));
        if found || excused || self.at_close() || self.token().starts_line {
            return;
        }
        let end = self.last;
        if self.reported_at == Some(self.info()) {
            return self.behind_mistake();
        }
        let token = self.token().clone();
        if self.mistake(&token).is_some() {
            self.behind_mistake();
            return;
        }
        let starts = matches!(token.kind, Kind::Word | Kind::Keyword(_) | Kind::LeftBrace | Kind::LeftParen);
        if starts && token.kind != Kind::Keyword(Keyword::Unless) {
            let at = PlaceInfo {
                span: volvelle_diagnostics::Span { start: end.span.end.saturating_sub(1), ..end.span },
                ..end
            };
            let message = format!("expected `;` before {}", describe(&token));
            let fix = Fix::behind("add `;`", end.span, ";").certain_if(end.through.is_none());
            self.report_at(Diagnostic::error(codes::MISSING_SEPARATOR, message).fix(fix), at, "");
            return;
        }
        self.unexpected("`;`");
        self.behind_mistake();
    }

    /// Skips the rest of a statement, with the separators after it.
    fn behind_mistake(&mut self) {
        let begin = self.at;
        self.skip_statement(begin);
        if self.at == begin && !self.at_close() && !matches!(self.token().kind, Kind::Semi | Kind::Arrow) {
            self.advance();
        }
        self.previous = Kind::RightBrace;
        while self.eat_separator() {}
        self.previous = Kind::RightBrace;
    }

    /// A declaration, or a statement with its labels and its `unless`.
    fn step(&mut self) -> Parse<Statement> {
        let mut labels = Vec::new();
        while self.at_label() {
            let token = self.bump();
            labels.push(self.name(&token));
            self.bump();
        }
        let start = self.info();
        if self.begins_declaration() {
            let declaration = self.declaration()?;
            self.no_label(&labels);
            let place = declaration.place;
            return Ok(Statement {
                labels: Vec::new(),
                kind: StatementKind::Declaration(declaration),
                place,
            });
        }
        if matches!(self.token().kind, Kind::Keyword(Keyword::Xr | Keyword::Xs)) {
            let receive = self.bump().kind == Kind::Keyword(Keyword::Xr);
            let mut channels = vec![self.variable()?];
            while self.eat(Kind::Comma) {
                channels.push(self.variable()?);
            }
            self.no_label(&labels);
            let place = self.place_from(start);
            let kind = StatementKind::Exclusive { receive, channels };
            return Ok(Statement { labels: Vec::new(), kind, place });
        }
        if !labels.is_empty() && (self.at_close() || matches!(self.token().kind, Kind::Semi | Kind::Arrow)) {
            // A label alone stands before a statement that does nothing.
            let one = self.model.exprs.add(ExprKind::Number(1), labels[0].place);
            let place = labels[0].place;
            return Ok(Statement { labels, kind: StatementKind::Expression(one), place });
        }
        let main = self.statement(labels)?;
        if self.peek() != Kind::Keyword(Keyword::Unless) {
            return Ok(main);
        }
        self.unless(start, main)
    }

    fn at_label(&self) -> bool {
        self.token().kind == Kind::Word
            && self.kind_at(1) == Kind::Colon
            && (!self.proctypes.contains(&self.token().text) || self.kind_at(2) != Kind::Word)
    }

    fn no_label(&mut self, labels: &[Name]) {
        if let Some(label) = labels.first() {
            let info = self.model.places.get(label.place);
            let message = format!("the label `{}` precedes a declaration", label.text);
            self.error(codes::MISPLACED_LABEL, info, message, "put it before the next statement");
            self.reported_at = None;
        }
    }

    fn unless(&mut self, start: PlaceInfo, mut main: Statement) -> Parse<Statement> {
        self.bump();
        // A label of the main statement is one of the whole: both begin at the same place.
        let outer = std::mem::take(&mut main.labels);
        let mut labels = Vec::new();
        while self.at_label() {
            let token = self.bump();
            labels.push(self.name(&token));
            self.bump();
        }
        if let Some(label) = labels.first() {
            let info = self.model.places.get(label.place);
            let message = format!("the label `{}` precedes an escape", label.text);
            let help =
                "the first statement of an escape has no location of its own; label the statement after it";
            self.error(codes::MISPLACED_LABEL, info, message, help);
            self.reported_at = None;
        }
        let escape = self.statement(Vec::new())?;
        if self.peek() == Kind::Keyword(Keyword::Unless) {
            let info = self.info();
            let help = "write `{ { a } unless { b } } unless { c }`, or the other way round";
            return Err(self.error(
                codes::PROMELA_SYNTAX,
                info,
                "several `unless` in a row need braces",
                help,
            ));
        }
        let (main, escape) = (sides(main), sides(escape));
        let place = self.place_from(start);
        Ok(Statement { labels: outer, kind: StatementKind::Unless { main, escape }, place })
    }

    fn statement(&mut self, labels: Vec<Name>) -> Parse<Statement> {
        let start = self.info();
        let kind = self.deeper(Parser::statement_kind)?;
        let place = self.place_from(start);
        Ok(Statement { labels, kind, place })
    }

    fn statement_kind(&mut self) -> Parse<StatementKind> {
        let start = self.info();
        let word = match self.token().kind {
            Kind::LeftBrace => return Ok(StatementKind::Block(self.block()?)),
            Kind::Keyword(word) => word,
            Kind::Word => return self.simple(),
            _ => return Ok(StatementKind::Expression(self.expression()?)),
        };
        Ok(match word {
            Keyword::If => StatementKind::If(self.options(Keyword::Fi)?),
            Keyword::Do => StatementKind::Do(self.options(Keyword::Od)?),
            Keyword::For => return self.for_loop(),
            Keyword::Select => return self.select(),
            Keyword::Atomic => {
                self.bump();
                StatementKind::Atomic(self.block()?)
            }
            Keyword::DStep => {
                self.bump();
                StatementKind::DStep(self.block()?)
            }
            Keyword::Break => {
                self.bump();
                StatementKind::Break
            }
            Keyword::Goto => {
                self.bump();
                let token = self.expect(Kind::Word, "the name of a label")?;
                StatementKind::Goto(self.name(&token))
            }
            Keyword::Else => {
                self.bump();
                StatementKind::Expression(self.add(ExprKind::Else, start))
            }
            Keyword::Printf => return self.printf(),
            Keyword::Printm => {
                self.bump();
                let arg = self.enclosed(Kind::LeftParen, Kind::RightParen, |parser| {
                    if parser.peek() == Kind::Word { parser.variable() } else { parser.operand() }
                })?;
                StatementKind::Printm(arg)
            }
            Keyword::Assert => {
                self.bump();
                StatementKind::Assert(self.expression()?)
            }
            Keyword::SetPriority => {
                self.bump();
                let (pid, priority) = self.enclosed(Kind::LeftParen, Kind::RightParen, |parser| {
                    let pid = parser.expression()?;
                    parser.expect(Kind::Comma, "`,` and the priority")?;
                    Ok((pid, parser.expression()?))
                })?;
                StatementKind::Expression(self.add(ExprKind::SetPriority(pid, priority), start))
            }
            Keyword::Return => return self.return_value(),
            Keyword::CCode | Keyword::CDecl | Keyword::CState | Keyword::CTrack => {
                self.embedded();
                StatementKind::Error
            }
            _ => StatementKind::Expression(self.expression()?),
        })
    }

    /// A statement that begins with a name.
    fn simple(&mut self) -> Parse<StatementKind> {
        if self.at_inline() {
            return Ok(StatementKind::Block(self.inline_call(None)?));
        }
        let start = self.info();
        self.statement_of_c()?;
        let target = self.variable_or_remote()?;
        Ok(match self.peek() {
            Kind::Assign => {
                self.bump();
                if self.at_inline() {
                    return Ok(StatementKind::Block(self.inline_call(Some(target))?));
                }
                let value = self.expression()?;
                StatementKind::Assign { target, value }
            }
            Kind::Increment => {
                self.bump();
                StatementKind::Increment(target)
            }
            Kind::Decrement => {
                self.bump();
                StatementKind::Decrement(target)
            }
            Kind::Bang | Kind::BangBang => {
                let sorted = self.bump().kind == Kind::BangBang;
                StatementKind::Send { channel: target, sorted, args: self.sent()? }
            }
            Kind::Question | Kind::QuestionQuestion => {
                let random = self.bump().kind == Kind::QuestionQuestion;
                if self.peek() == Kind::LeftBracket {
                    let args = self.enclosed(Kind::LeftBracket, Kind::RightBracket, Parser::received)?;
                    let poll = self.add(ExprKind::Poll { channel: target, random, args }, start);
                    return Ok(StatementKind::Expression(self.expression_from(Some(poll))?));
                }
                let keep = self.peek() == Kind::Lt;
                let args = if keep {
                    self.enclosed(Kind::Lt, Kind::Gt, Parser::received)?
                } else {
                    self.received()?
                };
                StatementKind::Receive { channel: target, random, keep, args }
            }
            _ => StatementKind::Expression(self.expression_from(Some(target))?),
        })
    }

    /// A call of an inline: the statements of its body.
    fn inline_call(&mut self, target: Option<ExprId>) -> Parse<Sequence> {
        let Some(open) = self.open_inline(target)? else { return Ok(Sequence::default()) };
        let body = self.block();
        self.close_inline(open);
        // Errors in the body were reported; the call itself was read.
        Ok(body.unwrap_or_default())
    }

    /// The arguments of a send; `a(b, c)` is `a, b, c`.
    fn sent(&mut self) -> Parse<Vec<ExprId>> {
        let mut args = vec![self.expression()?];
        if self.peek() == Kind::LeftParen {
            args.extend(self.enclosed(Kind::LeftParen, Kind::RightParen, Parser::expressions)?);
        } else {
            while self.eat(Kind::Comma) {
                args.push(self.expression()?);
            }
        }
        Ok(args)
    }

    /// The alternatives of `if` and `do`.
    fn options(&mut self, end: Keyword) -> Parse<Vec<Sequence>> {
        let open = self.info();
        let word = self.bump();
        if self.token().kind != Kind::ColonColon {
            return self.no_options(word, open, end);
        }
        let mut options = Vec::new();
        while self.token().kind == Kind::ColonColon {
            self.bump();
            options.push(self.deeper(Parser::sequence)?);
        }
        if self.token().kind != Kind::Keyword(end) {
            let wanted = format!("`;`, `::` or `{}`", end.text());
            return Err(self.unexpected_with(&wanted, Some(open)));
        }
        self.bump();
        Ok(options)
    }

    fn for_loop(&mut self) -> Parse<StatementKind> {
        self.bump();
        let outer = self.parens;
        let open = self.info();
        self.expect(Kind::LeftParen, "`(`")?;
        self.parens += 1;
        let head = self.for_head(open);
        self.parens = outer;
        let head = head?;
        self.eat(Kind::Semi);
        if self.token().kind != Kind::LeftBrace && !self.at_close() {
            let info = self.info();
            let help = "write `for (…) { … }`, even for a single statement";
            return Err(self.error(codes::C_HABIT, info, "the body of a loop must be in braces", help));
        }
        let body = self.block()?;
        Ok(match head {
            (variable, collection, None) => StatementKind::ForIn { variable, collection, body },
            (variable, from, Some(to)) => StatementKind::For { variable, from, to, body },
        })
    }

    /// The head of a loop, from after `for (` to the `)`.
    fn for_head(&mut self, open: PlaceInfo) -> Parse<(ExprId, ExprId, Option<ExprId>)> {
        self.c_style_for(open)?;
        let variable = self.variable()?;
        let (from, to) = if self.peek() == Kind::Word && &*self.token().text == "in" {
            self.bump();
            (self.variable()?, None)
        } else {
            self.expect(Kind::Colon, "`:` and a range, or `in` and an array or channel")?;
            let (from, to) = self.range()?;
            (from, Some(to))
        };
        if self.peek() != Kind::RightParen {
            return Err(self.unexpected_with("`)`", Some(open)));
        }
        self.bump();
        Ok((variable, from, to))
    }

    fn range(&mut self) -> Parse<(ExprId, ExprId)> {
        let from = self.expression()?;
        self.expect(Kind::DotDot, "`..` and the end of the range")?;
        Ok((from, self.expression()?))
    }

    fn select(&mut self) -> Parse<StatementKind> {
        self.bump();
        let (variable, (from, to)) = self.enclosed(Kind::LeftParen, Kind::RightParen, |parser| {
            let variable = parser.variable()?;
            parser.expect(Kind::Colon, "`:` and a range")?;
            Ok((variable, parser.range()?))
        })?;
        Ok(StatementKind::Select { variable, from, to })
    }

    fn printf(&mut self) -> Parse<StatementKind> {
        self.bump();
        self.enclosed(Kind::LeftParen, Kind::RightParen, |parser| {
            let token = parser.expect(Kind::Text, "a string in quotes")?;
            let format = token.text[1..token.text.len() - 1].replace("\\\r\n", "").replace("\\\n", "");
            let args = if parser.eat(Kind::Comma) { parser.expressions()? } else { Vec::new() };
            Ok(StatementKind::Printf { format, args })
        })
    }

    fn return_value(&mut self) -> Parse<StatementKind> {
        let start = self.info();
        self.bump();
        let target = match self.calls.last() {
            Some(call) => call.target,
            None => {
                let help = "only inlines return values: `inline f(a) { return a + 1 }`, `x = f(3)`";
                return Err(self.error(codes::INLINE_CALL, start, "`return` outside of an inline", help));
            }
        };
        let value = self.expression()?;
        match target {
            Some(target) => Ok(StatementKind::Assign { target, value }),
            None => {
                let diagnostic = Diagnostic::error(
                    codes::INLINE_CALL,
                    "this inline returns a value that its call does not use",
                );
                Err(self.report_at(diagnostic, start, "write `x = name(…)`"))
            }
        }
    }
}

/// The statements of a side of `unless`.
fn sides(statement: Statement) -> Sequence {
    match statement.kind {
        StatementKind::Block(sequence) if statement.labels.is_empty() => sequence,
        _ => Sequence { statements: vec![statement] },
    }
}

fn describe_separator(kind: Kind) -> &'static str {
    if kind == Kind::Arrow { "`->`" } else { "`;`" }
}
