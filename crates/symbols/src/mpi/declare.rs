//! Where declarations begin and end, which trees do not say.

use crate::words::{Word, between};
use volvelle_diagnostics::Span;

/// The declarations of a program: each ends with its semicolon, or the brace that closes it.
pub(super) fn items(words: &[Word<'_>]) -> Vec<Span> {
    let (mut items, mut first, mut depth) = (Vec::new(), 0, 0usize);
    for (at, word) in words.iter().enumerate() {
        match word.shown {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            ";" => {}
            _ => continue,
        }
        if depth == 0 && word.shown != "{" {
            items.push(between(words, first, at));
            first = at + 1;
        }
    }
    if first < words.len() {
        items.push(between(words, first, words.len() - 1));
    }
    items
}

/// The declaration that a place is in.
pub(super) fn around(items: &[Span], span: Span) -> Span {
    let behind = items.partition_point(|item| item.start <= span.start);
    let item = behind.checked_sub(1).map(|before| items[before]);
    item.filter(|item| span.end <= item.end).unwrap_or(span)
}
