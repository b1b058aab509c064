//! Tokens and comments of a text, in the classes that all languages share.

use volvelle_syntax::{Language, Lexer};

/// The class of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A word of the language.
    Keyword,
    /// A name.
    Name,
    /// A number.
    Number,
    /// A text in quotes.
    Text,
    /// A comment.
    Comment,
    /// An operator, a bracket, a separator, or no token of the language.
    Operator,
}

/// A token or a comment.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Where it begins.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// Its class.
    pub class: Class,
    /// Only blanks stand before it on its line.
    pub starts_line: bool,
}

/// How comments begin and end.
pub struct Comments {
    /// Beginnings of comments to the end of the line.
    pub line: &'static [&'static str],
    /// Whether a backslash right before the end of a line has such a comment go on.
    pub joined: bool,
    /// Beginning and end of others, and whether they nest.
    pub block: Option<(&'static str, &'static str, bool)>,
}

/// All pieces of a text, in order. `next` takes tokens from a lexer, and `class` tells what they are.
pub fn pieces<L: Language>(
    text: &str,
    comments: &Comments,
    mut next: impl FnMut(&mut Lexer<'_, L>) -> volvelle_syntax::Token<L>,
    class: impl Fn(L) -> Class,
    end: L,
) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::with_capacity(text.len() / 3 + 1);
    let mut lexer = Lexer::<L>::new(text);
    let mut last = 0;
    loop {
        let token = next(&mut lexer);
        let start = token.start.max(last);
        comments_between(text, last, start, comments, &mut pieces);
        if token.kind == end {
            break;
        }
        let class = class(token.kind);
        // A comment without an end goes on to the end of the text.
        let is_endless = class == Class::Comment && is_open(&text[start as usize..], comments);
        let stop = if is_endless { text.len() as u32 } else { token.end.max(start) };
        push(&mut pieces, text, start, stop, class);
        last = stop;
        if is_endless {
            break;
        }
    }
    pieces
}

/// Whether a text begins with a comment that has no end.
fn is_open(text: &str, comments: &Comments) -> bool {
    comments
        .block
        .is_some_and(|(open, close, _)| text.strip_prefix(open).is_some_and(|inside| !inside.contains(close)))
}

pub(crate) fn push(pieces: &mut Vec<Piece>, text: &str, start: u32, end: u32, class: Class) {
    if start == end {
        return;
    }
    let before = pieces.last().map_or(0, |piece| piece.end);
    let between = &text.as_bytes()[before as usize..start as usize];
    let starts_line = pieces.is_empty() || between.contains(&b'\n') || between.contains(&b'\r');
    pieces.push(Piece { start, end, class, starts_line });
}

/// The comments in what stands between two tokens.
pub(crate) fn comments_between(text: &str, from: u32, to: u32, comments: &Comments, pieces: &mut Vec<Piece>) {
    let between = &text[from as usize..to as usize];
    let mut at = 0;
    while at < between.len() {
        let rest = &between[at..];
        let length = if comments.line.iter().any(|open| rest.starts_with(open)) {
            line_comment(rest, comments.joined)
        } else if let Some(block) = comments.block.filter(|(open, _, _)| rest.starts_with(open)) {
            block_comment(rest, block)
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        let start = from + at as u32;
        push(pieces, text, start, start + length as u32, Class::Comment);
        at += length;
    }
}

/// Length of a comment to the end of its line.
fn line_comment(rest: &str, joined: bool) -> usize {
    let mut start = 0;
    while let Some(length) = rest[start..].find('\n') {
        let end = start + length;
        let line = &rest[start..end];
        // Blanks behind the backslash end the comment, as they do for the lexer.
        if !joined || !line.strip_suffix('\r').unwrap_or(line).ends_with('\\') {
            return rest[..end].trim_end().len();
        }
        start = end + 1;
    }
    rest.trim_end().len()
}

fn block_comment(rest: &str, (open, close, nests): (&str, &str, bool)) -> usize {
    let (mut depth, mut at) = (1usize, open.len());
    while at < rest.len() {
        if rest[at..].starts_with(close) {
            at += close.len();
            depth -= 1;
            if depth == 0 {
                return at;
            }
        } else if nests && rest[at..].starts_with(open) {
            at += open.len();
            depth += 1;
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}
