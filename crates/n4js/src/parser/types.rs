//! Types: unions, intersections, arrays, functions, and what they are made of.

use super::{NONE, OFF, Parser};
use crate::classes::Kind;
use crate::syntax::Syntax;
use crate::token::T;
use volvelle_trees::Placed;

impl Parser<'_> {
    pub(super) fn type_node(&mut self) -> Placed {
        match self.nested(Self::union) {
            Some(node) => node,
            None => self.missing(Kind::MissingTypeNode),
        }
    }

    /// A type, and `?` behind it: of results and of what functions take.
    pub(super) fn optional_type(&mut self) -> Placed {
        let inner = self.type_node();
        if !self.take(T::Question) {
            return inner;
        }
        self.node(Kind::OptionalTypeNode, inner.start, &[inner])
    }

    fn union(&mut self) -> Placed {
        self.joined(T::Bar, Kind::UnionTypeNode, |parser| {
            parser.joined(T::Ampersand, Kind::IntersectionTypeNode, |parser| parser.array(true))
        })
    }

    /// Types with a symbol between them, which may also stand before the first.
    fn joined(&mut self, symbol: T, kind: Kind, mut read: impl FnMut(&mut Self) -> Placed) -> Placed {
        let start = self.start();
        let is_led = self.take(symbol);
        let first = read(self);
        if !self.is(symbol) {
            return if is_led { self.joined_node(kind, start, &[first]) } else { first };
        }
        let mark = self.items.len();
        self.items.push(first);
        while self.take(symbol) {
            let next = read(self);
            self.items.push(next);
        }
        let types = self.list(mark);
        self.node(kind, start.min(first.start), &[types])
    }

    fn joined_node(&mut self, kind: Kind, start: u32, types: &[Placed]) -> Placed {
        let mark = self.items.len();
        self.items.extend_from_slice(types);
        let types = self.list(mark);
        self.node(kind, start, &[types])
    }

    /// The type of a cast, behind which operators go on.
    pub(super) fn type_of_cast(&mut self) -> Placed {
        match self.nested(|parser| parser.array(false)) {
            Some(node) => node,
            None => self.missing(Kind::MissingTypeNode),
        }
    }

    /// A type, and all `[]` behind it. `+` belongs to it where no operators can follow.
    fn array(&mut self, with_plus: bool) -> Placed {
        let mut inner = self.primary_type(with_plus);
        while self.is(T::OpenBracket) && self.ahead(1) == T::CloseBracket && !self.is_behind_line() {
            self.advance();
            self.advance();
            inner = self.node(Kind::ArrayTypeNode, inner.start, &[inner]);
        }
        inner
    }

    fn primary_type(&mut self, with_plus: bool) -> Placed {
        let start = self.start();
        match self.kind() {
            T::Open if self.is_function_type() => {
                let none = self.empty();
                self.arrow_type(start, none)
            }
            T::Less => {
                let type_parameters = self.type_parameters();
                self.arrow_type(start, type_parameters)
            }
            T::Open => {
                self.advance();
                let inner = self.wildcard_or_type();
                self.expect(T::Close);
                self.node(Kind::ParenTypeNode, start, &[inner])
            }
            T::OpenBracket => {
                self.advance();
                let mark = self.items.len();
                self.separated(T::CloseBracket, "`,` or `]`", |parser| {
                    let element = parser.wildcard_or_type();
                    parser.items.push(element);
                });
                let elements = self.list(mark);
                self.node(Kind::TupleTypeNode, start, &[elements])
            }
            T::OpenBrace => self.function_type(),
            T::Question => self.wildcard_or_type(),
            T::Union if self.ahead(1) == T::OpenBrace => self.types_in_braces(Kind::UnionTypeNode),
            T::Intersection if self.ahead(1) == T::OpenBrace => {
                self.types_in_braces(Kind::IntersectionTypeNode)
            }
            T::Type | T::Constructor if self.ahead(1) == T::OpenBrace => self.classifier_type(),
            T::Text | T::Number | T::True | T::False | T::Minus => self.literal_type(),
            T::Typeof => {
                self.advance();
                let operand = self.operand();
                self.node(Kind::TypeofTypeNode, start, &[operand])
            }
            T::Tilde => self.structural_type(with_plus),
            kind if kind.is_name() || matches!(kind, T::Void | T::Null | T::This) => {
                self.reference(with_plus)
            }
            _ => {
                self.expected("a type");
                self.missing(Kind::MissingTypeNode)
            }
        }
    }

    /// Whether `(` begins the parameters of a function type.
    fn is_function_type(&self) -> bool {
        let partner = self.token().partner as usize;
        partner < self.tokens.len() && self.kind_of(partner + 1) == T::Arrow
    }

    fn arrow_type(&mut self, start: u32, type_parameters: Placed) -> Placed {
        let annotations = self.empty();
        let parameters = self.parameters_of_type();
        self.expect(T::Arrow);
        let result = self.optional_type();
        self.node(Kind::FunctionTypeNode, start, &[annotations, type_parameters, parameters, result])
    }

    /// `{function(A): B}`.
    fn function_type(&mut self) -> Placed {
        let start = self.start();
        self.advance();
        let mark = self.items.len();
        self.annotations();
        let annotations = self.list(mark);
        if !self.take(T::Function) {
            self.expected("`function`");
            // The braces hold something else.
            let mut depth = 1;
            while depth > 0 && !matches!(self.kind(), T::End) {
                depth -= i32::from(self.is(T::CloseBrace));
                self.jump();
            }
            let (none, parameters) = (self.empty(), self.empty());
            return self.node(Kind::FunctionTypeNode, start, &[annotations, none, parameters, NONE]);
        }
        let type_parameters = self.type_parameters();
        let parameters = self.parameters_of_type();
        let result = self.result();
        self.expect(T::CloseBrace);
        self.node(Kind::FunctionTypeNode, start, &[annotations, type_parameters, parameters, result])
    }

    fn parameters_of_type(&mut self) -> Placed {
        let mark = self.items.len();
        if self.expect(T::Open) {
            self.enclosed(|parser| {
                parser.separated(T::Close, "`,` or `)`", |parser| {
                    let parameter = parser.parameter_of_type();
                    parser.items.push(parameter);
                });
            });
        }
        self.list(mark)
    }

    fn parameter_of_type(&mut self) -> Placed {
        let start = self.start();
        let mark = self.items.len();
        self.annotations();
        let annotations = self.list(mark);
        let is_rest = self.take_flag(T::Dots);
        let is_named = (self.kind().is_name() || self.is(T::This))
            && (self.ahead(1) == T::Colon || self.ahead(1) == T::Question && self.ahead(2) == T::Colon);
        let (mut name, mut is_optional) = (NONE, OFF);
        if is_named {
            name = self.take_text();
            is_optional = self.take_flag(T::Question);
            self.expect(T::Colon);
        }
        let declared = self.optional_type();
        if self.syntax == Syntax::Prefix2016 && !is_named && self.kind().is_name() {
            name = self.take_text();
        }
        let [initializer, has_initializer] = self.initializer_of_parameter();
        let slots = [name, NONE, declared, initializer, annotations, is_rest, is_optional, has_initializer];
        self.node(Kind::Parameter, start, &slots)
    }

    /// `union{…}` and `intersection{…}`.
    fn types_in_braces(&mut self, kind: Kind) -> Placed {
        let start = self.start();
        self.advance();
        self.advance();
        let mark = self.items.len();
        self.separated(T::CloseBrace, "`,` or `}`", |parser| {
            let inner = parser.type_node();
            parser.items.push(inner);
        });
        let types = self.list(mark);
        self.node(kind, start, &[types])
    }

    /// `type{…}` and `constructor{…}`.
    fn classifier_type(&mut self) -> Placed {
        let start = self.start();
        let is_constructor = self.take_flag(T::Constructor);
        self.take(T::Type);
        self.expect(T::OpenBrace);
        let target = self.wildcard_or_type();
        self.expect(T::CloseBrace);
        self.node(Kind::ClassifierTypeNode, start, &[is_constructor, target])
    }

    fn literal_type(&mut self) -> Placed {
        let start = self.start();
        let is_negative = self.take_flag(T::Minus);
        let literal = if matches!(self.kind(), T::Text | T::Number | T::True | T::False) {
            self.literal()
        } else {
            self.expected("a number");
            self.missing(Kind::MissingExpression)
        };
        self.node(Kind::LiteralTypeNode, start, &[is_negative, literal])
    }
}
