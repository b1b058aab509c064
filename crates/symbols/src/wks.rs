//! The index of weighted systems: weighted Kripke structures (`.wks`) and terms of weighted CCS (`.wccs`).
//!
//! Their front ends make numbers of names at once, so that there is no tree with places: names are told from the tokens around them.
//! Structures and projects in JSON have tokens, and no names.

mod structure;
mod terms;

use crate::candidates::Found;
use crate::index::Index;
use crate::language::Indexed;
use crate::place::Place;
use crate::text::Text;

/// Weighted systems.
pub(crate) struct Wks;

impl Indexed for Wks {
    fn name(&self) -> &'static str {
        "wks"
    }

    fn index(&self, texts: &[Text<'_>]) -> Index {
        match texts.first() {
            Some(main) if is_terms(main.name) => terms::index(texts),
            _ => structure::index(texts),
        }
    }

    fn complete<'a>(&self, place: &Place<'a>, found: &mut Found<'a>) {
        if is_terms(place.name) { terms::complete(place, found) } else { structure::complete(place, found) }
    }
}

fn is_terms(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|ending| ending.eq_ignore_ascii_case("wccs"))
}
