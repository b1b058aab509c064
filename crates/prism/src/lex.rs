//! Lexer of models and property files: text in, tokens and diagnostics out.
//!
//! Follows the tokens of PRISM's grammar, with four deviations that only widen what is accepted:
//! `|`, `<`, `[` and `'` are tokens of their own (PRISM joins `<-`, `<<`, `[[` and `x'`, so that it refuses
//! `x<-1`); `"name"` is one token; the word lists differ as [`Keyword`] says; a comment may end the file.
//! As in PRISM, an integer with leading zeros is a real, and `5.` is not a number.
//!
//! Every byte belongs to a token, to white space, to a comment or to a diagnostic; lexing never fails.

mod temporal;
mod token;

pub use temporal::respelt;
pub use token::{Keyword, Token, TokenKind};

use volvelle_diagnostics::{Diagnostic, FileId, Fix, Span, codes};
use volvelle_syntax::{Language, Lexicon, Rules, scan, tokens};

/// Diagnostics after which the lexer stops describing what it cannot read.
pub const DIAGNOSTIC_LIMIT: usize = 50;

/// The result of lexing a text.
#[derive(Debug)]
pub struct Lexed {
    /// The tokens; the last one is [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// Diagnostics, not more than a limit.
    pub diagnostics: Vec<Diagnostic>,
    /// All places that are wrong, in order, also those beyond the limit.
    pub unreadable: Vec<Span>,
}

/// The texts that quotes may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// Names, as in models of the language.
    Names,
    /// Any text: labels that models of other languages have.
    Texts,
}

