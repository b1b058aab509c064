//! References to types, their arguments, and types that stand before names.

use super::{NONE, OFF, Parser};
use crate::classes::Kind;
use crate::syntax::Syntax;
use crate::token::T;
use volvelle_trees::Placed;

impl Parser<'_> {
    /// A name of a type, with dots, arguments and `+`; or `this`.
    pub(super) fn reference(&mut self, with_plus: bool) -> Placed {
        let start = self.start();
        if self.take(T::This) {
            let is_dynamic = if with_plus { self.take_flag(T::Plus) } else { OFF };
            return self.node(Kind::ThisTypeNode, start, &[is_dynamic]);
        }
        let mark = self.items.len();
        let mut name =
            if matches!(self.kind(), T::Void | T::Null) { self.take_text() } else { self.name("a type") };
        while self.is(T::Dot) && self.ahead(1).is_name() {
            self.items.push(name);
            self.advance();
            name = self.take_text();
        }
        let qualifier = self.list(mark);
        let arguments = self.type_arguments();
        let is_dynamic = if with_plus { self.take_flag(T::Plus) } else { OFF };
        self.node(Kind::TypeReference, start, &[qualifier, name, arguments, is_dynamic])
    }

    /// A reference where nothing else can stand.
    pub(super) fn type_reference(&mut self) -> Placed {
        if self.kind().is_name() || self.is(T::Void) {
            return self.reference(true);
        }
        self.expected("the name of a type");
        self.missing(Kind::MissingTypeNode)
    }

    /// `<…>` where it stands, else a list of nothing.
    pub(super) fn type_arguments(&mut self) -> Placed {
        let mark = self.items.len();
        let start = self.start();
        if !self.take(T::Less) {
            return self.list(mark);
        }
        self.separated(T::Greater, "`,` or `>`", |parser| {
            let argument = parser.wildcard_or_type();
            parser.items.push(argument);
        });
        Placed { start, end: self.end, ..self.list(mark) }
    }

    /// `?`, `? extends T`, `? super T`, `out T`, `in T`, or a type.
    pub(super) fn wildcard_or_type(&mut self) -> Placed {
        let start = self.start();
        let is_short = self.is(T::In) || self.is(T::Out) && (self.begins_type(1));
        if !self.is(T::Question) && !is_short {
            return self.type_node();
        }
        let is_long = self.take(T::Question);
        let has_bound = !is_long || matches!(self.kind(), T::Extends | T::Super);
        let (direction, bound) = if has_bound { (self.take_text(), self.type_node()) } else { (NONE, NONE) };
        let mut node = self.node(Kind::WildcardNode, start, &[direction, bound]);
        // Alone, it can be the element of an array.
        while !has_bound && self.is(T::OpenBracket) && self.ahead(1) == T::CloseBracket {
            self.advance();
            self.advance();
            node = self.node(Kind::ArrayTypeNode, start, &[node]);
        }
        node
    }

    fn begins_type(&self, count: usize) -> bool {
        let kind = self.ahead(count);
        kind.is_name() || matches!(kind, T::This | T::Tilde | T::OpenBrace | T::OpenBracket | T::Open)
    }

    /// Whether a type and then a name follow, in the syntax that has types before names.
    pub(super) fn is_prefix_type(&self) -> bool {
        self.syntax == Syntax::Prefix2016
            && !matches!(self.kind(), T::OpenBracket)
            && self.behind_type(self.at).is_some_and(|behind| {
                let is_rest = self.kind_of(behind) == T::Dots;
                self.kind_of(behind + usize::from(is_rest)).is_name()
            })
    }

    /// The same of a member.
    pub(super) fn is_prefix_member(&self) -> bool {
        self.syntax == Syntax::Prefix2016
            && !self.is(T::OpenBracket)
            && self.behind_type(self.at).is_some_and(|behind| self.kind_of(behind).is_word())
    }

    /// The same of a result before the name of a function.
    pub(super) fn is_prefix_result(&self) -> bool {
        self.is_prefix_type() && self.ahead(1) != T::Open
    }
}
