//! Lexer: the text of one file in, tokens out; text that is no token becomes `Kind::Bad`.
//!
//! It serves the preprocessor, hence knows no keywords, and reports only comments without end, and ends without comment: text
//! that a condition leaves out may contain anything. A backslash at the end of a line joins it with the next one. Where C
//! reads `1..N` as one token, this reads three, so that a macro `N` is seen there.

use crate::token::{Kind, Token};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, FileId, codes};
use volvelle_syntax::{BlockComment, Language, Lexer, Lexicon, Rules, scan};

impl Language for Kind {
    const LEXICON: &'static Lexicon<Kind> = &Lexicon::new(Rules {
        // SPIN reads `x-->y` as `x -> y`, too.
        aliases: &[("-->", Kind::Arrow)],
        block_comment: Some(BlockComment::new("/*", "*/", Kind::OpenComment)),
        others: b"/*\\\"'",
        ..Rules::new(Kind::SYMBOLS, Kind::WORDS, Kind::Word, Kind::Number, Kind::Unknown, Kind::End)
    });

    fn number(bytes: &[u8], at: usize) -> (Self, usize) {
        let (digits, end) = (scan::digits(bytes, at), scan::word(bytes, at));
        (if digits == end { Kind::Number } else { Kind::BadNumber }, end)
    }

    fn other(text: &str, at: usize) -> Option<(Option<Self>, usize)> {
        let bytes = text.as_bytes();
        let (kind, end) = match &bytes[at..] {
            [b'\\', ..] => (None, at + joined_line(bytes, at)?),
            [b'/', b'/', ..] => {
                let mut end = at;
                while bytes.get(end).is_some_and(|byte| *byte != b'\n') {
                    end += joined_line(bytes, end).unwrap_or(1);
                }
                (None, end)
            }
            // Not the `*` before a comment.
            [b'*', b'/', b'/' | b'*', ..] => return None,
            [b'*', b'/', ..] => (Some(Kind::StrayEnd), at + 2),
            [b'"', ..] => quoted(text, at),
            [b'\'', ..] => character(text, at),
            _ => return None,
        };
        Some((kind, end))
    }
}

/// Length of a backslash and the end of line behind it, if they stand there.
fn joined_line(bytes: &[u8], at: usize) -> Option<usize> {
    match &bytes[at..] {
        [b'\\', b'\n', ..] => Some(2),
        [b'\\', b'\r', b'\n', ..] => Some(3),
        _ => None,
    }
}

fn quoted(text: &str, start: usize) -> (Option<Kind>, usize) {
    let bytes = text.as_bytes();
    let mut end = start + 1;
    loop {
        match bytes.get(end) {
            Some(b'"') => return (Some(Kind::Text), end + 1),
            Some(b'\\') if end + 1 < bytes.len() => {
                end = joined_line(bytes, end)
                    .map_or_else(|| scan::character(text, end + 1), |length| end + length);
            }
            None | Some(b'\n') => return (Some(Kind::OpenText), end),
            Some(_) => end = scan::character(text, end),
        }
    }
}

fn character(text: &str, at: usize) -> (Option<Kind>, usize) {
    let byte = |at: usize| text.as_bytes().get(at).copied().unwrap_or(0);
    let first = at + 1;
    let is_escaped = byte(first) == b'\\' && byte(first + 1) != b'\n';
    let start = if is_escaped { first + 1 } else { first };
    let end = scan::character(text, start);
    let is_empty = matches!(byte(start), b'\n' | 0) || !is_escaped && byte(start) == b'\'';
    if !is_empty && byte(end) == b'\'' {
        (Some(Kind::Char), end + 1)
    } else {
        (Some(Kind::Apostrophe), first)
    }
}

/// The tokens of a text, without an end token, and diagnostics about comments.
pub fn lex(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 3);
    let mut diagnostics = Vec::new();
    // Equal tokens share their text.
    let mut texts: FxHashMap<&str, Arc<str>> = FxHashMap::default();
    let mut last_end = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut starts_line = false;
    let mut lexer = Lexer::<Kind>::new(text);
    loop {
        let token = lexer.next();
        let span = token.span(file);
        starts_line |= token.starts_line;
        let kind = match token.kind {
            Kind::End => return (tokens, diagnostics),
            Kind::OpenComment => {
                let diagnostic =
                    Diagnostic::error(codes::UNTERMINATED, "this comment has no end").at(span, "");
                diagnostics.push(diagnostic.help("add a closing `*/`"));
                continue;
            }
            // Comments do not nest: in `/* a /* b */ */` the first end is that of the comment. SPIN ignores the second one.
            Kind::StrayEnd => {
                let diagnostic = Diagnostic::warning(codes::STRAY_COMMENT_END, "no comment ends here")
                    .at(span, "")
                    .note("comments do not nest: the first `*/` ends a comment; as SPIN does, this one is ignored");
                diagnostics.push(diagnostic);
                continue;
            }
            Kind::Keyword(_) => Kind::Word,
            kind => kind,
        };
        let text = token.text(text);
        tokens.push(Token {
            kind,
            text: texts.entry(text).or_insert_with(|| text.into()).clone(),
            span,
            through: None,
            spaced: span.start != last_end,
            starts_line,
            painted: false,
        });
        starts_line = false;
        last_end = span.end;
    }
}
