//! Renaming: all places of a name in the texts of a model, or a reason why not.
//!
//! The names of the changed texts are looked up again. They have to be the same as before, place by place: a name that is taken, that
//! another one would capture, or that is none in the language shows there, whatever the rules of the language are.

use super::kinds;
use super::navigation::named;
use crate::address::Address;
use crate::analysis::Analysis;
use crate::client::Client;
use crate::protocol::messages::{ErrorCode, Failure};
use crate::protocol::types::{Position, Range};
use crate::systems;
use crate::workspace::View;
use std::collections::BTreeMap;
use std::rc::Rc;
use volvelle_diagnostics::{FileId, Span};
use volvelle_symbols::{Index, Kind, Occurrence, Symbol, SymbolId, Text, TokenKind};

/// The edits of a rename: which parts of which document become the new name, in order.
#[derive(Debug, Default)]
pub struct Edits(pub BTreeMap<Address, Vec<Range>>);

impl Edits {
    fn add(&mut self, analysis: &Analysis, places: &[Span], client: &Client) {
        for place in places {
            if let Some(document) = analysis.document(place.file) {
                let range = analysis.range(*place, client.encoding);
                self.0.entry(document.clone()).or_default().push(range);
            }
        }
    }
}

/// The name at a position, if it can be renamed, and where it stands without its quotes.
///
/// # Errors
/// It cannot, and why.
pub fn prepared(view: &View, position: Position, client: &Client) -> Result<(Range, String), Failure> {
    let (index, occurrence) =
        named(view, position, client).ok_or_else(|| refused("there is no name here"))?;
    let symbol = index.symbol(occurrence.symbol);
    let place = checked(&view.analysis, index, occurrence.symbol, symbol)
        .map(|()| bare(&view.analysis, occurrence, &symbol.name))?;
    let place = place.ok_or_else(|| refused("the name is written otherwise here"))?;
    Ok((view.analysis.range(place, client.encoding), symbol.name.clone()))
}

/// The places at which the name at a position becomes another one: in the texts of its model, and, if it stands in a text that other
/// models include, in all of these.
///
/// # Errors
/// It cannot, and why.
pub fn renamed(
    view: &View,
    position: Position,
    new_name: &str,
    client: &Client,
    others: impl FnOnce() -> Vec<Rc<Analysis>>,
) -> Result<Edits, Failure> {
    let (index, occurrence) =
        named(view, position, client).ok_or_else(|| refused("there is no name here"))?;
    let mut edits = Edits::default();
    let own = &view.analysis;
    edits.add(own, &within(own, index, occurrence.symbol, new_name)?, client);
    let is_included = |address: &Address| own.included().any(|file| own.document(file) == Some(address));
    // A system has the same language as those that extend it.
    if own.language != systems::LANGUAGE && !edits.0.keys().any(is_included) {
        return Ok(edits);
    }
    // Each model that is added may have the name in further texts.
    let mut waiting: Vec<Rc<Analysis>> = others();
    waiting.retain(|other| other.main != own.main);
    while let Some(at) =
        waiting.iter().position(|other| other.documents().any(|one| edits.0.contains_key(one)))
    {
        shared(&mut edits, own, &waiting.swap_remove(at), new_name, client)?;
    }
    Ok(edits)
}

/// Adds the places in the texts of another model, which has some of those that change.
fn shared(
    edits: &mut Edits,
    own: &Analysis,
    other: &Analysis,
    new_name: &str,
    client: &Client,
) -> Result<(), Failure> {
    let common: Vec<&Address> = other.documents().filter(|one| edits.0.contains_key(one)).collect();
    let Some(first) = common.first() else { return Ok(()) };
    let about = |why: &str| {
        refused(format!(
            "{}, which has {} in common with {}: {why}",
            other.main.name(),
            first.name(),
            own.main.name()
        ))
    };
    let differs = || about("the name has other places there");
    let index = other.index().ok_or_else(differs)?;
    let mut symbols = common.iter().flat_map(|address| {
        let ranges = edits.0.get(*address).into_iter().flatten();
        let file = other.file(address);
        ranges.filter_map(move |range| {
            let file = file?;
            let found = index.at(file, other.offset(file, range.start, client.encoding))?;
            Some(found.symbol)
        })
    });
    let symbol = symbols.next().ok_or_else(differs)?;
    if symbols.any(|another| another != symbol) {
        return Err(differs());
    }
    let places = within(other, index, symbol, new_name).map_err(|failure| about(&failure.message))?;
    let mut found = Edits::default();
    found.add(other, &places, client);
    if common.iter().any(|address| found.0.get(*address) != edits.0.get(*address)) {
        return Err(differs());
    }
    edits.0.append(&mut found.0);
    Ok(())
}

