//! An index under construction: symbols and occurrences from a tree, checked against the tokens of the texts.
//!
//! Trees are read from texts that are numbered from 0; the index has the numbers of the caller. An occurrence counts if it is one token
//! with the name of its symbol, and the first of a place counts: so occurrences neither overlap nor leave the text, whatever a broken
//! text makes of a tree.

use crate::index::{Index, Kind, Occurrence, Role, Symbol, SymbolId, Token, TokenKind};
use crate::library::InLibrary;
use crate::pieces::{Class, Piece};
use crate::text::Text;
use crate::written;
use volvelle_diagnostics::{FileId, Span};

/// What the names of a language look like.
pub struct Spelling {
    /// The name in a token.
    pub name: fn(&str) -> &str,
    /// Whether case has no meaning.
    pub ignores_case: bool,
}

/// What a token means that the tree does not mention.
pub enum Meaning {
    /// A word of the language.
    Word,
    /// A number.
    Number,
    /// It names a symbol, but there is no tree of what is around it.
    Names(SymbolId),
    /// A name of some kind, of a symbol that cannot be told.
    Like(Kind),
}

/// A declaration.
pub struct Declared<'a> {
    /// Its name, without quotes.
    pub name: &'a str,
    /// Its kind.
    pub kind: Kind,
    /// Where its name stands.
    pub span: Span,
    /// All of it.
    pub whole: Span,
    /// It on one line.
    pub detail: String,
    /// The symbol in whose declaration it is.
    pub container: Option<SymbolId>,
}

/// The texts, and what is known of them.
pub struct Builder<'t> {
    texts: &'t [Text<'t>],
    pieces: Vec<Vec<Piece>>,
    spelling: Spelling,
    /// The symbols so far.
    pub symbols: Vec<Symbol>,
    occurrences: Vec<Occurrence>,
    signs: Vec<Occurrence>,
    /// Names of files so far, with their places.
    pub files: Vec<(Span, String)>,
}

