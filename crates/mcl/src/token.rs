//! Words and signs of formulas: text to tokens.
//!
//! Comments are `(* … *)`, not nested, and `--` to the end of the line. Labels stand in double quotes, patterns in single ones;
//! a quote inside is written `\"` or `\'`. The signs of other notations for `not`, `and`, `or` and `implies` are words. Formulas of
//! mCRL2 have `%` before comments, and `:` and `;`.

use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// The sort of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A keyword or a name.
    Word,
    /// Decimal digits.
    Number,
    /// A label, with its quotes.
    Label,
    /// A pattern, with its quotes.
    Pattern,
    /// `..` or `...`.
    Dots,
    /// A single sign.
    Sign(char),
    /// Behind the last token.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

/// Splits a text into tokens; the last one is [`Kind::End`].
pub(crate) fn tokens(file: FileId, text: &str, dialect: Dialect) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer { file, text, dialect, at: 0, diagnostics: Vec::new() };
    let mut found = Vec::new();
    while let Some(token) = lexer.next() {
        found.push(token);
    }
    let end = text.len() as u32;
    found.push(Token { kind: Kind::End, start: end, end });
    (found, lexer.diagnostics)
}

/// The content of a token in quotes: `\` before the quote and, in a label, before `\` goes.
pub(crate) fn unquoted(text: &str) -> String {
    let quote = text.chars().next().unwrap_or('"');
    let inner = &text[1..];
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    let mut content = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\\' {
            match chars.peek() {
                Some(&next) if next == quote || (next == '\\' && quote == '"') => {
                    content.push(next);
                    chars.next();
                }
                // The backslash of a pattern guards what follows it.
                Some(&next) => {
                    content.extend([c, next]);
                    chars.next();
                }
                None => content.push(c),
            }
        } else {
            content.push(c);
        }
    }
    content
}

/// The word that a sign stands for.
const WORDS: [(&str, &str); 4] = [("&&", "and"), ("||", "or"), ("=>", "implies"), ("!", "not")];

/// The word of a token, where it is a sign that stands for one.
pub(crate) fn plain_word(text: &str) -> &str {
    WORDS.iter().find(|(sign, _)| *sign == text).map_or(text, |(_, word)| word)
}

/// The notation of formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// MCL: labels stand in quotes.
    Mcl,
    /// mCRL2: actions are names, and the body of a fixpoint is all that follows.
    Mcrl2,
}

impl Dialect {
    /// The notation of a text from a file (or option) of that name: MCL and mCRL2 by the extensions `.mcl` and `.mcf`; else mCRL2
    /// where no label is in quotes and there are signs, outside of comments, that MCL has not.
    pub fn of(name: &str, text: &str) -> Self {
        let has_signs = || {
            let signs = WORDS.iter().map(|(sign, _)| *sign).chain(["%", "val(", ":"]);
            let text = without_comments(text);
            let is_mcl = text.contains(['"', '\'']) || text.contains("end_macro");
            !is_mcl && signs.into_iter().any(|sign| text.contains(sign))
        };
        let is_mcrl2 = name.ends_with(".mcf") || !name.ends_with(".mcl") && has_signs();
        if is_mcrl2 { Dialect::Mcrl2 } else { Dialect::Mcl }
    }
}

/// A text without the comments of MCL, where no text in quotes begins like one.
fn without_comments(text: &str) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("--").into_iter().chain(rest.find("(*")).min() {
        kept.push_str(&rest[..at]);
        let end = if rest[at..].starts_with("--") { "\n" } else { "*)" };
        rest = rest[at..].split_once(end).map_or("", |(_, rest)| rest);
        kept.push(' ');
    }
    kept + rest
}

