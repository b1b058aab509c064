//! What may stand at a place of a text: names that can be used there, and words and forms of the language.
//!
//! The place is told by the tokens before it, since a text is broken while it is typed; the names are those of its index. What fits the
//! place best comes first: writable variables where something is assigned, truth values where a condition is wanted.

use crate::candidates::{Completion, Found};
use crate::index::Index;
use crate::language::Indexed;
use crate::place::Place;
use crate::text::Text;
use volvelle_diagnostics::FileId;

/// What may stand at an offset of a file. `None`: nothing can be told, as in a comment, or where a new name is given. `texts` are those
/// that the index is of.
pub fn complete(
    language: &dyn Indexed,
    index: &Index,
    texts: &[Text<'_>],
    file: FileId,
    offset: u32,
) -> Option<Completion> {
    let text = texts.iter().find(|text| text.file == file)?;
    let place = Place::at(index, text, offset)?;
    let mut found = Found::new(index);
    language.complete(&place, &mut found);
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
