//! Tokens of LOTOS (ISO 8807, section 6.1): words, numbers and signs. Case has no meaning, so words are kept in upper case.
//!
//! Comments are `(* ... *)`; one that begins with `(*!` is a directive of the CADP dialect, and belongs to the token before it.

use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// A kind of token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or keyword in upper case, or digits.
    Word(String),
    /// A sign of the language, or the name of an operation made of special characters.
    Sign(String),
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Span,
    /// The words of directives behind it, in upper case.
    pub directive: Vec<String>,
}

impl Token {
    pub fn text(&self) -> &str {
        match &self.kind {
            Kind::Word(text) | Kind::Sign(text) => text,
            Kind::End => "",
        }
    }
}

/// Signs with brackets and bars, longest first.
const BRACKETS: &[&str] = &["|||", "||", "|[", "]|", "[>", "[]", "[", "]", "(", ")"];

/// Characters of which names of operations are made.
fn is_special(c: char) -> bool {
    "#%&*+-./<=>@\\^~{}$".contains(c)
}

/// The tokens of a text; the last one is [`Kind::End`].
pub(crate) fn tokens(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Lexer { in_sync: false, file, text, at: 0, tokens: Vec::new() };
    while lexer.at < text.len() {
        lexer.token(diagnostics);
    }
    lexer.push(Kind::End, 0);
    lexer.tokens
}

struct Lexer<'t> {
    /// Inside `|[ ... ]|`: elsewhere `]|` is `]` before another operator.
    in_sync: bool,
    file: FileId,
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn push(&mut self, kind: Kind, len: usize) {
        let span = Span::new(self.file, self.at, self.at + len);
        self.tokens.push(Token { kind, span, directive: Vec::new() });
        self.at += len;
    }

    fn token(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        let rest = &self.text[self.at..];
        let Some(c) = rest.chars().next() else { return };
        let run = |belongs: fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        if c.is_whitespace() || c == '\u{feff}' {
            self.at += c.len_utf8();
        } else if rest.starts_with("(*") {
            self.comment(diagnostics);
        } else if c.is_ascii_alphanumeric() {
            let mut len = run(|c| c.is_ascii_alphanumeric() || c == '_');
            // `x_` is no name: the underscore is a place of an operation.
            while rest[..len].ends_with('_') {
                len -= 1;
            }
            self.push(Kind::Word(rest[..len].to_ascii_uppercase()), len);
        } else if let Some(sign) = self.bracket(rest) {
            self.in_sync = match sign {
                "|[" => true,
                "]|" => false,
                _ => self.in_sync,
            };
            self.push(Kind::Sign(sign.to_owned()), sign.len());
        } else if rest.starts_with(":=") {
            self.push(Kind::Sign(":=".to_owned()), 2);
        } else if ";:,!?_".contains(c) {
            self.push(Kind::Sign(c.to_string()), 1);
        } else if is_special(c) {
            let mut len = run(is_special);
            // A comment may follow without a blank only behind `(`, which is no such character.
            if let Some(arrow) = rest[..len].find("->").filter(|&at| at > 0) {
                len = arrow;
            }
            self.push(Kind::Sign(rest[..len].to_owned()), len);
        } else {
            // A character or string of other languages is one mistake.
            let line = rest.lines().next().unwrap_or(rest);
            let quoted = if c == '"' || c == '\'' { line[1..].find(c).map(|end| end + 2) } else { None };
            let len = quoted.unwrap_or(c.len_utf8());
            let span = Span::new(self.file, self.at, self.at + len);
            let message = format!("`{}` has no meaning here", &rest[..len]);
            let mut diagnostic = Diagnostic::error(codes::LOTOS_SYNTAX, message).at(span, "");
            if quoted.is_some() {
                diagnostic = diagnostic.note("LOTOS has no characters and strings").help(
                    "declare constants for them: type T is sorts TEXT opns HELLO, BYE : -> TEXT endtype",
                );
            }
            diagnostics.push(diagnostic);
            // A value in its place, so that nothing else is missed there.
            if quoted.is_some() {
                self.push(Kind::Word("0".to_owned()), len);
            } else {
                self.at += len;
            }
        }
    }

    fn bracket(&self, rest: &str) -> Option<&'static str> {
        let fits = |sign: &&&'static str| rest.starts_with(**sign) && (**sign != "]|" || self.in_sync);
        BRACKETS.iter().find(fits).copied()
    }

    /// Comments do not nest.
    fn comment(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        let rest = &self.text[self.at..];
        let end = rest[2..].find("*)").map(|end| end + 2);
        if end.is_none() {
            let span = Span::new(self.file, self.at, self.at + 2);
            diagnostics
                .push(Diagnostic::error(codes::LOTOS_SYNTAX, "the comment has no end `*)`").at(span, ""));
        }
        let inside = &rest[2..end.unwrap_or(rest.len())];
        if let (Some(directive), Some(last)) = (inside.strip_prefix('!'), self.tokens.last_mut()) {
            let words = directive.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty());
            last.directive.extend(words.map(str::to_ascii_uppercase));
        }
        self.at += end.map_or(rest.len(), |end| end + 2);
    }
}
