//! From text to a protocol.

use crate::form::KEYS;
use crate::protocol::{MOST_STATES, MOST_TRANSFERS, Operation, Protocol, Source, State, Transfer, cell};
use crate::rows::row;
use volvelle_declarations::{Codes, DeTable, Reader, Value, entries};
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes, has_errors};

const CODES: Codes =
    Codes { syntax: codes::PROTOCOL_SYNTAX, key: codes::PROTOCOL_KEY, value: codes::PROTOCOL_VALUE };

/// The transfers of a protocol that does not declare its own.
const TRANSFERS: [(&str, Source); 5] = [
    ("Hit", Source::None),
    ("Mem", Source::Home),
    ("Mem+lookup", Source::Home),
    ("Mem+inv", Source::Home),
    ("Cache", Source::Provider),
];

/// Reads the declaration of a protocol; there is one if there is no error among the diagnostics. Whether the table is complete and
/// coherent is another question: [`crate::check`].
pub fn read(file: FileId, text: &str) -> (Option<Protocol>, Vec<Diagnostic>) {
    let mut reader = Reader::new(file, text, CODES);
    let help =
        "a protocol has keys such as `states = [\"I\", \"S\", \"M\"]` and `rows = [\"load I I -> S I Mem\"]`";
    let Some(table) = reader.parse(help) else { return (None, reader.found) };
    // Where the text is broken, keys may be missing only because of that.
    if has_errors(&reader.found) {
        return (None, reader.found);
    }
    let protocol = declaration(&mut reader, table.get_ref());
    let protocol = protocol.filter(|_| !has_errors(&reader.found));
    (protocol, reader.found)
}

