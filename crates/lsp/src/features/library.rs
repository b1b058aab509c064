//! Texts that come with the program, in which names of models are declared: documents that the server has, and nobody edits.

use crate::client::{Client, SCHEME};
use crate::protocol::types::{Location, Position, Range};
use volvelle_diagnostics::Lines;
use volvelle_symbols::{InLibrary, LIBRARIES, Library};

/// The document of a text.
fn uri(library: &Library) -> String {
    format!("{SCHEME}:/library/{}", library.name)
}

/// What the document with this URI says, if it is one of them.
pub fn page(uri: &str) -> Option<String> {
    let name = uri.strip_prefix(SCHEME)?.strip_prefix(":/library/")?;
    let library = LIBRARIES.iter().find(|library| library.name == name)?;
    Some(library.text.to_owned())
}

/// Where a name is declared, for clients that show such documents. Others would open a file that is not there.
pub fn location(place: &InLibrary, client: &Client) -> Option<Location> {
    if !client.shows_pages {
        return None;
    }
    let text = place.library.text;
    let lines = Lines::of(text);
    let position = |offset: u32| {
        let place = lines.position(text, offset as usize, client.encoding);
        Position { line: place.line, character: place.character }
    };
    let range = Range { start: position(place.start), end: position(place.end) };
    Some(Location { uri: uri(place.library), range })
}
