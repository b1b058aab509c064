//! Grammar files to trees.

mod operators;

use super::syntax::{
    ClassDeclaration, Element, FieldDeclaration, File, Holds, Item, Mode, Rule, Terminal, Times, Word,
};
use super::token::{Kind, T};
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};
use volvelle_syntax::{Cursor, Parse, Token, tokens};

/// Reads a file. What it cannot read is reported and left out.
pub(crate) fn read(file: FileId, text: &str, found: &mut Vec<Diagnostic>) -> File {
    let tokens = tokens(text, |token: Token<Kind>| {
        let word = token.text(text);
        let (message, stand_in) = match token.kind {
            Kind::OpenKeyword => (format!("the keyword {word} does not end"), Some(Kind::Keyword)),
            Kind::OpenPattern => {
                ("the regular expression does not end on its line".to_owned(), Some(Kind::Pattern))
            }
            _ => (format!("`{}` is no part of a grammar", word.escape_debug()), None),
        };
        found.push(Diagnostic::error(codes::GRAMMAR_SYNTAX, message).at(token.span(file), ""));
        stand_in.map(|kind| Token { kind, ..token })
    });
    let mut reader = Reader { cursor: Cursor::new(file, text, tokens), found };
    let mut read = File::default();
    if reader.at_word("grammar") && reader.ahead(1).is(Kind::Name) {
        reader.advance();
        read.name = reader.word_of(Kind::Name, "a name").ok();
    }
    while !reader.at_end() {
        let before = reader.number();
        if reader.declaration(&mut read).is_err() {
            reader.go_on(before);
        }
    }
    read
}

pub(super) struct Reader<'t, 'f> {
    cursor: Cursor<'t, Kind>,
    found: &'f mut Vec<Diagnostic>,
}

impl<'t> std::ops::Deref for Reader<'t, '_> {
    type Target = Cursor<'t, Kind>;

    fn deref(&self) -> &Self::Target {
        &self.cursor
    }
}

impl std::ops::DerefMut for Reader<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

/// It was reported.
pub(super) struct Reported;

impl<'t> Parse<'t> for Reader<'t, '_> {
    type Kind = Kind;
    type Error = Reported;
    const DEEPEST: u32 = 100;

    fn unexpected(&mut self, wanted: &str) -> Reported {
        let message = self.expected(wanted);
        self.found.push(Diagnostic::error(codes::GRAMMAR_SYNTAX, message).at(self.span(), ""));
        Reported
    }

    fn too_deep(&mut self) -> Reported {
        let message = format!("more than {} parentheses within one another", Self::DEEPEST);
        let diagnostic = Diagnostic::error(codes::GRAMMAR_SYNTAX, message).at(self.span(), "");
        self.found.push(diagnostic.help("give the inner part a rule of its own"));
        Reported
    }
}

type Read<T> = Result<T, Reported>;

