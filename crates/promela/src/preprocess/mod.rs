//! The preprocessor: files in, the tokens that remain and the macros that were defined out.
//!
//! It does what `gcc -E -x c` does for SPIN (C99, section 6.10), on tokens that keep their places: conditions,
//! inclusion, macros. Deviations: nothing is predefined but `__LINE__` and `__FILE__`; `#include <…>` is refused;
//! `#line`, `#pragma` and `#ident` mean nothing; `1..N` is three tokens. Nesting and the number of tokens are limited.

mod condition;
mod directives;
mod expand;
mod substitute;

use crate::Include;
use crate::ast::Places;
use crate::place::at_token;
use crate::token::{Kind, Token};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use volvelle_diagnostics::{Code, Diagnostic, FileId, Sources, Span, codes};

/// Tokens that a model may have after expansion.
pub(crate) const TOKEN_LIMIT: usize = 2_000_000;
/// How deep files may include each other.
const INCLUDE_LIMIT: usize = 32;
/// How deep calls of macros may nest, in bodies and in arguments.
const CALL_LIMIT: usize = 200;
/// Complaints after which no more are kept.
pub(crate) const COMPLAINT_LIMIT: usize = 100;

/// `#define name(parameters) body`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Macro {
    /// `None`: a macro without arguments.
    pub parameters: Option<Vec<Arc<str>>>,
    /// The last parameter takes all further arguments.
    pub variadic: bool,
    pub body: Vec<Token>,
    /// Its name where it was defined.
    pub span: Span,
}

/// The macros of a model, for formulas that come later.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Macros(pub(crate) FxHashMap<Arc<str>, Arc<Macro>>);

/// The work on one text and all that it includes.
pub(crate) struct Preprocessor<'a> {
    pub sources: &'a mut Sources,
    pub include: &'a mut dyn Include,
    pub macros: Macros,
    pub places: Places,
    pub diagnostics: Vec<Diagnostic>,
    /// Tokens made by expansion so far.
    produced: usize,
    /// A limit was met: nothing is expanded any more.
    exhausted: bool,
}

impl<'a> Preprocessor<'a> {
    pub fn new(
        sources: &'a mut Sources,
        include: &'a mut dyn Include,
        macros: Macros,
        places: Places,
    ) -> Self {
        Preprocessor {
            sources,
            include,
            macros,
            places,
            diagnostics: Vec::new(),
            produced: 0,
            exhausted: false,
        }
    }

    /// Defines a macro from outside the text.
    pub fn predefine(&mut self, name: &str, value: &str) {
        let file = self.sources.add("--define", format!("{name} {value}"));
        let mut tokens = self.lexed(file);
        for token in &mut tokens {
            token.starts_line = false;
        }
        let hash = Span::new(file, 0, 0);
        self.define(hash, &tokens);
    }

    /// The tokens of a file after expansion, with an end token.
    pub fn run(&mut self, file: FileId) -> Vec<Token> {
        let mut out = Vec::new();
        self.file(file, "", 0, &mut out);
        for token in &mut out {
            if token.kind == Kind::Word
                && let Some(word) = crate::token::Keyword::from_text(&token.text)
            {
                token.kind = Kind::Keyword(word);
            }
        }
        let end =
            out.last().map_or(Span::new(file, 0, 0), |token| Span { start: token.span.end, ..token.span });
        let through = out.last().and_then(|token| token.through);
        out.push(Token {
            kind: Kind::End,
            text: "".into(),
            span: end,
            through,
            spaced: true,
            starts_line: true,
            painted: false,
        });
        out
    }

    fn lexed(&mut self, file: FileId) -> Vec<Token> {
        let text = &self.sources.file(file).text;
        if u32::try_from(text.len()).is_err() {
            self.diagnostics.push(Diagnostic::error(codes::FILE_NOT_READ, "the file is larger than 4 GiB"));
            return Vec::new();
        }
        let (tokens, complaint) = crate::lex::lex(file, text);
        self.diagnostics.extend(complaint);
        tokens
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < COMPLAINT_LIMIT {
            self.diagnostics.push(diagnostic);
        }
    }

    fn error(&mut self, code: Code, token: &Token, message: impl Into<String>, help: &str) {
        let diagnostic = at_token(Diagnostic::error(code, message), &self.places, token, "");
        self.report(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }

    /// One file: its lines are directives, or text that is expanded in runs between directives.
    fn file(&mut self, file: FileId, folder: &str, depth: usize, out: &mut Vec<Token>) {
        let tokens = self.lexed(file);
        let mut conditions = directives::Conditions::default();
        let mut run: Vec<Token> = Vec::new();
        let mut rest = tokens.as_slice();
        while !rest.is_empty() {
            let length = rest[1..].iter().position(|token| token.starts_line).map_or(rest.len(), |i| i + 1);
            let (line, behind) = rest.split_at(length);
            rest = behind;
            if line[0].kind != Kind::Hash {
                if conditions.active() {
                    run.extend_from_slice(line);
                }
                continue;
            }
            let text = self.expand(std::mem::take(&mut run));
            out.extend(text);
            self.directive(line, &mut conditions, folder, depth, out);
        }
        let text = self.expand(run);
        out.extend(text);
        for open in conditions.open() {
            self.report(
                Diagnostic::error(codes::BAD_DIRECTIVE, "this condition has no end")
                    .at(open, "")
                    .help("add `#endif`"),
            );
        }
    }
}
