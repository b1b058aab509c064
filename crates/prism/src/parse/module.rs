//! Modules: variables and commands, or a renaming of another module.

use crate::ast::{
    Assignment, BinaryOp, Command, Declares, ExprId, ExprKind, Module, ModuleBody, Name, Rename, Update,
    Variable,
};
use crate::lex::{Keyword, TokenKind, shortened};
use crate::parse::cursor::{Parsed, Parser, Reported};
use crate::parse::frames::Mode;
use volvelle_diagnostics::{Fix, Span, codes};

type Unsupported = Vec<(&'static str, Span)>;

impl Parser<'_> {
    /// `module … endmodule`
    pub(super) fn module(&mut self, unsupported: &mut Unsupported) -> Parsed<Module> {
        let start = self.advance().span(self.file);
        let name = match self.name("the module") {
            Ok(name) => name,
            Err(Reported) => Name { text: String::new(), span: self.span() },
        };
        let body = if self.eat_defines() { self.renaming(&name) } else { Ok(self.module_body(unsupported)) };
        if body.is_err() {
            self.skip_to_endmodule();
        }
        self.end_of_block(Keyword::Endmodule, start, &format!("module `{}`", shortened(&name.text)));
        let body = match body {
            Ok(body) => body,
            Err(Reported) => {
                let named = (!name.text.is_empty()).then_some(name.span);
                self.keep_broken(Declares::Module, named, start);
                return Err(Reported);
            }
        };
        Ok(Module { name, body, span: start.to(self.last_span()) })
    }

    fn skip_to_endmodule(&mut self) {
        while !self.block_ends(Keyword::Endmodule) {
            self.advance();
        }
    }

    fn module_body(&mut self, unsupported: &mut Unsupported) -> ModuleBody {
        let mut variables: Vec<Variable> = Vec::new();
        let mut commands: Vec<Command> = Vec::new();
        let mut invariant = None;
        loop {
            let before = self.number();
            match self.peek() {
                TokenKind::Keyword(Keyword::Invariant) => {
                    invariant = Some(self.invariant());
                }
                _ if self.block_ends(Keyword::Endmodule) && self.ahead(1).kind != TokenKind::Colon => break,
                TokenKind::LeftBracket | TokenKind::Lt => {
                    commands.extend(self.command(unsupported).ok());
                }
                _ if self.ahead(1).kind == TokenKind::Colon => {
                    if !commands.is_empty() {
                        self.error(
                            codes::UNEXPECTED_TOKEN,
                            self.span(),
                            "variables are declared before the commands",
                            "move the declaration to the start of the module",
                        );
                    }
                    variables.extend(self.variable().ok());
                }
                _ => {
                    let _ = self.unexpected("a variable (`x : …`), a command (`[…] …`) or `endmodule`");
                    self.skip_statement();
                }
            }
            if self.number() == before {
                self.advance();
            }
        }
        ModuleBody::Plain { variables, commands, invariant }
    }

    /// `invariant e endinvariant` of timed automata: skipped, its place is kept.
    fn invariant(&mut self) -> Span {
        let start = self.advance().span(self.file);
        while !self.block_ends(Keyword::Endinvariant) {
            self.advance();
        }
        self.end_of_block(Keyword::Endinvariant, start, "this invariant");
        start.to(self.last_span())
    }

    /// `module b = a [x=y, …] endmodule`, from behind the `=`.
    fn renaming(&mut self, name: &Name) -> Parsed<ModuleBody> {
        let base = self.name(&format!("the module that `{}` is a copy of", name.text))?;
        self.expect(TokenKind::LeftBracket, "and the renamed names after the module")?;
        let mut renames = Vec::new();
        loop {
            let from = self.renamed_name()?;
            if self.peek() == TokenKind::Arrow || self.at_joined(TokenKind::Lt, TokenKind::Minus) {
                let length = if self.peek() == TokenKind::Arrow { 1 } else { 2 };
                let fix = Fix::replace("write `=`", self.joined_span(length), "=");
                self.slip(self.span(), "names are renamed with `=`", "write `old=new`", fix);
                if self.advance().kind == TokenKind::Lt {
                    self.advance();
                }
            } else {
                self.expect(TokenKind::Eq, "and the new name after the old one")?;
            }
            let to = self.renamed_name()?;
            renames.push(Rename { from, to });
            if !self.take(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightBracket, "or `,` after the renaming")?;
        Ok(ModuleBody::Renamed { base, renames })
    }

    /// As in PRISM, `min` and `max` may be renamed too.
    fn renamed_name(&mut self) -> Parsed<Name> {
        let token = self.token();
        if let TokenKind::Keyword(Keyword::Min | Keyword::Max) = token.kind {
            self.advance();
            return Ok(Name { text: self.text_of(token).to_string(), span: token.span(self.file) });
        }
        self.name("a variable, action or constant")
    }

    /// `[a] guard -> updates;`
    fn command(&mut self, unsupported: &mut Unsupported) -> Parsed<Command> {
        let start = self.span();
        let result = self.command_head(unsupported);
        let (action, guard, updates) = self.or_skip(result)?;
        self.semicolon("after the command");
        Ok(Command { action, guard, updates, span: start.to(self.last_span()) })
    }

    fn command_head(&mut self, unsupported: &mut Unsupported) -> Parsed<(Option<Name>, ExprId, Vec<Update>)> {
        let action = self.action(unsupported)?;
        self.repair_arrow();
        let guard = self.expression(Mode::PLAIN)?;
        self.expect(TokenKind::Arrow, "between the guard and the updates")?;
        let updates = self.updates()?;
        Ok((action, guard, updates))
    }

    /// `[a]`, `[]`; and of other model types, to be refused: `[a,b]`, `<a>`, `<>`.
    fn action(&mut self, unsupported: &mut Unsupported) -> Parsed<Option<Name>> {
        let open = self.advance();
        let start = open.span(self.file);
        let end = if open.kind == TokenKind::Lt { TokenKind::Gt } else { TokenKind::RightBracket };
        let mut action = None;
        if self.peek() != end {
            action = Some(self.name("the action")?);
        }
        while self.take(TokenKind::Comma) {
            self.name("the action")?;
            unsupported.push(("a command with several actions", start.to(self.last_span())));
        }
        let close = self.closing(end, start)?;
        if end == TokenKind::Gt {
            unsupported.push(("a command in `<>` (Markov automata)", start.to(close)));
        }
        Ok(action)
    }

    /// `[] x=0 => (x'=1);`: where a command has no `->` but an `=>` before an update, `->` was meant.
    fn repair_arrow(&mut self) {
        let mut ahead = 0;
        let mut candidate = None;
        loop {
            match self.ahead(ahead).kind {
                TokenKind::Arrow => return,
                TokenKind::End | TokenKind::Semicolon | TokenKind::Keyword(Keyword::Endmodule) => break,
                TokenKind::Implies
                    if self.ahead(ahead + 1).kind == TokenKind::LeftParen
                        && self.ahead(ahead + 3).kind == TokenKind::Prime
                        || self.ahead(ahead + 2).kind == TokenKind::Colon =>
                {
                    candidate = candidate.or(Some(self.number() + ahead));
                }
                _ => {}
            }
            ahead += 1;
        }
        if let Some(index) = candidate {
            let span = self.tokens()[index].span(self.file);
            let fix = Fix::replace("write `->`", span, "->");
            self.slip(span, "`=>` is implication; `->` separates guard and updates", "write `->`", fix);
            self.read_as(index, TokenKind::Arrow);
        }
    }

    fn updates(&mut self) -> Parsed<Vec<Update>> {
        let mut updates = vec![self.update(true)?];
        while self.take(TokenKind::Plus) {
            updates.push(self.update(false)?);
        }
        if updates.len() > 1
            && let Some(update) = updates.iter().find(|update| update.weight.is_none() && !update.interval)
        {
            let span = Span { end: update.span.start + 1, ..update.span };
            self.error(
                codes::UNEXPECTED_TOKEN,
                span,
                "each of several updates needs a probability or a rate",
                "write `p : (x'=…) + q : (x'=…)`",
            );
        }
        Ok(updates)
    }

    fn update(&mut self, first: bool) -> Parsed<Update> {
        let start = self.span();
        let mut weight = None;
        let mut interval = false;
        if !self.at_assignments() {
            if self.peek() == TokenKind::LeftBracket {
                self.interval()?;
                interval = true;
            } else if matches!(self.peek(), TokenKind::Semicolon | TokenKind::Colon) {
                return Err(self.unexpected("an update, such as `(x'=1)`, or `true` for none"));
            } else {
                weight = Some(self.expression(Mode::PLAIN)?);
            }
            if self.peek() != TokenKind::Colon {
                return Err(self.no_weight(weight, first));
            }
            self.advance();
        }
        let assignments = self.assignments()?;
        Ok(Update { weight, interval, assignments, span: start.to(self.last_span()) })
    }

    /// Whether the next tokens are an update rather than its probability.
    fn at_assignments(&self) -> bool {
        use TokenKind as T;
        match self.peek() {
            // `true` alone; a probability that starts with it would not be a number.
            T::Keyword(Keyword::True) => {
                matches!(self.ahead(1).kind, T::Semicolon | T::Plus | T::And | T::End)
                    || self.ahead(1).starts_line
            }
            T::LeftParen => self.ahead(2).kind == T::Prime || self.ahead(2).kind == T::Colon,
            T::Ident => self.ahead(1).kind == T::Prime,
            _ => false,
        }
    }

    /// `[a,b]` in the place of a probability: an interval model.
    fn interval(&mut self) -> Parsed<()> {
        let open = self.advance().span(self.file);
        let mark = self.exprs.len();
        self.expression(Mode::PLAIN)?;
        self.expect(TokenKind::Comma, "between the ends of the interval")?;
        self.expression(Mode::PLAIN)?;
        self.exprs.truncate(mark);
        self.closing(TokenKind::RightBracket, open)?;
        Ok(())
    }

    /// Reports a probability without a `:` behind it, which may be an update whose prime was forgotten.
    fn no_weight(&mut self, weight: Option<ExprId>, first: bool) -> Reported {
        if let Some(weight) = weight
            && let Some(name) = self.unprimed(weight)
        {
            let span = self.exprs.span(name);
            let text = self.under(span).to_string();
            let (message, help) =
                ("the variable changed by an update is primed", format!("write `({text}'=…)`"));
            self.slip(span, message, &help, Fix::behind(format!("write `{text}'`"), span, "'"));
            return Reported;
        }
        let place = if first {
            "after the probability, or an update such as `(x'=1)`"
        } else {
            "after the probability"
        };
        match self.expect(TokenKind::Colon, place) {
            Ok(_) => Reported,
            Err(reported) => reported,
        }
    }

    /// The name in `(x=e)` or in the first of `(x=e) & (y=f)`.
    fn unprimed(&self, expr: ExprId) -> Option<ExprId> {
        let mut expr = expr;
        loop {
            expr = match self.exprs.get(expr).kind {
                ExprKind::Binary { op: BinaryOp::And, lhs, .. } => lhs,
                ExprKind::Paren(inner) => {
                    let ExprKind::Binary { op: BinaryOp::Eq, lhs, .. } = self.exprs.get(inner).kind else {
                        return None;
                    };
                    return matches!(self.exprs.get(lhs).kind, ExprKind::Ident(_)).then_some(lhs);
                }
                _ => return None,
            };
        }
    }

    /// `(x'=1)&(y'=2)`, or `true` for no change.
    fn assignments(&mut self) -> Parsed<Vec<Assignment>> {
        if self.at_keyword(Keyword::True) {
            self.advance();
            return Ok(Vec::new());
        }
        let mut assignments = vec![self.assignment()?];
        loop {
            if self.at_joined(TokenKind::And, TokenKind::And) {
                let span = self.joined_span(2);
                let fix = Fix::replace("write `&`", span, "&");
                self.slip(span, "assignments are joined with `&`", "write `&`", fix);
                self.advance();
            }
            if self.peek() == TokenKind::Comma && self.ahead(1).kind == TokenKind::LeftParen {
                let span = self.span();
                let fix = Fix::replace("write `&`", span, " &");
                self.slip(span, "assignments are joined with `&`", "write `&`", fix);
            } else if self.peek() != TokenKind::And {
                return Ok(assignments);
            }
            self.advance();
            assignments.push(self.assignment()?);
        }
    }

    fn assignment(&mut self) -> Parsed<Assignment> {
        let start = self.span();
        if self.peek() == TokenKind::Ident && self.ahead(1).kind == TokenKind::Prime {
            self.error(
                codes::UNEXPECTED_TOKEN,
                start,
                "assignments are written in parentheses",
                "write `(x'=…)`",
            );
            return Err(Reported);
        }
        self.expect(TokenKind::LeftParen, "to start an assignment such as `(x'=1)`")?;
        let target = self.name("the variable to change")?;
        if self.at_joined(TokenKind::Colon, TokenKind::Eq) {
            let span = self.joined_span(2);
            let text = &target.text;
            let (help, fix) = (format!("write `({text}'=…)`"), Fix::replace("write `'=`", span, "'="));
            self.slip(span, "`:=` does not assign in PRISM", &help, fix);
            self.advance();
        } else if !self.take(TokenKind::Prime) {
            let help = format!("write `{}'`", target.text);
            let fix = Fix::behind(&help, target.span, "'");
            self.slip(target.span, "the variable changed by an update is primed", &help, fix);
        }
        if self.at_joined(TokenKind::Eq, TokenKind::Eq) {
            let span = self.joined_span(2);
            let fix = Fix::replace("write `=`", span, "=");
            self.slip(span, "PRISM assigns with `=`, not `==`", "write `=`", fix);
            self.advance();
            self.advance();
        } else if !self.eat_defines() {
            self.expect(TokenKind::Eq, "and the new value after the variable")?;
        }
        let value = self.expression(Mode::PLAIN)?;
        let close = self.closing(TokenKind::RightParen, start)?;
        Ok(Assignment { target, value, span: start.to(close) })
    }
}
