//! State of the preprocessor: macros, places, limits and diagnostics.

use crate::Include;
use crate::definitions::{Macros, Written};
use crate::lex::lex;
use crate::place::{Places, at_info};
use crate::token::Token;
use volvelle_diagnostics::{Code, Diagnostic, FileId, Sources, codes};

/// Tokens that a model may have after expansion.
pub(crate) const TOKEN_LIMIT: usize = 2_000_000;
/// How deep files may include each other.
pub(super) const INCLUDE_LIMIT: usize = 32;
/// How deep calls of macros may nest, in bodies and in arguments.
pub(super) const CALL_LIMIT: usize = 200;
/// Diagnostics after which no more are kept.
pub(crate) const DIAGNOSTIC_LIMIT: usize = 100;

/// The preprocessor of one text and all files that it includes.
pub(crate) struct Preprocessor<'a> {
    pub sources: &'a mut Sources,
    pub include: &'a mut dyn Include,
    pub macros: Macros,
    pub places: Places,
    pub diagnostics: Vec<Diagnostic>,
    pub written: Written,
    /// Tokens made by expansion so far.
    pub(super) produced: usize,
    /// A limit was exceeded: nothing is expanded any more.
    pub(super) exhausted: bool,
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
            written: Written::default(),
            produced: 0,
            exhausted: false,
        }
    }

    pub(super) fn lexed(&mut self, file: FileId) -> Vec<Token> {
        let text = &self.sources.file(file).text;
        if u32::try_from(text.len()).is_err() {
            self.diagnostics.push(Diagnostic::error(codes::FILE_NOT_READ, "the file is larger than 4 GiB"));
            return Vec::new();
        }
        let (tokens, diagnostics) = lex(file, text);
        diagnostics.into_iter().for_each(|diagnostic| self.report(diagnostic));
        tokens
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < DIAGNOSTIC_LIMIT {
            self.diagnostics.push(diagnostic);
        }
    }

    pub(super) fn error(&mut self, code: Code, token: &Token, message: impl Into<String>, help: &str) {
        let diagnostic = at_info(Diagnostic::error(code, message), &self.places, token.info(), "");
        self.report(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }
}
