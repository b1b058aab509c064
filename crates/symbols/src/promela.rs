//! The index of Promela models.
//!
//! The tree has macros and inlines expanded, and each name in it leads to the text where it was written: in a file, in the body of a
//! macro or inline, or in an argument. Text that comes to several places means what it means in the first. Scopes are those of lowering:
//! blocks, with names from their declarations on. A text that is included several times is one text.

mod complete;
mod declare;
mod definitions;
mod expressions;
mod scopes;
mod statements;

use crate::builder::{Builder, Meaning, Spelling};
use crate::candidates::Found;
use crate::index::{Index, Kind};
use crate::language::{Function, Indexed};
use crate::nearest::Nearest;
use crate::pieces::{Class, Comments, pieces};
use crate::place::Place;
use crate::text::{Part, Text};
use rustc_hash::FxHashMap;
use scopes::Walk;
use volvelle_diagnostics::{FileId, Sources};
use volvelle_promela::token::Kind as Token;
use volvelle_promela::{Include, parse};
use volvelle_syntax::Spelt;

const COMMENTS: Comments = Comments { line: &["//"], joined: true, block: Some(("/*", "*/", false)) };

/// The texts that a model includes.
struct Included<'t> {
    texts: &'t [Text<'t>],
    /// Their numbers, by their names.
    numbers: FxHashMap<&'t str, u32>,
    /// The number of the text that was read first, second, and so on: the parser numbers each reading.
    read: Vec<FileId>,
}

impl<'t> Included<'t> {
    fn of(texts: &'t [Text<'t>]) -> Self {
        let included = (0..).zip(texts).filter(|(_, text)| text.part == Part::Included);
        let numbers = included.map(|(number, text)| (text.name, number)).collect();
        Included { texts, numbers, read: vec![FileId(0)] }
    }
}

impl Include for Included<'_> {
    fn read(&mut self, name: &str) -> Option<String> {
        let number = *self.numbers.get(name)?;
        self.read.push(FileId(number));
        Some(self.texts[number as usize].text.to_owned())
    }
}

/// Promela.
pub(crate) struct Promela;

impl Indexed for Promela {
    fn name(&self) -> &'static str {
        "promela"
    }

    fn includes(&self, _: &str) -> bool {
        true
    }

    fn index(&self, texts: &[Text<'_>]) -> Index {
        index(texts)
    }

    fn complete<'a>(&self, place: &Place<'a>, found: &mut Found<'a>) {
        complete::complete(place, found);
    }

    fn functions(&self) -> &'static [Function] {
        &[
            ("empty", &["channel"]),
            ("enabled", &["pid"]),
            ("full", &["channel"]),
            ("len", &["channel"]),
            ("nempty", &["channel"]),
            ("nfull", &["channel"]),
            ("pc_value", &["pid"]),
            ("printf", &["format", "…"]),
        ]
    }
}

fn index(texts: &[Text<'_>]) -> Index {
    let Some(main) = texts.first() else { return Index::default() };
    let mut sources = Sources::new();
    let file = sources.add("", main.text);
    let tokens = texts
        .iter()
        .map(|text| pieces::<Token>(text.text, &COMMENTS, |lexer| lexer.next(), class, Token::End));
    let spelling = Spelling { name: |shown| shown, ignores_case: false };
    let mut builder = Builder::new(texts, tokens.collect(), spelling);
    let mut included = Included::of(texts);
    let parsed = parse(&mut sources, file, &mut included, &[]);
    let mut walk = Walk::of(&mut builder, &parsed.model, &included.read);
    definitions::all(&mut walk);
    declare::all(&mut walk);
    statements::all(&mut walk);

    // What no tree mentions: macros and inlines that nothing uses, parts that conditions leave out, mistakes.
    let nearest = Nearest::of(&builder.symbols, false, |_| true);
    builder.finish(|span, shown| {
        let before = texts[span.file.0 as usize].text[..span.start as usize].trim_end_matches([' ', '\t']);
        // `##` joins what stands around it; the word of a directive stands behind a single one.
        if before.ends_with('#') && !before.ends_with("##") {
            return Meaning::Word;
        }
        match nearest.get(span, shown) {
            Some(symbol) => Meaning::Names(symbol),
            _ if SOFT.contains(&shown) => Meaning::Word,
            _ => Meaning::Like(Kind::Variable),
        }
    })
}

/// Words that mean something only where they stand: in loops, conditions of the preprocessor, and formulas.
const SOFT: &[&str] = &[
    "in",
    "defined",
    "U",
    "V",
    "W",
    "X",
    "always",
    "equivalent",
    "eventually",
    "implies",
    "next",
    "release",
    "stronguntil",
    "until",
    "weakuntil",
];

fn class(kind: Token) -> Class {
    match kind {
        Token::Word => Class::Name,
        Token::Number | Token::BadNumber => Class::Number,
        Token::Char | Token::Text | Token::OpenText => Class::Text,
        Token::OpenComment => Class::Comment,
        kind if kind.is_word() => Class::Keyword,
        _ => Class::Operator,
    }
}
