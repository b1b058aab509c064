//! The index of PRISM models and their property files.
//!
//! Names mean what lowering says they do: constants, formulas and variables share one name space, which property files extend; labels,
//! properties, modules, reward structures, actions and players have their own. An action is declared where a command has it first.

mod complete;
mod copies;
mod declare;
mod properties;
mod refer;
mod spaces;
mod spoken;
mod words;

pub use spoken::property_in_words;

use crate::builder::{Builder, Meaning, Spelling};
use crate::candidates::Found;
use crate::index::{Index, Kind};
use crate::language::{Function, Indexed};
use crate::pieces::{Class, Comments, pieces};
use crate::place::Place;
use crate::text::{Part, Text};
use spaces::{Loose, Spaces};
use volvelle_diagnostics::{FileId, Sources};
use volvelle_prism::ast::PropertyFile;
use volvelle_prism::lex::{TokenKind, quoted_name};
use volvelle_prism::parse;
use volvelle_syntax::Spelt;

const COMMENTS: Comments = Comments { line: &["//"], joined: false, block: Some(("/*", "*/", false)) };

/// PRISM, with files of properties.
pub(crate) struct Prism;

impl Indexed for Prism {
    fn name(&self) -> &'static str {
        "prism"
    }

    fn index(&self, texts: &[Text<'_>]) -> Index {
        index(texts)
    }

    fn complete<'a>(&self, place: &Place<'a>, found: &mut Found<'a>) {
        match place.part {
            Part::Properties => properties::complete(place, found),
            Part::Model | Part::Included => complete::complete(place, found),
        }
    }

    fn functions(&self) -> &'static [Function] {
        &[
            ("ceil", &["x"]),
            ("filter", &["operation", "property", "states"]),
            ("floor", &["x"]),
            ("log", &["x", "base"]),
            ("max", &["x", "y", "…"]),
            ("min", &["x", "y", "…"]),
            ("mod", &["dividend", "divisor"]),
            ("multi", &["property", "property", "…"]),
            ("pow", &["base", "exponent"]),
            ("round", &["x"]),
        ]
    }
}

fn index(texts: &[Text<'_>]) -> Index {
    let mut sources = Sources::new();
    let files: Vec<FileId> = texts.iter().map(|text| sources.add("", text.text)).collect();
    let tokens = texts
        .iter()
        .map(|text| pieces::<TokenKind>(text.text, &COMMENTS, |lexer| lexer.next(), class, TokenKind::End));
    let spelling = Spelling { name: quoted_name, ignores_case: false };
    let mut builder = Builder::new(texts, tokens.collect(), spelling);
    let Some((&model, files)) = files.split_first() else { return Index::default() };
    let (model, mistakes) = parse::model(&sources, model);
    let parsed: Vec<(PropertyFile, bool)> = files
        .iter()
        .map(|&file| {
            let (tree, mistakes) = parse::properties(&sources, file);
            (tree, !mistakes.is_empty())
        })
        .collect();

    let mut loose = Loose::of(&model, !mistakes.is_empty());
    let mut spaces = Spaces::default();
    declare::model(&mut builder, &mut spaces, &model);
    declare::broken(&mut builder, &mut spaces, &model.broken, &model.modules);
    copies::all(&mut builder, &mut spaces, &model);
    for (file, _) in &parsed {
        declare::properties(&mut builder, &mut spaces, file);
        declare::broken(&mut builder, &mut spaces, &file.broken, &[]);
    }
    declare::built_in(&mut builder, &mut spaces);
    refer::model(&mut builder, &mut spaces, &model);
    for (number, (file, is_broken)) in parsed.iter().enumerate() {
        refer::properties(&mut builder, &spaces, number, file);
        loose.add(files[number], file, *is_broken);
    }
    let loose = loose.sorted();
    builder.finish(|span, shown| {
        if words::is_soft(shown) {
            return Meaning::Word;
        }
        let found = match shown.starts_with('"') {
            true => spaces.quoted_anywhere(quoted_name(shown)),
            false => spaces.anywhere(shown),
        };
        match found {
            Some(symbol) if loose.contains(span) => Meaning::Names(symbol),
            _ => Meaning::Like(Kind::Variable),
        }
    })
}

fn class(kind: TokenKind) -> Class {
    match kind {
        TokenKind::Ident => Class::Name,
        TokenKind::Int | TokenKind::Real | TokenKind::OpenReal => Class::Number,
        TokenKind::LargeInt | TokenKind::LargeReal => Class::Number,
        TokenKind::Quoted | TokenKind::OpenQuoted | TokenKind::BadQuoted => Class::Text,
        TokenKind::BlockComment => Class::Comment,
        TokenKind::Directive => Class::Keyword,
        kind if kind.is_word() => Class::Keyword,
        _ => Class::Operator,
    }
}
