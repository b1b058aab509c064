//! Weighted Kripke structures: states, propositions, parameters.

use crate::builder::{Builder, Meaning, Spelling};
use crate::candidates::{Fit, Found};
use crate::index::{Index, Kind, Role};
use crate::pieces::{Class, Comments, Piece, pieces};
use crate::place::Place;
use crate::text::Text;
use crate::words::{Known, Word, between, shown, without_quotes, words};
use volvelle_diagnostics::FileId;
use volvelle_syntax::Spelt;
use volvelle_wks::lexical::Kind as Token;

const COMMENTS: Comments = Comments { line: &["//", "#"], joined: false, block: Some(("/*", "*/", false)) };

/// What an item begins with, and its form.
const ITEMS: &[(&str, &str)] = &[
    ("initial", "initial $0;"),
    ("parameter", "parameter ${1:x} in [${2:0}, ${3:1}];"),
    ("state", "state ${1:s} {$2}: -${3:1}-> $0;"),
    ("wks", "wks ${1:name};"),
];

pub(super) fn index(texts: &[Text<'_>]) -> Index {
    let tokens: Vec<Vec<Piece>> = texts.iter().map(|text| tokens(text.text)).collect();
    let words: Vec<Vec<Word<'_>>> = (0..)
        .zip(texts.iter().zip(&tokens))
        .map(|(number, (text, pieces))| words(FileId(number), text.text, pieces))
        .collect();
    let mut builder = Builder::new(texts, tokens, Spelling { name: without_quotes, ignores_case: false });
    let mut known = Known::default();
    for words in &words {
        each_item(words, |first, last| declared(&mut builder, &mut known, words, first, last));
    }
    for words in &words {
        each_item(words, |first, last| named(&mut builder, &mut known, words, first, last));
    }
    builder.finish(|_, _| Meaning::Like(Kind::State))
}

/// The tokens of a text; words of the language are told by their places.
fn tokens(text: &str) -> Vec<Piece> {
    let mut pieces = pieces::<Token>(text, &COMMENTS, |lexer| lexer.next(), class, Token::End);
    let mut is_first = true;
    for piece in pieces.iter_mut().filter(|piece| piece.class != Class::Comment) {
        let shown = &text[piece.start as usize..piece.end as usize];
        if is_first && ITEMS.iter().any(|(word, _)| *word == shown) {
            piece.class = Class::Keyword;
        }
        is_first = shown == ";";
    }
    pieces
}

fn class(kind: Token) -> Class {
    match kind {
        Token::Name => Class::Name,
        Token::Number => Class::Number,
        Token::Quoted | Token::OpenText => Class::Text,
        Token::OpenComment => Class::Comment,
        kind if kind.is_word() => Class::Keyword,
        _ => Class::Operator,
    }
}

/// Calls a function with the first and the last token of each item, its semicolon included.
fn each_item(words: &[Word<'_>], mut visit: impl FnMut(usize, usize)) {
    let mut first = 0;
    for (at, word) in words.iter().enumerate() {
        if word.shown == ";" || at + 1 == words.len() {
            visit(first, at);
            first = at + 1;
        }
    }
}

fn declared<'t>(
    builder: &mut Builder<'_>,
    known: &mut Known<'t>,
    words: &[Word<'t>],
    first: usize,
    last: usize,
) {
    let kind = match words[first].shown {
        "state" => Kind::State,
        "parameter" => Kind::Parameter,
        "wks" => Kind::Module,
        _ => return,
    };
    if words[first].class == Class::Keyword && first < last {
        known.declare(builder, kind, words[first + 1], between(words, first, last), None);
    }
}

fn named<'t>(
    builder: &mut Builder<'_>,
    known: &mut Known<'t>,
    words: &[Word<'t>],
    first: usize,
    last: usize,
) {
    if words[first].class != Class::Keyword || first == last {
        return;
    }
    match words[first].shown {
        "initial" => known.refer(builder, Kind::State, words[first + 1], Role::Reads),
        "state" => {
            let (mut is_within, mut depth) = (false, 0usize);
            for at in first + 2..=last {
                match words[at].shown {
                    "{" => is_within = true,
                    "}" => is_within = false,
                    "(" => depth += 1,
                    ")" => depth = depth.saturating_sub(1),
                    _ if is_within => known.mention(builder, Kind::Label, words[at]),
                    _ if shown(words, at - 1) == "->" => {
                        known.refer(builder, Kind::State, words[at], Role::Reads);
                    }
                    _ if depth > 0 => known.refer(builder, Kind::Parameter, words[at], Role::Reads),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

pub(super) fn complete(place: &Place<'_>, found: &mut Found<'_>) {
    let before = place.back(0);
    match place.open_bracket() {
        Some(("{", ..)) if matches!(before, "{" | ",") => found.of_kinds(Fit::Best, &[Kind::Label]),
        Some(("(", ..)) => found.of_kinds(Fit::Best, &[Kind::Parameter]),
        Some(_) => {}
        None if matches!(before, "->" | "initial") => found.of_kinds(Fit::Best, &[Kind::State]),
        None if matches!(before, "" | ";") => {
            ITEMS.iter().for_each(|(shown, written)| found.form(Fit::Best, *shown, *written));
        }
        None => {}
    }
}