/// The places of a symbol of a model that become another name.
fn within(analysis: &Analysis, index: &Index, id: SymbolId, new_name: &str) -> Result<Vec<Span>, Failure> {
    let symbol = index.symbol(id);
    checked(analysis, index, id, symbol)?;
    if new_name == symbol.name {
        return Ok(Vec::new());
    }
    if new_name.trim().is_empty() {
        return Err(refused("a name is no empty text"));
    }
    let language = analysis.indexed().ok_or_else(|| refused("names of this language are not known"))?;
    let is_same = |name: &str| match language.ignores_case() {
        true => name.eq_ignore_ascii_case(new_name),
        false => name == new_name,
    };
    let is_other = |(number, other): &(usize, &Symbol)| *number != id.0 as usize && is_same(&other.name);
    if let Some((_, other)) = index.symbols.iter().enumerate().find(is_other) {
        return Err(refused(format!(
            "`{new_name}` is taken: there is a {} of this name",
            kinds::word(other.kind)
        )));
    }
    if analysis.language == "promela" && symbol.kind == Kind::Location {
        keeps_meaning(&symbol.name, new_name)?;
    }
    elsewhere(analysis, &symbol.name, new_name)?;
    let places = places(analysis, index, id, symbol)?;
    let texts = analysis.texts();
    let changed: Vec<String> = texts
        .iter()
        .map(|text| replaced(text.text, places.iter().filter(|place| place.file == text.file), new_name))
        .collect();
    let shown: Vec<Text<'_>> =
        texts.iter().zip(&changed).map(|(text, changed)| Text { text: changed, ..*text }).collect();
    let after = language.index(&shown);
    let growth = new_name.len() as i64 - symbol.name.len() as i64;
    if is_the_same(index, &after, id, new_name, &places, growth) {
        return Ok(places);
    }
    Err(refused(format!("`{new_name}` is no name that this {} can have", kinds::word(symbol.kind))))
}

/// Beginnings of labels that mean something in Promela: states of acceptance, valid ends, and progress.
const TELLING: &[&str] = &["accept", "end", "progress"];

/// A label whose name begins in a telling way must go on to, and no other may begin to: the model would be another one.
fn keeps_meaning(old_name: &str, new_name: &str) -> Result<(), Failure> {
    let of = |name: &str| TELLING.iter().find(|word| name.starts_with(**word));
    let (old, new) = (of(old_name), of(new_name));
    if old == new {
        return Ok(());
    }
    let word = old.or(new).unwrap_or(&"");
    Err(refused(format!(
        "labels that begin with `{word}` have a meaning in Promela: with this name, the model would be another one"
    )))
}

fn refused(why: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::RequestFailed, why)
}

/// Whether a symbol can be renamed at all.
fn checked(analysis: &Analysis, index: &Index, id: SymbolId, symbol: &Symbol) -> Result<(), Failure> {
    if symbol.library.is_some() {
        return Err(refused(format!("`{}` is declared in a library that comes with Volvelle", symbol.name)));
    }
    let Some(span) = symbol.span else {
        return Err(refused(format!("`{}` is built in", symbol.name)));
    };
    if symbol.name.is_empty() {
        return Err(refused("what is declared here has no name"));
    }
    if analysis.document(span.file).is_none() {
        return Err(refused(format!("`{}` is declared in a text that comes with Volvelle", symbol.name)));
    }
    if let Some(why) = analysis.indexed().and_then(|language| language.keeps(symbol.kind)) {
        return Err(refused(format!("`{}` keeps its name: {why}", symbol.name)));
    }
    if let Some(place) = index.shared_places(id).next() {
        let line = analysis.sources.line_column(place).line;
        return Err(refused(format!(
            "`{}` also means something else in a text that comes to several places (line {line})",
            symbol.name
        )));
    }
    places(analysis, index, id, symbol).map(|_| ())
}

