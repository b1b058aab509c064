//! Parts of a text that are selected one after the other: a word, what is in brackets around it, a statement, a declaration, all.

use crate::client::Client;
use crate::protocol::types::Position;
use crate::protocol::typing::SelectionRange;
use crate::workspace::View;
use volvelle_diagnostics::{FileId, Span};
use volvelle_symbols::{Index, Token, TokenKind};

/// The parts around each of some positions.
pub fn selections(view: &View, positions: &[Position], client: &Client) -> Vec<SelectionRange> {
    let analysis = &view.analysis;
    let chain = |&position: &Position| {
        let offset = analysis.offset(view.file, position, client.encoding);
        let text = &analysis.sources.file(view.file).text;
        let spans = match analysis.index() {
            Some(index) => around(index, view.file, text, offset),
            None => vec![whole(view.file, text)],
        };
        let mut selection: Option<SelectionRange> = None;
        // From the largest, which has no parent.
        for span in spans.into_iter().rev() {
            let range = analysis.range(span, client.encoding);
            if selection.as_ref().is_none_or(|parent| parent.range != range) {
                selection = Some(SelectionRange { range, parent: selection.map(Box::new) });
            }
        }
        selection.unwrap_or(SelectionRange {
            range: crate::protocol::types::Range { start: position, end: position },
            parent: None,
        })
    };
    positions.iter().map(chain).collect()
}

fn whole(file: FileId, text: &str) -> Span {
    Span { file, start: 0, end: text.len() as u32 }
}

/// The parts around an offset, the smallest first; each contains the one before.
fn around(index: &Index, file: FileId, text: &str, offset: u32) -> Vec<Span> {
    let from = index.tokens.partition_point(|token| token.span.file < file);
    let to = index.tokens.partition_point(|token| token.span.file <= file);
    let tokens = &index.tokens[from..to];
    let mut parts = vec![whole(file, text)];
    let behind = tokens.partition_point(|token| token.span.start <= offset);
    let at = behind.checked_sub(1).filter(|&at| offset <= tokens[at].span.end);
    parts.extend(at.map(|at| tokens[at].span));
    brackets_and_statements(tokens, text, offset, &mut parts);
    let declarations = index.symbols.iter().filter_map(|symbol| symbol.whole);
    parts.extend(declarations.filter(|span| span.file == file));
    parts.retain(|span| span.start <= offset && offset <= span.end);
    // What overlaps without containing is left out: the smaller one counts.
    parts.sort_by_key(|span| (span.end - span.start, span.start));
    parts.dedup();
    let mut nested: Vec<Span> = Vec::new();
    for part in parts {
        if nested.last().is_none_or(|inner| part.start <= inner.start && inner.end <= part.end) {
            nested.push(part);
        }
    }
    nested
}

/// Brackets around an offset, each with and without themselves, and the statements between them.
fn brackets_and_statements(tokens: &[Token], text: &str, offset: u32, parts: &mut Vec<Span>) {
    let shown = |token: &Token| text.get(token.span.start as usize..token.span.end as usize).unwrap_or("");
    // Open brackets, and where the statement behind each begins.
    let mut open: Vec<(Option<Span>, Option<Span>)> = vec![(None, None)];
    let mut finish = |statement: Option<Span>| {
        parts.extend(statement.filter(|span| span.start <= offset && offset <= span.end));
    };
    let mut brackets: Vec<(Span, Span)> = Vec::new();
    for token in tokens.iter().filter(|token| token.kind != TokenKind::Comment) {
        let text = if token.kind == TokenKind::Operator || token.kind == TokenKind::Keyword {
            shown(token)
        } else {
            ""
        };
        let last = open.len() - 1;
        match text {
            "(" | "[" | "{" | "|[" => {
                let statement = &mut open[last].1;
                *statement = Some(statement.map_or(token.span, |begun| begun.to(token.span)));
                open.push((Some(token.span), None));
            }
            ")" | "]" | "}" | "]|" if last > 0 => {
                if let Some((Some(begin), statement)) = open.pop() {
                    finish(statement);
                    brackets.push((begin, token.span));
                    let outer = &mut open[last - 1].1;
                    *outer = Some(outer.map_or(token.span, |begun| begun.to(token.span)));
                }
            }
            ";" | "->" | "," => {
                let statement = open[last].1.take();
                finish(statement.map(|begun| if text == ";" { begun.to(token.span) } else { begun }));
            }
            _ => {
                let statement = &mut open[last].1;
                *statement = Some(statement.map_or(token.span, |begun| begun.to(token.span)));
            }
        }
    }
    open.into_iter().for_each(|(_, statement)| finish(statement));
    for (begin, end) in brackets {
        parts.push(begin.to(end));
        parts.push(Span { start: begin.end, end: end.start.max(begin.end), ..begin });
    }
}
