//! Functions: type parameters, parameters, results, bodies.

use super::declarations::Modifiers;
use super::state::Context;
use super::{NONE, OFF, Parser};
use crate::classes::Kind;
use crate::lexer::Token;
use crate::token::T;
use volvelle_trees::{Placed, Slot};

/// The slots of `FunctionLike`.
pub(super) type FunctionSlots = [Placed; 6];

impl Parser<'_> {
    /// `<T, …>` where it stands, else a list of nothing.
    pub(super) fn type_parameters(&mut self) -> Placed {
        let mark = self.items.len();
        let start = self.start();
        if !self.take(T::Less) {
            return self.list(mark);
        }
        self.separated(T::Greater, "`,` or `>`", |parser| {
            let start = parser.start();
            let is_varied = matches!(parser.kind(), T::In | T::Out) && parser.ahead(1).is_name();
            let variance = if is_varied { parser.take_text() } else { NONE };
            let name = parser.name("the name of a type parameter");
            let bound = if parser.take(T::Extends) { parser.type_node() } else { NONE };
            let has_default = parser.take_assign();
            let is_empty = has_default == OFF || matches!(parser.kind(), T::Comma | T::Greater);
            let default = if is_empty { NONE } else { parser.type_node() };
            let parameter =
                parser.node(Kind::TypeParameter, start, &[name, variance, bound, default, has_default]);
            parser.items.push(parameter);
        });
        Placed { start, end: self.end, ..self.list(mark) }
    }

    /// `=`, also as the first half of `=>`: `<T=>`.
    fn take_assign(&mut self) -> Placed {
        if !self.is(T::Arrow) {
            return self.take_flag(T::Assign);
        }
        let Token { start, .. } = self.token();
        let end = start + 1;
        self.end = end;
        self.tokens[self.at] = Token { kind: T::Greater, start: end, ..self.token() };
        Placed { slot: Slot::Flag(true), start, end }
    }

    /// `(…)`.
    pub(super) fn parameters(&mut self) -> Placed {
        let mark = self.items.len();
        if self.expect(T::Open) {
            self.enclosed(|parser| {
                // Where `)` was forgotten, a body follows.
                parser.separated_before(T::Close, T::OpenBrace, "`,` or `)`", |parser| {
                    let parameter = parser.parameter();
                    parser.items.push(parameter);
                });
            });
        }
        self.list(mark)
    }

    fn parameter(&mut self) -> Placed {
        let start = self.start();
        let mark = self.items.len();
        self.annotations();
        let annotations = self.list(mark);
        let mut is_rest = self.take_flag(T::Dots);
        let prefix = if self.is_prefix_type() { self.type_node() } else { NONE };
        if prefix != NONE && self.is(T::Dots) {
            is_rest = self.flag();
        }
        let [name, pattern] = self.binding_of_parameter();
        let is_optional = self.take_flag(T::Question);
        let declared = if prefix == NONE && self.take(T::Colon) { self.type_node() } else { prefix };
        let [initializer, has_initializer] = self.initializer_of_parameter();
        let slots =
            [name, pattern, declared, initializer, annotations, is_rest, is_optional, has_initializer];
        self.node(Kind::Parameter, start, &slots)
    }

    /// `= value`, where the value may be missing.
    pub(super) fn initializer_of_parameter(&mut self) -> [Placed; 2] {
        if !self.is(T::Assign) {
            return [NONE, OFF];
        }
        let flag = self.flag();
        let is_empty = matches!(self.kind(), T::Comma | T::Close);
        [if is_empty { NONE } else { self.assignment() }, flag]
    }

    /// `: T` or `: T?` where it stands.
    pub(super) fn result(&mut self) -> Placed {
        if self.take(T::Colon) { self.optional_type() } else { NONE }
    }

    /// A body where there is one.
    pub(super) fn optional_body(&mut self, is_async: Placed, is_generator: Placed) -> Placed {
        if self.is(T::OpenBrace) { self.body(is_async, is_generator) } else { NONE }
    }

    fn body(&mut self, is_async: Placed, is_generator: Placed) -> Placed {
        let before = self.enter(is_async, is_generator);
        let block = self.block();
        self.context = before;
        block
    }

    /// Goes into a function; gives what held outside.
    pub(super) fn enter(&mut self, is_async: Placed, is_generator: Placed) -> Context {
        let is_set = |flag: Placed| flag.slot == Slot::Flag(true);
        let before = self.context;
        self.context.in_async = is_set(is_async);
        self.context.in_generator = is_set(is_generator);
        before
    }

    /// What follows the name of a function: type parameters and a result, of which some stand before the name, parameters, body.
    pub(super) fn signature(
        &mut self,
        [before_name, prefix]: [Placed; 2],
        is_async: Placed,
        is_generator: Placed,
    ) -> FunctionSlots {
        let is_before = before_name.end > before_name.start;
        let type_parameters =
            if self.is(T::Less) && !is_before { self.type_parameters() } else { before_name };
        let context = self.enter(is_async, is_generator);
        let parameters = self.parameters();
        self.context = context;
        let result = if prefix == NONE { self.result() } else { prefix };
        let body = self.optional_body(is_async, is_generator);
        [type_parameters, parameters, result, body, is_async, is_generator]
    }

    /// `async function * <T> name`, and the rest.
    fn function(&mut self) -> (Placed, FunctionSlots) {
        let is_async = self.take_flag(T::Async);
        self.advance();
        let is_generator = self.take_flag(T::Times);
        let type_parameters = self.type_parameters();
        let prefix = if self.is_prefix_result() { self.type_node() } else { NONE };
        let name = if self.kind().is_name() { self.take_text() } else { NONE };
        (name, self.signature([type_parameters, prefix], is_async, is_generator))
    }

    pub(super) fn function_declaration(&mut self, modifiers: Modifiers) -> Placed {
        let (name, function) = self.function();
        if function[3] == NONE {
            self.semicolon();
        }
        let mut slots = [NONE; 16];
        slots[0] = name;
        slots[1..10].copy_from_slice(&modifiers.slots);
        slots[10..].copy_from_slice(&function);
        self.node(Kind::FunctionDeclaration, modifiers.start, &slots)
    }

    /// A function that is a value, behind its annotations.
    pub(super) fn function_expression(&mut self, start: u32, annotations: Placed) -> Placed {
        let (name, function) = self.function();
        if function[3] == NONE {
            self.expected("the body of the function");
        }
        let mut slots = [NONE; 8];
        slots[0] = name;
        slots[1..7].copy_from_slice(&function);
        slots[7] = annotations;
        self.node(Kind::FunctionExpression, start, &slots)
    }

    /// `(…) => …` or `name => …`, behind type parameters.
    pub(super) fn arrow_function(&mut self, start: u32, type_parameters: Placed) -> Placed {
        let is_async = if self.is(T::Async) && self.ahead(1) != T::Arrow { self.flag() } else { OFF };
        let before = self.context;
        self.context.in_async = is_async != OFF;
        let (parameters, result) = if self.is(T::Open) {
            let parameters = self.parameters();
            (parameters, self.result())
        } else {
            let mark = self.items.len();
            let name = self.take_text();
            let none = self.empty();
            let parameter =
                self.node(Kind::Parameter, name.start, &[name, NONE, NONE, NONE, none, OFF, OFF, OFF]);
            self.items.push(parameter);
            (self.list(mark), NONE)
        };
        self.expect(T::Arrow);
        let (body, value) = if self.is(T::OpenBrace) {
            (self.body(is_async, OFF), NONE)
        } else {
            self.context.in_generator = false;
            (NONE, self.assignment())
        };
        self.context = before;
        self.node(
            Kind::ArrowFunction,
            start,
            &[type_parameters, parameters, result, body, is_async, OFF, value],
        )
    }
}