struct Lexer<'t> {
    file: FileId,
    text: &'t str,
    dialect: Dialect,
    at: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<Token> {
        loop {
            self.skip_blanks();
            let start = self.at;
            let first = self.rest().chars().next()?;
            let kind = match first {
                c if c.is_alphabetic() || c == '_' => {
                    self.take_while(|c| c.is_alphanumeric() || c == '_');
                    Kind::Word
                }
                c if c.is_ascii_digit() => {
                    self.take_while(|c| c.is_ascii_digit());
                    Kind::Number
                }
                '"' | '\'' => {
                    self.quoted(first);
                    if first == '"' { Kind::Label } else { Kind::Pattern }
                }
                _ if let Some((sign, _)) = WORDS.iter().find(|(sign, _)| self.rest().starts_with(sign)) => {
                    self.at += sign.len();
                    Kind::Word
                }
                ':' | ';' if self.dialect == Dialect::Mcrl2 => {
                    self.at += 1;
                    Kind::Sign(first)
                }
                '.' if self.rest().starts_with("..") => {
                    self.at += if self.rest().starts_with("...") { 3 } else { 2 };
                    Kind::Dots
                }
                '(' | ')' | '[' | ']' | '<' | '>' | '{' | '}' | '.' | ',' | '|' | '*' | '+' | '?' | '@'
                | '=' => {
                    self.at += 1;
                    Kind::Sign(first)
                }
                _ => {
                    self.foreign();
                    continue;
                }
            };
            return Some(Token { kind, start: start as u32, end: self.at as u32 });
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn take_while(&mut self, accepts: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !accepts(c)).unwrap_or(rest.len());
    }

    fn skip_blanks(&mut self) {
        loop {
            let before = self.at;
            self.take_while(char::is_whitespace);
            let is_percent = self.dialect == Dialect::Mcrl2 && self.rest().starts_with('%');
            if is_percent || self.rest().starts_with("--") {
                self.take_while(|c| c != '\n');
            } else if self.rest().starts_with("(*") {
                match self.rest()[2..].find("*)") {
                    Some(length) => self.at += 2 + length + 2,
                    None => {
                        let span = Span::new(self.file, self.at, self.at + 2);
                        self.diagnostics.push(
                            Diagnostic::error(codes::FORMULA_SYNTAX, "a comment without an end")
                                .at(span, "it begins here")
                                .help("close it with `*)`"),
                        );
                        self.at = self.text.len();
                    }
                }
            }
            if self.at == before {
                return;
            }
        }
    }

    /// Takes a text in quotes. It ends on its line.
    fn quoted(&mut self, quote: char) {
        let start = self.at;
        let mut escaped = true; // the quote itself
        for (at, c) in self.rest().char_indices() {
            if c == '\n' {
                break;
            }
            if c == quote && !escaped {
                self.at = start + at + 1;
                return;
            }
            escaped = !escaped && c == '\\';
        }
        self.take_while(|c| c != '\n');
        let what = if quote == '"' { "a label" } else { "a pattern" };
        self.diagnostics.push(
            Diagnostic::error(codes::FORMULA_SYNTAX, format!("{what} without its closing quote"))
                .at(Span::new(self.file, start, start + 1), "it begins here")
                .help(format!("labels and patterns end on their line, with `{quote}`")),
        );
    }

    /// Reports characters that are no part of the language.
    fn foreign(&mut self) {
        const OTHERS: [(&str, &str); 4] = [
            ("->", "write `implies`"),
            ("&", "write `and`"),
            ("~", "write `not`"),
            ("/", "a regular expression stands in single quotes: `'PUT !.*'`"),
        ];
        let start = self.at;
        let known = OTHERS.iter().find(|(sign, _)| self.rest().starts_with(sign));
        let length =
            known.map_or_else(|| self.rest().chars().next().map_or(0, char::len_utf8), |k| k.0.len());
        self.at += length;
        let shown = &self.text[start..self.at];
        let mut diagnostic = Diagnostic::error(
            codes::FORMULA_SYNTAX,
            format!("`{}` is no sign of formulas", shown.escape_debug()),
        )
        .at(Span::new(self.file, start, self.at), "");
        if let Some((_, help)) = known {
            diagnostic = diagnostic.help(*help);
        }
        self.diagnostics.push(diagnostic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        let (found, _) = tokens(FileId(0), text, Dialect::Mcl);
        found.iter().map(|t| &text[t.start as usize..t.end as usize]).collect()
    }

    #[test]
    fn words_signs_and_comments() {
        assert_eq!(
            texts("[true*.\"A !1\"]-- end\nX{1..3} (* c *) 'a\\'b'"),
            ["[", "true", "*", ".", "\"A !1\"", "]", "X", "{", "1", "..", "3", "}", "'a\\'b'", ""]
        );
    }

    #[test]
    fn quotes() {
        assert_eq!(unquoted(r#""PUT !\"x\" \\ \n""#), r#"PUT !"x" \ \n"#);
        assert_eq!(unquoted(r"'a\'b\.\\c'"), r"a'b\.\\c");
    }

    #[test]
    fn signs_in_comments_do_not_change_the_notation() {
        for (name, text, dialect) in [
            ("--mcl", "-- note: safe!\nnu X . [true] X and <true> true", Dialect::Mcl),
            ("--mcl", "(* a: b *) nu X . [true] X and <true> true", Dialect::Mcl),
            ("--mcl", "macro val(P) = P end_macro val(true)", Dialect::Mcl),
            ("safe.mcl", "nu X . [true] X && <true> true", Dialect::Mcl),
            ("--mcl", "<\"PUT: 1\"> true", Dialect::Mcl),
            ("--mcl", "nu X . [true] X && <true> true", Dialect::Mcrl2),
            ("safe.mcf", "nu X . [true] X", Dialect::Mcrl2),
            ("safe.txt", "% note\n[a] false", Dialect::Mcrl2),
        ] {
            assert_eq!(Dialect::of(name, text), dialect, "{name}: {text}");
        }
    }

    #[test]
    fn errors_do_not_stop() {
        let (_, found) = tokens(FileId(0), "\"open\n & ~ (* ", Dialect::Mcl);
        assert_eq!(found.len(), 4);
    }
}
