//! From a name to its declaration, and to wherever it is used.

use crate::address::Address;
use crate::client::Client;
use crate::features::library;
use crate::programs::Place;
use crate::protocol::types::{DocumentHighlight, Location, Position, Range};
use crate::workspace::View;
use volvelle_symbols::{Index, Occurrence, Role};

const READ: u8 = 2;
const WRITE: u8 = 3;

/// The name at a position, with the index that knows it.
pub fn named<'a>(view: &'a View, position: Position, client: &Client) -> Option<(&'a Index, &'a Occurrence)> {
    let index = view.analysis.index()?;
    let offset = view.analysis.offset(view.file, position, client.encoding);
    Some((index, index.at(view.file, offset)?))
}

/// The same, also where a sign means something that has a name.
pub fn meant<'a>(view: &'a View, position: Position, client: &Client) -> Option<(&'a Index, &'a Occurrence)> {
    let index = view.analysis.index()?;
    let offset = view.analysis.offset(view.file, position, client.encoding);
    Some((index, index.meant_at(view.file, offset)?))
}

/// Where the name at a position is declared, maybe in a text of the program; of the name of a file, its beginning. `beside` finds files by their names.
pub fn definition(
    view: &View,
    position: Position,
    client: &Client,
    beside: impl Fn(&str) -> Option<Address>,
    uri: impl Fn(&Address) -> String,
) -> Option<Location> {
    let Some((index, occurrence)) = meant(view, position, client) else {
        let offset = view.analysis.offset(view.file, position, client.encoding);
        if let Some(program) = &view.analysis.program {
            return match program.definition(offset)? {
                Place::Here(span) => view.analysis.location(span, client.encoding, uri),
                Place::Library(place) => library::location(&place, client),
            };
        }
        let (_, name) = view.analysis.file_at(view.file, offset)?;
        return Some(Location { uri: uri(&beside(name)?), range: Range::default() });
    };
    let symbol = index.symbol(occurrence.symbol);
    if let Some(place) = &symbol.library {
        return library::location(place, client);
    }
    view.analysis.location(symbol.span?, client.encoding, uri)
}

/// All places that name the same as the one at a position.
pub fn references(
    view: &View,
    position: Position,
    with_declaration: bool,
    client: &Client,
    uri: impl Fn(&Address) -> String,
) -> Vec<Location> {
    let offset = view.analysis.offset(view.file, position, client.encoding);
    if let Some(program) = &view.analysis.program
        && let Some(uses) = program.uses(offset)
    {
        let declared = match program.definition(offset).filter(|_| with_declaration) {
            Some(Place::Here(span)) => view.analysis.location(span, client.encoding, &uri),
            Some(Place::Library(place)) => library::location(&place, client),
            None => None,
        };
        let used = uses.into_iter().filter_map(|span| view.analysis.location(span, client.encoding, &uri));
        return declared.into_iter().chain(used).collect();
    }
    let Some((index, occurrence)) = meant(view, position, client) else { return Vec::new() };
    let all = index.meant(occurrence.symbol);
    let wanted = all.into_iter().filter(|one| with_declaration || one.role != Role::Declares);
    let declared = index.symbol(occurrence.symbol).library.as_ref().filter(|_| with_declaration);
    let declared = declared.and_then(|place| library::location(place, client));
    let used = wanted.filter_map(|one| view.analysis.location(one.span, client.encoding, &uri));
    used.chain(declared).collect()
}

/// Those in the same text.
pub fn highlights(view: &View, position: Position, client: &Client) -> Vec<DocumentHighlight> {
    let Some((index, occurrence)) = meant(view, position, client) else { return Vec::new() };
    let here = index.meant(occurrence.symbol).into_iter().filter(|one| one.span.file == view.file);
    let highlight = |one: &Occurrence| DocumentHighlight {
        range: view.analysis.range(one.span, client.encoding),
        kind: if one.role == Role::Reads { READ } else { WRITE },
    };
    here.map(highlight).collect()
}
