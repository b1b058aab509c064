//! Imports and exports.

use super::declarations::Modifiers;
use super::{NONE, OFF, Parser};
use crate::classes::Kind;
use crate::texts;
use crate::token::T;
use volvelle_trees::{Placed, Slot};

impl Parser<'_> {
    pub(super) fn import(&mut self) -> Placed {
        let start = self.start();
        self.advance();
        let mark = self.items.len();
        if !self.is(T::Text) {
            self.import_specifiers();
            if !self.take(T::From) {
                self.expected("`from`");
            }
        }
        let specifiers = self.list(mark);
        let module = self.module();
        self.semicolon();
        self.node(Kind::Import, start, &[specifiers, module])
    }

    fn import_specifiers(&mut self) {
        loop {
            let start = self.start();
            match self.kind() {
                T::Times => {
                    self.advance();
                    if !self.take(T::As) {
                        self.expected("`as`");
                    }
                    let name = self.name("a name");
                    let is_dynamic = self.take_flag(T::Plus);
                    let specifier = self.node(Kind::NamespaceImport, start, &[name, is_dynamic]);
                    self.items.push(specifier);
                }
                T::OpenBrace => {
                    self.advance();
                    self.separated(T::CloseBrace, "`,` or `}`", Self::named_import);
                }
                kind if kind.is_name() && !(kind == T::From && self.ahead(1) == T::Text) => {
                    let name = self.take_text();
                    let is_dynamic = self.take_flag(T::Plus);
                    let specifier = self.node(Kind::DefaultImport, start, &[name, is_dynamic]);
                    self.items.push(specifier);
                }
                _ => {
                    self.expected("what is imported");
                    return;
                }
            }
            if !self.take(T::Comma) {
                return;
            }
        }
    }

    fn named_import(&mut self) {
        let start = self.start();
        let Some(imported) = self.exported_name() else { return };
        let mut is_dynamic = self.take_flag(T::Plus);
        let name = if self.take(T::As) { self.name("a name") } else { imported };
        if is_dynamic == OFF {
            is_dynamic = self.take_flag(T::Plus);
        }
        let specifier = self.node(Kind::NamedImport, start, &[name, is_dynamic, imported]);
        self.items.push(specifier);
    }

    fn exported_name(&mut self) -> Option<Placed> {
        if self.kind().is_word() {
            return Some(self.take_text());
        }
        self.expected("a name");
        None
    }

    /// The text that names a module.
    fn module(&mut self) -> Placed {
        let token = self.token();
        if !self.expect(T::Text) {
            return NONE;
        }
        let (value, _) = texts::quoted(&self.text[token.start as usize..token.end as usize]);
        self.intern(&value, token.start, token.end)
    }

    /// What is exported without a declaration, behind `export`.
    pub(super) fn export(&mut self, modifiers: Modifiers) -> Placed {
        let mark = self.items.len();
        let (mut is_all, mut value, mut module) = (OFF, NONE, NONE);
        let mut modified = modifiers.slots;
        match self.kind() {
            T::Times => {
                is_all = self.flag();
                self.module_behind_from(&mut module);
            }
            T::OpenBrace => {
                self.advance();
                self.separated(T::CloseBrace, "`,` or `}`", Self::export_specifier);
                if self.is(T::From) {
                    self.module_behind_from(&mut module);
                }
            }
            T::Default => {
                modified[4] = self.flag();
                value = self.assignment();
            }
            _ if modified[4].slot == Slot::Flag(true) => value = self.assignment(),
            _ => self.expected("a declaration, `{`, `*` or `default`"),
        }
        let specifiers = self.list(mark);
        self.semicolon();
        let mut slots = [NONE; 13];
        slots[..9].copy_from_slice(&modified);
        slots[9..].copy_from_slice(&[specifiers, is_all, value, module]);
        self.node(Kind::Export, modifiers.start, &slots)
    }

    fn module_behind_from(&mut self, module: &mut Placed) {
        if self.take(T::From) {
            *module = self.module();
        } else {
            self.expected("`from`");
        }
    }

    fn export_specifier(&mut self) {
        let start = self.start();
        let Some(local) = self.exported_name() else { return };
        let exported = if self.take(T::As) { self.exported_name().unwrap_or(NONE) } else { local };
        let specifier = self.node(Kind::ExportSpecifier, start, &[local, exported]);
        self.items.push(specifier);
    }
}
