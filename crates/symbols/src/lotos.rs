//! The index of LOTOS specifications.
//!
//! Case has no meaning. Types, sorts, processes, gates and variables are resolved here by the rules of the front end; operations, which
//! may share their names, by the front end itself. Names of the library and of the language have no place.

mod behaviours;
mod complete;
mod declare;
mod spaces;

use crate::builder::{Builder, Meaning, Spelling};
use crate::candidates::Found;
use crate::index::{Index, Kind, Symbol};
use crate::language::Indexed;
use crate::nearest::Nearest;
use crate::pieces::{Class, Comments, pieces};
use crate::place::Place;
use crate::text::Text;
use spaces::Spaces;
use volvelle_diagnostics::Sources;
use volvelle_lotos::data::Ranges;
use volvelle_lotos::lex::{self, Kind as Token};
use volvelle_lotos::{library, parse, resolved};
use volvelle_syntax::Spelt;

const COMMENTS: Comments = Comments { line: &[], joined: false, block: Some(("(*", "*)", false)) };

/// LOTOS.
pub(crate) struct Lotos;

impl Indexed for Lotos {
    fn name(&self) -> &'static str {
        "lotos"
    }

    fn index(&self, texts: &[Text<'_>]) -> Index {
        index(texts)
    }

    fn complete(&self, place: &Place<'_>, found: &mut Found<'_>) {
        if complete::complete(place, found) {
            found.other_names(place.file, place.text);
        }
    }

    fn ignores_case(&self) -> bool {
        true
    }

    fn has_gates(&self) -> bool {
        true
    }
}

fn index(texts: &[Text<'_>]) -> Index {
    let Some(main) = texts.first() else { return Index::default() };
    let tokens = texts.iter().map(|text| {
        let mut is_in_sync = false;
        pieces::<Token>(text.text, &COMMENTS, |lexer| lex::next(lexer, &mut is_in_sync), class, Token::End)
    });
    let spelling = Spelling { name: |shown| shown, ignores_case: true };
    let mut builder = Builder::new(texts, tokens.collect(), spelling);
    let mut sources = Sources::new();
    let file = sources.add("", main.text);
    let (mut tree, _) = parse::specification(file, main.text);
    library::add(&mut tree, &mut sources);
    // Ranges decide which values numbers may have, not what they are called.
    let (_, data) = resolved(&tree, Ranges { nat: 255, int: 127 }, &mut Vec::new());
    let mut spaces = Spaces::default();
    declare::types(&mut builder, &mut spaces, &tree);
    declare::operations(&mut builder, &mut spaces, &tree, &data);
    behaviours::all(&mut builder, &mut spaces, &tree);

    // Only imports name types, and those that can be read are in the tree.
    let is_type = |symbol: &Symbol| symbol.kind == Kind::Type && symbol.detail.starts_with("type ");
    let nearest = Nearest::of(&builder.symbols, true, |symbol| !is_type(symbol));
    builder.finish(|span, shown| {
        if shown.bytes().all(|byte| byte.is_ascii_digit()) {
            return Meaning::Number;
        }
        if shown.eq_ignore_ascii_case("i") {
            return Meaning::Word;
        }
        match nearest.get(span, shown) {
            Some(symbol) => Meaning::Names(symbol),
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
