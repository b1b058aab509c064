//! What declarations bind: names and patterns.

use super::{NONE, OFF, Parser};
use crate::classes::Kind;
use crate::token::T;
use volvelle_trees::Placed;

impl Parser<'_> {
    /// Whether a token further on begins what is bound.
    pub(super) fn begins_binding(&self, count: usize) -> bool {
        let kind = self.ahead(count);
        kind.is_name() || matches!(kind, T::OpenBracket | T::OpenBrace)
    }

    /// What a parameter binds; `this: T` too, which says what a function is called on.
    pub(super) fn binding_of_parameter(&mut self) -> [Placed; 2] {
        if self.is(T::This) && self.ahead(1) == T::Colon { [self.take_text(), NONE] } else { self.binding() }
    }

    /// A name or a pattern.
    pub(super) fn binding(&mut self) -> [Placed; 2] {
        match self.kind() {
            T::OpenBracket | T::OpenBrace => [NONE, self.pattern()],
            _ => [self.name("a name or a pattern"), NONE],
        }
    }

    fn pattern(&mut self) -> Placed {
        let pattern = self.nested(|parser| parser.enclosed(Self::any_pattern));
        pattern.unwrap_or(NONE)
    }

    fn any_pattern(&mut self) -> Placed {
        let start = self.start();
        let mark = self.items.len();
        if self.take(T::OpenBracket) {
            self.separated(T::CloseBracket, "`,` or `]`", |parser| {
                let element = if parser.is(T::Comma) {
                    parser.missing(Kind::PatternHole)
                } else {
                    parser.element(NONE, NONE)
                };
                parser.items.push(element);
            });
            let elements = self.list(mark);
            return self.node(Kind::ArrayPattern, start, &[elements]);
        }
        self.advance();
        self.separated(T::CloseBrace, "`,` or `}`", |parser| {
            let element = parser.property_of_pattern();
            parser.items.push(element);
        });
        let elements = self.list(mark);
        self.node(Kind::ObjectPattern, start, &[elements])
    }

    /// What is bound, and its initialiser, behind the name of a property.
    fn element(&mut self, property: Placed, computed: Placed) -> Placed {
        let start = if property != NONE {
            property.start
        } else if computed != NONE {
            computed.start
        } else {
            self.start()
        };
        let is_rest = self.take_flag(T::Dots);
        let [name, pattern] = self.binding();
        let declared = if self.is(T::Colon) && self.take(T::Colon) { self.type_node() } else { NONE };
        let initializer = if self.take(T::Assign) { self.assignment() } else { NONE };
        let slots = [name, pattern, declared, initializer, property, computed, is_rest];
        self.node(Kind::BindingElement, start, &slots)
    }

    fn property_of_pattern(&mut self) -> Placed {
        let is_named = self.ahead(1) == T::Colon || self.is(T::OpenBracket);
        if !is_named || !self.begins_member_name(self.at) {
            return self.element(NONE, NONE);
        }
        let start = self.start();
        let [property, computed] = self.member_name();
        if self.expect(T::Colon) {
            return self.element(property, computed);
        }
        self.node(Kind::BindingElement, start, &[NONE, NONE, NONE, NONE, property, computed, OFF])
    }
}
