//! The preprocessor: files in, tokens after expansion and the defined macros out.
//!
//! It replaces the `gcc -E -x c` that SPIN calls (C99, section 6.10), on tokens that keep their places: conditions,
//! inclusion, macros. Deviations: nothing is predefined but `__LINE__` and `__FILE__`; `#include <…>` is refused;
//! `#line`, `#pragma` and `#ident` are ignored; `1..N` is three tokens. Nesting and the number of tokens are limited.

mod condition;
mod directives;
mod expand;
mod state;
mod substitute;

use crate::token::{Kind, Token, keyword};
use volvelle_diagnostics::{FileId, Span};

pub(crate) use state::{DIAGNOSTIC_LIMIT, Preprocessor, TOKEN_LIMIT};

impl Preprocessor<'_> {
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
                && let Some(word) = keyword(&token.text)
            {
                token.kind = word;
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
}
