//! What may stand at a place of a declaration: tables, keys that the table does not have yet, words and names as values.

use super::keys::{Keys, is_file, named};
use super::walk::{End, Read, read};
use crate::candidates::{Candidate, Fit, Found, escaped};
use crate::index::Kind;
use crate::place::Place;
use crate::toml;
use volvelle_declarations::form::{ANY, Entry, Form, Shape};

/// Finds what may stand at a place of a text of a form; `forms` are those of the index, in their order.
pub(crate) fn complete(
    place: &Place<'_>,
    found: &mut Found<'_>,
    forms: &[&'static Form],
    form: &'static Form,
) {
    let keys = Keys::all(forms);
    let here = read_before(place, form);
    match here.end {
        End::Head(entries) => tables(found, &keys, entries, |entry| entry.name.to_owned()),
        End::Key(entries, node) => {
            let all = read(place.file, place.text, &toml::pieces(place.text), form.entries);
            let is_used = |entry: &Entry| {
                let within = all.nodes.iter().filter(|one| one.parent == node && one.head.is_none());
                within
                    .filter_map(|one| one.key.first())
                    .any(|part| part.name == entry.name && part.span.start != place.replaces.start)
            };
            // The key of an entry that is there already.
            let behind = place.text.get(place.replaces.end as usize..).unwrap_or("");
            let has_value = behind.trim_start_matches([' ', '\t']).starts_with('=');
            let written = |entry: &Entry| match has_value {
                true => entry.name.to_owned(),
                false => format!("{} = {}", entry.name, value(&entry.shape)),
            };
            let is_line = here.table == node || node.is_none();
            for entry in entries.unwrap_or_default().iter().filter(|entry| entry.name != ANY) {
                // A table has a head of its own, where it is not inside of another one.
                let has_head = entry.shape.entries().is_some() && node.is_none();
                if !has_head && !is_used(entry) {
                    push(found, &keys, entry, Fit::Best, written(entry));
                }
            }
            if is_line && !place.is_quoted && !has_value {
                let head = |entry: &Entry| match entry.shape {
                    Shape::Tables(_) => format!("[[{}]]\n", entry.name),
                    Shape::Table([of, ..]) if of.name == ANY && of.shape.entries().is_some() => {
                        format!("[{}.${{1:name}}]\n", entry.name)
                    }
                    _ => format!("[{}]\n", entry.name),
                };
                tables(found, &keys, Some(form.entries), head);
            }
        }
        End::Value(Some(entry)) => values(place, found, entry),
        End::Value(None) | End::Nothing => {}
    }
}

/// What the text before a place says, without the quote that is open.
fn read_before<'a>(place: &Place<'a>, form: &'static Form) -> Read<'a> {
    let cut = (place.replaces.start - u32::from(place.is_quoted)) as usize;
    let before = place.text.get(..cut).unwrap_or("");
    read(place.file, before, &toml::pieces(before), form.entries)
}

/// Whether the value at a place is the name of a file, or may be one.
pub(crate) fn takes_file(place: &Place<'_>, form: &'static Form) -> bool {
    match read_before(place, form).end {
        End::Value(Some(entry)) => is_file(&entry.shape),
        _ => false,
    }
}

fn push(found: &mut Found<'_>, keys: &Keys, entry: &Entry, fit: Fit, written: String) {
    let symbol = keys.symbol(entry);
    found.candidates.push(Candidate {
        shown: entry.name.to_owned().into(),
        written: written.into(),
        symbol,
        fit,
    });
}

/// The tables among some keys.
fn tables(
    found: &mut Found<'_>,
    keys: &Keys,
    entries: Option<&'static [Entry]>,
    written: impl Fn(&Entry) -> String,
) {
    for entry in entries.unwrap_or_default() {
        if entry.name != ANY && entry.shape.entries().is_some() {
            push(found, keys, entry, Fit::Good, written(entry));
        }
    }
}

/// What is written for a value that people go on writing.
fn value(shape: &Shape) -> String {
    match shape.choices().first() {
        Some(Shape::Text | Shape::File | Shape::Words(_) | Shape::Listed(_) | Shape::Names(_)) => {
            "\"$0\"".to_owned()
        }
        Some(Shape::List(Shape::Text | Shape::Names(_))) | Some(Shape::Defines) => "[\"$0\"]".to_owned(),
        Some(Shape::List(_)) => "[$0]".to_owned(),
        Some(Shape::Table(_) | Shape::Tables(_)) => "{ $0 \\}".to_owned(),
        _ => "$0".to_owned(),
    }
}

fn values(place: &Place<'_>, found: &mut Found<'_>, entry: &Entry) {
    let quoted = |word: &str| match place.is_quoted {
        true => escaped(word).into_owned(),
        false => format!("\"{}\"", escaped(word)),
    };
    for word in entry.shape.words() {
        let written = quoted(&word);
        found.form(Fit::Best, word, written);
    }
    let has_flag = entry.shape.choices().iter().any(|shape| matches!(shape, Shape::Flag));
    if has_flag && !place.is_quoted {
        found.words(Fit::Best, &["true", "false"]);
    }
    let wanted = named(&entry.shape);
    let index = found.index;
    let is_of = |id: Option<crate::index::SymbolId>| {
        id.is_some_and(|id| wanted.contains(&index.symbol(id).name.as_str()))
    };
    // Names stand in the table or list that has this name; those with a head say so in it.
    found.named(
        |_, symbol| {
            let has_head = || wanted.iter().any(|of| symbol.detail.starts_with(&format!("[{of}.")));
            let fits = symbol.kind == Kind::Entry && (is_of(symbol.container) || has_head());
            (fits && symbol.name != "*").then_some(Fit::Best)
        },
        |symbol| quoted(&symbol.name).into(),
    );
}
