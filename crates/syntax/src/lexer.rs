//! Text to tokens, by the tables of a language.

use crate::kinds::Language;
use crate::lexicon::{BlockComment, Class, Quote, Unicode};
use crate::scan;
use volvelle_diagnostics::{FileId, Span};

/// A token: its kind and its place. Its text is under its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<K> {
    /// Its kind.
    pub kind: K,
    /// Whether a line begins with it.
    pub starts_line: bool,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset behind its last byte.
    pub end: u32,
}

impl<K> Token<K> {
    /// Whether it is of a kind.
    #[inline]
    pub fn is(&self, kind: K) -> bool
    where
        K: PartialEq,
    {
        self.kind == kind
    }

    /// Its place in a file.
    pub fn span(&self, file: FileId) -> Span {
        Span { file, start: self.start, end: self.end }
    }

    /// Its text.
    #[inline]
    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start as usize..self.end as usize]
    }
}

/// The tokens of a text, the last of which is the end. `flaw` is called for text that is no token; it reports it, and gives
/// the token that stands for it, if one does.
pub fn tokens<L: Language>(text: &str, mut flaw: impl FnMut(Token<L>) -> Option<Token<L>>) -> Vec<Token<L>> {
    let mut lexer = Lexer::<L>::new(text);
    let mut tokens = Vec::with_capacity(text.len() / 3 + 1);
    // What was left out may have begun the line.
    let mut starts_line = false;
    loop {
        let mut token = lexer.next();
        token.starts_line |= starts_line;
        starts_line = false;
        if token.kind.is_flaw() {
            match flaw(token) {
                Some(stand_in) => tokens.push(stand_in),
                None => starts_line = token.starts_line,
            }
            continue;
        }
        tokens.push(token);
        if token.kind == L::LEXICON.rules.end {
            return tokens;
        }
    }
}

/// Goes through the tokens of a text, flaws among them, without an array.
#[derive(Clone, Debug)]
pub struct Lexer<'t, L> {
    text: &'t str,
    at: usize,
    kinds: std::marker::PhantomData<L>,
}

impl<'t, L: Language> Lexer<'t, L> {
    /// Begins, behind the mark of the order of bytes that some editors write. Offsets have 32 bits: a longer text has no tokens, which
    /// its caller reports.
    pub fn new(text: &'t str) -> Self {
        let text = if u32::try_from(text.len()).is_ok() { text } else { "" };
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { text, at, kinds: std::marker::PhantomData }
    }

