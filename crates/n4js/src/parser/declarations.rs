//! Annotations, modifiers, and what declarations begin with.

use super::{NONE, OFF, Parser};
use crate::classes::Kind;
use crate::token::T;
use volvelle_trees::{Placed, Slot};

/// What stands before a declaration or a member: the slots of `Modified`.
#[derive(Clone, Copy)]
pub(super) struct Modifiers {
    /// Where the first of them, or what they belong to, begins.
    pub start: u32,
    pub slots: [Placed; 9],
}

impl Modifiers {
    /// The flag that says what a kind of word says.
    fn place(kind: T) -> Option<usize> {
        match kind {
            T::Export => Some(3),
            T::Default => Some(4),
            T::External => Some(5),
            T::Abstract => Some(6),
            T::Static => Some(7),
            T::Const => Some(8),
            _ => None,
        }
    }

    /// Fields that are constant belong to the class.
    pub(super) fn make_const_static(&mut self) {
        let (of_static, of_const) = (7, 8);
        if self.slots[of_const].slot == Slot::Flag(true) && self.slots[of_static].slot != Slot::Flag(true) {
            self.slots[of_static] = self.slots[of_const];
        }
    }

    fn has(&self, kind: T) -> bool {
        Modifiers::place(kind).is_some_and(|place| self.slots[place].slot == Slot::Flag(true))
    }
}