impl<'t> Builder<'t> {
    /// No symbols yet, of these texts with their pieces. In places texts are numbered from 0.
    pub fn new(texts: &'t [Text<'t>], pieces: Vec<Vec<Piece>>, spelling: Spelling) -> Self {
        Builder {
            texts,
            pieces,
            spelling,
            symbols: Vec::new(),
            occurrences: Vec::new(),
            signs: Vec::new(),
            files: Vec::new(),
        }
    }

    /// What a text says.
    pub fn text(&self, file: FileId) -> &'t str {
        self.texts.get(file.0 as usize).map_or("", |text| text.text)
    }

    fn pieces_of(&self, file: FileId) -> &[Piece] {
        self.pieces.get(file.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// A piece of text as it is written, on one line, without comments.
    pub fn one_line(&self, span: Span) -> String {
        written::one_line(self.text(span.file), self.pieces_of(span.file), span)
    }

    /// A place with the word before it, if that is this one.
    pub fn with_word_before(&self, span: Span, word: &str) -> Span {
        let pieces = self.pieces_of(span.file);
        let here = pieces.partition_point(|piece| piece.start < span.start);
        let before = here.checked_sub(1).map(|before| &pieces[before]);
        let text = self.text(span.file);
        let is_it = |piece: &&Piece| text.get(piece.start as usize..piece.end as usize) == Some(word);
        before.filter(is_it).map_or(span, |piece| Span { start: piece.start, ..span })
    }

    /// The place where something without a name would have one.
    pub fn nameless(whole: Span) -> Span {
        Span { end: whole.start, ..whole }
    }

    /// Adds a symbol, with the occurrence that declares it.
    pub fn declare(&mut self, declared: Declared<'_>) -> SymbolId {
        let Declared { name, kind, span, mut whole, detail, container } = declared;
        // A name may come from the text of a macro into a declaration elsewhere.
        if span.file != whole.file || span.start < whole.start || whole.end < span.end {
            whole = span;
        }
        let comment = written::comment_above(self.text(whole.file), self.pieces_of(whole.file), whole.start);
        let id = self.add(Symbol {
            name: name.to_owned(),
            kind,
            span: Some(span),
            whole: Some(whole),
            detail,
            container,
            comment,
            library: None,
        });
        self.refer(span, id, Role::Declares);
        id
    }

    /// Adds a symbol that no text declares.
    pub fn built_in(&mut self, name: &str, kind: Kind, detail: &str) -> SymbolId {
        self.add(Symbol {
            name: name.to_owned(),
            kind,
            span: None,
            whole: None,
            detail: detail.to_owned(),
            container: None,
            comment: String::new(),
            library: None,
        })
    }

    /// Adds a symbol that a text of the program declares.
    pub fn of_library(&mut self, name: &str, kind: Kind, detail: &str, place: InLibrary) -> SymbolId {
        let id = self.built_in(name, kind, detail);
        self.symbols[id.index()].library = Some(place);
        id
    }

    fn add(&mut self, symbol: Symbol) -> SymbolId {
        self.symbols.push(symbol);
        SymbolId(self.symbols.len() as u32 - 1)
    }

    /// Adds an occurrence.
    pub fn refer(&mut self, span: Span, symbol: SymbolId, role: Role) {
        self.occurrences.push(Occurrence { span, symbol, role });
    }

    /// Adds a token that means a symbol without its name.
    pub fn sign(&mut self, span: Span, symbol: SymbolId, role: Role) {
        self.signs.push(Occurrence { span, symbol, role });
    }

    /// The index. `meaning` tells what a name means that the tree does not mention, by its place and its text.
    pub fn finish(mut self, mut meaning: impl FnMut(Span, &str) -> Meaning) -> Index {
        // Stable: of several at one place, the first that was added counts.
        self.occurrences.sort_by_key(|o| (o.span.file, o.span.start));
        let (mut occurrences, mut tokens) = (Vec::with_capacity(self.occurrences.len()), Vec::new());
        let mut shared: Vec<Occurrence> = Vec::new();
        let mut order: Vec<usize> = (0..self.texts.len()).collect();
        order.sort_by_key(|&number| self.texts[number].file);
        // Of texts with one number the first counts.
        order.dedup_by_key(|number| self.texts[*number].file);
        for number in order {
            let Text { file, text, .. } = self.texts[number];
            let local = FileId(number as u32);
            let from = self.occurrences.partition_point(|o| o.span.file < local);
            let to = self.occurrences.partition_point(|o| o.span.file <= local);
            let mut waiting = self.occurrences[from..to].iter().peekable();
            tokens.reserve(self.pieces[number].len());
            for piece in &self.pieces[number] {
                let span = Span { file, start: piece.start, end: piece.end };
                let here = Span { file: local, ..span };
                let shown = &text[piece.start as usize..piece.end as usize];
                let mut named = None;
                while let Some(found) = waiting.next_if(|o| o.span.start <= piece.start) {
                    if named.is_some_and(|(first, _)| first == found.symbol)
                        || found.span != here
                        || !self.has_name(found.symbol, shown)
                    {
                        continue;
                    }
                    match named {
                        None => named = Some((found.symbol, found.role)),
                        Some(_) => shared.push(Occurrence { span, ..*found }),
                    }
                }
                let mut kind = match piece.class {
                    Class::Keyword => TokenKind::Keyword,
                    Class::Number => TokenKind::Number,
                    Class::Comment => TokenKind::Comment,
                    Class::Operator => TokenKind::Operator,
                    Class::Text | Class::Name => TokenKind::Text,
                };
                if named.is_none() && matches!(piece.class, Class::Name | Class::Text) {
                    match meaning(here, shown) {
                        Meaning::Word if piece.class == Class::Name => kind = TokenKind::Keyword,
                        Meaning::Number => kind = TokenKind::Number,
                        Meaning::Names(symbol) if self.has_name(symbol, shown) => {
                            named = Some((symbol, Role::Reads));
                        }
                        Meaning::Like(like) if piece.class == Class::Name => kind = TokenKind::Name(like),
                        _ => {}
                    }
                    if piece.class == Class::Name && kind == TokenKind::Text {
                        kind = TokenKind::Name(Kind::Variable);
                    }
                }
                if let Some((symbol, role)) = named {
                    kind = TokenKind::Name(self.symbols[symbol.index()].kind);
                    occurrences.push(Occurrence { span, symbol, role });
                }
                tokens.push(Token { span, kind });
            }
        }
        shared.sort_by_key(|o| (o.span.file, o.span.start, o.symbol));
        shared.dedup_by_key(|o| (o.span, o.symbol));
        let mut symbols = self.symbols;
        for symbol in &mut symbols {
            for span in symbol.span.iter_mut().chain(&mut symbol.whole) {
                span.file = self.texts[span.file.0 as usize].file;
            }
        }
        for (span, _) in &mut self.files {
            span.file = self.texts[span.file.0 as usize].file;
        }
        let mut signs = self.signs;
        for sign in &mut signs {
            sign.span.file = self.texts[sign.span.file.0 as usize].file;
        }
        signs.sort_by_key(|sign| (sign.span.file, sign.span.start));
        Index { symbols, occurrences, shared, signs, tokens, files: self.files }
    }

    fn has_name(&self, symbol: SymbolId, shown: &str) -> bool {
        let (name, shown) = (&self.symbols[symbol.index()].name, (self.spelling.name)(shown));
        if self.spelling.ignores_case { name.eq_ignore_ascii_case(shown) } else { name == shown }
    }
}