    /// The text of a token.
    #[inline]
    pub fn text(&self, token: Token<L>) -> &'t str {
        token.text(self.text)
    }

    /// Goes on at another place, for what only some texts of a language have: a part of a token may be read again, or a line left out.
    pub fn jump(&mut self, at: usize) {
        self.at = at.min(self.text.len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
    }

    /// The next token; behind the last one, the end again and again.
    #[inline]
    #[allow(clippy::should_implement_trait, reason = "it has no end")]
    pub fn next(&mut self) -> Token<L> {
        let lexicon = L::LEXICON;
        let bytes = self.text.as_bytes();
        let mut starts_line = self.at == 0;
        loop {
            let at = self.at;
            let Some(&first) = bytes.get(at) else {
                return Token { kind: lexicon.rules.end, starts_line, start: at as u32, end: at as u32 };
            };
            let (kind, end) = match lexicon.classes[usize::from(first)] {
                Class::Blank => {
                    self.at += 1;
                    continue;
                }
                Class::Line => {
                    starts_line = true;
                    self.at += 1;
                    continue;
                }
                Class::Word => self.word(at, at + 1),
                Class::Digit => L::number(bytes, at),
                Class::Symbol => self.symbol(at),
                Class::Quote => self.quoted(at, first),
                Class::Several | Class::Beyond | Class::Unknown => match self.several(at, first) {
                    (Some(kind), end) => {
                        // A comment without an end is shown by its beginning.
                        if let Some(BlockComment { open, endless, .. }) = &lexicon.rules.block_comment
                            && *endless == kind
                        {
                            self.at = end;
                            let end = at + open.len();
                            return Token { kind, starts_line, start: at as u32, end: end as u32 };
                        }
                        (kind, end)
                    }
                    (None, end) => {
                        // A line may begin within a comment.
                        let comment = lexicon.rules.block_comment.as_ref();
                        if comment.is_some_and(|comment| bytes[at..].starts_with(comment.open.as_bytes())) {
                            starts_line |= bytes[at..end].contains(&b'\n');
                        }
                        self.at = end;
                        continue;
                    }
                },
            };
            self.at = end;
            return Token { kind, starts_line, start: at as u32, end: end as u32 };
        }
    }

    /// A word whose first character is known.
    #[inline]
    fn word(&self, at: usize, mut end: usize) -> (L, usize) {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(end) {
                Some(&byte) if L::LEXICON.inside[usize::from(byte)] => end += 1,
                Some(0x80..) if L::LEXICON.rules.unicode == Unicode::Words => match self.letter(end) {
                    Some(next) => end = next,
                    None => break,
                },
                _ => break,
            }
        }
        if !L::LEXICON.rules.joins.is_empty() {
            while L::LEXICON.rules.joins.contains(&bytes[end - 1]) && end - at > 1 {
                end -= 1;
            }
        }
        (L::LEXICON.word(&bytes[at..end]), end)
    }

    /// Behind the letter or digit beyond ASCII at a place.
    #[cold]
    fn letter(&self, at: usize) -> Option<usize> {
        let letter = self.text[at..].chars().next().filter(|c| c.is_alphanumeric())?;
        Some(at + letter.len_utf8())
    }

    #[inline]
    fn symbol(&self, at: usize) -> (L, usize) {
        let bytes = self.text.as_bytes();
        let ahead = match bytes.get(at..at + 4) {
            Some(four) => u32::from_le_bytes([four[0], four[1], four[2], four[3]]),
            None => bytes[at..].iter().rev().fold(0, |ahead, &byte| ahead << 8 | u32::from(byte)),
        };
        let (from, to) = L::LEXICON.first[usize::from(bytes[at])];
        for symbol in &L::LEXICON.symbols[usize::from(from)..usize::from(to)] {
            if ahead & symbol.mask == symbol.bytes {
                return (symbol.kind, at + usize::from(symbol.length));
            }
        }
        (L::LEXICON.rules.unknown, L::unknown(self.text, at))
    }

    fn quoted(&self, at: usize, mark: u8) -> (L, usize) {
        let bytes = self.text.as_bytes();
        let Some(Quote { kind, open, escapes, lines, .. }) = L::LEXICON.quote(mark) else {
            return (L::LEXICON.rules.unknown, L::unknown(self.text, at));
        };
        let mut end = at + 1;
        loop {
            match bytes.get(end) {
                None => return (*open, end),
                Some(b'\n') if !lines => return (*open, end),
                Some(&byte) if byte == mark => return (*kind, end + 1),
                // What is behind the backslash is looked at only if it could end the text.
                Some(b'\\') if *escapes && bytes.get(end + 1).is_some_and(|&next| next != b'\n') => {
                    end += 1 + usize::from(bytes[end + 1].is_ascii());
                }
                Some(_) => end += 1,
            }
        }
    }

    /// What a byte begins that may begin several things; trivia has no kind.
    fn several(&self, at: usize, first: u8) -> (Option<L>, usize) {
        let (rules, bytes) = (&L::LEXICON.rules, self.text.as_bytes());
        if rules.others.contains(&first)
            && let Some(found) = L::other(self.text, at)
        {
            return found;
        }
        if rules.line_comments.iter().any(|open| bytes[at..].starts_with(open.as_bytes())) {
            return (None, scan::line(bytes, at));
        }
        if let Some(comment) = &rules.block_comment
            && bytes[at..].starts_with(comment.open.as_bytes())
        {
            return match block_end(bytes, at, comment) {
                Some(end) => (None, end),
                None => (Some(comment.endless), bytes.len()),
            };
        }
        let (kind, end) = match first {
            b'.' if rules.point && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => L::number(bytes, at),
            0x80.. => return self.beyond(at),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(at, at + 1),
            b'0'..=b'9' => L::number(bytes, at),
            _ if L::LEXICON.quote(first).is_some() => self.quoted(at, first),
            _ => self.symbol(at),
        };
        (Some(kind), end)
    }

    #[cold]
    fn beyond(&self, at: usize) -> (Option<L>, usize) {
        let unicode = L::LEXICON.rules.unicode;
        let first = self.text[at..].chars().next();
        match first {
            Some(c) if unicode != Unicode::Nothing && c.is_whitespace() => (None, at + c.len_utf8()),
            Some(c) if unicode == Unicode::Words && c.is_alphabetic() => {
                let (kind, end) = self.word(at, at + c.len_utf8());
                (Some(kind), end)
            }
            _ => (Some(L::LEXICON.rules.unknown), L::unknown(self.text, at)),
        }
    }
}

/// Behind the comment that begins at a place.
fn block_end<K>(bytes: &[u8], start: usize, comment: &BlockComment<K>) -> Option<usize> {
    let (open, close) = (comment.open.as_bytes(), comment.close.as_bytes());
    let mut depth = 0usize;
    let mut at = start;
    while at < bytes.len() {
        if (comment.nests || at == start) && bytes[at..].starts_with(open) {
            depth += 1;
            at += open.len();
        } else if bytes[at..].starts_with(close) {
            depth -= 1;
            at += close.len();
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += 1;
        }
    }
    None
}
