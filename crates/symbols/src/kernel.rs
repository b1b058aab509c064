//! The index of kernels in their text form (`.vk`).
//!
//! The parser makes numbers of names at once, so that there is no tree with places: names are told from the tokens around them, which are
//! those of the parser's lexer.

mod complete;
mod walk;
mod words;

use crate::builder::{Builder, Meaning, Spelling};
use crate::candidates::Found;
use crate::index::{Index, Kind, Symbol, SymbolId};
use crate::language::{Function, Indexed};
use crate::nearest::Nearest;
use crate::pieces::Piece;
use crate::place::Place;
use crate::text::Text;
use volvelle_diagnostics::{FileId, Span};

/// Kernels.
pub(crate) struct Kernel;

impl Indexed for Kernel {
    fn name(&self) -> &'static str {
        "kernel"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["vk"]
    }

    fn index(&self, texts: &[Text<'_>]) -> Index {
        let tokens: Vec<Vec<Piece>> = texts.iter().map(|text| words::pieces(text.text)).collect();
        let all: Vec<_> = (0..)
            .zip(texts.iter().zip(&tokens))
            .map(|(number, (text, pieces))| words::words(FileId(number), text.text, pieces))
            .collect();
        let spelling = Spelling { name: words::without_backticks, ignores_case: false };
        let mut builder = Builder::new(texts, tokens, spelling);
        all.iter().for_each(|words| walk::kernels(&mut builder, words));
        // Names in what could not be read.
        let nearest = Nearest::of(&builder.symbols, false, |symbol| symbol.kind != Kind::Kernel);
        let kernel = |symbol: &Symbol| builder.symbols[symbol.container?.index()].whole;
        let kernels: Vec<Option<Span>> = builder.symbols.iter().map(kernel).collect();
        builder.finish(|span, shown| {
            // A name of another kernel means nothing here.
            let is_here = |symbol: &SymbolId| {
                kernels[symbol.index()].is_some_and(|kernel| {
                    kernel.file == span.file && kernel.start <= span.start && span.end <= kernel.end
                })
            };
            match nearest.get(span, words::without_backticks(shown)).filter(is_here) {
                Some(symbol) => Meaning::Names(symbol),
                None => Meaning::Like(Kind::Variable),
            }
        })
    }

    fn complete<'a>(&self, place: &Place<'a>, found: &mut Found<'a>) {
        complete::complete(place, found);
    }

    fn keeps(&self, kind: Kind) -> Option<&'static str> {
        let is_number = matches!(kind, Kind::Location | Kind::Formula);
        is_number.then_some("it is a number, which follows from the place of its declaration")
    }

    fn functions(&self) -> &'static [Function] {
        &[
            ("abs", &["x"]),
            ("ceil", &["x"]),
            ("exp", &["x"]),
            ("floor", &["x"]),
            ("fma", &["factor", "factor", "summand"]),
            ("len", &["buffer"]),
            ("log", &["x"]),
            ("max", &["a", "b"]),
            ("min", &["a", "b"]),
            ("pow", &["base", "exponent"]),
            ("select", &["condition", "then", "else"]),
            ("sqrt", &["x"]),
            ("trunc", &["x"]),
        ]
    }
}
