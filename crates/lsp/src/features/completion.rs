//! What may stand at a place, with the names of the model.

use super::kinds;
use crate::client::Client;
use crate::features::{files, hover};
use crate::protocol::types::Position;
use crate::protocol::typing::{CompletionItem, CompletionList, Padded, Replacement};
use crate::reader::Listed;
use crate::workspace::View;
use volvelle_diagnostics::Span;
use volvelle_symbols::{Candidate, Index, Kind, complete};

/// More are not sent: people go on typing, and then are asked for again.
const MOST: usize = 1000;

const TEXT: u8 = 1;
const SNIPPET: u8 = 2;

/// What may stand at a position, as JSON: a long list is written without a tree of its values. `listed` tells which files are in a folder.
pub fn completion(
    view: &View,
    position: Position,
    client: &Client,
    listed: impl Fn(&str) -> Vec<Listed>,
) -> String {
    let mut list = named(view, position, client);
    let first = list.as_ref().map_or(0, |list| list.items.len());
    if let Some((mut items, has_more)) = files::candidates(view, position, client, first, listed)
        && !items.is_empty()
    {
        let list = list.get_or_insert_with(|| CompletionList { is_incomplete: false, items: Vec::new() });
        list.items.append(&mut items);
        list.is_incomplete |= has_more;
    }
    let members = members(view, position, client);
    if !members.is_empty() {
        let list = list.get_or_insert_with(|| CompletionList { is_incomplete: false, items: Vec::new() });
        list.items.extend(members);
    }
    let list = list.and_then(|list| serde_json::to_string(&list).ok());
    list.unwrap_or_else(|| "null".to_owned())
}

fn named<'v>(view: &'v View, position: Position, client: &Client) -> Option<CompletionList<'v>> {
    let analysis = &view.analysis;
    let index = analysis.index()?;
    let offset = analysis.offset(view.file, position, client.encoding);
    let found = complete(analysis.indexed()?, index, &analysis.texts(), view.file, offset, MOST)?;
    let range = analysis.range(found.replaces, client.encoding);
    let candidates = found.candidates.into_iter().enumerate();
    let items = candidates.map(|(number, candidate)| item(candidate, number, index, range, client));
    Some(CompletionList { is_incomplete: found.is_incomplete, items: items.collect() })
}

/// Members of what stands before the dot at a position, where its type is known.
fn members(view: &View, position: Position, client: &Client) -> Vec<CompletionItem<'static>> {
    let analysis = &view.analysis;
    let (Some(program), Some(text)) = (&analysis.program, analysis.text(view.file)) else {
        return Vec::new();
    };
    let offset = analysis.offset(view.file, position, client.encoding);
    let before = &text[..offset as usize];
    let word = before.rfind(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$')).map_or(0, |at| at + 1);
    // The character before may have more bytes than one.
    if !before.get(..word).is_some_and(|before| before.ends_with('.')) {
        return Vec::new();
    }
    let span = Span { file: view.file, start: word as u32, end: offset };
    let range = analysis.range(span, client.encoding);
    let offered = program.offered(word as u32).into_iter().enumerate();
    let item = |(number, name): (usize, String)| CompletionItem {
        kind: kinds::completion(Kind::Field),
        detail: "",
        documentation: None,
        sort_text: Padded(number),
        filter_text: None,
        insert_text_format: TEXT,
        text_edit: Replacement { range, new_text: name.clone().into() },
        label: name.into(),
    };
    offered.map(item).collect()
}

fn item<'v>(
    candidate: Candidate<'v>,
    number: usize,
    index: &'v Index,
    range: crate::protocol::types::Range,
    client: &Client,
) -> CompletionItem<'v> {
    let symbol = candidate.symbol.map(|id| index.symbol(id));
    let is_snippet = client.takes_snippets && has_places(&candidate.written);
    // Without a snippet the text of each place stays, and the rest is for people to write.
    let new_text = match candidate.written {
        written if is_snippet || !written.contains(['$', '\\', '}']) => written,
        written => plain(&written).into(),
    };
    let kind = match symbol {
        Some(symbol) => kinds::completion(symbol.kind),
        None if is_snippet => kinds::SNIPPET,
        None => kinds::KEYWORD,
    };
    CompletionItem {
        kind,
        detail: symbol.map_or("", |symbol| &symbol.detail),
        documentation: symbol.and_then(|symbol| hover::comment(symbol, client)),
        // The order that the client keeps; words of the language are longer than four digits together.
        sort_text: Padded(number),
        filter_text: (new_text != candidate.shown).then(|| candidate.shown.clone()),
        label: candidate.shown,
        insert_text_format: if is_snippet { SNIPPET } else { TEXT },
        text_edit: Replacement { range, new_text },
    }
}

/// Whether a text that is written has places where people go on writing.
fn has_places(written: &str) -> bool {
    let mut characters = written.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '$' => return true,
            _ => {}
        }
    }
    false
}

/// The text without places: of each remains what stands in it.
fn plain(written: &str) -> String {
    let mut text = String::new();
    let mut characters = written.chars().peekable();
    // Inside of `${1:…}`.
    let mut is_inside = false;
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.extend(characters.next()),
            '$' => {
                is_inside = characters.next_if_eq(&'{').is_some();
                while characters.next_if(char::is_ascii_digit).is_some() {}
                characters.next_if(|&c| is_inside && c == ':');
            }
            '}' if is_inside => is_inside = false,
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_without_places() {
        for (written, expected, has) in [
            ("x", "x", false),
            ("min($1, $2)", "min(, )", true),
            ("const ${1:int} ${2:N};", "const int N;", true),
            ("do\n:: $0\nod", "do\n:: \nod", true),
            (r"a\$b\\c\}", r"a$b\c}", false),
            ("f(${1:a}) { $0 }", "f(a) {  }", true),
        ] {
            assert_eq!((plain(written).as_str(), has_places(written)), (expected, has), "{written}");
        }
    }
}
