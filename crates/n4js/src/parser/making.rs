//! Nodes, lists and texts.

use super::{NONE, Parser};
use crate::classes::Kind;
use crate::lexer::{ESCAPED, Token};
use crate::texts;
use crate::token::T;
use volvelle_trees::{Placed, Slot};

impl Parser<'_> {
    /// A node from a place up to the token taken last. A part of it may be missing, and then stand before its first token; where all of it
    /// is, it stands there too.
    pub(super) fn node(&mut self, kind: Kind, start: u32, slots: &[Placed]) -> Placed {
        let (mut start, mut end) = (start.min(self.end), self.end);
        for slot in slots {
            if matches!(slot.slot, Slot::Node(_)) {
                start = start.min(slot.start);
                end = end.max(slot.end);
            }
        }
        Placed { slot: Slot::Node(self.tree.node(kind.id(), start, end, slots)), start, end }
    }

    /// A node that stands for one that is missing.
    pub(super) fn missing(&mut self, kind: Kind) -> Placed {
        let end = self.end;
        Placed { slot: Slot::Node(self.tree.node(kind.id(), end, end, &[])), start: end, end }
    }

    /// The items since a mark as a list.
    pub(super) fn list(&mut self, mark: usize) -> Placed {
        let items = &self.items[mark..];
        let (Some(first), Some(last)) = (items.first(), items.last()) else { return self.empty() };
        let (start, end) = (first.start, last.end);
        let slot = Slot::List(self.tree.list(items));
        self.items.truncate(mark);
        Placed { slot, start, end }
    }

    /// A list of nothing.
    pub(super) fn empty(&self) -> Placed {
        Placed { slot: Slot::List(self.nothing), start: self.end, end: self.end }
    }

    pub(super) fn intern(&mut self, text: &str, start: u32, end: u32) -> Placed {
        Placed { slot: Slot::Text(self.symbols.intern(text)), start, end }
    }

    /// A token as a text.
    pub(super) fn text(&mut self, token: Token) -> Placed {
        let Token { start, end, kind, flags, .. } = token;
        let text = &self.text[start as usize..end as usize];
        if flags & ESCAPED != 0 {
            let name = texts::name(text);
            return self.intern(&name, start, end);
        }
        if matches!(kind, T::Name | T::Number | T::Text | T::AssignOp | T::Greater) {
            return self.intern(text, start, end);
        }
        let symbols = &mut *self.symbols;
        let word = *self.words[kind as usize].get_or_insert_with(|| symbols.intern(text));
        Placed { slot: Slot::Text(word), start, end }
    }

    /// Takes the next token as a text.
    pub(super) fn take_text(&mut self) -> Placed {
        let token = self.token();
        self.advance();
        self.text(token)
    }

    /// Takes a name; tells that one is missing.
    pub(super) fn name(&mut self, wanted: &str) -> Placed {
        if self.kind().is_name() {
            return self.take_text();
        }
        self.expected(wanted);
        NONE
    }
}
