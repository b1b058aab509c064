//! Structural types.

use super::{NONE, OFF, Parser};
use crate::classes::Kind;
use crate::token::T;
use volvelle_trees::Placed;

impl Parser<'_> {
    /// `~T`, `~~T`, `~r~T` and the like, with members.
    pub(super) fn structural_type(&mut self, with_plus: bool) -> Placed {
        let start = self.start();
        self.advance();
        if self.kind().is_name() && self.ahead(1) == T::Tilde {
            if !matches!(self.spelling(self.at), "r" | "w" | "i") {
                self.expected("`r`, `w` or `i`");
            }
            self.advance();
        }
        self.take(T::Tilde);
        let end = self.end;
        let spelt: String = self.text[start as usize..end as usize].split_ascii_whitespace().collect();
        let structure = self.intern(&spelt, start, end);
        let target = if self.kind().is_name() || self.is(T::This) {
            self.reference(false)
        } else {
            self.expected("the name of a type");
            self.missing(Kind::MissingTypeNode)
        };
        let mut is_dynamic = if with_plus { self.take_flag(T::Plus) } else { OFF };
        let members = if self.is(T::With) && self.ahead(1) == T::OpenBrace {
            self.advance();
            self.members()
        } else {
            self.empty()
        };
        if with_plus && is_dynamic == OFF {
            is_dynamic = self.take_flag(T::Plus);
        }
        self.node(Kind::StructuralTypeNode, start, &[structure, target, members, is_dynamic])
    }

    /// `{…}` that is a value.
    pub(super) fn object(&mut self) -> Placed {
        let start = self.start();
        self.advance();
        let mark = self.items.len();
        self.enclosed(|parser| parser.separated(T::CloseBrace, "`,` or `}`", Self::property_or_skip));
        let properties = self.list(mark);
        self.node(Kind::ObjectLiteral, start, &[properties])
    }

    fn property_or_skip(&mut self) {
        let nodes = self.tree.len();
        match self.property() {
            Some(property) => self.items.push(property),
            None => self.tree.take_back(nodes),
        }
    }

    fn property(&mut self) -> Option<Placed> {
        let start = self.start();
        if self.take(T::Dots) {
            let operand = self.assignment();
            return Some(self.node(Kind::SpreadProperty, start, &[operand]));
        }
        let mark = self.items.len();
        self.annotations();
        let annotations = self.list(mark);
        if matches!(self.kind(), T::Get | T::Set) && self.begins_member_name(self.at + 1) {
            let kind = if self.take(T::Get) { Kind::Getter } else { Kind::Setter };
            if kind == Kind::Setter {
                self.advance();
            }
            let name = self.member_name();
            let none = self.empty();
            let function = self.signature([none, NONE], OFF, OFF);
            return Some(self.method_of_object(kind, start, annotations, name, &function));
        }
        let is_async =
            self.is(T::Async) && (self.begins_member_name(self.at + 1) || self.ahead(1) == T::Times);
        let is_async = if is_async { self.flag() } else { OFF };
        let is_generator = self.take_flag(T::Times);
        let type_parameters = self.type_parameters();
        let is_method = is_async != OFF || is_generator != OFF || type_parameters.end > type_parameters.start;
        let declared = if !is_method && self.is_property_type() { self.type_node() } else { NONE };
        if !self.begins_member_name(self.at) {
            self.expected("the name of a property");
            return None;
        }
        let is_name = self.kind().is_name();
        let name = self.member_name();
        if declared == NONE && (is_method || matches!(self.kind(), T::Open | T::Less)) {
            let function = self.signature([type_parameters, NONE], is_async, is_generator);
            return Some(self.method_of_object(Kind::Method, start, annotations, name, &function));
        }
        let has_value = matches!(self.kind(), T::Colon | T::Question) || declared != NONE;
        if !has_value && is_name && annotations.start == annotations.end {
            let initializer = if self.take(T::Assign) { self.assignment() } else { NONE };
            return Some(self.node(Kind::ShorthandProperty, start, &[name[0], initializer]));
        }
        let is_optional = self.take_flag(T::Question);
        let value = if self.expect(T::Colon) { self.assignment() } else { NONE };
        let slots = [name[0], annotations, name[1], declared, is_optional, value];
        Some(self.node(Kind::PropertyAssignment, start, &slots))
    }

    /// Whether a type stands before the name of a property.
    fn is_property_type(&self) -> bool {
        let is_possible = self.is(T::OpenBrace) || self.is(T::Tilde) || self.kind().is_name();
        let is_plain = matches!(
            self.ahead(1),
            T::Colon | T::Open | T::Comma | T::CloseBrace | T::Assign | T::Question if self.kind().is_name()
        );
        is_possible
            && !is_plain
            && self
                .behind_type(self.at)
                .is_some_and(|behind| self.begins_member_name(behind) && self.kind_of(behind + 1) == T::Colon)
    }
}
