//! Automata in files that properties name.

use crate::folder::NamedFiles;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use volvelle_automata::hoa::{self, HoaError};
use volvelle_logic::OmegaAutomaton;
use volvelle_prism::ast::{ExprKind, PropertyFile, UnreadAutomaton};

/// Characters of a line that a note shows.
const SHOWN: usize = 60;

/// Reads the automata that properties of a file name. `beside` is the name of that file.
pub(super) fn load(tree: &mut PropertyFile, beside: &str, files: &dyn NamedFiles) {
    let names = tree.exprs.ids().filter_map(|id| match &tree.exprs.get(id).kind {
        ExprKind::Automaton { file, .. } => Some(file.text.clone()),
        _ => None,
    });
    let names: Vec<String> = names.collect();
    for name in names {
        if let Entry::Vacant(place) = tree.automata.entry(name) {
            let automaton = read(place.key(), beside, files);
            place.insert(automaton);
        }
    }
}

fn read(name: &str, beside: &str, files: &dyn NamedFiles) -> Result<Arc<OmegaAutomaton>, UnreadAutomaton> {
    let unread = |no_file, message| UnreadAutomaton { no_file, message, place: None, help: None };
    let bytes = files.read(beside, name);
    let bytes = bytes.map_err(|reason| unread(true, format!("cannot read `{name}`: {reason}")))?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| unread(false, format!("`{name}` is no text in UTF-8")))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    hoa::parse(text).map(Arc::new).map_err(|HoaError { at, message, help }| UnreadAutomaton {
        no_file: false,
        message: format!("`{name}` cannot be used: {message}"),
        place: Some(place(text, at.start)),
        help,
    })
}

/// Line and column of a place, with the text of the line.
fn place(text: &str, at: usize) -> String {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = text[start..at].chars().count() + 1;
    let shown = text[start..].lines().next().unwrap_or_default().trim();
    let mut short: String = shown.chars().take(SHOWN).collect();
    if short.len() < shown.len() {
        short.push('…');
    }
    let at = format!("line {line}, column {column}");
    if short.is_empty() { at } else { format!("{at}: {short}") }
}
