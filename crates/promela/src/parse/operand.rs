//! Operands: constants, names, conditional expressions, predicates on channels and processes.

use super::cursor::{Parse, Parser};
use crate::ast::{ChannelQuery, ExprId, ExprKind, Name, UnaryOp};
use crate::place::PlaceInfo;
use crate::token::{Keyword, Kind, Token, character_value};
use volvelle_diagnostics::{Diagnostic, codes};

impl Parser {
    pub fn add(&mut self, kind: ExprKind, start: PlaceInfo) -> ExprId {
        let place = self.place_from(start);
        self.model.exprs.add(kind, place)
    }

    pub fn name(&mut self, token: &Token) -> Name {
        Name { text: token.text.to_string(), place: self.place(token) }
    }

    pub fn operand(&mut self) -> Parse<ExprId> {
        let start = self.info();
        let Kind::Keyword(word) = self.token().kind else {
            return self.plain_operand();
        };
        let query = match word {
            Keyword::True | Keyword::Skip | Keyword::False => {
                self.bump();
                return Ok(self.add(ExprKind::Number(i64::from(word != Keyword::False)), start));
            }
            Keyword::Timeout => {
                self.bump();
                return Ok(self.add(ExprKind::Timeout, start));
            }
            Keyword::Run => return self.run(),
            Keyword::Enabled | Keyword::PcValue | Keyword::GetPriority => {
                self.bump();
                let arg = self.enclosed(Kind::LeftParen, Kind::RightParen, Parser::expression)?;
                let kind = match word {
                    Keyword::Enabled => ExprKind::Enabled(arg),
                    Keyword::PcValue => ExprKind::PcValue(arg),
                    _ => ExprKind::GetPriority(arg),
                };
                return Ok(self.add(kind, start));
            }
            Keyword::Len => ChannelQuery::Len,
            Keyword::Empty => ChannelQuery::Empty,
            Keyword::Nempty => ChannelQuery::NonEmpty,
            Keyword::Full => ChannelQuery::Full,
            Keyword::Nfull => ChannelQuery::NonFull,
            Keyword::CExpr | Keyword::CCode => {
                return Err(self.embedded());
            }
            _ => return Err(self.unexpected("an expression")),
        };
        self.bump();
        let channel = self.enclosed(Kind::LeftParen, Kind::RightParen, Parser::variable)?;
        Ok(self.add(ExprKind::Query { query, channel }, start))
    }

