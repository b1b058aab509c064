//! The symbols of a text, one inside another; and those of all open texts, by letters of their names.

use super::kinds;
use crate::address::Address;
use crate::analysis::Analysis;
use crate::client::Client;
use crate::protocol::types::{DocumentSymbol, Location, Range, SymbolInformation};
use crate::workspace::View;
use serde_json::{Value, json};
use volvelle_diagnostics::FileId;
use volvelle_symbols::{Index, Kind, Symbol, SymbolId};

/// Symbols deeper inside others are shown beside these.
const DEEPEST: usize = 32;
/// Symbols that a search of all texts finds, at most.
const MOST_FOUND: usize = 512;

/// The symbols of a text: as a tree where the client takes one, else as a list.
pub fn symbols(view: &View, client: &Client, uri: impl Fn(&Address) -> String) -> Value {
    let Some(index) = view.analysis.index() else { return json!([]) };
    if client.nests_symbols {
        json!(tree(&view.analysis, index, view.file, client))
    } else {
        let all = symbols_of(index, view.file);
        let listed = all.filter_map(|(_, symbol)| listed(&view.analysis, index, symbol, client, &uri));
        json!(listed.collect::<Vec<_>>())
    }
}

/// The symbols that are declared in a file, in the order of their declarations.
fn symbols_of(index: &Index, file: FileId) -> impl Iterator<Item = (SymbolId, &Symbol)> {
    let mut own: Vec<(SymbolId, &Symbol)> = (0..)
        .map(SymbolId)
        .zip(&index.symbols)
        .filter(|(_, symbol)| symbol.kind != Kind::Local && symbol.span.is_some_and(|span| span.file == file))
        .collect();
    own.sort_by_key(|(id, symbol)| (symbol.span.map(|span| (span.start, span.end)), *id));
    own.into_iter()
}

/// A name that is not empty, as the protocol wants it.
fn name(symbol: &Symbol) -> String {
    [&symbol.name, &symbol.detail]
        .into_iter()
        .find(|text| !text.trim().is_empty())
        .map_or_else(|| kinds::word(symbol.kind).to_owned(), String::clone)
}

/// A symbol on its way into the tree.
struct Branch {
    parent: Option<usize>,
    depth: usize,
    symbol: DocumentSymbol,
}

fn tree(analysis: &Analysis, index: &Index, file: FileId, client: &Client) -> Vec<DocumentSymbol> {
    let own: Vec<(SymbolId, &Symbol)> = symbols_of(index, file).collect();
    let mut number_of = vec![None; index.symbols.len()];
    for (number, (id, _)) in own.iter().enumerate() {
        number_of[id.0 as usize] = Some(number);
    }
    let parent = |symbol: &Symbol| symbol.container.and_then(|id| *number_of.get(id.0 as usize)?);
    let mut branches: Vec<Branch> = Vec::with_capacity(own.len());
    for (_, symbol) in &own {
        let (mut depth, mut above) = (0, parent(symbol));
        while let Some(next) = above.filter(|_| depth <= DEEPEST) {
            depth += 1;
            above = parent(own[next].1);
        }
        let selection_range =
            symbol.span.map_or_else(Range::default, |span| analysis.range(span, client.encoding));
        let whole = symbol.whole.filter(|whole| whole.file == file);
        let range = whole.map_or(selection_range, |span| analysis.range(span, client.encoding));
        // The protocol wants the name inside the declaration.
        let range =
            Range { start: range.start.min(selection_range.start), end: range.end.max(selection_range.end) };
        let symbol_of = DocumentSymbol {
            name: name(symbol),
            detail: symbol.detail.clone(),
            kind: kinds::symbol(symbol.kind),
            range,
            selection_range,
            children: Vec::new(),
        };
        let parent = parent(symbol).filter(|_| depth <= DEEPEST);
        branches.push(Branch { parent, depth, symbol: symbol_of });
    }
    joined(branches)
}

/// The roots, with everything inside them.
fn joined(mut branches: Vec<Branch>) -> Vec<DocumentSymbol> {
    let mut order: Vec<usize> = (0..branches.len()).collect();
    // Those deep inside find a place first; among equals the order stays that of the text.
    order.sort_by_key(|&number| (std::cmp::Reverse(branches[number].depth.min(DEEPEST + 1)), number));
    let mut roots = Vec::new();
    for number in order {
        let placeholder = DocumentSymbol {
            name: String::new(),
            detail: String::new(),
            kind: 0,
            range: Range::default(),
            selection_range: Range::default(),
            children: Vec::new(),
        };
        let symbol = std::mem::replace(&mut branches[number].symbol, placeholder);
        match branches[number].parent {
            Some(parent) => branches[parent].symbol.children.push(symbol),
            None => roots.push(symbol),
        }
    }
    roots.sort_by_key(|root| root.selection_range);
    roots
}

/// A symbol as an entry of a list.
fn listed(
    analysis: &Analysis,
    index: &Index,
    symbol: &Symbol,
    client: &Client,
    uri: &impl Fn(&Address) -> String,
) -> Option<SymbolInformation> {
    let location: Location = analysis.location(symbol.span?, client.encoding, uri)?;
    let container_name = symbol.container.map(|container| name(index.symbol(container)));
    Some(SymbolInformation { name: name(symbol), kind: kinds::symbol(symbol.kind), location, container_name })
}

/// The symbols of a model whose names have these letters, in this order.
pub fn found(
    analysis: &Analysis,
    query: &str,
    client: &Client,
    uri: impl Fn(&Address) -> String,
    into: &mut Vec<SymbolInformation>,
) {
    let Some(index) = analysis.index() else { return };
    for symbol in &index.symbols {
        if into.len() == MOST_FOUND {
            return;
        }
        if symbol.kind != Kind::Local
            && has_letters(&symbol.name, query)
            && let Some(symbol) = listed(analysis, index, symbol, client, &uri)
            && !into.contains(&symbol)
        {
            into.push(symbol);
        }
    }
}

/// Whether a name has these letters, in this order, whatever their case.
fn has_letters(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    !name.is_empty()
        && query.chars().flat_map(char::to_lowercase).all(|wanted| letters.any(|letter| letter == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_names() {
        for (name, query, is_found) in [
            ("queue", "", true),
            ("queue", "qe", true),
            ("queue", "QUEUE", true),
            ("queue", "eq", false),
            ("queue", "queues", false),
            ("", "", false),
        ] {
            assert_eq!(has_letters(name, query), is_found, "{name} {query}");
        }
    }

    /// Wherever containers lead, each symbol is in the tree once.
    #[test]
    fn circles_and_depths() {
        let branch = |parent, depth| Branch {
            parent,
            depth,
            symbol: DocumentSymbol {
                name: "x".to_owned(),
                detail: String::new(),
                kind: 13,
                range: Range::default(),
                selection_range: Range::default(),
                children: Vec::new(),
            },
        };
        fn count(symbols: &[DocumentSymbol]) -> usize {
            symbols.iter().map(|symbol| 1 + count(&symbol.children)).sum()
        }
        let chain = vec![branch(None, 0), branch(Some(0), 1), branch(Some(1), 2), branch(Some(0), 1)];
        let roots = joined(chain);
        assert_eq!((roots.len(), count(&roots), roots[0].children.len()), (1, 4, 2));
        let cut = vec![branch(None, DEEPEST + 1), branch(None, DEEPEST + 1)];
        assert_eq!(joined(cut).len(), 2);
    }
}
