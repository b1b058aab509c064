//! What a name stands for: its kind, its declaration, what is known of it, and the comment above it.

use super::kinds;
use super::navigation::meant;
use crate::analysis::Analysis;
use crate::client::Client;
use crate::protocol::types::{Hover, MarkupContent, Position};
use crate::rooms::is_toml;
use crate::systems;
use crate::workspace::View;
use volvelle_diagnostics::Span;
use volvelle_session::language::is_property_file;
use volvelle_symbols::{Index, Kind, Symbol, SymbolId, TokenKind, property_in_words};

/// The hover at a position.
pub fn hover(view: &View, position: Position, client: &Client) -> Option<Hover> {
    let Some((index, occurrence)) = meant(view, position, client) else {
        return property(view, position, client).or_else(|| typed(view, position, client));
    };
    let symbol = index.symbol(occurrence.symbol);
    let range = view.analysis.range(occurrence.span, client.encoding);
    let mut facts = facts(&view.analysis, index, occurrence.symbol);
    if symbol.kind == Kind::Property
        && let Some((words, _)) = in_words(view, position, client)
    {
        facts.push(("in words", words));
    }
    if let Some((ty, _)) = view.analysis.program.as_ref().and_then(|program| program.type_at(occurrence.span))
    {
        facts.push(("type", ty));
    }
    let contents = match client.shows_markdown {
        true => {
            // Of declarations in TOML, what they declare has no colours of its own.
            let is_toml = view.analysis.document(view.file).is_some_and(|one| is_toml(&one.name()));
            let language = if is_toml { "toml" } else { view.analysis.language };
            let value = markdown(language, index, symbol, &facts);
            MarkupContent { kind: "markdown", value }
        }
        false => MarkupContent { kind: "plaintext", value: plain(index, symbol, &facts) },
    };
    Some(Hover { contents, range })
}

/// What a property asks, where the pointer is at none of its names.
fn property(view: &View, position: Position, client: &Client) -> Option<Hover> {
    let (value, span) = in_words(view, position, client)?;
    let kind = if client.shows_markdown { "markdown" } else { "plaintext" };
    Some(Hover { contents: MarkupContent { kind, value }, range: view.analysis.range(span, client.encoding) })
}

/// The type of an expression that is no name of the text.
fn typed(view: &View, position: Position, client: &Client) -> Option<Hover> {
    let analysis = &view.analysis;
    let program = analysis.program.as_ref()?;
    let offset = analysis.offset(view.file, position, client.encoding);
    let tokens = analysis.index()?.tokens_of(view.file);
    let behind = tokens.partition_point(|token| token.span.start <= offset);
    let token = tokens.get(behind.checked_sub(1)?).filter(|token| offset <= token.span.end)?;
    if matches!(token.kind, TokenKind::Comment | TokenKind::Operator) {
        return None;
    }
    let (ty, place) = program.type_at(token.span)?;
    let shown = analysis.text(view.file)?.get(place.start as usize..place.end as usize)?;
    let line: String = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = format!("{line}: {ty}");
    let contents = match client.shows_markdown {
        true => {
            let fence = "`".repeat(longest_run(&text, '`').max(2) + 1);
            MarkupContent {
                kind: "markdown",
                value: format!("{fence}{}\n{text}\n{fence}", analysis.language),
            }
        }
        false => MarkupContent { kind: "plaintext", value: text },
    };
    Some(Hover { contents, range: analysis.range(token.span, client.encoding) })
}

fn in_words(view: &View, position: Position, client: &Client) -> Option<(String, Span)> {
    let analysis = &view.analysis;
    let is_of_properties =
        analysis.language == "prism" && is_property_file(&analysis.document(view.file)?.name());
    let offset = analysis.offset(view.file, position, client.encoding);
    let (words, span) = is_of_properties.then(|| property_in_words(analysis.text(view.file)?, offset))??;
    Some((words, Span { file: view.file, ..span }))
}

/// The comment above the declaration of a symbol, for the client.
pub fn comment(symbol: &Symbol, client: &Client) -> Option<MarkupContent> {
    let comment = Some(&symbol.comment).filter(|comment| !comment.is_empty())?;
    Some(match client.shows_markdown {
        true => MarkupContent { kind: "markdown", value: lines(comment) },
        false => MarkupContent { kind: "plaintext", value: comment.clone() },
    })
}

