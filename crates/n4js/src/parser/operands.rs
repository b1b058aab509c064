//! Operands: what stands alone, and all accesses and calls behind it.

use super::{NONE, OFF, Parser};
use crate::classes::Kind;
use crate::token::T;
use volvelle_trees::Placed;

impl Parser<'_> {
    /// An operand, with all that is behind it.
    pub(super) fn operand(&mut self) -> Placed {
        let start = self.start();
        let arguments = if self.is(T::Less) { self.type_arguments() } else { NONE };
        let primary = self.primary();
        self.chain(start, primary, arguments, true)
    }

    fn primary(&mut self) -> Placed {
        let start = self.start();
        match self.kind() {
            T::Number | T::Text | T::Regex | T::True | T::False | T::Null => self.literal(),
            T::Template | T::TemplateHead => self.template(),
            T::This => self.word(Kind::This),
            T::Super => self.word(Kind::Super),
            T::Async if self.ahead(1) == T::Function && self.is_on_line(1) => {
                let none = self.empty();
                self.function_expression(start, none)
            }
            T::Function => {
                let none = self.empty();
                self.function_expression(start, none)
            }
            T::Class => {
                let none = self.empty();
                self.class_expression(start, none)
            }
            T::At => self.annotated(),
            T::New => self.new_expression(),
            T::Open => {
                self.advance();
                let inner = self.enclosed(Self::expression);
                self.expect(T::Close);
                self.node(Kind::Paren, start, &[inner])
            }
            T::OpenBracket => self.array_literal(),
            T::OpenBrace => self.object(),
            T::Import if self.ahead(1) == T::Open => {
                self.advance();
                self.advance();
                let argument = self.enclosed(Self::assignment);
                self.expect(T::Close);
                self.node(Kind::ImportCall, start, &[argument])
            }
            kind if kind.is_name() => {
                let name = self.take_text();
                self.node(Kind::Identifier, start, &[name])
            }
            _ => self.no_operand(),
        }
    }

    fn word(&mut self, kind: Kind) -> Placed {
        let start = self.start();
        self.advance();
        self.node(kind, start, &[])
    }

    /// Annotations, and a function or a class.
    fn annotated(&mut self) -> Placed {
        let start = self.start();
        let mark = self.items.len();
        self.annotations();
        let annotations = self.list(mark);
        if self.is(T::Class) {
            return self.class_expression(start, annotations);
        }
        let is_function = self.is(T::Function) || self.is(T::Async) && self.ahead(1) == T::Function;
        if !is_function {
            self.expected("`function` or `class`");
            let none = self.empty();
            let slots = [NONE, none, none, NONE, NONE, OFF, OFF, annotations];
            return self.node(Kind::FunctionExpression, start, &slots);
        }
        self.function_expression(start, annotations)
    }

    /// Accesses and calls behind an operand. Type arguments before it belong to the first call.
    fn chain(&mut self, start: u32, primary: Placed, mut arguments: Placed, with_calls: bool) -> Placed {
        let mut target = primary;
        // The type arguments are a part of the call, and not of what is called.
        let mut from = if arguments == NONE { start } else { primary.start };
        loop {
            match self.kind() {
                T::Dot => {
                    self.advance();
                    target = self.property_access(from, target, OFF);
                }
                T::SafeDot => {
                    let is_optional = self.flag();
                    target = match self.kind() {
                        T::Open if with_calls => self.call(start, target, &mut arguments, is_optional),
                        T::OpenBracket => self.index(from, target, is_optional),
                        _ => self.property_access(from, target, is_optional),
                    };
                }
                T::OpenBracket => target = self.index(from, target, OFF),
                T::Open if with_calls => target = self.call(start, target, &mut arguments, OFF),
                T::Template | T::TemplateHead if with_calls => {
                    let template = self.template();
                    let types = self.taken(&mut arguments);
                    target = self.node(Kind::TaggedTemplate, start, &[types, target, template]);
                }
                _ => break,
            }
            if arguments == NONE {
                from = start;
            }
        }
        if arguments != NONE {
            self.expected("`(` and the arguments of a call");
            let types = self.taken(&mut arguments);
            let none = self.empty();
            target = self.node(Kind::Call, start, &[types, target, none, OFF]);
        }
        target
    }

    /// The type arguments that were not used, or a list of nothing.
    fn taken(&mut self, arguments: &mut Placed) -> Placed {
        match std::mem::replace(arguments, NONE) {
            NONE => self.empty(),
            arguments => arguments,
        }
    }

    fn call(&mut self, start: u32, target: Placed, types: &mut Placed, is_optional: Placed) -> Placed {
        let types = self.taken(types);
        let arguments = self.arguments();
        self.node(Kind::Call, start, &[types, target, arguments, is_optional])
    }

    fn index(&mut self, start: u32, target: Placed, is_optional: Placed) -> Placed {
        self.advance();
        let index = self.enclosed(Self::expression);
        self.expect(T::CloseBracket);
        self.node(Kind::IndexAccess, start, &[target, index, is_optional])
    }

    /// Behind the dot.
    fn property_access(&mut self, start: u32, target: Placed, is_optional: Placed) -> Placed {
        let types = self.type_arguments();
        let name = if self.kind().is_word() && !self.is_word_of_next_line() {
            self.take_text()
        } else {
            self.expected("the name of a property");
            NONE
        };
        self.node(Kind::PropertyAccess, start, &[target, types, name, is_optional])
    }

    /// Whether the next token begins a statement on a line of its own: behind `x.` nothing was written yet.
    fn is_word_of_next_line(&self) -> bool {
        self.is_behind_line() && self.begins_statement(self.kind())
    }

    /// `(…)`.
    fn arguments(&mut self) -> Placed {
        let mark = self.items.len();
        let before = self.context;
        self.context.no_in = false;
        self.context.in_then = false;
        let start = self.start();
        self.advance();
        self.separated(T::Close, "`,` or `)`", |parser| {
            let argument = parser.spread_or_assignment();
            parser.items.push(argument);
        });
        self.context = before;
        Placed { start, end: self.end, ..self.list(mark) }
    }

    fn new_expression(&mut self) -> Placed {
        let start = self.start();
        self.advance();
        if self.is(T::Dot) && self.ahead(1) == T::Target {
            self.advance();
            self.advance();
            return self.node(Kind::NewTarget, start, &[]);
        }
        let from = self.start();
        let primary = if self.is(T::New) {
            let inner = self.nested(Self::new_expression);
            inner.unwrap_or(NONE)
        } else {
            self.primary()
        };
        let callee = self.chain(from, primary, NONE, false);
        let has_types = self.is(T::Less) && self.behind_angles(self.at).is_some();
        let types = if has_types { self.type_arguments() } else { self.empty() };
        let (arguments, has_arguments) = if self.is(T::Open) {
            let flag =
                Placed { slot: volvelle_trees::Slot::Flag(true), start: self.start(), end: self.start() + 1 };
            (self.arguments(), flag)
        } else {
            (self.empty(), OFF)
        };
        self.node(Kind::New, start, &[callee, types, arguments, has_arguments])
    }
}
