//! The keys of protocols, and what they say.

use crate::protocol::Source;
use volvelle_declarations::form::{ANY, Entry, Form, Shape};

/// Files of protocols.
pub static PROTOCOL: Form = Form {
    name: "protocol",
    marks: &["states", "exclusive", "dirty", "rows", "[transfers]"],
    enough: 2,
    entries: KEYS,
};

pub(crate) const KEYS: &[Entry] = &[
    Entry::new("name", Shape::Text, "The name of the protocol."),
    Entry::new("about", Shape::Text, "What there is to say about it."),
    Entry::new("states", Shape::Defines, "The states of a copy of a line, the invalid one first."),
    Entry::new("exclusive", MARKED, "States in which no other cache has a copy."),
    Entry::new("dirty", MARKED, "States in which the copy is newer than the memory."),
    Entry::new(
        "transfers",
        Shape::Table(TRANSFERS),
        "Kinds of transfers. If nothing is said: Hit, Mem, Mem+lookup, Mem+inv and Cache.",
    ),
    Entry::new(
        "rows",
        Shape::List(&Shape::Text),
        "The table: operation, own state, strongest state among the others, `->`, new own state, new states of the others, transfer.",
    ),
];

const MARKED: Shape = Shape::List(&Shape::Names("states"));

const TRANSFERS: &[Entry] =
    &[Entry::new(ANY, Shape::Listed(sources), "A transfer, with where the line comes from.")];

fn sources() -> Vec<String> {
    [Source::None, Source::Home, Source::Provider].map(|source| source.word().to_owned()).to_vec()
}
