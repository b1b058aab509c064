//! What may stand at a place of a text: names that can be used there, and words and forms of the language.
//!
//! The place is told by the tokens before it, since a text is broken while it is typed; the names are those of its index. What fits the
//! place best comes first: writable variables where something is assigned, truth values where a condition is wanted.

use crate::candidates::{Candidate, Completion, Fit, Found};
use crate::index::Index;
use crate::language::Indexed;
use crate::place::Place;
use crate::text::Text;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cmp::Ordering;
use volvelle_diagnostics::{FileId, Span};

/// What may stand at an offset of a file, at most so many. `None`: nothing can be told, as in a comment, or where a new name is given.
/// `texts` are those that the index is of.
///
/// Of more than `most`, those are left that begin with what is typed, in any case, and of these the ones that fit best: the time that the
/// rest takes is that of looking at each once.
pub fn complete<'a>(
    language: &dyn Indexed,
    index: &'a Index,
    texts: &[Text<'a>],
    file: FileId,
    offset: u32,
    most: usize,
) -> Option<Completion<'a>> {
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
    if candidates.is_empty() {
        return None;
    }
    best_of_each_name(&mut candidates);
    let all = candidates.len();
    if all > most {
        let typed = text.text.get(place.replaces.start as usize..offset as usize).unwrap_or("");
        candidates.retain(|candidate| begins(&candidate.shown, typed));
    }
    if candidates.len() > most {
        candidates.select_nth_unstable_by(most, in_order);
        candidates.truncate(most);
    }
    candidates.sort_unstable_by(in_order);
    let is_incomplete = candidates.len() < all;
    Some(Completion { replaces: place.replaces, candidates, is_incomplete })
}

/// The inside of the quotes around an offset of a file where the name of a file may stand.
pub fn wants_file(
    language: &dyn Indexed,
    index: &Index,
    texts: &[Text<'_>],
    file: FileId,
    offset: u32,
) -> Option<Span> {
    let text = texts.iter().find(|text| text.file == file)?;
    let place = Place::at(index, text, offset)?;
    (place.is_quoted && language.takes_file(&place)).then_some(place.replaces)
}

/// Those that fit better stand before others, and among these names in their order. No two are equal once each name is there once.
fn in_order(one: &Candidate<'_>, other: &Candidate<'_>) -> Ordering {
    (one.fit, &one.shown).cmp(&(other.fit, &other.shown))
}

/// Of several of the same name one is offered: the one that fits best, and of equal ones the first.
fn best_of_each_name(candidates: &mut Vec<Candidate<'_>>) {
    let mut best: FxHashMap<&str, (usize, Fit)> =
        FxHashMap::with_capacity_and_hasher(candidates.len(), FxBuildHasher);
    for (number, candidate) in candidates.iter().enumerate() {
        let known = best.entry(&candidate.shown).or_insert((number, candidate.fit));
        if candidate.fit < known.1 {
            *known = (number, candidate.fit);
        }
    }
    if best.len() == candidates.len() {
        return;
    }
    let mut is_best = vec![false; candidates.len()];
    best.values().for_each(|&(number, _)| is_best[number] = true);
    let mut kept = is_best.into_iter();
    candidates.retain(|_| kept.next() == Some(true));
}

/// Whether a name begins with some letters, in any case.
fn begins(name: &str, letters: &str) -> bool {
    name.get(..letters.len()).is_some_and(|start| start.eq_ignore_ascii_case(letters))
}
