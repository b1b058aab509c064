//! What stands in a text about a declaration: itself on one line, and the comment above it.

use crate::pieces::{Class, Piece};
use volvelle_diagnostics::Span;

/// Characters after which a detail is cut off.
const LONGEST: usize = 240;

/// The tokens of a piece of text, with one blank where there is a gap, without a `;` at the end.
pub(crate) fn one_line(text: &str, pieces: &[Piece], span: Span) -> String {
    let first = pieces.partition_point(|piece| piece.start < span.start);
    let mut line = String::new();
    let mut last = span.start;
    let inside = pieces[first..].iter().take_while(|piece| piece.end <= span.end);
    for piece in inside.filter(|piece| piece.class != Class::Comment) {
        if !line.is_empty() && piece.start > last {
            line.push(' ');
        }
        // A token may go over several lines.
        let shown = &text[piece.start as usize..piece.end as usize];
        line.extend(shown.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST));
        last = piece.end;
        if line.len() > LONGEST {
            let cut = line.char_indices().nth(LONGEST).map_or(line.len(), |(at, _)| at);
            line.truncate(cut);
            line.push('…');
            return line;
        }
    }
    while line.ends_with([';', ' ']) {
        line.pop();
    }
    line
}

/// The comments on the lines right above a place, the first token of its line, without their marks.
pub(crate) fn comment_above(text: &str, pieces: &[Piece], start: u32) -> String {
    let here = pieces.partition_point(|piece| piece.start < start);
    let mut lines: Vec<&str> = Vec::new();
    let mut below = start;
    for piece in pieces[..here].iter().rev() {
        let between = text.get(piece.end as usize..below as usize).unwrap_or("x");
        let follows = between.trim().is_empty() && between.matches('\n').count() == 1;
        if piece.class != Class::Comment || !piece.starts_line || !follows {
            break;
        }
        lines.extend(text[piece.start as usize..piece.end as usize].lines().rev().map(unmarked));
        below = piece.start;
    }
    lines.reverse();
    let is_blank = |line: &&&str| line.is_empty();
    let before = lines.iter().take_while(is_blank).count();
    let behind = lines[before..].iter().rev().take_while(is_blank).count();
    lines[before..lines.len() - behind].join("\n")
}

/// A line of a comment without its marks.
fn unmarked(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_prefix("(*").or(line.strip_prefix("/*")).unwrap_or(line);
    let line = line.strip_suffix("*/").or(line.strip_suffix("*)")).unwrap_or(line);
    let line = line.strip_prefix("--").or(line.strip_prefix('#')).unwrap_or(line);
    line.trim_start_matches(['/', '*', '!']).trim()
}