    fn plain_operand(&mut self) -> Parse<ExprId> {
        let start = self.info();
        match self.token().kind {
            Kind::Number => {
                let is_negated = self.previous == Kind::Minus;
                let token = self.bump();
                // As SPIN reads it: the least significant bits are left, -1 of what has more than 64.
                let value = token.text.parse::<i64>().unwrap_or(i64::MAX);
                if value > 1 << 31 || value == 1 << 31 && !is_negated {
                    let (text, used) = (shortened(&token.text), value as i32);
                    let message = format!("{text} does not fit into an `int`: {used} is used");
                    let diagnostic = Diagnostic::warning(codes::VALUE_CUT, message);
                    self.report_at(
                        diagnostic.note("an `int` has 32 bits, from -2147483648 to 2147483647"),
                        start,
                        "",
                    );
                    self.reported_at = None;
                }
                Ok(self.add(ExprKind::Number(value), start))
            }
            Kind::Char => {
                let token = self.bump();
                let value = character_value(&token.text);
                if value > 127 {
                    let message = format!("{} is not an ASCII character", token.text);
                    self.error(codes::UNEXPECTED_CHARACTER, start, message, "write its number");
                    self.reported_at = None;
                }
                Ok(self.add(ExprKind::Number(value), start))
            }
            Kind::LeftParen => self.parenthesis(),
            Kind::Word => {
                let operand = self.variable_or_remote()?;
                let random = self.peek() == Kind::QuestionQuestion;
                if (random || self.peek() == Kind::Question) && self.kind_at(1) == Kind::LeftBracket {
                    self.bump();
                    let args = self.enclosed(Kind::LeftBracket, Kind::RightBracket, Parser::received)?;
                    return Ok(self.add(ExprKind::Poll { channel: operand, random, args }, start));
                }
                Ok(operand)
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// `( expression )` or `(condition -> yes : no)`.
    fn parenthesis(&mut self) -> Parse<ExprId> {
        let start = self.info();
        let conditional = self.enclosed(Kind::LeftParen, Kind::RightParen, |parser| {
            let cond = parser.expression()?;
            if !parser.eat(Kind::Arrow) {
                return Ok((cond, None));
            }
            let yes = parser.expression()?;
            parser.expect(Kind::Colon, "`:` and the value if the condition is false (`(c -> a : b)`)")?;
            let no = parser.expression()?;
            Ok((cond, Some((yes, no))))
        })?;
        Ok(match conditional {
            (expr, None) => expr,
            (cond, Some((yes, no))) => self.add(ExprKind::Conditional { cond, yes, no }, start),
        })
    }

    fn run(&mut self) -> Parse<ExprId> {
        let start = self.info();
        self.bump();
        let token = self.expect(Kind::Word, "the name of a process type")?;
        let name = self.name(&token);
        let args = self.arguments()?;
        let priority = self.priority()?;
        Ok(self.add(ExprKind::Run { name, args, priority }, start))
    }

    /// A name with indices and fields.
    pub fn variable(&mut self) -> Parse<ExprId> {
        let start = self.info();
        if self.peek() != Kind::Word {
            return Err(self.unexpected("a variable"));
        }
        let token = self.bump();
        self.check_no_inline(&token)?;
        let name = self.name(&token);
        let mut expr = self.add(ExprKind::Name(name), start);
        if self.peek() == Kind::LeftBracket {
            expr = self.index(expr, start)?;
        }
        self.fields(expr, start)
    }

    fn index(&mut self, base: ExprId, start: PlaceInfo) -> Parse<ExprId> {
        let index = self.enclosed(Kind::LeftBracket, Kind::RightBracket, Parser::expression)?;
        let expr = self.add(ExprKind::Index { base, index }, start);
        self.no_second_index()?;
        Ok(expr)
    }

    fn no_second_index(&mut self) -> Parse<()> {
        if self.peek() != Kind::LeftBracket {
            return Ok(());
        }
        let info = self.info();
        let help = "make the inner array a field of a `typedef`: `a[i].b[j]`";
        Err(self.error(codes::PROMELA_SYNTAX, info, "arrays have one dimension", help))
    }

    fn fields(&mut self, base: ExprId, start: PlaceInfo) -> Parse<ExprId> {
        let mut expr = base;
        while self.eat(Kind::Dot) {
            let token = self.expect(Kind::Word, "the name of a field")?;
            let field = self.name(&token);
            expr = self.add(ExprKind::Field { base: expr, field }, start);
            if self.peek() == Kind::LeftBracket {
                expr = self.index(expr, start)?;
            }
        }
        Ok(expr)
    }

    /// A variable, or a label or variable of another process.
    pub fn variable_or_remote(&mut self) -> Parse<ExprId> {
        let start = self.info();
        let token = self.bump();
        self.check_no_inline(&token)?;
        let is_process = self.proctypes.contains(&token.text);
        let name = self.name(&token);
        let own = self.last;
        let mut pid = None;
        if self.peek() == Kind::LeftBracket {
            pid = Some(self.enclosed(Kind::LeftBracket, Kind::RightBracket, Parser::expression)?);
        }
        match self.peek() {
            Kind::At => {
                self.bump();
                let token = self.expect(Kind::Word, "the name of a label")?;
                let label = self.name(&token);
                Ok(self.add(ExprKind::RemoteLabel { process: name, pid, label }, start))
            }
            Kind::Colon if is_process => {
                self.bump();
                let variable = self.variable()?;
                Ok(self.add(ExprKind::RemoteVariable { process: name, pid, variable }, start))
            }
            _ => {
                let place = self.model.places.add(own);
                let mut expr = self.model.exprs.add(ExprKind::Name(name), place);
                if let Some(index) = pid {
                    expr = self.add(ExprKind::Index { base: expr, index }, start);
                    self.no_second_index()?;
                }
                self.fields(expr, start)
            }
        }
    }

    /// The arguments of a receive: variables, constants and `eval(…)`; `a(b, c)` is `a, b, c`.
    pub fn received(&mut self) -> Parse<Vec<ExprId>> {
        let mut list = Vec::new();
        let outer = self.parens;
        let result = self.received_into(&mut list);
        self.parens = outer;
        result.map(|()| list)
    }

    fn received_into(&mut self, list: &mut Vec<ExprId>) -> Parse<()> {
        let mut open: Vec<PlaceInfo> = Vec::new();
        while self.peek() == Kind::LeftParen {
            open.push(self.info());
            self.bump();
            self.parens += 1;
        }
        loop {
            list.push(self.received_one()?);
            if self.eat(Kind::Comma) {
                continue;
            }
            if self.peek() == Kind::LeftParen {
                open.push(self.info());
                self.bump();
                self.parens += 1;
                continue;
            }
            break;
        }
        while let Some(start) = open.pop() {
            if self.peek() != Kind::RightParen {
                return Err(self.unexpected_with("`)`", Some(start)));
            }
            self.bump();
            self.parens -= 1;
        }
        Ok(())
    }

    fn received_one(&mut self) -> Parse<ExprId> {
        let start = self.info();
        match self.token().kind {
            Kind::Keyword(Keyword::Eval) => {
                self.bump();
                let inner = self.enclosed(Kind::LeftParen, Kind::RightParen, Parser::expression)?;
                Ok(self.add(ExprKind::Eval(inner), start))
            }
            Kind::Minus => {
                self.bump();
                if self.token().kind != Kind::Number {
                    return Err(self.unexpected("a number"));
                }
                let arg = self.operand()?;
                Ok(self.add(ExprKind::Unary { op: UnaryOp::Neg, arg }, start))
            }
            Kind::Number | Kind::Char | Kind::Keyword(Keyword::True | Keyword::False | Keyword::Skip) => {
                self.operand()
            }
            Kind::Word => self.variable(),
            _ => Err(self.unexpected("a variable, a constant or `eval(…)`")),
        }
    }
}

/// A number as a message shows it: long ones are cut off.
fn shortened(text: &str) -> String {
    if text.len() <= 30 { format!("`{text}`") } else { format!("`{}…`", &text[..30]) }
}