/// The declaration, as far as it can be understood.
fn declaration(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Protocol> {
    let entries = entries(table);
    reader.all_known(table, KEYS);
    let entry = |name: &str| entries.iter().find(|(key, _)| key.get_ref() == name).copied();
    let value = |name: &str| entry(name).map(|(_, value)| value);
    for (name, example) in [
        ("name", "name = \"MSI\""),
        ("states", "states = [\"I\", \"S\", \"M\"]"),
        ("dirty", "dirty = [\"M\"]"),
        ("rows", "rows = [\"load I I -> S I Mem\"]"),
    ] {
        if value(name).is_none() {
            let message = format!("the protocol has no key `{name}`");
            let start = Span::new(reader.file, 0, 0);
            reader.report_at(CODES.key, message, start, &format!("write `{example}`"));
        }
    }
    let name = value("name").and_then(|value| reader.string("name", value, "`name = \"MSI\"`"));
    let about = value("about").and_then(|value| match value.get_ref().as_str() {
        Some(about) => Some(about.to_owned()),
        None => {
            reader.wrong("about", value, "a text", "`about = \"three states\"`");
            None
        }
    });
    let states = states(reader, value("states")?)?;
    let exclusive = marked(reader, "exclusive", value("exclusive"), &states);
    let dirty = marked(reader, "dirty", value("dirty"), &states);
    let transfers = transfers(reader, value("transfers"))?;
    let (key, rows) = entry("rows")?;
    let cells = Operation::ALL.len() * states.len() * states.len();
    let mut protocol = Protocol {
        name: name.unwrap_or_default(),
        about: about.unwrap_or_default(),
        states,
        transfers,
        exclusive,
        dirty,
        has_atomic_rows: false,
        rules: vec![None; cells],
        rows: Vec::new(),
        table: reader.span(key.span()),
    };
    let rows = reader.list("rows", rows, "`rows = [\"load I I -> S I Mem\"]`");
    for value in rows {
        row(reader, &mut protocol, value);
    }
    if !protocol.has_atomic_rows {
        stores_for_atomic(&mut protocol);
    }
    Some(protocol)
}

/// Without rows of their own, atomic operations are stores.
fn stores_for_atomic(protocol: &mut Protocol) {
    let n = protocol.states.len();
    let first = |operation| cell(n, operation, State::INVALID, State::INVALID);
    let stores = protocol.rules[first(Operation::Store)..first(Operation::Atomic)].to_vec();
    protocol.rules[first(Operation::Atomic)..].clone_from_slice(&stores);
}

/// Names of states; none after a diagnostic.
fn states(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Vec<String>> {
    let example = "`states = [\"I\", \"S\", \"M\"]`";
    let errors = reader.found.len();
    let mut names: Vec<String> = Vec::new();
    for item in reader.list("states", value, example) {
        let Some(name) = reader.string("states", item, example) else { continue };
        if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            let message = format!("`{}` is no name of a state", name.escape_debug());
            reader.report(CODES.value, message, item.span(), "use letters, digits and `_`");
        } else if names.contains(&name) {
            reader.report(CODES.value, format!("the state `{name}` is named twice"), item.span(), "");
        } else {
            names.push(name);
        }
    }
    if reader.found.len() > errors {
        return None;
    }
    if names.len() < 2 || names.len() > MOST_STATES {
        let message = format!("a protocol has 2 to {MOST_STATES} states, not {}", names.len());
        reader.report(CODES.value, message, value.span(), "the first is the invalid one");
        return None;
    }
    Some(names)
}

/// Which states a list names.
fn marked(reader: &mut Reader<'_>, key: &str, value: Option<&Value<'_>>, states: &[String]) -> Vec<bool> {
    let mut marked = vec![false; states.len()];
    let Some(value) = value else { return marked };
    let example = format!("`{key} = [\"{}\"]`", states[states.len() - 1]);
    for item in reader.list(key, value, &example) {
        let Some(name) = reader.string(key, item, &example) else { continue };
        match states.iter().position(|state| *state == name) {
            Some(0) => {
                let message = format!("`{name}` is the invalid state: it cannot be {key}");
                reader.report(
                    CODES.value,
                    message,
                    item.span(),
                    "the first of the states is the invalid one",
                );
            }
            Some(at) => marked[at] = true,
            None => {
                let all = || format!("the states are `{}`", states.join("`, `"));
                let message = format!("`{}` is no state", name.escape_debug());
                reader.misspelt(CODES.value, message, item.span(), &name, states, all);
            }
        }
    }
    marked
}

/// Kinds of transfers; none after a diagnostic.
fn transfers(reader: &mut Reader<'_>, value: Option<&Value<'_>>) -> Option<Vec<Transfer>> {
    let Some(value) = value else {
        return Some(TRANSFERS.map(|(name, source)| Transfer { name: name.to_owned(), source }).to_vec());
    };
    let errors = reader.found.len();
    let table = reader.table("transfers", value, "`[transfers]`, and below it `Hit = \"none\"`")?;
    let mut transfers = Vec::new();
    let sources = [Source::None, Source::Home, Source::Provider];
    for (key, value) in entries(table) {
        let name: &str = key.get_ref();
        if name.is_empty() || name.chars().any(char::is_whitespace) {
            let message = format!("`{}` is no name of a transfer", name.escape_debug());
            reader.report(CODES.key, message, key.span(), "use a name without spaces");
            continue;
        }
        let Some(word) = reader.string(name, value, &format!("`{name} = \"home\"`")) else { continue };
        match sources.into_iter().find(|source| source.word() == word) {
            Some(source) => transfers.push(Transfer { name: name.to_owned(), source }),
            None => {
                let words = sources.map(Source::word);
                let all = || format!("a line comes from `{}`", words.join("`, `"));
                let message = format!("`{}` says not where the line comes from", word.escape_debug());
                reader.misspelt(CODES.value, message, value.span(), &word, words, all);
            }
        }
    }
    if transfers.len() > MOST_TRANSFERS {
        let message = format!("a protocol has at most {MOST_TRANSFERS} transfers");
        reader.report(CODES.value, message, value.span(), "");
    }
    (reader.found.len() == errors).then_some(transfers)
}
