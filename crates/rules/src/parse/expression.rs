//! Expressions and premises.

use super::{Parser, Reported, Result, unquoted};
use crate::ast::{Ask, Binary, Case, ExprId, ExprKind, Mapping, Param, TypeRef};
use crate::tokens::{Kind, T};
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_syntax::{Applied, Expressions, Infix, Parse};

#[derive(Clone, Copy)]
pub(crate) enum Prefix {
    Not,
    Negate,
}

#[derive(Clone, Copy)]
pub(crate) enum Operator {
    Binary(Binary),
    Member { safe: bool },
    InstanceOf,
    As,
}

impl<'t> Expressions<'t> for Parser<'t> {
    type Value = ExprId;
    type Prefix = Prefix;
    type Binary = Operator;

    fn prefix(&mut self, _: Option<u8>) -> Option<(Prefix, u8)> {
        match self.peek() {
            T!["!"] => self.advance(),
            T!["-"] => {
                self.advance();
                return Some((Prefix::Negate, 9));
            }
            _ => return None,
        };
        Some((Prefix::Not, 9))
    }

    fn operand(&mut self) -> Result<ExprId> {
        self.nested(Self::primary)
    }

    fn infix(&mut self) -> Result<Option<Infix<Operator, Kind>>> {
        use Binary as B;
        let left = |level, operator| Infix::left(level, Operator::Binary(operator));
        Ok(Some(match self.peek() {
            T!["="] => Infix::right(0, Operator::Binary(B::Assign)),
            T!["+="] => Infix::right(0, Operator::Binary(B::Add)),
            T!["||"] => left(1, B::Or),
            T!["&&"] => left(2, B::And),
            T!["=="] | T!["==="] => left(3, B::Equal),
            T!["!="] | T!["!=="] => left(3, B::Unequal),
            T!["<"] => left(4, B::Less),
            T!["<="] => left(4, B::AtMost),
            T![">"] => left(4, B::Greater),
            T![">="] => left(4, B::AtLeast),
            T!["instanceof"] => Infix::postfix(4, Operator::InstanceOf),
            T!["->"] => left(5, B::Pair),
            T!["?:"] => left(6, B::Elvis),
            T!["+"] => left(7, B::Plus),
            T!["-"] => left(7, B::Minus),
            T!["*"] => left(8, B::Times),
            T!["/"] => left(8, B::Over),
            T!["%"] => left(8, B::Modulo),
            T!["as"] => Infix::postfix(10, Operator::As),
            T!["."] => Infix::postfix(11, Operator::Member { safe: false }),
            T!["?."] => Infix::postfix(11, Operator::Member { safe: true }),
            _ => return Ok(None),
        }))
    }

    fn apply(&mut self, applied: Applied<Prefix, Operator, ExprId>) -> Result<ExprId> {
        match applied {
            Applied::Prefix(Prefix::Not, at, operand) => {
                let span = at.to(self.place_of(operand));
                self.build(ExprKind::Not(operand), span, &[operand])
            }
            Applied::Prefix(Prefix::Negate, at, operand) => {
                let span = at.to(self.place_of(operand));
                self.build(ExprKind::Negate(operand), span, &[operand])
            }
            Applied::Binary(Operator::Binary(operator), left, right) => {
                let span = self.place_of(left).to(self.place_of(right));
                self.build(ExprKind::Binary(operator, left, right), span, &[left, right])
            }
            Applied::Postfix(operator, operand) => self.postfix(operator, operand),
            Applied::Binary(..) | Applied::Ternary(..) => Err(self.unexpected("an operator of two operands")),
        }
    }
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<ExprId> {
        self.climb()
    }

    fn place_of(&self, expr: ExprId) -> Span {
        self.file.exprs[expr].span
    }

    fn build(&mut self, kind: ExprKind, span: Span, inner: &[ExprId]) -> Result<ExprId> {
        let depth = self.depth_of(inner);
        self.add(kind, span, depth)
    }

    fn postfix(&mut self, operator: Operator, operand: ExprId) -> Result<ExprId> {
        let start = self.place_of(operand);
        let (kind, mut inner) = match operator {
            Operator::InstanceOf => (ExprKind::InstanceOf(operand, self.ty()?), vec![]),
            Operator::As => (ExprKind::As(operand, self.ty()?), vec![]),
            Operator::Member { safe } => {
                let name = self.name_or("the name of a field or function", true)?;
                let args = self.arguments()?;
                let inner = args.clone().unwrap_or_default();
                (ExprKind::Member { on: operand, name, args, safe }, inner)
            }
            Operator::Binary(_) => return Err(self.unexpected("an operand")),
        };
        inner.push(operand);
        let span = self.since(start);
        self.build(kind, span, &inner)
    }

    /// `(a, b)` or `[closure]`, on the line of what is called; a closure behind the parentheses is one more argument.
    fn arguments(&mut self) -> Result<Option<Vec<ExprId>>> {
        let mut args = None;
        if self.at(T!["("]) && !self.token().starts_line {
            self.advance();
            args =
                Some(self.within(true, |parser| parser.separated_until(T![","], T![")"], Self::expression))?);
        }
        if self.at(T!["["]) && !self.token().starts_line {
            let closure = self.closure()?;
            args.get_or_insert_default().push(closure);
        }
        Ok(args)
    }

    fn primary(&mut self) -> Result<ExprId> {
        let start = self.span();
        let kind = match self.peek() {
            Kind::Name => return self.named(),
            Kind::Number => {
                let token = self.advance();
                match self.text_of(token).parse::<i64>() {
                    Ok(number) => ExprKind::Number(number),
                    Err(_) => {
                        let message = "the number has more than 64 bits";
                        let flaw = Diagnostic::error(codes::NUMBER_TOO_LARGE, message).at(start, "");
                        self.found.push(flaw);
                        return Err(Reported);
                    }
                }
            }
            Kind::Text => {
                let token = self.advance();
                ExprKind::Text(unquoted(self.text_of(token)))
            }
            T!["null"] => self.word_of(ExprKind::Null),
            T!["true"] => self.word_of(ExprKind::Truth(true)),
            T!["false"] => self.word_of(ExprKind::Truth(false)),
            T!["empty"] => self.word_of(ExprKind::Empty),
            T!["("] => return self.parenthesised(),
            T!["{"] => return self.block(),
            T!["["] => return self.closure(),
            T!["#"] => {
                self.advance();
                self.expect(T!["["])?;
                let items =
                    self.within(true, |parser| parser.separated_until(T![","], T!["]"], Self::expression))?;
                let span = self.since(start);
                let inner = items.clone();
                return self.build(ExprKind::List(items), span, &inner);
            }
            T!["new"] => {
                self.advance();
                let ty = self.ty()?;
                let args = self.arguments()?.unwrap_or_default();
                let span = self.since(start);
                let inner = args.clone();
                return self.build(ExprKind::New { ty, args }, span, &inner);
            }
            T!["if"] => return self.conditional(),
            T!["switch"] => return self.switch(),
            T!["for"] => return self.loop_over(),
            T!["while"] => {
                self.advance();
                self.expect(T!["("])?;
                let condition = self.expression()?;
                self.expect(T![")"])?;
                let body = self.premise()?;
                let span = self.since(start);
                return self.build(ExprKind::While { condition, body }, span, &[condition, body]);
            }
            T!["val"] | T!["var"] => return self.declaration(),
            T!["fail"] => {
                self.advance();
                let blame = self.blame()?;
                let inner: Vec<ExprId> =
                    [blame.message, blame.source, blame.feature, blame.data].into_iter().flatten().collect();
                let span = self.since(start);
                return self.build(ExprKind::Fail(blame), span, &inner);
            }
            T!["return"] | T!["throw"] => {
                let word = self.word();
                let message = format!("rules have no `{word}`");
                let help = "a rule ends with its last premise; `fail` says that it does not hold";
                self.found.push(Diagnostic::error(codes::UNEXPECTED_TOKEN, message).at(start, "").help(help));
                return Err(Reported);
            }
            _ => return Err(self.unexpected("an expression")),
        };
        let span = self.since(start);
        self.build(kind, span, &[])
    }

    fn word_of(&mut self, kind: ExprKind) -> ExprKind {
        self.advance();
        kind
    }

    fn named(&mut self) -> Result<ExprId> {
        let name = self.name("a name")?;
        let start = name.span;
        if name.text == "env" && self.at(T!["("]) {
            self.advance();
            let env = self.expression()?;
            self.expect(T![","])?;
            let key = self.expression()?;
            self.expect(T![","])?;
            let ty = self.ty()?;
            self.expect(T![")"])?;
            let span = self.since(start);
            return self.build(ExprKind::Lookup { env, key, ty }, span, &[env, key]);
        }
        match self.arguments()? {
            None => self.build(ExprKind::Name(name.text), start, &[]),
            Some(args) => {
                let span = self.since(start);
                let inner = args.clone();
                self.build(ExprKind::Call { name, args }, span, &inner)
            }
        }
    }

    /// `(expr)`, `(G |- a : T)`, `(G, k <- v)`
    fn parenthesised(&mut self) -> Result<ExprId> {
        let start = self.span();
        self.expect(T!["("])?;
        let expr = self.within(false, Self::premise)?;
        self.expect(T![")"])?;
        // Texts that messages quote have the parentheses.
        self.file.exprs[expr].span = self.since(start);
        Ok(expr)
    }

    /// Reads something in which commas separate items, or do not.
    fn within<T>(&mut self, separates: bool, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outer = std::mem::replace(&mut self.separates, separates);
        let value = read(self);
        self.separates = outer;
        value
    }

    /// `{ premise … }`
    pub(super) fn block(&mut self) -> Result<ExprId> {
        self.nested(|parser| {
            let start = parser.span();
            parser.expect(T!["{"])?;
            let statements = parser.within(false, |parser| parser.statements(T!["}"]))?;
            let span = parser.since(start);
            let inner = statements.clone();
            parser.build(ExprKind::Block(statements), span, &inner)
        })
    }

    /// Premises up to and with a token that closes them.
    fn statements(&mut self, close: Kind) -> Result<Vec<ExprId>> {
        let mut statements = Vec::new();
        loop {
            while self.take(T![";"]) {}
            if self.take(close) {
                return Ok(statements);
            }
            if self.at_end() {
                return Err(self.missing(close));
            }
            statements.push(self.alternatives()?);
        }
    }

    /// `premise or premise`
    fn alternatives(&mut self) -> Result<ExprId> {
        let mut all = vec![self.premise()?];
        while self.take(T!["or"]) {
            all.push(self.premise()?);
        }
        if all.len() == 1 {
            return Ok(all.remove(0));
        }
        let span = self.place_of(all[0]).to(self.before());
        let inner = all.clone();
        self.build(ExprKind::Or(all), span, &inner)
    }

    /// An expression, an environment with mappings, or a judgment.
    pub(super) fn premise(&mut self) -> Result<ExprId> {
        let first = self.expression()?;
        let start = self.place_of(first);
        let mut env = vec![Mapping { key: first, value: None }];
        let is_env = |parser: &Self| {
            parser.at(T![","]) && !parser.separates || parser.at(T!["<-"]) || parser.peek().is_judgment()
        };
        if !is_env(self) {
            return Ok(first);
        }
        if self.take(T!["<-"]) {
            env[0].value = Some(self.expression()?);
        }
        while self.take(T![","]) {
            let key = self.expression()?;
            let value = if self.take(T!["<-"]) { Some(self.expression()?) } else { None };
            env.push(Mapping { key, value });
        }
        let mut inner: Vec<ExprId> =
            env.iter().flat_map(|mapping| [Some(mapping.key), mapping.value]).flatten().collect();
        if !self.peek().is_judgment() {
            let span = self.since(start);
            return self.build(ExprKind::Env(env), span, &inner);
        }
        let at = self.span();
        let symbol = self.advance().kind;
        let mut args = vec![self.expression()?];
        let mut relations = Vec::new();
        while self.peek().is_relation() {
            relations.push(self.advance().kind);
            args.push(self.expression()?);
        }
        inner.extend(&args);
        let span = self.since(start);
        self.build(ExprKind::Ask(Box::new(Ask { env, symbol, at, relations, args })), span, &inner)
    }

    fn conditional(&mut self) -> Result<ExprId> {
        let start = self.span();
        self.expect(T!["if"])?;
        self.expect(T!["("])?;
        let condition = self.premise()?;
        self.expect(T![")"])?;
        let then = self.premise()?;
        self.take(T![";"]);
        let otherwise = if self.take(T!["else"]) { Some(self.premise()?) } else { None };
        let span = self.since(start);
        let inner: Vec<ExprId> = [Some(condition), Some(then), otherwise].into_iter().flatten().collect();
        self.build(ExprKind::If { condition, then, otherwise }, span, &inner)
    }

    /// `switch value { Type: … case value: … default: … }`, `switch name : value { … }`
    fn switch(&mut self) -> Result<ExprId> {
        let start = self.span();
        self.expect(T!["switch"])?;
        let mut binder = None;
        if self.at(Kind::Name) && self.ahead(1).kind == T![":"] {
            binder = Some(self.name("a name")?);
            self.expect(T![":"])?;
        }
        let on = self.expression()?;
        let mut inner = vec![on];
        self.expect(T!["{"])?;
        let (mut cases, mut default) = (Vec::new(), None);
        while !self.take(T!["}"]) {
            if self.take(T!["default"]) {
                self.expect(T![":"])?;
                let body = self.premise()?;
                inner.push(body);
                default = Some(body);
            } else {
                let guard: Option<TypeRef> = if self.at(T!["case"]) { None } else { Some(self.ty()?) };
                let value = if self.take(T!["case"]) { Some(self.expression()?) } else { None };
                self.expect(T![":"])?;
                let body = self.premise()?;
                inner.extend(value);
                inner.push(body);
                cases.push(Case { guard, value, body });
            }
            while self.take(T![";"]) {}
        }
        let span = self.since(start);
        self.build(ExprKind::Switch { on, binder, cases, default }, span, &inner)
    }

    fn loop_over(&mut self) -> Result<ExprId> {
        let start = self.span();
        self.expect(T!["for"])?;
        self.expect(T!["("])?;
        let ty = if self.at_typed_name() { Some(self.ty()?) } else { None };
        let name = self.name("the name of the variable")?;
        self.expect(T![":"])?;
        let over = self.expression()?;
        self.expect(T![")"])?;
        let body = self.premise()?;
        let span = self.since(start);
        self.build(ExprKind::For { variable: Param { ty, name }, over, body }, span, &[over, body])
    }

    fn declaration(&mut self) -> Result<ExprId> {
        let start = self.span();
        let is_var = self.advance().kind == T!["var"];
        let ty = if self.at_typed_name() { Some(self.ty()?) } else { None };
        let name = self.name("the name of the variable")?;
        let value = if self.take(T!["="]) { Some(self.premise()?) } else { None };
        let span = self.since(start);
        let inner: Vec<ExprId> = value.into_iter().collect();
        self.build(ExprKind::Declare { is_var, ty, name, value }, span, &inner)
    }

    /// `[a, b | body]`, `[body]` with `it`
    fn closure(&mut self) -> Result<ExprId> {
        self.nested(|parser| {
            let start = parser.span();
            parser.expect(T!["["])?;
            let explicit = parser.params_of_closure();
            let params = if explicit {
                let params = if parser.at(T!["|"]) {
                    Vec::new()
                } else {
                    parser.separated(T![","], |parser| {
                        let ty = if parser.at_typed_name() { Some(parser.ty()?) } else { None };
                        Ok(Param { ty, name: parser.name("the name of a parameter")? })
                    })?
                };
                parser.expect(T!["|"])?;
                params
            } else {
                Vec::new()
            };
            let mut statements = parser.within(false, |parser| parser.statements(T!["]"]))?;
            let span = parser.since(start);
            let body = if statements.len() == 1 {
                statements.remove(0)
            } else {
                let inner = statements.clone();
                parser.build(ExprKind::Block(statements), span, &inner)?
            };
            parser.build(ExprKind::Closure { params, implicit: !explicit, body }, span, &[body])
        })
    }

    /// Whether names and types up to `|` follow.
    fn params_of_closure(&self) -> bool {
        let mut at = 0;
        loop {
            match self.ahead(at).kind {
                T!["|"] => return true,
                Kind::Name | T![","] | T!["<"] | T![">"] | T![">>"] => at += 1,
                _ => return false,
            }
        }
    }
}