/// What is known of a symbol besides its declaration.
fn facts(analysis: &Analysis, index: &Index, id: SymbolId) -> Vec<(&'static str, String)> {
    let symbol = index.symbol(id);
    match symbol.kind {
        Kind::Rule => {
            let known = analysis.system.as_ref().zip(symbol.span);
            known.map_or_else(Vec::new, |(system, span)| systems::facts(system, span))
        }
        Kind::Constant => {
            let value =
                analysis.value(symbol).filter(|value| !symbol.detail.ends_with(&format!("= {value}")));
            value.map(|value| ("value", value)).into_iter().collect()
        }
        Kind::Variable => {
            let outline = analysis.outline.as_ref();
            let component = symbol.container.map(|container| index.symbol(container).name.as_str());
            let known = outline.and_then(|outline| {
                let mut all = outline.variables.iter();
                all.find(|variable| {
                    variable.name == symbol.name && variable.component.as_deref() == component
                })
            });
            let Some(known) = known else { return Vec::new() };
            let initial = known.initial.as_ref().map(|initial| ("initially", initial.to_string()));
            std::iter::once(("values", known.range.clone())).chain(initial).collect()
        }
        // Of which modules commands have it.
        Kind::Action => {
            let within = |kind: Kind| {
                let all = index.symbols.iter().filter(move |other| other.kind == kind);
                let has_it = |other: &&Symbol| {
                    other.whole.is_some_and(|whole| {
                        let mut all = index.references(id);
                        all.any(|one| {
                            one.span.file == whole.file
                                && whole.start <= one.span.start
                                && one.span.end <= whole.end
                        })
                    })
                };
                let names = all.filter(has_it).map(|other| other.name.as_str());
                names.collect::<Vec<_>>().join(", ")
            };
            let modules = within(Kind::Module);
            (!modules.is_empty()).then_some(("modules", modules)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// `variable of module queue`
fn head(index: &Index, symbol: &Symbol, name: impl Fn(&str) -> String) -> String {
    let mut head = kinds::word(symbol.kind).to_owned();
    if let Some(container) = symbol.container.map(|id| index.symbol(id)).filter(|one| !one.name.is_empty()) {
        head += &format!(" of {} {}", kinds::word(container.kind), name(&container.name));
    }
    match &symbol.library {
        Some(_) => head += ", in a library of Volvelle",
        None if symbol.span.is_none() => head += ", built in",
        None => {}
    }
    head
}

fn declaration(symbol: &Symbol) -> &str {
    if symbol.detail.is_empty() { &symbol.name } else { &symbol.detail }
}

fn plain(index: &Index, symbol: &Symbol, facts: &[(&str, String)]) -> String {
    let comment = if symbol.comment.is_empty() { String::new() } else { format!("\n\n{}", symbol.comment) };
    let facts: String = facts.iter().map(|(what, value)| format!("\n{what}: {value}")).collect();
    format!("{}\n{}{facts}{comment}", head(index, symbol, str::to_owned), declaration(symbol))
}

fn markdown(language: &str, index: &Index, symbol: &Symbol, facts: &[(&str, String)]) -> String {
    let declaration = declaration(symbol);
    let fence = "`".repeat(longest_run(declaration, '`').max(2) + 1);
    let head = head(index, symbol, volvelle_media::markdown::text);
    let mut text = format!("{fence}{language}\n{declaration}\n{fence}\n\n{head}");
    for (what, value) in facts {
        if *what == "in words" {
            text += &format!("\n\n{value}");
            continue;
        }
        text += &format!("  \n{what}: {}", code(value));
    }
    if !symbol.comment.is_empty() {
        text += &format!("\n\n{}", lines(&symbol.comment));
    }
    text
}

/// A text as code in a line of Markdown.
pub fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text, '`') + 1);
    format!("{fence}{text}{fence}")
}

/// A comment as Markdown: two spaces before its end keep a line a line.
fn lines(comment: &str) -> String {
    volvelle_media::markdown::text(comment).replace('\n', "  \n")
}

/// How many of a character follow one another, at most.
fn longest_run(text: &str, character: char) -> usize {
    text.split(|other| other != character).map(|run| run.chars().count()).max().unwrap_or(0)
}
