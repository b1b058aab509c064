//! Members of classes, interfaces and structural types.

use super::declarations::Modifiers;
use super::{NONE, OFF, Parser};
use crate::classes::Kind;
use crate::texts;
use crate::token::T;
use volvelle_trees::Placed;

impl Parser<'_> {
    /// `{ … }`.
    pub(super) fn members(&mut self) -> Placed {
        let mark = self.items.len();
        if self.expect(T::OpenBrace) || self.begins_member() {
            let before = self.context;
            self.context = super::state::Context::default();
            while !matches!(self.kind(), T::CloseBrace | T::End) && !self.is_behind_members() {
                // Members of structural types may have commas between them.
                if self.take(T::Semicolon) || self.take(T::Comma) {
                    continue;
                }
                self.member_or_skip();
            }
            self.context = before;
            self.expect(T::CloseBrace);
        }
        self.list(mark)
    }

    /// Whether what follows can be no statement, but a member: `{` was forgotten.
    fn begins_member(&self) -> bool {
        let next = self.ahead(1);
        match self.kind() {
            _ if self.begins_declaration() => false,
            T::Get | T::Set if self.is_on_line(1) => self.begins_member_name(self.at + 1),
            kind if kind.is_modifier() && self.is_on_line(1) => self.begins_member_name(self.at + 1),
            kind if kind.is_name() && next == T::Open => {
                let behind = self.behind_bracket(self.at + 1);
                behind.is_some_and(|behind| matches!(self.kind_of(behind), T::OpenBrace | T::Colon))
            }
            kind => kind.is_name() && next == T::Colon,
        }
    }

    /// Whether a line begins that can be no member but a statement: `}` was forgotten.
    fn is_behind_members(&self) -> bool {
        let mut count = 0;
        if !self.is_behind_line() {
            return false;
        }
        while self.ahead(count).is_modifier() && self.ahead(count) != T::Const && self.is_on_line(count + 1) {
            count += 1;
        }
        let next = self.ahead(count + 1);
        if !self.is_on_line(count + 1) {
            return false;
        }
        match self.ahead(count) {
            T::Class | T::Var | T::Let | T::Function | T::Enum | T::Type | T::Export | T::Import => {
                next.is_word()
            }
            T::Interface => next.is_name() || next == T::Tilde,
            kind => kind.is_name() && next == T::Dot,
        }
    }

    fn member_or_skip(&mut self) {
        let (before, nodes) = (self.at, self.tree.len());
        let member = self.nested(Self::member).flatten();
        if member.is_none() {
            self.tree.take_back(nodes);
        }
        if self.at == before {
            self.expected("a member");
            self.jump();
            while !self.is_behind_line() && !matches!(self.kind(), T::Semicolon | T::CloseBrace | T::End) {
                self.jump();
            }
        }
        if let Some(member) = member {
            self.items.push(member);
        }
    }

    /// Whether the next token is a modifier, and not the name of a member.
    fn is_modifier_of_member(&self) -> bool {
        use T::{Assign, CloseBrace, Colon, Comma, End, Question, Semicolon};
        self.kind().is_modifier()
            && !matches!(self.ahead(1), Assign | CloseBrace | Colon | Comma | End | Question | Semicolon)
    }

    /// Whether the next token is a word that says which kind of member follows.
    fn is_before_name(&self, kind: T) -> bool {
        self.is(kind) && self.begins_member_name(self.at + 1)
    }

    fn member(&mut self) -> Option<Placed> {
        let first = self.at;
        let modifiers = self.modifiers(Self::is_modifier_of_member);
        if self.is_before_name(T::Get) || self.is_before_name(T::Set) {
            return Some(self.accessor(modifiers));
        }
        let before_name = self.type_parameters();
        let is_async = if self.is_before_name(T::Async) && self.is_on_line(1)
            || self.is(T::Async) && matches!(self.ahead(1), T::Times | T::Less)
        {
            self.flag()
        } else {
            OFF
        };
        let is_generator = self.take_flag(T::Times);
        let is_before = before_name.end > before_name.start;
        let before_name = if self.is(T::Less) && !is_before { self.type_parameters() } else { before_name };
        if self.is(T::Open) {
            return Some(self.method(
                modifiers,
                Kind::CallSignature,
                [NONE, NONE],
                [before_name, NONE],
                [is_async, is_generator],
            ));
        }
        if self.is(T::New) && matches!(self.ahead(1), T::Open | T::Less) {
            self.advance();
            return Some(self.method(
                modifiers,
                Kind::ConstructSignature,
                [NONE, NONE],
                [before_name, NONE],
                [OFF, OFF],
            ));
        }
        let prefix = if self.is_prefix_member() { self.type_node() } else { NONE };
        if !self.begins_member_name(self.at) {
            if self.at > first {
                self.expected("the name of a member");
            }
            return None;
        }
        let name = self.member_name();
        let is_method = before_name.end > before_name.start || is_async != OFF || is_generator != OFF;
        if is_method || matches!(self.kind(), T::Open | T::Less) {
            return Some(self.method(
                modifiers,
                Kind::Method,
                name,
                [before_name, prefix],
                [is_async, is_generator],
            ));
        }
        Some(self.field(modifiers, name, prefix))
    }

    fn field(&mut self, mut modifiers: Modifiers, [name, computed]: [Placed; 2], prefix: Placed) -> Placed {
        modifiers.make_const_static();
        let is_optional = self.take_flag(T::Question);
        let declared = if prefix == NONE && self.take(T::Colon) { self.optional_type() } else { prefix };
        let initializer = if self.take(T::Assign) { self.assignment() } else { NONE };
        if !self.is(T::Comma) {
            self.semicolon();
        }
        self.member_node(Kind::Field, modifiers, [name, computed, is_optional], &[declared, initializer])
    }

    fn method(
        &mut self,
        modifiers: Modifiers,
        kind: Kind,
        [name, computed]: [Placed; 2],
        before_name: [Placed; 2],
        [is_async, is_generator]: [Placed; 2],
    ) -> Placed {
        let function = self.signature(before_name, is_async, is_generator);
        self.take_end_of_member(function[3]);
        self.member_node(kind, modifiers, [name, computed, OFF], &function)
    }

    fn accessor(&mut self, modifiers: Modifiers) -> Placed {
        let kind = if self.is(T::Get) { Kind::Getter } else { Kind::Setter };
        self.advance();
        let [name, computed] = self.member_name();
        let is_optional = self.take_flag(T::Question);
        let none = self.empty();
        let function = self.signature([none, NONE], OFF, OFF);
        self.take_end_of_member(function[3]);
        self.member_node(kind, modifiers, [name, computed, is_optional], &function)
    }

    /// Members without body need nothing behind them where a new line begins or another member follows.
    fn take_end_of_member(&mut self, body: Placed) {
        if body == NONE && !self.take(T::Semicolon) && !self.is(T::Comma) {
            self.semicolon();
        }
    }

    fn member_node(
        &mut self,
        kind: Kind,
        modifiers: Modifiers,
        [name, computed, is_optional]: [Placed; 3],
        own: &[Placed],
    ) -> Placed {
        let mut slots = [NONE; 18];
        slots[0] = name;
        slots[1..10].copy_from_slice(&modifiers.slots);
        slots[10] = computed;
        slots[11] = is_optional;
        slots[12..12 + own.len()].copy_from_slice(own);
        self.node(kind, modifiers.start, &slots[..12 + own.len()])
    }

    /// The slots of a method or an accessor in an object literal.
    pub(super) fn method_of_object(
        &mut self,
        kind: Kind,
        start: u32,
        annotations: Placed,
        [name, computed]: [Placed; 2],
        function: &[Placed],
    ) -> Placed {
        let words = self.empty();
        let modifiers = Modifiers { start, slots: [annotations, words, NONE, OFF, OFF, OFF, OFF, OFF, OFF] };
        self.member_node(kind, modifiers, [name, computed, OFF], function)
    }

    /// The name of a member or a property, and the expression in its brackets.
    pub(super) fn member_name(&mut self) -> [Placed; 2] {
        let token = self.token();
        match token.kind {
            T::OpenBracket => {
                self.advance();
                let known = self.name_in_brackets();
                let computed = self.enclosed(Self::assignment);
                self.expect(T::CloseBracket);
                let (start, end) = (token.start, self.end);
                let name = known.map_or(NONE, |name| self.intern(&name, start, end));
                [name, computed]
            }
            T::Text => {
                self.advance();
                let (value, _) = texts::quoted(&self.text[token.start as usize..token.end as usize]);
                [self.intern(&value, token.start, token.end), NONE]
            }
            _ if self.begins_member_name(self.at) => [self.take_text(), NONE],
            _ => {
                self.expected("a name");
                [NONE, NONE]
            }
        }
    }

    /// The name that brackets give, from what follows `[`.
    fn name_in_brackets(&self) -> Option<String> {
        let is_closed = |count| self.ahead(count) == T::CloseBracket;
        match self.kind() {
            T::Text if is_closed(1) => Some(texts::quoted(self.spelling(self.at)).0),
            T::Number if is_closed(1) => Some(self.spelling(self.at).to_owned()),
            T::Name if self.is_word(self.at, "Symbol") && self.ahead(1) == T::Dot && is_closed(3) => {
                Some(format!("#{}", self.spelling(self.at + 2)))
            }
            _ => None,
        }
    }
}
