//! Words of the format: names of headers, identifiers, aliases, numbers, texts in quotes, and signs.

use super::HoaError;
use std::ops::Range;
use volvelle_diagnostics::FileId;
use volvelle_syntax::{
    BlockComment, Cursor, Language, Lexer, Lexicon, Parse, Quote, Rules, Spelt, Token, around_cursor, kinds,
    scan,
};

kinds! {
    /// A kind of word.
    pub enum Kind {
        /// `name`
        Name,
        /// `name:`
        Header,
        /// `@name`
        Alias,
        Number,
        /// With its quotes and escapes.
        Text,
        /// `--BODY--`
        Body,
        /// `--END--`
        EndOfBody,
        /// `--ABORT--`
        Abort,
        /// Nothing is left.
        Nothing,
    }
    flaws { Unknown, LargeNumber, OpenText, OpenComment }
    symbols {
        Not "!", And "&", Or "|", Open "(", Close ")", OpenBracket "[", CloseBracket "]", OpenBrace "{",
        CloseBrace "}", Colon ":",
    }
    words {}
}

/// Marks, which are longer than symbols.
const MARKS: [(&str, Kind); 3] =
    [("--BODY--", Kind::Body), ("--END--", Kind::EndOfBody), ("--ABORT--", Kind::Abort)];

impl Language for Kind {
    const LEXICON: &'static Lexicon<Kind> = &Lexicon::new(Rules {
        inside: b"_-",
        block_comment: Some(BlockComment { nests: true, ..BlockComment::new("/*", "*/", Kind::OpenComment) }),
        quotes: &[Quote { lines: true, ..Quote::escaped(b'"', Kind::Text, Kind::OpenText) }],
        others: b"@-",
        ..Rules::new(Kind::SYMBOLS, Kind::WORDS, Kind::Name, Kind::Number, Kind::Unknown, Kind::Nothing)
    });

    fn number(bytes: &[u8], at: usize) -> (Self, usize) {
        let end = scan::digits(bytes, at);
        let is_large = end - at > 19
            && str::from_utf8(&bytes[at..end]).is_ok_and(|digits| digits.parse::<u64>().is_err());
        (if is_large { Kind::LargeNumber } else { Kind::Number }, end)
    }

    fn other(text: &str, at: usize) -> Option<(Option<Self>, usize)> {
        let rest = &text[at..];
        if rest.starts_with('@') {
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
            let length = rest.bytes().skip(1).take_while(is_name).count();
            return Some((Some(Kind::Alias), at + 1 + length));
        }
        let (mark, kind) = MARKS.into_iter().find(|(mark, _)| rest.starts_with(mark))?;
        Some((Some(kind), at + mark.len()))
    }
}

/// The words of a text.
pub struct Tokens<'t> {
    cursor: Cursor<'t, Kind>,
}

around_cursor!(Tokens, Kind);

impl<'t> Parse<'t> for Tokens<'t> {
    type Kind = Kind;
    type Error = HoaError;
    const DEEPEST: u32 = 200;

    fn unexpected(&mut self, wanted: &str) -> HoaError {
        let found = match self.peek() {
            Kind::Text => "a text in quotes".to_owned(),
            Kind::Nothing => "the end of the file".to_owned(),
            _ => self.found(),
        };
        HoaError::new(self.place(), format!("expected {wanted}, found {found}"))
    }

    fn too_deep(&mut self) -> HoaError {
        HoaError::new(self.place(), "this condition is nested too deeply")
    }
}

impl<'t> Tokens<'t> {
    /// All words of a text.
    pub fn new(text: &'t str) -> Result<Self, HoaError> {
        let mut tokens: Vec<Token<Kind>> = Vec::with_capacity(text.len() / 3);
        let mut lexer = Lexer::new(text);
        loop {
            let token = lexer.next();
            match (token.kind, tokens.last_mut()) {
                // A name and a colon that touch each other are the name of a header.
                (Kind::Colon, Some(name)) if name.is(Kind::Name) && name.end == token.start => {
                    (name.kind, name.end) = (Kind::Header, token.end);
                }
                (kind, _) if kind == Kind::Colon || kind.is_flaw() => return Err(flaw(text, token)),
                _ => tokens.push(token),
            }
            if token.is(Kind::Nothing) {
                // The text is no file: errors have places without one.
                return Ok(Tokens { cursor: Cursor::new(FileId(0), text, tokens) });
            }
        }
    }

    /// The place of the next word.
    pub fn place(&self) -> Range<usize> {
        let token = self.token();
        token.start as usize..token.end as usize
    }

    /// Whether the next word is this header.
    pub fn at_header(&self, name: &str) -> bool {
        self.at(Kind::Header) && self.word().strip_suffix(':') == Some(name)
    }

    /// Takes a number.
    pub fn take_number(&mut self, what: &str) -> Result<u64, HoaError> {
        match self.word().parse() {
            Ok(number) if self.take(Kind::Number) => Ok(number),
            _ => Err(self.unexpected(what)),
        }
    }

    /// The text in quotes that is next, without quotes and escapes.
    pub fn unquoted(&self) -> Option<String> {
        let inner = self.word().strip_prefix('"')?.strip_suffix('"')?;
        let mut content = String::with_capacity(inner.len());
        let mut characters = inner.chars();
        while let Some(character) = characters.next() {
            content.extend(if character == '\\' { characters.next() } else { Some(character) });
        }
        Some(content)
    }
}

fn flaw(text: &str, token: Token<Kind>) -> HoaError {
    let (start, end) = (token.start as usize, token.end as usize);
    match token.kind {
        Kind::OpenComment => HoaError::new(start..end, "this comment does not end"),
        Kind::OpenText => HoaError::new(start..start + 1, "this text does not end"),
        Kind::LargeNumber => HoaError::new(start..end, "this number is too large"),
        _ => {
            let found = token.text(text).escape_debug();
            HoaError::new(start..end, format!("an automaton does not contain `{found}`"))
        }
    }
}
