//! The tables and entries of a text in TOML, by its tokens: a text that is broken has those that can be told.

use crate::pieces::{Class, Piece};
use volvelle_declarations::form::{Entry, find};
use volvelle_diagnostics::{FileId, Span};

/// A word of a key, or a text of a value.
#[derive(Clone, Copy)]
pub(super) struct Part<'t> {
    pub span: Span,
    /// Without quotes.
    pub name: &'t str,
    /// What the form says of the key.
    pub entry: Option<&'static Entry>,
}

/// A table with its head, or an entry.
pub(super) struct Node<'t> {
    /// The words of the key; at least one.
    pub key: Vec<Part<'t>>,
    /// From the key to the end of the value; of a table, to the end of its last entry.
    pub whole: Span,
    /// The head of a table.
    pub head: Option<Span>,
    /// The node that it stands in.
    pub parent: Option<usize>,
    /// Texts in the value, but for those of tables in it.
    pub texts: Vec<Part<'t>>,
}

/// Where a text ends: what may be written there.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// A word of the head of a table, one of these; inside brackets.
    Head(Option<&'static [Entry]>),
    /// A word of a key, one of these. Nothing stands before it.
    Key(Option<&'static [Entry]>, Option<usize>),
    /// A value of this key.
    Value(Option<&'static Entry>),
    /// Nothing that could be told.
    Nothing,
}

/// What the tokens say.
pub(super) struct Read<'t> {
    pub nodes: Vec<Node<'t>>,
    pub end: End,
    /// The last table with a head.
    pub table: Option<usize>,
}

/// An open bracket in a value.
struct Open {
    is_table: bool,
    /// The entry whose value it is in.
    node: Option<usize>,
}

pub(super) struct Walk<'t, 'p> {
    file: FileId,
    text: &'t str,
    pieces: Vec<&'p Piece>,
    at: usize,
    entries: &'static [Entry],
    nodes: Vec<Node<'t>>,
    table: Option<usize>,
}

/// Reads a text with these keys outside of tables.
pub(super) fn read<'t>(file: FileId, text: &'t str, pieces: &[Piece], entries: &'static [Entry]) -> Read<'t> {
    let pieces = pieces.iter().filter(|piece| piece.class != Class::Comment).collect();
    let mut walk = Walk { file, text, pieces, at: 0, entries, nodes: Vec::new(), table: None };
    let mut end = End::Key(Some(entries), None);
    while walk.at < walk.pieces.len() {
        end = if walk.is("[") { walk.head() } else { walk.entry() };
    }
    Read { nodes: walk.nodes, end, table: walk.table }
}

/// The name in a word: what stands in quotes, and in braces inside these.
pub(crate) fn name(shown: &str) -> &str {
    let mut name = shown;
    for quote in ["\"", "'"] {
        let inside = shown.strip_prefix(quote).map(|rest| rest.strip_suffix(quote).unwrap_or(rest));
        if let Some(inside) = inside {
            name = inside.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(inside);
        }
    }
    name
}

impl<'t> Walk<'t, '_> {
    fn shown(&self, at: usize) -> &'t str {
        self.pieces.get(at).map_or("", |piece| &self.text[piece.start as usize..piece.end as usize])
    }

    fn is(&self, sign: &str) -> bool {
        self.shown(self.at) == sign
    }

    fn starts_line(&self) -> bool {
        self.pieces.get(self.at).is_none_or(|piece| piece.starts_line)
    }

    fn span(&self, at: usize) -> Span {
        let piece = self.pieces[at.min(self.pieces.len() - 1)];
        Span { file: self.file, start: piece.start, end: piece.end }
    }

    /// Whether a line has begun since the last token.
    fn is_on_new_line(&self) -> bool {
        let last = self.pieces.last().map_or(0, |piece| piece.end as usize);
        self.text[last..].contains('\n')
    }

    /// The keys of the table that entries stand in now.
    fn here(&self) -> Option<&'static [Entry]> {
        match self.table {
            None => Some(self.entries),
            Some(table) => self.nodes[table].key.last().and_then(|part| part.entry?.shape.entries()),
        }
    }

    /// The words of a key, with the keys that may follow a point behind the last.
    fn key(&mut self, mut entries: Option<&'static [Entry]>) -> (Vec<Part<'t>>, Option<&'static [Entry]>) {
        let mut words = Vec::new();
        let first = self.at;
        while self.at < self.pieces.len() && (self.at == first || !self.starts_line()) {
            let shown = self.shown(self.at);
            match self.pieces[self.at].class {
                Class::Operator if shown != "." => break,
                Class::Operator | Class::Comment => {}
                _ => {
                    let name = name(shown);
                    let entry = entries.and_then(|entries| find(entries, name));
                    words.push(Part { span: self.span(self.at), name, entry });
                    entries = entry.and_then(|entry| entry.shape.entries());
                }
            }
            self.at += 1;
        }
        (words, entries)
    }

    /// `[step.queue]`, and what follows it up to the next head.
    fn head(&mut self) -> End {
        let first = self.at;
        while self.is("[") && (self.at == first || !self.starts_line()) {
            self.at += 1;
        }
        let (key, entries) = match self.at < self.pieces.len() && !self.starts_line() {
            true => self.key(Some(self.entries)),
            false => (Vec::new(), Some(self.entries)),
        };
        let mut is_closed = false;
        while self.at < self.pieces.len() && !self.starts_line() {
            is_closed |= self.is("]");
            self.at += 1;
        }
        let span = self.span(first).to(self.span(self.at - 1));
        let end = match is_closed || self.is_on_new_line() {
            true => None,
            // Behind a word without a point another one does not begin.
            false => Some(if key.is_empty() || self.shown(self.at - 1) == "." { entries } else { None }),
        };
        self.table = None;
        if !key.is_empty() {
            self.table = Some(self.nodes.len());
            self.nodes.push(Node { key, whole: span, head: Some(span), parent: None, texts: Vec::new() });
        }
        match end {
            Some(entries) => End::Head(entries),
            None if self.is_on_new_line() => End::Key(self.here(), self.table),
            None => End::Nothing,
        }
    }

    /// `key = value`
    fn entry(&mut self) -> End {
        let (first, here) = (self.at, self.here());
        let (key, entries) = self.key(here);
        let has_point = self.at > first && self.shown(self.at - 1) == ".";
        if self.at == first {
            // No key: what stands here is skipped.
            self.at += 1;
            return if self.is_on_new_line() { End::Key(here, self.table) } else { End::Nothing };
        }
        let has_value = self.is("=") && !self.starts_line();
        let node = self.begin(key, self.table, first);
        if !has_value {
            return match self.is_on_new_line() {
                true => End::Key(here, self.table),
                false if has_point => End::Key(entries, node),
                false => End::Nothing,
            };
        }
        self.at += 1;
        let end = self.value(node);
        self.close(node);
        if let Some(table) = self.table {
            self.nodes[table].whole.end = self.span(self.at - 1).end;
        }
        end
    }

    fn begin(&mut self, key: Vec<Part<'t>>, parent: Option<usize>, first: usize) -> Option<usize> {
        if key.is_empty() {
            return None;
        }
        let whole = self.span(first);
        self.nodes.push(Node { key, whole, head: None, parent, texts: Vec::new() });
        Some(self.nodes.len() - 1)
    }

    /// An entry ends before the token at the place.
    fn close(&mut self, node: Option<usize>) {
        let end = self.span(self.at - 1).end;
        if let Some(node) = node {
            self.nodes[node].whole.end = end.max(self.nodes[node].whole.end);
        }
    }

    /// What the form says of the value of a node.
    fn wanted(&self, node: Option<usize>) -> Option<&'static Entry> {
        self.nodes[node?].key.last()?.entry
    }

    /// A value, with all tables inside it.
    fn value(&mut self, of: Option<usize>) -> End {
        let mut open: Vec<Open> = Vec::new();
        let (mut node, mut is_key, mut is_fresh) = (of, false, true);
        while self.at < self.pieces.len() {
            if self.starts_line() && (open.is_empty() || self.begins_another(&open)) {
                break;
            }
            let is_table = open.last().is_some_and(|open| open.is_table);
            match self.shown(self.at) {
                bracket @ ("[" | "{") => {
                    open.push(Open { is_table: bracket == "{", node });
                    (is_key, is_fresh) = (bracket == "{", bracket == "[");
                }
                "]" | "}" => {
                    if let Some(closed) = open.pop() {
                        if closed.is_table && !is_key {
                            self.close(node.filter(|_| node != closed.node));
                        }
                        node = closed.node;
                    }
                    (is_key, is_fresh) = (false, false);
                }
                "," => {
                    if let Some(open) = open.last().filter(|open| open.is_table) {
                        self.close(node.filter(|_| node != open.node));
                        node = open.node;
                    }
                    (is_key, is_fresh) = (is_table, true);
                }
                "=" => (is_key, is_fresh) = (false, true),
                _ if is_key => {
                    let owner = open.last().and_then(|open| open.node);
                    let entries = self.wanted(owner).and_then(|entry| entry.shape.entries());
                    let first = self.at;
                    let (key, _) = self.key(entries);
                    node = self.begin(key, owner, first).or(owner);
                    (is_key, is_fresh) = (false, false);
                    self.at = self.at.max(first + 1);
                    continue;
                }
                shown => {
                    if self.pieces[self.at].class == Class::Text
                        && let Some(node) = node
                    {
                        let part = Part { span: self.span(self.at), name: name(shown), entry: None };
                        self.nodes[node].texts.push(part);
                    }
                    is_fresh = false;
                }
            }
            self.at += 1;
        }
        self.close(node);
        let is_inside = !open.is_empty() && self.at == self.pieces.len();
        match open.last() {
            _ if !is_inside && self.is_on_new_line() => End::Key(self.here(), self.table),
            Some(open) if open.is_table && is_key => {
                End::Key(self.wanted(open.node).and_then(|entry| entry.shape.entries()), open.node)
            }
            _ if is_fresh => End::Value(self.wanted(node)),
            _ => End::Nothing,
        }
    }

    /// Whether the text goes on with a head or an entry, though a bracket has no end: what no list contains.
    fn begins_another(&self, open: &[Open]) -> bool {
        let is_name = |at: usize| self.pieces.get(at).is_some_and(|piece| piece.class == Class::Name);
        let is_list = open.iter().all(|open| !open.is_table);
        match self.shown(self.at) {
            "[" => is_name(self.at + 1) || self.shown(self.at + 1) == "[" && is_name(self.at + 2),
            _ => is_list && is_name(self.at) && self.shown(self.at + 1) == "=",
        }
    }
}