impl Language for TokenKind {
    const LEXICON: &'static Lexicon<Self> = &Lexicon::new(Rules {
        point: true,
        line_comments: &["//"],
        others: b"/\"#",
        ..Rules::new(Self::SYMBOLS, Self::WORDS, Self::Ident, Self::Int, Self::Unknown, Self::End)
    });

    /// `0`, `42`, `0.5`, `.5`, `1e-3`, `2.5E+7`.
    #[inline]
    fn number(bytes: &[u8], at: usize) -> (Self, usize) {
        let whole = scan::digits(bytes, at);
        match bytes.get(whole) {
            Some(b'.') if bytes.get(whole + 1).is_none_or(|next| *next != b'.' && !next.is_ascii_digit()) => {
                return (TokenKind::OpenReal, whole + 1);
            }
            Some(b'.' | b'e' | b'E') => {}
            _ if whole - at < 10 && (bytes[at] != b'0' || whole - at == 1) => return (TokenKind::Int, whole),
            _ => {}
        }
        let end = scan::decimal(bytes, at);
        let text = str::from_utf8(&bytes[at..end]).unwrap_or_default();
        let is_real = end > whole || bytes[at] == b'0' && whole - at > 1;
        let kind = match is_real {
            true if does_not_fit(text).is_some() => TokenKind::LargeReal,
            true => TokenKind::Real,
            false if text.parse::<i32>().is_err() => TokenKind::LargeInt,
            false => TokenKind::Int,
        };
        (kind, end)
    }

    fn other(text: &str, at: usize) -> Option<(Option<Self>, usize)> {
        let rest = &text[at + 1..];
        let found = match (text.as_bytes()[at], rest.bytes().next()) {
            (b'/', Some(b'*')) => {
                (TokenKind::BlockComment, rest[1..].find("*/").map_or(text.len(), |length| at + length + 4))
            }
            (b'/', _) => return None,
            (b'#', _) => {
                let closing = rest.find(['#', '\n']).filter(|i| rest.as_bytes()[*i] == b'#');
                (TokenKind::Directive, at + 1 + closing.map_or(0, |length| length + 1))
            }
            _ => {
                // One search, so that a line of quotation marks is read in linear time.
                let closing = rest.find(['"', '\n', '\r']).filter(|i| rest.as_bytes()[*i] == b'"');
                match closing {
                    Some(length) if is_name(rest[..length].trim()) => (TokenKind::Quoted, at + length + 2),
                    Some(length) => (TokenKind::BadQuoted, at + length + 2),
                    None => (TokenKind::OpenQuoted, scan::word(text.as_bytes(), at + 1)),
                }
            }
        };
        Some((Some(found.0), found.1))
    }

    /// A run of characters that start no token is one mistake; what may start a token, or has a replacement, is not swallowed.
    fn unknown(text: &str, at: usize) -> usize {
        let first = scan::character(text, at);
        let stops = |c: char| c.is_ascii() || replacement(c).is_some();
        first + text[first..].find(stops).unwrap_or(text.len() - first)
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Splits a text into tokens.
pub fn lex(file: FileId, text: &str, quotes: Quotes) -> Lexed {
    let (mut diagnostics, mut unreadable) = (Vec::new(), Vec::new());
    let mut tokens = tokens(text, |mut token: Token| {
        if token.kind != TokenKind::BadQuoted || quotes == Quotes::Names {
            let diagnostic = flaw(file, text, token);
            unreadable.extend(diagnostic.primary.as_ref().map(|label| label.span));
            if diagnostics.len() < DIAGNOSTIC_LIMIT {
                diagnostics.push(diagnostic);
            }
        }
        token.kind = match token.kind {
            TokenKind::OpenReal => {
                token.end -= 1;
                TokenKind::Real
            }
            TokenKind::LargeReal => TokenKind::Real,
            TokenKind::LargeInt => TokenKind::Int,
            TokenKind::OpenQuoted | TokenKind::BadQuoted => TokenKind::Quoted,
            _ => return None,
        };
        Some(token)
    });
    // The end stands right behind the last token, where a missing token would.
    if let Some(end) = tokens.pop() {
        let at = tokens.last().map_or(0, |last| last.end);
        tokens.push(Token { start: at, end: at, ..end });
    }
    Lexed { tokens, diagnostics, unreadable }
}

/// What is wrong with text that is no token.
fn flaw(file: FileId, text: &str, token: Token) -> Diagnostic {
    let (shown, span) = (token.text(text), token.span(file));
    let error = |code, message: &str| Diagnostic::error(code, message);
    match token.kind {
        // `/* … */` is not PRISM.
        TokenKind::BlockComment => {
            let diagnostic = match shown.len() > 3 && shown.ends_with("*/") {
                true => error(codes::UNEXPECTED_CHARACTER, "PRISM has no `/* … */` comments"),
                false => error(codes::UNTERMINATED, "this comment has no end"),
            };
            let open = Span { end: span.start + 2, ..span };
            let diagnostic = diagnostic.at(open, "").help("start each line of a comment with `//`");
            plain_comment(text, shown, span).into_iter().fold(diagnostic, Diagnostic::fix)
        }
        // PRISM's preprocessor (`#const N#` and the like) is a separate tool: refused by name.
        TokenKind::Directive => error(
            codes::UNSUPPORTED_CONSTRUCT,
            "directives of PRISM's preprocessor (`#…#`) are not supported",
        )
        .at(span, "")
        .help("run the preprocessor first: `prismpp model.pp … > model.prism`"),
        TokenKind::OpenReal => error(codes::UNEXPECTED_CHARACTER, "digits must follow the decimal point")
            .at(Span { start: span.end - 1, ..span }, "")
            .help(format!("write `{shown}0`"))
            .fix(Fix::behind(format!("write `{shown}0`"), span, "0").certain()),
        TokenKind::LargeInt | TokenKind::LargeReal => {
            let short = shortened(shown);
            let too_large = |problem| {
                Diagnostic::error(codes::NUMBER_TOO_LARGE, format!("`{short}` {problem}")).at(span, "")
            };
            match does_not_fit(shown).filter(|_| token.is(TokenKind::LargeReal)) {
                Some((problem, help)) => too_large(problem).help(help),
                None => too_large("does not fit in an int")
                    .help(format!("to get a double, write {short}.0"))
                    .fix(Fix::behind(format!("write `{short}.0`"), span, ".0")),
            }
        }
        TokenKind::OpenQuoted => {
            let rest = &text[token.start as usize + 1..];
            let line_end = rest.find(['\n', '\r']).unwrap_or(rest.len());
            let end = span.start + 1 + rest[..line_end].trim_end().len() as u32;
            error(codes::UNTERMINATED, "this string has no end")
                .at(Span { end, ..span }, "")
                .help("add a closing `\"`")
                .fix(Fix::behind("add a closing `\"`", Span { end, ..span }, "\""))
        }
        TokenKind::BadQuoted => {
            let message = format!("`\"{}\"` is not a valid quoted name", quoted_name(shown));
            Diagnostic::error(codes::UNEXPECTED_CHARACTER, message)
                .at(span, "")
                .note("a name is a letter or `_`, followed by letters, digits and `_`")
        }
        _ => {
            let first = shown.chars().next().unwrap_or(' ');
            let message = match first.is_control() || first.is_whitespace() {
                true => format!("unexpected character U+{:04X}", first as u32),
                false => format!("unexpected character `{first}`"),
            };
            let place = Span { end: span.start + first.len_utf8() as u32, ..span };
            let diagnostic = Diagnostic::error(codes::UNEXPECTED_CHARACTER, message).at(place, "");
            let Some((help, written)) = replacement(first) else { return diagnostic };
            let fix = written.map(|text| Fix::replace(format!("write `{text}`"), place, text).certain());
            fix.into_iter().fold(diagnostic.help(help), Diagnostic::fix)
        }
    }
}

/// Why a real literal is no double, and the way out. Tiny ones, of which there are no fractions to compute with either, are refused too.
fn does_not_fit(text: &str) -> Option<(&'static str, &'static str)> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, ""));
    if exponent.is_empty() && text.len() < 300 {
        return None;
    }
    let value: f64 = text.parse().unwrap_or(f64::INFINITY);
    if value.is_infinite() {
        Some(("does not fit in a double", "the largest is about 1.8e308"))
    } else if value == 0.0
        && mantissa.bytes().any(|b| matches!(b, b'1'..=b'9'))
        && exponent.parse::<i32>().is_ok_and(|exponent| exponent < -900)
    {
        Some(("is too small", "the smallest above 0 is 1e-900"))
    } else {
        None
    }
}