impl Parser<'_> {
    /// `@name` with what is in parentheses.
    pub(super) fn annotation(&mut self) -> Placed {
        let start = self.start();
        self.advance();
        let name = self.name("the name of an annotation");
        if self.is(T::Open) && self.is_on_line(0) {
            return self.annotation_arguments(start, name);
        }
        let (arguments, types) = (self.empty(), self.empty());
        self.node(Kind::Annotation, start, &[name, arguments, types])
    }

    fn annotation_arguments(&mut self, start: u32, name: Placed) -> Placed {
        self.advance();
        // Literals and types may be mixed; each kind has a list of its own.
        let mut types = Vec::new();
        let mark = self.items.len();
        self.separated(T::Close, "`,` or `)`", |parser| match parser.kind() {
            T::Text | T::Number | T::True | T::False | T::Null | T::Regex => {
                let argument = parser.operand();
                parser.items.push(argument);
            }
            _ => {
                let (before, nodes) = (parser.at, parser.tree.len());
                let node = parser.type_node();
                if parser.at > before {
                    types.push(node);
                } else {
                    parser.tree.take_back(nodes);
                }
            }
        });
        let arguments = self.list(mark);
        self.items.extend(types);
        let types = self.list(mark);
        self.node(Kind::Annotation, start, &[name, arguments, types])
    }

    pub(super) fn annotations(&mut self) {
        while matches!(self.kind(), T::At | T::At2) {
            if self.is(T::At2) {
                self.mistake(
                    "`@@` annotates a whole text, and stands at its beginning",
                    "write `@`, or move it there",
                );
            }
            let annotation = self.annotation();
            self.items.push(annotation);
        }
    }

    /// Annotations and modifiers; `is_one` says whether the next token is a modifier.
    pub(super) fn modifiers(&mut self, is_one: impl Fn(&Self) -> bool) -> Modifiers {
        let start = self.start();
        let mark = self.items.len();
        let mut words = Vec::new();
        let mut slots = [NONE, NONE, NONE, OFF, OFF, OFF, OFF, OFF, OFF];
        loop {
            self.annotations();
            if !is_one(self) {
                break;
            }
            let kind = self.kind();
            let word = self.take_text();
            match Modifiers::place(kind) {
                Some(place) => slots[place] = Placed { slot: Slot::Flag(true), ..word },
                None => slots[2] = word,
            }
            words.push(word);
        }
        slots[0] = self.list(mark);
        self.items.extend(words);
        slots[1] = self.list(mark);
        Modifiers { start, slots }
    }

    /// Whether a declaration begins here.
    pub(super) fn begins_declaration(&self) -> bool {
        match self.kind() {
            T::Var | T::Const | T::Class | T::Function | T::Export | T::At | T::At2 => true,
            T::Let => self.begins_binding(1) && !matches!(self.ahead(1), T::In | T::Of | T::As),
            T::Async => self.ahead(1) == T::Function && self.is_on_line(1),
            T::Interface | T::Enum if matches!(self.ahead(1), T::Tilde | T::OpenBrace) => self.is_on_line(1),
            T::Interface | T::Enum | T::Type => self.ahead(1).is_name() && self.is_on_line(1),
            kind if kind.is_modifier() => self.is_declared(1),
            _ => false,
        }
    }

    /// Whether a token further on, on the same line, can follow a modifier of a declaration.
    fn is_declared(&self, count: usize) -> bool {
        let kind = self.ahead(count);
        let goes_on = matches!(
            kind,
            T::Class
                | T::Interface
                | T::Enum
                | T::Function
                | T::Async
                | T::Let
                | T::Var
                | T::Const
                | T::Type
                | T::Default
                | T::At
        );
        goes_on || kind.is_modifier()
    }

    /// Whether the next token is a modifier of a declaration.
    fn is_modifier_of_declaration(&self) -> bool {
        match self.kind() {
            T::Export => true,
            // Behind `export`, where a declaration goes on; else what follows is a value.
            T::Default if self.ahead(1) == T::Async => self.ahead(2) == T::Function,
            T::Default => self.is_declared(1) && !matches!(self.ahead(1), T::Type | T::At),
            T::Const => self.ahead(1) == T::Enum,
            kind => kind.is_modifier() && self.is_declared(1),
        }
    }

    pub(super) fn declaration(&mut self) -> Placed {
        let before = self.at;
        let modifiers = self.modifiers(Self::is_modifier_of_declaration);
        match self.kind() {
            T::Var | T::Let | T::Const => self.variables(modifiers),
            T::Function => self.function_declaration(modifiers),
            T::Async if self.ahead(1) == T::Function => self.function_declaration(modifiers),
            T::Class => self.class(modifiers, Kind::ClassDeclaration),
            T::Interface if self.begins_declaration() => self.interface(modifiers),
            T::Enum => self.enumeration(modifiers),
            T::Type if self.begins_declaration() => self.alias(modifiers),
            _ if modifiers.has(T::Export) => self.export(modifiers),
            _ => self.no_declaration(modifiers, before),
        }
    }

    /// Annotations or modifiers with nothing to belong to.
    fn no_declaration(&mut self, modifiers: Modifiers, before: usize) -> Placed {
        if self.at == before {
            return self.missing(Kind::EmptyStatement);
        }
        self.expected("a declaration");
        let declarations = self.empty();
        self.variable_statement(modifiers, [NONE, declarations])
    }

    fn variables(&mut self, modifiers: Modifiers) -> Placed {
        let statement = self.variable_list();
        self.semicolon();
        // The statement ends with its `;`, the list before it.
        self.variable_statement(modifiers, statement)
    }

    /// `var`, `let` or `const` at the beginning of a loop.
    pub(super) fn variables_of_loop(&mut self) -> Placed {
        let start = self.start();
        let (annotations, words) = (self.empty(), self.empty());
        let modifiers = Modifiers { start, slots: [annotations, words, NONE, OFF, OFF, OFF, OFF, OFF, OFF] };
        let parts = self.variable_list();
        self.variable_statement(modifiers, parts)
    }

    fn variable_statement(&mut self, modifiers: Modifiers, [kind, declarations]: [Placed; 2]) -> Placed {
        let mut slots = [NONE; 11];
        slots[..9].copy_from_slice(&modifiers.slots);
        slots[9] = kind;
        slots[10] = declarations;
        self.node(Kind::VariableStatement, modifiers.start, &slots)
    }

    /// The kind, and the declarations.
    fn variable_list(&mut self) -> [Placed; 2] {
        let kind = self.take_text();
        let mark = self.items.len();
        loop {
            let start = self.start();
            let before = self.at;
            let prefix = if self.is_prefix_type() { self.type_node() } else { NONE };
            let [name, pattern] = self.binding();
            if self.at > before {
                let declared = if prefix == NONE && self.take(T::Colon) { self.type_node() } else { prefix };
                let initializer = if self.take(T::Assign) { self.assignment() } else { NONE };
                let variable =
                    self.node(Kind::VariableDeclaration, start, &[name, pattern, declared, initializer]);
                self.items.push(variable);
            }
            if !self.take(T::Comma) {
                break;
            }
        }
        [kind, self.list(mark)]
    }
}
