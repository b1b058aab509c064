//! Weighted CCS: processes, actions, propositions.

use crate::builder::{Builder, Meaning, Spelling};
use crate::candidates::{Fit, Found};
use crate::index::{Index, Kind, Role};
use crate::pieces::{Class, Comments, Piece, pieces};
use crate::place::Place;
use crate::text::Text;
use crate::words::{Known, Word, between, shown, words};
use volvelle_diagnostics::FileId;
use volvelle_wks::wccs::Token;

const COMMENTS: Comments = Comments { line: &["//", "#"], joined: false, block: None };

pub(super) fn index(texts: &[Text<'_>]) -> Index {
    let tokens: Vec<Vec<Piece>> = texts
        .iter()
        .map(|text| pieces::<Token>(text.text, &COMMENTS, |lexer| lexer.next(), class, Token::End))
        .collect();
    let words: Vec<Vec<Word<'_>>> = (0..)
        .zip(texts.iter().zip(&tokens))
        .map(|(number, (text, pieces))| words(FileId(number), text.text, pieces))
        .collect();
    let mut builder = Builder::new(texts, tokens, Spelling { name: |shown| shown, ignores_case: false });
    let mut known = Known::default();
    known.built_in(&mut builder, Kind::Action, "tau", "the internal action");
    words.iter().for_each(|words| processes(&mut builder, &mut known, words));
    words.iter().for_each(|words| named(&mut builder, &mut known, words));
    builder.finish(|_, _| Meaning::Like(Kind::Process))
}

fn class(kind: Token) -> Class {
    match kind {
        Token::Name => Class::Name,
        Token::Number => Class::Number,
        _ => Class::Operator,
    }
}

/// A definition ends with its semicolon, or before the next one.
fn processes<'t>(builder: &mut Builder<'_>, known: &mut Known<'t>, words: &[Word<'t>]) {
    let mut last = words.len();
    for at in (0..words.len()).rev() {
        if words[at].shown == ";" {
            last = at;
        }
        if words[at].class == Class::Name && shown(words, at + 1) == ":=" {
            // From below to above: of equal names the first is declared last.
            let end = last.min(words.len() - 1);
            known.define(builder, Kind::Process, words[at], between(words, at, end));
            last = at.saturating_sub(1);
        }
    }
}

fn named<'t>(builder: &mut Builder<'_>, known: &mut Known<'t>, words: &[Word<'t>]) {
    // Within `\ { … }`, within `[ … ]`, within `< … >`.
    let mut bracket = "";
    for (at, word) in words.iter().enumerate() {
        match word.shown {
            "{" | "[" | "<" => bracket = word.shown,
            "}" | "]" | ">" | ";" => bracket = "",
            _ if word.class != Class::Name => {}
            _ if bracket == "{" => known.mention(builder, Kind::Action, *word),
            _ if bracket == "<" => {
                if at > 0 && words[at - 1].shown == "<" {
                    known.mention(builder, Kind::Action, *word);
                }
            }
            _ if bracket == "[" => {
                let arrow = [shown(words, at + 1), at.checked_sub(1).map_or("", |at| words[at].shown)];
                let kind = if arrow.contains(&"=>") { Kind::Label } else { Kind::Action };
                known.mention(builder, kind, *word);
            }
            _ => match shown(words, at + 1) {
                ":=" => {}
                ":" => known.mention(builder, Kind::Label, *word),
                _ => known.refer(builder, Kind::Process, *word, Role::Reads),
            },
        }
    }
}

pub(super) fn complete(place: &Place<'_>, found: &mut Found<'_>) {
    let (own, _) = place.statement(|text| matches!(text, ";" | ":="));
    let last = |signs: &[&str]| own.iter().rposition(|text| signs.contains(text));
    let is_open =
        |open: &str, close: &str| last(&[open]).is_some_and(|open| last(&[close]).is_none_or(|at| at < open));
    if is_open("<", ">") {
        // A weight has no names.
        if place.back(0) == "<" {
            found.of_kinds(Fit::Best, &[Kind::Action]);
        }
    } else if is_open("{", "}") {
        found.of_kinds(Fit::Best, &[Kind::Action]);
    } else if is_open("[", "]") {
        found.of_kinds(Fit::Best, &[Kind::Action, Kind::Label]);
    } else if matches!(place.back(0), ":=" | "." | "+" | "|" | "(" | ":") {
        found.of_kinds(Fit::Best, &[Kind::Process]);
        found.of_kinds(Fit::Good, &[Kind::Label]);
        found.form(Fit::Good, "0", "0");
    }
}