/// Files of a model may be in a language without an index: none may have one of the two names.
fn elsewhere(analysis: &Analysis, old_name: &str, new_name: &str) -> Result<(), Failure> {
    for file in analysis.without_names() {
        let source = analysis.sources.file(file);
        let is_word = |word: &str, name: &str| word.eq_ignore_ascii_case(name);
        let mut words = source.text.split(|c: char| !c.is_alphanumeric() && c != '_');
        if let Some(word) = words.find(|word| is_word(word, old_name) || is_word(word, new_name)) {
            return Err(refused(format!(
                "`{word}` also stands in {}, which is not looked through",
                source.name
            )));
        }
    }
    Ok(())
}

/// All places of a symbol, without quotes.
fn places(analysis: &Analysis, index: &Index, id: SymbolId, symbol: &Symbol) -> Result<Vec<Span>, Failure> {
    let place = |occurrence: &Occurrence| {
        let source = analysis.sources.file(occurrence.span.file);
        bare(analysis, occurrence, &symbol.name).ok_or_else(|| {
            let place = analysis.sources.line_column(occurrence.span);
            refused(format!("it is not written as a name in {}, line {}", source.name, place.line))
        })
    };
    index.references(id).map(place).collect()
}

/// The place of a name in an occurrence, which may have quotes around it.
fn bare(analysis: &Analysis, occurrence: &Occurrence, name: &str) -> Option<Span> {
    let span = occurrence.span;
    let text = analysis.sources.text(span);
    let at = if text == name {
        0
    } else {
        text.strip_prefix('"')?.strip_suffix('"').filter(|inside| *inside == name)?;
        1
    };
    let start = span.start + at;
    Some(Span { file: span.file, start, end: start + name.len() as u32 })
}

/// A text with the new name in these places, which come in order.
fn replaced<'a>(text: &str, places: impl Iterator<Item = &'a Span>, new_name: &str) -> String {
    let (mut out, mut behind) = (String::with_capacity(text.len()), 0);
    for place in places {
        out.push_str(text.get(behind..place.start as usize).unwrap_or(""));
        out.push_str(new_name);
        behind = place.end as usize;
    }
    out.push_str(text.get(behind..).unwrap_or(""));
    out
}

/// Whether the names of changed texts are the same as before, but for the one that changed.
fn is_the_same(
    before: &Index,
    after: &Index,
    id: SymbolId,
    new_name: &str,
    places: &[Span],
    growth: i64,
) -> bool {
    // Offsets behind changed places of the same file move.
    let moved = |file: FileId, offset: u32, is_end: bool| {
        let is_before = |place: &&Span| {
            place.file == file && if is_end { place.start < offset } else { place.end <= offset }
        };
        i64::from(offset) + growth * places.iter().filter(is_before).count() as i64
    };
    let has_moved = |old: Span, new: Span| {
        old.file == new.file
            && moved(old.file, old.start, false) == i64::from(new.start)
            && moved(old.file, old.end, true) == i64::from(new.end)
    };
    let same_names = before.symbols.len() == after.symbols.len()
        && before.symbols.iter().zip(&after.symbols).enumerate().all(|(number, (old, new))| {
            let name = if number == id.0 as usize { new_name } else { &old.name };
            new.name == name && new.kind == old.kind && new.container == old.container
        });
    let same_places = before.occurrences.len() == after.occurrences.len()
        && before.occurrences.iter().zip(&after.occurrences).all(|(old, new)| {
            old.symbol == new.symbol && old.role == new.role && has_moved(old.span, new.span)
        });
    let same_tokens = before.tokens.len() == after.tokens.len()
        && before
            .tokens
            .iter()
            .zip(&after.tokens)
            .all(|(old, new)| old.kind == new.kind || is_name(old.kind) && is_name(new.kind));
    same_names && same_places && same_tokens && before.shared.len() == after.shared.len()
}

fn is_name(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Name(_))
}
