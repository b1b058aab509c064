//! Expressions around operators: sequences, assignments, choices, functions with an arrow.

use super::{NONE, OFF, Parser};
use crate::classes::Kind;
use crate::token::T;
use volvelle_trees::Placed;

impl Parser<'_> {
    /// One expression or more, with commas between them.
    pub(super) fn expression(&mut self) -> Placed {
        let first = self.assignment();
        if !self.is(T::Comma) {
            return first;
        }
        let mark = self.items.len();
        self.items.push(first);
        while self.take(T::Comma) {
            let next = self.assignment();
            self.items.push(next);
        }
        let expressions = self.list(mark);
        self.node(Kind::Sequence, first.start, &[expressions])
    }

    /// An expression without commas.
    pub(super) fn assignment(&mut self) -> Placed {
        // As `nested` does: this is where most depth comes from, and a closure would cost a frame.
        if self.depth >= super::DEEPEST {
            self.too_deep();
            return self.missing(Kind::MissingExpression);
        }
        self.depth += 1;
        let result = self.any_assignment();
        self.depth -= 1;
        result
    }

    fn any_assignment(&mut self) -> Placed {
        let start = self.start();
        match self.kind() {
            T::Yield if self.is_yield() => return self.yield_expression(),
            T::Open if self.is_arrow_function(self.at) => {
                let none = self.empty();
                return self.arrow_function(start, none);
            }
            T::Async if self.is_async_arrow() => {
                let none = self.empty();
                return self.arrow_function(start, none);
            }
            kind if kind.is_name() && self.ahead(1) == T::Arrow => {
                let none = self.empty();
                return self.arrow_function(start, none);
            }
            T::Less if self.is_generic_arrow() => {
                let type_parameters = self.type_parameters();
                return self.arrow_function(start, type_parameters);
            }
            _ => {}
        }
        let left = self.binary();
        match self.kind() {
            T::Question => self.conditional(left),
            T::Assign | T::AssignOp => {
                let operator = self.take_text();
                let value = self.assignment();
                self.node(Kind::Assignment, left.start, &[left, operator, value])
            }
            T::Greater => match self.shift_assignment() {
                Some(operator) => {
                    let value = self.assignment();
                    self.node(Kind::Assignment, left.start, &[left, operator, value])
                }
                None => left,
            },
            _ => left,
        }
    }

    fn is_async_arrow(&self) -> bool {
        self.is_on_line(1)
            && (self.ahead(1) == T::Open && self.is_arrow_function(self.at + 1)
                || self.ahead(1).is_name() && self.ahead(2) == T::Arrow)
    }

    fn is_generic_arrow(&self) -> bool {
        self.behind_angles(self.at)
            .is_some_and(|at| self.kind_of(at) == T::Open && self.is_arrow_function(at))
    }

    fn conditional(&mut self, condition: Placed) -> Placed {
        self.advance();
        let before = self.context;
        self.context.in_then = true;
        self.context.no_in = false;
        let then = self.assignment();
        self.context = before;
        let otherwise =
            if self.expect(T::Colon) { self.assignment() } else { self.missing(Kind::MissingExpression) };
        self.node(Kind::Conditional, condition.start, &[condition, then, otherwise])
    }

    /// Whether `yield` is no name: in a generator, or with an operand.
    fn is_yield(&self) -> bool {
        self.context.in_generator
            || self.is_on_line(1)
                && (self.begins_operand(self.at + 1) && !matches!(self.ahead(1), T::As | T::Of))
    }

    fn yield_expression(&mut self) -> Placed {
        let start = self.start();
        self.advance();
        let is_delegate = if self.is_behind_line() { OFF } else { self.take_flag(T::Times) };
        let is_empty = is_delegate == OFF
            && (self.is_behind_line()
                || matches!(
                    self.kind(),
                    T::Semicolon
                        | T::Comma
                        | T::Colon
                        | T::Close
                        | T::CloseBracket
                        | T::CloseBrace
                        | T::End
                        | T::In
                        | T::TemplateMiddle
                        | T::TemplateTail
                ));
        let value = if is_empty { NONE } else { self.assignment() };
        self.node(Kind::Yield, start, &[value, is_delegate])
    }
}
