//! The index of LOTOS specifications.
//!
//! Case has no meaning. Types, sorts, processes, gates and variables are resolved here by the rules of the front end; operations, which
//! may share their names, by the front end itself. Names of the library and of the language have no place.

mod behaviours;
mod declare;
mod spaces;

use crate::builder::{Builder, Meaning, Spelling};
use crate::index::{Index, Kind};
use crate::pieces::{Class, Comments, pieces};
use rustc_hash::FxHashMap;
use spaces::Spaces;
use volvelle_diagnostics::{FileId, Sources};
use volvelle_lotos::data::Ranges;
use volvelle_lotos::lex::{self, Kind as Token};
use volvelle_lotos::{library, parse, resolved};
use volvelle_syntax::Spelt;

const COMMENTS: Comments = Comments { line: &[], joined: false, block: Some(("(*", "*)", false)) };

pub(crate) fn index(texts: &[(FileId, &str)]) -> Index {
    let Some((_, text)) = texts.first() else { return Index::default() };
    let tokens = texts.iter().map(|(_, text)| {
        let mut is_in_sync = false;
        pieces::<Token>(text, &COMMENTS, |lexer| lex::next(lexer, &mut is_in_sync), class, Token::End)
    });
    let spelling = Spelling { name: |shown| shown, ignores_case: true };
    let mut builder = Builder::new(texts, tokens.collect(), spelling);
    let mut sources = Sources::new();
    let file = sources.add("", *text);
    let (mut tree, _) = parse::specification(file, text);
    library::add(&mut tree, &mut sources);
    // Ranges decide which values numbers may have, not what they are called.
    let (_, data) = resolved(&tree, Ranges { nat: 255, int: 127 }, &mut Vec::new());
    let mut spaces = Spaces::default();
    declare::types(&mut builder, &mut spaces, &tree);
    declare::operations(&mut builder, &mut spaces, &tree, &data);
    behaviours::all(&mut builder, &mut spaces, &tree);

    let mut by_name: FxHashMap<String, Option<_>> = FxHashMap::default();
    for (number, symbol) in builder.symbols.iter().enumerate() {
        let id = crate::SymbolId(number as u32);
        by_name.entry(symbol.name.to_ascii_uppercase()).and_modify(|known| *known = None).or_insert(Some(id));
    }
    builder.finish(|_, shown| {
        if shown.bytes().all(|byte| byte.is_ascii_digit()) {
            return Meaning::Number;
        }
        if shown.eq_ignore_ascii_case("i") {
            return Meaning::Word;
        }
        match by_name.get(&shown.to_ascii_uppercase()) {
            Some(Some(symbol)) => Meaning::Names(*symbol),
            _ => Meaning::Like(Kind::Operation),
        }
    })
}

fn class(kind: Token) -> Class {
    match kind {
        Token::Name | Token::Operation => Class::Name,
        Token::Quoted => Class::Text,
        Token::OpenComment => Class::Comment,
        kind if kind.is_word() => Class::Keyword,
        _ => Class::Operator,
    }
}