impl Reader<'_, '_> {
    /// Goes on behind a mistake: at the declaration after the next `;`, or at a line that begins at its margin.
    fn go_on(&mut self, before: usize) {
        if self.number() == before {
            self.advance();
        }
        while !self.at_end() {
            let token = self.token();
            let at_margin = token.start == 0 || self.text().as_bytes()[token.start as usize - 1] == b'\n';
            if token.is(Kind::Name) && at_margin || self.take(T![";"]) {
                return;
            }
            self.advance();
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    pub(super) fn word_of(&mut self, kind: Kind, wanted: &str) -> Read<Word> {
        if !self.at(kind) {
            return Err(self.unexpected(wanted));
        }
        let span = self.span();
        let token = self.advance();
        Ok(Word { text: self.text_of(token).to_owned(), span })
    }

    pub(super) fn name(&mut self) -> Read<Word> {
        self.word_of(Kind::Name, "a name")
    }

    fn declaration(&mut self, read: &mut File) -> Read<()> {
        let is_named = self.ahead(1).is(Kind::Name);
        if is_named && (self.at_word("terminal") || self.at_word("hidden")) {
            let is_hidden = self.at_word("hidden");
            self.advance();
            let name = self.name()?;
            let pattern = self.word_of(Kind::Pattern, "a regular expression such as `/[0-9]+/`")?;
            self.take(T![";"]);
            read.terminals.push(Terminal { name, pattern: inside(pattern), is_hidden });
            return Ok(());
        }
        if is_named && self.take_word("class") {
            read.classes.push(self.class()?);
            return Ok(());
        }
        let is_entry = is_named && self.take_word("entry");
        let name = self.word_of(Kind::Name, "a rule, `terminal`, `hidden`, `class` or `entry`")?;
        let class = if self.take_word("returns") { self.name()? } else { name.clone() };
        self.expect(T![":"])?;
        if self.at_word("operators") && self.ahead(1).is(Kind::Name) && self.ahead(2).is(Kind::Name) {
            let head = Rule { name, class, is_entry, is_level: false, body: Element::Sequence(Vec::new()) };
            return self.operators(head, &mut read.rules);
        }
        let body = self.choice()?;
        self.expect(T![";"])?;
        read.rules.push(Rule { name, class, is_entry, is_level: false, body });
        Ok(())
    }

    /// Behind `class`.
    fn class(&mut self) -> Read<ClassDeclaration> {
        let name = self.name()?;
        let supertypes =
            if self.take(T![":"]) { self.separated(T![","], |reader| reader.name())? } else { Vec::new() };
        let mut fields = Vec::new();
        if self.take(T!["{"]) {
            while !self.take(T!["}"]) {
                let name = self.word_of(Kind::Name, "a field or `}`")?;
                self.expect(T![":"])?;
                fields.push(FieldDeclaration { name, holds: self.holds()? });
                if !self.take(T![","]) {
                    self.take(T![";"]);
                }
            }
        } else {
            self.expect(T![";"])?;
        }
        Ok(ClassDeclaration { name, supertypes, fields })
    }

    fn holds(&mut self) -> Read<Holds> {
        if self.take(T!["["]) {
            let class = self.name()?;
            self.expect(T!["]"])?;
            return Ok(Holds::Reference { class, is_list: self.take(T!["*"]) });
        }
        let class = self.word_of(Kind::Name, "`text`, `flag`, a class, or a class in `[` and `]`")?;
        Ok(match class.text.as_str() {
            "flag" => Holds::Flag,
            "text" => Holds::Text { is_list: self.take(T!["*"]) },
            _ => Holds::Node { class, is_list: self.take(T!["*"]) },
        })
    }

    /// Alternatives.
    pub(super) fn choice(&mut self) -> Read<Element> {
        let mut alternatives = vec![self.sequence()?];
        while self.take(T!["|"]) {
            alternatives.push(self.sequence()?);
        }
        Ok(one_or(alternatives, Element::Choice))
    }

    /// One element behind the other; there may be none.
    pub(super) fn sequence(&mut self) -> Read<Element> {
        let mut parts = Vec::new();
        while matches!(self.peek(), Kind::Name | Kind::Keyword)
            || self.at(T!["("])
            || self.at(T!["{"])
            || self.at(T!["["])
        {
            parts.push(self.repeated()?);
        }
        Ok(one_or(parts, Element::Sequence))
    }

    fn repeated(&mut self) -> Read<Element> {
        let start = self.span();
        let element = self.element()?;
        let times = match self.peek() {
            T!["?"] => Times::Optional,
            T!["*"] => Times::Any,
            T!["+"] => Times::Some,
            _ => return Ok(element),
        };
        self.advance();
        if matches!(self.peek(), T!["?"] | T!["*"] | T!["+"]) {
            return Err(self.unexpected("one of `?`, `*` and `+` only"));
        }
        Ok(Element::Repeat { inner: Box::new(element), times, span: self.since(start) })
    }

    fn element(&mut self) -> Read<Element> {
        if self.at(T!["("]) {
            return self.group(Reader::choice);
        }
        if self.take(T!["{"]) {
            return self.action();
        }
        if !self.at(Kind::Name) {
            return self.item(None);
        }
        let mode = match self.ahead(1).kind {
            T!["="] => Mode::Set,
            T!["+="] => Mode::Add,
            T!["?="] => Mode::Flag,
            _ => return self.item(None),
        };
        let name = self.name()?;
        self.advance();
        self.value(&(name, mode))
    }

    fn group(&mut self, read: impl Fn(&mut Self) -> Read<Element>) -> Read<Element> {
        self.expect(T!["("])?;
        let element = self.nested(read)?;
        self.expect(T![")"])?;
        Ok(element)
    }

    /// Behind `{`.
    fn action(&mut self) -> Read<Element> {
        let class = self.name()?;
        if self.take(T!["}"]) {
            return Ok(Element::New(class));
        }
        if !self.take(T!["."]) {
            return Err(self.unexpected("`}`, or `.` and a field"));
        }
        let field = self.name()?;
        let mode = if self.take(T!["+="]) { Mode::Add } else { Mode::Set };
        if mode == Mode::Set {
            self.expect(T!["="])?;
        }
        if !self.take_word("current") {
            return Err(self.unexpected("`current`"));
        }
        self.expect(T!["}"])?;
        Ok(Element::Wrap { class, field, mode })
    }

    /// Behind a field and its sign: one thing, or one of several in parentheses.
    fn value(&mut self, field: &(Word, Mode)) -> Read<Element> {
        if !self.at(T!["("]) {
            return self.item(Some(field.clone()));
        }
        self.group(|reader| {
            let values = reader.separated(T!["|"], |reader| reader.value(field))?;
            Ok(one_or(values, Element::Choice))
        })
    }

    fn item(&mut self, field: Option<(Word, Mode)>) -> Read<Element> {
        let start = self.span();
        let what = match self.peek() {
            Kind::Keyword => Item::Keyword(self.keyword()?),
            Kind::Name => Item::Name(self.name()?.text),
            T!["["] => {
                self.advance();
                let class = self.name()?;
                let terminal = if self.take(T![":"]) { Some(self.name()?) } else { None };
                self.expect(T!["]"])?;
                if field.as_ref().is_none_or(|(_, mode)| *mode == Mode::Flag) {
                    let message = "a reference needs a field that holds it";
                    let span = self.since(start);
                    let diagnostic = Diagnostic::error(codes::GRAMMAR_SYNTAX, message).at(span, "");
                    self.report(diagnostic.help("write `field=[Class:TERMINAL]`"));
                }
                Item::Reference { class, terminal }
            }
            _ => return Err(self.unexpected("a keyword, a terminal or a rule")),
        };
        let span = field.as_ref().map_or(self.since(start), |(name, _)| self.since(name.span));
        Ok(Element::Item { what, field, span })
    }

    /// The text of a keyword.
    pub(super) fn keyword(&mut self) -> Read<String> {
        let span = self.span();
        let token = self.advance();
        let text = unescaped(self.text_of(token));
        if text.is_empty() || text.chars().any(char::is_control) {
            let message =
                if text.is_empty() { "a keyword is empty" } else { "a keyword has control characters" };
            self.report(Diagnostic::error(codes::GRAMMAR_SYNTAX, message).at(span, ""));
            return Err(Reported);
        }
        Ok(text)
    }

    pub(super) fn place(&self) -> Span {
        self.span()
    }
}

/// The only one, or all of them together.
pub(super) fn one_or(mut parts: Vec<Element>, all: impl FnOnce(Vec<Element>) -> Element) -> Element {
    if parts.len() == 1 { parts.remove(0) } else { all(parts) }
}

/// A regular expression without its slashes.
fn inside(word: Word) -> Word {
    let text = word.text.strip_prefix('/').unwrap_or(&word.text);
    let is_closed = text.ends_with('/');
    let text = text.strip_suffix('/').unwrap_or(text).to_owned();
    let span = Span { start: word.span.start + 1, end: word.span.end - u32::from(is_closed), ..word.span };
    Word { text, span }
}

/// The text between quotes; a backslash stands before what is meant.
fn unescaped(quoted: &str) -> String {
    let inside = quoted.strip_prefix('"').unwrap_or(quoted);
    let mut text = String::new();
    let mut rest = inside.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => break,
            '\\' => text.extend(rest.next()),
            _ => text.push(c),
        }
    }
    text
}
