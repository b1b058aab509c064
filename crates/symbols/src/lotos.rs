//! The index of LOTOS specifications.
//!
//! Case has no meaning. Types, sorts, processes, gates and variables are resolved here by the rules of the front end; operations, which
//! may share their names, by the front end itself. Names of the language have no place, those of the standard library one in its text;
//! libraries of the specification are texts of it.

mod behaviours;
mod complete;
mod declare;
mod spaces;
mod tokens;

use crate::builder::{Builder, Meaning, Spelling};
use crate::candidates::Found;
use crate::index::{Index, Kind, Symbol};
use crate::language::Indexed;
use crate::nearest::Nearest;
use crate::place::Place;
use crate::text::{Part, Text};
use spaces::Spaces;
use tokens::pieces_of;
use volvelle_diagnostics::Sources;
use volvelle_lotos::data::Ranges;
use volvelle_lotos::{library, parse, resolved};

/// LOTOS.
pub(crate) struct Lotos;

impl Indexed for Lotos {
    fn name(&self) -> &'static str {
        "lotos"
    }

    fn index(&self, texts: &[Text<'_>]) -> Index {
        index(texts)
    }

    fn complete<'a>(&self, place: &Place<'a>, found: &mut Found<'a>) {
        if complete::complete(place, found) {
            found.other_names(place.file, place.text);
        }
    }

    fn includes(&self, name: &str) -> bool {
        name.ends_with(".lib")
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
    let mut sources = Sources::new();
    let file = sources.add("", main.text);
    let (mut tree, _) = parse::specification(file, main.text);
    // Texts in the order in which they are read: so the parser numbers them.
    let (mut order, mut rest) = (vec![*main], texts[1..].to_vec());
    library::add_with(&mut tree, &mut sources, &mut |name| {
        let number = rest.iter().position(|text| text.part == Part::Included && text.name == name)?;
        order.push(rest.remove(number));
        order.last().map(|text| text.text.to_owned())
    });
    let own_files = order.len() as u32;
    order.append(&mut rest);
    let texts = &order[..];
    let tokens = texts.iter().map(|text| pieces_of(text.text));
    let spelling = Spelling { name: |shown| shown, ignores_case: true };
    let mut builder = Builder::new(texts, tokens.collect(), spelling);
    // Ranges decide which values numbers may have, not what they are called.
    let (_, data) = resolved(&tree, Ranges { nat: 255, int: 127 }, &mut Vec::new());
    let mut spaces = Spaces { own_files, ..Spaces::default() };
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
