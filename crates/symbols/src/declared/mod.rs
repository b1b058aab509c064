//! The index of declarations in TOML: keys with what their form says of them, and the names that a file chooses.
//!
//! Keys are those of the [`Form`] that the reader of such files accepts. Each key of the form is a symbol that is built in, so that it can
//! be completed; each key of a text is a symbol of its own.

mod complete;
mod keys;
mod walk;

pub(crate) use complete::{complete, takes_file};
pub(crate) use keys::Keys;
pub(crate) use walk::name as name_of;

use crate::builder::{Builder, Declared as Declaration, Meaning, Spelling};
use crate::candidates::Found;
use crate::index::{Index, Kind, Role, SymbolId};
use crate::language::Indexed;
use crate::pieces::Piece;
use crate::place::Place;
use crate::text::Text;
use crate::toml;
use keys::{is_file, named};
use rustc_hash::FxHashMap;
use volvelle_declarations::form::{ANY, Entry, Form, Shape};
use volvelle_diagnostics::FileId;
use walk::Node;

/// Files of a form.
#[derive(Debug)]
pub struct Declared {
    /// The form.
    pub form: &'static Form,
}

impl Indexed for Declared {
    fn name(&self) -> &'static str {
        self.form.name
    }

    fn index(&self, texts: &[Text<'_>]) -> Index {
        let tokens: Vec<Vec<Piece>> = texts.iter().map(|text| toml::pieces(text.text)).collect();
        let read = tokens.clone();
        let mut builder = Builder::new(texts, tokens, Spelling { name: name_of, ignores_case: false });
        let keys = Keys::of(&mut builder, &[self.form]);
        for (number, (text, pieces)) in (0..).zip(texts.iter().zip(&read)) {
            add(&mut builder, FileId(number), text.text, pieces, self.form, &keys);
        }
        builder.finish(|_, _| Meaning::Like(Kind::Key))
    }

    fn complete(&self, place: &Place<'_>, found: &mut Found<'_>) {
        complete(place, found, &[self.form], self.form);
    }

    fn takes_file(&self, place: &Place<'_>) -> bool {
        takes_file(place, self.form)
    }

    fn keeps(&self, _: Kind) -> Option<&'static str> {
        Some("Volvelle reads it by this name, or texts name it in which it is no word of its own")
    }
}

/// Adds what a text says.
pub(crate) fn add(
    builder: &mut Builder<'_>,
    file: FileId,
    text: &str,
    pieces: &[Piece],
    form: &'static Form,
    keys: &Keys,
) {
    let nodes = walk::read(file, text, pieces, form.entries).nodes;
    let mut symbols: Vec<SymbolId> = Vec::with_capacity(nodes.len());
    let mut chosen: FxHashMap<(&str, &str), SymbolId> = FxHashMap::default();
    for node in &nodes {
        let Some((last, before)) = node.key.split_last() else { continue };
        for part in before {
            if let Some(id) = part.entry.and_then(|entry| keys.symbol(entry)) {
                builder.refer(part.span, id, Role::Reads);
            }
        }
        let shape = last.entry.map(|entry| entry.shape);
        let kind = match last.entry {
            Some(entry) if entry.name == ANY => Kind::Entry,
            Some(entry) if entry.shape.entries().is_some() => Kind::Table,
            _ => Kind::Key,
        };
        let detail = builder.one_line(node.head.unwrap_or(node.whole));
        let container = node.parent.map(|parent| symbols[parent]);
        let (name, span, whole) = (last.name, last.span, node.whole);
        let id = builder.declare(Declaration { name, kind, span, whole, detail, container });
        symbols.push(id);
        if let Some(entry) = last.entry {
            document(builder, id, entry);
        }
        if kind == Kind::Entry {
            chosen.entry((space(node, &nodes), name)).or_insert(id);
        }
        if let Some(Shape::Defines) = shape {
            for part in &node.texts {
                let (name, span) = (part.name, part.span);
                let detail = format!("{}: {name}", last.name);
                let container = Some(id);
                let of = Declaration { name, kind: Kind::Entry, span, whole: span, detail, container };
                let id = builder.declare(of);
                chosen.entry((last.name, name)).or_insert(id);
            }
        }
    }
    for node in &nodes {
        let Some(entry) = node.key.last().and_then(|part| part.entry) else { continue };
        for part in &node.texts {
            for of in named(&entry.shape) {
                if let Some(&id) = chosen.get(&(of, part.name)) {
                    builder.refer(part.span, id, Role::Reads);
                }
            }
            // A name in braces is one of the parameters of a study.
            let is_braced =
                text.get(part.span.start as usize + 1..).is_some_and(|rest| rest.starts_with('{'));
            if let Some(&id) = chosen.get(&("parameters", part.name)).filter(|_| is_braced) {
                builder.refer(part.span, id, Role::Reads);
            }
            // The other words and names that the key takes are no names of files.
            let is_other = entry.shape.words().iter().any(|word| word.eq_ignore_ascii_case(part.name))
                || named(&entry.shape).iter().any(|of| chosen.contains_key(&(of, part.name)));
            if is_file(&entry.shape) && !is_other && !is_braced {
                builder.files.push((part.span, part.name.to_owned()));
            }
        }
    }
}

/// What names are chosen below: `step` of `[step.queue]`.
fn space<'t>(node: &Node<'t>, nodes: &[Node<'t>]) -> &'t str {
    let before = node.key.len().checked_sub(2).map(|at| node.key[at].name);
    let above = || node.parent.and_then(|parent| nodes[parent].key.last()).map(|part| part.name);
    before.or_else(above).unwrap_or("")
}

/// The comment of a key: what its form says, and what its file says above it.
fn document(builder: &mut Builder<'_>, id: SymbolId, entry: &Entry) {
    let mut lines = vec![entry.says.to_owned()];
    if entry.shape.entries().is_none() {
        lines.push(format!("It takes {}.", entry.shape.text()));
    }
    let symbol = &mut builder.symbols[id.0 as usize];
    if !symbol.comment.is_empty() {
        lines.push(std::mem::take(&mut symbol.comment));
    }
    symbol.comment = lines.join("\n");
}
