//! What may stand at a place of a text: names that can be used there, and words and forms of the language.
//!
//! The place is told by the tokens before it, since a text is broken while it is typed; the names are those of its index. What fits the
//! place best comes first: writable variables where something is assigned, truth values where a condition is wanted.

mod candidates;
mod lotos;
mod place;
mod prism;
mod promela;
mod properties;

use crate::index::Index;
use candidates::Found;
pub use candidates::{Candidate, Completion, Fit};
use place::Place;
use volvelle_diagnostics::FileId;

/// What may stand at an offset of a file. `None`: nothing can be told, as in a comment, where a new name is given, or in a language without
/// an index. `texts` are those that the index is of.
pub fn complete(
    language: &str,
    index: &Index,
    texts: &[(FileId, &str)],
    file: FileId,
    offset: u32,
) -> Option<Completion> {
    let number = texts.iter().position(|(other, _)| *other == file)?;
    let text = texts[number].1;
    let place = Place::at(index, file, text, offset)?;
    let mut found = Found::new(index);
    match language {
        "prism" if number == 0 => prism::complete(&place, &mut found),
        "prism" => properties::complete(&place, &mut found),
        "promela" if number == 0 => promela::complete(&place, &mut found),
        "lotos" if number == 0 => {
            if lotos::complete(&place, &mut found) {
                found.other_names(file, text);
            }
        }
        _ => return None,
    }
    let mut candidates = found.candidates;
    // What is being typed here, and nowhere else, is no name that could be meant; nor is one that nothing can refer to.
    candidates.retain(|candidate| {
        let Some(id) = candidate.symbol else { return true };
        let Some(span) = index.symbol(id).span else { return true };
        let is_here = span.file == file && span.start <= offset && offset <= span.end;
        span.start < span.end && (!is_here || index.references(id).nth(1).is_some())
    });
    candidates.sort_by(|a, b| (a.fit, &a.shown).cmp(&(b.fit, &b.shown)));
    // Of several of the same name one is offered: the one that fits best.
    let mut known = rustc_hash::FxHashSet::default();
    candidates.retain(|candidate| known.insert(candidate.shown.clone()));
    (!candidates.is_empty()).then_some(Completion { replaces: place.replaces, candidates })
}
