//! What a name stands for: its kind, its declaration, and the comment above it.

use super::kinds;
use super::navigation::named;
use crate::client::Client;
use crate::protocol::types::{Hover, MarkupContent, Position};
use crate::workspace::View;
use volvelle_symbols::{Index, Symbol};

/// The hover at a position.
pub fn hover(view: &View, position: Position, client: &Client) -> Option<Hover> {
    let (index, occurrence) = named(view, position, client)?;
    let symbol = index.symbol(occurrence.symbol);
    let range = view.analysis.range(occurrence.span, client.encoding);
    let contents = match client.shows_markdown {
        true => MarkupContent { kind: "markdown", value: markdown(view.analysis.language, index, symbol) },
        false => MarkupContent { kind: "plaintext", value: plain(index, symbol) },
    };
    Some(Hover { contents, range })
}

/// `variable of module queue`
fn head(index: &Index, symbol: &Symbol, name: impl Fn(&str) -> String) -> String {
    let mut head = kinds::word(symbol.kind).to_owned();
    if let Some(container) = symbol.container {
        let container = index.symbol(container);
        head += &format!(" of {} {}", kinds::word(container.kind), name(&container.name));
    }
    if symbol.span.is_none() {
        head += ", built in";
    }
    head
}

fn declaration(symbol: &Symbol) -> &str {
    if symbol.detail.is_empty() { &symbol.name } else { &symbol.detail }
}

fn plain(index: &Index, symbol: &Symbol) -> String {
    let comment = if symbol.comment.is_empty() { String::new() } else { format!("\n\n{}", symbol.comment) };
    format!("{}\n{}{comment}", head(index, symbol, str::to_owned), declaration(symbol))
}

fn markdown(language: &str, index: &Index, symbol: &Symbol) -> String {
    let declaration = declaration(symbol);
    let fence = "`".repeat(longest_run(declaration, '`').max(2) + 1);
    let head = head(index, symbol, volvelle_media::markdown::text);
    let mut text = format!("{fence}{language}\n{declaration}\n{fence}\n\n{head}");
    if !symbol.comment.is_empty() {
        // Two spaces before its end keep a line a line.
        let comment = volvelle_media::markdown::text(&symbol.comment).replace('\n', "  \n");
        text += &format!("\n\n{comment}");
    }
    text
}

/// How many of a character follow one another, at most.
fn longest_run(text: &str, character: char) -> usize {
    text.split(|other| other != character).map(|run| run.chars().count()).max().unwrap_or(0)
}
