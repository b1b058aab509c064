//! The index of networks of labelled transition systems (`.exp`): the files that they name, and gates and labels.
//!
//! Neither needs a declaration: the first place that names one counts as such. Names are told from the tokens around them, since the tree
//! keeps few places.

use crate::builder::{Builder, Meaning, Spelling};
use crate::candidates::{Fit, Found};
use crate::index::{Index, Kind};
use crate::language::Indexed;
use crate::pieces::{Class, Comments, Piece, pieces};
use crate::place::Place;
use crate::text::Text;
use crate::words::{Known, Word, shown, without_quotes, words};
use volvelle_diagnostics::FileId;
use volvelle_lts::NetworkToken as Token;
use volvelle_syntax::Spelt;

const COMMENTS: Comments = Comments { line: &["--"], joined: false, block: Some(("(*", "*)", false)) };

/// What an operand begins with, and its form.
const OPERANDS: &[(&str, &str)] = &[
    ("par", "par ${1:G} in\n  $0\n||\n  \nend par"),
    ("gate.par", "gate.par\n  ${1:G} * ${2:_} -> ${3:G}\nin\n  $0 || \nend par"),
    ("label.par", "label.par\n  \"${1:G !1}\" * ${2:_} -> \"${3:G !1}\"\nin\n  $0 || \nend par"),
    ("hide", "hide ${1:G} in $0"),
    ("rename", "rename ${1:G} -> ${2:H} in $0"),
    ("branching reduction of", "branching reduction of $0"),
    ("strong reduction of", "strong reduction of $0"),
    ("smart branching reduction of", "smart branching reduction of $0"),
];

/// Networks.
pub(crate) struct Network;

impl Indexed for Network {
    fn name(&self) -> &'static str {
        "network"
    }

    fn index(&self, texts: &[Text<'_>]) -> Index {
        let tokens: Vec<Vec<Piece>> = texts
            .iter()
            .map(|text| pieces::<Token>(text.text, &COMMENTS, |lexer| lexer.next(), class, Token::End))
            .collect();
        let words: Vec<Vec<Word<'_>>> = (0..)
            .zip(texts.iter().zip(&tokens))
            .map(|(number, (text, pieces))| words(FileId(number), text.text, pieces))
            .collect();
        let spelling = Spelling { name: without_quotes, ignores_case: false };
        let mut builder = Builder::new(texts, tokens, spelling);
        let mut known = Known::default();
        words.iter().for_each(|words| named(&mut builder, &mut known, words));
        builder.finish(|_, shown| if shown == "_" { Meaning::Word } else { Meaning::Like(Kind::Gate) })
    }

    fn keeps(&self, kind: Kind) -> Option<&'static str> {
        Some(match kind {
            Kind::Module => "it is the name of a file",
            _ => "the files that the network names have its labels, too",
        })
    }

    fn complete<'a>(&self, place: &Place<'a>, found: &mut Found<'a>) {
        let is_operand = is_before_operand(place.back(0));
        let (files, gates) = if is_operand { (Fit::Best, Fit::Good) } else { (Fit::Possible, Fit::Best) };
        found.of_kinds(gates, &[Kind::Gate]);
        if place.is_quoted {
            found.of_kinds(files, &[Kind::Module]);
        } else if is_operand {
            OPERANDS.iter().for_each(|(shown, written)| found.form(Fit::Good, *shown, *written));
        } else {
            found.words(Fit::Possible, &["all but", "end", "in", "of"]);
        }
    }
}

fn class(kind: Token) -> Class {
    match kind {
        Token::Name => Class::Name,
        Token::Text | Token::OpenText => Class::Text,
        Token::OpenComment => Class::Comment,
        kind if kind.is_word() => Class::Keyword,
        _ => Class::Operator,
    }
}

/// Whether an operand may stand behind a token.
fn is_before_operand(before: &str) -> bool {
    matches!(before, "" | "(" | "||" | "|||" | "]|" | "in" | "of" | "->" | "par")
}

fn named<'t>(builder: &mut Builder<'_>, known: &mut Known<'t>, words: &[Word<'t>]) {
    // What stands in the list that is read: labels, or patterns of labels.
    let (mut is_list, mut has_patterns) = (false, false);
    for (at, word) in words.iter().enumerate() {
        let behind = shown(words, at + 1);
        match word.shown {
            "|[" => (is_list, has_patterns) = (true, false),
            "hide" | "rename" if at == 0 || words[at - 1].shown != "end" => {
                (is_list, has_patterns) = (true, true)
            }
            "par" if at > 0 && words[at - 1].shown == "." => (is_list, has_patterns) = (true, false),
            "in" | "]|" | "of" | "end" => is_list = false,
            "_" => {}
            _ if word.class == Class::Name => known.mention(builder, Kind::Gate, *word),
            _ if word.class != Class::Text => {}
            _ if is_list || matches!(behind, "," | "->" | "in") => {
                if !has_patterns || !is_list || !is_pattern(word.shown) {
                    known.mention(builder, Kind::Gate, *word);
                }
            }
            _ => known.mention(builder, Kind::Module, *word),
        }
    }
}

/// Whether a text is a regular expression that is more than one label.
fn is_pattern(text: &str) -> bool {
    text.contains(['\\', '.', '*', '+', '?', '[', ']', '{', '}', '(', ')', '|', '^', '$', '/'])
}
