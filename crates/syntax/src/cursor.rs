//! A place in the tokens of a text: what stands there, what should stand there, and where to go on.

use crate::kinds::Language;
use crate::lexer::Token;
use std::ops::DerefMut;
use volvelle_diagnostics::{FileId, Span};

/// Tokens, taken from the front. Parsers are built around one, and deref to it.
#[derive(Clone, Debug)]
pub struct Cursor<'t, L> {
    /// The file that spans refer to.
    pub file: FileId,
    text: &'t str,
    tokens: Vec<Token<L>>,
    /// Number of the next token; the last one stays next for ever.
    at: usize,
    depth: u32,
}

impl<'t, L: Language> Cursor<'t, L> {
    /// Begins with the first of some tokens, the last of which is the end.
    pub fn new(file: FileId, text: &'t str, tokens: Vec<Token<L>>) -> Self {
        debug_assert!(tokens.last().is_some_and(|last| last.kind == L::LEXICON.rules.end));
        Cursor { file, text, tokens, at: 0, depth: 0 }
    }

    /// The whole text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// All tokens.
    pub fn tokens(&self) -> &[Token<L>] {
        &self.tokens
    }

    /// The next token.
    #[inline]
    pub fn token(&self) -> Token<L> {
        self.tokens[self.at]
    }

    /// The kind of the next token.
    #[inline]
    pub fn peek(&self) -> L {
        self.token().kind
    }

    /// The token so many places behind the next one; behind the end, the end.
    #[inline]
    pub fn ahead(&self, count: usize) -> Token<L> {
        self.tokens[(self.at + count).min(self.tokens.len() - 1)]
    }

    /// The number of the next token among all.
    pub fn number(&self) -> usize {
        self.at
    }

    /// Goes on at another token.
    pub fn jump(&mut self, number: usize) {
        self.at = number.min(self.tokens.len() - 1);
    }

    /// Reads a token as one of another kind from now on.
    pub fn read_as(&mut self, number: usize, kind: L) {
        if let Some(token) = self.tokens.get_mut(number) {
            token.kind = kind;
        }
    }

    /// Whether all tokens were taken.
    pub fn at_end(&self) -> bool {
        self.at + 1 == self.tokens.len()
    }

    /// Takes the next token; the end stays.
    #[inline]
    pub fn advance(&mut self) -> Token<L> {
        let token = self.token();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Whether the next token is of a kind.
    #[inline]
    pub fn at(&self, kind: L) -> bool {
        self.peek() == kind
    }

    /// Takes the next token if it is of a kind.
    #[inline]
    pub fn take(&mut self, kind: L) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    /// The text of a token.
    #[inline]
    pub fn text_of(&self, token: Token<L>) -> &'t str {
        token.text(self.text)
    }

    /// The text under a span.
    pub fn under(&self, span: Span) -> &'t str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The text of the next token.
    #[inline]
    pub fn word(&self) -> &'t str {
        self.text_of(self.token())
    }

    /// Whether the next token is this name: a word that is not reserved.
    pub fn at_word(&self, word: &str) -> bool {
        self.peek() == L::LEXICON.rules.name && self.word() == word
    }

    /// Takes the next token if it is this name.
    pub fn take_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// The place of the next token.
    pub fn span(&self) -> Span {
        self.token().span(self.file)
    }

    /// The place of the token taken last, the first one if there is none.
    pub fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span(self.file)
    }

    /// The place from a span to the token taken last.
    pub fn since(&self, start: Span) -> Span {
        let last = self.before();
        if last.start < start.start { start } else { start.to(last) }
    }

    /// What stands between the token taken last and the next one: white space and comments, and what was no token.
    pub fn trivia(&self) -> &'t str {
        let before = self.at.checked_sub(1).map_or(0, |last| self.tokens[last].end);
        &self.text[before as usize..self.token().start as usize]
    }

    /// The next token as a message names it.
    pub fn found(&self) -> String {
        if self.at_end() { "the end of the text".to_owned() } else { format!("`{}`", self.word()) }
    }

    /// The message that something else should stand at the next token.
    pub fn expected(&self, wanted: &str) -> String {
        format!("expected {wanted}, found {}", self.found())
    }

    /// Goes on to one of these kinds, or to the end.
    pub fn skip_to(&mut self, kinds: &[L]) {
        while !self.at_end() && !kinds.contains(&self.peek()) {
            self.advance();
        }
    }
}

