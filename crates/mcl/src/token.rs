//! Words and signs of formulas: text to tokens.
//!
//! Comments are `(* … *)`, not nested, and `--` to the end of the line. Labels stand in double quotes, patterns in single ones;
//! a quote inside is written `\"` or `\'`. The signs of other notations for `not`, `and`, `or` and `implies` are words. Formulas of
//! mCRL2 have `%` before comments, and `:` and `;`.

use volvelle_diagnostics::{Diagnostic, FileId, codes};
use volvelle_syntax::{BlockComment, Language, Lexer, Lexicon, Quote, Rules, Spelt, Unicode, kinds, scan};

/// A token of a formula.
pub type Token = volvelle_syntax::Token<Kind>;

kinds! {
    /// The sort of a token.
    pub enum Kind {
        /// A word that is not reserved.
        Name,
        /// Decimal digits.
        Number,
        /// A label, with its quotes.
        Label,
        /// A pattern, with its quotes.
        Pattern,
        /// Behind the last token.
        End,
    }
    flaws {
        /// A sign that formulas do not have.
        Foreign,
        /// A label without its closing quote.
        OpenLabel,
        /// A pattern without its closing quote.
        OpenPattern,
        /// A comment without an end.
        OpenComment,
    }
    symbols {
        Dots "..", Open "(", Close ")", OpenBracket "[", CloseBracket "]", Less "<", Greater ">",
        OpenBrace "{", CloseBrace "}", Dot ".", Comma ",", Bar "|", Star "*", Plus "+", Question "?", At "@",
        Equal "=", Colon ":", Semicolon ";",
    }
    words {
        True "true", False "false", Not "not", And "and", Or "or", Implies "implies", Equ "equ", Nil "nil",
        Mu "mu", Nu "nu", Macro "macro", EndMacro "end_macro", Library "library", EndLibrary "end_library",
    }
}

impl Kind {
    /// Whether it is a word, reserved or not.
    pub fn is_any_word(self) -> bool {
        self == Kind::Name || self.is_word()
    }

    /// Whether it joins two formulas.
    pub fn is_operator(self) -> bool {
        matches!(self, T!["and"] | T!["or"] | T!["implies"] | T!["equ"])
    }
}

/// Signs that stand for words; and another spelling of dots.
const ALIASES: &[(&str, Kind)] =
    &[("&&", T!["and"]), ("||", T!["or"]), ("=>", T!["implies"]), ("!", T!["not"]), ("...", T![".."])];

impl Language for Kind {
    const LEXICON: &'static Lexicon<Kind> = &Lexicon::new(Rules {
        aliases: ALIASES,
        unicode: Unicode::Words,
        line_comments: &["--"],
        block_comment: Some(BlockComment::new("(*", "*)", Kind::OpenComment)),
        quotes: &[
            Quote::escaped(b'"', Kind::Label, Kind::OpenLabel),
            Quote::escaped(b'\'', Kind::Pattern, Kind::OpenPattern),
        ],
        ..Rules::new(Kind::SYMBOLS, Kind::WORDS, Kind::Name, Kind::Number, Kind::Foreign, Kind::End)
    });

    fn unknown(text: &str, at: usize) -> usize {
        if text[at..].starts_with("->") { at + 2 } else { scan::character(text, at) }
    }
}

/// Splits a text into tokens; the last one is [`Kind::End`].
pub fn tokens(file: FileId, text: &str, dialect: Dialect) -> (Vec<Token>, Vec<Diagnostic>) {
    let is_mcl = dialect == Dialect::Mcl;
    let (mut found, mut diagnostics) = (Vec::with_capacity(text.len() / 3), Vec::new());
    let mut lexer = Lexer::new(text);
    loop {
        let token: Token = lexer.next();
        let kind = match token.kind {
            Kind::Foreign if !is_mcl && token.text(text) == "%" => {
                lexer.jump(scan::line(text.as_bytes(), token.start as usize));
                continue;
            }
            T![":"] | T![";"] if is_mcl => Kind::Foreign,
            kind => kind,
        };
        if kind.is_flaw() {
            diagnostics.push(flaw(file, text, Token { kind, ..token }));
        }
        match kind {
            Kind::Foreign | Kind::OpenComment => {}
            Kind::OpenLabel => found.push(Token { kind: Kind::Label, ..token }),
            Kind::OpenPattern => found.push(Token { kind: Kind::Pattern, ..token }),
            _ => found.push(token),
        }
        if kind == Kind::End {
            return (found, diagnostics);
        }
    }
}

fn flaw(file: FileId, text: &str, token: Token) -> Diagnostic {
    let mut span = token.span(file);
    let (what, quote) = match token.kind {
        Kind::OpenComment => {
            return Diagnostic::error(codes::FORMULA_SYNTAX, "a comment without an end")
                .at(span, "it begins here")
                .help("close it with `*)`");
        }
        Kind::OpenLabel => ("a label", '"'),
        Kind::OpenPattern => ("a pattern", '\''),
        _ => {
            let shown = token.text(text);
            let message = format!("`{}` is no sign of formulas", shown.escape_debug());
            let diagnostic = Diagnostic::error(codes::FORMULA_SYNTAX, message).at(span, "");
            return match shown {
                "->" => diagnostic.help("write `implies`"),
                "&" => diagnostic.help("write `and`"),
                "~" => diagnostic.help("write `not`"),
                "/" => diagnostic.help("a regular expression stands in single quotes: `'PUT !.*'`"),
                _ => diagnostic,
            };
        }
    };
    span.end = span.start + 1;
    Diagnostic::error(codes::FORMULA_SYNTAX, format!("{what} without its closing quote"))
        .at(span, "it begins here")
        .help(format!("labels and patterns end on their line, with `{quote}`"))
}

/// The content of a token in quotes: `\` before the quote and, in a label, before `\` goes.
pub fn unquoted(text: &str) -> String {
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
            let signs = ALIASES
                .iter()
                .filter(|(_, kind)| kind.is_word())
                .map(|(sign, _)| *sign)
                .chain(["%", "val(", ":"]);
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
