//! The index of Promela models.
//!
//! The tree has macros and inlines expanded, and each name in it leads to the text where it was written: in a file, in the body of a
//! macro or inline, or in an argument. Text that comes to several places means what it means in the first. Scopes are those of lowering:
//! blocks, with names from their declarations on. Texts that are included are aside.

mod declare;
mod definitions;
mod expressions;
mod scopes;
mod statements;

use crate::builder::{Builder, Meaning, Spelling};
use crate::index::{Index, Kind};
use crate::nearest::Nearest;
use crate::pieces::{Class, Comments, pieces};
use scopes::Walk;
use volvelle_diagnostics::{FileId, Sources};
use volvelle_promela::token::Kind as Token;
use volvelle_promela::{Include, parse};
use volvelle_syntax::Spelt;

const COMMENTS: Comments = Comments { line: &["//"], joined: true, block: Some(("/*", "*/", false)) };

/// No text is included.
struct Nothing;

impl Include for Nothing {
    fn read(&mut self, _: &str) -> Option<String> {
        None
    }
}

pub(crate) fn index(texts: &[(FileId, &str)]) -> Index {
    let Some((_, text)) = texts.first() else { return Index::default() };
    let mut sources = Sources::new();
    let file = sources.add("", *text);
    let tokens = texts
        .iter()
        .map(|(_, text)| pieces::<Token>(text, &COMMENTS, |lexer| lexer.next(), class, Token::End));
    let spelling = Spelling { name: |shown| shown, ignores_case: false };
    let mut builder = Builder::new(texts, tokens.collect(), spelling);
    let parsed = parse(&mut sources, file, &mut Nothing, &[]);
    let mut walk = Walk::of(&mut builder, &parsed.model);
    definitions::all(&mut walk);
    declare::all(&mut walk);
    statements::all(&mut walk);

    // What no tree mentions: macros and inlines that nothing uses, parts that conditions leave out, mistakes.
    let nearest = Nearest::of(&builder.symbols, false, |_| true);
    builder.finish(|span, shown| {
        let before = texts[span.file.0 as usize].1[..span.start as usize].trim_end_matches([' ', '\t']);
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
