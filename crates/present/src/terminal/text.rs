//! Texts on terminals.

use super::style::Style;
use crate::document::{Kind, Span, Text, Tone};
use volvelle_media as media;

/// A text with the marks of its tones, in which only these act.
pub fn text(text: &Text, style: Style) -> String {
    let mut out = String::new();
    let mut spans = text.0.iter().peekable();
    while let Some(first) = spans.next() {
        let mut run = shown(first, style);
        // Neighbours in the same tone have one mark.
        while let Some(next) = spans.next_if(|next| next.tone == first.tone) {
            run.push_str(&shown(next, style));
        }
        out.push_str(&toned(&run, first.tone, style));
    }
    out
}

fn shown(span: &Span, style: Style) -> String {
    let text = media::line(&span.text);
    match span.kind {
        Kind::Words | Kind::Cost if !style.unicode && !text.is_ascii() => {
            text.replace(" · ", ", ").replace('±', "+/-").replace('—', "-").replace('…', "...")
        }
        _ => text.into_owned(),
    }
}

/// A text of a terminal in a tone.
pub(super) fn toned(text: &str, tone: Tone, style: Style) -> String {
    match tone {
        Tone::Plain => text.to_owned(),
        _ if text.is_empty() => String::new(),
        Tone::Strong => style.bold(text),
        Tone::Faint => style.dim(text),
        Tone::Good => style.good(text),
        Tone::Bad => style.bad(text),
        Tone::Doubtful => style.doubtful(text),
    }
}
