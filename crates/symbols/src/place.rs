//! A place in a text, by the tokens before it.

use crate::index::{Index, Kind, Token, TokenKind};
use crate::text::{Part, Text};
use volvelle_diagnostics::{FileId, Span};

/// A place in a text.
pub struct Place<'a> {
    /// The names.
    pub index: &'a Index,
    /// The file.
    pub file: FileId,
    /// The name of the file.
    pub name: &'a str,
    /// What the file is to the model.
    pub part: Part,
    /// The text of the file.
    pub text: &'a str,
    /// The offset.
    pub offset: u32,
    /// The word at the place, or nothing at the place.
    pub replaces: Span,
    /// Whether the place is in quotes, of which `replaces` is the inside.
    pub is_quoted: bool,
    /// Tokens and comments that end before the word at the place.
    before: &'a [Token],
}

impl<'a> Place<'a> {
    /// A place; `None` in comments, numbers, and outside the text.
    pub fn at(index: &'a Index, text: &Text<'a>, offset: u32) -> Option<Self> {
        let Text { file, name, text, part } = *text;
        let before = text.get(..offset as usize)?;
        let from = index.tokens.partition_point(|token| token.span.file < file);
        let to = index.tokens.partition_point(|token| (token.span.file, token.span.start) < (file, offset));
        let mut tokens = &index.tokens[from..to];
        let last = tokens.last();
        // Within a comment, or at the end of one that its line ends.
        if let Some(last) = last.filter(|last| last.kind == TokenKind::Comment) {
            let is_of_line = !text_of(text, last).ends_with(['/', ')'])
                || ["//", "#"].iter().any(|open| text_of(text, last).starts_with(open));
            let on_its_line = !text[last.span.end.min(offset) as usize..offset as usize].contains('\n');
            if offset < last.span.end || (is_of_line && on_its_line) {
                return None;
            }
        }
        // An open quote is one if the quotes before it on its line are in pairs.
        let line = before.rsplit('\n').next().unwrap_or("");
        let quotes = line.bytes().filter(|&byte| byte == b'"').count();
        if quotes % 2 == 1 {
            let start = (before.len() - line.len() + line.rfind('"')? + 1) as u32;
            tokens = &tokens[..tokens.partition_point(|token| token.span.end < start)];
            let inside = text[start as usize..].find(['"', '\n']).unwrap_or(0) as u32;
            let end = start + inside;
            // What stands behind on the line is no part of a name that has no other quote.
            let is_closed = text[end as usize..].starts_with('"');
            let end = if is_closed && end >= offset { end } else { offset };
            let replaces = Span { file, start, end };
            return Some(Place {
                index,
                file,
                name,
                part,
                text,
                offset,
                replaces,
                is_quoted: true,
                before: tokens,
            });
        }
        let nothing = Span { file, start: offset, end: offset };
        let mut replaces = nothing;
        // A comment that reaches the place is none that the place is in, and no word either.
        let is_word = |last: &&Token| offset <= last.span.end && last.kind != TokenKind::Comment;
        if let Some(last) = tokens.last().filter(is_word) {
            match last.kind {
                TokenKind::Number => return None,
                _ if text_of(text, last).starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                    replaces = last.span;
                    tokens = &tokens[..tokens.len() - 1];
                }
                _ => {}
            }
        } else if let Some(next) = index.tokens.get(to).filter(|next| next.span.start == offset) {
            // The place is right before a word, which is to be replaced only if it is a name.
            if next.span.file == file && matches!(next.kind, TokenKind::Name(_)) {
                replaces = next.span;
            }
        }
        Some(Place { index, file, name, part, text, offset, replaces, is_quoted: false, before: tokens })
    }

    /// The text of the token so many before the place; 0 is the last. Empty before the beginning.
    pub fn back(&self, number: usize) -> &'a str {
        self.token(number).map_or("", |token| text_of(self.text, token))
    }

    /// The token so many before the place.
    pub fn token(&self, number: usize) -> Option<&'a Token> {
        self.tokens().nth(number)
    }

    /// The texts of the tokens before the place, the last first.
    pub fn backwards(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.tokens().map(|token| text_of(self.text, token))
    }

    /// The same, the first of the text first.
    pub fn forwards(&self) -> impl Iterator<Item = &'a str> + '_ {
        let tokens = self.before.iter().filter(|token| token.kind != TokenKind::Comment);
        tokens.map(|token| text_of(self.text, token))
    }

    /// The tokens before the place, the last first, without comments.
    fn tokens(&self) -> impl Iterator<Item = &'a Token> + '_ {
        self.before.iter().rev().filter(|token| token.kind != TokenKind::Comment)
    }

    /// The tokens of the statement that the place is in, in order: what follows the last of these words. With the word, if there is one.
    pub fn statement(&self, ends: impl Fn(&str) -> bool) -> (Vec<&'a str>, Option<&'a str>) {
        let mut own = Vec::new();
        for text in self.backwards() {
            if ends(text) {
                own.reverse();
                return (own, Some(text));
            }
            own.push(text);
        }
        own.reverse();
        (own, None)
    }

    /// The bracket that is open at the place, with the number of its token before the place, and how many commas follow it.
    pub fn open_bracket(&self) -> Option<(&'a str, usize, usize)> {
        let (mut depth, mut commas) = (0usize, 0);
        for (number, text) in self.backwards().enumerate() {
            match text {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" if depth == 0 => return Some((text, number, commas)),
                "(" | "[" | "{" => depth -= 1,
                "," if depth == 0 => commas += 1,
                _ => {}
            }
        }
        None
    }

    /// The kind of the name so many tokens before the place.
    pub fn kind(&self, number: usize) -> Option<Kind> {
        match self.token(number)?.kind {
            TokenKind::Name(kind) => Some(kind),
            _ => None,
        }
    }
}

/// The text of a token.
pub(crate) fn text_of<'t>(text: &'t str, token: &Token) -> &'t str {
    text.get(token.span.start as usize..token.span.end as usize).unwrap_or("")
}