/// The token that a character outside of the language was probably meant to be.
fn replacement(character: char) -> Option<(&'static str, Option<&'static str>)> {
    let advice = |text| Some((text, None));
    Some(match character {
        '%' => return advice("the remainder of a division is `mod(a, b)`"),
        '@' | '$' | '\\' | '`' => return advice("names consist of letters, digits and `_`"),
        '.' => return advice("ranges are written `[0..5]`, numbers `0.5`"),
        '~' | '¬' => ("negation is written `!`", Some("!")),
        '“' | '”' | '„' | '«' | '»' => ("use the plain quotation mark `\"`", Some("\"")),
        '‘' | '’' | '′' | '´' => ("use the plain apostrophe `'`", Some("'")),
        '–' | '—' | '−' => ("use the plain minus sign `-`", Some("-")),
        '≤' => ("write `<=`", Some("<=")),
        '≥' => ("write `>=`", Some(">=")),
        '≠' => ("write `!=`", Some("!=")),
        '∧' => ("write `&`", Some("&")),
        '∨' => ("write `|`", Some("|")),
        '→' => ("write `->`", Some("->")),
        '⇒' => ("write `=>`", Some("=>")),
        '⇔' | '↔' => ("write `<=>`", Some("<=>")),
        '×' | '·' => ("write `*`", Some("*")),
        '…' => ("write `..`", Some("..")),
        '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{200b}' => ("replace it by a plain space", Some(" ")),
        _ => return None,
    })
}

/// The same comment with `//`, if nothing stands behind it in its line.
fn plain_comment(text: &str, shown: &str, span: Span) -> Option<Fix> {
    let behind = text[span.end as usize..].lines().next().unwrap_or_default();
    let inside = shown.strip_prefix("/*")?.strip_suffix("*/").filter(|_| behind.trim().is_empty())?;
    let lines: Vec<String> =
        inside.trim_end().lines().map(|line| format!("//{line}").trim_end().to_owned()).collect();
    Some(Fix::replace("write the comment with `//`", span, lines.join("\n")).certain())
}

/// A user's word for a message: not more than 40 characters of it.
pub(crate) fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 {
        return text.to_string();
    }
    text.chars().take(39).chain(['…']).collect()
}

/// The name between the quotes of a [`TokenKind::Quoted`] token.
pub fn quoted_name(text: &str) -> &str {
    text.trim_matches('"').trim()
}
