//! Statements, but not what they declare.

use super::{NONE, Parser};
use crate::classes::Kind;
use crate::token::T;
use volvelle_trees::Placed;

impl Parser<'_> {
    /// Reads a statement into the items; leaves out what is none.
    pub(super) fn statement_or_skip(&mut self) {
        if self.ends_something() {
            self.expected("a statement");
            self.skip_statement();
            return;
        }
        let (before, nodes) = (self.at, self.tree.len());
        let statement = self.statement();
        if self.at == before {
            self.tree.take_back(nodes);
            self.skip_statement();
        } else {
            self.items.push(statement);
        }
    }

    /// Whether the next token ends or goes on with what began before it.
    fn ends_something(&self) -> bool {
        use T::{
            Arrow, Assign, Case, Catch, Close, CloseBrace, CloseBracket, Colon, Comma, Default, Dot, Else,
            Finally, Question,
        };
        matches!(
            self.kind(),
            Arrow
                | Assign
                | Case
                | Catch
                | Close
                | CloseBrace
                | CloseBracket
                | Colon
                | Comma
                | Default
                | Dot
                | Else
                | Finally
                | Question
        )
    }

    pub(super) fn statement(&mut self) -> Placed {
        match self.nested(Self::any_statement) {
            Some(statement) => statement,
            None => self.missing(Kind::EmptyStatement),
        }
    }

    fn any_statement(&mut self) -> Placed {
        let start = self.start();
        match self.kind() {
            T::OpenBrace => self.block(),
            T::Semicolon => {
                self.advance();
                self.node(Kind::EmptyStatement, start, &[])
            }
            T::If => self.if_statement(),
            T::For => self.for_statement(),
            T::While => {
                let condition = self.head();
                let body = self.statement();
                self.node(Kind::While, start, &[condition, body])
            }
            T::With => {
                let object = self.head();
                let body = self.statement();
                self.node(Kind::With, start, &[object, body])
            }
            T::Do => self.do_statement(),
            T::Continue => self.jump_statement(Kind::Continue),
            T::Break => self.jump_statement(Kind::Break),
            T::Return => self.value_statement(Kind::Return),
            T::Throw => self.value_statement(Kind::Throw),
            T::Switch => self.switch(),
            T::Try => self.try_statement(),
            T::Debugger => {
                self.advance();
                self.semicolon();
                self.node(Kind::Debugger, start, &[])
            }
            T::Import if !matches!(self.ahead(1), T::Open | T::Dot) => self.import(),
            kind if kind.is_name() && self.ahead(1) == T::Colon => {
                let label = self.take_text();
                self.advance();
                let body = self.statement();
                self.node(Kind::Labelled, start, &[label, body])
            }
            _ if self.begins_declaration() => self.declaration(),
            _ => self.expression_statement(),
        }
    }

    fn expression_statement(&mut self) -> Placed {
        let before = self.at;
        let expression = self.expression();
        if self.at > before {
            self.semicolon();
        }
        self.node(Kind::ExpressionStatement, expression.start, &[expression])
    }

    pub(super) fn block(&mut self) -> Placed {
        let start = self.start();
        let mark = self.items.len();
        if self.expect(T::OpenBrace) {
            let before = self.context;
            self.context.no_in = false;
            self.context.in_then = false;
            while !matches!(self.kind(), T::CloseBrace | T::End) {
                self.statement_or_skip();
            }
            self.context = before;
            self.expect(T::CloseBrace);
        }
        let statements = self.list(mark);
        self.node(Kind::Block, start, &[statements])
    }

    /// A keyword, and an expression in parentheses.
    fn head(&mut self) -> Placed {
        self.advance();
        self.expect(T::Open);
        let condition = self.enclosed(Self::expression);
        self.expect(T::Close);
        condition
    }

    /// A chain of `else if` costs no depth.
    fn if_statement(&mut self) -> Placed {
        let mut links = Vec::new();
        let mut result = loop {
            let start = self.start();
            let condition = self.head();
            let then = self.statement();
            let has_else = self.take(T::Else);
            if has_else && self.is(T::If) {
                links.push((start, condition, then));
                continue;
            }
            let otherwise = if has_else { self.statement() } else { NONE };
            break self.node(Kind::If, start, &[condition, then, otherwise]);
        };
        while let Some((start, condition, then)) = links.pop() {
            result = self.node(Kind::If, start, &[condition, then, result]);
        }
        result
    }

    fn do_statement(&mut self) -> Placed {
        let start = self.start();
        self.advance();
        let body = self.statement();
        let condition = if self.is(T::While) {
            let condition = self.head();
            self.take(T::Semicolon);
            condition
        } else {
            self.expect(T::While);
            NONE
        };
        self.node(Kind::Do, start, &[body, condition])
    }

    fn jump_statement(&mut self, kind: Kind) -> Placed {
        let start = self.start();
        self.advance();
        let label = if self.kind().is_name() && !self.is_behind_line() { self.take_text() } else { NONE };
        self.semicolon();
        self.node(kind, start, &[label])
    }

    fn value_statement(&mut self, kind: Kind) -> Placed {
        let start = self.start();
        self.advance();
        let is_empty = self.is_behind_line() || matches!(self.kind(), T::Semicolon | T::CloseBrace | T::End);
        let value = if !is_empty {
            self.expression()
        } else if kind == Kind::Throw {
            self.expected("an expression");
            self.missing(Kind::MissingExpression)
        } else {
            NONE
        };
        self.semicolon();
        self.node(kind, start, &[value])
    }

    fn for_statement(&mut self) -> Placed {
        let start = self.start();
        self.advance();
        let is_await = self.take_flag(T::Await);
        self.expect(T::Open);
        let before = self.context;
        self.context.no_in = true;
        self.context.in_then = false;
        let (declaration, first) = match self.kind() {
            T::Semicolon => (NONE, NONE),
            T::Var | T::Const => (self.variables_of_loop(), NONE),
            T::Let if self.begins_binding(1) => (self.variables_of_loop(), NONE),
            _ => (NONE, self.expression()),
        };
        self.context.no_in = false;
        if matches!(self.kind(), T::In | T::Of) {
            let kind = if self.take(T::In) { Kind::ForIn } else { Kind::ForOf };
            if kind == Kind::ForOf {
                self.advance();
            }
            let collection = if kind == Kind::ForIn { self.expression() } else { self.assignment() };
            self.context = before;
            self.expect(T::Close);
            let body = self.statement();
            let slots = [declaration, first, collection, body, is_await];
            let count = if kind == Kind::ForIn { 4 } else { 5 };
            return self.node(kind, start, &slots[..count]);
        }
        self.expect(T::Semicolon);
        let condition = if self.is(T::Semicolon) { NONE } else { self.expression() };
        self.expect(T::Semicolon);
        let update = if self.is(T::Close) { NONE } else { self.expression() };
        self.context = before;
        self.expect(T::Close);
        let body = self.statement();
        self.node(Kind::For, start, &[declaration, first, condition, update, body])
    }

    fn switch(&mut self) -> Placed {
        let start = self.start();
        let subject = self.head();
        let mark = self.items.len();
        if self.expect(T::OpenBrace) {
            while !matches!(self.kind(), T::CloseBrace | T::End) {
                self.clause();
            }
            self.expect(T::CloseBrace);
        }
        let clauses = self.list(mark);
        self.node(Kind::Switch, start, &[subject, clauses])
    }

    fn clause(&mut self) {
        let start = self.start();
        let is_case = self.take(T::Case);
        let before = self.context;
        // Behind `case (x):`, no type of a result follows.
        self.context.in_then = true;
        let test = if is_case { self.expression() } else { NONE };
        self.context = before;
        if !is_case && !self.take(T::Default) {
            self.expected("`case` or `default`");
            self.skip_statement();
            return;
        }
        self.expect(T::Colon);
        let mark = self.items.len();
        while !matches!(self.kind(), T::Case | T::Default | T::CloseBrace | T::End) {
            self.statement_or_skip();
        }
        let statements = self.list(mark);
        let clause = if is_case {
            self.node(Kind::CaseClause, start, &[test, statements])
        } else {
            self.node(Kind::DefaultClause, start, &[statements])
        };
        self.items.push(clause);
    }

    fn try_statement(&mut self) -> Placed {
        let start = self.start();
        self.advance();
        let block = self.block();
        let handler = if self.is(T::Catch) { self.catch() } else { NONE };
        let finalizer = if self.take(T::Finally) { self.block() } else { NONE };
        if handler == NONE && finalizer == NONE {
            self.expected("`catch` or `finally`");
        }
        self.node(Kind::Try, start, &[block, handler, finalizer])
    }

    fn catch(&mut self) -> Placed {
        let start = self.start();
        self.advance();
        let parameter = if self.take(T::Open) {
            let start = self.start();
            let [name, pattern] = self.binding();
            let declared = if self.take(T::Colon) { self.type_node() } else { NONE };
            let parameter = self.node(Kind::CatchParameter, start, &[name, pattern, declared, NONE]);
            self.expect(T::Close);
            parameter
        } else {
            NONE
        };
        let body = self.block();
        self.node(Kind::CatchClause, start, &[parameter, body])
    }
}