/// Lets a parser of one lifetime deref to its field `cursor`, of a kind of tokens.
#[macro_export]
macro_rules! around_cursor {
    ($parser:ident, $kind:ty) => {
        impl<'t> std::ops::Deref for $parser<'t> {
            type Target = $crate::Cursor<'t, $kind>;

            #[inline]
            fn deref(&self) -> &Self::Target {
                &self.cursor
            }
        }

        impl std::ops::DerefMut for $parser<'_> {
            #[inline]
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.cursor
            }
        }
    };
}

/// Kinds with one spelling in words: "`;`, `,` or `]`".
pub fn one_of<L: Language>(kinds: &[L]) -> String {
    let mut words = String::new();
    for (at, kind) in kinds.iter().enumerate() {
        let between = if at == 0 {
            ""
        } else if at + 1 == kinds.len() {
            " or "
        } else {
            ", "
        };
        words.push_str(&format!("{between}`{}`", kind.spelling().unwrap_or("…")));
    }
    words
}

/// A parser: a cursor, and what becomes of mistakes.
pub trait Parse<'t>: DerefMut<Target = Cursor<'t, Self::Kind>> + Sized {
    /// The kinds of its tokens.
    type Kind: Language;
    /// Says that a mistake was found.
    type Error;
    /// How many constructs may be within one another.
    const DEEPEST: u32;

    /// Something else should stand at the next token, `wanted` in words.
    fn unexpected(&mut self, wanted: &str) -> Self::Error;

    /// A construct is too deep in others.
    fn too_deep(&mut self) -> Self::Error;

    /// A token of a kind with one spelling is missing.
    fn missing(&mut self, kind: Self::Kind) -> Self::Error {
        self.unexpected(&one_of(&[kind]))
    }

    /// Takes a token of a kind with one spelling.
    ///
    /// # Errors
    /// Another one is next.
    #[inline]
    fn expect(&mut self, kind: Self::Kind) -> Result<Token<Self::Kind>, Self::Error> {
        if self.at(kind) { Ok(self.advance()) } else { Err(self.missing(kind)) }
    }

    /// Reads something within what is being read.
    ///
    /// # Errors
    /// Those of `read`, and that it is too deep.
    #[inline]
    fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Self::Error>,
    ) -> Result<T, Self::Error> {
        self.check_depth(1)?;
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Checks the depth of something that goes `depth` levels further down.
    ///
    /// # Errors
    /// It is too deep.
    fn check_depth(&mut self, depth: u32) -> Result<(), Self::Error> {
        if self.depth + depth > Self::DEEPEST { Err(self.too_deep()) } else { Ok(()) }
    }

    /// Reads one thing or more, with tokens of a kind between them.
    ///
    /// # Errors
    /// Those of `read`.
    fn separated<T>(
        &mut self,
        separator: Self::Kind,
        mut read: impl FnMut(&mut Self) -> Result<T, Self::Error>,
    ) -> Result<Vec<T>, Self::Error> {
        let mut list = vec![read(self)?];
        while self.take(separator) {
            list.push(read(self)?);
        }
        Ok(list)
    }

    /// Reads one thing, or several with tokens of a kind between them, which are made one.
    ///
    /// # Errors
    /// Those of `read`.
    fn joined<T>(
        &mut self,
        separator: Self::Kind,
        read: impl FnMut(&mut Self) -> Result<T, Self::Error>,
        make: impl FnOnce(Vec<T>) -> T,
    ) -> Result<T, Self::Error> {
        let mut list = self.separated(separator, read)?;
        Ok(if list.len() == 1 { list.remove(0) } else { make(list) })
    }

    /// Reads something between two tokens; there is nothing where the first one is not next.
    ///
    /// # Errors
    /// Those of `read`; the second token does not follow.
    fn within<T: Default>(
        &mut self,
        open: Self::Kind,
        close: Self::Kind,
        read: impl FnOnce(&mut Self) -> Result<T, Self::Error>,
    ) -> Result<T, Self::Error> {
        if !self.take(open) {
            return Ok(T::default());
        }
        let found = read(self)?;
        self.expect(close)?;
        Ok(found)
    }

    /// Reads such a list up to and with its closing token; it may be empty.
    ///
    /// # Errors
    /// Those of `read`; another token follows.
    fn separated_until<T>(
        &mut self,
        separator: Self::Kind,
        close: Self::Kind,
        read: impl FnMut(&mut Self) -> Result<T, Self::Error>,
    ) -> Result<Vec<T>, Self::Error> {
        if self.take(close) {
            return Ok(Vec::new());
        }
        let list = self.separated(separator, read)?;
        self.expect(close)?;
        Ok(list)
    }
}
