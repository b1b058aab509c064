//! Classes, interfaces, enums, aliases.

use super::declarations::Modifiers;
use super::{NONE, OFF, Parser};
use crate::classes::Kind;
use crate::token::T;
use volvelle_trees::Placed;

impl Parser<'_> {
    pub(super) fn class(&mut self, modifiers: Modifiers, kind: Kind) -> Placed {
        self.advance();
        let structure = self.structure();
        let is_named = self.kind().is_name() && !(self.is(T::Implements) && self.ahead(1) != T::OpenBrace);
        let name = if is_named { self.take_text() } else { NONE };
        if name == NONE && kind == Kind::ClassDeclaration && !matches!(self.kind(), T::OpenBrace | T::Extends)
        {
            self.expected("the name of the class");
        }
        let type_parameters = self.type_parameters();
        let (superclass, value) = if self.take(T::Extends) { self.superclass() } else { (NONE, NONE) };
        let mark = self.items.len();
        if self.take(T::Implements) {
            self.types_of_list();
        }
        let interfaces = self.list(mark);
        let members = self.members();
        let mut slots = [NONE; 16];
        slots[0] = name;
        slots[1..10].copy_from_slice(&modifiers.slots);
        slots[10..].copy_from_slice(&[structure, type_parameters, members, superclass, value, interfaces]);
        self.node(kind, modifiers.start, &slots)
    }

    /// A class that is a value, behind its annotations.
    pub(super) fn class_expression(&mut self, start: u32, annotations: Placed) -> Placed {
        let words = self.empty();
        let modifiers = Modifiers { start, slots: [annotations, words, NONE, OFF, OFF, OFF, OFF, OFF, OFF] };
        self.class(modifiers, Kind::ClassExpression)
    }

    /// A type reference, or else an expression.
    fn superclass(&mut self) -> (Placed, Placed) {
        let mut at = self.at;
        while self.kind_of(at).is_name() && self.kind_of(at + 1) == T::Dot {
            at += 2;
        }
        let is_reference = self.kind_of(at).is_name()
            && matches!(self.kind_of(at + 1), T::OpenBrace | T::Implements | T::Less | T::Plus | T::Comma);
        if is_reference { (self.type_reference(), NONE) } else { (NONE, self.operand()) }
    }

    /// `~` before a name.
    fn structure(&mut self) -> Placed {
        if self.is(T::Tilde) { self.take_text() } else { NONE }
    }

    /// One type reference or more, with commas between them.
    fn types_of_list(&mut self) {
        loop {
            let reference = self.type_reference();
            self.items.push(reference);
            if !self.take(T::Comma) {
                return;
            }
        }
    }

    pub(super) fn interface(&mut self, modifiers: Modifiers) -> Placed {
        self.advance();
        let structure = self.structure();
        let name = self.name("the name of the interface");
        let type_parameters = self.type_parameters();
        let mark = self.items.len();
        if self.take(T::Extends) {
            self.types_of_list();
        }
        let above = self.list(mark);
        if self.take(T::Implements) {
            self.types_of_list();
        }
        let implemented = self.list(mark);
        let members = self.members();
        let mut slots = [NONE; 15];
        slots[0] = name;
        slots[1..10].copy_from_slice(&modifiers.slots);
        slots[10..].copy_from_slice(&[structure, type_parameters, members, above, implemented]);
        self.node(Kind::InterfaceDeclaration, modifiers.start, &slots)
    }

    pub(super) fn enumeration(&mut self, modifiers: Modifiers) -> Placed {
        self.advance();
        let name = self.name("the name of the enum");
        let mark = self.items.len();
        if self.expect(T::OpenBrace) {
            self.separated(T::CloseBrace, "`,` or `}`", Self::enum_literal);
        }
        let literals = self.list(mark);
        let mut slots = [NONE; 11];
        slots[0] = name;
        slots[1..10].copy_from_slice(&modifiers.slots);
        slots[10] = literals;
        self.node(Kind::EnumDeclaration, modifiers.start, &slots)
    }

    fn enum_literal(&mut self) {
        let start = self.start();
        let mark = self.items.len();
        let before = self.at;
        self.annotations();
        let annotations = self.list(mark);
        let name = if self.kind().is_word() {
            self.take_text()
        } else {
            self.expected("the name of a literal");
            NONE
        };
        let value = if self.take(T::Colon) || self.take(T::Assign) { self.assignment() } else { NONE };
        if self.at > before {
            let literal = self.node(Kind::EnumLiteral, start, &[name, annotations, value]);
            self.items.push(literal);
        }
    }

    pub(super) fn alias(&mut self, modifiers: Modifiers) -> Placed {
        self.advance();
        let name = self.name("the name of the type");
        let type_parameters = self.type_parameters();
        self.expect(T::Assign);
        let aliased = self.type_node();
        self.semicolon();
        let mut slots = [NONE; 12];
        slots[0] = name;
        slots[1..10].copy_from_slice(&modifiers.slots);
        slots[10..].copy_from_slice(&[type_parameters, aliased]);
        self.node(Kind::TypeAlias, modifiers.start, &slots)
    }
}
