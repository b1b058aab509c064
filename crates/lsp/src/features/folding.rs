//! Lines that can be folded: declarations, and comments of several lines.

use crate::protocol::types::FoldingRange;
use crate::workspace::View;
use std::collections::BTreeSet;
use volvelle_diagnostics::{PositionEncoding, Span};
use volvelle_symbols::TokenKind;

/// The parts of a text that can be folded, by their first lines.
pub fn folding(view: &View) -> Vec<FoldingRange> {
    let Some(index) = view.analysis.index() else { return Vec::new() };
    // Only lines matter, which are the same in all encodings.
    let lines = |span: Span| {
        let range = view.analysis.range(span, PositionEncoding::Utf8);
        (range.start.line, range.end.line)
    };
    let mut all = BTreeSet::new();
    for span in index.symbols.iter().filter_map(|symbol| symbol.whole) {
        if span.file == view.file {
            let (start_line, end_line) = lines(span);
            all.insert(FoldingRange { start_line, end_line, kind: "region" });
        }
    }
    // Comments on lines that follow one another are one.
    let mut block: Option<(u32, u32)> = None;
    let mut fold = |block: Option<(u32, u32)>| {
        if let Some((start_line, end_line)) = block {
            all.insert(FoldingRange { start_line, end_line, kind: "comment" });
        }
    };
    let mut before = None;
    for token in index.tokens.iter().filter(|token| token.span.file == view.file) {
        let (start, end) = lines(token.span);
        let is_first = before.replace(end).is_none_or(|before| before < start);
        match block {
            Some((first, last)) if token.kind == TokenKind::Comment && start <= last + 1 => {
                block = Some((first, end.max(last)));
            }
            // A comment behind other tokens of its line begins none.
            _ if token.kind == TokenKind::Comment && is_first => {
                fold(block.replace((start, end)));
            }
            _ => fold(block.take()),
        }
    }
    fold(block);
    all.retain(|range| range.end_line > range.start_line);
    all.into_iter().collect()
}
