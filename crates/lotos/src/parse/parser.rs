//! The parser: the tokens of a text, and the tree under construction.

use super::misspelt;
use crate::lex::{Kind, T, directives, spelt, tokens};
use crate::syntax::{Name, Parameter, Tree};
use volvelle_diagnostics::{Diagnostic, FileId, Fix, codes};
use volvelle_syntax::{Cursor, Parse, Spelt, around_cursor};

/// The tree, or an error that was pushed.
pub(super) type Parsed<T> = Result<T, Reported>;

/// An error was pushed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

/// How deep behaviours, values and processes may nest. Sequences of actions and lists of alternatives do not nest.
pub(super) const DEEPEST: usize = 400;

/// Errors beyond which reading ends: what follows has no meaning any more.
const MOST_ERRORS: usize = 50;

pub(super) struct Parser<'t> {
    cursor: Cursor<'t, Kind>,
    /// Nesting of the values made so far.
    pub value_depth: Vec<usize>,
    pub tree: Tree,
    pub diagnostics: Vec<Diagnostic>,
}

around_cursor!(Parser, Kind);

impl<'t> Parse<'t> for Parser<'t> {
    type Kind = Kind;
    type Error = Reported;
    const DEEPEST: u32 = DEEPEST as u32;

    fn unexpected(&mut self, wanted: &str) -> Reported {
        let diagnostic = self.diagnostic(wanted);
        self.error(diagnostic)
    }

    fn too_deep(&mut self) -> Reported {
        let message = format!("this is nested more than {DEEPEST} levels deep");
        let diagnostic = Diagnostic::error(codes::LOTOS_SYNTAX, message).at(self.span(), "");
        self.error(diagnostic.help("name a part of it: make it a process or an operation of its own"))
    }

    /// Keywords as they are written most often.
    fn missing(&mut self, kind: Kind) -> Reported {
        let sign = kind.spelling().unwrap_or_default().to_ascii_lowercase();
        let diagnostic = self.diagnostic(&format!("`{sign}`"));
        let text = if kind.is_word() { format!(" {sign}") } else { sign.clone() };
        let behind = (self.number() > 0).then(|| self.before());
        let fix = behind.map(|last| Fix::behind(format!("add `{sign}`"), last, text));
        self.error(fix.into_iter().fold(diagnostic, Diagnostic::fix))
    }
}

impl<'t> Parser<'t> {
    pub fn new(file: FileId, text: &'t str) -> Self {
        let mut diagnostics = Vec::new();
        let mut tokens = tokens(file, text, &mut diagnostics);
        misspelt::ends(file, text, &mut tokens, &mut diagnostics);
        let cursor = Cursor::new(file, text, tokens);
        Parser { cursor, value_depth: Vec::new(), tree: Tree::default(), diagnostics }
    }

    /// The words of directives behind the last token.
    pub fn directive(&self) -> Vec<String> {
        directives(self.trivia())
    }

    /// What is there is something else.
    pub fn diagnostic(&self, what: &str) -> Diagnostic {
        let found = match self.peek() {
            Kind::End => "the text ends".to_owned(),
            kind if kind.is_word() => format!("there is `{}`", self.word().to_ascii_lowercase()),
            _ => format!("there is `{}`", spelt(self.word())),
        };
        Diagnostic::error(codes::LOTOS_SYNTAX, format!("expected {what}, but {found}")).at(self.span(), "")
    }

    pub fn error(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.push(diagnostic);
        if self.diagnostics.len() > MOST_ERRORS {
            self.jump(usize::MAX);
        }
        Reported
    }

    /// Runs a part of the parser; behind an error, skips to one of these words.
    pub fn recovering<T>(&mut self, words: &[Kind], read: impl FnOnce(&mut Self) -> Parsed<T>) -> Option<T> {
        let read = read(self).ok();
        if read.is_none() {
            self.skip_to_border(words);
        }
        read
    }

    /// Skips to one of these words, or to the next word that ends or begins a definition.
    pub fn skip_to_border(&mut self, words: &[Kind]) {
        const BORDERS: [Kind; 6] =
            [T!["ENDPROC"], T!["ENDTYPE"], T!["ENDSPEC"], T!["ENDLIB"], T!["PROCESS"], T!["TYPE"]];
        self.skip_to(&[words, &BORDERS].concat());
    }

    /// Whether the next token may be the name of an operation.
    pub fn at_operation(&self) -> bool {
        matches!(self.peek(), Kind::Name | Kind::Operation)
    }

    /// Whether the next token is a word, reserved or not: a gate may have the name of a keyword.
    pub fn at_any_word(&self) -> bool {
        self.at(Kind::Name) || self.peek().is_word()
    }

    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        // As in `[IN, OUT]`.
        let is_listed = matches!(self.ahead(1).kind, T![","] | T!["]"] | T!["]|"] | T!["IN"]);
        let is_name = self.at(Kind::Name) || what == "a gate" && is_listed && self.at_any_word();
        if is_name { Ok(self.taken()) } else { Err(self.unexpected(what)) }
    }

    /// A name, or special characters.
    pub fn operation_name(&mut self) -> Parsed<Name> {
        if self.at_operation() { Ok(self.taken()) } else { Err(self.unexpected("the name of an operation")) }
    }

    /// Takes the next token as a name.
    pub fn taken(&mut self) -> Name {
        let name = Name { text: spelt(self.word()), span: self.span() };
        self.advance();
        name
    }

    /// Names between commas.
    pub fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        self.separated(T![","], |parser| parser.name(what))
    }

    /// `x, y : S, z : T`
    pub fn variables(&mut self) -> Parsed<Vec<Parameter>> {
        let mut all = Vec::new();
        loop {
            let names = self.names("a variable")?;
            self.expect(T![":"])?;
            let sort = self.name("a sort")?;
            all.extend(names.into_iter().map(|name| Parameter { name, sort: sort.clone() }));
            if !self.take(T![","]) {
                return Ok(all);
            }
        }
    }

    /// `(x, y : S)`, or nothing.
    pub fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        self.within(T!["("], T![")"], Self::variables)
    }
}
